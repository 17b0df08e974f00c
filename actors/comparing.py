"""Finds out that a question compares things, and what it wants to know of each."""

import re
from dataclasses import dataclass

from actors.nesting import step_about


@dataclass(frozen=True, slots=True)
class Side:
    """One of the things that are compared."""

    thing: str
    aspect: str
    steps: tuple[str, ...] = ()
    """What must be found out first, where that is not the thing itself."""

    @property
    def text(self) -> str:
        """As a question of its own."""
        return f"{self.thing}: {self.aspect}" if self.aspect else self.thing


LONGEST = 300
_NAME = r"(?:the\s+)?[\"“]?[A-Z0-9][^,;:?]*?"
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


def compared(clause: str) -> list[Side]:
    """The sides of a comparison; none where nothing is compared."""
    sides = _sides(clause) if len(clause) <= LONGEST else []
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
