"""Whether a sentence tells what something did: "what did the dam do to the river" is not answered by what a dam is."""

import re
from collections.abc import Sequence

from actors.parts import Part
from actors.terms import Token

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

_IS_SUCH = re.compile(
    r"[^.;:]{1,160}?\b(?:is|are|was|were)\s+(?:an?|the|one|among|located|situated)\b"
)
_DONE = re.compile(r"\b[a-z]{3,}(?:ed|es)\b|\b(?:gave|took|sent|held|left|put|threw|brought)\b")


def tells_a_deed(part: Part, said: str, tokens: Sequence[Token]) -> bool:
    """Whether a sentence tells what became of a thing, or what is acted upon stands behind a verb."""
    if _BECAME.search(said):
        return True
    if _IS_SUCH.match(said):
        return False
    asked = [each for each in part.wanted if each.strong and each.at >= 0]
    last = max((each.at for each in asked), default=-1)
    acted_upon = {each.term for each in asked if each.at == last}
    places = [token.start for token in tokens if token.term in acted_upon]
    return any(verb.end() < max(places, default=0) for verb in _DONE.finditer(said))
