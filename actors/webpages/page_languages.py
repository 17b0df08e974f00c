"""The language of a page in the contract's words: English, Japanese, or more than one."""

import re
from collections import Counter
from collections.abc import Sequence

from actors.ports import Chunk
from events.websites import Language

MINORITY = 0.1
"""Share of its characters from which a second language makes a page mixed."""

DENSITY = 2.5
"""What a Japanese character counts against a letter."""

_A_SENTENCE = 20
"""Letters from which a line among Japanese ones is more than a name."""

_JAPANESE = re.compile("[\u3041-\u30ff\u3400-\u9fff\uff66-\uff9f]")


_KANA = re.compile("[\u3041-\u30ff\uff66-\uff9f]")


def languages_of(text: str, chunks: Sequence[Chunk]) -> tuple[Language, tuple[str, ...]]:
    """The language of a page in the contract's words, and all that it is written in."""
    share: Counter[str] = Counter()
    for chunk in chunks:
        written = text[chunk.start : chunk.end]
        # Japanese tables and lists may do without kana; what has a Chinese character may not be Japanese.
        around = "ja" if chunk.language == "zh" and _may_be_japanese(written) else chunk.language
        for line in written.splitlines():
            language, weight = _of_line(line, around)
            share[language] += weight
    share.pop("und", None)
    least = MINORITY * share.total()
    kept = tuple(name for name, weight in share.most_common() if weight and weight >= least)
    if kept in {("ja",), ("en",), ()}:
        return ("ja" if kept == ("ja",) else "en"), kept
    return "mixed", kept


def _may_be_japanese(text: str) -> bool:
    """Whether a text has no character that nobody writes Japanese with."""
    try:
        text.encode("cp932")
    except UnicodeEncodeError:
        return False
    return True


def _of_line(line: str, around: str) -> tuple[str, int]:
    """A line's language and weight: one in letters may stand among Japanese ones."""
    japanese = len(_JAPANESE.findall(line))
    letters = sum(letter.isalpha() for letter in line) - japanese
    if around == "ja" and letters >= _A_SENTENCE and not japanese:
        return "en", letters
    if around == "zh" and not _KANA.search(line):
        return "zh", round(japanese * DENSITY) + letters
    if around != "ja" and japanese * DENSITY > letters:
        return "ja", round(japanese * DENSITY)
    return around, round(japanese * DENSITY) + letters
