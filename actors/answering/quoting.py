"""Chooses the sentences an answer is made of, and the places they are quoted from."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from actors.answering.candidates import Candidate, Source
from actors.answering.companions import foremost, in_vain
from actors.answering.figures import Figure, conflict, counts, figures, shared_terms, sum_alone
from actors.answering.listed import quoted_spans
from actors.answering.matching import alike, jointly
from actors.answering.parts import Part
from actors.answering.relevance import Judge, Ranked
from actors.answering.rules import PRESENT, Rules
from actors.answering.seeking import Seeks
from actors.answering.terms import Terms
from language.sentences import QUOTABLE

SAME = 0.7
"""Sentences that share this much say the same."""

MET = 0.5
"""A part that is covered less than this is not answered, only touched upon…"""

ASIDE = 2
"""…and then so few quotations do."""

NEARLY_THE_BEST, NEARLY_AS_GOOD = 0.92, 0.85
"""How much of the best sentence's relevance another must have where each says by itself what is asked: for one fact,
and for what is told at length."""

MOST_DISPUTES = 3

_FACTS = frozenset({"number", "money", "date", "person", "place", "definition"})
TOLD_AT_LENGTH = frozenset({"manner", "reason", "effect", "topic"})
_WIDTH = {"shallow": 0.72, "balanced": 0.65, "deep": 0.50}
"""How much of the best sentence's relevance a quoted one must have, by depth."""


@dataclass(slots=True)
class Quote:
    """Words that go into the answer."""

    part: int
    source: Source
    start: int
    end: int
    lead: Candidate
    """The sentence it was chosen for."""

    support: list[Candidate] = field(default_factory=list)
    """Sentences of other sources that say the same."""

    goes_on: bool = False
    """It is a list of which only the beginning is quoted."""

    against: list["Quote"] = field(default_factory=list)
    """Quotes that say otherwise."""

    @property
    def text(self) -> str:
        """As it stands in its source."""
        return self.source.text[self.start : self.end]

    def holds(self, told: "Candidate | Quote") -> bool:
        """Whether a sentence, or another quotation, is in it."""
        inside = self.start <= told.start and told.end <= self.end
        return inside and self.source is told.source


@dataclass(frozen=True, slots=True)
class Dispute:
    """Two quotes that give different figures for the same thing."""

    one: Quote
    other: Quote
    figures: tuple[str, str]
    topic: str


def choose(
    judge: Judge,
    parts: list[Part],
    ranked: list[list[Ranked]],
    most: int,
    depth: str,
    chains: Mapping[int, list[Ranked]] = MappingProxyType({}),
    rules: Rules = PRESENT,
) -> list[Quote]:
    """Sentences by relevance, by what they add, and against what is said already.

    Every part is given its best sentence first, even where two parts share it; a part that a chain of sentences
    answers is given that chain, and nothing else. That much is given even where it is more than was to be quoted:
    a chain without its end answers nothing, and a part without a sentence would look as if nothing was found.
    """
    first = [
        chains.get(number) or (foremost(judge, part, found) if rules.everyday else found[:1])
        for number, (part, found) in enumerate(zip(parts, ranked, strict=True))
    ]
    chosen = [(number, each) for number, told in enumerate(first) for each in told]
    if not rules.chained:
        chosen = chosen[:most]
    covered = [_covered_by(number, part, chosen) for number, part in enumerate(parts)]
    share = max(2, math.ceil(most / len(parts)))
    while len(chosen) < most:
        best: tuple[float, int, Ranked] | None = None
        for number, part in enumerate(parts):
            if number in chains or (part.side and depth != "deep"):
                continue
            mine = [each for other, each in chosen if other == number]
            floor = _floor(judge.coverage(part, covered[number]), part, depth)
            given = frozenset[Seeks]().union(*(each.gives for each in mine))
            enough = share if judge.coverage(part, covered[number]) >= MET else ASIDE
            for each in ranked[number] if len(mine) < enough else []:
                new = _added(judge, part, covered[number], each)
                new += 0.15 if each.gives - given else 0.0
                again = any(one.candidate.source is each.candidate.source for one in mine)
                if rules.chained and again and _adds_nothing(part, covered[number], each):
                    continue
                if rules.everyday and in_vain(judge, part, mine, each):
                    continue
                gain = _gain(each, ranked[number][0], new, floor, chosen, rules)
                if gain is not None and (best is None or gain > best[0]):
                    best = gain, number, each
        if best is None:
            break
        _, number, taken = best
        chosen.append((number, taken))
        covered[number] = tuple(map(max, covered[number], taken.matches))
    return _quotes(chosen, parts, ranked, rules)


def _adds_nothing(part: Part, covered: tuple[float, ...], each: Ranked) -> bool:
    """Whether a further sentence about a name says nothing more of what is asked about it."""
    if part.seeks & TOLD_AT_LENGTH or not any(wanted.entity for wanted in part.wanted):
        return False
    told = zip(part.wanted, covered, each.matches, strict=True)
    return all(wanted.entity or got - before < 0.25 for wanted, before, got in told)


def _covered_by(number: int, part: Part, chosen: list[tuple[int, Ranked]]) -> tuple[float, ...]:
    first = next((each.matches for other, each in chosen if other == number), None)
    return first or tuple(0.0 for _ in part.wanted)


def _likeness(each: Ranked, chosen: list[tuple[int, Ranked]], rules: Rules) -> float:
    compare = sameness if rules.exacting else alike
    return max((compare(each.candidate, one.candidate) for _, one in chosen), default=0.0)


def sameness(one: Candidate, other: Candidate) -> float:
    """How alike two sentences are; those of two sources with other figures do not say the same."""
    mine, theirs = ({token.term for token in each.tokens if token.number} for each in (one, other))
    differ = one.source is not other.source and mine - theirs and theirs - mine
    return min(alike(one, other), SAME - 0.01) if differ else alike(one, other)


def _floor(covered: float, part: Part, depth: str) -> float:
    if part.japanese:
        return NEARLY_THE_BEST if part.seeks & _FACTS else NEARLY_AS_GOOD
    if covered > 0.85 and part.seeks & _FACTS:
        return max(_WIDTH[depth], 0.8)  # Answered: only what is nearly as good may follow.
    return _WIDTH[depth]


def _added(judge: Judge, part: Part, covered: tuple[float, ...], each: Ranked) -> float:
    """How much more of its part would be covered with a sentence than without it."""
    after = tuple(map(max, covered, each.matches))
    return judge.coverage(part, after) - judge.coverage(part, covered)


def _gain(
    each: Ranked,
    top: Ranked,
    new: float,
    floor: float,
    chosen: list[tuple[int, Ranked]],
    rules: Rules,
) -> float | None:
    """What quoting a sentence is worth; none where it should not be quoted."""
    likeness = _likeness(each, chosen, rules)
    if likeness >= SAME or each.relevance < floor * top.relevance:
        return None
    return round(each.relevance + 0.3 * new - 0.4 * likeness, 6)


# -- spans -----------------------------------------------------------------------------------------


def _quotes(
    chosen: list[tuple[int, Ranked]], parts: list[Part], ranked: list[list[Ranked]], rules: Rules
) -> list[Quote]:
    quotes: list[Quote] = []
    for number, each in sorted(chosen, key=lambda pair: pair[0]):
        lead = each.candidate
        spans, more = [(lead.start, lead.end)], False
        if rules.lists:
            beside = [one.candidate for other, one in chosen if other == number]
            read = [one.candidate for one in ranked[number]]
            spans, more = quoted_spans(parts[number], lead, beside, read)
        told = [Quote(number, lead.source, start, end, lead) for start, end in spans]
        told[-1].goes_on = more
        for quote in told:
            if quote.start == lead.start:
                _lean_back(quote)
            if rules.lists:
                _take_up(quotes, quote)
            elif not any(_merge(other, quote) for other in quotes):
                quotes.append(quote)
    for quote in quotes:
        # Of a list in several pieces, the one that it was chosen for has the second witnesses.
        if quote.holds(quote.lead):
            quote.support = _support(quote, ranked[quote.part], quotes, rules)
    return quotes


def _take_up(quotes: list[Quote], quote: Quote) -> None:
    """Add a quotation, in the place of those of its part that it holds: items of a list that is quoted whole."""
    held = [each for each in quotes if each.part == quote.part and quote.holds(each)]
    if held:
        quotes.insert(quotes.index(held[0]), quote)
        quotes[:] = [each for each in quotes if not any(each is one for one in held)]
    elif not any(_merge(other, quote) for other in quotes):
        quotes.append(quote)


def _lean_back(quote: Quote) -> None:
    """Begin a quotation that points back with the sentence it points to."""
    place = quote.lead.place
    if not quote.lead.leans or quote.lead.stands or not place:
        return
    before, here = quote.source.sentences[place - 1], quote.source.sentences[place]
    fits = quote.end - before.start <= QUOTABLE
    if before.block == here.block and before.kind in {"prose", "item"} and fits:
        quote.start = before.start


def _merge(into: Quote, quote: Quote) -> bool:
    """Join two quotations of one part that touch or overlap, where the whole fits."""
    if into.source is not quote.source or into.part != quote.part:
        return False
    start, end = min(into.start, quote.start), max(into.end, quote.end)
    between = quote.source.text[min(into.end, quote.end) : max(into.start, quote.start)]
    same = into.lead.sentence.block == quote.lead.sentence.block
    if between.strip() or not same or end - start > QUOTABLE:
        return into.start <= quote.start and quote.end <= into.end
    if into.lead.sentence.kind == "table":
        return False
    into.start, into.end = start, end
    return True


# -- second witnesses and disagreement -------------------------------------------------------------


def _support(
    quote: Quote, ranked: list[Ranked], quotes: list[Quote], rules: Rules
) -> list[Candidate]:
    """Sentences of other sources that say the same as a quotation, at most two."""
    lead = quote.lead
    figured = {token.term for token in lead.tokens if token.number}
    said, used = {squeezed(lead.text)}, {lead.source.order}
    found: list[Candidate] = []
    for other in (each.candidate for each in ranked):
        theirs = {token.term for token in other.tokens if token.number}
        same = len(lead.terms & other.terms) >= 3 and jointly(lead, other) >= 0.35
        if other.source.order in used or not same or (figured and not figured & theirs):
            continue
        if rules.chained and _of_another(lead, other):
            continue
        # A copy is no second witness, and what is quoted elsewhere speaks for itself there.
        if squeezed(other.text) in said or any(one.holds(other) for one in quotes):
            continue
        said.add(squeezed(other.text))
        used.add(other.source.order)
        found.append(other)
    return found[:2]


def _of_another(one: Candidate, other: Candidate) -> bool:
    """Whether two sentences speak of different things by name, however alike their words are."""
    mine, theirs = (
        each.title_names | {token.term for token in each.tokens if token.name}
        for each in (one, other)
    )
    return bool(mine - theirs) and bool(theirs - mine)


def find_disputes(
    ranked: list[list[Ranked]], quotes: list[Quote], terms: Terms, rules: Rules = PRESENT
) -> list[Dispute]:
    """Disagreements among what bears on the question.

    At least one side is quoted already; the other side is put right after it.
    """
    relevant: dict[tuple[int, int], Candidate] = {}
    for part in ranked:
        for each in part:
            if each.relevance >= 0.5 * part[0].relevance:
                relevant[each.candidate.source.order, each.candidate.start] = each.candidate
    told = {
        key: figures(each.text, each.tokens, each.above, terms) for key, each in relevant.items()
    }
    if rules.counts_whole:
        told = {key: [each for each in found if counts(each)] for key, found in told.items()}
    found: list[Dispute] = []
    for quote in list(quotes):
        for key in sorted(relevant):
            rival = relevant[key]
            if rival.source is quote.source or len(found) == MOST_DISPUTES:
                continue
            mine = told.get((quote.lead.source.order, quote.lead.start), [])
            clash = conflict(mine, told[key], terms)
            if clash and not any(_settled(quote, rival, dispute) for dispute in found):
                if rules.sums_alone:
                    clash = sum_alone(clash[0]), sum_alone(clash[1])
                found.append(_dispute(quote, rival, clash, quotes, terms))
    return found


def _settled(quote: Quote, rival: Candidate, dispute: Dispute) -> bool:
    """Whether these two sources are known to disagree already."""
    pair = {dispute.one.source.order, dispute.other.source.order}
    return pair == {quote.source.order, rival.source.order}


def _dispute(
    quote: Quote,
    rival: Candidate,
    clash: tuple[Figure, Figure],
    quotes: list[Quote],
    terms: Terms,
) -> Dispute:
    facing = next((each for each in quotes if each.holds(rival)), None)
    if facing is None:
        facing = Quote(quote.part, rival.source, rival.start, rival.end, rival)
        quotes.insert(quotes.index(quote) + 1, facing)
    for one, other in ((quote, facing), (facing, quote)):
        one.against.append(other)
        one.support = [each for each in one.support if each.source is not other.source]
    topic = _topic(quote.lead, clash[0], shared_terms(*clash, terms))
    return Dispute(quote, facing, (clash[0].shown, clash[1].shown), topic)


def _topic(candidate: Candidate, figure: Figure, shared: frozenset[str]) -> str:
    """What a disputed figure is about: the words around it that both sides have."""
    words = [token for token in candidate.tokens if token.term in shared]
    phrase = candidate.text[words[0].start : words[-1].end]
    if len(phrase) > 120:
        phrase = " ".join(dict.fromkeys(token.surface for token in words))
    return phrase.replace(figure.shown, "…")


def squeezed(text: str) -> str:
    """Letters and digits only: equal for copies of one sentence."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())
