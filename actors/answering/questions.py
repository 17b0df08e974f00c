"""Takes a question apart by simple rules, and says what each part is about."""

import re
from dataclasses import replace

from actors.answering.clauses import WHETHER_I, clauses_of
from actors.answering.closer_senses import is_kinship, sense_in
from actors.answering.comparing import Side
from actors.answering.deeds import deed_sense
from actors.answering.figures import MEASURED, is_unit
from actors.answering.parts import Part, Wanted
from actors.answering.rules import PRESENT, Rules
from actors.answering.seeking import (
    ASKS,
    for_deeds,
    sought,
    sought_closely_of_a_side,
    sought_of_a_side,
)
from actors.answering.senses import sense_of
from actors.answering.terms import Terms, Token, is_weak
from actors.answering.verb_forms import with_forms
from actors.answering.wishes import Wishes, asks
from actors.caller_context import emphasis, emphasised


def plan(question: str, context: str, terms: Terms, rules: Rules = PRESENT) -> list[Part]:
    """The parts of a question, one to five; the caller's context adds emphasis to each."""
    asked = " ".join(question.split())
    parts: list[Part] = []
    for clause in clauses_of(asked, rules):
        # Each side of a comparison has its own subject.
        part = _part(clause.text, [] if clause.side else parts, terms, rules)
        if part.wanted:
            part = replace(part, steps=clause.steps)
            parts.append(_of_side(part, clause.side, rules) if clause.side else part)
    focus = emphasis(context, terms)
    return [emphasised(part, focus) for part in parts or [_part(asked, [], terms, rules)]]


def plan_overview(
    wishes: Wishes, asked: str, context: str, terms: Terms, rules: Rules
) -> list[Part]:
    """The topic, and what is to be told of it; nothing where the topic is more than one thing that is asked."""
    [topic, *others] = plan(wishes.topic, context, terms, rules)
    if others or topic.steps or topic.side:
        return []
    parts = [replace(topic, text=asked, topic=wishes.topic)]
    if wishes.regards:
        parts = [replace(topic, text=_capitalised(wishes.topic), topic=wishes.topic)]
    for regard in wishes.regards:
        if asks(regard):
            told = _part(regard, [topic], terms, rules)
            parts.append(replace(told, text=_capitalised(regard)))
        else:
            told = _part(f"{wishes.topic}: {regard}", [], terms, rules)
            own = terms.of(regard)
            wanted = tuple(
                each if each.term in own else replace(each, strong=False, weight=each.weight / 2)
                for each in told.wanted
            )
            parts.append(
                replace(
                    told,
                    text=_capitalised(regard),
                    wanted=wanted,
                    topic=wishes.topic,
                    regard=regard,
                )
            )
    return parts


def _capitalised(words: str) -> str:
    return words[:1].upper() + words[1:]


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


# -- reading ---------------------------------------------------------------------------------------

_PRONOUN = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|this|these|those|there)\b", re.I
)
_AT_WHAT_TIME = re.compile(r"\b(?:what|which)\s+time\Z", re.I)
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
        text=_shown(clause, rules),
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
        shapes |= rules.exacting and _AT_WHAT_TIME.search(clause, 0, token.end) is not None
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
            measured=_measured(token.surface.casefold(), rules),
            sense=_sense(token.surface, token.term, clause, rules) if not named else None,
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


_TOLD_BY_WORD = frozenset({"tall", "deep", "wide"})
"""How tall a tower is, is not told by how far it stands from the shore."""


def _measured(word: str, rules: Rules) -> frozenset[str]:
    """The dimensions of figures that speak of a word without having it."""
    if rules.exacting and word in _TOLD_BY_WORD:
        return frozenset()
    return MEASURED.get(word, frozenset())


def _sense(word: str, term: str, clause: str, rules: Rules) -> re.Pattern[str] | None:
    if rules.pointed and for_deeds(clause) and (deed := deed_sense(word)):
        return deed
    if rules.closer:
        sense = sense_in(word, clause, pointed=rules.pointed)
        return with_forms(sense, word, term) if rules.exacting else sense
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


def _shown(clause: str, rules: Rules) -> str:
    """A clause as a heading."""
    text = clause[:1].upper() + clause[1:]
    asks = ASKS.match(text) or (rules.parts_whether and WHETHER_I.match(text))
    return f"{text}?" if asks else text
