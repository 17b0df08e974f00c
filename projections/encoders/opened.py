"""The models of this installation, opened by a setting."""

from collections.abc import Callable, Sequence

import numpy as np

from events.embedding import ToEmbed
from events.errors import ModelUnavailable
from events.logs import log
from projections.encoders.model import Embedding, Encoder, Model, QueryEmbedding, QuerySide


class Embedder:
    """Every bound model. A chunk is embedded by the first that covers its language."""

    def __init__(self, encoders: Sequence[Encoder]) -> None:
        self._encoders = tuple(encoders)
        self.models: tuple[Model, ...] = tuple(encoder.model for encoder in encoders)

    @property
    def names(self) -> tuple[str, ...]:
        """The models by name, in the order of what `embed` answers."""
        return tuple(model.name for model in self.models)

    def embed(self, chunks: Sequence[ToEmbed]) -> tuple[Embedding, ...]:
        """What each model makes of the chunks, in the order of `models`."""
        taken = [self._model_for(chunk) for chunk in chunks]
        found = []
        for number, encoder in enumerate(self._encoders):
            model = encoder.model
            vectors = np.zeros((len(chunks), model.dimension), np.float16)
            late = [b""] * len(chunks)
            places = [place for place, owner in enumerate(taken) if owner == number]
            if places:
                encoded, codes = encoder.encode([chunks[place] for place in places])
                vectors[places] = encoded
                for place, code in zip(places, codes, strict=True):
                    late[place] = code
            found.append(Embedding(model.name, vectors, late))
        return tuple(found)

    def embed_query(self, query: str) -> QueryEmbedding:
        """The query as each model sees it; no model is run before it is asked for."""
        return QueryEmbedding(
            query, {encoder.model.name: _careful(encoder) for encoder in self._encoders}
        )

    def _model_for(self, chunk: ToEmbed) -> int | None:
        if not chunk.text.strip():
            return None
        covering = (n for n, model in enumerate(self.models) if model.covers(chunk.language))
        return next(covering, None)


def open_embedder(setting: str = "") -> Embedder:
    """The models a setting names: the bundled ones without a name, else one by its name or path.

    Of the bundled ones, those whose package is missing are left out, with a warning.
    """
    if setting:
        from projections.encoders.sentence_transformer import NamedModel

        return Embedder([NamedModel(setting)])
    from projections.encoders.minilm import MiniLM
    from projections.encoders.multilingual import Multilingual

    found: list[Encoder] = []
    for kind in (MiniLM, Multilingual):
        try:
            found.append(kind())
        except ModelUnavailable as failure:
            log("encoders").warning("model_unavailable", why=failure.sentence)
    return Embedder(found)


def _careful(encoder: Encoder) -> Callable[[str], QuerySide | None]:
    """A model that fails on a query is passed over: search goes on without it."""

    def look(query: str) -> QuerySide | None:
        try:
            return encoder.encode_query(query)
        except ModelUnavailable as failure:
            log("encoders").warning("model_unavailable", why=failure.sentence)
            return None

    return look
