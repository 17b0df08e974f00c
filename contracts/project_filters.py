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
    *("tags", "section_prefix", "citekey", "year", "year_from", "year_to", "page", "doc_ids"),
    "language",
)
_OTHER_NAMES = {
    "tag": "tags",
    "section": "section_prefix",
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
_MOST = 200
_FIRST_YEAR, _LAST_YEAR = 1, 9_999
_LAST_PAGE = 10**9


@dataclass(frozen=True)
class Asked:
    """A question's limits, as they were understood."""

    top_k: int
    full_text: bool = False
    tags: tuple[str, ...] = ()
    section_prefix: tuple[str, ...] = ()
    citekeys: frozenset[str] | None = None
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
            tags=self.tags,
            section_prefix=self.section_prefix,
            years=self.years,
            pages=self.pages,
            languages=self.languages,
        )

    def means(self, source: SourcePublished) -> bool:
        """Whether a document has one of the keys that were asked for."""
        return self.citekeys is None or source.metadata.get("citekey") in self.citekeys


def read_filters(
    given: Any,
    documents: Mapping[tuple[str, str], SourcePublished],
    *,
    top_k: int,
    full_text: bool = False,
) -> Asked:
    """Understand a caller's filters, over the documents that its project holds."""
    if given is None:
        given = {}
    if not isinstance(given, Mapping):
        raise BadRequest("The filters are no object.", f"Use the keys {', '.join(KNOWN)}.")
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
        elif value not in (None, [], ""):
            said[name] = value
    citekeys = frozenset(_texts("citekey", said["citekey"])) if "citekey" in said else None
    chosen = tuple(_texts("doc_ids", said["doc_ids"])) if "doc_ids" in said else None
    if citekeys is not None:
        keyed = {
            place[1]
            for place, source in documents.items()
            if source.metadata.get("citekey") in citekeys
        }
        chosen = tuple(sorted(keyed if chosen is None else keyed & set(chosen)))
    return Asked(
        top_k=top_k,
        full_text=full_text,
        tags=tuple(_texts("tags", said.get("tags", []))),
        section_prefix=_section(said.get("section_prefix", [])),
        citekeys=citekeys,
        years=_years(said),
        pages=_pages(said["page"]) if "page" in said else None,
        documents=chosen,
        languages=tuple(_texts("language", said["language"])) if "language" in said else None,
        ignored=tuple(ignored),
    )


def _texts(name: str, value: Any) -> list[str]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, Sequence) or len(listed) > _MOST:
        raise _wrong(name, value, f"a list of at most {_MOST} texts")
    if not all(isinstance(each, str) for each in listed):
        raise _wrong(name, value, "a list of texts")
    return list(dict.fromkeys(listed))


def _section(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        value = value.split(" > ")
    return tuple(part.strip() for part in _texts("section_prefix", value) if part.strip())


def _years(said: Mapping[str, Any]) -> tuple[int, int] | None:
    first, last = said.get("year_from"), said.get("year_to")
    whole = said.get("year")
    if isinstance(whole, Mapping):
        first = whole.get("from", whole.get("gte", first))
        last = whole.get("to", whole.get("lte", last))
    elif isinstance(whole, list | tuple) and len(whole) == 2:
        first, last = whole
    elif whole is not None:
        first = last = whole
    if first is None and last is None:
        return None
    return _year(first, _FIRST_YEAR), _year(last, _LAST_YEAR)


def _year(value: Any, default: int) -> int:
    if value is None:
        return default
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        value = int(value[:10])
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong("year", value, "a year such as 2005, or [2001, 2009]")
    return min(max(value, _FIRST_YEAR), _LAST_YEAR)


def _pages(value: Any) -> tuple[int, int]:
    """The pages of `12`, or from the first to the last of `[12, 14]`."""
    ends = value if isinstance(value, list | tuple) else [value]
    whole = all(isinstance(each, int) and not isinstance(each, bool) for each in ends)
    if not 1 <= len(ends) <= 2 or not whole or min(ends) < 1:
        raise _wrong("page", value, "a page such as 12, or [12, 14]")
    return min(ends[0], _LAST_PAGE), min(ends[-1], _LAST_PAGE)


def _wrong(name: str, value: Any, right: str) -> BadRequest:
    return BadRequest(f"The filter {name} is {shortened(str(value), 60)!r}.", f"Give {right}.")
