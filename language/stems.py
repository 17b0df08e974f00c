"""What makes two forms of a word the same word: its stem, by the rules of its script's language.

English rules serve all that is written in Latin letters: they do little to other languages, and
do it to a question and a text alike.
"""

import re
import threading

import Stemmer

from language.folding import unaccented
from language.scripts import Script, script_of

LONGEST = 64
"""Letters of a word that count. What is longer is no word but data, and is told by its start."""

STOP_WORDS = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being below
    between both but by can could did do does doing down during each few for from further had has
    have having he her here hers him his how i if in into is it its itself just me more most my no
    nor not now of off on once only or other our ours out over own same she should so some such
    than that the their theirs them then there these they this those through to too under until up
    us very was we were what when where which while who whom whose why will with would you your
    yours
    """.split()  # noqa: SIM905 - a list of words reads better as words
)

_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_ENDINGS = frozenset({"s", "t", "d", "m", "ll", "re", "ve"})
_LANGUAGES: dict[Script, str] = {
    "cyrillic": "russian",
    "greek": "greek",
    "arabic": "arabic",
    "armenian": "armenian",
    "devanagari": "hindi",
    "tamil": "tamil",
}
_BARE: frozenset[Script] = frozenset({"latin", "greek", "hebrew", "arabic"})
"""Scripts in which the marks on a letter do not make it another letter, or are often left out."""


def stem(word: str, stop_words: frozenset[str] = STOP_WORDS) -> str:
    """The stem of a word in lower case; empty for a stop word. A number is its digits."""
    word = word[:LONGEST]
    if _THOUSANDS.fullmatch(word):
        return word.replace(",", "")
    head, _, ending = word.replace("’", "'").partition("'")
    word = head if ending in _ENDINGS else head + ending
    if word in stop_words:
        return ""
    if word.isascii():
        return _stemmed("english", word)
    script = script_of(word[0])
    language = "english" if script == "latin" else _LANGUAGES.get(script)
    return _stemmed(language, bare(word)) if language else bare(word)


def bare(word: str) -> str:
    """A word in lower case without marks on its letters, where these do not make others of them."""
    script = script_of(word[0])
    if script in _BARE:
        return unaccented(word)
    if script == "cyrillic":
        return word.replace("\N{CYRILLIC SMALL LETTER IO}", "\N{CYRILLIC SMALL LETTER IE}")
    return word


class _Stemmers(threading.local):
    """A stemmer has state, so each thread has its own."""

    def __init__(self) -> None:
        self.known: dict[str, Stemmer.Stemmer] = {}


_stemmers = _Stemmers()


def _stemmed(language: str, word: str) -> str:
    stemmer = _stemmers.known.get(language)
    if stemmer is None:
        # Without the library's own cache, which takes longer than stemming does.
        stemmer = _stemmers.known[language] = Stemmer.Stemmer(language, 0)
    try:
        return stemmer.stemWord(word)  # type: ignore[no-any-return]
    except UnicodeEncodeError:
        return word  # Half of a character, as in a broken file name, has no stem.
