"""How far a sentence speaks of what a part of a question wants, and how much two sentences have in common."""

from actors.answering.candidates import Candidate
from actors.answering.giving import EXACT
from actors.answering.parts import Part, Wanted


def matched(
    part: Part, candidate: Candidate, about: frozenset[str] = frozenset()
) -> tuple[float, ...]:
    """How far a sentence speaks of each term that a part wants; `about`: titles of pages on what the part names."""
    asked = {wanted.term for wanted in part.wanted}
    # A title that names something else besides does not settle what a sentence is about.
    named = 0.55 if candidate.title_names - asked else 0.85
    named = 1.0 if candidate.passage.title in about else named
    measures = candidate.measures if part.seeks & EXACT else frozenset[str]()
    return tuple(_match(wanted, candidate, named, measures) for wanted in part.wanted)


def _match(wanted: Wanted, candidate: Candidate, named: float, measures: frozenset[str]) -> float:
    """1 by the word itself, less by its setting."""
    if wanted.term in candidate.terms:
        return 0.4 if wanted.kinship and wanted.term in candidate.owners else 1.0
    if wanted.entity and wanted.term in candidate.title:
        return named  # A document about it need not name it in every sentence.
    if wanted.kin is not None and wanted.kin in candidate.kin:
        return 0.75
    if wanted.measured & measures:
        return 0.75
    if wanted.sense is not None and wanted.sense.search(candidate.text):
        return 0.75
    if wanted.term in candidate.heading:
        return 0.75
    if wanted.term in candidate.above:
        return 0.55
    if wanted.entity and wanted.term in candidate.filed:
        return 0.55
    if wanted.term in candidate.before:
        return 0.3 if candidate.stands else 0.55 if candidate.leans else 0.45
    if wanted.term in candidate.earlier:
        return 0.4
    if wanted.kin is not None and wanted.kin in candidate.above_kin:
        return 0.4
    return 0.0


def jointly(one: Candidate, other: Candidate) -> float:
    """How much of what two sentences say together both of them say."""
    together = one.terms | other.terms
    return len(one.terms & other.terms) / len(together) if together else 0.0


def alike(one: Candidate, other: Candidate) -> float:
    """How much of the shorter sentence is in the other."""
    if not one.terms or not other.terms:
        return 0.0
    return len(one.terms & other.terms) / min(len(one.terms), len(other.terms))


def nearness(part: Part, candidate: Candidate) -> float:
    """1 when the matched words stand side by side, towards 0 the farther they are scattered."""
    asked = {each.term for each in part.wanted}
    places = [place for place, token in enumerate(candidate.tokens) if token.term in asked]
    if len(places) < 2:
        return 0.0
    return len(places) / (places[-1] - places[0] + 1)


def said_itself(part: Part, candidate: Candidate) -> tuple[float, ...]:
    """The same by what a sentence says itself or its title names, whatever stands around it."""
    measures = candidate.measures if part.seeks & EXACT else frozenset[str]()
    return tuple(_said(wanted, candidate, measures) for wanted in part.wanted)


def _said(wanted: Wanted, candidate: Candidate, measures: frozenset[str]) -> float:
    if wanted.term in candidate.terms:
        return 0.4 if wanted.kinship and wanted.term in candidate.owners else 1.0
    if wanted.entity and wanted.term in candidate.title:
        return 1.0
    kin = wanted.kin is not None and wanted.kin in candidate.kin
    sense = wanted.sense is not None and bool(wanted.sense.search(candidate.text))
    return 0.75 if kin or sense or wanted.measured & measures else 0.0
