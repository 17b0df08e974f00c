"""Which script a character belongs to, and how that script is written.

What matters here is how words can be found: by the spaces between them, or, in scripts without
spaces, only by a dictionary or by pairs of neighbouring characters.
"""

import unicodedata
from bisect import bisect_right
from collections import Counter
from functools import cache
from typing import Literal

Script = Literal[
    "latin",
    "greek",
    "cyrillic",
    "armenian",
    "hebrew",
    "arabic",
    "devanagari",
    "indic",
    "tamil",
    "georgian",
    "thai",
    "lao",
    "tibetan",
    "burmese",
    "khmer",
    "kana",
    "han",
    "hangul",
    "other",
]

_BLOCKS: tuple[tuple[int, int, Script], ...] = (
    (0x0041, 0x024F, "latin"),
    (0x0250, 0x02AF, "latin"),
    (0x0370, 0x03FF, "greek"),
    (0x0400, 0x052F, "cyrillic"),
    (0x0530, 0x058F, "armenian"),
    (0x0590, 0x05FF, "hebrew"),
    (0x0600, 0x077F, "arabic"),
    (0x08A0, 0x08FF, "arabic"),
    (0x0900, 0x097F, "devanagari"),
    (0x0980, 0x0B7F, "indic"),
    (0x0B80, 0x0BFF, "tamil"),
    (0x0C00, 0x0DFF, "indic"),
    (0x0E00, 0x0E7F, "thai"),
    (0x0E80, 0x0EFF, "lao"),
    (0x0F00, 0x0FFF, "tibetan"),
    (0x1000, 0x109F, "burmese"),
    (0x10A0, 0x10FF, "georgian"),
    (0x1100, 0x11FF, "hangul"),
    (0x1780, 0x17FF, "khmer"),
    (0x1C80, 0x1C8F, "cyrillic"),
    (0x1C90, 0x1CBF, "georgian"),
    (0x1E00, 0x1EFF, "latin"),
    (0x1F00, 0x1FFF, "greek"),
    (0x2C60, 0x2C7F, "latin"),
    (0x2DE0, 0x2DFF, "cyrillic"),
    (0x2E80, 0x2FDF, "han"),
    (0x3005, 0x3007, "han"),
    (0x3021, 0x3029, "han"),
    (0x3041, 0x30FF, "kana"),
    (0x3130, 0x318F, "hangul"),
    (0x31F0, 0x31FF, "kana"),
    (0x3400, 0x4DBF, "han"),
    (0x4E00, 0x9FFF, "han"),
    (0xA640, 0xA69F, "cyrillic"),
    (0xA720, 0xA7FF, "latin"),
    (0xA960, 0xA97F, "hangul"),
    (0xA9E0, 0xA9FF, "burmese"),
    (0xAA60, 0xAA7F, "burmese"),
    (0xAB30, 0xAB6F, "latin"),
    (0xAC00, 0xD7FF, "hangul"),
    (0xF900, 0xFAFF, "han"),
    (0xFB00, 0xFB06, "latin"),
    (0xFB13, 0xFB17, "armenian"),
    (0xFB1D, 0xFB4F, "hebrew"),
    (0xFB50, 0xFDFF, "arabic"),
    (0xFE70, 0xFEFE, "arabic"),
    (0xFF21, 0xFF5A, "latin"),
    (0xFF66, 0xFF9F, "kana"),
    (0xFFA0, 0xFFDC, "hangul"),
    (0x1B000, 0x1B16F, "kana"),
    (0x20000, 0x3FFFF, "han"),
)
_STARTS = [first for first, _, _ in _BLOCKS]

KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff"
HIRAGANA = "\u3041-\u3096\u309d-\u309f"
HAN = "\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
HANGUL = "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"
CJK = HIRAGANA + KATAKANA + HAN + HANGUL
"""For use in a character class: what is written here, without spaces or nearly so."""

UNSPACED = (
    CJK
    + "\u0e01-\u0e3a\u0e40-\u0e4e"  # Thai
    + "\u0e81-\u0ece\u0edc-\u0edf"  # Lao
    + "\u0f40-\u0fbc"  # Tibetan
    + "\u1000-\u103f\u1050-\u108f\u109a-\u109f\ua9e0-\ua9ef\uaa60-\uaa7f"  # Burmese and kin
    + "\u1780-\u17d3\u17d7\u17dc\u17dd"  # Khmer
)
"""For use in a character class: letters and signs of all scripts in which no space shows where
a word ends, with those of Hangul, whose spaces stand between phrases."""


def script_of(character: str) -> Script:
    """The script of a letter; `other` for what is no letter, or of a script not listed."""
    return _script(character) if character.isalpha() or _is_mark(character) else "other"


def scripts(text: str) -> Counter[Script]:
    """How many letters of each script there are."""
    found: Counter[Script] = Counter()
    for character, times in Counter(text).items():
        if character.isalpha():
            found[_script(character)] += times
    return found


def _script(character: str) -> Script:
    code = ord(character)
    at = bisect_right(_STARTS, code) - 1
    return _BLOCKS[at][2] if at >= 0 and code <= _BLOCKS[at][1] else "other"


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"


@cache
def marks() -> str:
    """For use in a character class: the marks that combine with the letter before them."""
    ranges: list[list[int]] = []
    for code in range(0x300, 0x1F000):
        if _is_mark(chr(code)):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(
        chr(first) if first == last else f"{chr(first)}-{chr(last)}" for first, last in ranges
    )
