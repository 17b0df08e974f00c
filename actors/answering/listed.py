"""Which of a list is quoted: the whole, where only what leads to it says what is asked, else the item that says it.

"To open an account you need one of:" says nothing without its list, nor "a passport" without that sentence. The price
of a suede clean stands in one item of a price list.
"""

from collections.abc import Sequence

from actors.answering.candidates import Candidate, Led
from actors.answering.giving import EXACT
from actors.answering.matching import said_itself
from actors.answering.parts import Part
from language.listings import Listing, pieces
from language.sentences import clip

MOST_PIECES = 3
"""Quotations that a list may take; of a longer one the beginning is quoted."""

_SAID = 0.5
"""How far a sentence must match a word of the question to say it."""

Spans = list[tuple[int, int]]


def quoted_spans(
    part: Part, told: Candidate, beside: Sequence[Candidate], read: Sequence[Candidate]
) -> tuple[Spans, bool]:
    """Where a sentence is quoted: by itself, or with the list that it belongs to; and whether that goes on.

    `beside` are those that are quoted for the same part, with it; `read` all that bear on the part.
    """
    listing = told.leads or next(
        (each.listing for each in told.led if _is_needed(part, told, each, beside)), None
    )
    if listing is None:
        return [(told.start, told.end)], False
    text, sentences = told.source.text, told.source.sentences
    whole = pieces(text, sentences, listing)
    spans, goes_on = whole[:MOST_PIECES], len(whole) > MOST_PIECES or not listing.ended
    if len(whole) == 1 and not goes_on:
        return spans, False
    if named := _saying_most(part, told, listing, read):
        lead = sentences[listing.lead]
        opening = [] if listing.named else [clip(text, lead.start, lead.end)]
        return [*opening, *((each.start, each.end) for each in named)], False
    held = any(start <= told.start and told.end <= end for start, end in spans)
    return (spans, goes_on) if held else ([(told.start, told.end)], False)


def _is_needed(part: Part, item: Candidate, over: Led, beside: Sequence[Candidate]) -> bool:
    """Whether an item is quoted with its list: where what leads to that says something of what is asked that the item
    does not, or half of its steps are quoted anyway.

    A figure answers by itself if it says of what it is, and so does what stands under a heading. Whole sentences under
    one are quoted one by one.
    """
    says = _said(part, item)
    answers = any(term not in item.title for term in says)
    if part.seeks & EXACT and answers:
        return False
    items = [each for each in beside if any(led.listing == over.listing for led in each.led)]
    if (
        over.listing.counted
        and len(items) > 1
        and 2 * len(items) >= over.listing.last - over.listing.lead
    ):
        return True
    if over.listing.named and (answers or item.text.endswith((".", "。"))):
        return False
    return any(term in over.terms and term not in says for term in _asked(part))


def _saying_most(
    part: Part, told: Candidate, listing: Listing, read: Sequence[Candidate]
) -> list[Candidate]:
    """The items of a long list that say most of what is asked and what leads to them does not, at most so many."""
    lead = told.source.sentences[listing.lead]
    known = [each for each in read if each.source is told.source and each.start == lead.start]
    before = frozenset[str]().union(*(_said(part, each) for each in known))
    saying = {
        each.place: (len(said), each)
        for each in read
        if each.source is told.source and any(led.listing == listing for led in each.led)
        if (said := {term for term in _said(part, each) - before if term not in each.title})
    }
    most = max((number for number, _ in saying.values()), default=0)
    best = [saying[place][1] for place in sorted(saying) if saying[place][0] == most]
    return best if len(best) <= MOST_PIECES else []


def _asked(part: Part) -> frozenset[str]:
    return frozenset(each.term for each in part.wanted if each.strong and each.at >= 0)


def _said(part: Part, told: Candidate) -> frozenset[str]:
    """What is asked that a sentence says itself."""
    said = zip(part.wanted, said_itself(part, told), strict=True)
    return _asked(part) & {wanted.term for wanted, got in said if got >= _SAID}
