"""Tells the pages whose words are in their image: scans, drawn letters, fonts that name none, bad layers."""

import re
from collections.abc import Sequence
from typing import Any

from actors.adapters.pdf.lines import Page
from actors.adapters.pdf.word import Word

_STAMP = 150
"""Letters of what is put on a scanned page: its number, who scanned it, where it was fetched."""

_UNKNOWN = re.compile("[\ue000-\uf8ff\ufffd]")
_KNOWN = 0.4
"""Share of a page's letters that must be known for its text to be one."""

_WORDLIKE = 0.5
"""Share of a page's letters that must be in words for what was once read from its scan to be a text."""

_COVERING = 0.75
_DRAWN = 40
"""Shapes on a page without words that may be letters drawn as shapes."""

_MOST_SHAPES = 5000
_MARKS = ".,;:!?()[]{}\"'“”‘’«»-–—/*&%"  # noqa: RUF001
_VOWELS = re.compile(r"[aeiouyàáâãäåæèéêëìíîïòóôõöøœùúûüýÿ]", re.I)
_LATIN = re.compile(r"[a-z\u00c0-\u024f]+\Z", re.I)
_CASES = re.compile(r"[a-z\u00df-\u00ff][A-Z]")


def is_image(pdfium: Any, page: Any, shown: Page) -> bool:
    """Whether what there is to read on a page is in its images or shapes."""
    image, shape = pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_PATH
    if _is_riddle(shown.words):
        return True
    letters = _letters(shown.words)
    if letters > _STAMP:
        images = page.get_objects(filter=(image,), max_depth=3)
        return _is_garbled(shown.words) and any(_covers(each, shown) for each in images)
    shapes = 0
    for drawn in page.get_objects(filter=(image, shape), max_depth=3):
        if drawn.type == shape:
            shapes += 1
            if not letters and shapes >= _DRAWN:
                return True
        elif not letters or _covers(drawn, shown):
            return True
        if shapes > _MOST_SHAPES:
            break
    return False


def reads_better(read: Sequence[Word], shown: Sequence[Word]) -> bool:
    """Whether more was read in a page's image than its file says."""
    if _letters(shown) > _STAMP and _is_garbled(shown):
        return _wordlike(read) > _wordlike(shown)
    return _letters(read) > _letters(shown)


def _covers(drawn: Any, shown: Page) -> bool:
    left, bottom, right, top = drawn.get_bounds()
    share = abs((right - left) * (top - bottom)) / (shown.width * shown.height)
    return bool(share >= _COVERING)


def _letters(words: Sequence[Word]) -> int:
    """How many letters words have, without those of fonts that do not say which they are."""
    return sum(len(word.text) - len(_UNKNOWN.findall(word.text)) for word in words)


def _is_riddle(words: Sequence[Word]) -> bool:
    """Whether most of a page's letters are such that only its image can tell them."""
    drawn = sum(len(word.text) for word in words)
    return drawn > _STAMP // 3 and _letters(words) < _KNOWN * drawn


def _is_garbled(words: Sequence[Word]) -> bool:
    """Whether hardly anything of a page looks like words."""
    return _wordlike(words) < _WORDLIKE * _letters(words)


def _wordlike(words: Sequence[Word]) -> int:
    """Letters of what looks like words or numbers."""
    return sum(len(bare) for word in words if _is_word(bare := word.text.strip(_MARKS)))


def _is_word(text: str) -> bool:
    if text.isdecimal():
        return True
    if not _LATIN.match(text):
        # Letters of other scripts are not judged, unless they stand among signs and digits.
        return not text.isascii() and sum(map(str.isalpha, text)) > 0.7 * len(text)
    if len(text) == 1:
        return text in "aIAyYeEoOàéÉ"
    return bool(_VOWELS.search(text)) and not _CASES.search(text)
