"""Where a text may be cut: never inside what a reader sees as one character, seldom in a word."""

import re
import unicodedata

from language import japanese
from language.scripts import HAN, HIRAGANA, KATAKANA

_CLAUSE = re.compile(r"[;:,)]\s|[、。\uff0c\uff1b\uff1a\uff09]|\s[–—-]\s")
_WRITTEN_TOGETHER = re.compile(f"[{HIRAGANA}{KATAKANA}{HAN}]{{2}}")
_SPACE = re.compile(r"\s")
_LONGEST_WORD = 120
_JOINER = "\u200d"
_JOINS = frozenset("\u200c\u200d\uff9e\uff9f\u0e33\u0eb3")
"""Joiners, half-width voicing marks, and vowels that are letters but never stand alone."""


def cut_before(text: str, start: int, limit: int) -> int:
    """The best place up to `limit` to stop: after a clause, else a word, else a character.

    It lies in the second half of the span, if it lies in the text; there must be text behind it.
    """
    half = start + (limit - start) // 2
    clauses = [match.start() + 1 for match in _CLAUSE.finditer(text, half, limit)]
    for stop in reversed(clauses):
        if not is_inside(text, stop, start):
            return trimmed(text, start, stop)[1]
    spaces = [match.start() for match in _SPACE.finditer(text, half + 1, limit + 1)]
    if spaces:
        return trimmed(text, start, spaces[-1])[1]
    return _between_words(text, start, half, limit)


def _between_words(text: str, start: int, half: int, limit: int) -> int:
    if _WRITTEN_TOGETHER.search(text, limit - 1, limit + 1):
        # From far enough before to behind the limit, so that the last words are seen whole.
        begin = max(start, limit - 64)
        ends = [word.end + begin for word in japanese.words(text[begin : limit + 16])]
        for stop in reversed(ends):
            if half < stop <= limit and not is_inside(text, stop, start):
                return stop
    # A word of hundreds of letters is none: it is cut where it must be.
    for stop in range(limit, max(half, limit - _LONGEST_WORD), -1):
        if not _in_word(text, stop) and not is_inside(text, stop, start):
            return stop
    for stop in range(limit, half, -1):
        if not is_inside(text, stop, start):
            return stop
    return limit


def _in_word(text: str, stop: int) -> bool:
    before, after = text[stop - 1], text[stop]
    return before.isalnum() and after.isalnum() and not _WRITTEN_TOGETHER.match(before + after)


def border_after(text: str, at: int, end: int) -> int:
    """The place, or the next one behind it that is not inside a character."""
    while at < end and is_inside(text, at, at - 1):
        at += 1
    return at


def is_inside(text: str, at: int, start: int = 0) -> bool:
    """Whether a place lies inside what a reader sees as one character.

    Of flags, which are pairs of signs, no sign before `start` is looked at.
    """
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if after.isascii():
        return before == "\r" and after == "\n"
    if before == _JOINER or after in _JOINS or unicodedata.category(after)[0] == "M":
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":
        return True  # the colour of a skin, the tags of a flag
    if "\u1160" <= after <= "\u11ff":
        return "\u1100" <= before <= "\u11ff"  # a syllable spelled out in its parts
    if "\udc00" <= after <= "\udfff":
        return "\ud800" <= before <= "\udbff"
    return _is_flag(after) and _flags_before(text, at, start) % 2 == 1


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flags_before(text: str, at: int, start: int) -> int:
    begin = at
    while begin > max(start, 0) and _is_flag(text[begin - 1]):
        begin -= 1
    return at - begin


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without blanks around it."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end
