"""Which engine reads a scanned page: the one that reads its languages best, else the next.

Measured on rendered pages with noise, blur and turns (`bench/ocr.py`), rapidocr makes fewer errors
than Tesseract in English, German and Japanese, and Tesseract is three times as fast. So Tesseract
reads the scripts that rapidocr does not know, and everything where rapidocr is missing or breaks.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from actors.adapters import ocr, tesseract
from actors.adapters.page_lines import Seen
from actors.adapters.page_turns import mostly_tall, read_any_way, weight_of

DEFAULT_LANGUAGES = ("en", "de")
_VERTICAL = frozenset({"ja", "zh"})
"""Languages that may be written from top to bottom."""

_PLENTY = 20.0
"""What is seen on a page that is certainly read the right way."""

_PAIRS = (
    "arabic:ar chinese:zh czech:cs danish:da deutsch:de dutch:nl english:en finnish:fi "
    "french:fr français:fr german:de greek:el hebrew:he italian:it italiano:it "
    "japanese:ja korean:ko norwegian:no polish:pl portuguese:pt russian:ru spanish:es "
    "español:es swedish:sv turkish:tr ukrainian:uk 日本語:ja 中文:zh ara:ar ces:cs chi:zh "
    "cze:cs dan:da deu:de dut:nl ell:el eng:en fin:fi fra:fr fre:fr ger:de gre:el heb:he "
    "ita:it jpn:ja kor:ko nld:nl nor:no pol:pl por:pt rus:ru spa:es swe:sv tur:tr ukr:uk "
    "zho:zh cn:zh cz:cs dk:da gr:el jp:ja kr:ko ua:uk"
)
_NAMES = dict(pair.split(":") for pair in _PAIRS.split())
"""What languages are called in reference managers, beside their two letters; some by their country."""


@dataclass(frozen=True)
class Reading:
    """What an engine saw on a page."""

    lines: list[Seen]
    engine: str = ""
    turn: int = 0
    """Quarters to the left by which the page was turned; places are those of the turned page."""


def code_of(language: str) -> str:
    """The two letters of a language, however it is named; empty where nobody knows it."""
    name = language.strip().casefold()
    first = re.split(r"[-_ ,;(]", name)[0]
    known = _NAMES.get(name) or _NAMES.get(first)
    return known or (first if len(first) == 2 and first.isalpha() and first.isascii() else "")


def codes_of(languages: Iterable[str]) -> tuple[str, ...]:
    """Languages by their two letters, each once; the default where none of them is known."""
    known = tuple(dict.fromkeys(filter(None, map(code_of, languages))))
    return known or DEFAULT_LANGUAGES


def engines_for(languages: Iterable[str]) -> tuple[str, ...]:
    """The engines that read at least one of these languages, the best one first."""
    codes = codes_of(languages)
    rapid = [code for code in codes if ocr.reads(code)] if ocr.is_there() else []
    other = tesseract.readable(codes)
    found = [("rapidocr", len(rapid)), ("tesseract", len(other))]
    # Both alike: the first, which makes fewer errors.
    return tuple(name for name, reads in sorted(found, key=lambda each: -each[1]) if reads)


def unreadable_languages(languages: Iterable[str]) -> tuple[str, ...]:
    """Those of some languages that no engine here can read."""
    return tuple(each for each in languages if not code_of(each) or not engines_for([each]))


def read_page(image: Any, languages: Iterable[str], dpi: float) -> Reading:
    """What can be read of an image of shape (height, width, 3); an engine that breaks is replaced."""
    codes = codes_of(languages)
    readers: dict[str, Callable[[Any], list[Seen]]] = {
        "rapidocr": ocr.read_image,
        "tesseract": lambda turned: tesseract.read_image(turned, codes, dpi),
    }
    failure: Exception | None = None
    for engine in engines_for(codes):
        try:
            lines, turn = read_any_way(image, readers[engine])
            if engine == "rapidocr" and not _VERTICAL.isdisjoint(codes):
                lines, turn = _or_columns(image, lines, turn)
            if lines:
                return Reading(lines, engine, turn)
        except Exception as broken:  # noqa: BLE001 - engines break in any way; another may not
            failure = failure or broken
    if failure:
        raise failure
    return Reading([])


def _or_columns(image: Any, lines: list[Seen], turn: int) -> tuple[list[Seen], int]:
    """What is seen from top to bottom, where that is more than what was seen from left to right."""
    if turn == 0 and lines and not mostly_tall(lines) and weight_of(lines) > _PLENTY:
        return lines, turn
    columns = ocr.read_columns(image)
    return (columns, 1) if weight_of(columns) > weight_of(lines) else (lines, turn)
