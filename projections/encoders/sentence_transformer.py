"""Any model that sentence-transformers can load, by name or path.

Loading it imports torch, which takes seconds: the price of choosing a model of one's own.
"""

import hashlib
import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from events.embedding import ToEmbed
from events.errors import ModelUnavailable
from projections import late
from projections.encoders.model import Floats, Model, QuerySide, Scale

_REVISION = 1
"""Of what is done here: raise it when the same text would get another vector."""

_BATCH = 32
_LONGEST_QUERY = 4000

_APART = (
    "How do bees find their way back to the hive?",
    "The central bank raised its interest rate.",
    "Install the package before you run the tests.",
    "The king castled on the fifteenth move.",
    "Sourdough needs flour, water and time.",
    "Treatment of high blood pressure in old age",
    "The treaty was signed after the war.",
    "Solar panels on the roof of a school",
)
_RUN = 8
"""Neighbouring tokens of a chunk whose mean is kept as one part: unlike the bundled model's, the
dimensions of an unknown model cannot be cut down."""


class NamedModel:
    """A model by its sentence-transformers name. Taken to cover every language."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._loading = threading.Lock()

    @cached_property
    def model(self) -> Model:
        """Its identity; the model is loaded for it."""
        loaded = self._loaded
        name = f"{self._name}/{_mark(loaded)}/{_REVISION}.{late.REVISION}"
        return Model(name, int(loaded.get_embedding_dimension() or 0), None)

    def encode(self, chunks: Sequence[ToEmbed]) -> tuple[Floats, list[bytes]]:
        """A vector and codes for each chunk."""
        texts = [f"{chunk.context}\n{chunk.text}".strip() for chunk in chunks]
        found = self._run(self._loaded.encode_document, texts)
        codes = [late.pack(_unit(_runs(tokens))) for _, tokens in found]
        return np.stack([vector for vector, _ in found]), codes

    def encode_query(self, query: str) -> QuerySide | None:
        """None for a query without a word."""
        query = query[:_LONGEST_QUERY].strip()
        if not query:
            return None
        [(vector, parts)] = self._run(self._loaded.encode_query, [query])
        weights = np.full(len(parts), 1 / len(parts), np.float32)
        return QuerySide(vector, _unit(parts), weights, self._scale)

    @cached_property
    def _scale(self) -> Scale:
        """As the model compares texts that have nothing to do with each other."""
        vectors = [vector for vector, _ in self._run(self._loaded.encode_query, list(_APART))]
        pairs = np.stack(vectors) @ np.stack(vectors).T
        apart = pairs[np.triu_indices(len(pairs), 1)]
        return Scale(float(apart.mean()), max(float(apart.std()), 0.02), dense=1.0, late=0.5)

    def _run(self, encode: Callable[..., Any], texts: list[str]) -> list[tuple[Floats, Floats]]:
        with self._loading:
            found = encode(texts, batch_size=_BATCH, output_value=None, show_progress_bar=False)
        return [_sides(each) for each in found]

    @cached_property
    def _loaded(self) -> Any:
        with self._loading:
            return _load("SentenceTransformer", self._name)


class NamedReranker:
    """A cross-encoder by its sentence-transformers name: it reads question and passage together."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._loading = threading.Lock()
        self._model: Any = None

    def scores(self, query: str, texts: Sequence[str]) -> Floats:
        """How well each text answers the question, on the model's own scale."""
        pairs = [(query[:_LONGEST_QUERY], text) for text in texts]
        with self._loading:
            if self._model is None:
                self._model = _load("CrossEncoder", self._name)
            try:
                found = self._model.predict(pairs, batch_size=_BATCH, show_progress_bar=False)
                scores = np.asarray(found, np.float32)
            except Exception as failure:
                raise ModelUnavailable(self._name, _why(failure)) from failure
        if scores.shape != (len(texts),) or not np.isfinite(scores).all():
            raise ModelUnavailable(self._name, "it does not give one number for a pair of texts")
        return scores


def _load(kind: str, name: str) -> Any:
    try:
        import sentence_transformers

        return getattr(sentence_transformers, kind)(name, device="cpu")
    except Exception as failure:
        raise ModelUnavailable(name, _why(failure)) from failure


def _why(failure: Exception) -> str:
    return (str(failure).splitlines() or [type(failure).__name__])[0].rstrip(".")


def _sides(found: dict[str, Any]) -> tuple[Floats, Floats]:
    """The vector of a text and those of its tokens; the vector alone where there are none."""
    vector = np.asarray(found["sentence_embedding"].numpy(), np.float32)
    tokens = found.get("token_embeddings")
    seen = found.get("attention_mask")
    parts = vector[None]
    if tokens is not None and seen is not None:
        parts = np.asarray(tokens.numpy(), np.float32)[np.asarray(seen) > 0]
    return _unit(vector[None])[0], parts


def _runs(parts: Floats) -> Floats:
    starts = np.arange(0, len(parts), _RUN)
    joined: Floats = np.add.reduceat(parts, starts, axis=0)
    return joined


def _unit(vectors: Floats) -> Floats:
    unit: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return unit


def _mark(loaded: Any) -> str:
    """Differs for models of one name with other weights: the beginnings of all of them."""
    mark = hashlib.sha256(repr(loaded.max_seq_length).encode())
    for name, values in sorted(loaded.state_dict().items()):
        mark.update(f"{name} {tuple(values.shape)}".encode())
        mark.update(values.flatten()[:64].double().numpy().tobytes())
    return mark.hexdigest()[:12]
