"""Whether a sentence holds the kind of thing that is asked for."""

import re
from collections.abc import Sequence

from actors.answering.deeds import tells_a_deed
from actors.answering.figures import is_unit
from actors.answering.japanese.giving import given as given_in_japanese
from actors.answering.parts import Part
from actors.answering.rules import Rules
from actors.answering.seeking import Seeks
from actors.answering.senses import DEMONYM
from actors.answering.terms import Token

_PLACED = re.compile(
    r"\b(?:in|at|near|off|from|of|between|on|to|into)\s+(?:the\s+)?(?:[a-z]+\s+){0,2}[A-Z]"
    r"|\b(?:birthplace|capital|home|hometown|seat) (?:is|was) (?:the )?[A-Z]"
)
"""On the river Severn."""

_CLOSELY_PLACED = re.compile(
    r"\b(?:in|at|near|off|from|outside|between|into|around)\s+(?:the\s+)?(?:[a-z-]+\s+){0,2}"
    r"(?!January|February|March|April|May|June|July|August|September|October|November|December)[A-Z]"
    r"|\b(?:city|town|village|province|island|isle|state|county|district|region|coast|bank|shore|north|south|east|west|outskirts"
    r"|canton|port|bay|gulf|valley) of\s+(?:the\s+)?[A-Z]|\bon the (?:[a-z]+\s+){0,3}[A-Z]"
    r"|\b(?:birthplace|capital|home|hometown|seat) (?:is|was) (?:the )?[A-Z]|[県市町湾海峡]"
)
_COUNTRY = re.compile(r"\b(?:country|nation|nationality)\b", re.I)
_OF_A_COUNTRY = re.compile(rf"\b{DEMONYM}\b")

_BY_THE_CLOCK = re.compile(
    r"\b[0-2]?[0-9]:[0-5][0-9]\b|\b[0-9]{1,2}\s?[ap]\.?m\b|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b"
    r"|\bevery (?:[a-z]+ )?(?:day|night|week|month|year|hour|morning|evening|summer|winter|spring|autumn)s?\b"
    r"|\b(?:in|at) (?:the )?(?:spring|summer|autumn|winter|night|dawn|dusk|noon|midnight|morning|evening)\b"
    r"|\b(?:after|within|every|for) (?:about )?[0-9]+ (?:second|minute|hour|day|week|month|year)s?\b",
    re.I,
)
"""When something happens again and again is told by clock, day and season."""

HINTED: frozenset[Seeks] = frozenset({"manner", "reason", "effect"})
"""Kinds that are told by words which many other sentences have, too."""

EXACT: frozenset[Seeks] = frozenset({"number", "money", "date"})
_YEAR = re.compile(r"\b(?:1[0-9]{3}|20[0-9]{2})\b")
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_DAY = re.compile(rf"\b[0-9]{{1,2}} {_MONTH}\b|\b{_MONTH} [0-9]{{1,2}}\b")
_DEFINES = re.compile(
    r"\b(?:is|are|was|were) (?:an?|the|one|any|called|known|defined|where|when)\b"
    r"|\b(?:means|refers? to|known as|consists? of)\b|とは|と呼ぶ|である"
)
_GIVES: dict[Seeks, re.Pattern[str]] = {
    "person": re.compile("[A-Z]"),
    "number": re.compile(
        r"[0-9]|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty"
        r"|hundred|thousand|million|half|twice|third|quarter)\b",
        re.I,
    ),
    "money": re.compile(
        r"[$€£¥]|\b(?:dollars?|euros?|pounds?|francs?|cents?|pence|yen|USD|EUR|GBP)\b|[0-9]円|ドル",
        re.I,
    ),
    "date": re.compile(
        r"\b(?:1[0-9]{3}|20[0-9]{2})\b|\b[0-9]{1,4}\s*(?:BC|BCE|AD|CE)\b|\b\w+teenth century\b"
        r"|\b(?:January|February|March|April|May|June|July|August|September|October|November"
        r"|December)\b|[0-9]{1,4}年|[0-9]{1,2}(?:st|nd|rd|th) century|\bin [1-9][0-9]{2}\b"
    ),
    "place": re.compile(
        r"\b(?:in|at|near|off|from|of|between|on)\s+(?:the\s+)?[A-Z]|[県市町湾海峡]"
    ),
    "reason": re.compile(
        r",\s+so\b|\b(?:because|since|due to|caused?|owing to|so that|therefore|thus|as a result|in order to"
        r"|reason|why|makes?|leads? to|thanks to|for lack of)\b|ため|から|原因",
        re.I,
    ),
    "effect": re.compile(
        r"\b(?:kill|destroy|damag|reduc|increas|improv|disappear|return|declin|shrink|shr[au]nk|harm"
        r"|remov|recover|chang|caus|affect|disturb|protect|prevent|weaken|strengthen|worsen|replac"
        r"|pollut|suffer|rais|lower|turn|drove|driv|settl)(?:e|es|ed|ing|s|n)?\b"
        r"|\b(?:becomes?|became|lost|loss|grew|grows?|fell|falls?|rose|leads? to|results? in|fewer"
        r"|mortality|deaths?|smaller|larger|weaker|stronger|clearer|no longer|effects?|impacts?)\b",
        re.I,
    ),
    "manner": re.compile(
        r"\b(?:by \w+ing|through|when|using|as the|while|so that|by means of|with an?)\b|によ"
    ),
    "definition": _DEFINES,
    "topic": _DEFINES,
}


def _gives(kind: Seeks, said: str, tokens: Sequence[Token], part: Part) -> bool:
    """Whether a sentence holds the kind of thing that is asked for."""
    text = _YEAR.sub("", said) if kind == "number" else said
    given = _GIVES[kind].search(text)
    if not given:
        return False
    asked = {each.term for each in part.wanted if each.strong}
    if kind == "person":
        return any(not asked & {token.term for token in name} for name in _names(tokens))
    if kind in {"definition", "topic"}:
        head = {token.term for token in tokens if token.end <= given.start()}
        return len(head) <= 6 and len(asked & head) >= 0.6 * len(asked)
    return True


def counts(said: str) -> bool:
    """Whether a sentence has a figure beside its dates: the 26th of November does not tell how much or how many."""
    return _GIVES["number"].search(_YEAR.sub("", _DAY.sub("", said))) is not None


def _names(tokens: Sequence[Token]) -> list[list[Token]]:
    """The names in a sentence, each as its words."""
    names: list[list[Token]] = []
    last: Token | None = None
    for token in tokens:
        if token.name and not is_unit(token):
            if last and token.start - last.end <= 1:
                names[-1].append(token)
            else:
                names.append([token])
            last = token
    return names


def given(part: Part, said: str, tokens: Sequence[Token], rules: Rules) -> frozenset[Seeks]:
    """Which of the kinds that a part seeks a sentence holds."""
    if part.japanese is not None:
        asked = frozenset(each.term for each in part.wanted)
        return given_in_japanese(part.japanese, said, tokens, asked)
    kinds = {kind for kind in part.seeks if _gives(kind, said, tokens, part)}
    if rules.closer and "place" in part.seeks:
        country = _COUNTRY.search(part.text) and _OF_A_COUNTRY.search(said)
        kinds.discard("place")
        if country or _CLOSELY_PLACED.search(said):
            kinds.add("place")
    elif rules.chained and "place" in part.seeks:
        country = _COUNTRY.search(part.text) and _OF_A_COUNTRY.search(said)
        if country or _PLACED.search(said):
            kinds.add("place")
    if rules.exacting and "date" in part.seeks and _BY_THE_CLOCK.search(said):
        kinds.add("date")
    if rules.pointed and "effect" in part.seeks:
        kinds.discard("effect")
        if tells_a_deed(part, said, tokens):
            kinds.add("effect")
    return frozenset(kinds)
