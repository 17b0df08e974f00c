"""How far a passage supports a sentence: by its words, and by its meaning where a model is at hand. Pure.

A support of 0.5 and more counts as supported. Names and numbers weigh double; a number that the
passage does not have, or a denial that only one of the two makes, keeps a sentence below that
whatever else it shares.
"""

import re
from collections.abc import Container, Iterable, Sequence
from functools import cached_property
from typing import Protocol

from actors.answering.terms import Terms, Token
from actors.reports.excerpts import letters_of
from language.sentences import sentences

SUPPORTED = 0.5
"""From here on a passage counts as saying what a sentence says."""

BEARS = 0.2
"""Below this a passage has nothing to do with a sentence."""

_DENIED = 0.4
"""The most that a sentence can have whose numbers or denials differ, or that shares one word only."""

LIKE = 0.7
"""What a word of like meaning counts for."""

_DENIAL = re.compile(
    r"\b(?:not|no|never|none|neither|nor|cannot|without|n[o']t|hardly|false|untrue|den(?:y|ies|ied)"
    r"|refut\w+|disprov\w+)\b|n['\u2019]t\b|ない|ません|なかった|ず、|不可能",
    re.I,
)


_UNITS = ["four", "five", "six", "seven", "eight", "nine"]
_TEENS = [
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SPELLED = {word: number for number, word in enumerate(_UNITS, 4)}
_SPELLED |= {word: number for number, word in enumerate(_TEENS, 10)}
_SPELLED |= {word: number for number, word in zip(range(20, 100, 10), _TENS, strict=True)}
_LESSER = {"one": 1, "two": 2, "three": 3} | {word: _SPELLED[word] for word in _UNITS}
_IN_WORDS = re.compile(
    rf"\b(?:({'|'.join(_TENS)})[\s-]({'|'.join(_LESSER)})|({'|'.join(_SPELLED)}))\b", re.I
)
"""Numbers in words, from four: less is said without being counted."""


class Likeness(Protocol):
    """Compares texts by their meaning."""

    def __call__(self, sentence: str, passages: Sequence[str], /) -> list[float | None]:
        """Of each passage: 0 for nothing in common, 1 for the same, none where nobody can tell."""


class Said:
    """A text, with what comparing it takes worked out once."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def weights(self) -> dict[str, float]:
        """Its terms, and what each counts."""
        return _weights(self._tokens)

    @cached_property
    def kin(self) -> set[int | None]:
        """Groups of like-minded terms that it has terms of."""
        return _kin(self.weights)

    @cached_property
    def letters(self) -> str:
        """Itself, whatever its layout."""
        return letters_of(self.text)

    @cached_property
    def numbers(self) -> set[str]:
        """Its numbers, in digits however they are written."""
        return _numbers(self.text, self._tokens)

    @cached_property
    def capitals(self) -> set[str]:
        """Those of its terms that may be names."""
        return {token.term for token in self._tokens if token.surface[:1].isupper()}

    def beyond(self, other: "Said") -> str:
        """The words that it has and another has neither in the same nor in like words."""
        terms = Terms()
        return " ".join(
            token.surface
            for token in self._tokens
            if token.term not in other.weights and terms.kin(token.term) not in other.kin
        )

    @cached_property
    def denies(self) -> bool:
        """Whether it denies something."""
        return bool(_DENIAL.search(self.text))

    @cached_property
    def spans(self) -> list[tuple[str, set[str]]]:
        """Its sentences, each with its terms."""
        spans = [self.text[each.start : each.end] for each in sentences(self.text)] or [self.text]
        return [(span, {token.term for token in Terms().tokens(span)}) for span in spans]

    @cached_property
    def _tokens(self) -> list[Token]:
        return Terms().tokens(self.text)


def support(sentence: str, passage: str) -> float:
    """The share of a sentence, by weight, that a passage says in the same or like words."""
    return said_by(Said(sentence), Said(passage))


def said_by(sentence: Said, passage: Said) -> float:
    """`support`, of texts that are compared with many others."""
    wanted, known = sentence.weights, passage.weights
    if sentence.letters and sentence.letters in passage.letters:
        return 1.0
    if not wanted:
        return 0.0
    share = _got(wanted, known, passage.kin) / sum(wanted.values())
    if len(wanted) > 1 and len(wanted.keys() & known.keys()) < 2:
        share = min(share, _DENIED)  # One name in common is no evidence.
    if sentence.numbers - passage.numbers or _denials_differ(sentence, passage):
        share = min(share, _DENIED)
    return round(share, 3)


def combined(lexical: float, similarity: float | None) -> float:
    """One support of both; meaning can lift what words leave open, not what they rule out."""
    if similarity is None or lexical <= BEARS:
        return lexical
    lifted = round(0.5 * lexical + 0.5 * max(0.0, min(1.0, similarity)), 3)
    return lifted if lexical > _DENIED else min(lifted, _DENIED)


def coverage(question: str, passages: Iterable[str]) -> float:
    """The share of a question's terms, by weight, that passages speak of."""
    return Spoken(passages).share_of(question)


class Spoken:
    """What passages speak of, worked out once for many questions."""

    def __init__(self, passages: Iterable[str]) -> None:
        terms = Terms()
        self._known = {token.term for passage in passages for token in terms.tokens(passage)}
        self._kin = _kin(self._known)

    def share_of(self, question: str) -> float:
        """The share of a question's terms, by weight, that they speak of."""
        wanted = _weights(Terms().tokens(question))
        if not wanted:
            return 0.0
        return round(_got(wanted, self._known, self._kin) / sum(wanted.values()), 2)


def _got(wanted: dict[str, float], known: Container[str], kin: set[int | None]) -> float:
    """The weight of terms that are known, by themselves or by a like-minded one."""
    terms = Terms()
    return sum(
        weight if term in known else LIKE * weight if terms.kin(term) in kin else 0.0
        for term, weight in wanted.items()
    )


def _kin(known: Iterable[str]) -> set[int | None]:
    terms = Terms()
    return {terms.kin(term) for term in known} - {None}


def _weights(tokens: list[Token]) -> dict[str, float]:
    return {token.term: 2.0 if token.name or token.number else 1.0 for token in tokens}


def _numbers(text: str, tokens: list[Token]) -> set[str]:
    """The numbers of a text, in digits however they are written."""
    spelled = {
        str(
            _SPELLED[alone.casefold()]
            if alone
            else _SPELLED[tens.casefold()] + _LESSER[unit.casefold()]
        )
        for tens, unit, alone in _IN_WORDS.findall(text)
    }
    return spelled | {token.term for token in tokens if token.number}


def _denials_differ(sentence: Said, passage: Said) -> bool:
    """Whether a sentence denies what the nearest sentence of a passage says, or the other way round."""
    wanted = sentence.weights.keys()
    nearest, _ = max(passage.spans, key=lambda span: len(wanted & span[1]))
    return sentence.denies != bool(_DENIAL.search(nearest))
