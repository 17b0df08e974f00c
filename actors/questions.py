"""Takes a question apart by simple rules, and says what each part is about."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from actors.figures import MEASURED, is_unit
from actors.terms import Terms, Token, is_weak
from language.sentences import sentences

MOST_PARTS = 5

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


@dataclass(frozen=True, slots=True)
class Wanted:
    """A term that an answer should speak of."""

    term: str
    kin: int | None
    surface: str
    weight: float
    """Before rarity: names count more, words that merely shape a question less."""

    strong: bool
    entity: int
    """Words of one name share a number other than 0; ordinary words have 0."""

    at: int
    """Where it stands in its part; negative when it was taken over from elsewhere."""

    measured: frozenset[str] = frozenset()
    """Dimensions of the figures that would speak of it."""


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that is asked."""

    text: str
    query: str
    wanted: tuple[Wanted, ...]
    seeks: frozenset[Seeks]
    bridge: frozenset[str] = frozenset()
    """Names met on the way that may lead to the answer."""


def plan(question: str, context: str, terms: Terms) -> list[Part]:
    """The parts of a question, one to five; the caller's context adds emphasis to each."""
    asked = " ".join(question.split())
    clauses = [
        side
        for sentence in _QUESTION_END.split(asked)
        for item in _ENUMERATED.split(sentence)
        for clause in _clauses(item.strip(" ,.:"))
        for side in _compared(clause)
        if side
    ]
    if len(clauses) > MOST_PARTS:
        clauses = [*clauses[: MOST_PARTS - 1], "; ".join(clauses[MOST_PARTS - 1 :])]
    parts: list[Part] = []
    for clause in clauses:
        part = _part(clause, parts, terms)
        if part.wanted:
            parts.append(part)
    focus = _focus(context, terms)
    return [_focused(part, focus) for part in parts or [_part(asked, [], terms)]]


def known_already(context: str, terms: Terms) -> list[frozenset[str]]:
    """What the caller says to know: the terms of each such sentence."""
    return [
        frozenset(token.term for token in terms.tokens(said))
        for said in _said(context)
        if _KNOWS.search(said) and not _FOCUS.search(said)
    ]


# -- cutting ---------------------------------------------------------------------------------------

_WH = r"(?:how|what|when|where|which|who|whom|whose|why)\b"
_QUESTION_END = re.compile(r"[?\uff1f;。]+|(?<=[.])\s+(?=[A-Z])")
_CONJUNCTION = re.compile(r"\A\W*(?:and|but|also|then|so)\s+", re.I)
_ENUMERATED = re.compile(r"(?:^|\s)(?:\(?[1-9][.)]|\([a-e]\))\s+")
_CLAUSE_AND = re.compile(
    r",?\s+(?:and|but|as well as)\s+(?:also\s+|then\s+)?"
    rf"(?=(?:(?:in|at|for|to|by)\s+)?{_WH}|(?:do|does|did|explain|describe|compare|list|give)\b)",
    re.I,
)
_CLAUSE_COMMA = re.compile(rf",\s+(?={_WH})", re.I)
_VERSUS = r"(?:and|with|to|or|against|vs\.?|versus)"
_ASPECT = r"(?:\s+(?:in terms of|with respect to|regarding|concerning|by|on|in|for)\s+(?P<on>.+))?"
_COMPARISONS = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"^(?:compare|contrast)\s+(?P<a>.+?)\s+{_VERSUS}\s+(?P<b>.+?){_ASPECT}$",
        rf"^.*\bdifferences?\s+between\s+(?P<a>.+?)\s+and\s+(?P<b>.+?){_ASPECT}$",
        rf"^.*\bcomparison\s+(?:between|of)\s+(?P<a>.+?)\s+(?:and|with)\s+(?P<b>.+?){_ASPECT}$",
        rf"^(?P<a>\S.*?)\s+(?:vs\.?|versus)\s+(?P<b>.+?){_ASPECT}$",
        r"^(?P<on>(?:which|who)\b.+?)[,:]\s*(?P<a>[^,]+?),?\s+or\s+(?P<b>[^,]+)$",
    )
)
_LISTED_OF = re.compile(
    r"^(?P<ask>(?:what|which)\s+(?:is|are|was|were)\s+the)\s+"
    r"(?P<list>(?:[\w-]+\s*){1,3}(?:,\s*(?:[\w-]+\s*){1,3})*,?\s+and\s+(?:[\w-]+\s*){1,3})"
    r"\s+(?P<of>(?:of|for)\s+.+)$",
    re.I,
)


def _clauses(text: str) -> Iterator[str]:
    """The questions strung together in a sentence."""
    pieces = _CLAUSE_AND.split(text)
    if len(pieces) > 1:
        # "When was it built, who built it, and why": commas divide questions only in such a list;
        # a lone comma before "which" opens a relative clause.
        pieces = [each for piece in pieces for each in _CLAUSE_COMMA.split(piece)]
    for piece in (_CONJUNCTION.sub("", each) for each in pieces):
        listed = _LISTED_OF.match(piece) if len(piece) < 160 else None
        if listed:
            for each in re.split(r",\s*(?:and\s+)?|\s+and\s+", listed["list"]):
                yield f"{listed['ask']} {each.strip()} {listed['of']}"
        else:
            yield piece.strip(" ,")


def _compared(clause: str) -> Iterator[str]:
    """A comparison as one question for each side; anything else as it is."""
    for pattern in _COMPARISONS if len(clause) < 300 else ():
        sides = pattern.match(clause)
        if sides and len(sides["a"].split()) <= 8 and len(sides["b"].split()) <= 8:
            aspect = sides.groupdict().get("on")
            for side in (sides["a"], sides["b"]):
                yield f"{side}: {aspect}" if aspect else side
            return
    yield clause


# -- reading ---------------------------------------------------------------------------------------

_PRONOUN = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|this|these|those|there)\b", re.I
)
_SHAPES = re.compile(
    r"\bhow\s+\w+\Z|\b(?:what|which)\s+(?:country|city|place|town|region|river|year|date|century|decade"
    r"|month|person|percentage|proportion|share)\Z",
    re.I,
)
_NAME_LINKS = frozenset({" ", "-", "–", ". ", " of ", " of the ", " de ", " du ", " and the "})


def _part(clause: str, before: list[Part], terms: Terms) -> Part:
    wanted = _wanted(clause, terms)
    strong = sum(each.strong for each in wanted.values())
    carried: list[Wanted] = []
    named = any(each.entity for each in wanted.values())
    if before and not named and (_PRONOUN.search(clause) or strong < 2):
        carried = [each for each in _subject(before) if each.term not in wanted]
    for each in carried:
        entity = -abs(each.entity)  # Another name than those of this part.
        wanted[each.term] = replace(each, weight=0.8 * each.weight, entity=entity, at=-1)
    return Part(
        text=_shown(clause),
        query=" ".join([clause, *(each.surface for each in carried)]),
        wanted=tuple(wanted.values()),
        seeks=_sought(clause),
    )


def _sought(clause: str) -> frozenset[Seeks]:
    kinds = {kind for kind, pattern in _SEEKS if pattern.search(clause)}
    if not kinds and not _ASKS.match(clause) and len(clause.split()) <= 4:
        kinds.add("topic")
    if kinds & {"money", "definition"}:
        kinds.discard("number")  # "How much does it cost" asks for a sum, not for any number.
    return frozenset(kinds)


def _wanted(clause: str, terms: Terms) -> dict[str, Wanted]:
    tokens = terms.tokens(clause)
    # Where every word has a capital, capitals do not make names.
    titled = len(tokens) > 4 and sum(token.name for token in tokens) > 0.8 * len(tokens)
    wanted: dict[str, Wanted] = {}
    entity = 0
    last: Token | None = None
    for token in tokens:
        named = token.name and not titled and not is_unit(token)
        if named and not (last and clause[last.end : token.start] in _NAME_LINKS):
            entity += 1
        last = token if named else None
        shapes = _SHAPES.search(clause, 0, token.end) is not None  # how accurate, which country
        weak = (is_weak(token.surface) or shapes) and not named
        each = Wanted(
            term=token.term,
            kin=terms.kin(token.term),
            surface=token.surface,
            weight=0.25 if weak else 1.5 if named else 1.2 if token.number else 1.0,
            strong=not weak,
            entity=entity if named else 0,
            at=token.start,
            measured=MEASURED.get(token.surface.casefold(), frozenset()),
        )
        wanted.setdefault(token.term, each)
    return wanted


def _subject(before: list[Part]) -> list[Wanted]:
    """What the question has been about so far: a name and what follows it, else its first words."""
    for part in reversed(before):
        named: list[Wanted] = []
        for each in part.wanted:
            follows = named and each.at == named[-1].at + len(named[-1].surface) + 1
            after = sum(not other.entity for other in named)
            # "The Severn barrage", but not "the Severn barrage cost": that is what is asked of it.
            if each.entity or (follows and each.strong and not each.measured and after < 3):
                named.append(each)
        if named:
            return named
    return [each for each in before[0].wanted if each.strong][:5]


def _shown(clause: str) -> str:
    """A clause as a heading."""
    text = clause[:1].upper() + clause[1:]
    return f"{text}?" if _ASKS.match(text) else text


_ASKS = re.compile(
    rf"(?:(?:in|at|for|to|by)\s+)?{_WH}|(?:do|does|did|is|are|was|were|can|has|have|will)\b", re.I
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

# -- the caller's context --------------------------------------------------------------------------

_FOCUS = re.compile(r"\b(?:focus(?:ing)? on|interested in|especially|in particular)\b", re.I)
_KNOWS = re.compile(r"\b(?:already|I know|we know|I['’]ve read|we['’]ve read|aware)\b", re.I)


def _said(context: str) -> list[str]:
    return [context[each.start : each.end] for each in sentences(context)]


def _focus(context: str, terms: Terms) -> list[Token]:
    focus: list[Token] = []
    for said in _said(context):
        if about := _FOCUS.search(said):
            focus += terms.tokens(said[about.end() :])
    return focus[:8]


def _focused(part: Part, focus: list[Token]) -> Part:
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
