"""How far a passage supports a sentence: by its words, and by its meaning where a model is at hand. Pure.

A support of 0.5 and more counts as supported. Names and numbers weigh double; a number that the
passage does not have, or a denial that only one of the two makes, keeps a sentence below that
whatever else it shares.
"""

import re
from collections.abc import Sequence
from typing import Protocol

from actors.excerpts import folded
from actors.terms import Terms, Token
from language.sentences import sentences

SUPPORTED = 0.5
"""From here on a passage counts as saying what a sentence says."""

BEARS = 0.2
"""Below this a passage has nothing to do with a sentence."""

_DENIED = 0.4
"""The most that a sentence can have whose numbers or denials differ, or that shares one word only."""

_KIN = 0.7
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


def support(sentence: str, passage: str) -> float:
    """The share of a sentence, by weight, that a passage says in the same or like words."""
    terms = Terms()
    wanted = _weights(terms.tokens(sentence))
    if _letters(sentence) and _letters(sentence) in _letters(passage):
        return 1.0
    if not wanted:
        return 0.0
    said = terms.tokens(passage)
    known, numbers = {token.term for token in said}, _numbers(passage, said)
    kin = {terms.kin(term) for term in known} - {None}
    got = sum(
        weight if term in known else _KIN * weight if terms.kin(term) in kin else 0.0
        for term, weight in wanted.items()
    )
    share = got / sum(wanted.values())
    if len(wanted) > 1 and len(wanted.keys() & known) < 2:
        share = min(share, _DENIED)  # One name in common is no evidence.
    if _numbers(sentence, terms.tokens(sentence)) - numbers or _denials_differ(sentence, passage):
        share = min(share, _DENIED)
    return round(share, 3)


def combined(lexical: float, similarity: float | None) -> float:
    """One support of both; meaning can lift what words leave open, not what they rule out."""
    if similarity is None or lexical <= BEARS:
        return lexical
    lifted = round(0.5 * lexical + 0.5 * max(0.0, min(1.0, similarity)), 3)
    return lifted if lexical > _DENIED else min(lifted, _DENIED)


def coverage(question: str, passages: list[str]) -> float:
    """The share of a question's terms, by weight, that passages speak of."""
    terms = Terms()
    wanted = _weights(terms.tokens(question))
    if not wanted:
        return 0.0
    known = {token.term for passage in passages for token in terms.tokens(passage)}
    kin = {terms.kin(term) for term in known} - {None}
    got = sum(
        weight if term in known else _KIN * weight if terms.kin(term) in kin else 0.0
        for term, weight in wanted.items()
    )
    return round(got / sum(wanted.values()), 2)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, folded(text)[0]))


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


def _denials_differ(sentence: str, passage: str) -> bool:
    """Whether a sentence denies what the nearest sentence of a passage says, or the other way round."""
    terms = Terms()
    wanted = {token.term for token in terms.tokens(sentence)}
    spans = [passage[each.start : each.end] for each in sentences(passage)] or [passage]

    def shared(span: str) -> int:
        return len(wanted & {token.term for token in terms.tokens(span)})

    nearest = max(spans, key=shared)
    return bool(_DENIAL.search(sentence)) != bool(_DENIAL.search(nearest))
