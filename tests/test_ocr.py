"""Pages that are images: read where an engine is there, told where none is."""

import io

import pypdfium2
import pytest

from actors.adapters import ocr, scans, tesseract
from actors.adapters.ocr import words_of
from actors.adapters.page_lines import Seen
from actors.adapters.pdf.reader import parse_pdf
from actors.adapters.sandbox import Limits, SandboxedParser
from tests.pdf_files import Put, column, make_pdf

LINES = [
    "The barrage would generate seventeen terawatt hours a year,",
    "which is about five percent of the demand of Britain.",
]


def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if neither of them were installed."""
    monkeypatch.setattr(ocr, "is_there", lambda: False)
    monkeypatch.setattr(tesseract, "program", lambda: "")


def scan(pages: list[list[Put]], dpi: int = 110) -> bytes:
    """A file whose pages are images of these pages."""
    printed = pypdfium2.PdfDocument(make_pdf(pages))
    images = [page.render(scale=dpi / 72).to_pil().convert("L") for page in printed]
    printed.close()
    raw = io.BytesIO()
    images[0].save(raw, "PDF", save_all=True, append_images=images[1:], resolution=dpi)
    return raw.getvalue()


@pytest.mark.skipif(not scans.engines_for(()), reason="no OCR engine is installed")
@pytest.mark.timeout(400)
def test_a_scanned_page_is_read_in_the_sandbox_and_known_by_its_page() -> None:
    raw = scan([[Put(72, 780, "Tidal power in the estuary", 20), *column(72, 740, LINES, 14)]])
    with SandboxedParser(limits=Limits(seconds=300)) as parser:
        parsed = parser.parse("scan.pdf", raw)
    text = " ".join(parsed.text.split())
    assert " ".join(LINES) in text
    assert [block.title for block in parsed.blocks if block.kind == "heading"] == [
        "Tidal power in the estuary"
    ]
    assert {block.page for block in parsed.blocks} == {1}
    assert parsed.metadata["ocr_pages"] == "1"
    assert parsed.metadata["ocr_engines"] == f"{scans.engines_for(())[0]}: 1"
    assert parsed.coverage.empty_pages == ()


def test_without_an_engine_a_scanned_page_is_not_covered(monkeypatch: pytest.MonkeyPatch) -> None:
    no_engine(monkeypatch)
    parsed = parse_pdf("scan.pdf", scan([column(72, 740, LINES)]))
    assert parsed.text == ""
    assert parsed.coverage.empty_pages == (1,)
    assert parsed.metadata["empty_pages"] == "1"
    assert "scanned, not read" in parsed.coverage.warnings[0]


def test_an_engine_that_breaks_costs_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(image: object) -> list[Seen]:
        raise RuntimeError("no")

    no_engine(monkeypatch)
    monkeypatch.setattr(ocr, "is_there", lambda: True)
    monkeypatch.setattr(ocr, "read_image", breaks)
    parsed = parse_pdf("scan.pdf", scan([column(72, 740, LINES)]))
    assert parsed.coverage.empty_pages == (1,)
    assert "page 1 could not be read by OCR: RuntimeError" in parsed.coverage.warnings


def test_only_pages_without_text_are_read_as_images(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def looks(image: object) -> list[Seen]:
        asked.append(image)
        return [Seen("Words out of an image.", 100, 100, 400, 130)]

    no_engine(monkeypatch)
    monkeypatch.setattr(ocr, "is_there", lambda: True)
    monkeypatch.setattr(ocr, "read_image", looks)
    parsed = parse_pdf("x.pdf", make_pdf([[Put(72, 700, "Words of its own.")]], image=True))
    assert asked == []
    assert "ocr_pages" not in parsed.metadata
    parsed = parse_pdf("x.pdf", make_pdf([[]], image=True))
    assert len(asked) == 1
    assert parsed.text == "Words out of an image."


def test_a_scanned_page_with_a_stamp_on_it_is_read_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def looks(image: object) -> list[Seen]:
        return [Seen("Words out of an image, and of those there are some.", 100, 100, 400, 130)]

    no_engine(monkeypatch)
    monkeypatch.setattr(ocr, "is_there", lambda: True)
    monkeypatch.setattr(ocr, "read_image", looks)
    stamped = make_pdf([[Put(72, 20, "page 7")]], image=True)
    assert parse_pdf("x.pdf", stamped).text == "page 7"
    covered = stamped.replace(b"300 0 0 300 100 300 cm", b"595 0 0 842 000 000 cm")
    parsed = parse_pdf("x.pdf", covered)
    assert "Words out of an image" in parsed.text
    assert parsed.metadata["ocr_pages"] == "1"


def test_lines_that_are_not_quite_level_or_alike_are_still_one_paragraph() -> None:
    seen = [
        Seen("left half of a line", 100, 100, 300, 130),
        Seen("and its right half", 310, 103, 500, 131),
        Seen("the line below", 100, 140, 300, 165),
    ]
    words = words_of(seen, 2.0)
    assert [word.text for word in words][:3] == ["left", "half", "of"]
    assert len({word.base for word in words}) == 2
    assert len({word.size for word in words}) == 1
    assert all(50 <= word.left < word.right <= 250 for word in words)
