"""Names that things go by, and where a text mentions one of them.

A name is compared word by word, whatever its case and accents: what stands in brackets behind a
title only tells it from its namesakes, and so does what follows a comma. Scripts without spaces are
passed over: where a name ends in them cannot be seen.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from language.folding import is_marked, normalised, plain
from language.scripts import UNSPACED, marks
from language.stems import bare

LONGEST = 8
"""Words of a name; what is longer is a sentence."""

_READ = 1 << 14
"""Characters of a text in which names are looked for."""

_TITLE_READ = 200
"""Characters of a title that are read."""

_WORD = re.compile(rf"[^\W_{UNSPACED}]+")
_TOLD_APART = re.compile(r"\s*[(,].*", re.DOTALL)
_SENTENCE_END = re.compile(r"[.:;!?\n]")

_SMALL = frozenset(
    """
    a an and are as at be by did do does for from how in is it its of on or the to was were what when where which
    who whose why with de la le von van der den das die du da di del el al
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
"""Words that are written small within a name, and that are no name by themselves."""


class _Word(NamedTuple):
    spelled: str
    telling: bool
    capital: bool
    begins: bool
    """Whether a sentence begins with it, and gives it its capital."""


def names_of(title: str) -> frozenset[str]:
    """What texts call a thing with this title; nothing where that is no name."""
    title = title[:_TITLE_READ]
    return frozenset({_name(_words(each)) for each in (title, _TOLD_APART.sub("", title))} - {""})


def mentioned(text: str, is_name: Callable[[str], bool], *, loosely: bool = False) -> Iterator[str]:
    """The names in a text, in order; of two that overlap the one that begins first, and of those the longest.

    A name is written with capitals, and one word alone must not begin a sentence, which gives it one.
    Loosely, as people type their questions, several words are taken for a name also without.
    """
    words = _words(text)
    place = 0
    while place < len(words):
        length = 0
        if loosely or _may_begin(words, place):
            length = _length_at(words, place, is_name, loosely=loosely)
        if length:
            yield _name(words[place : place + length])
        place += length or 1


def _may_begin(words: list[_Word], place: int) -> bool:
    """A name begins with a capital, or with a small word before one: the Beatles."""
    first = words[place]
    if first.capital or first.telling or place + 1 == len(words):
        return first.capital
    return words[place + 1].capital


def _length_at(
    words: list[_Word], place: int, is_name: Callable[[str], bool], *, loosely: bool
) -> int:
    """How many words the name has that begins here; 0 where none does."""
    for length in range(min(LONGEST, len(words) - place), 0, -1):
        some = words[place : place + length]
        telling = [word for word in some if word.telling]
        capital = bool(telling) and all(word.capital for word in telling)
        if length == 1:
            wanted = capital and not some[0].begins and len(some[0].spelled) > 2
        else:
            wanted = capital or (loosely and len(telling) > 1)
        if wanted and is_name(_name(some)):
            return length
    return 0


def _name(words: list[_Word]) -> str:
    if len(words) > LONGEST or not any(word.telling for word in words):
        return ""
    return " ".join(word.spelled for word in words)


def _words(text: str) -> list[_Word]:
    text = normalised(text[:_READ])[:_READ]
    found: list[_Word] = []
    end = 0
    for match in (_marked_word() if is_marked(text) else _WORD).finditer(text):
        written = match[0]
        spelled = written.casefold()
        if not spelled.isascii():
            spelled = bare(plain(spelled))
        begins = not found or _SENTENCE_END.search(text, end, match.start()) is not None
        # A number is as good as a capital, as in 1984 and 3M, and so is a letter that has none.
        found.append(_Word(spelled, spelled not in _SMALL, not written[0].islower(), begins))
        end = match.end()
    return found


@cache
def _marked_word() -> re.Pattern[str]:
    # A mark that no letter precedes is passed over; otherwise it belongs to the word.
    return re.compile(rf"(?:[^\W_{UNSPACED}][{marks()}]*)+")
