"""The sites that a caller lets be read: which a filter names, and whether an address is on one of them. Pure."""

import re
import unicodedata
from urllib.parse import urlsplit

from actors.kinds.claude_rules import ClaudeRules

_WORDS = re.compile(r"[\s,;|]+")
_DOTS = re.compile("[\u3002\uff0e\uff61]")
"""Full stops of other scripts, which browsers take for dots."""

_AROUND = "[](){}<>\"'`“”‘’"  # noqa: RUF001
"""What lists and quotations put around a name."""

_LONGEST = 253
"""No name of a host is longer."""

_NO_SITE = "."
"""Stands for something that is written where sites are named and is none: no host is called that."""


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
        if not self.names:
            return True
        host = host if self._as_written else in_ascii(host)
        return any(host == name or host.endswith(f".{name}") for name in self.names)


def named_sites(source_filter: str | None) -> tuple[str, ...]:
    """The sites that a filter names, in ASCII: `nasa.gov, *.edu, bücher.de` or addresses on them.

    A filter that says something and names no site must not let every site through: it lets none.
    """
    words = list(filter(None, _WORDS.split(source_filter or "")))
    found = dict.fromkeys(filter(None, map(_site, words)))
    return tuple(found) or ((_NO_SITE,) if words else ())


def _site(word: str) -> str:
    # An address of version 6 is the one name that has brackets of its own.
    whole = re.sub(r"(?i)^site:", "", word)
    for bare in dict.fromkeys((whole, whole.strip(_AROUND))):
        try:
            host = urlsplit(bare if "://" in bare else f"//{bare}").hostname or ""
        except ValueError:
            continue
        if name := in_ascii(host.removeprefix("*").strip(f".{_AROUND}")).removeprefix("www."):
            return name
    return ""


def in_ascii(host: str) -> str:
    """A host's name as it stands in addresses; one that is there already, or is none, stays as it is."""
    if len(host) > _LONGEST:
        return host
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
