"""Whether a sentence is worth quoting beside those that are chosen already.

A page on a club names the club in every other sentence. Beside one that tells what is asked of it, those that only name
it, or say the same words again less well, are read in vain.
"""

from collections.abc import Sequence

from actors.answering.candidates import Candidate
from actors.answering.matching import said_itself
from actors.answering.parts import Part
from actors.answering.relevance import Judge, Ranked

SAID = 0.5
"""How far a sentence must match a word of the question to say it."""

NEARLY_THE_BEST = 0.9
"""How much of the best sentence's relevance another must have to come before it, or beside it with the same words."""


def foremost(judge: Judge, part: Part, ranked: Sequence[Ranked]) -> Sequence[Ranked]:
    """The sentence that a part is answered with first: the best, or a close second that says what is asked where the
    best does not, and speaks no less of what is meant by a word like "it"."""
    if _is_told_otherwise(part) or part.steps or judge.asks_to_tell(part):
        return ranked[:1]
    close = (each for each in ranked if each.relevance >= NEARLY_THE_BEST * ranked[0].relevance)
    saying = (each for each in close if says_of_it(part, each.candidate))
    first = next((each for each in saying if _means_the_same(part, each, ranked[0])), None)
    return [first] if first else ranked[:1]


def in_vain(judge: Judge, part: Part, chosen: Sequence[Ranked], each: Ranked) -> bool:
    """Whether a further sentence of a part gives a reader nothing that those chosen for it, best first, do not."""
    if _is_told_otherwise(part) or not chosen:
        return False
    if judge.asks_to_tell(part):
        # How and why are told by several sentences, in whatever words.
        return not part.seeks and not _goes_on(chosen, each) and _repeats(part, chosen, each)
    best = chosen[0].candidate
    return says_of_it(part, best) and not says_of_it(part, each.candidate)


def says_of_it(part: Part, candidate: Candidate) -> bool:
    """Whether a sentence, or the heading over it, says anything of what is asked, and not only what its title tells."""
    said = zip(part.wanted, said_itself(part, candidate), strict=True)
    asked = [
        SAID if wanted.term in candidate.heading else got
        for wanted, got in said
        if wanted.strong
        and not wanted.entity
        and wanted.at >= 0
        and wanted.term not in candidate.title
    ]
    return not asked or max(asked) >= SAID


def _is_told_otherwise(part: Part) -> bool:
    """Whether a part is one side of a comparison, or in Japanese, which have rules of their own."""
    return part.side or part.japanese is not None


def _means_the_same(part: Part, each: Ranked, best: Ranked) -> bool:
    """Whether a sentence speaks as clearly as the best of what a part takes over from another: the barrage in "what
    does a barrage cost, and how much power does it give"."""
    told = zip(part.wanted, each.matches, best.matches, strict=True)
    return all(got >= known for wanted, got, known in told if wanted.at < 0)


def _goes_on(chosen: Sequence[Ranked], each: Ranked) -> bool:
    """Whether a sentence follows the best one in its paragraph: what is told at length is told by several."""
    best, further = chosen[0].candidate, each.candidate
    behind = further.source is best.source and further.place == best.place + 1
    return behind and further.sentence.block == best.sentence.block


def _repeats(part: Part, chosen: Sequence[Ranked], each: Ranked) -> bool:
    """Whether a sentence is no close second, and has no word of the question that was not quoted already."""
    if each.relevance >= NEARLY_THE_BEST * chosen[0].relevance:
        return False
    before = zip(*(said_itself(part, one.candidate) for one in chosen), strict=True)
    told = zip(part.wanted, before, said_itself(part, each.candidate), strict=True)
    return all(not wanted.strong or got - max(known) < SAID for wanted, known, got in told)
