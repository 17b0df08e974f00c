"""The corpus of a data home, as one asks it."""

import threading
from pathlib import Path
from typing import Any

import pytest

from actors.adapters.text import TextParser
from actors.ports import Passage
from events.base import Fact
from events.catalogue import CollectionCreated, SourcePublished, SourceRemoved
from events.codec import canonical, digest
from events.home import CATALOGUE, Home
from events.stream import EventStream
from projections.corpus import Corpus
from projections.search import LocalCorpus, open_corpus

AT = "2026-11-16T00:00:00.000000Z"
LA_RANCE = (
    "# La Rance\n\nThe station generates electricity.\n\n## Site\n\nA barrage spans the estuary.\n"
)


def record(home: Home, *facts: Fact) -> None:
    catalogue = EventStream(home.path(CATALOGUE), lambda: AT)
    with catalogue.deciding():
        catalogue.append_decided(*facts)
    catalogue.close()


def publish(home: Home, locator: str, text: str, collection: str = "tides") -> SourcePublished:
    parsed = TextParser().parse(Path(locator).name, text.encode())
    original = home.blobs.put(text.encode())
    chunks = [each.model_dump(mode="json") for each in parsed.chunks]
    source = SourcePublished(
        document="doc-" + digest(locator.encode())[7:39],
        version=original.hash,
        collection=collection,
        locator=locator,
        title=parsed.title,
        media_type=parsed.media_type,
        original=original,
        text=home.blobs.put(parsed.text.encode()),
        segment=home.blobs.put(canonical({"chunker": 1, "chunks": chunks})),
        chunks=len(chunks),
        job="ingest-1",
    )
    record(home, source)
    return source


def found(corpus: LocalCorpus, query: str, *collections: str, limit: int = 10) -> list[str]:
    return [each["text"] for each in corpus.search(query, limit, collections or None)]


@pytest.fixture
def corpus(home: Home) -> LocalCorpus:
    return open_corpus(str(home.root))


def test_an_empty_home_holds_nothing(corpus: LocalCorpus) -> None:
    assert corpus.search("tide", 5) == []


def test_what_was_just_published_is_found(home: Home, corpus: LocalCorpus) -> None:
    assert found(corpus, "electricity") == []
    publish(home, "/library/la-rance.md", LA_RANCE)
    assert found(corpus, "electricity") == ["The station generates electricity."]


def test_a_passage_has_exactly_the_fields_of_the_port(home: Home, corpus: LocalCorpus) -> None:
    source = publish(home, "/library/la-rance.md", LA_RANCE)
    [found] = corpus.search("barrage", 5)
    passage = Passage.model_validate(found)
    assert passage.model_dump(exclude={"score"}) == {
        "document": source.document,
        "version": source.version,
        "size": len(LA_RANCE.encode()),
        "text_hash": source.text.hash,
        "locator": "/library/la-rance.md",
        "title": "La Rance",
        "media_type": "text/markdown",
        "collection": "tides",
        "published_at": AT,
        "headings": ("La Rance", "Site"),
        "start": LA_RANCE.index("A barrage"),
        "end": len(LA_RANCE) - 1,
        "text": "A barrage spans the estuary.",
    }
    assert 0 < passage.score <= 1


def test_collections_do_not_see_each_other(home: Home, corpus: LocalCorpus) -> None:
    publish(home, "/a.md", "The tide is secret here.", "one")
    publish(home, "/b.md", "The tide is open here.", "two")
    assert found(corpus, "tide", "one") == ["The tide is secret here."]
    assert found(corpus, "tide", "two") == ["The tide is open here."]
    assert found(corpus, "tide", "three") == []
    assert len(found(corpus, "tide")) == 2


def test_a_removed_document_is_gone_from_its_collection_only(
    home: Home, corpus: LocalCorpus
) -> None:
    source = publish(home, "/a.md", "The tide rises.", "one")
    publish(home, "/a.md", "The tide rises.", "two")
    assert found(corpus, "tide", "one") == ["The tide rises."]
    record(home, SourceRemoved(document=source.document, collection="one"))
    assert found(corpus, "tide", "one") == []
    assert found(corpus, "tide", "two") == ["The tide rises."]


def test_a_new_version_replaces_the_old_one(home: Home, corpus: LocalCorpus) -> None:
    publish(home, "/a.md", "The range is 12 metres.")
    assert found(corpus, "range") == ["The range is 12 metres."]
    publish(home, "/a.md", "The range is 13 metres.")
    assert found(corpus, "range") == ["The range is 13 metres."]


def test_the_same_words_come_once_however_many_collections_hold_them(
    home: Home, corpus: LocalCorpus
) -> None:
    for collection in ("a", "b", "c", "d"):
        publish(home, "/a.md", "The tide rises.", collection)
    publish(home, "/b.md", "The tide falls slowly in the long evening.", "a")
    found = corpus.search("tide", 2)
    assert [each["text"] for each in found] == [
        "The tide rises.",
        "The tide falls slowly in the long evening.",
    ]
    assert found[0]["collection"] == "a"


def test_a_corpus_that_followed_along_answers_like_one_opened_now(
    home: Home, corpus: LocalCorpus
) -> None:
    for number in range(8):
        source = publish(home, f"/{number % 5}.md", f"Tide {number}. The sea and tide {number}.")
        corpus.search("tide", 3)
    record(home, SourceRemoved(document=source.document, collection="tides"))
    assert corpus.search("tide sea", 9) == open_corpus(str(home.root)).search("tide sea", 9)


def test_texts_beyond_the_memory_are_read_again(home: Home) -> None:
    for number in range(6):
        publish(home, f"/{number}.md", f"Tide number {number} is high.")
    small = LocalCorpus(home, text_memory=40)
    assert len(found(small, "tide")) == 6
    assert small._texts._size <= 40


def test_a_source_whose_content_is_gone_does_not_hide_the_others(
    home: Home, corpus: LocalCorpus
) -> None:
    gone = publish(home, "/gone.md", "The tide is gone.")
    publish(home, "/here.md", "The tide is here.")
    home.blobs.path(gone.text.hash).unlink()
    assert found(corpus, "tide") == ["The tide is here."]


def test_many_threads_may_ask_while_documents_arrive(home: Home, corpus: LocalCorpus) -> None:
    failures: list[BaseException] = []

    def ask() -> None:
        try:
            for _ in range(20):
                corpus.search("tide", 5)
        except BaseException as failure:  # noqa: BLE001 - reported below
            failures.append(failure)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(10):
        publish(home, f"/{number}.md", f"Tide number {number} is high.")
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(found(corpus, "tide", limit=20)) == 10


def test_folding_a_record_twice_changes_nothing(home: Home) -> None:
    record(home, CollectionCreated(collection="tides"))
    publish(home, "/a.md", "The tide rises.")
    records, _ = home.read(CATALOGUE)
    corpus, once = Corpus(), Corpus()
    once.feed(records)
    corpus.feed(records)
    changed: list[Any] = corpus.feed(records)
    assert (corpus.held, corpus.collections) == (once.held, once.collections)
    assert changed == sorted(once.held)
