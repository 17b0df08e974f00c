"""What a question calls one way and a sentence says another way: "her mother" is told by "the daughter of".

Kin terms (`actors.answering.terms`) are single words that may stand for each other. Here a word of a question is met
by the shape of a sentence: dates in brackets speak of a birth, "is a Polish …" of a nationality.
"""

import re
from functools import cache

_DAY = r"(?:[0-9]{1,2} [A-Z][a-z]+ |[A-Z][a-z]+ [0-9]{1,2}, )?"
LIFE = rf"\((?:[^()]{{0,60}}[;,] )?{_DAY}[0-9]{{3,4}} ?[–-] ?{_DAY}[0-9]{{3,4}}\)"
DEMONYM = (
    r"(?:[A-Z][a-z]+-)?[A-Z][a-z]+(?:ese|ian|ean|can|ish|nch|tch|lsh|wiss|zech|eek|aqi|ani|eli|man|oan|ban"
    r"|dan|gan|tan|yan|zan|kh|ch|alay|hai|ino|urd|Serb|Croat|Dane|Pole|Scot)"
)
_PLACED = r"\b(?:in|near|on|of|from|at|between)\s+(?:the\s+)?(?:[a-z]+\s+(?:of|in)\s+)?[A-Z]"
_DEFINED = r"\b(?:is|are|was|were|be) (?:an?|the|one)\b|^[^.]{3,60}, an? [a-z]"
_OFFICE = (
    r"\b(?:served|serves|appointed|elected|named|became|held|holds|(?<!-)office|minister|ambassador|mayor"
    r"|governor|president|secretary|senator|chief|judge|commissioner|consul|chair(?:man|woman|person)?"
    r"|professor|deputy|speaker|chancellor|member of)\b"
)
_LEARNT = (
    r"\b(?:stud(?:y|ies|ied)|educated|education|graduat\w+|degree|diploma|attended|alma mater|enrolled"
    r"|trained|universit\w+|college|school)\b"
)

_SENSES: tuple[tuple[str, str], ...] = (
    (
        "born birth birthday birthplace older younger oldest youngest age aged",
        rf"\bborn\b|\bbirth|{LIFE}|\bnative of\b|\bc(?:ame|omes) from\b",
    ),
    (
        "birthplace hometown come comes came",
        r"\bborn (?:in|at|near)\b|\bborn [^.]{0,40}\bin [A-Z]|\bbirthplace\b|\bnative of\b|\bc(?:ame|omes?) from\b"
        r"|\bgrew up in\b",
    ),
    (
        "die died dies death dead deceased lived outlived",
        rf"\bdie[ds]?\b|\bdeath\b|\bkilled\b|\bexecuted\b|\bdrowned\b|{LIFE}",
    ),
    (
        "country countries nation",
        rf"\b{DEMONYM}\b|\bin (?:the )?[A-Z][^.]*, [A-Z]|\bin [^.]* of [A-Z]|, [A-Z]\w+\.$",
    ),
    ("nationality nationalities citizenship citizen citizens", rf"\b{DEMONYM}\b"),
    ("occupation occupations profession professions job career", _DEFINED),
    (
        "located location situated city county state region district province where place lie lies",
        _PLACED,
    ),
    ("genre type kind", _DEFINED),
    (
        "founded established started formed created launched begun began opened inception",
        r"\b(?:found|form|establish|creat|launch|start|began|beg[ui]n|open|set up|incorporat"
        r"|organi[sz])\w*\b|\([0-9]{4} ?[–-]",
    ),
    ("founder founders founded", r"\b(?:found|establish|creat|set up|start|launch)\w*\b"),
    (
        "released release published appeared premiered debuted",
        r"\b(?:releas|premier|publish|came out|appear|debut)\w*\b|\b[0-9]{4}\b[^.]{0,40}\b(?:film|album"
        r"|song|single|novel|book|series|game|play|picture)\b|\b(?:film|album|song|single|novel|book"
        r"|series|game|play|picture)\b[^.]{0,20}\b[0-9]{4}\b",
    ),
    (
        "mother father parent parents",
        r"\b(?:son|daughter|child|children|sons|daughters|heir) (?:of|to)\b|\b(?:parents?|mother|father"
        r"|born to)\b",
    ),
    (
        "son daughter child children kids",
        r"\b(?:sons?|daughters?|child|children|mother of|father of)\b",
    ),
    (
        "spouse spouses wife wives husband husbands married marry partner",
        r"\b(?:marri\w+|marry|wife|husband|spouse|widow\w*|wed|wedding|engaged|wives)\b",
    ),
    (
        "sibling siblings brother brothers sister sisters",
        r"\b(?:brothers?|sisters?|siblings?|twin)\b",
    ),
    ("director directors directed", r"\bdirect(?:s|ed|or|ors|ing|ion)\b"),
    ("producer produced", r"\bproduc(?:e[ds]?|er|ers|ing)\b"),
    ("screenwriter screenplay", r"\b(?:screenplay|written|screenwriter|wrote)\b"),
    (
        "author authors writer writers wrote written",
        r"\b(?:written|wrote|writ(?:er|ers|es)|author\w*|novel (?:by|of)|book (?:by|of)|novelist|poet)\b",
    ),
    (
        "performer performed performers singer singers sung sang sings vocalist recorded artist",
        r"\b(?:perform\w*|sing(?:s|er|ers)?|sung|sang|vocal\w*|record\w*|song by|single by|front(?:ed|man"
        r"|woman)|ballad)\b",
    ),
    ("composer composers composed", r"\b(?:compos\w+|score[ds]?|music by|music|soundtrack)\b"),
    (
        "portrayed portrays played plays starred starring star stars actor actress acted cast role",
        r"\b(?:star\w*|play(?:s|ed|ing)?|portray\w*|cast|role|part of|appear\w*|voiced?)\b|\bas [A-Z]",
    ),
    (
        "owner owned owns parent subsidiary",
        r"\b(?:own(?:s|ed|er|ers|ership)|subsidiary|acquired|bought|part of)\b",
    ),
    (
        "designer designed design architect built builder",
        r"\b(?:design\w*|architect\w*|built|plans? by)\b",
    ),
    (
        "educated study studied studies graduate graduated attended attend university college "
        "school degree",
        _LEARNT,
    ),
    (
        "award awards prize prizes honour honor medal won win received receive",
        r"\b(?:award\w*|prizes?|medals?|honou?r\w*|won|order of|nominat\w+|laureate|cup|trophy|scholarship"
        r"|received)\b",
    ),
    ("position office post held title government rank", _OFFICE),
    (
        "population inhabitants people residents populous inhabited",
        r"\b(?:population|inhabitants|residents|people|census)\b",
    ),
    ("headquartered headquarters based head", r"\b(?:headquarter\w*|based|head office|seat)\b"),
    ("buried burial tomb grave", r"\b(?:buried|burial|interred|cemetery|tomb|grave|ashes)\b"),
    (
        "employ employs employed employees staff workers",
        r"\b(?:employ\w*|workforce|staff|workers)\b",
    ),
    ("circulation copies sold", r"\b(?:circulation|copies|sold|subscribers)\b"),
    (
        "make makes made manufacture manufactures produce produces product products",
        r"\b(?:mak(?:e|es|er|ers|ing)|manufactur\w*|produc\w*|specialis\w*|specializ\w*|build\w*)\b",
    ),
    ("members consists lineup", r"\b(?:consist\w*|members?|comprises?)\b"),
    ("largest highest greatest biggest", r"\b(?:largest|highest|greatest|biggest)\b"),
    ("electricity energy", r"\b(?:power|energy|electric\w*|turbines?|generat\w+)\b"),
    (
        "larger bigger smaller area",
        r"\b(?:area|square|hectares?|acres?|population|large\w*|size)\b",
    ),
    (
        "taller tallest higher height",
        r"\b(?:tall|height|high|metres|meters|feet|storeys?|stories)\b",
    ),
    ("longer longest length", r"\b(?:long|length|miles?|kilomet\w+|km|metres|meters|feet)\b"),
    (
        "near nearest close",
        r"\b(?:near|close to|miles? (?:from|north|south|east|west)|outskirts)\b",
    ),
    ("river rivers", r"\b(?:river|banks?|stream|tributary)\b|\b[A-Z]\w+ (?:River|Water)\b"),
    ("name called named known nickname alias", r"\b(?:called|named|known as|nicknamed|name)\b"),
)


@cache
def _by_word() -> dict[str, re.Pattern[str]]:
    patterns: dict[str, list[str]] = {}
    for words, pattern in _SENSES:
        for word in words.split():
            # Where capitals tell something, they count.
            patterns.setdefault(word, []).append(
                pattern if "[A-Z]" in pattern else f"(?i:{pattern})"
            )
    return {word: re.compile("|".join(found)) for word, found in patterns.items()}


def sense_of(word: str) -> re.Pattern[str] | None:
    """What a sentence looks like that speaks of what a word of a question asks for."""
    return _by_word().get(word.casefold())
