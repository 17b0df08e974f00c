"""The embedder of tests for questions, too, so that vectors can be searched without a model."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from events.home import Home
from projections.encoders.model import Model, QueryEmbedding, QuerySide, Scale
from projections.search import LocalCorpus
from tests.embedders import DIMENSION, LettersEmbedder, _vector


class AskingLetters(LettersEmbedder):
    """Texts and questions with the same letters in a row are alike."""

    def __init__(self, name: str = "letters") -> None:
        super().__init__(name)
        self.models: Sequence[Model] = (Model(name, DIMENSION, None),)

    def embed_query(self, query: str) -> QueryEmbedding:
        return QueryEmbedding(query, {self.names[0]: _side})


def _side(query: str) -> QuerySide:
    nothing = np.zeros((0, DIMENSION), np.float32)
    return QuerySide(
        vector=_vector(query).astype(np.float32),
        parts=nothing,
        weights=np.zeros(0, np.float32),
        scale=Scale(usual=0.3, spread=0.1, dense=1.0, late=0.0),
    )


def open_asking(setting: str = "") -> Any:
    """As `open_embedder`; the setting is the model's name."""
    return AskingLetters(setting or "letters")


class LettersCorpus(LocalCorpus):
    """A corpus embedded with letters. What texts mean, letters do not tell."""

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        return [None] * len(texts)


def open_letters_corpus(home_path: str) -> LettersCorpus:
    """As `open_corpus`, without a model to load."""
    return LettersCorpus(Home(Path(home_path)), opening=open_asking)
