"""Which files an MCP client may bring in: those under the allowed roots, wherever links lead.

The roots are those of the setting; without it those that the client itself names; without these the
working directory and the documents folder of the home. A person at a terminal is not restricted.
"""

import os
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from contracts.settings import Settings
from events.errors import PathRefused

LONGEST_PATH = 4096
_ADDRESS = re.compile(r"\s*https?://", re.I)
_JOINERS = "\u200c\u200d"


class PathOutside(PathRefused):
    """A path that is not under any allowed root: (path, roots)."""

    says = "The path {0} was refused: it is outside the folders that may be read."
    suggestion = "Use a path under {1}, or allow more folders with RESEARCH_AGENT_ROOTS."


class IsAddress(PathRefused):
    """A web address where a path was asked for: (address,)."""

    says = "{0} is the address of a web page and not a path."
    suggestion = "Fetch it with rag_process_website, or research-agent kb add-url."


def allowed_roots(settings: Settings, of_client: Iterable[str] | None) -> tuple[Path, ...]:
    """The folders that may be read, links resolved; the client's roots are given as URIs."""
    if settings.roots is not None:
        return _resolved(settings.roots)
    if of_client is not None:
        return _resolved(filter(None, map(_of_uri, of_client)))
    return _resolved(_usual())


def check_allowed(path: str, roots: tuple[Path, ...]) -> Path:
    """The place that a path leads to, if it is under one of the roots."""
    place = resolved(path)
    expect_under(place, roots, path)
    if not os.path.lexists(place):
        raise PathRefused(shortened(path), "there is no such file or folder")
    return place


def expect_under(place: Path, roots: tuple[Path, ...], path: str) -> None:
    """Refuse a resolved place that is under none of the roots; `path` is what led there."""
    if not any(place.is_relative_to(root) for root in roots):
        # Says nothing of what is there: outside, even that is nobody's business.
        shown = ", ".join(map(str, roots)) or "none at present"
        raise PathOutside(shortened(path), shown)


def expect_path(path: str) -> None:
    """Refuse the address of a web page: what is said of a path would not help."""
    if _ADDRESS.match(path):
        raise IsAddress(shortened(path))


def resolved(path: str) -> Path:
    """Where a path leads, whether or not there is something. Clients name files by their URIs, too."""
    expect_path(path)
    path = _named_by_uri(path)
    if not path.strip() or len(path) > LONGEST_PATH or not is_one_line(path):
        raise PathRefused(shortened(path) or "''", "it is empty, too long or not printable")
    try:
        return Path(path).expanduser().resolve()
    except (OSError, RuntimeError, ValueError):
        raise PathRefused(shortened(path), "it cannot be followed") from None


def _named_by_uri(path: str) -> str:
    try:
        named = _of_uri(path) if path[:5].lower() == "file:" else None
    except ValueError:
        return path
    return str(named) if named else path


def is_one_line(text: str) -> bool:
    """Whether everything in it can be shown: also the blanks of any script, and what joins letters or parts them.

    Japanese words are parted by wide blanks, French marks by narrow ones, and Persian words hold joiners.
    """
    return all(
        letter.isprintable() or letter in _JOINERS or unicodedata.category(letter) == "Zs"
        for letter in text
    )


def shortened(text: str, most: int = 200) -> str:
    """A caller's words, safe to repeat."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in text[: most + 1])
    return shown if len(shown) <= most else f"{shown[:most]}…"


def _usual() -> list[Path]:
    try:
        here, documents = Path.cwd(), Path("~/Documents").expanduser()
    except (OSError, RuntimeError):
        return []
    # Clients start servers in the root of the file system: that allows nothing in particular.
    return [documents] if here == Path(here.anchor) else [here, documents]


def _of_uri(uri: str) -> Path | None:
    # No file has a query or a fragment: left as they are, these signs would cut its name, and name another.
    parts = urlsplit(uri.replace("?", "%3F").replace("#", "%23"))
    if parts.scheme != "file" or parts.netloc not in {"", "localhost"}:
        return None
    path = Path(unquote(parts.path))
    return path if path.is_absolute() else None


def _resolved(folders: Iterable[Path]) -> tuple[Path, ...]:
    found: list[Path] = []
    for folder in folders:
        try:
            found.append(folder.resolve())
        except (OSError, RuntimeError, ValueError):
            continue
    return tuple(dict.fromkeys(found))
