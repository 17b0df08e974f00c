"""Whether a sentence tells what something did: "what did the dam do to the river" is not answered by what a dam is."""

import re
from collections.abc import Sequence

from actors.answering.parts import Part, Wanted
from actors.answering.terms import Token

_BECAME = re.compile(
    r"\b(?:kill|destroy|damag|reduc|increas|improv|disappear|return|declin|shrink|shr[au]nk|harm|remov|recover|chang"
    r"|caus|affect|disturb|protect|prevent|weaken|strengthen|worsen|replac|pollut|suffer|rais|lower|turn|driv|settl"
    r"|slow|block|flood|drown|wash|cool|warm|heat|erod|spread|threaten|displac|outcompet|stop|halt|allow|help|sav"
    r"|shorten|lengthen|doubl|halv|poison|injur|ruin|devastat|transform|convert|enrich|endanger|expos|trap|attract)"
    r"(?:e|es|ed|ing|s|n|ful|less|ous)?\b"
    r"|\b(?:becom(?:es?|ing)|became|lost|loss(?:es)?|grew|grows?|fell|falls?|rose|drove|leads? to|led to|results? in"
    r"|resulted in|fewer|mortality|deaths?|died|smaller|larger|weaker|stronger|clearer|cooler|warmer|no longer|safe"
    r"|effects?|impacts?|benefits?|dangers?|threats?)\b",
    re.I,
)
"""Words for what becomes of a thing that something is done to."""

_GOOD_OR_BAD = re.compile(
    r"\b(?:harm|danger|damag|benefi|poison|toxi|risk|hurt|kill|injur|suffer|threat|endanger|protect|improv|worsen"
    r"|heal|ruin|devastat|destroy|die[ds]?\b|deaths?\b|mortality|safe(?:ty|ly)?\b|unsafe|(?:good|bad)(?:ly)? for)\w*",
    re.I,
)
"""What says of a thing that it is good or bad for something."""

_JUDGING = re.compile(
    r"(?:bad(?:ly)?|worse|good|harm(?:ful|less)?|danger(?:ous)?|(?:un)?safe|(?:un)?healthy|beneficial|poisonous|toxic"
    r"|damage|hurt|risky)\Z",
    re.I,
)
_WORKING = re.compile(
    r"(?:(?:affect|impact|transform|alter)(?:s|ed)?|(?:change|influence)[sd]?|effects?|consequences?)\Z",
    re.I,
)

_IS_SUCH = re.compile(
    r"[^.;:]{1,160}?\b(?:is|are|was|were)\s+(?:an?|the|one|among|located|situated)\b"
)
_DONE = re.compile(r"\b[a-z]{3,}(?:ed|es)\b|\b(?:gave|took|sent|held|left|put|threw|brought)\b")
_UPON = re.compile(
    r"\b(?:do|does|did|done)\s+(?:to|for|with)\s+"
    r"|\b(?:affect|change|influence|alter|harm|help|damage|impact|hurt|benefit|transform)(?:s|d|ed)?\s+"
    r"|\b(?:effects?|impacts?|consequences?|influence)\b.*?\b(?:on|for)\s+|\bhappen(?:s|ed)?\s+to\s+"
    r"|\b(?:bad|good|harmful|dangerous|safe|healthy|unhealthy|beneficial|poisonous|toxic)\s+(?:for|to)\s+",
    re.I,
)
"""What stands before the thing that something is done to."""


def deed_sense(word: str) -> re.Pattern[str] | None:
    """What a sentence looks like that speaks of what a word asks for, where it is asked what something does."""
    if _JUDGING.match(word):
        return _GOOD_OR_BAD
    return _BECAME if _WORKING.match(word) else None


def tells_a_deed(part: Part, said: str, tokens: Sequence[Token]) -> bool:
    """Whether a sentence tells what became of a thing, or what is acted upon stands behind a verb."""
    if _BECAME.search(said):
        return True
    if _IS_SUCH.match(said):
        return False
    upon = {each.term for each in acted_upon(part)}
    places = [token.start for token in tokens if token.term in upon]
    return any(verb.end() < max(places, default=0) for verb in _DONE.finditer(said))


def brings_together(part: Part, said: str, own: frozenset[str]) -> bool:
    """Whether a sentence has what acts and what is acted upon, and does not only say what either is."""
    upon = {each.term for each in acted_upon(part)}
    both = upon & own and own & {each.term for each in _acting(part)}
    return bool(both) and not _IS_SUCH.match(said)


def names_a_side(part: Part, own: frozenset[str], matches: Sequence[float]) -> bool:
    """Whether a sentence names what acts, or speaks of what is acted upon: else its deed is another's."""
    upon, acting = acted_upon(part), _heads(_acting(part))
    if any(each.term in own for each in acting):
        return True
    # "Is coffee bad for you" names nothing that is acted upon: then what acts must be spoken of.
    pairs = zip(part.wanted, matches, strict=True)
    return any(got >= 0.5 for wanted, got in pairs if wanted in (upon or acting))


def acted_upon(part: Part) -> list[Wanted]:
    """The terms of what something is done to; none where the question names no such thing."""
    begins = [each.end() for each in _UPON.finditer(part.text)]
    return [each for each in part.wanted if begins and each.strong and each.at >= begins[-1]]


def _acting(part: Part) -> list[Wanted]:
    """The terms of what does it, apart from words that only ask whether that is good or bad."""
    upon = acted_upon(part)
    return [
        each
        for each in part.wanted
        if each.strong and each.at >= 0 and each not in upon and deed_sense(each.surface) is None
    ]


def _heads(terms: list[Wanted]) -> list[Wanted]:
    """Of words that stand side by side the last: a cane toad is a toad, and no cane."""
    begins = {each.at for each in terms}
    return [each for each in terms if each.at + len(each.surface) + 1 not in begins]
