"""Senses that depend on the rest of the question: where somebody was born is not told by the dates of a life.

What nothing is said of here has the sense that `actors.answering.senses` gives it in any question.
"""

import re
from functools import cache

from actors.answering.senses import LIFE, sense_of

_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
)
_PLACE = rf"(?:the\s+)?(?:[a-z-]+\s+){{0,3}}(?!{_MONTH})[A-Z]"
_WHERE = (
    r"\b(?:where|place of|birthplace|hometown)\b|\b(?:what|which|same) (?:[\w-]+ ){0,2}(?:city|town|village|country"
    r"|county|state|place|district|province|region|island|borough|municipality|hospital)\b"
)
_WHY = r"\bcause of\b|\bwhy\b|\bhow (?:did|was|were)\b|\bof what\b|\bwhat (?:illness|disease)\b"
_FOUNDED = (
    r"\b(?:[Ff]ound|[Ee]stablish|[Ff]orm|[Ll]aunch|[Oo]pen|[Ss]tart|[Ii]ncorporat|[Bb]uilt|[Cc]harter|[Ii]ntroduc)\w*\b"
    r"|\bset up\b|\b[Bb]eg[au]n\b"
)

_IN_QUESTIONS: tuple[tuple[str, str, str], ...] = (
    (
        "born birth birthplace hometown",
        _WHERE,
        rf"\b[Bb]orn\b[^.;]{{0,90}}?\b(?:in|at|near|on)\s+{_PLACE}|\bbirthplace\b|\bnative of\b|\bhails? from\b"
        r"|\b[Gg]rew up in\b|\bc(?:ame|omes) from\b|\braised in\b",
    ),
    (
        "die died dies death",
        _WHERE,
        rf"\b(?:died|killed|executed|drowned|murdered)\b[^.;]{{0,60}}?\b(?:in|at|near|on)\s+{_PLACE}"
        rf"|\bdeath (?:in|at)\s+{_PLACE}"
        r"|\bwhere (?:he|she|they) (?:was |were )?(?:died|killed)\b",
    ),
    (
        "die died dies death killed",
        _WHY,
        r"\bdied (?:of|from|after|when|while|by|in an?)\b|\b(?:killed|shot|suicide|executed|drowned|murdered"
        r"|assassinated|beheaded|poison\w*)\b|\bcause of death\b",
    ),
    (
        "older younger oldest youngest newer",
        r".",
        rf"\bborn\b|\bbirth|{LIFE}|{_FOUNDED}",
    ),
    (
        "taller tallest higher highest height high tall",
        r".",
        r"(?i:\b(?:tall|height|high|elevation|altitude|summit|rises?|above sea level|storeys?|stor(?:y|ies))\b)",
    ),
    (
        "longer longest long length",
        r"^(?!.*\blived longer\b)",
        r"(?i:\b(?:long|length|lasted|runs? for|stretch\w*)\b)",
    ),
    (
        "heavier heaviest lighter weigh weighs weight heavy",
        r".",
        r"(?i:\b(?:weigh\w*|mass|kg|kilograms?|tonnes?|tons?|pounds|lb)\b)",
    ),
    ("deeper deepest deep depth", r".", r"(?i:\b(?:deep|depth)\b)"),
    ("seat seats capacity", r".", r"(?i:\b(?:seat\w*|capacity|spectators|holds?)\b)"),
    (
        "introduced introduction",
        r".",
        r"(?i:\b(?:introduc|launch|unveil|releas|produced since|manufactured)\w*)|\bsince [12][0-9]{3}\b",
    ),
    ("manager managed manages coach coached", r".", r"(?i:\b(?:manag\w+|coach\w*)\b)"),
    (
        "team teams club clubs",
        r".",
        r"(?i:\b(?:plays?|played|signed|midfielder|striker|goalkeeper|forward|defender|club|team)\b)",
    ),
    (
        "attend attended attends study studied graduate graduated educated university college school",
        r".",
        r"(?i:\b(?:stud(?:y|ies|ied)|student|educated|education|graduat\w+|degree|diploma|attended|alma mater|enrolled"
        r"|trained|pupil)\b)",
    ),
    (
        "discoverer discovered discovery",
        r".",
        r"(?i:\b(?:discover\w*|first (?:seen|observed|identified|described)|observed)\b)",
    ),
)

_KINSHIP = frozenset(
    [
        "father",
        "mother",
        "parent",
        "parents",
        "son",
        "daughter",
        "child",
        "children",
        "husband",
        "wife",
        "spouse",
        "brother",
        "sister",
        "sibling",
        "siblings",
        "uncle",
        "aunt",
        "cousin",
        "nephew",
        "niece",
        "grandfather",
        "grandmother",
    ]
)


def is_kinship(word: str) -> bool:
    """Whether a word says how one person is related to another."""
    return word.casefold() in _KINSHIP


_POINTED: tuple[tuple[str, str], ...] = (
    (
        "invent invented inventor inventors invention",
        r"(?i:\b(?:invent|patent|devis|pioneer)\w*)"
        r"|\b(?:made|built|designed|created|developed|constructed|produced) the first\b"
        r"|\bfirst (?:made|built|designed|created|developed|constructed|produced)\b",
    ),
    ("score soundtrack music", r"(?i:\b(?:scor|music|compos|soundtrack)\w*)"),
)
"""What was invented is also told by who made the first one, and a score by who wrote the music."""


@cache
def _pointed() -> dict[str, re.Pattern[str]]:
    return {word: re.compile(sense) for words, sense in _POINTED for word in words.split()}


@cache
def _by_word() -> dict[str, list[tuple[re.Pattern[str], re.Pattern[str]]]]:
    found: dict[str, list[tuple[re.Pattern[str], re.Pattern[str]]]] = {}
    for words, when, pattern in _IN_QUESTIONS:
        for word in words.split():
            found.setdefault(word, []).append((re.compile(when, re.I), re.compile(pattern)))
    return found


def sense_in(word: str, clause: str, *, pointed: bool = False) -> re.Pattern[str] | None:
    """What a sentence looks like that speaks of what a word asks for in this question."""
    if pointed and (found := _pointed().get(word.casefold())):
        return found
    for when, pattern in _by_word().get(word.casefold(), ()):
        if when.search(clause):
            return pattern
    return sense_of(word)
