"""What filters leave: never more than satisfies them, and never less."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from language import words
from projections.corpus import Version
from projections.index.filters import Filters, in_section, year_of
from projections.index.scope import Scope
from projections.index.shelf import Shelf
from tests.libraries import MODEL, segment_of, vectors_of

TAGS = ("sea", "old", "new")
HEADINGS = ("Part I", "Part II", "Notes")
LANGUAGES = ("en", "ja", "und")
TYPES = ("prose", "table")

CHUNK = st.fixed_dictionaries(
    {
        "text": st.sampled_from(["tide", "tide moon", "moon", "mill tide tide"]),
        "headings": st.lists(st.sampled_from(HEADINGS), max_size=3).map(tuple),
        "language": st.sampled_from(LANGUAGES),
        "content_type": st.sampled_from(TYPES),
    }
)
DOCUMENT = st.fixed_dictionaries(
    {
        "collection": st.sampled_from("abc"),
        "locator": st.sampled_from([f"/{n}.md" for n in range(5)]),
        "tags": st.lists(st.sampled_from(TAGS), max_size=3).map(tuple),
        "year": st.sampled_from(["", "1966", "2011", "2026-05", "soon"]),
        "chunks": st.lists(CHUNK, min_size=1, max_size=3),
    }
)


def some(values: Sequence[str]) -> st.SearchStrategy[tuple[str, ...] | None]:
    return st.none() | st.lists(st.sampled_from(values), max_size=2).map(tuple)


FILTERS = st.builds(
    Filters,
    collections=some("abcd"),
    documents=some([f"doc-/{n}.md" for n in range(6)]),
    locators=some([f"/{n}.md" for n in range(6)]),
    among=st.lists(st.sampled_from(["/1", "2.MD", "/*.md", "3*d", "d*3"]), max_size=2).map(tuple),
    content_types=some(TYPES),
    tags=st.lists(st.sampled_from(TAGS), max_size=2).map(tuple),
    section_prefix=st.lists(st.sampled_from(HEADINGS), max_size=2).map(tuple),
    years=st.none() | st.sampled_from([(1900, 1999), (2000, 2020), (1966, 2026)]),
    languages=some(LANGUAGES),
)


def allowed(document: dict[str, Any], chunk: dict[str, Any], filters: Filters) -> bool:
    """The filters, said once more."""
    year = year_of({"year": document["year"]}, "text/markdown")
    wanted = (
        (filters.collections, document["collection"]),
        (filters.documents, f"doc-{document['locator']}"),
        (filters.locators, document["locator"]),
        (filters.content_types, chunk["content_type"]),
        (filters.languages, chunk["language"]),
    )
    called = [f"*{word.lower()}*" for word in filters.among]
    return (
        all(values is None or value in values for values, value in wanted)
        and (not called or any(fnmatchcase(document["locator"], each) for each in called))
        and set(filters.tags) <= set(document["tags"])
        and (filters.years is None or filters.years[0] <= year <= filters.years[1])
        and (not filters.section_prefix or in_section(chunk["headings"], filters.section_prefix))
    )


def shelved(documents: list[dict[str, Any]]) -> Shelf:
    shelf = Shelf()
    for number, document in enumerate(documents, 1):
        chunks = document["chunks"]
        segment = segment_of(
            str(number),
            [chunk["text"] for chunk in chunks],
            headings=[chunk["headings"] for chunk in chunks],
            languages=[chunk["language"] for chunk in chunks],
            content_types=[chunk["content_type"] for chunk in chunks],
        )
        version = Version(
            collection=document["collection"],
            document=f"doc-{document['locator']}",
            version="v",
            size=0,
            text_hash="t",
            segment_hash=str(number),
            chunks=len(chunks),
            locator=document["locator"],
            title="",
            media_type="",
            published_at="",
            generation="",
            tags=document["tags"],
            metadata={"year": document["year"]},
            fingerprint=number,
        )
        shelf.put(version.place, version)
        shelf.add_all([(number, segment)])
    return shelf


def found(scope: Scope, limit: int = 1000) -> list[list[str]]:
    """Everything that any stage can find, by words and by meaning."""
    by_words, _ = scope.lexical(words.query_terms("tide moon mill"), limit)
    vector = vectors_of(["tide"])[0].astype(np.float32)
    by_meaning, _ = scope.dense(MODEL, vector, limit)
    return [sorted(scope.places(rows)) for rows in (by_words, by_meaning)]


@given(st.lists(DOCUMENT, min_size=1, max_size=7), FILTERS)
@settings(deadline=None, max_examples=60)
def test_exactly_what_satisfies_the_filters_is_found(
    documents: list[dict[str, Any]], filters: Filters
) -> None:
    held = {(each["collection"], each["locator"]): each for each in documents}
    expected = []
    for document in held.values():
        start = 0
        for chunk in document["chunks"]:
            if allowed(document, chunk, filters):
                place = f"{document['locator']}\0{start:010}\0{document['collection']}"
                expected.append(place)
            start += len(chunk["text"]) + 2
    scope = shelved(documents).scopes().of(filters)
    assert scope.size == len(expected)
    assert found(scope) == [sorted(expected)] * 2


@given(st.lists(DOCUMENT, min_size=1, max_size=7), FILTERS)
@settings(deadline=None, max_examples=60)
def test_scores_in_a_scope_do_not_depend_on_what_is_outside_it(
    documents: list[dict[str, Any]], filters: Filters
) -> None:
    alone = [
        document | {"chunks": [c for c in document["chunks"] if allowed(document, c, filters)]}
        for document in {(d["collection"], d["locator"]): d for d in documents}.values()
    ]
    inside = shelved(documents).scopes().of(filters)
    apart = shelved([document for document in alone if document["chunks"]]).scopes().of(Filters())
    terms = words.query_terms("tide mill")
    assert [round(score, 12) for score in inside.lexical(terms, 99)[1].tolist()] == [
        round(score, 12) for score in apart.lexical(terms, 99)[1].tolist()
    ]


def test_headings_match_as_wholes() -> None:
    assert in_section(("Part I: Origins", "Tides"), ("part i",))
    assert in_section(("Title", "Part I"), ("Part I",))
    assert not in_section(("Part II",), ("Part I",))
    assert not in_section((), ("Part I",))
    assert not in_section(("A", "B", "Part I"), ("Part I",))


_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.mark.parametrize(
    ("said", "media_type", "year"),
    [
        ({"year": "1954"}, "application/pdf", 1954),
        ({"date": "2021-03-05"}, "application/pdf", 0),
        ({"date": "2021-03-05"}, _WORD, 0),
        ({"date": "2021-03-05"}, "text/html", 2021),
        ({"date": "1788"}, "application/epub+zip", 1788),
        ({"date": "2021-03-05", "citekey": "otters"}, "text/html", 0),
    ],
)
def test_the_day_a_file_was_made_is_no_year_in_which_a_work_came_out(
    said: dict[str, str], media_type: str, year: int
) -> None:
    assert year_of(said, media_type) == year
