"""Tells the mark of a note from an exponent: both are small and raised, and only one is a word's own."""

import re

from actors.adapters.pdf.word import Word

MARKS = frozenset("0123456789*\u2217\u2020\u2021\u00a7\u00b6")
_MARK = re.compile(r"\d{1,3}(?:[,\u2013-]\d{1,3}){0,5},?|[*\u2217\u2020\u2021\u00a7\u00b6]{1,3}")
_WORD_ENDS = re.compile(r"(?:[^\W\d_]{3,}|[.,;:!?)\]\u201d\u2019\"])\Z")
_WORD_BEGINS = re.compile(r"[\"\u201c\u2018(\[]?(?:[^\W\d_]{2,}|[AIO]\Z)")
_FUNCTIONS = frozenset(
    {*("sin", "cos", "tan", "cot", "sec", "csc", "log", "exp", "det", "sinh", "cosh", "tanh")}
)


def is_raised(small: Word, beside: Word) -> bool:
    """Whether a word is smaller than the one beside it, and higher."""
    return small.size < 0.85 * beside.size and small.base < beside.base - 0.15 * beside.size


def parted_by_note(before: Word, word: Word) -> bool:
    """Whether one of two words without a blank between them is the mark of a note at the other."""
    if _MARK.fullmatch(word.text) and is_raised(word, before):
        return bool(_WORD_ENDS.search(before.text)) and before.text.casefold() not in _FUNCTIONS
    if _MARK.fullmatch(before.text) and is_raised(before, word):
        return bool(_WORD_BEGINS.match(word.text))
    return False
