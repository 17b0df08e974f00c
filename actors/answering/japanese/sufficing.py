"""Whether what would be quoted answers a question in Japanese, and not one like it.

    score   the share of what is asked that the quotations speak of, by weight
            + how near the best of them is to the question in meaning

They suffice from a score on, if they also speak of every name, code and year of the question and of what it begins
with, and hold the kind of thing that is asked for.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

from actors.answering.candidates import Candidate, with_the_next
from actors.answering.japanese.giving import given, gives_a_reason
from actors.answering.japanese.terms import JapaneseTerms, even, squeezed
from actors.answering.parts import Part, Wanted
from language.scripts import KATAKANA

ENOUGH = 0.8
"""The score from which quotations suffice…"""

ENOUGH_TOLD = 0.6
"""…and where it is asked how, why or whether: texts answer that in words of their own."""

LEAST_SAID = 0.35
"""The share of what is asked that must be spoken of where one fact is: any two sentences on one thing are alike."""

MOSTLY_SAID = 0.5
"""The same where the very thing that is asked is not spoken of, but perhaps in other words."""

MUCH_ALIKE = 0.55
"""Likeness from which other words may say the same."""

USUAL_LIKENESS = 0.3
"""What stands for the likeness in meaning where nobody compared meanings."""

SPOKEN_OF = 0.35
"""How far a term must be matched to be spoken of."""

OF_A_WORD, OF_A_TOPIC = 0.75, 0.4
"""How much of what a question begins with must be spoken of, by the characters of its words."""

LONG, LONGEST = 4_000, 200_000
"""Characters around a sentence, and of a page, in which a name is looked for."""

NEAR = 12
"""Sentences before one in its paragraph that may name what it is about."""

OPENING = 3
"""Sentences of a page that say what it is about, its title among them."""

_TERMS = JapaneseTerms()
_KATAKANA = re.compile(f"[{KATAKANA}]+")
_EXACT = frozenset({"date", "money", "number", "person", "place"})
CODE = re.compile(r"(?=.*[a-z])(?=.*[0-9])[a-z0-9.-]+\Z")
"""A number of a model, or of an error."""

_YEAR = re.compile(r"[12][0-9]{3}\Z")


class Weighing(Protocol):
    """What sentences are held against a part by."""

    def matched(self, part: Part, candidate: Candidate) -> tuple[float, ...]:
        """How far a sentence speaks of each term of a part."""

    def words(self, part: Part, candidate: Candidate) -> str:
        """The words by which a part names the page of a sentence; empty where it does not."""

    def share(self, part: Part, candidate: Candidate) -> float:
        """The share of what a part asks of its subject that a sentence speaks of."""

    def likeness(self, part: Part, candidate: Candidate) -> float | None:
        """How near a sentence is to a part in meaning."""


def lacking(judge: Weighing, part: Part, told: Sequence[Candidate]) -> list[str]:
    """What of a part is missing so much that no sentence answers it, in its words; empty where one does."""
    assert part.japanese is not None
    missing = [_lacking(judge, part, each) for each in told]
    return min(missing, key=len, default=[part.text])


def _lacking(judge: Weighing, part: Part, told: Candidate) -> list[str]:
    assert part.japanese is not None
    missing = [
        name for name in part.japanese.names if not _named(name, told, judge.words(part, told))
    ]
    missing += [each.surface for each in part.wanted if _is_year(each) and not _dated(each, told)]
    if missing:
        return missing
    if of_another_number(part.text, told):
        return [part.text]
    if not _has_topic(judge, part, told):
        return [part.japanese.topic]
    if not _gives(part, told):
        return [part.text]
    return _unsaid(judge, part, told)


def _has_topic(judge: Weighing, part: Part, told: Candidate) -> bool:
    """Whether a sentence, or what it stands on or under, speaks of what the question begins with."""
    assert part.japanese is not None
    topic = {token.term for token in _TERMS.tokens(part.japanese.topic)}
    matches = zip(part.wanted, judge.matched(part, told), strict=True)
    got = [
        (match, len(each.surface)) for each, match in matches if each.term in topic and each.strong
    ]
    # What is written in katakana throughout is one word, however the dictionary takes it apart.
    enough = OF_A_WORD if _KATAKANA.fullmatch(part.japanese.topic) else OF_A_TOPIC
    said, whole = sum(match * size for match, size in got), sum(size for _, size in got)
    return said >= enough * whole or any(
        part.japanese.topic in _whole(text) for text in (told.passage.title, told.source.text)
    )


def _whole(text: str) -> str:
    """A page as names are looked for in it: what is very long by how it begins."""
    return _squeezed(text if len(text) <= LONGEST else text[:LONGEST])


@lru_cache(maxsize=64)
def _squeezed(text: str) -> str:
    """Made once for all sentences of a page."""
    return squeezed(text)


def _gives(part: Part, told: Candidate) -> bool:
    assert part.japanese is not None
    asked = part.japanese.kinds & _EXACT
    if not asked:
        return "reason" not in part.japanese.kinds or any(map(gives_a_reason, with_the_next(told)))
    terms = frozenset(each.term for each in part.wanted)
    return bool(given(part.japanese, told.text, told.tokens, terms) & asked)


def _unsaid(judge: Weighing, part: Part, told: Candidate) -> list[str]:
    """The words that are not spoken of, where too little is."""
    assert part.japanese is not None
    share = judge.share(part, told)
    alike = judge.likeness(part, told)
    score = share + (USUAL_LIKENESS if alike is None else alike)
    exact = bool(part.seeks & _EXACT)
    matches = list(zip(part.wanted, judge.matched(part, told), strict=True))
    unsaid = [each for each, got in matches if each.strong and got < SPOKEN_OF]
    by_meaning = alike is not None and alike >= MUCH_ALIKE and share > 0
    least = MOSTLY_SAID if any(each.term == part.japanese.focus for each in unsaid) else LEAST_SAID
    said = by_meaning or share >= least
    if score >= (ENOUGH if exact else ENOUGH_TOLD) and (said or not exact):
        return []
    return [each.surface for each in unsaid] or [part.text]


def _named(name: str, candidate: Candidate, words: str) -> bool:
    """Whether a sentence speaks of a name: itself, under its headings, after what stands before it, or on its page."""
    if words and (name in words or words in name):
        return True
    source, sentence = candidate.source, candidate.sentence
    above = squeezed("".join((candidate.passage.title, *candidate.passage.headings)))
    if sentence.kind == "table" and CODE.match(name):
        return name in above or name in squeezed(candidate.text)  # Another row has another one.
    begin = sentence.start
    for each in reversed(source.sentences[max(0, candidate.place - NEAR) : candidate.place]):
        if each.block == sentence.block:
            begin = each.start
    opening = source.sentences[min(OPENING, len(source.sentences)) - 1].end
    near = (
        above,
        source.text[: min(opening, LONG)],
        source.text[max(begin, sentence.end - LONG) : sentence.end],
    )
    return any(name in _whole(text) for text in near)


_ORDINAL = re.compile(
    r"([0-9]+|[一二三四五六七八九十]+)\s?(代目|回|期|号|版|位|条|章|世|合目|学期|巻|部|課|丁目|次)(?![間分])"
)
_DIGITS = {numeral: number for number, numeral in enumerate("一二三四五六七八九", 1)}


def of_another_number(asked: str, told: Candidate) -> bool:
    """Whether a question asks for the so-manieth of something, and a sentence tells of another one of them."""
    wanted = _ordinals(asked)
    near = "".join((even(told.text), *map(even, (told.passage.title, *told.passage.headings))))
    found = _ordinals(near)
    return any(found.get(kind) and not found[kind] & numbers for kind, numbers in wanted.items())


def _ordinals(text: str) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for number, kind in _ORDINAL.findall(text):
        found.setdefault(kind, set()).add(int(number) if number.isascii() else _numeral(number))
    return found


def _numeral(written: str) -> int:
    """A number below a hundred in ideographs."""
    tens, ten, ones = written.rpartition("十")
    whole = _DIGITS.get(tens[-1:], 1) * 10 if ten else 0
    return whole + _DIGITS.get(ones[-1:], 0)


def _is_year(wanted: Wanted) -> bool:
    return wanted.at >= 0 and bool(_YEAR.match(wanted.term))


def _dated(wanted: Wanted, told: Candidate) -> bool:
    return wanted.term in told.terms | told.above | told.before | told.earlier
