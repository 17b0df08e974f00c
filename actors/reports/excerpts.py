"""Finds what somebody claims to quote in the text it is said to come from, to the character.

A claimed quotation is never believed. It is searched for as it is, then without regard to blanks, case,
marks and ways of writing the same character; what is found is the source's own words at their place. Where it
is not there, the source's sentences that come nearest take its place, or nothing does. Everything here takes time
in proportion to the text, whatever the claim.
"""

import re
import unicodedata
from array import array
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from actors.answering.terms import Terms, Token
from language.sentences import CUT, Sentence, clip, sentences

Match = Literal["exact", "normalised", "repaired", "non_text"]

LIMIT = 500
"""Characters that an excerpt may have, the mark of a cut included."""

NON_TEXT = "[non-text source]"

_CLAIM_LIMIT = 4_000
"""Characters of a claim that are looked at."""

_TEXT_LIMIT = 4_000_000
"""Characters of a text that are looked at other than for the very words."""

_REPAIR_LIMIT = 600_000
"""Characters of a text among which the nearest sentences are looked for."""

_LEAST = 10
"""Letters that make a quotation; an ideograph counts for two."""

_ALIKE = 0.5
"""How much of a claim a sentence must say to stand for it."""

_LEFT_OUT = re.compile(r"\s*(?:\[\s*(?:\.{2,}|…)\s*\]|\(\s*(?:\.{3,}|…)\s*\)|\.{3,}|…)\s*")
_AROUND = " \t\r\n\"'“”„\u2018\u2019«»「」『』"
_SAME = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u00b4\u2032\u02bc", "'"),
    **dict.fromkeys("“”„\u201f\u2033«»", '"'),
    **dict.fromkeys("\u2010\u2011\u2012–—\u2015\u2212\ufe58\ufe63\uff0d", "-"),
    **dict.fromkeys("*_#|`\\", ""),
}
"""Quotation marks and dashes are written in many ways; marks of formatting are left out at will."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Words of a text, at their place."""

    start: int
    end: int
    """Characters `start` to `end` of the text are what `shown` shows of it."""

    match: Match
    shown: str
    """Verbatim; with a mark at its end where the passage goes on."""


class Passages:
    """A text in which claims are looked for; what has to be worked out for that is kept."""

    def __init__(self, text: str) -> None:
        self.text = text

    def excerpt(self, claim: str) -> Excerpt | None:
        """What a claim quotes, or what comes nearest to it; none where nothing does."""
        if not any(map(str.isalnum, self.text)):
            return Excerpt(0, 0, "non_text", NON_TEXT)
        return self.locate(claim) or self.nearest(claim)

    def locate(self, claim: str) -> Excerpt | None:
        """Where a claim stands: in these very words, or in the same words written otherwise."""
        wanted = claim[:_CLAIM_LIMIT].strip(_AROUND)
        if _weight(wanted) < _LEAST:
            return None
        if (at := self.text.find(wanted)) >= 0:
            return self._whole_words(at, at + len(wanted), "exact")
        if span := self._spelled_otherwise(wanted):
            return self._whole_words(*span, "normalised")
        return self._with_parts_left_out(wanted)

    def nearest(self, claim: str) -> Excerpt | None:
        """The sentences that say most of what a claim says, if they say enough of it."""
        wanted = _weights(Terms().tokens(claim[:_CLAIM_LIMIT]))
        whole = sum(wanted.values())
        best, best_share = -1, 0.0
        for place, (_, terms) in enumerate(self.sentences if whole else ()):
            shared = terms & wanted.keys()
            share = sum(wanted[term] for term in shared) / whole
            if share > best_share and len(shared) >= min(2, len(wanted)):
                best, best_share = place, share
        if best < 0 or best_share < _ALIKE:
            return None
        start, end = self._with_neighbour(best, best_share, wanted)
        return excerpt_at(self.text, start, end, "repaired")

    @cached_property
    def sentences(self) -> list[tuple[Sentence, frozenset[str]]]:
        """The sentences, each with its terms."""
        terms, text = Terms(), self.text[:_REPAIR_LIMIT]
        return [
            (each, frozenset(token.term for token in terms.tokens(text[each.start : each.end])))
            for each in sentences(text)
            if each.kind != "heading"
        ]

    @cached_property
    def _folded(self) -> tuple[str, "array[int]"]:
        return folded(self.text[:_TEXT_LIMIT])

    def _spelled_otherwise(self, wanted: str, after: int = 0) -> tuple[int, int] | None:
        letters, places = self._folded
        looked_for = folded(wanted)[0]
        at = letters.find(looked_for, after) if looked_for else -1
        if at < 0:
            return None
        start, end = places[at], places[at + len(looked_for) - 1] + 1
        while end < len(self.text) and unicodedata.combining(self.text[end]):
            end += 1
        return start, end

    def _with_parts_left_out(self, wanted: str) -> Excerpt | None:
        """A claim that skips something: the whole passage where that fits, else its longest part."""
        parts = [part for part in _LEFT_OUT.split(wanted) if _weight(part) >= _LEAST]
        spans = [span for part in parts if (span := self._spelled_otherwise(part))]
        if not spans or len(parts) == 1 == len(_LEFT_OUT.split(wanted)):
            return None
        first, last = spans[0][0], spans[-1][1]
        if len(spans) == len(parts) and 0 < last - first <= LIMIT:
            return self._whole_words(first, last, "normalised")
        return self._whole_words(*max(spans, key=lambda span: span[1] - span[0]), "normalised")

    def _whole_words(self, start: int, end: int, match: Match) -> Excerpt:
        """A quotation that begins or ends within a word or figure would say something else."""
        text = self.text
        for _ in range(40):
            if start and _joined(text, start):
                start -= 1
        for _ in range(40):
            if end < len(text) and _joined(text, end):
                end += 1
        return excerpt_at(text, start, end, match)

    def _with_neighbour(
        self, place: int, share: float, wanted: dict[str, float]
    ) -> tuple[int, int]:
        """The span of a sentence, with the one before or after it where that adds to it."""
        here, terms = self.sentences[place]
        best = here.start, here.end
        for other in (place - 1, place + 1):
            if not 0 <= other < len(self.sentences):
                continue
            there, more = self.sentences[other]
            start, end = min(here.start, there.start), max(here.end, there.end)
            both = sum(wanted[term] for term in (terms | more) & wanted.keys())
            both /= sum(wanted.values())
            if here.block == there.block and end - start <= LIMIT and both > share + 0.1:
                best, share = (start, end), both
        return best


def excerpt_at(text: str, start: int, end: int, match: Match) -> Excerpt:
    """The words of a span; beyond the limit they are cut at a clause or word end, and say so."""
    if end - start <= LIMIT:
        return Excerpt(start, end, match, text[start:end])
    _, end = clip(text, start, end, LIMIT - len(CUT))
    return Excerpt(start, end, match, text[start:end] + CUT)


def is_verbatim(shown: str, text: str, start: int, end: int) -> bool:
    """Whether an excerpt is what stands at its place in a text."""
    if shown == NON_TEXT and start == end:
        return not any(map(str.isalnum, text))
    words = text[start:end]
    # Many a page ends its teasers with the same mark: then it is a word of the page.
    return 0 <= start < end <= len(text) and shown in (words, words + CUT)


def folded(text: str) -> tuple[str, "array[int]"]:
    """The letters of a text in one spelling, without blanks, and the place each comes from."""
    letters: list[str] = []
    places = array("I")
    for place, char in enumerate(text):
        for letter in _fold(char):
            letters.append(letter)
            places.append(place)
    return "".join(letters), places


def letters_of(text: str) -> str:
    """Letters and digits of a text in one spelling, whatever its layout and marks."""
    return "".join(filter(str.isalnum, "".join(map(_fold, text))))


@lru_cache(maxsize=1 << 14)
def _fold(char: str) -> str:
    if char.isspace() or unicodedata.category(char) in {"Cf", "Cc", "Cs"}:
        return ""
    if char in _SAME:
        return _SAME[char]
    plain = unicodedata.normalize("NFKD", char).casefold()
    return "".join(_SAME.get(each, each) for each in plain if not "\u0300" <= each <= "\u036f")


def _weight(text: str) -> int:
    return sum(2 if char >= "\u2e80" else 1 for char in text if char.isalnum())


def _joined(text: str, at: int) -> bool:
    """Whether the characters on both sides of a place belong together."""
    before, after = text[at - 1], text[at]
    if before >= "\u2e80" or after >= "\u2e80":
        return False
    if before.isalnum() and (after.isalnum() or unicodedata.combining(after)):
        return True
    further = text[at + 1 : at + 2] if before.isdigit() else text[at - 2 : at - 1]
    figure = (before.isdigit() and after in ".,%") or (before in ".," and after.isdigit())
    return figure and (after == "%" or further.isdigit())


def _weights(tokens: list[Token]) -> dict[str, float]:
    """How much each term of a claim counts: names and numbers tell most."""
    return {token.term: 2.0 if token.name or token.number else 1.0 for token in tokens}
