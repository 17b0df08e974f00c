"""The words of a text that carry meaning, as a researcher compares them.

Two words are the same term when they share a stem, and kin when they mean nearly the same thing in
a question: "How long …?" is answered by a length, and what is generated is also produced.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate, chain
from typing import NamedTuple

from language import stems
from language.scripts import CJK, HAN, HANGUL, HIRAGANA, KATAKANA

_IDEOGRAPHS = HAN + HANGUL
_TOKEN = re.compile(
    rf"[{_IDEOGRAPHS}]+|[{KATAKANA}]+|[{HIRAGANA}]+"
    rf"|[0-9]+(?:[.,][0-9]+)*(?![^\W_{CJK}])"
    rf"|[^\W_{CJK}]+(?:['’][^\W_{CJK}]+)?"
)
_IS_IDEOGRAPHS = re.compile(rf"[{_IDEOGRAPHS}]+\Z")
_IS_KATAKANA = re.compile(rf"[{KATAKANA}]+\Z")
_IS_HIRAGANA = re.compile(rf"[{HIRAGANA}]+\Z")


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


STOP_WORDS = stems.STOP_WORDS | _listed(
    """
    against along already although among another anyone anything around away became become came
    cannot come done due either else ever every hence herself himself however indeed instead
    last less let like likely made make makes making many may might mostly much must near nearly
    neither never often one onto others per perhaps quite rather really seem seems several shall
    since something sometimes soon still themselves therefore though thus together toward
    towards upon use used uses using usually via well whatever whether within without yes yet
    何 何年 何度 何時 何人 何月 何日 誰 方 的 以上 以下 場合
    """
)
"""Words that say nothing about what a sentence or question is about."""

WEAK_WORDS = _listed(
    """
    affect affects affected answer article best better big brief cause causes caused compare compared
    comparison consequence consequences contrast corpus define describe detail details difference
    differences different discuss document documents effect effects example examples exist exists
    explain fact facts find give good great happen happened happens help impact impacts important
    influence information interesting key kind kinds know known list main major mean meaning means
    name new number overview people place please possible question reason reasons related relevant
    role say says show sort source sources summarise summarize summary tell thing things topic type
    types various versus way ways work works world
    """
)
"""Words that shape a question more than they say what it is about."""

_KIN = tuple(
    _listed(group)
    for group in (
        "year years annual annually yearly",
        "month months monthly",
        "day days daily",
        "produce produces produced production generate generates generated output yield yields "
        "deliver delivered",
        "cost costs price prices expense expensive priced cheap dear",
        "build built builds building construct construction constructed erect erected",
        "open opened opening inaugurate inaugurated commission commissioned start started begin "
        "began begun establish established founded launch launched",
        "close closed closure shut retire retired decommissioned ended end",
        "big large larger largest size great greatest biggest huge",
        "tall height high higher highest",
        "long length longest duration lasts last",
        "deep depth deepest",
        "wide width broad across diameter",
        "old age oldest earliest",
        "first earliest pioneer",
        "heavy weight weigh weighs mass",
        "fast speed quick velocity quickly rapid",
        "hot temperature warm warmth",
        "far distance away",
        "cause causes caused causing reason reasons",
        "effect effects affect affects affected impact impacts influence consequence consequences",
        "harm damage hurt injury harmful",
        "benefit benefits advantage advantages",
        "problem problems disadvantage disadvantages drawback drawbacks limitation limitations "
        "challenge challenges difficulty difficult obstacle obstacles",
        "invent invented inventor invention devise devised create created develop developed design "
        "designed",
        "discover discovered discovery",
        "write writes wrote written author authored",
        "born birth birthplace",
        "die died death dead",
        "locate located location situated lies stands",
        "increase increases increased rise rises risen grow grows growth",
        "decrease decreases decreased fall falls decline declines drop drops reduce reduces reduced "
        "reduction shrink",
        "predict predicts predicted prediction predictions forecast forecasts",
        "measure measured measurement measurements gauge",
        "purpose aim goal",
        "definition defined called",
        "animal animals wildlife fauna",
        "movie film",
        "car vehicle vehicles cars",
        "illness disease",
        "country nation",
        "firm company",
        "accurate accuracy precise precision exact error errors",
        "refuse refused refusal reject rejected rejection decline declined",
        "coast coasts coastal shore shores",
        # Adjectives that do not look like their nouns.
        "tide tides tidal",
        "sun solar",
        "moon lunar",
        "sea seas marine maritime",
        "water aquatic",
        "heat thermal",
        "sound acoustic",
        "law legal",
        "city urban",
        "star stellar",
        "ship naval",
        "death deaths mortality",
    )
)


@dataclass(frozen=True, slots=True)
class Token:
    """A meaningful word where it stands."""

    term: str
    """What makes it the same as another word."""

    surface: str
    start: int
    end: int
    name: bool
    """Capitalised where an ordinary word would not be."""

    number: bool


class Terms:
    """Finds the terms of texts. Costs nothing to make: what it learns, the process remembers."""

    capitals = True
    """Whether names are told by their capitals."""

    def stem(self, word: str) -> str:
        """The term of a single word; empty for one that carries no meaning."""
        return _stem(word)

    def kin(self, term: str) -> int | None:
        """The group of like-minded terms it belongs to, if any."""
        return _kin().get(term)

    def kins(self, terms: Iterable[str]) -> frozenset[int]:
        """The groups of like-minded terms that some terms belong to."""
        return frozenset(group for term in terms if (group := self.kin(term)) is not None)

    def of(self, text: str) -> frozenset[str]:
        """The terms of a text."""
        return self.among(self.tokens(text))

    def among(self, tokens: Iterable[Token]) -> frozenset[str]:
        """The terms of some words."""
        return frozenset(token.term for token in tokens)

    def of_beginning(self, text: str, length: int) -> frozenset[str]:
        """The terms of the beginning of a text; all its beginnings together cost one look through it."""
        words = _in_order(text)
        whole = bisect_left(words.ends, length)
        if whole < len(words.starts) and words.starts[whole] < length:
            # A word reaches to the cut or over it: what is left of it may be another one.
            return self.of(text[:length])
        return frozenset(words.terms[: words.before[whole]])

    def tokens(self, text: str) -> list[Token]:
        """The meaningful words of a text, in order; ideographs come as overlapping pairs."""
        found: list[Token] = []
        opening = True
        for match in _TOKEN.finditer(text):
            surface = match.group()
            opening = opening or _opens(text, match.start())
            if _IS_HIRAGANA.match(surface):
                pass
            elif _IS_IDEOGRAPHS.match(surface):
                found += _pairs(surface, match.start())
            elif term := _meaning(surface):
                name = not _IS_KATAKANA.match(surface) and _is_name(text, match, opening=opening)
                number = surface[0].isdigit()
                found.append(Token(term, surface, match.start(), match.end(), name, number))
            opening = False
        return found


class _Words(NamedTuple):
    """All words of a text, also those without a meaning."""

    starts: list[int]
    ends: list[int]
    terms: list[str]
    before: list[int]
    """How many terms come before each word, and before the end."""


@lru_cache(maxsize=16)
def _in_order(text: str) -> _Words:
    words = list(_TOKEN.finditer(text))
    terms = [[token.term for token in Terms().tokens(word.group())] for word in words]
    return _Words(
        starts=[word.start() for word in words],
        ends=[word.end() for word in words],
        terms=list(chain.from_iterable(terms)),
        before=list(accumulate(map(len, terms), initial=0)),
    )


@lru_cache(maxsize=1 << 16)
def _meaning(surface: str) -> str:
    folded = unicodedata.normalize("NFKC", surface).casefold()
    return "" if folded in STOP_WORDS else _stem(folded)


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    return stems.stem(word, STOP_WORDS)


@cache
def _kin() -> dict[str, int]:
    groups: dict[str, int] = {}
    for number, group in enumerate(_KIN):
        for word in sorted(group):
            groups.setdefault(_stem(word), number)
    return groups


def is_weak(surface: str) -> bool:
    """Whether a word of a question says little about its topic; so does a lone ideograph."""
    return surface.casefold() in WEAK_WORDS or (len(surface) == 1 and surface >= "\u3005")


def _opens(text: str, at: int) -> bool:
    """Whether a word begins a sentence, where a capital means nothing."""
    before = text[max(0, at - 4) : at].rstrip(" \t\n\"'“(*_")
    return not before or before[-1] in ".!?:;。"


def _is_name(text: str, match: re.Match[str], *, opening: bool) -> bool:
    word = match.group()
    if not word[0].isupper():
        return any(letter.isupper() for letter in word[1:]) and not word[0].isdigit()
    if not opening or (len(word) > 1 and any(letter.isupper() for letter in word[1:])):
        return True
    # At the beginning a capital counts when the next word has one too: La Rance, Lord Kelvin.
    after = text[match.end() : match.end() + 2]
    return len(after) == 2 and after[0] in " -" and after[1].isupper()


def _pairs(run: str, start: int) -> list[Token]:
    if len(run) == 1:
        return [] if run in STOP_WORDS else [Token(run, run, start, start + 1, False, False)]
    return [
        Token(run[at : at + 2], run[at : at + 2], start + at, start + at + 2, False, False)
        for at in range(len(run) - 1)
        if run[at : at + 2] not in STOP_WORDS
    ]
