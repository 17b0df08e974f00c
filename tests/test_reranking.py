"""A cross-encoder by name looks at the best passages once more."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from contracts.core import Core
from contracts.settings import Settings
from events.errors import ModelUnavailable
from events.home import Home
from projections.encoders.sentence_transformer import NamedReranker
from projections.reranking import RERANKED, Reranker, Reranking
from projections.search import LocalCorpus, open_corpus
from tests.libraries import publish

TEXTS = [f"The tide at harbour {number} rises {'again ' * number}." for number in range(40)]


class ByLength:
    """Finds long passages good, and keeps count."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def scores(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.asked.append(len(texts))
        return np.array([len(text) for text in texts], np.float32)


@pytest.fixture
def tides(home: Home) -> Home:
    publish(home, "/tides.md", TEXTS)
    return home


def reranked(home: Home, reranker: Reranker) -> LocalCorpus:
    return LocalCorpus(home, reranking=Reranking("some-model", lambda _: reranker))


def test_the_best_passages_come_in_the_models_order(tides: Home) -> None:
    model = ByLength()
    plain = open_corpus(str(tides.root)).search("tide harbour", RERANKED)
    found = reranked(tides, model).search("tide harbour", 5, explain=True)
    assert [each["text"] for each in found] == sorted(
        (each["text"] for each in plain), key=len, reverse=True
    )[:5]
    assert found[0]["stages"]["cross_encoder"] == {
        "rank": 1, "score": float(len(found[0]["text"])), "scale": "the model's own",
    }  # fmt: skip
    assert {each["decided_by"] for each in found} == {"cross_encoder"}
    assert model.asked == [RERANKED]


def test_what_it_did_not_see_stays_behind_what_it_saw(tides: Home) -> None:
    found = reranked(tides, ByLength()).search("tide harbour", 40)
    seen = ["cross_encoder" in each["stages"] for each in found]
    assert seen == [True] * RERANKED + [False] * 10


def test_orders_asked_for_by_name_stay_what_they_are(tides: Home) -> None:
    model = ByLength()
    corpus = reranked(tides, model)
    for mode in ("rrf", "weighted", "lexical", "dense"):
        corpus.search("tide harbour", 5, mode=mode)
    assert model.asked == []


def test_a_model_that_cannot_be_had_is_passed_over_once_and_for_all(
    tides: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    opened = []

    def opening(name: str) -> Reranker:
        opened.append(name)
        raise ModelUnavailable(name, "no such file")

    corpus = LocalCorpus(tides, reranking=Reranking("missing-model", opening))
    plain = open_corpus(str(tides.root)).search("tide", 5)
    assert [corpus.search("tide", 5) for _ in range(3)] == [plain] * 3
    assert opened == ["missing-model"]


@pytest.mark.full
def test_a_real_cross_encoder_is_loaded_by_its_path(tides: Home, tmp_path: Path) -> None:
    """A tiny one with weights by chance: what it says is compared with what it says when asked itself."""
    folder = _tiny_model(tmp_path / "model")
    found = _found_by(tides, str(folder))
    from sentence_transformers import CrossEncoder

    scores = CrossEncoder(str(folder), device="cpu").predict([("tide", text) for text in TEXTS])
    by_text = dict(zip(TEXTS, np.asarray(scores, np.float32).tolist(), strict=True))
    told = [each["stages"]["cross_encoder"]["score"] for each in found]
    assert told == pytest.approx([by_text[each["text"]] for each in found], abs=1e-4)
    assert told == sorted(told, reverse=True)
    assert len(set(told)) > 1


def test_a_model_of_several_scores_is_refused_and_search_goes_on(
    tides: Home, tmp_path: Path
) -> None:
    found = _found_by(tides, str(_tiny_model(tmp_path / "model", labels=3)))
    assert found == open_corpus(str(tides.root)).search("tide", 10)


def test_a_model_that_breaks_while_it_reads_is_passed_over(tides: Home) -> None:
    class Breaking:
        def predict(self, *_: object, **__: object) -> None:
            raise RuntimeError("index out of range in self")

    opened = NamedReranker("some-model")
    opened._model = Breaking()
    with pytest.raises(ModelUnavailable, match=r"some-model .*: index out of range in self"):
        opened.scores("tide", TEXTS[:2])
    found = reranked(tides, opened).search("tide", 5)
    assert found == open_corpus(str(tides.root)).search("tide", 5)


def test_the_setting_reaches_every_tool_that_searches(tides: Home) -> None:
    settings = Settings.from_environment(
        {"RESEARCH_AGENT_HOME": str(tides.root), "RESEARCH_AGENT_RERANKER": "/no/such/model"}
    )
    core = Core(settings)
    assert core.corpus.search("tide", 5) == open_corpus(str(tides.root)).search("tide", 5)
    assert core.corpus._reranking.depth == 0  # It was tried, and is not there.


def _found_by(home: Home, model: str) -> list[dict[str, Any]]:
    return open_corpus(str(home.root), reranker=model).search("tide", 10)


def _tiny_model(folder: Path, labels: int = 1) -> Path:
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir()
    words = sorted({word.strip(".") for text in TEXTS for word in text.lower().split()})
    spelled = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    (folder / "vocab.txt").write_text("\n".join(spelled))
    torch.manual_seed(3)
    shape = BertConfig(
        vocab_size=len(spelled), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, num_labels=labels, initializer_range=0.9,
    )  # fmt: skip
    BertForSequenceClassification(shape).eval().save_pretrained(folder)
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder
