"""The letters of fonts that name none, as old TeX embeds them: their codes come as they are.

Such fonts keep ligatures, dashes and quotes among the control codes. TeX has two ways of it, told
apart by where a page has its ligatures.
"""

from collections.abc import Callable, Sequence

# Codes of a font, and the letters they are: quotes, dashes, then ff, fi, fl, ffi and ffl.
_NEWER = {
    0x10: 0x201C,
    0x11: 0x201D,
    0x12: 0x201E,
    0x13: 0xAB,
    0x14: 0xBB,
    0x15: 0x2013,
    0x16: 0x2014,
    0x1B: 0xFB00,
    0x1C: 0xFB01,
    0x1D: 0xFB02,
    0x1E: 0xFB03,
    0x1F: 0xFB04,
}
# ff, fi, fl, ffi, ffl, i and j without dots, then the letters of the northern languages.
_OLDER = {
    0x0B: 0xFB00,
    0x0C: 0xFB01,
    0x0D: 0xFB02,
    0x0E: 0xFB03,
    0x0F: 0xFB04,
    0x10: 0x131,
    0x11: 0x237,
    0x19: 0xDF,
    0x1A: 0xE6,
    0x1B: 0x153,
    0x1C: 0xF8,
    0x1D: 0xC6,
    0x1E: 0x152,
    0x1F: 0xD8,
}
_OLDER_LIGATURES = frozenset(range(0x0B, 0x10))
_CONTROL = frozenset(_NEWER) | frozenset(_OLDER)


def unnamed_letters(codes: Sequence[int], is_drawn: Callable[[int], bool]) -> Sequence[int]:
    """The codes of a page, with letters for those that a font has and nobody named.

    Blanks and line ends that are not drawn but made up by who reads the page are left alone.
    """
    odd = [place for place, code in enumerate(codes) if code in _CONTROL and is_drawn(place)]
    if not odd:
        return codes
    older = any(codes[place] in _OLDER_LIGATURES for place in odd)
    letters = _OLDER if older else _NEWER
    named = list(codes)
    for place in odd:
        named[place] = letters.get(codes[place], codes[place])
    return named
