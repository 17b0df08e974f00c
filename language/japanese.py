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


class _Opened:
    """The dictionary, and the kinds of words that only hold others together."""

    def __init__(self) -> None:
        from sudachipy import Dictionary

        self.dictionary = Dictionary()
        self.without_meaning = self.dictionary.pos_matcher(_WITHOUT_MEANING)


class _Tokenizers(threading.local):
    own: Any = None


_opening = threading.Lock()
_opened: _Opened | None = None
_tokenizers = _Tokenizers()


def words(text: str) -> Iterator[Word]:
    """The words of a text, in order, in time that grows with its length.

    Sentences that are not written in Japanese are passed over.
    """
    opened = _open()
    tokenizer = _tokenizers.own
    if tokenizer is None:
        from sudachipy import SplitMode

        fields = {"surface", "pos", "normalized_form"}
        tokenizer = opened.dictionary.tokenizer(mode=SplitMode.A, fields=fields)
        _tokenizers.own = tokenizer
    without_meaning = opened.without_meaning
    for piece in _PIECE.finditer(_UNREADABLE.sub(" ", text)):
        if not _WRITTEN.search(piece.group()):
            continue
        at = piece.start()
        for morpheme in tokenizer.tokenize(piece.group()):
            yield Word(
                at + morpheme.begin(),
                at + morpheme.end(),
                morpheme.normalized_form(),
                not without_meaning(morpheme),
            )


def _open() -> _Opened:
    global _opened
    if _opened is None:
        with _opening:
            if _opened is None:
                _opened = _Opened()
    return _opened
