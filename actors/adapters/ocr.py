"""Reads the text in the image of a page, with rapidocr: its models come with it and need no network.

The only door to rapidocr. Lines are given back at their places, so that a scanned page goes through
the same layout as a printed one.
"""

import importlib.util
import math
import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from statistics import median
from typing import Any

from actors.adapters.page_lines import Seen
from actors.adapters.pdf.word import Word
from actors.adapters.vertical_text import as_row
from events.telemetry import tell_nobody

LONGEST_SIDE = 2000
"""Pixels of a page's image: more is scaled down by the engine anyway."""

_SIDE_FOR_LINES = 1280
_TALL, _HIGHEST = 1.8, 1.4
"""Heights in widths: of an image that is looked at in parts, and of such a part."""

_LOWEST = 200

LEAST_SURE = 0.6
"""Below this confidence a line is a guess, and left out."""

_STRANGE_SCRIPTS = frozenset(
    {
        *("am", "ar", "be", "bg", "bn", "fa", "gu", "he", "hi", "hy", "ka", "kk", "km", "kn", "ko"),
        *("ky", "lo", "mk", "ml", "mn", "mr", "my", "ne", "pa", "ps", "ru", "si", "sr", "ta", "te"),
        *("th", "uk", "ur", "yi"),
    }
)
"""Languages whose letters the model does not know. It knows Latin, Greek, Chinese and Japanese."""

_ALIKE = (0.75, 1.35)
"""Times the usual height of a page's lines: within this, letters have the same size."""

_LETTERS = 0.68
"""Height of letters, as a font's size counts it, in that of the box around a line."""

_BELOW = 0.22
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def is_there() -> bool:
    """Whether it is installed."""
    return all(importlib.util.find_spec(name) for name in ("rapidocr", "onnxruntime"))


def reads(language: str) -> bool:
    """Whether the model knows the letters of a language, given as its ISO 639-1 code."""
    return language not in _STRANGE_SCRIPTS


@cache
def _engine() -> Any:
    tell_nobody()
    from rapidocr import RapidOCR

    threads = "EngineConfig.onnxruntime"
    return RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.use_cls": False,
            # Lines are found in a smaller image than they are read in: it takes a quarter.
            "Det.limit_type": "max",
            "Det.limit_side_len": _SIDE_FOR_LINES,
            f"{threads}.intra_op_num_threads": 2,
            f"{threads}.inter_op_num_threads": 1,
        }
    )


def read_image(image: Any) -> list[Seen]:
    """The lines of an image of shape (height, width, 3)."""
    seen: list[Seen] = []
    for top, bottom in bands_of(image):
        found = _engine()(image[top:bottom], use_det=True, use_cls=False, use_rec=True)
        if found is None or not getattr(found, "txts", None):
            continue
        for text, box, sure in zip(found.txts, found.boxes, found.scores, strict=True):
            across, down = [float(x) for x, _ in box], [float(y) + top for _, y in box]
            places = (min(across), min(down), max(across), max(down))
            if text.strip() and sure >= LEAST_SURE and all(map(math.isfinite, places)):
                seen.append(Seen(text.strip(), *places, float(sure)))
    return seen


def bands_of(image: Any) -> list[tuple[int, int]]:
    """The parts in which an image is looked at: a long receipt would be made too small for one."""
    height, width = image.shape[:2]
    band = int(_HIGHEST * width)
    if height <= _TALL * width or band < _LOWEST:
        return [(0, height)]
    ink = image.mean(axis=2).std(axis=1)
    cuts = [0]
    while height - cuts[-1] > band + band // 3:
        # Between two lines, where a row of pixels is all alike.
        begin, end = cuts[-1] + band - band // 5, cuts[-1] + band
        cuts.append(begin + int(ink[begin:end].argmin()))
    return list(pairwise([*cuts, height]))


def read_columns(image: Any) -> list[Seen]:
    """The lines of a page of Japanese that runs from top to bottom, each told as if it were a row.

    Places are those of the page turned by a quarter to the left.
    """
    found = _engine()(image, use_det=True, use_cls=False, use_rec=False)
    boxes = getattr(found, "boxes", None)
    if boxes is None:
        return []
    width = image.shape[1]
    crops, places = [], []
    for box in boxes:
        left, right = max(int(box[:, 0].min()), 0), int(box[:, 0].max())
        top, bottom = max(int(box[:, 1].min()), 0), int(box[:, 1].max())
        if right - left > 4 and bottom - top > 4:
            crops.append(as_row(image[top:bottom, left:right]))
            places.append((float(top), float(width - right), float(bottom), float(width - left)))
    if not crops:
        return []
    read = _engine().recognize_txt(crops)
    return [
        Seen(text.strip(), *place, float(sure))
        for text, sure, place in zip(read.txts, read.scores, places, strict=True)
        if text.strip() and sure >= LEAST_SURE
    ]


def words_of(seen: Sequence[Seen], scale: float) -> list[Word]:
    """Lines in an image as the words of a page; the scale is pixels to a point."""
    if not seen:
        return []
    usual = median(line.height for line in seen)
    words: list[Word] = []
    for row in _rows(seen):
        base = median(line.bottom - _BELOW * _even(line.height, usual) for line in row)
        for line in row:
            size = _even(line.height, usual) * _LETTERS / scale
            words += _words(line, base / scale, size, scale)
    return words


def _even(height: float, usual: float) -> float:
    """Boxes are as high as the letters in them happen to be; only clear differences count."""
    return usual if _ALIKE[0] * usual <= height <= _ALIKE[1] * usual else height


def _rows(seen: Sequence[Seen]) -> list[list[Seen]]:
    """Lines beside each other: a base line that is not quite level is still one."""
    rows: list[list[Seen]] = []
    for line in sorted(seen, key=lambda each: (each.top + each.bottom) / 2):
        middle = (line.top + line.bottom) / 2
        last = rows[-1][-1] if rows else None
        if last and abs((last.top + last.bottom) / 2 - middle) < 0.35 * min(
            last.height, line.height
        ):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda each: each.left) for row in rows]


def _words(line: Seen, base: float, size: float, scale: float) -> list[Word]:
    """The words of a line, each over its share of the line's width."""
    total = sum(map(_width, line.text)) or 1
    across = line.right - line.left
    words: list[Word] = []
    for found in re.finditer(r"\S+", line.text):
        before = sum(map(_width, line.text[: found.start()]))
        upto = before + sum(map(_width, found.group()))
        left = line.left + across * before / total
        right = line.left + across * upto / total
        words.append(
            Word(found.group(), left / scale, right / scale, base, size, bold=False, fixed=False)
        )
    return words


def _width(letter: str) -> int:
    return 2 if _CJK.match(letter) else 1
