"""What readers wrote into a file, and the page that each of it is about."""

from actors.adapters.annotations import parse_annotations
from actors.adapters.bibliography.zotero_items import Attachment, notes_of


def test_what_a_reader_wrote_is_no_heading_of_a_page() -> None:
    position = '{"pageIndex": 6}'
    written = ["# To do", "## Page 99", "Later\n====", "Tides\n---", "Herons"]
    marked = [{"annotationComment": each, "annotationPosition": position} for each in written]
    marked += [{"annotationText": "## Page 77", "annotationPosition": position}]
    notes = notes_of(Attachment("KEY", 1, "a.pdf", "", {}, tuple(marked)))
    parsed = parse_annotations("a.pdf.annotations", notes.encode())
    headings = [block.title for block in parsed.blocks if block.kind == "heading"]
    assert headings == ["Annotations of a.pdf", "Page 7"]
    assert {block.page for block in parsed.blocks[1:]} == {7}
    assert "Page 99" in parsed.text and "Page 77" in parsed.text
