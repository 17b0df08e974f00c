"""The corpus of a data home, as one asks it."""

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from actors.ports import Passage
from events.catalogue import SourceRemoved
from events.codec import canonical
from events.errors import BadRequest
from events.home import Home
from language import words
from projections.index.build import build
from projections.index.filters import Filters
from projections.search import LocalCorpus, open_corpus
from tests.libraries import AT, MODEL, publish, record, source_of, vectors_of

SITE = ("La Rance", "Site")


def found(corpus: LocalCorpus, query: str, *collections: str, limit: int = 10) -> list[str]:
    return [each["text"] for each in corpus.search(query, limit, collections or None)]


def filtered(corpus: LocalCorpus, query: str, **filters: Any) -> list[str]:
    return [each["text"] for each in corpus.search(query, 10, filters=Filters(**filters))]


@pytest.fixture
def corpus(home: Home) -> LocalCorpus:
    return open_corpus(str(home.root))


def test_an_empty_home_holds_nothing(corpus: LocalCorpus) -> None:
    assert corpus.search("tide", 5) == []


def test_what_was_just_published_is_found(home: Home, corpus: LocalCorpus) -> None:
    assert found(corpus, "electricity") == []
    publish(home, "/library/la-rance.md", ["The station generates electricity."])
    assert found(corpus, "electricity") == ["The station generates electricity."]


def test_a_passage_has_exactly_the_fields_of_the_port(home: Home, corpus: LocalCorpus) -> None:
    texts = ["The station generates electricity.", "A barrage spans the estuary."]
    source = publish(
        home,
        "/library/la-rance.md",
        texts,
        title="La Rance",
        headings=[("La Rance",), SITE],
        content_types=["prose", "table"],
    )
    for _ in range(2):
        [found] = corpus.search("barrage", 5, mode="lexical")
        passage = Passage.model_validate(found)
        assert passage.model_dump(exclude={"score", "stages", "chunk"}) == {
            "document": source.document,
            "version": source.version,
            "size": source.original.size,
            "text_hash": source.text.hash,
            "locator": "/library/la-rance.md",
            "title": "La Rance",
            "media_type": "text/markdown",
            "collection": "tides",
            "published_at": AT,
            "headings": SITE,
            "start": len(texts[0]) + 2,
            "end": len(texts[0]) + 2 + len(texts[1]),
            "text": texts[1],
            "content_type": "table",
            "first_page": None,
            "last_page": None,
            "language": "en",
        }
        assert 0 < passage.score <= 1 and passage.chunk.startswith("chk-")
        assert all(stage.rank >= 1 for stage in passage.stages.values())
        build(home, wait=True)


def test_explaining_says_which_stage_decided(home: Home, corpus: LocalCorpus) -> None:
    publish(home, "/a.md", ["The tide rises."])
    [passage] = corpus.search("tide", 5, explain=True)
    assert passage["decided_by"]


def test_collections_do_not_see_each_other(home: Home, corpus: LocalCorpus) -> None:
    publish(home, "/a.md", ["The tide is secret here."], "one")
    publish(home, "/b.md", ["The tide is open here."], "two")
    assert found(corpus, "tide", "one") == ["The tide is secret here."]
    assert found(corpus, "tide", "two") == ["The tide is open here."]
    assert found(corpus, "tide", "three") == []
    assert len(found(corpus, "tide")) == 2
    both = corpus.search("tide", 5, ("one", "two"), filters=Filters(collections=("two", "three")))
    assert [each["collection"] for each in both] == ["two"]


def test_a_removed_document_is_gone_from_its_collection_only(
    home: Home, corpus: LocalCorpus
) -> None:
    source = publish(home, "/a.md", ["The tide rises."], "one")
    publish(home, "/a.md", ["The tide rises."], "two")
    assert found(corpus, "tide", "one") == ["The tide rises."]
    record(home, SourceRemoved(document=source.document, collection="one"))
    assert found(corpus, "tide", "one") == []
    assert found(corpus, "tide", "two") == ["The tide rises."]


def test_a_new_version_replaces_the_old_one_and_the_old_one_can_come_back(
    home: Home, corpus: LocalCorpus
) -> None:
    for metres in (12, 13, 12):
        publish(home, "/a.md", [f"The range is {metres} metres."])
        assert found(corpus, "range") == [f"The range is {metres} metres."]
        build(home, wait=True)
        assert found(corpus, "range") == [f"The range is {metres} metres."]


def test_the_same_words_come_once_however_many_collections_hold_them(
    home: Home, corpus: LocalCorpus
) -> None:
    for collection in ("a", "b", "c", "d"):
        publish(home, "/a.md", ["The tide rises."], collection)
    publish(home, "/b.md", ["The tide falls slowly in the long evening."], "a")
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
        texts = [f"Tide {number}.", f"The sea and tide {number}."]
        source = publish(home, f"/{number % 5}.md", texts)
        corpus.search("tide", 3)
    record(home, SourceRemoved(document=source.document, collection="tides"))
    assert corpus.search("tide sea", 9) == open_corpus(str(home.root)).search("tide sea", 9)


def test_a_source_whose_content_is_gone_does_not_hide_the_others(
    home: Home, corpus: LocalCorpus
) -> None:
    gone = publish(home, "/gone.md", ["The tide is gone."])
    publish(home, "/here.md", ["The tide is here."])
    for _ in range(2):
        home.blobs.path(gone.text.hash).unlink(missing_ok=True)
        assert found(corpus, "tide") == ["The tide is here."]
        build(home, wait=True)


def test_segments_of_the_first_releases_are_still_read(home: Home, corpus: LocalCorpus) -> None:
    source = source_of(home, "/a.md", ["The tide rises.", "The mill grinds."], title="Mills")
    chunks = [{"start": 17, "end": 33, "headings": ["Old"], "content_type": "prose"}]
    plain = home.blobs.put(canonical({"chunker": 1, "chunks": chunks}))
    record(home, source.model_copy(update={"segment": plain, "chunks": 1}))
    assert found(corpus, "grinding") == found(corpus, "mills") == ["The mill grinds."]
    assert found(corpus, "tide") == []


def test_a_segment_of_another_analyser_is_analysed_anew(home: Home, corpus: LocalCorpus) -> None:
    publish(home, "/a.md", ["The mills grind."], title="Flour", analyser=0)
    assert found(corpus, "milling") == found(corpus, "flour") == ["The mills grind."]


def test_only_what_has_other_terms_now_is_analysed_anew(
    home: Home, corpus: LocalCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["The mills grind.", "潮が満ちる。", "Le niveau de l'eau."]
    publish(home, "/a.md", texts, title="Flour", analyser=1)
    analysed: list[str] = []
    find = words.terms

    def noting(text: str) -> dict[str, int]:
        analysed.append(text)
        return find(text)

    monkeypatch.setattr("projections.index.reading.words.terms", noting)
    assert found(corpus, "eau") == ["Le niveau de l'eau."]
    assert set(analysed) == {"eau", "Le niveau de l'eau."}, "the question, and one of the texts"


def test_vectors_of_an_unknown_model_or_dimension_are_left_alone(
    home: Home, corpus: LocalCorpus
) -> None:
    texts = ["The tide rises."]
    publish(home, "/a.md", texts, vectors={MODEL: vectors_of(texts, 32)})
    publish(home, "/b.md", [*texts, "Tide."], vectors={MODEL: vectors_of(["a", "b"], 64)})
    publish(home, "/c.md", ["The tide falls."], vectors={"other": np.ones((1, 8), np.float16)})
    assert set(found(corpus, "tide")) == {"The tide rises.", "The tide falls.", "Tide."}
    build(home, wait=True)
    assert set(found(corpus, "tide")) == {"The tide rises.", "The tide falls.", "Tide."}


@pytest.mark.parametrize(
    "query", ["", "   ", "\n", "the of and", "🙂", "\x00", "\ud800", "ⴰⵎⴰⵣⵉⵖ", "a\u0301" * 5000]
)
def test_odd_queries_are_answered(home: Home, corpus: LocalCorpus, query: str) -> None:
    publish(home, "/a.md", ["The tide rises."])
    assert corpus.search(query, 5, mode="lexical") == []


def test_the_beginning_of_an_endless_query_counts(home: Home, corpus: LocalCorpus) -> None:
    publish(home, "/a.md", ["The tide rises."])
    assert found(corpus, "tide " + "x" * (1 << 20)) == ["The tide rises."]
    assert corpus.search("x " * (1 << 19) + "tide", 5, mode="lexical") == []


def test_nothing_is_found_beyond_the_limit(home: Home, corpus: LocalCorpus) -> None:
    publish(home, "/a.md", [f"Tide {number}." for number in range(8)])
    assert len(corpus.search("tide", 3)) == 3
    assert corpus.search("tide", 0) == corpus.search("tide", -1) == []


# -- filters ---------------------------------------------------------------------------------------


@pytest.fixture
def shelves(home: Home) -> LocalCorpus:
    """Three documents that all speak of the tide."""
    publish(
        home,
        "/a.md",
        ["Tide in prose.", "Tide in code."],
        tags=("sea", "old"),
        metadata={"year": "1966"},
        headings=[("A", "Part I: Origins"), ("A", "Part II")],
        content_types=["prose", "code_block"],
        languages=["en", "fr"],
    )
    publish(home, "/b.md", ["Tide of b."], tags=("sea",), metadata={"date": "2011-08-03"})
    publish(home, "/c.md", ["Tide of c."], "other")
    return open_corpus(str(home.root))


@pytest.mark.parametrize("built", [False, True])
def test_filters_leave_only_what_satisfies_them(
    home: Home, shelves: LocalCorpus, *, built: bool
) -> None:
    if built:
        build(home, wait=True)
    a = {"Tide in prose.", "Tide in code."}

    def left(**filters: Any) -> set[str]:
        return set(filtered(shelves, "tide", **filters))

    assert left() == {*a, "Tide of b.", "Tide of c."}
    assert left(collections=("other",)) == {"Tide of c."}
    assert left(collections=()) == set()
    assert left(locators=("/a.md", "/c.md")) == {*a, "Tide of c."}
    [passage] = shelves.search("tide", 1, ("other",))
    assert left(documents=(passage["document"],)) == {"Tide of c."}
    assert left(documents=("doc-unknown",)) == set()
    assert left(tags=("sea",)) == {*a, "Tide of b."}
    assert left(tags=("sea", "old")) == a
    assert left(tags=("sea", "new")) == set()
    assert left(years=(1900, 1999)) == a
    assert left(years=(1966, 2011)) == {*a, "Tide of b."}
    assert left(languages=("fr",)) == {"Tide in code."}
    assert left(content_types=("prose",), locators=("/a.md",)) == {"Tide in prose."}
    assert left(section_prefix=("A", "Part I")) == {"Tide in prose."}
    assert left(section_prefix=("part i",)) == {"Tide in prose."}
    assert left(section_prefix=("A",)) == a


def test_a_tiny_scope_still_fills_the_limit_with_its_own(home: Home, corpus: LocalCorpus) -> None:
    for number in range(60):
        publish(home, f"/{number}.md", [f"Tide tide tide {number}. Tide!"] * 3)
    publish(home, "/few.md", [f"A word on the tide and much else {n}." for n in range(5)], "few")
    assert len(found(corpus, "tide", "few", limit=5)) == 5
    assert all("A word" in text for text in found(corpus, "tide", "few", limit=5))


def test_published_again_with_other_tags_it_is_found_by_those(
    home: Home, corpus: LocalCorpus
) -> None:
    source = publish(home, "/a.md", ["The tide rises."], tags=("new",))
    assert filtered(corpus, "tide", tags=("new",))
    record(home, source.model_copy(update={"tags": ("old",)}))
    assert filtered(corpus, "tide", tags=("old",))
    assert not filtered(corpus, "tide", tags=("new",))


# -- the past --------------------------------------------------------------------------------------


@pytest.mark.parametrize("built", [False, True])
def test_the_corpus_is_searched_as_it_stood(
    home: Home, corpus: LocalCorpus, *, built: bool
) -> None:
    one = source_of(home, "/a.md", ["The range is 12 metres."])
    two = source_of(home, "/a.md", ["The range is 13 metres."])
    first = record(home, one, at="2026-01-01T10:00:00.000000Z")
    second = record(home, two, at="2026-01-02T10:00:00.000000Z")
    record(
        home,
        SourceRemoved(document=one.document, collection="tides"),
        at="2026-01-03T10:00:00.000000Z",
    )
    if built:
        build(home, wait=True)

    def then(as_of: int | str) -> list[str]:
        return filtered(corpus, "range", as_of=as_of)

    assert found(corpus, "range") == []
    assert then(first) == then("2026-01-01") == ["The range is 12 metres."]
    assert then("2026-01-01T10:00:00Z") == then("2026-01-01T11:00:00+01:00") == then(first)
    assert then("2026-01-01T09:59:59Z") == then(0) == []
    assert then(second) == then("2026-01-02T23:00:00") == ["The range is 13 metres."]
    assert then(10**9) == then("2999-01-01") == []
    with pytest.raises(BadRequest):
        then("yesterday")


def test_the_past_has_the_scores_it_had(home: Home, corpus: LocalCorpus) -> None:
    publish(home, "/a.md", ["The tide rises.", "The moon and the tide."])
    moment = record(home, source_of(home, "/b.md", ["The tide and the mill."]))
    before = corpus.search("tide mill", 5)
    for number in range(5):
        publish(home, f"/{number}.md", ["Mill, mill and mill."])
    assert corpus.search("tide mill", 5, filters=Filters(as_of=moment)) == before
    assert corpus.search("tide mill", 5) != before


# -- several threads -------------------------------------------------------------------------------


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
        publish(home, f"/{number}.md", [f"Tide number {number} is high."])
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(found(corpus, "tide", limit=20)) == 10


def test_opening_a_corpus_reads_nothing(tmp_path: Path) -> None:
    open_corpus(str(tmp_path / "nowhere"))
    assert not (tmp_path / "nowhere").exists()
