"""Rows of a table are shown with what their columns are called, through every door."""

from pathlib import Path
from time import process_time

import pytest

from actors.adapters.draft import Draft
from actors.adapters.html.reader import whole_page
from actors.ingesting.parsing import AnyParser
from actors.ports import Parsed
from contracts.column_heads import ColumnHeads
from contracts.core import Core
from contracts.deep_research.results import citations_of
from contracts.knowledge import markdown, terminal
from events.blobs import BlobStore
from language.table_heads import LONGEST, heads_over, may_be_row
from tests import citation_desk
from tests import knowledge_base as library
from tests.citation_desk import PROJECT, call, connect, ingest
from tests.inline_engine import InlineEngine

core, patient, engine = citation_desk.core, citation_desk.patient, citation_desk.engine
files, project = citation_desk.files, citation_desk.project

HEADS = "| Weir | Year | Height (m) | Fish ladder |"
ROWS = [f"| Weir {number} | {1900 + number} | {number % 7} | yes |" for number in range(90)]
RIVER = "\n".join(["# Weirs", "", "Those of the river.", HEADS, "|---|---|---|---|", *ROWS, ""])
FAR = "| Weir 77 | 1977 | 0 | yes |"


def over(text: str, row: str) -> str:
    return heads_over(text, text.index(row))


@pytest.mark.parametrize("breaks", ["\n", "\r\n"])
def test_heads_stand_over_every_row_and_not_over_themselves(breaks: str) -> None:
    text = RIVER.replace("\n", breaks)
    assert over(text, FAR) == over(text, ROWS[0]) == HEADS
    assert over(text, HEADS) == over(text, "Those of") == over(text, "# Weirs") == ""
    assert heads_over(text, text.index("1977")) == HEADS


def test_heads_of_drawn_tables_may_have_several_lines() -> None:
    drawn = (
        "+------+-------+\n| Weir | Built |\n| name | in    |\n+======+=======+\n"
        "| Mill | 1911  |\n+------+-------+\n| Lock | 1920  |\n+------+-------+\n"
    )
    assert over(drawn, "| Lock") == over(drawn, "| Mill") == "| Weir | Built |\n| name | in    |"
    listed = (
        "+----+------+\n| id | name |\n+----+------+\n|  1 | Mill |\n|  2 | Lock |\n+----+------+"
    )
    assert over(listed, "|  2") == "| id | name |"


def test_a_table_set_with_gaps_has_heads_where_only_its_rows_have_figures() -> None:
    told = (
        "Before.\n\nCampaign  Sensors  2014  Yield (%)\nFirst  48  1.24  92\nLater  46  0.33  96\n"
    )
    assert over(told, "Later") == "Campaign  Sensors  2014  Yield (%)"
    assert over(told.replace("Campaign", "7"), "Later") == ""
    assert over(told.replace("46  ", ""), "Later") == ""
    assert over("Name  Town\nAda  York\nBen  Leeds", "Ben") == ""


def test_what_is_no_table_has_no_heads() -> None:
    said = "We ran cat a | sort.\nThen b | uniq.\n\n---\n\nNo | table."
    assert over(said, "Then") == over(said, "No |") == ""
    assert not may_be_row("Words with single blanks. ")
    assert may_be_row(ROWS[0])
    wide = "|" + " A long name of a column |" * 60
    assert len(wide) > LONGEST
    assert over(f"{wide}\n|{'---|' * 60}\n| x |\n", "| x") == ""


@pytest.mark.anyio
async def test_a_hit_in_a_project_has_the_heads_of_its_rows(
    core: Core, files: Path, engine: InlineEngine, project: str
) -> None:
    (files / "weirs.md").write_text(RIVER)
    async with connect(core) as client:
        await ingest(client, files)
        asked = {"project": PROJECT, "text": "Weir 77", "top_k": 9}
        items = [
            each
            for each in (await call(client, "query_hybrid", **asked))["items"]
            if each["source_path"].endswith("weirs.md")
        ]
    [far] = [each for each in items if FAR in each["render_text"]]
    assert far["column_heads"] == HEADS
    assert HEADS not in far["render_text"]
    assert not any(HEADS in each["render_text"] and "column_heads" in each for each in items)


@pytest.mark.anyio
async def test_a_hit_in_the_knowledge_base_has_them_and_shows_them(
    core: Core, files: Path, engine: InlineEngine
) -> None:
    (files / "weirs.md").write_text(RIVER)
    async with library.connect(core) as client:
        await library.call(client, "ingest_documents", path=str(files), collection="rivers")
        reply = await library.call(client, "query_knowledge_base", query="Weir 77", top_k=3)
    far = next(each for each in reply["results"] if FAR in each["content"])
    assert far["column_heads"] == HEADS
    one = reply | {"results": [far]}
    assert f"Columns: {HEADS}" in terminal.answer(one)
    assert f"Columns:\n\n> {HEADS}\n\n> |" in markdown.answer(one)


def test_a_row_that_a_research_cites_has_them(core: Core) -> None:
    kept = core.home.blobs.put(RIVER.encode()).hash
    cited = {"snippet": None, "raw_excerpt": FAR, "text_hash": kept, "start": RIVER.index(FAR)}
    said = cited | {"raw_excerpt": "Those of the river.", "start": RIVER.index("Those")}
    lost = cited | {"text_hash": "sha256:" + "0" * 64}
    row, prose, gone = citations_of(core, {"citations": [cited, said, lost]})
    assert row["column_heads"] == HEADS
    assert "column_heads" not in prose
    assert "column_heads" not in gone


def test_heads_are_shown_without_letters_that_nobody_sees(core: Core) -> None:
    text = "| We\u202eir | Year |\n|---|---|\n| Mill | 1911 |"
    place = {"text_hash": core.home.blobs.put(text.encode()).hash, "start": text.index("| Mill")}
    found = ColumnHeads(core.home.blobs).of_passage(place | {"content_type": "table"})
    assert found == {"column_heads": "| Weir | Year |"}


TITLED = [
    ["Passengers by line, in thousands"],
    ["Line", "2021", "2022"],
    ["Nynäshamn", "530", "930"],
]
AS_TABLE = "| Line | 2021 | 2022 |\n| --- | --- | --- |\n| Nynäshamn | 530 | 930 |"


def kinds(page: Parsed) -> list[tuple[str, str]]:
    return [(each.kind, page.text[each.start : each.end]) for each in page.blocks]


def test_rows_over_the_heads_are_what_a_table_is_called() -> None:
    draft = Draft("a")
    draft.table(TITLED)
    assert kinds(draft.parsed("x")) == [("paragraph", TITLED[0][0]), ("table", AS_TABLE)]
    notes = Draft("b")
    notes.table([["Source: the harbour office."]])
    assert kinds(notes.parsed("x")) == [("paragraph", "Source: the harbour office.")]
    rows = Draft("c")
    rows.table([["one"], ["two"], ["three"], ["four"], ["five", "six"]])
    assert [kind for kind, _ in kinds(rows.parsed("x"))] == ["table"]


@pytest.mark.parametrize(
    "around", ["{}", "<main><h1>Port</h1>{}<p>" + "It is large. " * 30 + "</p></main>"]
)
def test_the_caption_of_a_table_on_a_page_is_no_row_of_it(around: str) -> None:
    rows = "".join(
        "<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in TITLED[1:]
    )
    table = f"<table><caption>{TITLED[0][0]}</caption>{rows}</table>"
    page = AnyParser().parse("a.html", f"<html><body>{around.format(table)}</body></html>".encode())
    assert ("paragraph", TITLED[0][0]) in kinds(page)
    assert ("table", AS_TABLE) in kinds(page)


def test_cells_of_a_book_stand_under_their_columns() -> None:
    table = (
        "<table><tr><th rowspan='2'>Line</th><th colspan='2'>2021</th><th>2022</th></tr>"
        "<tr><th>Summer</th><th>Winter</th><th>Summer</th></tr>"
        "<tr><td rowspan=2>Visby</td><td>410</td><td>120</td><td rowspan=2>690</td></tr>"
        "<tr><td>11</td><td>12</td></tr><tr><td>Oskar</td><td>1</td><td>2</td><td>3</td></tr></table>"
    )
    assert whole_page("a.html", table).text.splitlines() == [
        "| Line | 2021 |  | 2022 |",
        "| --- | --- | --- | --- |",
        "|  | Summer | Winter | Summer |",
        "| Visby | 410 | 120 | 690 |",
        "|  | 11 | 12 |  |",
        "| Oskar | 1 | 2 | 3 |",
    ]
    text = whole_page("a.html", table).text
    assert over(text, "| Oskar") == "| Line | 2021 |  | 2022 |\n|  | Summer | Winter | Summer |"


def test_spans_without_end_are_bounded() -> None:
    table = "<table>" + "<tr><td colspan=1000 rowspan=65534>x</td><td>y</td></tr>" * 2_000
    assert whole_page("a.html", table).text.count("y") == 2_000


def test_cells_that_hung_down_long_ago_take_no_time() -> None:
    above = "<td colspan=1000 rowspan=2>a</td>" * 50
    began = process_time()
    rows = "<tr><td>x<td>y</tr>" * 5_000
    assert whole_page("a.html", f"<table><tr>{above}</tr>{rows}</table>").text.count("y") == 5_000
    assert process_time() - began < 4.0


def test_lines_drawn_without_end_take_no_time() -> None:
    drawn = " " * 4_000 + "-|" * 4_000 + "x\n| Mill | 1911 |\n"
    began = process_time()
    assert over(drawn, "| Mill") == ""
    assert process_time() - began < 2.0


def test_a_line_of_marks_or_a_row_without_end_holds_nobody_up() -> None:
    began = process_time()
    marks = " " * 1_000 + "-" + "|" * 1_000 + "x"
    assert over(f"{marks}\n| 7 | 8 |\n", "| 7") == ""
    assert heads_over("Hour\tRun\n" + "1\t" * 3_000_000, 5_000_000) == ""
    assert process_time() - began < 4.0


def test_what_is_cited_of_no_text_keeps_no_answer_from_being_shown(core: Core) -> None:
    picture = core.home.blobs.put(b"\xff\xd8 a | b").hash
    cited = {"raw_excerpt": "a | b", "text_hash": picture, "start": 3}
    for odd in ({}, {"start": "3"}, {"start": None}, {"text_hash": None}, {"raw_excerpt": None}):
        assert ColumnHeads(core.home.blobs).of_citation(cited | odd) == {}


def test_each_text_of_an_answer_is_read_once() -> None:
    read: list[str] = []

    class Texts(BlobStore):
        def get_text(self, content_hash: str) -> str:
            read.append(content_hash)
            return RIVER

    heads = ColumnHeads(Texts(Path()))
    cited = {"raw_excerpt": FAR, "start": RIVER.index(FAR)}
    for text in ("a", "b") * 3:
        assert heads.of_citation(cited | {"text_hash": text}) == {"column_heads": HEADS}
    assert read == ["a", "b"]
