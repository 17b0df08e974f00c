"""Documents that a question names, and those that its first answers name.

Who asks where the director of a film was born names the film, and the page of the film names the
director. His page has little in common with the question; that it is named there leads to it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from projections.scoped import Rows, ScopedIndex, Scores, Titled

_NAMESAKES = 6
"""Documents of one name, beyond which it tells none of them apart."""

_SHORT = 12
"""Rows of documents that a name alone is enough to look at; of longer ones, what was found anyway counts."""

_SOURCES = 2
"""First answers in which names are looked for, beside those that the question names."""

_FADING = 0.8
"""What a name in the next answer counts, of one in the answer before."""

_MEANT = 8
"""Titles in one answer that may all be meant; of a list of more, each is meant the less."""

_LISTED = 32
"""Titles in one answer beyond which it is a register, and means none of them."""

_NO_ROWS = np.zeros(0, np.int64)


@dataclass(frozen=True)
class Named:
    """Rows whose documents are named."""

    shares: Mapping[int, float] = field(default_factory=dict)
    """How surely each is meant, up to 1."""

    short: Rows = field(default_factory=lambda: _NO_ROWS)
    """Those worth looking at though nothing else may lead to them."""

    def of(self, rows: Rows) -> Scores:
        """How surely the documents of some rows are meant; nan where nothing names them."""
        known = self.shares
        return np.array([known.get(row, np.nan) for row in rows.tolist()], np.float64)


def by_question(query: str, index: ScopedIndex) -> Named:
    """What a question names."""
    shares: dict[int, float] = {}
    short = []
    for titled in _few(index.titled_in(query, _NO_ROWS, loosely=True)):
        _note(titled, titled.telling, shares)
        if len(titled.rows) <= _SHORT:
            short.append(titled.rows)
    return Named(shares, _joined(short))


def by_answers(named: Named, answers: Rows, index: ScopedIndex) -> Named:
    """Also what the first answers name, best answers first: those that the question names, and the very first."""
    sources = [row for row in answers.tolist() if row in named.shares]
    sources += [row for row in answers[:_SOURCES].tolist() if row not in named.shares]
    shares: dict[int, float] = {}
    short = [named.short]
    for place, text in enumerate(index.texts(np.array(sources, np.int64))):
        # A long document is not meant as a whole by whoever names it in passing.
        found = [
            titled
            for titled in _few(index.titled_in(text, np.array(sources[place : place + 1])))
            if len(titled.rows) <= _SHORT
        ]
        if len(found) <= _LISTED:
            surely = _FADING**place * min(1.0, _MEANT / max(len(found), 1))
            short += [titled.rows for titled in found]
            for titled in found:
                _note(titled, surely * titled.telling, shares)
    return Named({**shares, **named.shares}, _joined(short))


def _few(found: Iterable[Titled]) -> Iterator[Titled]:
    return (titled for titled in found if titled.documents <= _NAMESAKES)


def _note(titled: Titled, share: float, shares: dict[int, float]) -> None:
    for row in titled.rows.tolist():
        shares[row] = max(share, shares.get(row, 0.0))


def _joined(found: Iterable[Rows]) -> Rows:
    return np.unique(np.concatenate([_NO_ROWS, *found]))
