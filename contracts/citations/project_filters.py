"""What a caller of contract 05 may narrow a question by; nothing here can widen it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from contracts.allowed_paths import shortened
from events.catalogue import SourcePublished
from events.errors import BadRequest

if TYPE_CHECKING:
    from projections.index.filters import Filters

IGNORED = frozenset({"project", "project_id", "projects", "collection", "collections"})
"""The server knows the project from the tool's own parameter."""

KNOWN = (
    *("tags", "section_prefix", "section", "citekey", "year", "year_from", "year_to", "page"),
    *("doc_ids", "language"),
)
_OTHER_NAMES = {
    "tag": "tags",
    "citekeys": "citekey",
    "year_range": "year",
    "years": "year",
    "pages": "page",
    "page_span": "page",
    "doc_id": "doc_ids",
    "document_ids": "doc_ids",
    "documents": "doc_ids",
    "languages": "language",
}
_ENDS = {"from": "from", "gte": "from", "to": "to", "lte": "to"}
"""What the ends of a range of years are called."""

_MOST = 200
_FIRST_YEAR, _LAST_YEAR = 1, 9_999
_LAST_PAGE = 10**9
_YEARS = 'a year such as 2005, [2001, 2009], or {"from": 2001, "to": 2009}'


@dataclass(frozen=True)
class Asked:
    """A question's limits, as they were understood."""

    top_k: int
    full_text: bool = False
    tags: tuple[str, ...] = ()
    section_prefix: tuple[str, ...] = ()
    sections: tuple[tuple[str, ...], ...] = ()
    citekeys: tuple[str, ...] | None = None
    years: tuple[int, int] | None = None
    pages: tuple[int, int] | None = None
    documents: tuple[str, ...] | None = None
    languages: tuple[str, ...] | None = None
    ignored: tuple[str, ...] = ()

    def within(self, collections: tuple[str, ...]) -> "Filters":
        """For the index: these limits, inside these collections."""
        from projections.index.filters import Filters

        return Filters(
            collections=collections,
            documents=self.documents,
            citekeys=self.citekeys,
            tags=self.tags,
            section_prefix=self.section_prefix,
            sections=self.sections,
            years=self.years,
            pages=self.pages,
            languages=self.languages,
        )

    def means(self, source: SourcePublished) -> bool:
        """Whether a document has one of the keys that were asked for."""
        return self.citekeys is None or source.metadata.get("citekey") in self.citekeys


def read_filters(given: Any, *, top_k: int, full_text: bool = False) -> Asked:
    """Understand a caller's filters. What would not be applied is refused, never passed over."""
    if given is None:
        given = {}
    if not isinstance(given, Mapping):
        raise BadRequest("The filters are no object.", f"Use the keys {', '.join(KNOWN)}.")
    said, ignored = _named(given)
    return Asked(
        top_k=top_k,
        full_text=full_text,
        tags=tuple(_texts("tags", said.get("tags", []))),
        section_prefix=_path("section_prefix", said.get("section_prefix", [])),
        sections=_sections(said.get("section", [])),
        citekeys=tuple(_texts("citekey", said["citekey"])) if "citekey" in said else None,
        years=_years(said),
        pages=_pages(said["page"]) if "page" in said else None,
        documents=tuple(_texts("doc_ids", said["doc_ids"])) if "doc_ids" in said else None,
        languages=tuple(_texts("language", said["language"])) if "language" in said else None,
        ignored=tuple(ignored),
    )


def _named(given: Mapping[Any, Any]) -> tuple[dict[str, Any], list[str]]:
    """What is said, each under its one name, and the names that are not for the caller to say."""
    said: dict[str, Any] = {}
    ignored: list[str] = []
    for key, value in given.items():
        name = _OTHER_NAMES.get(str(key), str(key))
        if name in IGNORED:
            ignored.append(name)
        elif name not in KNOWN:
            raise BadRequest(
                f"There is no filter {shortened(name, 60)!r}.", f"Use {', '.join(KNOWN)}."
            )
        elif value is not None:
            if name in said:
                raise BadRequest(f"The filter {name} is given twice.", "Give it once.")
            said[name] = value
    if "year" in said and not said.keys().isdisjoint({"year_from", "year_to"}):
        raise BadRequest(
            "The filter year is given beside year_from or year_to.",
            "Give either year, or year_from and year_to.",
        )
    return said, ignored


def _texts(name: str, value: Any) -> list[str]:
    return list(dict.fromkeys(_listed(name, value)))


def _listed(name: str, value: Any) -> list[str]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, Sequence) or len(listed) > _MOST:
        raise _wrong(name, value, f"a list of at most {_MOST} texts")
    if not all(isinstance(each, str) for each in listed):
        raise _wrong(name, value, "a list of texts")
    return list(listed)


def _path(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        value = value.split(" > ")
    # A heading may stand below one of the same name.
    return tuple(part.strip() for part in _listed(name, value) if part.strip())


def _sections(value: Any) -> tuple[tuple[str, ...], ...]:
    """The ways to read a section: a text is one heading, or several below one another."""
    paths = [_path("section", value)]
    if isinstance(value, str):
        paths.append((value.strip(),))
    return tuple(dict.fromkeys(path for path in paths if any(path)))


def _years(said: Mapping[str, Any]) -> tuple[int, int] | None:
    first, last = said.get("year_from"), said.get("year_to")
    whole = said.get("year")
    if isinstance(whole, Mapping):
        first, last = _ends(whole)
    elif isinstance(whole, list | tuple):
        if len(whole) != 2:
            raise _wrong("year", whole, _YEARS)
        first, last = whole
    elif whole is not None:
        first = last = whole
    if first is None and last is None:
        return None
    years = _year(first, _FIRST_YEAR), _year(last, _LAST_YEAR)
    if years[0] > years[1]:
        raise _wrong("year", f"from {years[0]} to {years[1]}", f"the earlier first: {_YEARS}")
    return years


def _ends(given: Mapping[Any, Any]) -> tuple[Any, Any]:
    said: dict[str, Any] = {}
    for key, value in given.items():
        end = _ENDS.get(str(key))
        if end is None or end in said:
            raise _wrong("year", dict(given), _YEARS)
        said[end] = value
    if not said:
        raise _wrong("year", dict(given), _YEARS)
    return said.get("from"), said.get("to")


def _year(value: Any, default: int) -> int:
    if value is None:
        return default
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        value = int(value.strip()[:10])
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong("year", value, _YEARS)
    return min(max(value, _FIRST_YEAR), _LAST_YEAR)


def _pages(value: Any) -> tuple[int, int]:
    """The pages of `12`, or from the first to the last of `[12, 14]`."""
    ends = value if isinstance(value, list | tuple) else [value]
    whole = all(isinstance(each, int) and not isinstance(each, bool) for each in ends)
    if not 1 <= len(ends) <= 2 or not whole or min(ends) < 1 or ends[0] > ends[-1]:
        raise _wrong("page", value, "a page such as 12, or [12, 14]")
    return min(ends[0], _LAST_PAGE), min(ends[-1], _LAST_PAGE)


def _wrong(name: str, value: Any, right: str) -> BadRequest:
    return BadRequest(f"The filter {name} is {shortened(str(value), 60)!r}.", f"Give {right}.")
