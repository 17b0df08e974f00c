"""Names that things go by, and where a text mentions one of them.

A name is compared word by word, whatever its case and accents: what stands in brackets behind a
title only tells it from its namesakes, and so does what follows a comma.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from language.folding import normalised, plain, unaccented

LONGEST = 8
"""Words of a name; what is longer is a sentence."""

_READ = 1 << 14
"""Characters of a text in which names are looked for."""

_TITLE_READ = 200
"""Characters of a title that are read."""

_WORD = re.compile(r"[^\W_]+")
_TOLD_APART = re.compile(r"\s*[(,].*", re.DOTALL)

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


def names_of(title: str) -> frozenset[str]:
    """What texts call a thing with this title; nothing where that is no name."""
    title = title[:_TITLE_READ]
    found = {
        _name(words) for each in {title, _TOLD_APART.sub("", title)} if (words := _words(each))
    }
    return frozenset(found - {""})


def mentioned(text: str, is_name: Callable[[str], bool], *, loosely: bool = False) -> Iterator[str]:
    """The names in a text, in order; of two that overlap the one that begins first, and of those the longest.

    A name is written with capitals, and one word alone must not be the first, which always has one.
    Loosely, as people type their questions, several words are taken for a name also without.
    """
    words = _words(text[:_READ])
    place = 0
    while place < len(words):
        length = _name_at(words, place, is_name, loosely=loosely)
        if length:
            yield _name(words[place : place + length])
        place += length or 1


def _name_at(
    words: list[_Word], place: int, is_name: Callable[[str], bool], *, loosely: bool
) -> int:
    """How many words the name has that begins here; 0 where none does."""
    if not loosely and not words[place].capital:
        return 0
    for length in range(min(LONGEST, len(words) - place), 0, -1):
        some = words[place : place + length]
        telling = [word for word in some if word.telling]
        capital = bool(telling) and all(word.capital for word in telling)
        if length == 1:
            wanted = capital and place > 0 and len(some[0].spelled) > 2
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
    if not text.isascii():
        text = unaccented(normalised(text))
    found = []
    for written in _WORD.findall(text):
        spelled = written.casefold()
        spelled = spelled if spelled.isascii() else plain(spelled)
        # A number is as good as a capital: 1984, 3M.
        capital = not written[0].islower()
        found.append(_Word(spelled, spelled not in _SMALL, capital))
    return found
