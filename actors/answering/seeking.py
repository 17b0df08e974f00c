"""What kind of thing a question asks for: a number, a date, a person, a reason."""

import re
from typing import Literal

from actors.answering.rules import Rules

Seeks = Literal[
    "number",
    "money",
    "date",
    "person",
    "place",
    "reason",
    "effect",
    "manner",
    "definition",
    "topic",
]
"""The kind of thing that would answer a question."""

WH = r"(?:how|what|when|where|which|who|whom|whose|why)\b"

ASKS = re.compile(
    rf"(?:(?:in|at|for|to|by)\s+)?{WH}|(?:do|does|did|is|are|was|were|can|has|have|will)\b", re.I
)
"""How a question begins."""


def sought(clause: str, rules: Rules) -> frozenset[Seeks]:
    """The kinds of things that a clause asks for."""
    asked = _RELATIVE.sub(" ", clause) if rules.chained else clause
    kinds = {kind for kind, pattern in _SEEKS if pattern.search(asked)}
    if rules.exacting and _AT_WHAT_TIME.search(asked):
        kinds.add("date")
    if rules.pointed:
        kinds -= {"effect"}
        if for_deeds(asked):
            kinds = {*(kinds - {"manner"}), "effect"}
    if rules.closer and _ENDS_OPEN.search(clause):
        kinds.discard("definition")
    if rules.chained and not kinds:
        kinds = {kind for kind, pattern in _SEEKS_BY_NOUN if pattern.search(clause)}
    if (
        rules.chained
        and kinds & {"place", "person", "date"}
        and not re.search(r"\bhow\b", asked, re.I)
    ):
        kinds.discard("number")  # "Where is the range largest" asks for a place.
    if not kinds and not ASKS.match(clause) and len(clause.split()) <= 4:
        kinds.add("topic")
    if kinds & {"money", "definition"}:
        kinds.discard("number")  # "How much does it cost" asks for a sum, not for any number.
    return frozenset(kinds)


def for_deeds(clause: str) -> bool:
    """Whether it is asked what something does to something else, be it good or bad."""
    return _FOR_DEEDS.search(clause[:_ASKED]) is not None


def sought_of_a_side(aspect: str) -> frozenset[Seeks]:
    """What must be known of one of several things to compare it with the others with regard to something."""
    return frozenset(kind for kind, pattern in _OF_A_SIDE if pattern.search(aspect))


def sought_closely_of_a_side(aspect: str) -> frozenset[Seeks]:
    """The same, by whole phrases: what came more recently, and who lived longer, is told by dates."""
    if _BY_DATE.search(aspect):
        return frozenset({"date"})
    return frozenset({"number"}) if _BY_NUMBER.search(aspect) else frozenset()


_ENDS_OPEN = re.compile(r"\b(?:for|in|by|of|to|from|with|at|on|about|as)\s*$", re.I)
"""What is it known for."""

_AT_WHAT_TIME = re.compile(r"\b(?:what|which) time\b", re.I)
_ASKED = 500
"""Characters of a clause that are looked at for that: what is asked stands at its beginning."""

_FOR_DEEDS = re.compile(
    r"\b(?:what|how)\b.*\b(?:do|does|did|has|have|had|will|would|can|could)\b.*\b(?:do|done)\s+(?:to|for|with)\b"
    r"|\bhow\b.*\b(?:affect|change|influence|alter|harm|help|damage|impact|hurt|benefit|transform)(?:s|d|ed)?\b"
    r"|\b(?:effects?|impacts?|consequences?|influence)\b|\bhappen(?:s|ed)?\s+to\b|影響"
    r"|^(?:is|are|was|were|can|could|does|do|did)\b.*\b(?:bad|good|harm\w*|dangerous|safe|healthy|unhealthy|beneficial"
    r"|damage|hurt|affect|poisonous|toxic)\b",
    re.I,
)
"""What something does to something else, be it good or bad."""

_BY_DATE = re.compile(
    r"\b(?:first|earlier|earliest|later|latest|last|older|oldest|younger|youngest|newer|recently|recent|before|after"
    r"|sooner|lived longer|longer life)\b",
    re.I,
)
_BY_NUMBER = re.compile(
    r"\b(?:more|most|fewer|fewest|larger|largest|smaller|taller|tallest|longer|longest|shorter|higher|highest|lower|bigger"
    r"|deeper|heavier|lighter|wider|faster|greater|number of)\b",
    re.I,
)


_SEEKS: tuple[tuple[Seeks, re.Pattern[str]], ...] = (
    (
        "number",
        re.compile(
            r"\bhow (?:many|much|long|far|fast|tall|high|deep|big|large|heavy|hot|cold|often|wide|"
            r"strong|great|powerful|dense|efficient|accurate|loud)\b|\bwhat (?:percentage|"
            r"proportion|share|speed|fraction)\b|\b(?:is|was|are|were|what) (?:its|their|the) "
            r"(?:[\w-]+ ){0,2}(?:number|height|length|depth|speed|temperature|capacity|output|range|"
            r"rate|size|area|weight|mass|population|percentage|period|distance|voltage|efficiency|"
            r"density|frequency|duration|yield)\b"
            r"|どれくらい|どのくらい|何(?:メートル|時間|度|人|パーセント|キロ)",
            re.I,
        ),
    ),
    ("money", re.compile(r"\b(?:costs?|prices?|expensive|budget|money)\b|いくら", re.I)),
    (
        "date",
        re.compile(
            r"\bwhen\b|\b(?:what|which) (?:year|date|century|decade|month)|\bhow old\b|いつ|何年",
            re.I,
        ),
    ),
    ("person", re.compile(r"\bwho(?:se|m)?\b|誰", re.I)),
    (
        "place",
        re.compile(
            r"\bwhere\b|\b(?:what|which) (?:country|city|place|town|region|river|bay)\b|どこ", re.I
        ),
    ),
    (
        "reason",
        re.compile(
            r"\bwhy\b|\bwhat (?:causes|caused|makes|made)\b|\breasons? (?:for|why)\b|なぜ|原因",
            re.I,
        ),
    ),
    (
        "effect",
        re.compile(
            r"\b(?:effects?|impacts?|consequences?|influence|affect(?:s|ed)?|happen(?:s|ed)?|harm"
            r"|damage)\b|\b(?:do|does|did|done)\b.*\bto\b|影響",
            re.I,
        ),
    ),
    (
        "manner",
        re.compile(r"\bhow (?:do|does|did|can|could|is|are|was|were|to|should)\b|どのように", re.I),
    ),
    (
        "definition",
        re.compile(
            r"^(?:what|who) (?:is|are|was|were) (?!its|their|his|her)(?!.*(?:est|first|last|most)\b)"
            r"(?:an? |the )?(?:[\w'’-]+ ){0,2}[\w'’-]+\Z"
            r"|\bwhat does .+ mean\b|^define\b|とは",
            re.I,
        ),
    ),
)

_RELATIVE = re.compile(r"(?<=[a-z0-9\"”’)])(?<!\band) (?:who|whom|whose|where|when|that)\b")
"""Words that go on telling of something, and ask nothing."""

_OF_A_SIDE: tuple[tuple[Seeks, re.Pattern[str]], ...] = (
    (
        "date",
        re.compile(
            r"\b(?:first|earlier|later|older|younger|recently|before|after|oldest|newer)\b", re.I
        ),
    ),
    (
        "number",
        re.compile(r"\b(?:more|most|fewer|larger|taller|longer|higher|bigger|deeper)\b", re.I),
    ),
)
"""What must be known of each thing that is compared."""

_SEEKS_BY_NOUN: tuple[tuple[Seeks, re.Pattern[str]], ...] = (
    (
        "place",
        re.compile(
            r"\b(?:what|which) (?:[a-z]+ ){0,2}(?:country|county|state|district|province|village|island|continent"
            r"|neighbou?rhood|municipality|location|municipality|area)\b|\bplace of (?:birth|death|burial)\b",
            re.I,
        ),
    ),
    ("date", re.compile(r"\bdate of (?:birth|death)\b|\b(?:what|which) day\b", re.I)),
    (
        "person",
        re.compile(
            r"\b(?:what|which) (?:[a-z]+ ){0,2}(?:actor|actress|person|man|woman|singer|author|writer|director"
            r"|player|musician|composer|artist|king|queen|president|politician)\b",
            re.I,
        ),
    ),
)
"""Kinds that are asked for by a noun, where nothing else says what is sought."""
