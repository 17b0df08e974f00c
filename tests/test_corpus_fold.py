"""Which documents the corpus holds."""

import shutil

import pytest

from events.catalogue import GenerationSwitched, SegmentRebuilt, SourcePublished, SourceRemoved
from events.home import CATALOGUE, Home
from events.shelves import CollectionCreated
from projections.corpus import Corpus
from projections.corpus_snapshot import keep_fold, open_fold
from projections.search import open_corpus
from tests.libraries import publish, record, source_of


def folded(home: Home) -> Corpus:
    corpus = Corpus()
    corpus.feed(home.read(CATALOGUE)[0])
    return corpus


def rebuilt(source: SourcePublished, anew: SourcePublished, generation: str) -> SegmentRebuilt:
    return SegmentRebuilt(
        generation=generation,
        document=source.document,
        version=source.version,
        collection=source.collection,
        text=anew.text,
        segment=anew.segment,
        chunks=anew.chunks,
        job="reindex-1",
    )


def switched(generation: str) -> GenerationSwitched:
    return GenerationSwitched(
        generation=generation, embedder=f"model-{generation}", job="reindex-1"
    )


def texts(home: Home) -> list[str]:
    found = open_corpus(str(home.root)).search("tide", 9, mode="lexical")
    return sorted(each["text"] for each in found)


def test_folding_a_record_twice_changes_nothing(home: Home) -> None:
    record(home, CollectionCreated(collection="tides"))
    publish(home, "/a.md", ["The tide rises."])
    records, _ = home.read(CATALOGUE)
    corpus, once = Corpus(), Corpus()
    once.feed(records)
    corpus.feed(records)
    changed = corpus.feed(records)
    assert (corpus.held, corpus.collections) == (once.held, once.collections)
    assert changed == sorted(once.held)


def test_a_generation_counts_from_its_switch_on_and_all_at_once(home: Home) -> None:
    one = publish(home, "/a.md", ["tide one"], generation="g1")
    two = publish(home, "/b.md", ["tide two"], generation="g1")
    publish(home, "/c.md", ["tide three"], generation="g1")
    new_one, new_two = (
        source_of(home, "/x.md", [f"tide {number} anew"]) for number in ("one", "two")
    )
    record(home, rebuilt(one, new_one, "g2"), rebuilt(two, new_two, "g2"))
    assert texts(home) == ["tide one", "tide three", "tide two"]
    record(home, switched("g2"))
    assert texts(home) == ["tide one anew", "tide three", "tide two anew"]
    assert folded(home).embedder == "model-g2"
    publish(home, "/a.md", ["tide one of g2"], generation="g2")
    assert texts(home) == ["tide one of g2", "tide three", "tide two anew"]
    record(home, switched("g3"))
    assert texts(home) == ["tide one of g2", "tide three", "tide two"]


def test_a_rebuilt_segment_of_an_older_version_does_not_count(home: Home) -> None:
    old = publish(home, "/a.md", ["tide old"], generation="g1")
    anew = source_of(home, "/x.md", ["tide old anew"])
    record(home, rebuilt(old, anew, "g2"), switched("g2"))
    publish(home, "/a.md", ["tide new"], generation="g1")
    assert texts(home) == ["tide new"]
    record(home, SourceRemoved(document=old.document, collection="tides"))
    assert texts(home) == []


@pytest.mark.parametrize("reader", [None, "markdown-1"])
def test_the_same_chunks_are_as_old_as_they_were_where_it_is_said_who_read_them(
    home: Home, reader: str | None
) -> None:
    first = publish(home, "/a.md", ["tide one"])
    [before] = folded(home).held.values()
    again = first.model_copy(update={"tags": ("later",), "reader": reader})
    record(home, again, at="2027-01-01T00:00:00.000000Z")
    [after] = folded(home).held.values()
    assert after.tags == ("later",)
    assert (after.published_at == before.published_at) is (reader is not None)


@pytest.mark.parametrize("documents", [0, 4])
def test_a_fold_that_was_kept_goes_on_like_one_from_the_beginning(
    home: Home, documents: int
) -> None:
    record(home, CollectionCreated(collection="tides"))
    for number in range(documents):
        one = publish(home, f"/{number}.md", ["tide"], tags=("a",), metadata={"year": "1966"})
        anew = source_of(home, "/x.md", [f"tide {number} anew"])
        record(home, rebuilt(one, anew, "g2"))
    record(home, switched("g2"))
    corpus = Corpus()
    records, cursor = home.read(CATALOGUE)
    corpus.feed(records)
    keep_fold(home, corpus, cursor)
    publish(home, "/later.md", ["tide"])
    record(home, switched("g3"))
    opened, cursor = open_fold(home)
    assert opened.held == corpus.held and opened.collections == corpus.collections
    opened.feed(home.read(CATALOGUE, cursor)[0])
    expected = folded(home)
    assert opened.held == expected.held
    assert (opened.generation, opened.embedder) == (expected.generation, expected.embedder)


def test_a_kept_fold_of_another_past_is_not_used(home: Home) -> None:
    publish(home, "/a.md", ["tide"])
    records, cursor = home.read(CATALOGUE)
    corpus = Corpus()
    corpus.feed(records)
    keep_fold(home, corpus, cursor)
    assert open_fold(home)[1] == cursor
    shutil.rmtree(home.traces)
    home.prepare()
    publish(home, "/b.md", ["tide tide"])
    assert open_fold(home)[0].held == {}
