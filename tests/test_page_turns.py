"""Pages that lie on their side, stand on their head, or run from top to bottom."""

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from actors.adapters import ocr, scans
from actors.adapters.page_lines import Seen
from actors.adapters.page_turns import read_any_way
from actors.adapters.scans import Reading
from actors.adapters.vertical_text import as_row
from actors.ingesting.parsing import AnyParser
from events.errors import Unreadable

PAGE = np.full((300, 200, 3), 255, np.uint8)
PAGE[10:20, 10:190] = 0
"""A page whose only line stands at its top."""

LINE = "The sea rises and falls twice a day, all along the coast."


def reader(image: Any) -> list[Seen]:
    """Sees the line where it is: surely at the top, hardly at the bottom, lying at the sides."""
    dark = image[:, :, 0] == 0
    rows, columns = np.flatnonzero(dark.any(1)), np.flatnonzero(dark.any(0))
    top, bottom, left, right = rows[0], rows[-1], columns[0], columns[-1]
    if bottom - top > right - left:
        parts = [LINE[19 * n : 19 * n + 19] for n in range(3)]
        return [
            Seen(part, left, top + 60 * n, right, top + 60 * n + 55, 0.9)
            for n, part in enumerate(parts)
        ]
    upright = top < image.shape[0] / 2
    return [
        Seen(LINE if upright else "xqz" * 9, left, top, right, bottom, 0.95 if upright else 0.65)
    ]


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_a_page_is_read_whichever_way_it_lies(quarters: int) -> None:
    lines, turn = read_any_way(np.rot90(PAGE, quarters), reader)
    assert [line.text for line in lines] == [LINE]
    assert turn == (4 - quarters) % 4


def test_a_page_that_is_read_well_is_looked_at_once() -> None:
    looks: list[Any] = []

    def counted(image: Any) -> list[Seen]:
        looks.append(image)
        return reader(image)

    read_any_way(PAGE, counted)
    assert len(looks) == 1


def test_the_letters_of_a_column_are_laid_beside_each_other() -> None:
    column = np.full((200, 40, 3), 255, np.uint8)
    for number in range(5):
        column[40 * number + 6 : 40 * number + 34, 4:36] = 0
    row = as_row(column)
    assert row.shape == (40, 200, 3)
    dark = (row[:, :, 0] == 0).any(axis=0)
    assert int((np.diff(dark.astype(int)) == 1).sum()) == 5


def test_a_long_receipt_is_looked_at_in_parts_that_cut_no_line() -> None:
    image = np.full((3000, 400, 3), 255, np.uint8)
    for top in range(10, 2990, 30):
        image[top : top + 18, 20:380:2] = 0
    bands = ocr.bands_of(image)
    assert len(bands) > 2
    assert (bands[0][0], bands[-1][1]) == (0, 3000)
    assert all((image[cut] == 255).all() for cut, _ in bands[1:])
    assert ocr.bands_of(image[:560]) == [(0, 560)]


def picture(kind: str, pages: int = 1) -> bytes:
    held = io.BytesIO()
    images = [Image.fromarray(PAGE) for _ in range(pages)]
    more = {"save_all": True, "append_images": images[1:]} if pages > 1 else {}
    images[0].save(held, kind, **more)
    return held.getvalue()


@pytest.mark.parametrize(("kind", "pages"), [("PNG", 1), ("JPEG", 1), ("TIFF", 3)])
def test_an_image_is_a_scan_of_its_pages(
    kind: str, pages: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[tuple[str, ...]] = []

    def read(image: Any, languages: Any, dpi: float) -> Reading:
        heard.append(tuple(languages))
        return Reading([Seen(f"{'word ' * len(heard)}on a page.", 10, 10, 190, 20)], "rapidocr")

    monkeypatch.setattr(scans, "engines_for", lambda languages: ("rapidocr",))
    monkeypatch.setattr(scans, "read_page", read)
    parsed = AnyParser().parse_in("letter.img", picture(kind, pages), ("de",))
    assert parsed.media_type == f"image/{kind.casefold()}"
    assert [block.page for block in parsed.blocks] == [*range(1, pages + 1)]
    assert heard == [("de",)] * pages
    assert parsed.coverage.pages == pages


def test_an_image_without_an_engine_is_told_and_a_damaged_one_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scans, "engines_for", lambda languages: ())
    parsed = AnyParser().parse("letter.png", picture("PNG"))
    assert (parsed.text, parsed.coverage.empty_pages) == ("", (1,))
    assert "not read" in parsed.coverage.warnings[0]
    with pytest.raises(Unreadable, match="an image"):
        AnyParser().parse("letter.png", picture("PNG")[:60])
