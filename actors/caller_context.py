"""What the caller says beside the question: what is known already, and what matters most."""

import re
from dataclasses import replace

from actors.answering.parts import Part, Wanted
from actors.answering.terms import Terms, Token
from language.sentences import sentences

_FOCUS = re.compile(r"\b(?:focus(?:ing)? on|interested in|especially|in particular)\b", re.I)
_KNOWS = re.compile(r"\b(?:already|I know|we know|I['’]ve read|we['’]ve read|aware)\b", re.I)


def known_already(context: str, terms: Terms) -> list[frozenset[str]]:
    """What the caller says to know: the terms of each such sentence."""
    return [
        frozenset(token.term for token in terms.tokens(said))
        for said in _said(context)
        if _KNOWS.search(said) and not _FOCUS.search(said)
    ]


def _said(context: str) -> list[str]:
    return [context[each.start : each.end] for each in sentences(context)]


def emphasis(context: str, terms: Terms) -> list[Token]:
    """What the caller says to be interested in most."""
    focus: list[Token] = []
    for said in _said(context):
        if about := _FOCUS.search(said):
            focus += terms.tokens(said[about.end() :])
    return focus[:8]


def emphasised(part: Part, focus: list[Token]) -> Part:
    """A part with the caller's emphasis: worth mentioning, never required."""
    have = {each.term for each in part.wanted}
    added: dict[str, Wanted] = {}
    for token in focus:
        if token.term not in have:
            extra = Wanted(token.term, None, token.surface, 0.3, strong=False, entity=0, at=-1)
            added.setdefault(token.term, extra)
    if not added:
        return part
    words = " ".join(each.surface for each in added.values())
    return replace(part, wanted=(*part.wanted, *added.values()), query=f"{part.query} {words}")
