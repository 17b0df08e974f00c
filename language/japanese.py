"""The words of Japanese text, which is written without spaces, by a dictionary.

The dictionary takes a third of a second to open, so it is opened when Japanese is first met. It
is shared; each thread has a tokenizer of its own, because one cannot serve two at once.
"""

import re
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

from language.scripts import HAN, HIRAGANA, KATAKANA

_PIECE = re.compile(r".{1,400}(?:\Z|(?<=[。！？!?\n]))|.{1,400}(?<=[、，,\s])|.{1,400}", re.DOTALL)  # noqa: RUF001
"""Some sentences: the way through a long text takes the dictionary longer than its length says."""

_WRITTEN = re.compile(f"[{HIRAGANA}{KATAKANA}{HAN}\uff66-\uff9d]")
_UNREADABLE = re.compile("[\x00\ud800-\udfff]")
_WITHOUT_MEANING = (("助詞",), ("助動詞",), ("補助記号",), ("記号",), ("空白",), ("接続詞",))


class Word(NamedTuple):
    """A word where it stands."""

    start: int
    end: int
    form: str
    """As the dictionary writes it, whichever way it is spelled or inflected here."""

    meaning: bool
    """Not a particle, an auxiliary or a sign."""


class Morpheme(NamedTuple):
    """A word where it stands, with the part it plays."""

    start: int
    end: int
    form: str
    kind: str
    """As the dictionary calls it: 名詞, 動詞, 助詞 …"""

    manner: str
    """The kind within that kind: 固有名詞, 数詞, 非自立可能 …"""

    known: bool
    """The dictionary has it."""


class _Opened:
    """The dictionary, and the kinds of words that only hold others together."""

    def __init__(self) -> None:
        from sudachipy import Dictionary

        self.dictionary = Dictionary()
        self.without_meaning = self.dictionary.pos_matcher(_WITHOUT_MEANING)


class _Tokenizers(threading.local):
    short: Any = None
    whole: Any = None


_opening = threading.Lock()
_opened: _Opened | None = None
_tokenizers = _Tokenizers()


def words(text: str) -> Iterator[Word]:
    """The words of a text, in order, in time that grows with its length.

    Sentences that are not written in Japanese are passed over.
    """
    without_meaning = _open().without_meaning
    for at, morpheme in _tokenized(text):
        yield Word(
            at + morpheme.begin(),
            at + morpheme.end(),
            morpheme.normalized_form(),
            not without_meaning(morpheme),
        )


def morphemes(text: str, *, short: bool = False) -> Iterator[Morpheme]:
    """The words of a text, each with the part it plays: those that the dictionary has whole, or their parts."""
    for at, morpheme in _tokenized(text, whole=not short):
        kind, manner, *_ = morpheme.part_of_speech()
        yield Morpheme(
            at + morpheme.begin(),
            at + morpheme.end(),
            morpheme.normalized_form(),
            kind,
            manner,
            not morpheme.is_oov(),
        )


def _tokenized(text: str, *, whole: bool = False) -> Iterator[tuple[int, Any]]:
    """What the dictionary makes of a text, piece by piece, with where each piece begins."""
    tokenizer = _tokenizer(whole=whole)
    for piece in _PIECE.finditer(_UNREADABLE.sub(" ", text)):
        if _WRITTEN.search(piece.group()):
            at = piece.start()
            for morpheme in tokenizer.tokenize(piece.group()):
                yield at, morpheme


def _tokenizer(*, whole: bool) -> Any:
    """This thread's own."""
    opened, name = _open(), "whole" if whole else "short"
    if getattr(_tokenizers, name) is None:
        from sudachipy import SplitMode

        fields = {"surface", "pos", "normalized_form"}
        mode = SplitMode.B if whole else SplitMode.A
        setattr(_tokenizers, name, opened.dictionary.tokenizer(mode=mode, fields=fields))
    return getattr(_tokenizers, name)


def _open() -> _Opened:
    global _opened
    if _opened is None:
        with _opening:
            if _opened is None:
                _opened = _Opened()
    return _opened
