"""The corpus as one asks it: always up to what was acknowledged before the question."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from events.blobs import BlobStore
from events.errors import MissingBlob, ModelUnavailable
from events.home import Home
from events.logs import log
from projections.context import LONGEST as LONGEST_CONTEXT
from projections.context import blended, context_terms
from projections.encoders.model import QueryEmbedding, QuerySide
from projections.encoders.opened import Embedder, open_embedder
from projections.index.arrays import BadFile
from projections.index.current import Index, report_unreadable
from projections.index.filters import Filters
from projections.index.part import Space
from projections.index.scope import Scope
from projections.likeness import Likeness
from projections.ranking import Mode, Ranked, rank
from projections.reranking import Reranking

LONGEST_QUERY = 8_192
"""Characters of a query that are read; what comes after them is not looked at."""

EVERYTHING = Filters()

_ENGLISH, _PLAIN = "en", "What is a tide?"
"""A question that nearly every model covers."""

OpenEmbedder = Callable[[str], Embedder]


def open_corpus(home_path: str, embedder: str = "", reranker: str = "") -> "LocalCorpus":
    """The corpus of a data home. Reads nothing yet.

    The embedder is the one that its documents are embedded with, as long as the corpus itself
    does not name another; the reranker is a cross-encoder by name, if one is wanted.
    """
    return LocalCorpus(Home(Path(home_path)), embedder, reranking=Reranking(reranker))


class LocalCorpus:
    """Search over one data home, for any number of threads."""

    def __init__(
        self,
        home: Home,
        embedder: str = "",
        opening: OpenEmbedder = open_embedder,
        reranking: Reranking | None = None,
    ) -> None:
        self._blobs = home.blobs
        self._index = Index(home)
        self._embedders = _Embedders(embedder, opening)
        self._reranking = reranking or Reranking("")
        self._likeness = Likeness()

    def search(
        self,
        query: str,
        limit: int,
        collections: tuple[str, ...] | None = None,
        among: tuple[str, ...] = (),
        *,
        filters: Filters = EVERYTHING,
        mode: Mode = "best",
        explain: bool = False,
        context: str = "",
        citable: bool = False,
        by_meaning: bool = False,
    ) -> list[dict[str, Any]]:
        """The passages nearest to the query, best first, from what the filters leave only.

        A context is what the question is asked about: what is like it comes first. An explained
        passage also says which chunk of its document it is, and which stage decided its rank.
        The same words at the same place of the same text come once, however many collections
        or paths hold them: as the document that is ranked first, or, where they are to be citable,
        as one that has a citekey, if any of them has.

        Where no model can be opened, words alone decide, unless it has to be by meaning: that is
        refused as `ModelUnavailable`. A question that no model covers is not.
        """
        query = query[:LONGEST_QUERY]
        if collections is not None:
            filters = replace(filters, collections=_both(collections, filters.collections))
        if among:
            filters = replace(filters, among=among)
        if limit < 1 or not query.strip():
            return []
        shown = _Shown(explain=explain, citable=citable, by_meaning=by_meaning)
        try:
            return self._search(query, limit, filters, mode, context, shown)
        except (BadFile, IndexError, ValueError):
            if not self._index.repair():
                raise
            return self._search(query, limit, filters, mode, context, shown)

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """How near in meaning each text is to the question: cosines; none where no model can tell."""
        embedder = self._embedders.get(self._index.embedder)
        if embedder is None or not texts:
            return [None] * len(texts)
        return self._likeness.of(question[:LONGEST_QUERY], texts, embedder)

    def compares(self, asked: str, languages: Iterable[str]) -> bool:
        """Whether a question in one language is compared by meaning with documents in any of these."""
        embedder = self._embedders.get(self._index.embedder)
        models = embedder.models if embedder else ()
        own = (next((each for each in models if each.covers(held)), None) for held in languages)
        return any(model is not None and model.covers(asked) for model in own)

    def scope(self, filters: Filters) -> Scope:
        """What the filters leave of the corpus, up to what was acknowledged before this call."""
        return self._index.scope(filters)

    def _search(
        self, query: str, limit: int, filters: Filters, mode: Mode, context: str, shown: "_Shown"
    ) -> list[dict[str, Any]]:
        scope = self.scope(filters)
        if not scope.size:
            return []
        embedding = None if mode == "lexical" else self._embedding(query, scope, context)
        if shown.by_meaning and scope.spaces and embedding is None:
            raise ModelUnavailable(_models(scope), "it cannot be opened")
        helping = context_terms(query, context) if context else {}
        wanted = limit
        while True:
            ranked = self._ranked(query, embedding, scope, wanted, mode, helping)
            if shown.by_meaning and embedding is not None and not self._opens(embedding):
                raise ModelUnavailable(_models(scope), "it cannot be loaded")
            found = _passages(self._blobs, scope, ranked, limit, shown)
            if len(found) == limit or len(ranked) < wanted:
                return found
            wanted *= 2

    def _ranked(
        self,
        query: str,
        embedding: QueryEmbedding | None,
        scope: Scope,
        wanted: int,
        mode: Mode,
        helping: Mapping[str, float],
    ) -> list[Ranked]:
        depth = self._reranking.depth if mode == "best" else 0
        ranked = rank(query, embedding, scope, max(wanted, depth), mode, helping)
        best = ranked[:depth]
        if best:
            texts = scope.texts(np.array([each.row for each in best], np.int64))
            ranked[:depth] = self._reranking.reorder(query, best, texts)
        return ranked[:wanted]

    def _embedding(self, query: str, scope: Scope, context: str) -> QueryEmbedding | None:
        """The query as the models see it, if the scope has anything to compare it with."""
        if not scope.spaces:
            return None
        embedder = self._embedders.get(self._index.embedder)
        if embedder is None:
            return None
        known = self._embedders.comparable(embedder, scope.spaces)
        if not known:
            return None
        asked = _only(embedder.embed_query(query), known)
        if not context.strip():
            return asked
        return blended(asked, embedder.embed_query(context[:LONGEST_CONTEXT]))

    def _opens(self, asked: QueryEmbedding) -> bool:
        """Whether a model read the question, or could read another one: this it may not cover."""
        if asked.is_covered:
            return True
        embedder = self._embedders.get(self._index.embedder)
        assert embedder is not None
        models = [each for each in embedder.models if each.name in asked.models]
        tried = embedder.embed_query(_PLAIN)
        # Of a model that does not cover these words, either, nothing is known.
        return any(not each.covers(_ENGLISH) or tried.of(each.name) for each in models)


def _models(scope: Scope) -> str:
    return ", ".join(sorted({space.model for space in scope.spaces}))


def _only(asked: QueryEmbedding, spaces: frozenset[Space]) -> QueryEmbedding:
    """Without the models that nothing is compared with: they need not even be loaded."""
    models = [model for model in asked.models if any(model == each.model for each in spaces)]
    return QueryEmbedding(asked.query, {each: partial(_side, asked, each) for each in models})


def _side(asked: QueryEmbedding, model: str, _: str) -> QuerySide | None:
    return asked.of(model)


def _both(one: tuple[str, ...] | None, other: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if one is None or other is None:
        return other if one is None else one
    return tuple(each for each in one if each in other)


@dataclass(frozen=True)
class _Shown:
    """How passages are told."""

    explain: bool
    citable: bool
    by_meaning: bool


def _passages(
    blobs: BlobStore, scope: Scope, ranked: list[Ranked], limit: int, shown: _Shown
) -> list[dict[str, Any]]:
    found: dict[tuple[str, int, int], dict[str, Any]] = {}
    for each in ranked:
        if len(found) == limit:
            break
        row = scope.cited(each.row) if shown.citable else each.row
        chunk = scope.chunk(row)
        place = chunk["text_hash"], chunk["start"], chunk["end"]
        if place in found:
            continue
        # What was erased must not live on in an index.
        if not _path(blobs, chunk["text_hash"]).exists():
            report_unreadable(scope.version(row), MissingBlob(chunk["text_hash"]))
            continue
        stages = {
            name: {"rank": place, "score": score, "scale": scale}
            for name, (place, score, scale) in each.stages.items()
        }
        found[place] = chunk | {"score": each.relevance, "stages": stages}
        if shown.explain:
            found[place]["decided_by"] = each.decided_by
            found[place]["sequence"] = scope.sequence(row)
    return list(found.values())


@lru_cache(maxsize=4096)
def _path(blobs: BlobStore, content_hash: str) -> Path:
    return blobs.path(content_hash)


class _Embedders:
    """Opens what queries are embedded with, once, and does without what cannot be opened."""

    def __init__(self, default: str, opening: OpenEmbedder) -> None:
        self._default, self._open = default, opening
        self._lock = threading.Lock()
        self._opened: dict[str, Embedder | None] = {}
        self._strangers: set[Space] = set()

    def get(self, name: str | None) -> Embedder | None:
        """The embedder of that name, or the default one."""
        setting = self._default if name is None else name
        with self._lock:
            if setting not in self._opened:
                self._opened[setting] = self._careful(setting)
            return self._opened[setting]

    def comparable(self, embedder: Embedder, spaces: frozenset[Space]) -> frozenset[Space]:
        """The vectors that a query can be compared with; says once which ones cannot be."""
        known = spaces & {Space(model.name, model.dimension) for model in embedder.models}
        for space in sorted(spaces - known - self._strangers, key=str):
            self._strangers.add(space)
            log("search").warning(
                "vectors_of_another_model",
                model=space.model,
                dimension=space.dimension,
                searched="by words only",
            )
        return known

    def _careful(self, setting: str) -> Embedder | None:
        try:
            return self._open(setting)
        except Exception as failure:  # noqa: BLE001 - whatever is wrong with a model, words still work
            log("search").warning("embedder_unavailable", embedder=setting, why=str(failure)[:200])
            return None
