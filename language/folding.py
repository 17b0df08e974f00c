"""One spelling for all the ways in which the same characters are written.

Width, case and compatibility forms go by Unicode's rules (NFKC); katakana and the old forms of
ideographs by tables, since Unicode keeps those apart and writers do not.
"""

import re
import unicodedata
from functools import cache

from language.scripts import KATAKANA, marks

MARKS_KEPT = 16
"""Marks on one letter. Nothing that is read has more, and sorting a million takes for ever."""

_MAY_COMBINE = re.compile(
    "[^\x00-\u02ff\u0370-\u0482\u048a-\u058f\u2000-\u20cf\u3000-\u3029\u3030-\u3098\u309b-\u9fff\uac00-\ud7a3\uff00-\uffef]"
)
_INVISIBLE = re.compile(r"\u00ad[^\S\n]*\n[^\S\n]*|[\u00ad\u200d\u2060\ufeff]")
"""Soft hyphens, also where a line ends with one, and joiners: they stand inside words and say nothing."""

_SMALL = str.maketrans("ァィゥェォャュョッヮヵヶヰヱヂヅ", "アイウエオヤユヨツワカケイエジズ")
_V = re.compile("ヴ([アイエオ]?)")
_V_AS_B = {"ア": "バ", "イ": "ビ", "エ": "ベ", "オ": "ボ", "": "ブ"}
_LAST_LONG = re.compile(rf"(?<=[{KATAKANA}]{{2}})ー+(?![{KATAKANA}])")
_ZEROS = "\u0660\u06f0\u0966\u09e6\u0a66\u0ae6\u0b66\u0be6\u0c66\u0ce6\u0d66\u0e50\u0ed0\u0f20\u1040\u17e0"
_DIGITS = {chr(ord(zero) + value): str(value) for zero in _ZEROS for value in range(10)}
_OWN_LETTERS = {"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h"}
# Of Turkish, and of Hindi: a nasal as a sign above the letter, and a dot below one.
_OWN_SIGNS = {"\u0131": "i", "\u0901": "\u0902", "\u093c": ""}
_TYPED = str.maketrans(_DIGITS | _OWN_LETTERS | _OWN_SIGNS)
_NASAL = "\u0928\u094d"
_OWN = re.compile(f"[{''.join(map(chr, _TYPED))}]|{_NASAL}")
_OLD_FORMS = str.maketrans("髙﨑濱濵邊邉齋齊櫻澤國學會體舊", "高崎浜浜辺辺斎斉桜沢国学会体旧")


def normalised(text: str) -> str:
    """The text in compatibility form, and without more marks on a letter than can be read."""
    if text.isascii():
        return text
    text = _INVISIBLE.sub("", text)
    if is_marked(text):
        text = _flood().sub(r"\1", text)
    return unicodedata.normalize("NFKC", text)


def is_marked(text: str) -> bool:
    """Whether there may be combining marks in a text."""
    return _MAY_COMBINE.search(text) is not None


def one_spelling(text: str) -> str:
    """Katakana and ideographs in one of the forms in which the same word is written.

    ヴァイオリン and バイオリン, サーバー and サーバ, キャノン and キヤノン come out alike.
    """
    text = text.translate(_OLD_FORMS).translate(_SMALL)
    text = _V.sub(lambda match: _V_AS_B[match.group(1)], text)
    return _LAST_LONG.sub("", text)


def plain(text: str) -> str:
    """Text in lower case with the letters and digits that people type instead of its own.

    Cœur and coeur, Łódź and Lodz, ٢٠٢٦ and 2026 come out alike, and the two ways in which Hindi
    writes a nasal; a dot below a letter of that script is often left out.
    """
    if not _OWN.search(text):
        return text
    return text.translate(_TYPED).replace(_NASAL, "\u0902")


def unaccented(word: str) -> str:
    """The word without the marks on its letters."""
    decomposed = unicodedata.normalize("NFD", word)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


@cache
def _flood() -> re.Pattern[str]:
    return re.compile(rf"([{marks()}]{{{MARKS_KEPT}}})[{marks()}]+")
