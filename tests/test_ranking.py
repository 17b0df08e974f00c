from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from events.embedding import ToEmbed
from language.words import query_terms
from projections.encoders.model import Embedding, QueryEmbedding, QuerySide, Scale
from projections.encoders.opened import Embedder, open_embedder
from projections.evaluation import evaluate
from projections.feedback import moved
from projections.ranking import Mode, rank
from projections.scoped import Rows, Scores
from projections.signals import Question
from tests.small_index import LabelledSet, SmallIndex

SETS = Path(__file__).parent.parent / "bench" / "sets"
MODES: tuple[Mode, ...] = ("best", "rrf", "weighted", "lexical", "dense")

OFF_TOPIC = (
    "How do I configure a Kubernetes ingress controller?",
    "offside rule in football explained",
    "Which visa does a student need for Brazil?",
    "Who won the 1998 presidential election in Colombia?",
)


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return open_embedder()


@pytest.fixture(scope="module")
def english() -> LabelledSet:
    return LabelledSet(SETS / "small_en", "en")


@pytest.fixture(scope="module")
def japanese() -> LabelledSet:
    return LabelledSet(SETS / "small_ja", "ja")


@pytest.fixture(scope="module")
def english_index(english: LabelledSet, embedder: Embedder) -> SmallIndex:
    return english.index(embedder)


@pytest.fixture(scope="module")
def japanese_index(japanese: LabelledSet, embedder: Embedder) -> SmallIndex:
    return japanese.index(embedder)


def ndcg(labelled: LabelledSet, index: SmallIndex, embedder: Embedder, mode: Mode) -> float:
    run = {
        name: [labelled.names[hit.row] for hit in rank(text, asked, index, 10, mode)]
        for name, text in labelled.queries.items()
        for asked in [embedder.embed_query(text)]
    }
    return evaluate(run, labelled.judgements).ndcg


def test_the_default_is_the_best_order_in_english(
    english: LabelledSet, english_index: SmallIndex, embedder: Embedder
) -> None:
    found = {mode: ndcg(english, english_index, embedder, mode) for mode in MODES}
    assert found["best"] > 0.95
    assert found["best"] >= max(found.values()) - 0.005


def test_the_default_is_the_best_order_in_japanese(
    japanese: LabelledSet, japanese_index: SmallIndex, embedder: Embedder
) -> None:
    found = {mode: ndcg(japanese, japanese_index, embedder, mode) for mode in MODES}
    assert found["best"] > found["lexical"] + 0.05
    assert found["best"] >= max(found.values()) - 0.005


def test_a_language_without_a_model_is_ranked_by_its_words(
    japanese: LabelledSet, embedder: Embedder
) -> None:
    bare = japanese.index(None)
    for text in japanese.queries.values():
        best = [hit.row for hit in rank(text, embedder.embed_query(text), bare, 10, "best")]
        assert best == [hit.row for hit in rank(text, None, bare, 10, "lexical")]


def test_a_mixed_corpus_answers_in_whichever_language_knows(
    english: LabelledSet, japanese: LabelledSet, embedder: Embedder
) -> None:
    chunks = english.chunks + japanese.chunks
    names = english.names + [f"ja-{name}" for name in japanese.names]
    mixed = SmallIndex(chunks, names, embedder.embed(chunks))

    def first(text: str, count: int = 1) -> list[str]:
        hits = rank(text, embedder.embed_query(text), mixed, count)
        return [names[hit.row] for hit in hits]

    assert first("why do bakers spray water into a hot oven") == ["bread-2"]
    assert first("日本一高い山が最後に噴火したのはいつか") == ["ja-kazan-1"]
    assert "ja-sumo-1" in first("rules of sumo wrestling", 3)


def test_only_text_in_another_language_is_found_by_meaning(
    japanese: LabelledSet, japanese_index: SmallIndex, embedder: Embedder
) -> None:
    hits = rank(
        "How does vaccination work?",
        embedder.embed_query("How does vaccination work?"),
        japanese_index,
        3,
    )
    assert "yobo-1" in [japanese.names[hit.row] for hit in hits]


def test_relevance_is_low_for_a_question_the_corpus_does_not_answer(
    english_index: SmallIndex, embedder: Embedder
) -> None:
    for question in OFF_TOPIC:
        hits = rank(question, embedder.embed_query(question), english_index, 10)
        assert max((hit.relevance for hit in hits), default=0.0) < 0.3


def test_relevance_is_high_for_what_is_answered_in_so_many_words(
    english_index: SmallIndex, embedder: Embedder
) -> None:
    for question in (
        "coral bleaching when the sea is too warm",
        "database write-ahead log after a crash",
        "compound interest on savings",
    ):
        hits = rank(question, embedder.embed_query(question), english_index, 3)
        assert hits[0].relevance > 0.7
        assert hits[0].relevance > hits[1].relevance + 0.3


def test_relevance_without_a_model_follows_the_words(english: LabelledSet) -> None:
    index = english.index(None)
    assert rank("gluten network in kneaded dough", None, index, 1)[0].relevance > 0.6
    assert rank("a dough of thorium fluoride salt", None, index, 1)[0].relevance < 0.4


@pytest.mark.parametrize("mode", MODES)
def test_the_same_question_has_the_same_answer(
    mode: Mode, english_index: SmallIndex, embedder: Embedder
) -> None:
    asked = "how do animals find their way"
    runs = [rank(asked, embedder.embed_query(asked), english_index, 10, mode) for _ in range(2)]
    assert runs[0] == runs[1]


def test_rows_that_score_the_same_are_ordered_by_their_place() -> None:
    same = ToEmbed("", "one and the same text", "en")
    index = SmallIndex([same] * 4, ["d", "b", "c", "a"])
    for mode in MODES:
        assert [hit.row for hit in rank("same text", None, index, 3, mode)] == [3, 1, 2]


def test_every_stage_says_what_it_thought(english_index: SmallIndex, embedder: Embedder) -> None:
    asked = "coral reefs in warm water"
    hit = rank(asked, embedder.embed_query(asked), english_index, 1)[0]
    assert {name: scale for name, (_, _, scale) in hit.stages.items()} == {
        "lexical": "bm25",
        "dense": "cosine",
        "late": "mean cosine",
        "fused": "score",
    }
    assert all(place == 1 for place, _, _ in hit.stages.values())
    assert hit.decided_by in hit.stages


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("asked", ["", "the of and", "!?", "\ua4e1\ua4f2\ua4e2", "x" * 5000, "\0"])
def test_a_question_that_says_nothing_is_answered_all_the_same(
    asked: str, mode: Mode, english_index: SmallIndex, embedder: Embedder
) -> None:
    hits = rank(asked, embedder.embed_query(asked), english_index, 5, mode)
    assert len({hit.row for hit in hits}) == len(hits) <= 5
    assert all(0 <= hit.relevance <= 1 for hit in hits)


def test_nothing_is_found_in_nothing() -> None:
    assert rank("anything", None, SmallIndex([], []), 10) == []
    assert rank("anything", None, SmallIndex([ToEmbed("", "anything", "en")], ["a"]), 0) == []


def test_more_can_be_asked_for_than_is_compared_part_by_part(embedder: Embedder) -> None:
    chunks = [ToEmbed("", f"note number {n} about bees", "en") for n in range(150)]
    index = SmallIndex(chunks, [f"{n:03}" for n in range(150)], embedder.embed(chunks))
    asked = "notes about bees"
    hits = rank(asked, embedder.embed_query(asked), index, 150)
    assert sorted(hit.row for hit in hits) == list(range(150))


def test_a_model_of_another_dimension_is_not_asked_for() -> None:
    side = QuerySide(
        np.full(4, 0.5, np.float32),
        np.full((1, 4), 0.5, np.float32),
        np.ones(1, np.float32),
        Scale(0.1, 0.1, 1.0, 1.0),
    )
    asked = QueryEmbedding("bees", {"new": lambda _: side})
    old = Embedding("old", np.ones((1, 8), np.float16), [b""])
    index = SmallIndex([ToEmbed("", "bees", "en")], ["a"], [old])
    assert np.isnan(index.dense_of("old", side.vector, np.array([0]))).all()
    assert [hit.row for hit in rank("bees", asked, index, 5)] == [0]


def test_a_question_put_anew_weighs_what_was_found_and_looks_for_nothing_more() -> None:
    """Every row is looked through once: a second time would double what a large corpus costs."""
    texts = [f"The tide mill of place {n} stores water behind a dam." for n in range(12)]
    texts += ["A dam stores water.", "Bread needs flour."]
    index = SmallIndex([ToEmbed("", text, "en") for text in texts], [f"{n:02}" for n in range(14)])
    looked_for: list[set[str]] = []
    whole = index.lexical

    def counting(weights: Mapping[str, float], limit: int) -> tuple[Rows, Scores]:
        looked_for.append(set(weights))
        return whole(weights, limit)

    index.lexical = counting  # type: ignore[method-assign]
    found = rank("tide mill", None, index, 14)
    assert looked_for == [{"tide", "mill"}]
    assert {hit.row for hit in found} == set(range(12)), "the others share no word that was asked"


def test_a_question_without_spaces_is_not_put_anew(
    japanese_index: SmallIndex, embedder: Embedder
) -> None:
    asked = "潮の満ち引きはなぜ起こるのか"
    question = Question.of(query_terms(asked), embedder.embed_query(asked))
    assert moved(question, asked, np.arange(5), japanese_index) is question
    spoken = Question.of(query_terms("why tides"), embedder.embed_query("why tides"))
    assert moved(spoken, "why tides", np.arange(5), japanese_index) is not spoken
