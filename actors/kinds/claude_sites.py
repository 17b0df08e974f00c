"""The sites that a caller lets be read: which a filter names, and whether an address is on one of them. Pure."""

import re
import unicodedata
from urllib.parse import urlsplit

from actors.kinds.claude_rules import ClaudeRules

_WORDS = re.compile(r"[\s,;|]+")
_DOTS = re.compile("[\u3002\uff0e\uff61]")
"""Full stops of other scripts, which browsers take for dots."""


class Sites:
    """The sites of a filter, with everything below them; all there are where it names none."""

    def __init__(self, source_filter: str | None, rules: ClaudeRules) -> None:
        self._as_written = not rules.reads_closely
        self.names = domains(source_filter) if self._as_written else named_sites(source_filter)

    def allow(self, url: str) -> bool:
        """Whether the caller lets a page be read."""
        try:
            host = (urlsplit(url).hostname or "").rstrip(".")
        except ValueError:
            return False
        if not url.lower().startswith(("http://", "https://")) or not host:
            return False
        host = host if self._as_written else in_ascii(host)
        return not self.names or any(
            host == name or host.endswith(f".{name}") for name in self.names
        )


def named_sites(source_filter: str | None) -> tuple[str, ...]:
    """The sites that a filter names, in ASCII: `nasa.gov, *.edu, bücher.de` or addresses on them."""
    found = (_site(word) for word in _WORDS.split(source_filter or ""))
    return tuple(dict.fromkeys(filter(None, found)))


def _site(word: str) -> str:
    bare = re.sub(r"(?i)^site:", "", word)
    try:
        host = urlsplit(bare if "://" in bare else f"//{bare}").hostname or ""
    except ValueError:
        return ""
    return in_ascii(host.removeprefix("*").strip(".")).removeprefix("www.")


def in_ascii(host: str) -> str:
    """A host's name as it stands in addresses; one that is there already stays as it is."""
    plain = _DOTS.sub(".", unicodedata.normalize("NFKC", host).lower())
    return ".".join(
        label if label.isascii() else f"xn--{label.encode('punycode').decode()}"
        for label in plain.split(".")
    )


def domains(source_filter: str | None) -> tuple[str, ...]:
    """The sites of a filter as they are written there, by the rules up to `claude-web-2`."""
    found = []
    for word in _WORDS.split((source_filter or "").casefold()):
        bare = word.removeprefix("site:").partition("://")[2] or word.removeprefix("site:")
        host = bare.partition("/")[0].partition(":")[0].removeprefix("*").strip(".")
        if host:
            found.append(host.removeprefix("www."))
    return tuple(dict.fromkeys(found))
