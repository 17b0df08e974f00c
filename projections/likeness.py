"""How near texts are in meaning to a question.

Who researches a subject compares the same sentences with one question after the other, and to embed a sentence takes
longer than all else that is done with it: vectors of texts that were compared lately are kept.
"""

import threading
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from events.embedding import ToEmbed
from language.detection import language_of
from projections.encoders.opened import Embedder

KEPT = 16_384
"""Texts whose vectors are kept: some 20 MB."""


class _Vector(NamedTuple):
    model: str
    numbers: npt.NDArray[np.float16]


_Key = tuple[tuple[str, ...], bytes]


class Likeness:
    """Compares by vectors; for any number of threads."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._lock = threading.Lock()
        self._known: dict[_Key, _Vector | None] = {}
        """What was used last stands last; none where no model covers a text."""

    def of(self, question: str, texts: Sequence[str], embedder: Embedder) -> list[float | None]:
        """The cosine of each text with the question; none where no model can tell."""
        asked = embedder.embed_query(question)
        found: list[float | None] = []
        for vector in self._vectors(texts, embedder):
            side = None if vector is None else asked.of(vector.model)
            if vector is None or side is None:
                found.append(None)
            else:
                found.append(float(vector.numbers.astype(np.float32) @ side.vector))
        return found

    def _vectors(self, texts: Sequence[str], embedder: Embedder) -> list[_Vector | None]:
        keys = [
            (embedder.names, sha256(text.encode("utf-8", "surrogatepass")).digest())
            for text in texts
        ]
        named = dict(zip(keys, texts, strict=True))
        with self._lock:
            known = {key: self._known[key] for key in named if key in self._known}
        fresh = [key for key in named if key not in known]
        known |= dict(zip(fresh, _embedded([named[key] for key in fresh], embedder), strict=True))
        with self._lock:
            for key, vector in known.items():
                self._known.pop(key, None)
                self._known[key] = vector
            for key in [*self._known][: max(len(self._known) - self._kept, 0)]:
                del self._known[key]
        return [known[key] for key in keys]


def _embedded(texts: Sequence[str], embedder: Embedder) -> list[_Vector | None]:
    found: list[_Vector | None] = [None] * len(texts)
    if not texts:
        return found
    for embedding in embedder.embed([ToEmbed("", text, language_of(text)) for text in texts]):
        for place in np.flatnonzero(embedding.vectors.any(axis=1)).tolist():
            # A copy: a row alone would keep the vectors of all the others.
            found[place] = _Vector(embedding.model, embedding.vectors[place].copy())
    return found
