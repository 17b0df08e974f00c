"""Pages are cited as they are called in print, and not as a file counts them."""

import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.adapters.pdf.reader import parse_pdf
from actors.ingesting.page_labels import label_of, packed_labels, roman
from actors.ingesting.references import Reference
from contracts.citations.locators import locator_of
from contracts.core import Core
from tests import citation_desk
from tests.citation_desk import call, connect, ingest
from tests.pdf_files import Put, column, make_pdf

patient, core, engine = citation_desk.patient, citation_desk.core, citation_desk.engine
files, project = citation_desk.files, citation_desk.project

BOOK = [*(f"{sign}" for sign in ("i", "ii", "iii", "iv", "v")), *map(str, range(1, 400)), "A-1"]


def unpacked(packed: str, count: int) -> list[str]:
    return [label_of(packed, page) for page in range(1, count + 1)]


def test_the_names_of_a_books_pages_are_a_few_words() -> None:
    packed = packed_labels(BOOK, 190)
    assert packed == "1:i; 6:1; 405:A-1"
    assert unpacked(packed, len(BOOK)) == BOOK


@pytest.mark.parametrize("labels", [[], ["", ""], ["1", "2", "3"], ["1", "", "3"]])
def test_pages_that_are_called_as_they_are_counted_need_no_names(labels: list[str]) -> None:
    assert packed_labels(labels, 190) == ""


@given(
    st.lists(st.text(alphabet="aciIvxABz019 -.:;\n", max_size=4), min_size=1, max_size=30),
    st.integers(20, 400),
)
def test_a_page_is_called_as_its_file_says_or_not_at_all(labels: list[str], longest: int) -> None:
    packed = packed_labels(labels, longest)
    assert len(packed) <= longest
    for said, label in zip(unpacked(packed, len(labels)), labels, strict=True):
        assert said in {label, ""}


@pytest.mark.parametrize(
    ("first", "count"), [("i", 60), ("XCVIII", 9), ("a", 60), ("Z", 3), ("S9", 3), ("3.8", 4)]
)
def test_pages_count_on_in_letters_and_numerals(first: str, count: int) -> None:
    names = unpacked(f"1:{first}", count)
    assert len(set(names)) == count
    assert unpacked(packed_labels(names, 2_000), count) == names


@pytest.mark.parametrize(("sign", "number"), [("xiv", 14), ("MCMXCIX", 1999), ("iiii", 0), ("", 0)])
def test_roman_numerals_are_numbers(sign: str, number: int) -> None:
    assert roman(sign) == number


def test_a_pdf_says_what_its_pages_are_called() -> None:
    pages = [[Put(72, 700, f"The words of sheet {number}.")] for number in range(4)]
    made = make_pdf(pages, labels="0 << /S /r >> 2 << /S /D /St 120 >>")
    assert parse_pdf("x.pdf", made).metadata["page_labels"] == "1:i; 3:120"
    assert "page_labels" not in parse_pdf("x.pdf", make_pdf(pages)).metadata


@pytest.mark.parametrize(
    ("work", "pages", "labels", "locator"),
    [
        ({"page": "301-304"}, [3, 3], ["303", "303"], "303"),
        ({"page": "301-304"}, [3, 4], ["303", "304"], "303-304"),
        ({"page": "301-304"}, [3, 3], None, None),
        ({"page": "301-304"}, [3, 3], ["3", "3"], None),
        ({"page": "301-304"}, [9, 9], ["cover", "cover"], None),
        ({"page": "1-10"}, [3, 3], None, "3"),
        ({"page": "1–10, 15"}, [15, 15], None, "15"),
        ({"page": "298-04"}, [3, 3], ["303", "303"], "303"),
        ({"page": "298-304"}, [6, 6], ["303", "303"], "303"),
        ({"page": "1295-304"}, [6, 6], ["1300", "1300"], "1300"),
        ({"page": "pp. 301--304"}, [3, 3], None, None),
        ({"page": "S12-S20"}, [3, 3], ["S14", "S14"], "S14"),
        ({"page": "S12-S20"}, [3, 3], None, None),
        ({"page": "xi-xx"}, [3, 3], ["xiii", "xiii"], "xiii"),
        ({"page": "xi-xx"}, [3, 3], None, None),
        ({"page": "120"}, [2, 2], None, None),
        ({"page": "120+"}, [2, 2], ["121", "121"], "121"),
        ({"page": "e1234"}, [2, 2], None, "2"),
        ({"page": "350", "type": "book"}, [2, 2], None, "2"),
        ({"page": "throughout"}, [2, 2], None, "2"),
        ({}, [2, 2], None, "2"),
        ({}, None, None, None),
    ],
)
def test_a_citation_names_a_page_that_its_work_can_have(
    work: dict[str, Any], pages: list[int] | None, labels: list[str] | None, locator: str | None
) -> None:
    article = Reference(citekey="k", item={"type": "article-journal"} | work)
    assert locator_of(article, pages, labels) == locator


ARTICLE = "@article{hill2012, title={Weirs and salmon: a record}, author={Hill, M.}, pages={301--303}, year=2012}"


@pytest.mark.anyio
@pytest.mark.parametrize("labels", ["0 << /S /D /St 301 >>", ""])
async def test_a_passage_is_cited_by_the_page_in_print_and_opens_at_the_page_of_its_file(
    core: Core, files: Path, project: str, labels: str
) -> None:
    said = ["Salmon pass weirs at night.", "Traps were emptied at dawn.", "Counts fell by half."]
    pages = [
        [Put(72, 640, f"{number} Part", 14, "bold"), *column(72, 600, [sentence])]
        for number, sentence in enumerate(said, 1)
    ]
    pages[0].insert(0, Put(72, 760, "Weirs and salmon: a record", 18, "bold"))
    (files / "own").mkdir()
    (files / "own" / "x.pdf").write_bytes(make_pdf(pages, labels=labels))
    (files / "own" / "refs.bib").write_text(ARTICLE)
    async with connect(core) as client:
        await ingest(client, files / "own")
        found = await call(client, "query_hybrid", project=project, text="emptied traps", top_k=1)
        [item] = found["items"]
        cited = await call(client, "cite", project=project, chunk_ids=[item["chunk_id"]])
    [citation] = cited["citations"]
    assert item["page_span"] == citation["pages"] == [2, 2]
    assert item["links"]["file"].endswith("#page=2")
    called = ["302", "302"] if labels else None
    assert item["page_labels"] == citation["page_labels"] == called
    assert citation["citation"] == ("(Hill, 2012, p. 302)" if labels else "(Hill, 2012)")
    assert "301–303" in cited["bibliography"][0]


@pytest.mark.anyio
async def test_a_page_that_has_no_name_among_named_ones_is_not_cited_by_its_count(
    core: Core, files: Path, project: str
) -> None:
    said = ["Salmon pass weirs at night.", "Traps were emptied at dawn.", "Counts fell by half."]
    pages = [
        [Put(72, 640, f"{number} Part", 14, "bold"), *column(72, 600, [sentence])]
        for number, sentence in enumerate(said, 1)
    ]
    pages[0].insert(0, Put(72, 760, "Weirs and salmon: a record", 18, "bold"))
    (files / "own").mkdir()
    labels = "0 << /S /r >> 1 << /P (a name that is longer than any page has) >>"
    (files / "own" / "x.pdf").write_bytes(make_pdf(pages, labels=labels))
    (files / "own" / "refs.bib").write_text(ARTICLE.replace("pages={301--303}, ", ""))
    async with connect(core) as client:
        await ingest(client, files / "own")
        found = await call(client, "query_hybrid", project=project, text="emptied traps", top_k=1)
        cited = await call(
            client, "cite", project=project, chunk_ids=[found["items"][0]["chunk_id"]]
        )
    assert cited["citations"][0]["pages"] == [2, 2]
    assert cited["citations"][0]["citation"] == "(Hill, 2012)"


def test_names_without_a_rule_are_kept_in_time_that_grows_with_them() -> None:
    labels = [f"{hash((page, 7)) % 10**6}x" for page in range(200_000)]
    began = time.process_time()
    assert len(packed_labels(labels, 190)) <= 190
    assert time.process_time() - began < 5
