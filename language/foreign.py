"""Whether a question is in another language than the texts that were found for it."""

import re
from collections.abc import Collection

from language.detection import language_of
from language.language_names import NAMES, may_be_written_as
from language.scripts import UNSPACED

_UNSPACED = re.compile(f"[{UNSPACED}]")
_WRITTEN_UNSPACED = frozenset({"bo", "ja", "km", "ko", "lo", "my", "th", "zh"})


def is_foreign(query: str, written: Collection[str], *, shares_words: bool) -> bool:
    """Whether none of the languages that texts are written in is that of the question.

    Of a few words only other letters can tell. If a text has one of these words, it is one in its language too: names
    of things are often written in Latin letters.
    """
    asked = language_of(query)
    if asked in NAMES:
        return may_be_written_as(asked).isdisjoint(written)
    in_letters = any(map(str.isalpha, query)) and not _UNSPACED.search(query)
    return in_letters and not shares_words and _WRITTEN_UNSPACED.issuperset(written)
