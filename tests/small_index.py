"""An index of a few chunks in memory, which answers whatever ranking asks of one."""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from events.embedding import ToEmbed
from language.naming import mentioned, names_of
from language.words import terms
from projections import late
from projections.encoders.model import Embedding, Floats, QueryEmbedding
from projections.encoders.opened import Embedder
from projections.scoped import Most, Rows, Scores, Titled

K1, B, HEADING = 1.2, 0.6, 2.0


class SmallIndex:
    """Chunks with their title, text and language."""

    def __init__(
        self, chunks: Sequence[ToEmbed], names: Sequence[str], embedded: Sequence[Embedding] = ()
    ) -> None:
        self.size = len(chunks)
        self.chunks, self.names = list(chunks), list(names)
        self.embedded = {each.model: each for each in embedded}
        self.bodies = [terms(chunk.text) for chunk in chunks]
        self.headings = [terms(chunk.context) for chunk in chunks]
        self._body_norms = _norms(self.bodies)
        self._heading_norms = _norms(self.headings)
        self._having: dict[str, list[int]] = {}
        self._parts: dict[str, Scores] = {}
        for row, (body, heading) in enumerate(zip(self.bodies, self.headings, strict=True)):
            for term in body | heading:
                self._having.setdefault(term, []).append(row)

    def lexical(self, weights: Mapping[str, float], limit: int) -> tuple[Rows, Scores]:
        scores = np.zeros(self.size)
        for term in sorted(weights):
            if term in self._having:
                scores += weights[term] * self._part(term)
        return self._best(np.flatnonzero(scores), scores, limit)

    def lexical_parts(self, terms: Sequence[str], rows: Rows) -> Scores:
        parts = np.zeros((len(terms), len(rows)))
        for number, term in enumerate(terms):
            if term in self._having:
                parts[number] = self._part(term)[rows]
        return parts

    def _part(self, term: str) -> Scores:
        if term not in self._parts:
            having = self._having[term]
            rarity = self._rarity(len(having))
            part = self._parts[term] = np.zeros(self.size)
            for row in having:
                count = self.bodies[row].get(term, 0) / self._body_norms[row]
                count += HEADING * self.headings[row].get(term, 0) / self._heading_norms[row]
                part[row] = rarity * count / (K1 + count)
        return self._parts[term]

    def dense(self, model: str, vector: Floats, limit: int) -> tuple[Rows, Scores]:
        scores = self.dense_of(model, vector, np.arange(self.size))
        return self._best(np.flatnonzero(~np.isnan(scores)), scores, limit)

    def dense_of(self, model: str, vector: Floats, rows: Rows) -> Scores:
        vectors = self.vectors(model, rows)
        if vectors.shape[1] != len(vector):
            return np.full(len(rows), np.nan)
        near = (vectors @ vector).astype(np.float64)
        return np.where(vectors.any(axis=1), near, np.nan)

    def vectors(self, model: str, rows: Rows) -> Floats:
        if model not in self.embedded:
            return np.zeros((len(rows), 0), np.float32)
        return self.embedded[model].vectors[rows].astype(np.float32)

    def late_of(self, model: str, query: QueryEmbedding, rows: Rows) -> Scores:
        side = query.of(model)
        if side is None or model not in self.embedded:
            return np.full(len(rows), np.nan)
        codes = [self.embedded[model].late[row] for row in rows]
        return late.max_sim(side.parts, side.weights, codes)

    def shared_terms(self, rows: Rows) -> dict[str, tuple[int, int]]:
        saying: dict[str, list[int]] = {}
        for row in rows:
            for term, times in self.bodies[row].items():
                saying.setdefault(term, []).append(times)
        return {term: (len(all_), sum(all_)) for term, all_ in saying.items() if len(all_) > 1}

    def titled_in(
        self, text: str, besides: Rows, most: Most, *, loosely: bool = False
    ) -> list[Titled]:
        titles: dict[str, list[int]] = {}
        for row, chunk in enumerate(self.chunks):
            for name in names_of(chunk.context):
                titles.setdefault(name, []).append(row)
        own = {name for row in besides for name in names_of(self.chunks[row].context)}
        names = dict.fromkeys(mentioned(text, titles.__contains__, loosely=loosely))
        found = [name for name in names if name not in own]
        return [
            Titled(np.array(titles[name], np.int64), telling)
            for name in (found if len(found) <= most.titles else [])
            if len(titles[name]) <= most.documents and (telling := self._telling(name))
        ]

    def _telling(self, name: str) -> float:
        having = [len(self._having.get(term, ())) for term in terms(name)]
        return min(sum(map(self._rarity, having)) / self._rarity(1), 1.0)

    def _rarity(self, having: int) -> float:
        return math.log(1 + (self.size - having + 0.5) / (having + 0.5))

    def languages(self, rows: Rows) -> list[str]:
        return [self.chunks[row].language for row in rows]

    def texts(self, rows: Rows) -> list[str]:
        return [self.chunks[row].text for row in rows]

    def places(self, rows: Rows) -> list[str]:
        return [self.names[row] for row in rows]

    def _best(self, rows: Rows, scores: Scores, limit: int) -> tuple[Rows, Scores]:
        ordered = sorted(rows.tolist(), key=lambda row: (-scores[row], self.names[row]))[:limit]
        best = np.array(ordered, np.int64)
        return best, scores[best]


class LabelledSet:
    """A set in the BEIR layout."""

    def __init__(self, folder: Path, language: str) -> None:
        documents = _lines(folder / "corpus.jsonl")
        self.names = [each["_id"] for each in documents]
        self.chunks = [ToEmbed(each["title"], each["text"], language) for each in documents]
        self.queries = {each["_id"]: each["text"] for each in _lines(folder / "queries.jsonl")}
        self.judgements: dict[str, dict[str, int]] = {}
        for line in (folder / "qrels" / "test.tsv").read_text().splitlines()[1:]:
            query, document, grade = line.split("\t")
            self.judgements.setdefault(query, {})[document] = int(grade)

    def index(self, embedder: Embedder | None) -> SmallIndex:
        """All of it in one index."""
        embedded = embedder.embed(self.chunks) if embedder else ()
        return SmallIndex(self.chunks, self.names, embedded)


def _norms(counts: Sequence[dict[str, int]]) -> list[float]:
    lengths = [sum(each.values()) for each in counts]
    mean = sum(lengths) / max(len(lengths), 1) or 1.0
    return [1 - B + B * length / mean for length in lengths]


def _lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text().splitlines()]
