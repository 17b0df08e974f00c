"""What of a thing is measured: that it is 300 m from the station does not tell how high it is."""

import re
from collections.abc import Iterable, Sequence

from actors.answering.closer_senses import sense_in
from actors.answering.figures import LENGTH, TIME, measures

_WORDS = {
    "height": "high tall height altitude elevation",
    "length": "long length",
    "depth": "deep depth",
    "width": "wide width broad breadth across",
    "thickness": "thick thickness",
    "diameter": "diameter",
    "distance": "far away distant distance apart from off",
}
_ASPECT = {word: aspect for aspect, words in _WORDS.items() for word in words.split()}
_ASKED = re.compile(
    r"\bhow (high|tall|long|deep|wide|broad|thick)\b"
    r"|\bwhat (?:is|was|are|were) (?:its|their|the) (?:[\w-]+ )?"
    r"(height|length|depth|width|breadth|thickness|diameter)\b",
    re.I,
)
_HOW = re.compile(
    r"\bhow (?:high|tall|long|deep|wide|broad|thick|heavy)\b"
    r"|: Which is (?:longer|higher|taller|deeper|wider|heavier)\b",
    re.I,
)
_HOW_MUCH = re.compile(r"how (high|tall|long|deep|wide|broad|thick)\b", re.I)
_LASTS = re.compile(
    r"\bhow long (?:do|does|did|can|could|will|must|should|may|has|have)\b"
    r".*\b(?:live|last|take|keep|stay|run|wait|work|survive|remain)s?\b",
    re.I,
)
_IN_OTHER_WAYS = re.compile(
    r"[0-9]\s+(?:pages|words|lines|characters|chapters|episodes|bars|verses|stor(?:e?ys?|ies)|floors)\b"
    r"|\b(?:1[0-9]|20)[0-9]{2}\b(?:\s?[–-]\s?|\s(?:to|until|till|and)\s)(?:1[0-9]|20)[0-9]{2}\b",
    re.I,
)
"""730 pages, 12 floors, from 1911 to 1991."""

_BEHIND = re.compile(rf"\s*(?:\([^()]{{1,30}}\)|\))?\s*(?:in )?({'|'.join(_ASPECT)})\b", re.I)
"""12 km (7 miles) long, 40 m in height, 300 m from."""

_BEFORE = re.compile(
    rf"\b({'|'.join(_ASPECT)}) (?:(?:of|is|was|to|at|about|some|over|nearly|almost|only|approximately) ){{0,3}}\Z",
    re.I,
)
"""A height of 40 m."""

_NEAR = 40
"""Characters before a figure that are looked at."""


def asks_for_a_measure(question: str) -> bool:
    """Whether it is asked how high, long or heavy something is, of one thing or of several that are compared."""
    return _HOW.search(question) is not None


def measures_nothing(question: str, told: Sequence[str]) -> bool:
    """Whether it is asked how high or long something is, and nothing that is told could say so."""
    asked = _HOW_MUCH.match(question)
    if asked is None:
        return False
    word = asked.group(1)
    sense = sense_in(word, question)
    kinds = (LENGTH, TIME) if word.casefold() == "long" else (LENGTH,)
    return not any(
        (sense is not None and sense.search(text))
        or _IN_OTHER_WAYS.search(text)
        or any(any(measures(text, kind)) for kind in kinds)
        for text in told
    )


def tells_of_another(question: str, told: Sequence[str]) -> bool:
    """Whether a question asks how high, long or deep, and what is told measures something else of whatever it is."""
    asked = _ASKED.search(question)
    if asked is None:
        return False
    timed = any(any(measures(text, TIME)) for text in told)
    if _LASTS.search(question):
        return not timed and any(any(measures(text, LENGTH)) for text in told)
    word = asked.group(1) or asked.group(2)
    sense = sense_in(word, question)
    if sense is not None and any(sense.search(text) for text in told):
        return False
    if word.casefold() == "long" and timed:
        return False
    said = [aspect for text in told for aspect in _aspects(text)]
    return bool(said) and all(each not in {None, _ASPECT[word.casefold()]} for each in said)


def _aspects(text: str) -> Iterable[str | None]:
    """What each length in a sentence is the length of; none where no word beside it says so."""
    for start, end in measures(text, LENGTH):
        word = _BEHIND.match(text, end) or _BEFORE.search(text, max(0, start - _NEAR), start)
        yield _ASPECT[word.group(1).casefold()] if word else None
