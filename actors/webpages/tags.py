"""The tags of a page, told as a browser tells them: not within comments, scripts or other tags' attributes.

No tree is built. Parsers that build one look for the beginning of every end tag among all elements that are open,
and a hostile page has a hundred thousand of each; here every letter is looked at a few times at most.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from actors.webpages.markup import unescaped

_BEGIN = re.compile(r"<(?:(!--)|(/?+)([a-z][^\s/>]*+)|[!?/])", re.I)
_COMMENT_END = re.compile(r"--!?>")
_TO_END = re.compile(r"((?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+)>")
"""A `>` between quotes does not end a tag."""

_ATTRIBUTE = re.compile(
    r"([^\s/>=][^\s/>=]*+)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s>\"'][^\s>]*+)))?+"
)
_RAW = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.I)
    for name in (*("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"),)
}
"""Elements that hold text and no tags."""

_BARE = re.compile(r"&(?=[a-z][a-z0-9]*+(?!;))", re.I)
"""Within an address `&copy=2` is the beginning of a parameter, and no sign."""

_MOST_ATTRIBUTES = 200


class Tag(NamedTuple):
    """The beginning of an element."""

    name: str
    """In small letters, as those of its attributes."""

    attributes: dict[str, str]


def tags(page: str, *names: str) -> Iterator[Tag]:
    """The tags of these names, in order."""
    place = 0
    while begin := _BEGIN.search(page, place):
        comment, closing, name = begin.group(1), begin.group(2), (begin.group(3) or "").lower()
        # A comment from its first hyphens: `<!-->` is a whole one.
        comment_end = _COMMENT_END.search(page, begin.start() + 2) if comment else None
        ended = comment_end if comment else _TO_END.match(page, begin.end())
        if ended is None:
            return
        place = ended.end()
        if closing or not name:
            continue
        if name in names:
            yield Tag(name, _attributes(ended.group(1)))
        if raw := _RAW.get(name):
            closed = raw.search(page, place)
            if closed is None:
                return
            place = closed.start()


def address(written: str) -> str:
    """An address as markup has it, without what browsers take out of it."""
    bare = unescaped(_BARE.sub("&amp;", written))
    return re.sub(r"[\t\r\n]", "", bare).strip()


def _attributes(written: str) -> dict[str, str]:
    """As they are written; of two that have the same name the first counts."""
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(written):
        if len(found) == _MOST_ATTRIBUTES:
            break
        name, *values = match.groups()
        found.setdefault(name.lower(), next((each for each in values if each is not None), ""))
    return found
