"""Takes a question apart by simple rules, and says what each part is about."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from actors.closer_senses import is_kinship, sense_in
from actors.comparing import Side, compared
from actors.figures import MEASURED, is_unit
from actors.nesting import steps_of
from actors.rules import PRESENT, Rules
from actors.seeking import (
    ASKS,
    WH,
    Seeks,
    sought,
    sought_closely_of_a_side,
    sought_of_a_side,
)
from actors.senses import sense_of
from actors.terms import Terms, Token, is_weak
from language.sentences import sentences

MOST_PARTS = 5


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

    sense: re.Pattern[str] | None = None
    """What a sentence looks like that speaks of it in other words."""

    kinship: bool = False
    """Whether it says how one person is related to another."""


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that is asked."""

    text: str
    query: str
    wanted: tuple[Wanted, ...]
    seeks: frozenset[Seeks]
    bridge: frozenset[str] = frozenset()
    """Names met on the way that may lead to the answer."""

    steps: tuple[str, ...] = ()
    """Questions within it, innermost first, where one must be answered before the next can be asked."""

    side: bool = False
    """Whether it is one side of a comparison…"""

    thing: str = ""
    """…and then what is compared…"""

    aspect: str = ""
    """…what with regard to…"""

    whether: bool = False
    """…and whether it is asked if the first one comes before the other."""


def plan(question: str, context: str, terms: Terms, rules: Rules = PRESENT) -> list[Part]:
    """The parts of a question, one to five; the caller's context adds emphasis to each."""
    asked = " ".join(question.split())
    clauses = [
        side
        for sentence in (_SENTENCE_END if rules.chained else _QUESTION_END).split(asked)
        for item in _ENUMERATED.split(sentence)
        for clause in _clauses(item.strip(" ,.:"), rules)
        for side in _sides(clause, rules)
        if side.text
    ]
    if len(clauses) > MOST_PARTS:
        rest = "; ".join(side.text for side in clauses[MOST_PARTS - 1 :])
        clauses = [*clauses[: MOST_PARTS - 1], _Clause(rest)]
    parts: list[Part] = []
    for clause in clauses:
        # Each side of a comparison has its own subject.
        part = _part(clause.text, [] if clause.side else parts, terms, rules)
        if part.wanted:
            part = replace(part, steps=clause.steps)
            parts.append(_of_side(part, clause.side, rules) if clause.side else part)
    focus = _focus(context, terms)
    return [_focused(part, focus) for part in parts or [_part(asked, [], terms, rules)]]


def _of_side(part: Part, side: Side, rules: Rules) -> Part:
    closely = sought_closely_of_a_side(side.aspect)
    seeks = closely if rules.closer else sought_of_a_side(side.text.partition(": ")[2])
    return replace(
        part,
        side=True,
        thing=side.thing,
        aspect=side.aspect,
        whether=side.whether,
        seeks=seeks,
    )


def step_part(words: str, name: str, terms: Terms, rules: Rules) -> Part:
    """A step of a nested question, asked of the name that the step before led to."""
    part = _part(f"{name}: {words}" if name else words, [], terms, rules)
    called = {token.term for token in terms.tokens(name)}
    wanted = (
        replace(each, entity=1, strong=True, weight=1.5, sense=None)
        if each.term in called
        else each
        for each in part.wanted
    )
    # What is told on a page about a name need not sound like the name, unless the name is put before it.
    return replace(part, wanted=tuple(wanted), query=part.query if rules.closer else words)


def known_already(context: str, terms: Terms) -> list[frozenset[str]]:
    """What the caller says to know: the terms of each such sentence."""
    return [
        frozenset(token.term for token in terms.tokens(said))
        for said in _said(context)
        if _KNOWS.search(said) and not _FOCUS.search(said)
    ]


# -- cutting ---------------------------------------------------------------------------------------

_QUESTION_END = re.compile(r"[?\uff1f;。]+|(?<=[.])\s+(?=[A-Z])")
_SENTENCE_END = re.compile(
    r"[?\uff1f;。]+|(?<=[a-z0-9)][.])(?<!\bSt\.)(?<!\bDr\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bJr\.)(?<!\bSr\.)(?<!\bvs\.)"
    r"(?<!\bNo\.)(?<!\bMt\.)\s+(?=[A-Z])"
)
_CONJUNCTION = re.compile(r"\A\W*(?:and|but|also|then|so)\s+", re.I)
_ENUMERATED = re.compile(r"(?:^|\s)(?:\(?[1-9][.)]|\([a-e]\))\s+")
_CLAUSE_AND = re.compile(
    r",?\s+(?:and|but|as well as)\s+(?:also\s+|then\s+)?"
    rf"(?=(?:(?:in|at|for|to|by)\s+)?{WH}|(?:do|does|did|explain|describe|compare|list|give)\b)",
    re.I,
)
_CLAUSE_COMMA = re.compile(rf",\s+(?={WH})", re.I)
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


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    steps: tuple[str, ...] = ()
    side: Side | None = None


def _clauses(text: str, rules: Rules) -> Iterator[str]:
    """The questions strung together in a sentence."""
    pieces = _CLAUSE_AND.split(text)
    if rules.chained and _TWO_RELATIVES.search(text):
        pieces = [text]
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


_TWO_RELATIVES = re.compile(
    r"\b(?:the|an?)\s(?:[\w-]+\s){1,4}(?P<link>who|whose|which|where)\b.+\band\s+(?P=link)\b", re.I
)
"""The university whose campus is here and whose hospital is there: one thing, told by two of its marks."""


def _sides(clause: str, rules: Rules) -> Iterator[_Clause]:
    found: list[Side] = compared(clause, rules) if rules.chained else []
    if found:
        yield from (_Clause(side.text, side.steps, side) for side in found)
        return
    for text in _compared(clause):
        yield _Clause(text, steps_of(text) if rules.chained else ())


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
_HOW = re.compile(r"\bhow\s+\w+\Z", re.I)
_COMPARING = frozenset(
    [
        "first",
        "earlier",
        "later",
        "longer",
        "more",
        "most",
        "fewer",
        "recently",
        "same",
        "both",
        "common",
        "share",
        "shared",
        "together",
    ]
)
"""Words that compare: what is compared is said by others."""

_KIND_OF_NAME = re.compile(
    r"(?:film|movie|song|album|novel|book|series|band|play|opera|show|game|magazine|newspaper|company|firm|genus"
    r"|town|city|village|river|lake|bridge|actor|actress|singer|writer|author|artist|painter|poet)\s+[A-Z\"“]"
)
"""What a name is the name of: the page about it need not say so again."""

_WHICH_OF_TWO = re.compile(
    r": [Ww]hich (?P<kind>(?:[a-z-]+ ){1,3}?)(?=(?:is|was|are|were|has|had|have|did|does|came|won|[a-z]+ed)\b)"
)
"""Which mountain is higher: that both are mountains is known."""

_PLAIN_VERBS = (
    re.compile(
        r"(?:\b(?!What\b)[A-Z][\w.’'-]*[\"”]?|\b(?:do|does|did|who|that)|:)\s+(?P<verb>come|comes|came)(?=\s+from\b)"
    ),
    re.compile(
        r"\b(?:[Dd]o|[Dd]oes|[Dd]id)\s.{0,200}?\b(?<!to )(?P<verb>make)\b(?!\s+(?:up|out|to|use|sure|sense)\b)"
    ),
)
"""Verbs that are too common to be terms, but are what is asked of a name: where it comes from, what it makes."""

_NAME_LINKS = frozenset({" ", "-", "–", ". ", " of ", " of the ", " de ", " du ", " and the "})


def _part(clause: str, before: list[Part], terms: Terms, rules: Rules) -> Part:
    wanted = _wanted(clause, terms, rules)
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
        seeks=sought(clause, rules),
    )


def _wanted(clause: str, terms: Terms, rules: Rules) -> dict[str, Wanted]:
    tokens = terms.tokens(clause)
    # Where every word has a capital, capitals do not make names.
    titled = len(tokens) > 4 and sum(token.name for token in tokens) > 0.8 * len(tokens)
    wanted: dict[str, Wanted] = {}
    entity = 0
    kind = _WHICH_OF_TWO.search(clause) if rules.closer else None
    last: Token | None = None
    for token in tokens:
        named = token.name and not titled and not is_unit(token)
        if named and not (last and clause[last.end : token.start] in _NAME_LINKS):
            entity += 1
        last = token if named else None
        shapes = _SHAPES.search(clause, 0, token.end) is not None  # how accurate, which country
        noun = shapes and not _HOW.search(clause, 0, token.end)  # which country, not how accurate
        weak = (is_weak(token.surface) or shapes) and not named
        if rules.chained and not named:
            weak |= token.surface.casefold() in _COMPARING
            weak |= bool(_KIND_OF_NAME.match(clause, token.start))
            if kind:
                weak |= kind.start("kind") <= token.start < kind.end("kind")
        each = Wanted(
            term=token.term,
            kin=terms.kin(token.term),
            surface=token.surface,
            weight=_weight(token, rules, weak=weak, named=named, noun=noun),
            strong=not weak,
            entity=entity if named else 0,
            at=token.start,
            measured=MEASURED.get(token.surface.casefold(), frozenset()),
            sense=_sense(token.surface, clause, rules) if not named else None,
            kinship=rules.closer and not named and is_kinship(token.surface),
        )
        known = wanted.setdefault(token.term, each)
        if rules.closer and each.strong and not known.strong:
            wanted[token.term] = each
    if rules.chained and entity:
        for verb in (found for each in _PLAIN_VERBS if (found := each.search(clause))):
            word = verb["verb"]
            said = Wanted(word, None, word, 1.0, True, 0, verb.start("verb"), sense=sense_of(word))
            wanted.setdefault(said.term, said)
    return wanted


def _sense(word: str, clause: str, rules: Rules) -> re.Pattern[str] | None:
    if rules.closer:
        return sense_in(word, clause)
    return sense_of(word) if rules.chained else None


def _weight(token: Token, rules: Rules, *, weak: bool, named: bool, noun: bool) -> float:
    if weak:
        # "Which river": a sentence that has the word answers better than one that does not.
        return 0.6 if noun and rules.chained else 0.25
    return 1.5 if named else 1.2 if token.number else 1.0


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
    return f"{text}?" if ASKS.match(text) else text


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
