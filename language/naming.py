"""Names that things go by, and where a text mentions one of them.

A name is compared word by word, whatever its case and accents: what stands in brackets behind a
title only tells it from its namesakes, and so does what follows a comma. Scripts without spaces are
passed over: where a name ends in them cannot be seen.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property

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


class _Words:
    """The words of a text, in order."""

    def __init__(self, text: str) -> None:
        self._text = text = normalised(text[:_READ])[:_READ]
        self._pattern = _marked_word() if is_marked(text) else _WORD
        self.written: list[str] = self._pattern.findall(text)
        if text.isascii():  # So are most, and all words at once are quicker than one by one.
            self.spelled = " ".join(self.written).lower().split(" ") if self.written else []
        else:
            self.spelled = [_spelled(word) for word in self.written]

    def __len__(self) -> int:
        return len(self.written)

    def is_telling(self, place: int) -> bool:
        """Whether a word can be a name by itself."""
        return self.spelled[place] not in _SMALL

    def is_capital(self, place: int) -> bool:
        """A number is as good as a capital, as in 1984 and 3M, and so is a letter that has none."""
        return not self.written[place][0].islower()

    def begins_sentence(self, place: int) -> bool:
        """Whether a sentence begins with it, and gives it its capital."""
        if not place:
            return True
        before, own = self._spans[place - 1], self._spans[place]
        return _SENTENCE_END.search(self._text, before[1], own[0]) is not None

    def name(self, place: int, length: int) -> str:
        """Some words as a name; nothing where they are none."""
        if length > LONGEST or not any(map(self.is_telling, range(place, place + length))):
            return ""
        return " ".join(self.spelled[place : place + length])

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        return [match.span() for match in self._pattern.finditer(self._text)]


def names_of(title: str) -> frozenset[str]:
    """What texts call a thing with this title; nothing where that is no name."""
    title = title[:_TITLE_READ]
    read = [_Words(each) for each in (title, _TOLD_APART.sub("", title))]
    return frozenset({words.name(0, len(words)) for words in read} - {""})


def first_word(name: str) -> tuple[str, int]:
    """What a name begins with, and how many words it has."""
    return name.partition(" ")[0], name.count(" ") + 1


def mentioned(
    text: str,
    is_name: Callable[[str], bool],
    longest: Mapping[str, int] | None = None,
    *,
    loosely: bool = False,
) -> Iterator[str]:
    """The names in a text, in order; of two that overlap the one that begins first, and of those the longest.

    A name is written with capitals, and one word alone must not begin a sentence, which gives it one.
    Loosely, as people type their questions, several words are taken for a name also without. `longest` says how many
    words the names have at most that begin with a word; most words begin none, and are passed over where it is known.
    """
    words = _Words(text)
    ended = 0
    for place, word in enumerate(words.spelled):
        if place < ended or (longest is not None and word not in longest):
            continue
        if loosely or _may_begin(words, place):
            most = LONGEST if longest is None else min(longest[word], LONGEST)
            length = _length_at(
                words, place, min(most, len(words) - place), is_name, loosely=loosely
            )
            if length:
                yield words.name(place, length)
            ended = place + length


def _may_begin(words: _Words, place: int) -> bool:
    """A name begins with a capital, or with a small word before one: the Beatles."""
    if words.is_capital(place):
        return True
    if words.is_telling(place) or place + 1 == len(words):
        return False
    return words.is_capital(place + 1)


def _length_at(
    words: _Words, place: int, most: int, is_name: Callable[[str], bool], *, loosely: bool
) -> int:
    """How many words the name has that begins here, `most` at most; 0 where none does."""
    for length in range(most, 0, -1):
        telling = [each for each in range(place, place + length) if words.is_telling(each)]
        capital = bool(telling) and all(map(words.is_capital, telling))
        if length == 1:
            wanted = capital and len(words.spelled[place]) > 2 and not words.begins_sentence(place)
        else:
            wanted = capital or (loosely and len(telling) > 1)
        if wanted and is_name(words.name(place, length)):
            return length
    return 0


def _spelled(word: str) -> str:
    word = word.casefold()
    return word if word.isascii() else bare(plain(word))


@cache
def _marked_word() -> re.Pattern[str]:
    # A mark that no letter precedes is passed over; otherwise it belongs to the word.
    return re.compile(rf"(?:[^\W_{UNSPACED}][{marks()}]*)+")
