"""Finds out that a question compares things, and what it wants to know of each."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from actors.answering.candidates import Candidate
from actors.answering.nesting import ROLES, step_about
from actors.answering.rules import PRESENT, Rules


@dataclass(frozen=True, slots=True)
class Side:
    """One of the things that are compared."""

    thing: str
    aspect: str
    steps: tuple[str, ...] = ()
    """What must be found out first, where that is not the thing itself."""

    whether: bool = False
    """Whether it is asked if the first side comes before the other, and not which of them does."""

    @property
    def text(self) -> str:
        """As a question of its own."""
        return f"{self.thing}: {self.aspect}" if self.aspect else self.thing


@dataclass(frozen=True, slots=True)
class ToldSide:
    """One of the things that are compared, and what is quoted for it."""

    thing: str
    aspect: str
    told: Sequence[Candidate]
    """The leading sentence of each quotation, in order."""

    whether: bool = False


LONGEST = 300
_NAME = r"(?:the\s+)?[\"“]?[A-Z0-9][^,;:?]*?"
_NAME_IN_FULL = r"[A-Z0-9][^\s,;:?]*(?:\s(?:of\s|the\s|de\s)*[A-Z0-9][^\s,;:?]*)+"
"""Of more than one word: Lewis and Clark are not two that each have a page."""

_AUX = r"(?:are|were|is|was|do|does|did|have|has|can|could|will|would)"
_OF_SEVERAL = r"(?:are|were|do|have)"
"""Auxiliaries that say that a name with an "and" in it is two names."""

_CUE = r"(?:both|same|common|share[ds]?|alike|similar)"
_LOOSE_CUE = rf"(?:(?=.*\b{_OF_SEVERAL}\b).*\b(?:each|different|also|either|all|two)\b)"
"""Words that may speak of something else: of two actors in "Romeo and Juliet"."""

_CHOICES = tuple(
    re.compile(pattern)
    for pattern in (
        r"^(?P<on>(?:[Ww]hich|[Ww]ho|[Ww]hose|[Ww]hat|[Ii]n which|[Oo]f which)\b.+?)[,:]\s*(?:the )?(?P<a>[^,]+?),?"
        r"\s+or\s+(?P<b>[^,]+)$",
        rf"^(?:[Bb]etween|[Oo]ut of)\s+(?P<a>{_NAME})\s+(?:and|or)\s+(?P<b>{_NAME}),\s*(?P<on>.+)$",
        rf"^(?P<on>(?:[Ww]hich|[Ww]ho)\b[^,]*?\b[a-z]+)\s+(?:between\s+)?(?P<a>{_NAME})\s+or\s+(?P<b>{_NAME})$",
        rf"^(?P<a>{_NAME})\s+or\s+(?P<b>{_NAME})[,:]\s*(?P<on>(?:which|who)\b.+)$",
        rf"^(?P<aux>(?:Is|Was|Did|Does|Has))\s+(?P<a>{_NAME})\s+or\s+(?P<b>{_NAME})\s+(?P<on>[a-z].+)$",
    )
)
_IN_COMMON = (
    r"(?P<on>(?:both\s+)?(?:from|of|in|born\s+(?:in|on)|come\s+from|share|have|hold|has|originate\s+from)\s+"
    r"(?:the\s+|an?\s+)?(?:same|different|similar|common)\b.*|both\s.*)"
)
"""How a question goes on behind two titles; a title may have any of these words but not with "the same"."""

_WORKS = r"(?:films?|movies?|songs?|books?|novels?|albums?|plays?|operas?|series)"
_MAKERS = (
    re.compile(
        rf"^{_AUX}\s+(?:the\s+)?(?P<role>{ROLES})\s+of\s+(?P<a>.+?)\s+and\s+(?:the\s+)?(?P=role)\s+of\s+(?P<b>.+?),?\s+"
        rf"{_IN_COMMON}$",
        re.I,
    ),
    re.compile(
        rf"^{_AUX}\s+(?:both\s+)?(?:the\s+)?(?P<role>{ROLES})s\s+of\s+(?:both\s+)?(?:the\s+)?(?:{_WORKS},?\s+)?"
        rf"(?P<a>.+?)\s+and\s+(?P<b>.+?),?\s+{_IN_COMMON}$",
        re.I,
    ),
)
_VERB = r"is|was|are|were|has|had|have|did|does|came|won|[a-z]+ed"
_DEGREE = r"(?:first|last|more|most|less|least|[a-z]{3,}er|[a-z]{3,}est)"
_FURTHER_CHOICES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^(?:[Oo]f|[Aa]mong|[Bb]etween|[Oo]ut of)\s+(?P<a>{_NAME})\s+(?:and|or)\s+(?P<b>{_NAME}),?\s+"
        rf"(?P<on>(?:which|who)\s+(?:one\s+|of\s+them\s+)?(?:{_VERB})\b.+|(?:which|what|whose)\s.*\b{_DEGREE}\b.*)$",
        rf"^[Ii]n between\s+(?P<a>{_NAME})\s+(?:and|or)\s+(?P<b>{_NAME}),?\s+(?P<on>(?:which|who)\b.+)$",
        rf"^(?P<on>(?:[Ww]hich|[Ww]hat)\s+(?:[a-z]+\s*){{1,3}}),\s*(?P<a>{_NAME})\s+or\s+(?P<b>{_NAME}),\s*(?P<rest>[a-z].+)$",
        rf"^(?P<on>[Ww]h(?:at|ich)\s+(?:[a-z]+\s+){{1,2}}(?:are|were|do|have)|[Ww]here\s+(?:are|were))\s+(?:the\s+)?"
        rf"(?:[a-z]+\s+){{0,3}}(?P<a>{_NAME_IN_FULL})\s+and\s+(?P<b>{_NAME_IN_FULL})(?P<rest>\s+[a-z][a-z ]*)?$",
        rf"^(?P<on>(?:[Ww]hich|[Ww]ho))\s+(?:one\s+)?(?:of|between|among)\s+(?P<a>{_NAME})\s+(?:and|or)\s+(?P<b>{_NAME})"
        rf",?\s+(?P<rest>(?:{_VERB})\b.+)$",
        r"^(?P<on>(?:[Ww]hat|[Ww]hich|[Ww]ho|[Ww]here)\b[^,:]+)[,:]\s*(?:in\s+)?(?:the\s+)?(?P<a>[^,]+?),?\s+or\s+"
        r"(?:in\s+)?(?:the\s+)?(?P<b>[^,]+)$",
    )
)
_WHETHER = re.compile(
    rf"^(?P<aux>Is|Was|Did|Does|Do|Are|Were|Has|Have)\s+(?:the\s+)?(?:[a-z]+\s+)?(?P<a>{_NAME})\s+"
    rf"(?P<on>[a-z][a-z ]*?\s?(?:than|before|after))\s+(?:the\s+)?(?:[a-z]+\s+)?(?P<b>{_NAME})"
    r"(?P<rest>\s+(?:did|was|is|does|has))?$"
)
_ROLES_OF_BOTH = re.compile(
    rf"^{_AUX}\s+both\s+(?:the\s+)?(?P<role>[a-z]+?)s\s+of\s+(?:the\s+)?(?:films?|movies?|songs?|books?|novels?|albums?)?\s*"
    rf"(?P<a>.+?)\s+and\s+(?P<b>.+?)\s+(?P<on>(?:from|share|have|of|come|hold|born|the same)\b.*)$",
    re.I,
)
_ROLE_AND_ROLE = re.compile(
    rf"^{_AUX}\s+(?:the\s+)?(?P<role>[a-z]+)\s+of\s+(?P<a>.+?)\s+and\s+(?:the\s+)?(?P=role)\s+of\s+(?P<b>.+?)\s+"
    rf"(?P<on>(?:from|share|have|of|both|come|hold|born|the same)\b.*)$",
    re.I,
)
_FILMS_WITH = re.compile(
    rf"^{_AUX}\s+(?:both\s+)?(?:the\s+)?(?:films?|movies?|songs?|books?|novels?|albums?)[,:]?\s+(?P<a>.+?)\s+and\s+(?P<b>.+?),?\s+"
    rf"(?P<on>(?:have|share|has)\b.*)$",
    re.I,
)
_KIND_WORD = re.compile(
    r"^(?:the\s+)?(?:films?|movies?|songs?|books?|novels?|albums?|bands?|magazines?|towns?|cities|genera|genus|plants?)\s+(?=[A-Z\"“])"
)


def compared(clause: str, rules: Rules = PRESENT) -> list[Side]:
    """The sides of a comparison; none where nothing is compared."""
    if len(clause) > LONGEST:
        return []
    sides = _sides_by_makers(clause) if rules.closer else []
    sides = sides or _sides(clause)
    if not sides and rules.closer:
        sides = _further_sides(clause)
    things = {side.thing.casefold() for side in sides}
    # Johnson and Johnson are one, and between 1914 and 1918 is a time.
    return sides if len(things) > 1 and not all(map(_NUMBER.fullmatch, things)) else []


def _sides(clause: str) -> list[Side]:
    for pattern in (_ROLE_AND_ROLE, _ROLES_OF_BOTH):
        if match := pattern.match(clause):
            return [
                Side(
                    f"{match['role']} of {_named(match[side])}",
                    match["on"],
                    (f"{match['role']} of {_named(match[side])}", match["on"]),
                )
                for side in ("a", "b")
            ]
    if match := _FILMS_WITH.match(clause):
        sides = [_side(match[side], match["on"]) for side in ("a", "b")]
        if all(side.steps for side in sides):
            return sides
    for pattern in _CHOICES:
        match = pattern.match(clause)
        if match and all(len(match[side].split()) <= 12 for side in ("a", "b")):
            return [_side(match[side], match["on"]) for side in ("a", "b")]
    return _sides_of_both(clause)


def _sides_by_makers(clause: str) -> list[Side]:
    for pattern in _MAKERS:
        if match := pattern.match(clause):
            sides = [f"{match['role']} of {_named(match[side])}" for side in ("a", "b")]
            return [Side(side, match["on"], (side, match["on"])) for side in sides]
    return []


def _further_sides(clause: str) -> list[Side]:
    """ "Of A and B, which …", "Is A older than B"."""
    for pattern in _FURTHER_CHOICES:
        if match := pattern.match(clause):
            aspect = " ".join(f"{match['on']} {match.groupdict().get('rest') or ''}".split())
            return [_side(match[side], aspect) for side in ("a", "b")]
    if match := _WHETHER.match(clause):
        aspect = f"{match['aux'].casefold()} {match['on']}"
        return [replace(_side(match[side], aspect), whether=True) for side in ("a", "b")]
    return []


def _sides_of_both(clause: str) -> list[Side]:
    """ "Are A and B both …", "A and B are both what": two names beside each other, and a word that asks about both."""
    opening = _OPENING.match(clause)
    for joint in re.finditer(r"\s+and\s+", clause):
        before, after = clause[: joint.start()], clause[joint.end() :]
        first = _NAME_BEFORE.search(before, opening.end() if opening else 0)
        second = _NAME_AFTER.match(after)
        if not first or not second:
            continue
        start = first.start("name")
        around = f"{before[:start]} {after[second.end() :]}"
        yes_or_no = re.match(
            rf"\s*{_OF_SEVERAL}\b\s*(?:both\b)?\s*(?:the\s)?\s*(?:[a-z]+\s)?\s*$",
            before[:start],
            re.I,
        )
        if yes_or_no or re.search(rf"\b{_CUE}\b|^{_LOOSE_CUE}", around, re.I):
            aspect = " ".join(re.sub(rf"^\s*{_AUX}\b", "", around, flags=re.I).split())
            aspect = re.sub(r"^the\s+(?=[a-z])", "", aspect.strip(" ,:"))
            other = second["name"]
            if aspect in {"", "both"} and (within := _WITHIN.search(other)):
                other, aspect = other[: within.start()], f"{aspect}{other[within.start() :]}"
            return [_side(name, aspect) for name in (first["name"], other)]
    return []


_NUMBER = re.compile(
    r"(?:(?:[0-9]{1,2} )?(?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december) )?[0-9][0-9.,]*(?: ?(?:bce?|ad|ce|%))?"
)
_WITHIN = re.compile(r"\s(?:in|from|at|on|by)\s")
"""Are A and B in England."""

_OPENING = re.compile(
    rf"(?:(?:in|at|on|for|to|by|from)\s+)?(?:{_AUX}|how|what|when|where|which|who|whose)\b", re.I
)
_PARTICLE = r"(?:of|the|de|du|van|von|der|la|le|for|in|on|a|an|to|&|at|with|from|by|and)"
_WORD = r"[\"“\u2018(]?[A-Z0-9][^\s,;:]*"
_NAME_BEFORE = re.compile(
    rf"(?:^|(?<=\s))(?P<name>{_WORD}(?:\s+(?:{_PARTICLE}\s+){{0,2}}{_WORD})*)$"
)
_NAME_AFTER = re.compile(
    rf"(?:both\s+)?(?:the\s+)?(?:[a-z]+\s+)?(?P<name>{_WORD}(?:\s+(?:{_PARTICLE}\s+){{0,2}}{_WORD})*)"
)


def _side(thing: str, aspect: str) -> Side:
    name = _named(thing)
    return Side(name, aspect.strip(" ,"), step_about(name, aspect))


def _named(thing: str) -> str:
    name = re.sub(r"^the\s+", "", thing.strip(" ,.?"))
    return _KIND_WORD.sub("", name.strip(' ,.?"“”'))
