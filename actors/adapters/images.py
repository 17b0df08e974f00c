"""Reads images of pages: PNG, JPEG, TIFF and the like, each of their pages as a scan.

Photographs of receipts and letters come as they are; what is no picture of words has no text.
"""

import io
from collections.abc import Iterator, Sequence
from typing import Any

from actors.adapters import ocr, scans
from actors.adapters.draft import Draft
from actors.adapters.pdf.lines import Page
from actors.adapters.pdf.text import pour
from actors.adapters.sandboxed import still_working
from actors.ingesting.page_lists import page_list
from actors.ports import Coverage, Parsed
from events.errors import Unreadable

KINDS = {
    b"\x89PNG": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"II*\x00": "image/tiff",
    b"MM\x00*": "image/tiff",
    b"BM": "image/bmp",
    b"RIFF": "image/webp",
}
MOST_PAGES = 500
MOST_PIXELS = 120_000_000
"""Of one page; a poster at 300 dots to the inch has about as many."""

_SIDE = 842.0
"""Points of the longer side of a page: how large it was nobody knows."""

_SMALLEST = 24


def media_type_of(raw: bytes) -> str:
    """The kind of image that bytes are; empty where they are none that is read here."""
    for begins, kind in KINDS.items():
        if raw.startswith(begins) and (begins != b"RIFF" or raw[8:12] == b"WEBP"):
            return kind
    return ""


def parse_image(name: str, raw: bytes, languages: Sequence[str] = ()) -> Parsed:
    """The words in an image; each of its pages is a page."""
    pages: list[Page] = []
    seen: dict[int, str] = {}
    warnings: list[str] = []
    count = 0
    for count, image in enumerate(_pages(name, raw), 1):
        page, engine = _read(image, count, languages, warnings)
        if page.words:
            pages.append(page)
            seen[count] = engine
    empty = tuple(number for number in range(1, count + 1) if number not in seen)
    if empty and not scans.engines_for(languages):
        warnings.append("it is an image: scanned, not read")
    draft = Draft(name)
    title, _ = pour(pages, [], draft)
    metadata = {
        "pages": str(count),
        **page_list("ocr_pages", list(seen)),
        "ocr_engines": "; ".join(dict.fromkeys(seen.values())),
        **page_list("empty_pages", empty),
    }
    coverage = Coverage(pages=count, empty_pages=empty, warnings=tuple(warnings[:50]))
    return draft.parsed(media_type_of(raw), title, metadata, coverage)


def _pages(name: str, raw: bytes) -> Iterator[Any]:
    """The pages of an image as arrays of shape (height, width, 3), upright by what it says."""
    import numpy as np
    from PIL import Image, ImageOps, ImageSequence

    try:
        with Image.open(io.BytesIO(raw)) as opened:
            for number, frame in enumerate(ImageSequence.Iterator(opened)):
                if number >= (MOST_PAGES if opened.format == "TIFF" else 1):
                    return
                _check_size(name, *frame.size)
                upright = ImageOps.exif_transpose(frame).convert("RGBA")
                paper = Image.new("RGBA", upright.size, "white")
                flat = Image.alpha_composite(paper, upright).convert("RGB")
                flat.thumbnail((_longest(flat.size),) * 2)
                yield np.asarray(flat)
    except Unreadable:
        raise
    except MemoryError:
        raise
    except Exception as failure:
        # A damaged image can break its decoder in any way.
        raise Unreadable(name, "it is an image that is damaged, or of an unknown kind") from failure


def _check_size(name: str, width: int, height: int) -> None:
    if width * height > MOST_PIXELS:
        raise Unreadable(name, f"it is an image of {width} by {height} pixels")
    if min(width, height) < _SMALLEST:
        raise Unreadable(name, "it is an image too small to hold words")


def _longest(size: tuple[int, int]) -> int:
    """Pixels of the longer side: a long receipt keeps its width."""
    short, long = sorted(size)
    return int(min(long, max(ocr.LONGEST_SIDE, ocr.LONGEST_SIDE * long / (1.5 * short))))


def _read(
    image: Any, number: int, languages: Sequence[str], warnings: list[str]
) -> tuple[Page, str]:
    height, width = image.shape[:2]
    scale = max(height, width) / _SIDE
    nothing = Page(number, width / scale, height / scale, [])
    if not scans.engines_for(languages):
        return nothing, ""
    still_working()
    try:
        reading = scans.read_page(image, languages, 72 * scale)
    except Exception as failure:  # noqa: BLE001 - an engine that breaks on a page costs that page
        warnings.append(f"page {number} could not be read by OCR: {type(failure).__name__}")
        return nothing, ""
    if reading.turn % 2:
        height, width = width, height
    words = ocr.words_of(reading.lines, scale)
    return Page(number, width / scale, height / scale, words), reading.engine
