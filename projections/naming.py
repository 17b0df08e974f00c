"""Documents that a question names, and those that its first answers name.

Who asks where the director of a film was born names the film, and the page of the film names the
director. His page has little in common with the question; that it is named there leads to it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from projections.scoped import Most, Rows, ScopedIndex, Scores, Titled

_MOST = Most(titles=32, documents=6)
_SHORT = 12
"""Rows under one title that a name alone is enough to look at; of more, what was found anyway counts."""

_SOURCES = 2
"""First answers in which names are looked for, beside those that the question names."""

_FADING = 0.8
"""What a name in the next answer counts, of one in the answer before."""

_MEANT = 8
"""Titles in one answer that may all be meant; of more, each is meant the less."""

_NO_ROWS = np.zeros(0, np.int64)


@dataclass(frozen=True)
class Named:
    """Rows whose documents are named."""

    shares: Mapping[int, float] = field(default_factory=dict)
    """How surely each is meant, up to 1."""

    short: Rows = field(default_factory=lambda: _NO_ROWS)
    """Those worth looking at though nothing else may lead to them."""

    def of(self, rows: Rows) -> Scores:
        """How surely the documents of some ascending rows are meant; nan where nothing names them."""
        found = np.full(len(rows), np.nan)
        if self.shares and len(rows):
            named = np.fromiter(self.shares, np.int64, len(self.shares))
            places = np.minimum(np.searchsorted(rows, named), len(rows) - 1)
            here = rows[places] == named
            shares = np.fromiter(self.shares.values(), np.float64, len(self.shares))
            found[places[here]] = shares[here]
        return found


def by_question(query: str, index: ScopedIndex) -> Named:
    """What a question names."""
    shares: dict[int, float] = {}
    found = index.titled_in(query, _NO_ROWS, _MOST, loosely=True)
    for titled in found:
        _note(titled, titled.telling, shares)
    return Named(shares, _joined(_short(found)))


def by_answers(named: Named, answers: Rows, index: ScopedIndex) -> Named:
    """Also what the first answers name, best answers first: those that the question names, and the very first."""
    sources = [row for row in answers.tolist() if row in named.shares]
    sources += [row for row in answers[:_SOURCES].tolist() if row not in named.shares]
    shares: dict[int, float] = {}
    short = [named.short]
    for place, text in enumerate(index.texts(np.array(sources, np.int64))):
        found = index.titled_in(text, np.array(sources[place : place + 1]), _MOST)
        surely = _FADING**place * min(1.0, _MEANT / max(len(found), 1))
        for titled in found:
            # What is long is not meant as a whole by whoever names it in passing.
            if len(titled.rows) <= _SHORT:
                _note(titled, surely * titled.telling, shares)
        short += _short(found)
    return Named({**shares, **named.shares}, _joined(short))


def _short(found: Iterable[Titled]) -> list[Rows]:
    return [titled.rows for titled in found if len(titled.rows) <= _SHORT]


def _note(titled: Titled, share: float, shares: dict[int, float]) -> None:
    for row in titled.rows.tolist():
        shares[row] = max(share, shares.get(row, 0.0))


def _joined(found: Iterable[Rows]) -> Rows:
    return np.unique(np.concatenate([_NO_ROWS, *found]))
