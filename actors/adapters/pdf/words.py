"""The words of a PDF's page at their places, as pdfium finds its characters."""

import ctypes
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from actors.adapters.pdf.downward import FALLS, as_columns, downward
from actors.adapters.pdf.initials import LARGE
from actors.adapters.pdf.letters import unnamed_letters
from actors.adapters.pdf.notes import MARKS
from actors.adapters.pdf.word import Word

_MOST_CHARACTERS = 400_000
"""Of one page; a poster has a tenth of it."""

_BOLD = re.compile(rb"bold|black|heavy|semibold|demi|cmbx|-bd\b|\.b\b", re.I)
_FIXED = re.compile(rb"mono|courier|cmtt|typewriter|consol|menlo", re.I)
_ITALIC = re.compile(rb"ital|obliq|slant|cmti|cmsl|-it\b|lmri|lmro|c?csc\d|smallcap|-sc\b", re.I)
_OF_SIGNS = re.compile(rb"cmsy|cmmi|cmex|msam|msbm|symbol|dingbat|math", re.I)
_FIXED_PITCH, _SLANTED = 1, 64
_SOFT = 0xAD
_HYPHENS = frozenset({0x02, _SOFT, 0xFFFE})
_BLANK = frozenset({0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20, 0xA0, 0x3000})
_APART = frozenset({*range(0x21), 0x200B, 0xA0, 0x3000, *_HYPHENS})


_Style = tuple[float, int, bool, bool, bool, int]
"""Size, degrees of its turn, whether it is bold, of a typewriter, italic, and its colour."""


class PageWords:
    """The characters of a page, gathered into words as pdfium parts them."""

    def __init__(self, pdfium: Any, page: Any, text: Any) -> None:
        self._pdfium, self._text = pdfium, text.raw
        self._styles: dict[int, _Style] = {}
        self._box, self._matrix = pdfium.FS_RECTF(), pdfium.FS_MATRIX()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._font, self._flags = ctypes.create_string_buffer(128), ctypes.c_int()
        self._paint = tuple(ctypes.c_uint() for _ in range(4))
        self._bounds = page.get_bbox()
        left, bottom, right, top = self._bounds
        self.width, self.height = abs(right - left) or 1.0, abs(top - bottom) or 1.0
        self.cut, self._count = False, 0
        self._downward = False

    def read(self) -> list[Word]:
        """The words in the order of the file."""
        words = [word for word in self._found() if word is not None]
        return as_columns(words, self.width) if self._downward else words

    def _found(self) -> Iterator[Word | None]:
        first = last = -1
        letters: list[str] = []
        glued = False
        for place, code in enumerate(unnamed_letters(self._codes(), self._is_drawn)):
            if code in _APART:
                hyphen = code in _HYPHENS and bool(letters)
                if hyphen:
                    ends = self._is_last(place)
                    letters.append("\u00ad" if code == _SOFT and ends else "-")
                    last = place
                if letters and (ends if hyphen else code in _BLANK):
                    yield self._word(letters, first, last, glued=glued)
                    letters, glued = [], False
                continue
            if letters and self._is_other(letters, last, code, place):
                yield self._word(letters, first, last, glued=glued)
                letters, glued = [], True
            if not letters:
                first = place
            letters.append(chr(code) if code < 0x110000 else "\ufffd")
            last = place
        if letters:
            yield self._word(letters, first, last, glued=glued)

    def _is_other(self, letters: list[str], last: int, code: int, place: int) -> bool:
        """Whether the mark of a note begins or ends within a word: it is smaller and higher."""
        mark = code < 0x3000 and chr(code) in MARKS
        if mark == (letters[-1] in MARKS):
            return False
        small, large = (place, last) if mark else (last, place)
        size, other = self._style(small)[0], self._style(large)[0]
        return size < 0.85 * other

    def _is_drawn(self, place: int) -> bool:
        """Whether a character is in the file, and of a font for text."""
        pdfium, text = self._pdfium, self._text
        if pdfium.FPDFText_IsGenerated(text, place):
            return False
        length = pdfium.FPDFText_GetFontInfo(text, place, self._font, 128, self._flags)
        return not _OF_SIGNS.search(self._font.raw[: min(length, 128)])

    def _is_last(self, place: int) -> bool:
        """Whether a line ends with a hyphen: what pdfium puts behind it may stand anywhere."""
        pdfium, text, box = self._pdfium, self._text, self._box
        if place + 1 >= self._count:
            return True
        size, turn = self._style(place)[:2]
        pdfium.FPDFText_GetCharOrigin(text, place, self._x, self._y)
        _, base = self._place(self._x.value, self._y.value, turn)
        pdfium.FPDFText_GetLooseCharBox(text, place, box)
        ends = (self._place(box.left, box.bottom, turn), self._place(box.right, box.top, turn))
        pdfium.FPDFText_GetCharOrigin(text, place + 1, self._x, self._y)
        x, y = self._place(self._x.value, self._y.value, turn)
        near = abs(x - max(ends[0][0], ends[1][0])) < 0.6 * size and abs(y - base) < 0.5 * size
        return not near

    def _codes(self) -> Sequence[int]:
        """The code of each character, by its place in the page."""
        count = self._pdfium.FPDFText_CountChars(self._text)
        self.cut = count > _MOST_CHARACTERS
        self._count = count = min(count, _MOST_CHARACTERS)
        buffer = (ctypes.c_ushort * (count + 1))()
        if count and self._pdfium.FPDFText_GetText(self._text, 0, count, buffer) == count + 1:
            codes: Sequence[int] = buffer[:count]
            if not any(0xD800 <= code < 0xE000 for code in codes):
                return codes
        # Some characters are none or two in the text of the page: only one by one they are exact.
        unicode_of = self._pdfium.FPDFText_GetUnicode
        return [unicode_of(self._text, place) for place in range(count)]

    def _word(
        self, letters: list[str], first: int, last: int, *, glued: bool = False
    ) -> Word | None:
        pdfium, text, box = self._pdfium, self._text, self._box
        pdfium.FPDFText_GetCharOrigin(text, first, self._x, self._y)
        size, turn, bold, fixed, italic, colour = self._style(first)
        x, y = self._place(self._x.value, self._y.value, turn)
        if len(letters) > 1 and letters[0].isupper():
            rest = self._style(first + 1)
            if size >= LARGE * rest[0]:
                # A large letter that reaches over several lines: the word is on the first of them.
                size, turn, bold, fixed, italic, colour = rest
                pdfium.FPDFText_GetCharOrigin(text, first + 1, self._x, self._y)
                y = self._place(self._x.value, self._y.value, turn)[1]
        pdfium.FPDFText_GetLooseCharBox(text, last, box)
        ends = (self._place(box.left, box.bottom, turn), self._place(box.right, box.top, turn))
        right = max(x, ends[0][0], ends[1][0])
        if not math.isfinite(x + y + right + size):
            return None
        if turn == 0 and last > first and FALLS.match(letters[0]):
            pdfium.FPDFText_GetCharOrigin(text, last, self._x, self._y)
            down = self._place(self._x.value, self._y.value, turn)
            if abs(down[0] - x) < 0.5 * size and down[1] - y > 0.5 * size * (len(letters) - 1):
                self._downward = True
                return downward("".join(letters), (x, y), down[1], self.width, size)
        written = "".join(letters)
        if not written.isascii():
            written = written.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return Word(written, x, right, y, size, bold, fixed, turn, italic, colour, glued)

    def _style(self, place: int) -> _Style:
        """How a character is set."""
        pdfium, text = self._pdfium, self._text
        drawn = pdfium.FPDFText_GetTextObject(text, place)
        key = ctypes.addressof(drawn.contents) if drawn else 0
        if key and key in self._styles:
            return self._styles[key]
        size = pdfium.FPDFText_GetFontSize(text, place)
        if pdfium.FPDFText_GetMatrix(text, place, self._matrix):
            size *= math.hypot(self._matrix.c, self._matrix.d) or 1.0
        angle = math.degrees(pdfium.FPDFText_GetCharAngle(text, place))
        turn = round(-angle / 90) % 4 * 90 if math.isfinite(angle) else 0
        length = pdfium.FPDFText_GetFontInfo(text, place, self._font, 128, self._flags)
        font = self._font.raw[: min(length, 128)]
        bold = pdfium.FPDFText_GetFontWeight(text, place) >= 600 or bool(_BOLD.search(font))
        fixed = bool(self._flags.value & _FIXED_PITCH or _FIXED.search(font))
        italic = bool(self._flags.value & _SLANTED or _ITALIC.search(font))
        bounded = min(max(abs(size), 1.0), 400.0)
        self._styles[key] = (bounded, turn, bold, fixed, italic, self._colour(place))
        return self._styles[key]

    def _colour(self, place: int) -> int:
        red, green, blue, opacity = self._paint
        if not self._pdfium.FPDFText_GetFillColor(self._text, place, red, green, blue, opacity):
            return 0
        return int(red.value) << 16 | int(green.value) << 8 | int(blue.value)

    def _place(self, x: float, y: float, turn: int) -> tuple[float, float]:
        """A point as a reader of words that are turned so holds the page: from left and top."""
        left, bottom, right, top = self._bounds
        match turn:
            case 90:
                return y - bottom, x - left
            case 180:
                return right - x, y - bottom
            case 270:
                return top - y, right - x
            case _:
                return x - left, top - y
