"""What is read out of Word documents, presentations, workbooks, books and notebooks."""

import datetime
import io
import json
import zipfile
from typing import Any

import docx
import openpyxl
import pptx
import pytest
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import OxmlElement, parse_xml
from ebooklib import epub
from hypothesis import given, settings
from hypothesis import strategies as st
from pptx.chart import data as chart_data
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

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


def test_numbers_of_a_workbook_have_the_signs_they_are_shown_with() -> None:
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    assert sheet is not None
    sheet.append(["Harrow Tools, 2023"])
    sheet.append(["Region", "Margin", "Price", "Cost", "Weight", "Code", "Year"])
    sheet.append(["North", 0.2075, -12.5, 1200, 3, 1234, 2023])
    forms = ["General", "0.0%", '"£"#,##0.00;[Red]-"£"#,##0.00', "#,##0\\ [$€-407]", '0" kg"']
    for column, form in enumerate([*forms, "00000", "0"], start=1):
        sheet.cell(3, column).number_format = form
    assert said(parse("a.xlsx", saved(workbook))) == [
        ("heading", "# Sheet"),
        ("paragraph", "Harrow Tools, 2023"),
        (
            "table",
            "| Region | Margin | Price | Cost | Weight | Code | Year |\n"
            "| --- | --- | --- | --- | --- | --- | --- |\n"
            "| North | 20.75% | -£12.5 | 1200 € | 3 kg | 01234 | 2023 |",
        ),
    ]


def test_formulas_that_nobody_has_computed_are_told_of() -> None:
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    assert sheet is not None
    sheet.append(["North", 1])
    assert parse("a.xlsx", saved(workbook)).coverage.warnings == ()
    sheet.append(["Total", "=SUM(B1:B1)"])
    [warning] = parse("a.xlsx", saved(workbook)).coverage.warnings
    assert warning.startswith("1 cells are formulas without a result")


def test_the_values_of_a_chart_are_a_table() -> None:
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[5])
    slide.shapes.title.text = "Couriers by month"
    charts: Any = chart_data
    data = charts.CategoryChartData()
    data.categories = ["January", "February"]
    data.add_series("Ghent", (41, 44.5))
    data.add_series("Lille", (30, None))
    box = (Inches(1), Inches(2), Inches(6), Inches(4))
    made = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *box, data)
    made.chart.has_title = True
    made.chart.chart_title.text_frame.text = "On duty at noon"
    assert said(parse("a.pptx", saved(presentation))) == [
        ("heading", "# Couriers by month"),
        ("paragraph", "On duty at noon"),
        (
            "table",
            "|  | Ghent | Lille |\n| --- | --- | --- |\n| January | 41 | 30 |\n| February | 44.5 |  |",
        ),
    ]


def test_a_chart_that_cannot_be_read_is_told_of() -> None:
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[5])
    slide.shapes.title.text = "Shares by day"
    charts: Any = chart_data
    data = charts.CategoryChartData()
    data.categories = ["Monday"]
    data.add_series("Opening", (41,))
    box = (Inches(1), Inches(2), Inches(6), Inches(4))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *box, data)
    raw = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(saved(presentation))) as was, zipfile.ZipFile(raw, "w") as now:
        for name in was.namelist():
            now.writestr(name, was.read(name).replace(b"c:barChart", b"c:stockChart"))
    parsed = parse("a.pptx", raw.getvalue())
    assert said(parsed) == [("heading", "# Shares by day")]
    assert parsed.coverage.warnings == ("a chart on slide 1 cannot be read",)


_MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"
_EQUATION = (
    f'<m:oMath xmlns:m="{_MATH}"><m:r><m:t>y=</m:t></m:r><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r>'
    "<m:t>2</m:t></m:r></m:den></m:f><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup>"
    '</m:sSup><m:r><m:t>+</m:t></m:r><m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub><m:r><m:t>i</m:t></m:r>'
    "</m:sub><m:sup><m:r><m:t>n</m:t></m:r></m:sup><m:e><m:d><m:e><m:rad><m:radPr><m:degHide m:val='1'/></m:radPr>"
    "<m:deg/><m:e><m:r><m:t>k</m:t></m:r></m:e></m:rad></m:e></m:d></m:e></m:nary></m:oMath>"
)


def test_a_sentence_of_a_word_document_says_its_formula() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("The model was ")
    paragraph._p.append(parse_xml(_EQUATION))
    paragraph.add_run(", where k is depth.")
    [(_, text)] = said(parse("a.docx", saved(document)))
    assert text == "The model was y=(1/2)x^2+∑_i^n (√(k)), where k is depth."


def test_cells_of_a_word_document_stand_under_their_columns() -> None:
    document = docx.Document()
    table = document.add_table(rows=3, cols=3)
    cells = [["Line", "2021", ""], ["", "Summer", "Winter"], ["Visby", "410", "120"]]
    for row, words in zip(table.rows, cells, strict=True):
        for cell, word in zip(row.cells, words, strict=True):
            cell.text = word
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(0, 0).merge(table.cell(1, 0))
    [(_, text)] = said(parse("a.docx", saved(document)))
    assert text.splitlines() == [
        "| Line | 2021 |  |",
        "| --- | --- | --- |",
        "|  | Summer | Winter |",
        "| Visby | 410 | 120 |",
    ]


def test_endnotes_of_a_word_document_are_read() -> None:
    document = docx.Document()
    document.add_paragraph("Bees visit roofs.")
    notes = (
        '<w:endnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:endnote w:id="1">'
        "<w:p><w:r><w:t>By bees we mean wild ones.</w:t></w:r></w:p></w:endnote></w:endnotes>"
    )
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.endnotes+xml"
    part = Part(PackURI("/word/endnotes.xml"), kind, notes.encode(), document.part.package)
    document.part.relate_to(part, RELATIONSHIP_TYPE.ENDNOTES)
    assert said(parse("a.docx", saved(document))) == [
        ("paragraph", "Bees visit roofs."),
        ("paragraph", "By bees we mean wild ones."),
    ]


def changed(raw: bytes, was: bytes, now: bytes) -> bytes:
    """A file of which every member says something else."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as before, zipfile.ZipFile(file, "w") as after:
        for name in before.namelist():
            after.writestr(name, before.read(name).replace(was, now))
    return file.getvalue()


@pytest.mark.parametrize(
    ("was", "now", "row"),
    [
        (b'<c:ptCount val="2"/>', b'<c:ptCount val="900000000"/>', "| February | 44.5 |"),
        (b"<c:v>44.5</c:v>", b"<c:v>#N/A</c:v>", "| February | #N/A |"),
        (b"<c:v>January</c:v>", b"<c:v/>", "|  | 41 |\n| February | 44.5 |"),
    ],
)
def test_a_chart_has_the_points_that_are_there(was: bytes, now: bytes, row: str) -> None:
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[5])
    charts: Any = chart_data
    data = charts.CategoryChartData()
    data.categories = ["January", "February"]
    data.add_series("Ghent", (41, 44.5))
    box = (Inches(1), Inches(2), Inches(6), Inches(4))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *box, data)
    assert row in parse("a.pptx", changed(saved(presentation), was, now)).text


@pytest.mark.parametrize(
    ("form", "value", "shown"),
    [
        ('#,##0.0,,"M"', 12345678, "12345678"),
        ('0,"k"', 5000, "5000"),
        ("0,.0%", 5000, "5000"),
        ('#,##0" k"', 5000, "5000 k"),
        ("0" * 100_000, 12, "12"),
    ],
)
def test_a_number_keeps_its_value_whatever_its_format(form: str, value: int, shown: str) -> None:
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    assert sheet is not None
    sheet.append(["North", value])
    sheet["B1"].number_format = form
    assert parse("a.xlsx", saved(workbook)).text.endswith(f"| North | {shown} |\n| --- | --- |")


def test_cells_that_are_all_as_wide_as_several_columns_stand_beside_each_other() -> None:
    document = docx.Document()
    table = document.add_table(rows=2, cols=6)
    for row, words in zip(table.rows, ("Weir Built Ladder", "Mill 1911 yes"), strict=True):
        for place, word in enumerate(words.split()):
            row.cells[2 * place].merge(row.cells[2 * place + 1]).text = word
    assert parse("a.docx", saved(document)).text == (
        "| Weir | Built | Ladder |\n| --- | --- | --- |\n| Mill | 1911 | yes |"
    )


def test_damaged_footnotes_leave_the_endnotes_to_be_read() -> None:
    document = docx.Document()
    document.add_paragraph("Bees fly.")
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.{}+xml"
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    notes = (
        f'<w:endnotes xmlns:w="{space}"><w:endnote w:id="1"><w:p><w:r><w:t>Wild ones.</w:t></w:r></w:p>'
        "</w:endnote></w:endnotes>"
    )
    for name, said_there in (("footnotes", "<w:footnotes"), ("endnotes", notes)):
        uri, told = PackURI(f"/word/{name}.xml"), said_there.encode()
        part = Part(uri, kind.format(name), told, document.part.package)
        document.part.relate_to(part, f"http://example.org/{name}")
    parsed = parse("a.docx", saved(document))
    assert parsed.coverage.warnings == ("the footnotes are damaged",)
    assert parsed.text.endswith("Wild ones.")
