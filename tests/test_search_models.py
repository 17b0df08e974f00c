"""Search by meaning, with the models of this installation and without any."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest

from events.catalogue import GenerationSwitched
from events.embedding import ToEmbed
from events.home import Home
from projections.encoders.opened import Embedder, open_embedder
from projections.index.build import build
from projections.search import LocalCorpus, open_corpus
from tests.libraries import publish, record

TEXTS = [
    "The physician examined the sick child and prescribed antibiotics.",
    "Interest rates rose again, and banks lent less to households.",
    "The goalkeeper saved a penalty in the last minute of the match.",
    "Bread dough rises because yeast turns sugar into gas.",
]


@pytest.fixture(scope="module")
def embedder() -> Iterator[Embedder]:
    opened = open_embedder()
    if not opened.models:
        pytest.skip("no model is installed")
    yield opened


def vectors(embedder: Embedder, texts: list[str]) -> dict[str, npt.NDArray[np.float16]]:
    made = embedder.embed([ToEmbed("", text, "en") for text in texts])
    return {each.model: each.vectors for each in made}


def test_meaning_finds_what_shares_no_word(home: Home, embedder: Embedder) -> None:
    publish(home, "/a.md", TEXTS, vectors=vectors(embedder, TEXTS))
    corpus = open_corpus(str(home.root))
    questions = {"a doctor treats a patient": 0, "mortgage and money": 1, "football": 2}
    for _ in range(2):
        for question, text in questions.items():
            best = corpus.search(question, 4)[0]
            assert best["text"] == TEXTS[text]
            assert {"dense"} <= set(best["stages"])
        build(home, wait=True)


def test_the_order_is_the_same_after_everything_is_built_anew(
    home: Home, embedder: Embedder
) -> None:
    for number, text in enumerate(TEXTS):
        publish(home, f"/{number}.md", [text], vectors=vectors(embedder, [text]))
    found = [open_corpus(str(home.root)).search(text.split()[1], 4) for text in TEXTS]
    build(home, wait=True)
    assert found == [open_corpus(str(home.root)).search(text.split()[1], 4) for text in TEXTS]


def test_without_a_model_words_still_find(home: Home, embedder: Embedder) -> None:
    publish(home, "/a.md", TEXTS, vectors=vectors(embedder, TEXTS))

    def broken(setting: str) -> Embedder:
        raise RuntimeError("no such model")

    corpus = LocalCorpus(home, opening=broken)
    assert corpus.search("yeast", 2)[0]["text"] == TEXTS[3]


def test_queries_are_embedded_as_the_present_generation_was(home: Home, embedder: Embedder) -> None:
    asked: list[str] = []

    def opening(setting: str) -> Embedder:
        asked.append(setting)
        return embedder

    publish(home, "/a.md", TEXTS, vectors=vectors(embedder, TEXTS))
    corpus = LocalCorpus(home, "first", opening)
    corpus.search("yeast", 1)
    record(home, GenerationSwitched(generation="g2", embedder="second", job="reindex-1"))
    corpus.search("yeast", 1)
    corpus.search("dough", 1)
    assert asked == ["first", "second"]
