"""What follows the catalogue goes on from what is there now, whatever it read before."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from events.base import UnknownFact
from events.catalogue import SourcePublished, SourceRemoved
from events.codec import FACTS
from events.errors import BrokenChain, UnknownWording
from events.home import CATALOGUE, Home
from events.shelves import CollectionCreated, CollectionDeleted
from events.websites import COLLECTION, WebsiteProcessingStarted
from projections.index.filters import Filters
from projections.search import LocalCorpus, open_corpus
from projections.views import Views
from projections.websites import Websites
from tests.libraries import publish, record, source_of


def texts(corpus: LocalCorpus, query: str = "tide", **filters: object) -> list[str]:
    found = corpus.search(query, 20, mode="lexical", filters=Filters(**filters))  # type: ignore[arg-type]
    return sorted(each["text"] for each in found)


@contextmanager
def taken_back(home: Home) -> Iterator[None]:
    """Lines that are written here, and that their writer takes back because it could not sync."""
    path = home.path(CATALOGUE)
    size = path.stat().st_size
    heads = {each: each.read_bytes() for each in (home.traces / "heads").iterdir()}
    yield
    os.truncate(path, size)
    for each, raw in heads.items():
        each.write_bytes(raw)


def test_search_forgets_lines_that_were_taken_back(home: Home) -> None:
    publish(home, "/a.md", ["The tide rises."])
    corpus = open_corpus(str(home.root))
    with taken_back(home):
        publish(home, "/b.md", ["The tide that never was, and that was long to tell of."])
        assert len(texts(corpus)) == 2
        assert len(texts(corpus, as_of=1)) == 1
    assert texts(corpus) == ["The tide rises."]
    publish(home, "/c.md", ["The tide falls."])
    assert texts(corpus) == ["The tide falls.", "The tide rises."]
    publish(home, "/d.md", ["The tide turns."])
    assert texts(corpus) == ["The tide falls.", "The tide rises.", "The tide turns."]
    assert texts(corpus, as_of=2) == ["The tide falls.", "The tide rises."]


def test_lines_as_long_as_those_taken_back_are_not_taken_for_them(home: Home) -> None:
    record(home, CollectionCreated(collection="tides"))
    views, corpus = Views(home), open_corpus(str(home.root))
    one = source_of(home, "/a.md", ["One tide."], collection="tides")
    two = source_of(home, "/b.md", ["Two tide."], collection="tides")
    with taken_back(home):
        record(home, one)
        length = home.path(CATALOGUE).stat().st_size
        assert texts(corpus) == ["One tide."]
        assert [each.locator for each in views.sources()] == ["/a.md"]
    record(home, two)
    assert home.path(CATALOGUE).stat().st_size == length
    assert texts(corpus) == ["Two tide."]
    assert [each.locator for each in views.sources()] == ["/b.md"]


def test_a_fact_that_cannot_be_read_leaves_nothing_folded_by_halves(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(home, "/a.md", ["The tide rises."], generation="g1")
    corpus = open_corpus(str(home.root))
    before = texts(corpus)
    known = FACTS["source_removed"]
    with taken_back(home):
        record(home, CollectionDeleted(collection="tides"))
        record(home, SourceRemoved(document="doc", collection="tides"))
        monkeypatch.setitem(FACTS, "source_removed", SourcePublished)
        for _ in range(2):
            with pytest.raises(UnknownWording):
                texts(corpus)
    assert texts(corpus) == before
    monkeypatch.setitem(FACTS, "source_removed", known)
    publish(home, "/b.md", ["The tide falls."])
    assert texts(corpus) == ["The tide falls.", *before]


@pytest.mark.parametrize("how", ["missing", "damaged"])
def test_chunks_that_are_back_are_found_without_a_restart(home: Home, how: str) -> None:
    source = publish(home, "/a.md", ["The tide rises."])
    moment = record(home, CollectionCreated(collection="later"))
    path = home.blobs.path(source.segment.hash)
    whole = path.read_bytes()
    path.unlink()
    if how == "damaged":
        path.write_bytes(b"rubbish")
    record(home, CollectionCreated(collection="latest"))
    corpus = open_corpus(str(home.root))
    assert texts(corpus) == texts(corpus, as_of=moment) == []
    assert texts(corpus) == []
    path.unlink(missing_ok=True)
    path.write_bytes(whole)
    assert texts(corpus) == texts(corpus, as_of=moment) == ["The tide rises."]


def test_a_document_is_chosen_in_one_of_the_collections_that_hold_it(home: Home) -> None:
    for name in ("one", "two"):
        publish(home, "/a.md", ["The tide rises."], collection=name)
        publish(home, f"/{name}.md", [f"The tide of {name}."], collection=name)
    corpus = open_corpus(str(home.root))
    [document] = {each.document for each in Views(home).sources() if each.locator == "/a.md"}
    found = corpus.search("tide", 9, filters=Filters(places=(("two", document),)))
    assert [(each["collection"], each["text"]) for each in found] == [("two", "The tide rises.")]
    assert corpus.search("tide", 9, filters=Filters(places=())) == []


# -- websites --------------------------------------------------------------------------------------


def started(number: int) -> WebsiteProcessingStarted:
    return WebsiteProcessingStarted(
        tool_name="rag_process_website",
        source_id=number,
        url=f"https://example.com/{number}",
        collection=COLLECTION,
        document=f"doc-{number}",
        job="ingest-1",
        content_type="blog_article",
        timestamp="2026-11-16T00:00:00Z",
    )


def test_websites_forget_lines_that_were_taken_back(home: Home) -> None:
    record(home, started(1))
    sites = Websites(home)
    with taken_back(home):
        record(home, started(2))
        assert [each.source_id for each in sites.all()] == [1, 2]
    assert [each.source_id for each in sites.all()] == [1]
    record(home, started(3))
    assert [each.source_id for each in sites.all()] == [1, 3]


def test_a_website_fact_that_cannot_be_read_hides_nothing_in_silence(home: Home) -> None:
    record(home, started(1))
    sites = Websites(home)
    assert len(sites.all()) == 1
    with taken_back(home):
        record(home, UnknownFact(kind="website_deleted"), started(2))
        for _ in range(2):
            with pytest.raises(BrokenChain):
                sites.all()
    record(home, started(3))
    assert [each.source_id for each in sites.all()] == [1, 3]
