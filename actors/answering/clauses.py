"""Cuts a question into the questions that are strung together in it, each side of a comparison for itself."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actors.answering.comparing import Side, compared
from actors.answering.nesting import steps_of
from actors.answering.rules import Rules
from actors.answering.seeking import WH

MOST = 5
"""What goes beyond is left together in the last one."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A question of its own within a longer one."""

    text: str
    steps: tuple[str, ...] = ()
    """What must be found out first, innermost first."""

    side: Side | None = None
    """Which side of a comparison it is, if of any."""


def clauses_of(asked: str, rules: Rules) -> list[Clause]:
    """The questions within a question, one to five."""
    clauses = [
        side
        for sentence in (_SENTENCE_END if rules.chained else _QUESTION_END).split(asked)
        for item in _ENUMERATED.split(sentence)
        for clause in _clauses(item.strip(" ,.:"), rules)
        for side in _sides(clause, rules)
        if side.text
    ]
    if len(clauses) > MOST:
        rest = "; ".join(side.text for side in clauses[MOST - 1 :])
        clauses = [*clauses[: MOST - 1], Clause(rest)]
    return clauses


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
_AUX = r"(?:am|is|are|was|were|do|does|did|has|have|had|can|could|may|might|must|shall|should|will|would)"
_INVERTED = rf"{_AUX}\s+(?:I|you|he|she|it|we|they|there|one|this|that|these|those|my|our|your|his|her|its|their)\b"
"""Turned round as only a question of its own is."""

WHETHER_I = re.compile(_INVERTED, re.I)
_WHETHER_AND = re.compile(
    rf",?\s+(?:and|but|as well as)\s+(?:also\s+|then\s+|if\s+so,?\s+)?(?={_INVERTED})", re.I
)
_WHETHER_COMMA = re.compile(rf",\s+(?={_INVERTED})", re.I)
_WHETHER_NEXT = re.compile(rf",\s+(?:and|but)\s+(?={_AUX}\s)", re.I)
_TURNED_ROUND = re.compile(
    rf"(?:how|when|where|why|{_AUX}|(?:what|which|whom?)\s(?:[\w-]+\s){{0,2}}(?:do|does|did))\b"
    r"(?!.*\b(?:that|which|who|whose)\b)",
    re.I,
)
"""What goes on behind this with "and is" asks of something else: what is asked of has been named."""

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
# In one way only: a list that does not end as one would be tried in all ways of taking its words apart.
_FEW_WORDS = r"[\w-]+(?:\s+[\w-]+){0,2}\s*"
_LISTED_OF = re.compile(
    r"^(?P<ask>(?:what|which)\s+(?:is|are|was|were)\s+the)\s+"
    rf"(?P<list>{_FEW_WORDS}(?:,\s*{_FEW_WORDS})*,?\s+and\s+{_FEW_WORDS})"
    r"\s+(?P<of>(?:of|for)\s+.+)$",
    re.I,
)


def _clauses(text: str, rules: Rules) -> Iterator[str]:
    """The questions strung together in a sentence."""
    pieces = _CLAUSE_AND.split(text)
    if rules.parts_whether:
        pieces = [each for piece in pieces for each in _whether(piece)]
    if rules.chained and _TWO_RELATIVES.search(text):
        pieces = [text]
    if len(pieces) > 1:
        # "When was it built, who built it, and why": commas divide questions only in such a list;
        # a lone comma before "which" opens a relative clause.
        pieces = [each for piece in pieces for each in _CLAUSE_COMMA.split(piece)]
    if len(pieces) > 1 and rules.parts_whether:
        pieces = [each for piece in pieces for each in _WHETHER_COMMA.split(piece)]
    for piece in (_CONJUNCTION.sub("", each) for each in pieces):
        listed = _LISTED_OF.match(piece) if len(piece) < 160 else None
        if listed:
            for each in re.split(r",\s*(?:and\s+)?|\s+and\s+", listed["list"]):
                yield f"{listed['ask']} {each.strip()} {listed['of']}"
        else:
            yield piece.strip(" ,")


def _whether(piece: str) -> Iterator[str]:
    """The questions in one that goes on with whether something is so: "How much is lunch, and is wine paid for"."""
    for each in _WHETHER_AND.split(piece):
        yield from _WHETHER_NEXT.split(each) if _TURNED_ROUND.match(each.strip()) else [each]


_TWO_RELATIVES = re.compile(
    r"\b(?:the|an?)\s(?:[\w-]+\s){1,4}(?P<link>who|whose|which|where)\b.+\band\s+(?P=link)\b", re.I
)
"""The university whose campus is here and whose hospital is there: one thing, told by two of its marks."""


def _sides(clause: str, rules: Rules) -> Iterator[Clause]:
    found: list[Side] = compared(clause, rules) if rules.chained else []
    if found:
        yield from (Clause(side.text, side.steps, side) for side in found)
        return
    for text in _compared(clause):
        yield Clause(text, steps_of(text) if rules.chained else ())


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
