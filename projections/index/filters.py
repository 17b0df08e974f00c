"""What a search may find: conditions on documents and on the chunks in them."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Filters:
    """Conditions that must all hold; none of them means everything."""

    collections: tuple[str, ...] | None = None
    documents: tuple[str, ...] | None = None
    """Identities of documents."""

    places: tuple[tuple[str, str], ...] | None = None
    """Documents, each in a collection of its own: (collection, document)."""

    locators: tuple[str, ...] | None = None
    """Paths or URLs, exactly as they were ingested."""

    among: tuple[str, ...] = ()
    """Words, one of which a path or URL must have, in whatever case; * stands for anything in between."""

    content_types: tuple[str, ...] | None = None
    citekeys: tuple[str, ...] | None = None
    """What documents are cited by, each in its own collection."""

    tags: tuple[str, ...] = ()
    """A document must have all of them, be they written with capitals or not."""

    section_prefix: tuple[str, ...] = ()
    """The headings that a chunk's heading path begins with, or its path below the first."""

    sections: tuple[tuple[str, ...], ...] = ()
    """Headings one below the other, wherever they stand in a chunk's heading path; one such run of
    them must be there."""

    years: tuple[int, int] | None = None
    """From and to, both included; a document without a year is outside."""

    languages: tuple[str, ...] | None = None
    """ISO 639-1 codes of the chunks."""

    pages: tuple[int, int] | None = None
    """From and to, both included: a chunk must stand on one of them."""

    as_of: int | str | None = None
    """Search the corpus as it stood after this record of the catalogue, or at this time."""


def is_among(locator: str, words: Iterable[str]) -> bool:
    """Whether a path or URL has one of the words."""
    called = locator.casefold()
    return any(_has(called, word.casefold().split("*")) for word in words)


def _has(called: str, pieces: Iterable[str]) -> bool:
    place = 0
    for piece in pieces:
        found = called.find(piece, place)
        if found < 0:
            return False
        place = found + len(piece)
    return True


def in_section(path: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """Whether a heading path leads into a section."""
    return _begins(path, wanted) or _begins(path[1:], wanted)


def below_section(path: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """Whether a heading path leads through a section, however deep that is."""
    return any(_begins(path[depth:], wanted) for depth in range(len(path)))


def _begins(path: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    return len(path) >= len(wanted) and all(map(_is_heading, path, wanted))


def _is_heading(heading: str, wanted: str) -> bool:
    """`Part I` is `Part I: Origins` and not `Part II`."""
    heading, wanted = heading.casefold().strip(), wanted.casefold().strip()
    rest = heading.removeprefix(wanted)
    return heading.startswith(wanted) and not rest[:1].isalnum()


_DATED_BY_THEIR_TEXT = ("text/", "application/epub")
"""What the date of a page or a book is: when it came out. That of other files is when somebody made
or saved them, and a scan of an old book is a new file."""

_LETTERS = "message/"
"""What the date of a letter is: when it was sent."""

_DATE = re.compile(
    r"(?<![0-9])((?:1[5-9]|20)[0-9]{2})"
    r"(?:[-/.](0[1-9]|1[0-2])(?![0-9])|(0[1-9]|1[0-2])[0-9]{2}(?![0-9])|(?![0-9]))"
)
"""A year, with its month where that follows: 2019, 2019-04-30, 20190430."""


def year_of(metadata: Mapping[str, str], media_type: str) -> int:
    """The year a document came out, where its reference or itself says so; 0 if neither does."""
    said = _issued(metadata, media_type)
    return int(said[:4]) if said[:4].isascii() and said[:4].isdigit() else 0


def dates_of(metadata: Mapping[str, str], media_type: str) -> dict[str, str]:
    """When a document came out (`dated`), or else when its file was saved (`saved`); nothing of what nobody says."""
    own, date = _issued(metadata, media_type), metadata.get("date", "")
    found = _DATE.search(own or date)
    name = "dated" if own or media_type.startswith(_LETTERS) else "saved"
    return {name: "-".join(filter(None, found.groups()))} if found else {}


def _issued(metadata: Mapping[str, str], media_type: str) -> str:
    said = metadata.get("year", "")
    if not said and "citekey" not in metadata and media_type.startswith(_DATED_BY_THEIR_TEXT):
        said = metadata.get("date", "")
    return said
