"""What is read out of Word documents, presentations, workbooks, books and notebooks."""

import datetime
import io
import json
import zipfile

import docx
import openpyxl
import pptx
import pytest
from docx.oxml import OxmlElement
from ebooklib import epub
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.ingesting.parsing import AnyParser
from actors.ports import Parsed
from events.errors import Unreadable


def parse(name: str, raw: bytes) -> Parsed:
    return AnyParser().parse(name, raw)


def said(parsed: Parsed) -> list[tuple[str, str]]:
    return [(block.kind, parsed.text[block.start : block.end]) for block in parsed.blocks]


def saved(document: object) -> bytes:
    file = io.BytesIO()
    document.save(file)  # type: ignore[attr-defined]
    return file.getvalue()


def word_file() -> bytes:
    document = docx.Document()
    document.core_properties.author = "Ann Bee"
    document.core_properties.title = "On tides"
    document.add_heading("Tides", 1)
    document.add_paragraph("The sea rises.\nThen it falls.")
    document.add_paragraph("one", style="List Bullet")
    document.add_paragraph("two", style="List Bullet")
    document.add_heading("Ports", 2)
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(
        [cell for row in table.rows for cell in row.cells],
        ["Port", "Range", "Malo", "12"],
        strict=True,
    ):
        cell.text = text
    return saved(document)


def test_a_word_document_keeps_its_structure() -> None:
    parsed = parse("tides.docx", word_file())
    assert said(parsed) == [
        ("heading", "# Tides"),
        ("paragraph", "The sea rises.\nThen it falls."),
        ("list", "- one\n- two"),
        ("heading", "## Ports"),
        ("table", "| Port | Range |\n| --- | --- |\n| Malo | 12 |"),
    ]
    assert (parsed.title, parsed.metadata["author"]) == ("Tides", "Ann Bee")


def test_inserted_text_is_read_and_deleted_text_is_not() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("The sea ")
    for tag, text in (("w:ins", "rises"), ("w:del", "sinks")):
        change, run = OxmlElement(tag), OxmlElement("w:r")
        piece = OxmlElement("w:t" if tag == "w:ins" else "w:delText")
        piece.text = text
        run.append(piece)
        change.append(run)
        paragraph._p.append(change)
    assert parse("a.docx", saved(document)).text == "The sea rises"


def test_how_a_word_is_read_does_not_part_the_words_of_a_document() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("担当の")
    for base, reading in (("課長", "かちょう"), ("大橋", "おおはし")):
        ruby = OxmlElement("w:ruby")
        for tag, letters in (("w:rt", reading), ("w:rubyBase", base)):
            inner, run, text = (OxmlElement(each) for each in (tag, "w:r", "w:t"))
            text.text = letters
            run.append(text)
            inner.append(run)
            ruby.append(inner)
        paragraph.add_run()._r.append(ruby)
    paragraph.add_run("が決裁する。")
    assert parse("a.docx", saved(document)).text == "担当の課長大橋が決裁する。"


def test_the_slides_of_a_presentation_are_its_pages() -> None:
    presentation = pptx.Presentation()
    layout = presentation.slide_layouts[1]
    for title, points in (("Tides", "High\nLow"), ("Ports", "Only one point")):
        slide = presentation.slides.add_slide(layout)
        slide.shapes.title.text = title
        slide.placeholders[1].text = points
    presentation.slides.add_slide(presentation.slide_layouts[6])
    presentation.slides[1].notes_slide.notes_text_frame.text = "Speak slowly here."
    parsed = parse("talk.pptx", saved(presentation))
    assert [
        (block.page, text) for block, (_, text) in zip(parsed.blocks, said(parsed), strict=True)
    ] == [
        (1, "# Tides"),
        (1, "- High\n- Low"),
        (2, "# Ports"),
        (2, "Only one point"),
        (2, "Speak slowly here."),
    ]
    assert (parsed.title, parsed.coverage.pages, parsed.coverage.empty_pages) == ("Tides", 3, (3,))


def test_the_sheets_of_a_workbook_are_tables() -> None:
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    assert sheet is not None
    sheet.title = "Ranges"
    for row in (
        ("Port", "Range", "On"),
        ("Malo", 12.5, datetime.date(2020, 3, 4)),
        (),
        ("Alone", True),
    ):
        sheet.append(row)
    workbook.create_sheet("Blank")
    parsed = parse("tides.xlsx", saved(workbook))
    assert said(parsed) == [
        ("heading", "# Ranges"),
        ("table", "| Port | Range | On |\n| --- | --- | --- |\n| Malo | 12.5 | 2020-03-04 |"),
        ("table", "| Alone | TRUE |\n| --- | --- |"),
    ]
    assert parsed.title == "tides"
    assert parsed.coverage.warnings == ("the sheet 'Blank' is empty",)


def test_separated_values_are_a_table_and_prose_with_commas_is_not() -> None:
    table = parse("a.csv", b'Port;Range\n"Saint; Malo";12\n')
    assert said(table) == [("table", "| Port | Range |\n| --- | --- |\n| Saint; Malo | 12 |")]
    assert parse("a.tsv", b"a\tb\n1\t2\n").media_type == "text/tab-separated-values"
    assert said(parse("b.csv", b"One line, and no table"))[0] != ("table", "")
    assert said(parse("c.csv", b"Only words here.\n\nAnd here.")) == [
        ("paragraph", "Only words here."),
        ("paragraph", "And here."),
    ]


def book_file() -> bytes:
    book = epub.EpubBook()
    book.set_identifier("id1")
    book.set_title("The Book of Tides")
    book.set_language("en")
    book.add_author("Ann Bee")
    chapters = []
    for number, title in enumerate(["Rising", "Falling"], start=1):
        chapter = epub.EpubHtml(title=title, file_name=f"{number}.xhtml", lang="en")
        chapter.content = f"<h1>{title}</h1><p>The sea is {title.lower()} now.</p>"
        book.add_item(chapter)
        chapters.append(chapter)
    book.toc = chapters
    book.add_item(epub.EpubNcx())
    book.add_item(epub.EpubNav())
    book.spine = ["nav", *chapters]
    file = io.BytesIO()
    epub.write_epub(file, book)
    return file.getvalue()


def test_a_book_is_read_in_the_order_of_its_chapters() -> None:
    parsed = parse("tides.epub", book_file())
    assert [text for _, text in said(parsed)] == [
        "# Rising",
        "The sea is rising now.",
        "# Falling",
        "The sea is falling now.",
    ]
    assert parsed.title == "The Book of Tides"
    assert (parsed.metadata["author"], parsed.metadata["language"]) == ("Ann Bee", "en")


def test_a_notebook_gives_its_prose_its_code_and_its_results() -> None:
    prose = {
        "cell_type": "markdown",
        "metadata": {},
        "source": ["# Tides\n\n", "The sea rises.\n\n- a\n- b"],
    }
    code = {
        "cell_type": "code",
        "metadata": {},
        "execution_count": 1,
        "source": "# not a heading\nprint(12)",
        "outputs": [{"output_type": "stream", "name": "stdout", "text": "12\n"}],
    }
    notebook = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [prose, code]}
    parsed = parse("tides.ipynb", json.dumps(notebook).encode())
    assert said(parsed) == [
        ("heading", "# Tides"),
        ("paragraph", "The sea rises."),
        ("list", "- a\n- b"),
        ("code", "```\n# not a heading\nprint(12)\n```"),
        ("code", "```\n12\n```"),
    ]
    assert parsed.title == "Tides"


@pytest.mark.parametrize("raw", [b"{}", b"[1]", b"not json", b'{"cells": 3, "nbformat": 4}'])
def test_what_is_no_notebook_is_refused(raw: bytes) -> None:
    with pytest.raises(Unreadable):
        parse("a.ipynb", raw)


def zipped(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def test_an_archive_bomb_is_refused_before_it_is_inflated() -> None:
    bomb = zipped({"word/document.xml": b"\0" * (64 << 20), "[Content_Types].xml": b""})
    assert len(bomb) < 100_000
    with pytest.raises(Unreadable, match="like a bomb"):
        parse("a.docx", bomb)


def test_an_archive_of_too_many_files_is_refused() -> None:
    with pytest.raises(Unreadable, match="more than 20,000 files"):
        parse("a.xlsx", zipped({f"{number}": b"" for number in range(20_001)}))


def test_an_archive_that_is_no_document_says_what_to_do() -> None:
    with pytest.raises(Unreadable, match="unpack it"):
        parse("a.zip", zipped({"readme.txt": b"words"}))


def test_an_office_file_is_told_by_its_content_whatever_its_name() -> None:
    assert parse("tides.pdf", word_file()).title == "Tides"
    with pytest.raises(Unreadable, match="named like a Word document"):
        parse("tides.docx", b"only words")


def test_an_encrypted_office_file_says_so() -> None:
    raw = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")
    with pytest.raises(Unreadable, match="encrypted with a password"):
        parse("a.docx", raw)
    with pytest.raises(Unreadable, match="before 2007"):
        parse("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500))


FILES = {"a.docx": word_file(), "a.epub": book_file()}


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(sorted(FILES)), st.data())
def test_a_damaged_file_is_read_or_refused(name: str, data: st.DataObject) -> None:
    raw = bytearray(FILES[name])
    for _ in range(data.draw(st.integers(1, 8))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        parsed = parse(name, bytes(raw[: data.draw(st.integers(len(raw) // 2, len(raw)))]))
    except Unreadable:
        return
    parsed.text.encode()
