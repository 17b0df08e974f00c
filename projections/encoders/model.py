"""The seam: what a model promises, what goes in, and what comes out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from events.embedding import ToEmbed

Floats = npt.NDArray[np.float32]
Halves = npt.NDArray[np.float16]


@dataclass(frozen=True, slots=True)
class Model:
    """A model's identity and reach."""

    name: str
    """Changes whenever the same text would get other vectors or codes."""

    dimension: int
    languages: frozenset[str] | None
    """ISO 639-1 codes it was trained on, `und` for Latin text of unknown language; None for all."""

    def covers(self, language: str) -> bool:
        """Whether text of that language means anything to the model."""
        return self.languages is None or language in self.languages


@dataclass(frozen=True, slots=True)
class Embedding:
    """What one model makes of a run of chunks, in their order."""

    model: str
    vectors: Halves
    """One row for each chunk, of length 1; all zero where the model does not cover it."""

    late: list[bytes]
    """Codes of the chunk's parts (see `projections.late`); empty where there are none."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How a model's likenesses are to be read."""

    usual: float
    """The mean cosine of a query with chunks that do not answer it."""

    spread: float
    """The standard deviation of those."""

    dense: float
    """What its cosine counts in a ranking, where the score by words counts 1."""

    late: float
    """What its late comparison counts."""


@dataclass(frozen=True, slots=True)
class QuerySide:
    """What one model makes of a query."""

    vector: Floats
    """Of length 1."""

    parts: Floats
    """Vectors that are compared with a chunk's parts; (n, d of the codes), each of length 1."""

    weights: Floats
    """What each part counts; they sum to 1."""

    scale: Scale


@dataclass(frozen=True)
class QueryEmbedding:
    """A query as each model sees it. A model is run when it is first asked for, and once."""

    query: str
    _sides: Mapping[str, Callable[[str], QuerySide | None]]
    _seen: dict[str, QuerySide | None] = field(default_factory=dict, repr=False)

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models that may be asked."""
        return tuple(self._sides)

    @property
    def is_covered(self) -> bool:
        """Whether any model can read the query."""
        return any(self.of(model) is not None for model in self._sides)

    def of(self, model: str) -> QuerySide | None:
        """None where the model is not bound or does not cover the query."""
        if model not in self._seen:
            look = self._sides.get(model)
            self._seen[model] = look(self.query) if look else None
        return self._seen[model]


class Encoder(Protocol):
    """One model."""

    @property
    def model(self) -> Model:
        """Its identity, without loading it."""

    def encode(self, chunks: Sequence[ToEmbed]) -> tuple[Floats, list[bytes]]:
        """A vector and codes for each chunk, all of which it covers."""

    def encode_query(self, query: str) -> QuerySide | None:
        """None where the model does not cover the query."""
