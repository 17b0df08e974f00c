"""Documents are matched with their references by DOI, title, number or name."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.adapters.bibliography.references import read_references
from actors.adapters.pdf.reader import parse_pdf
from actors.ingesting.references import Bibliography, Reference, doi_of, likeness
from tests.pdf_files import Put, column, make_pdf


def item(key: str, title: str, doi: str = "", year: int = 2005, family: str = "Doe") -> Reference:
    said: dict[str, Any] = {
        "id": key,
        "type": "book",
        "title": title,
        "DOI": doi,
        "author": [{"family": family}],
        "issued": {"date-parts": [[year]]},
    }
    return Reference(citekey=key, item=said)


LIST = Bibliography(
    [
        item("tides2010", "Tidal power in the Severn estuary", "10.1000/severn"),
        item("clean2017", "Clean Architecture: A Craftsman's Guide", family="Martin", year=2017),
        item("part1", "Studies in tidal flow, part 1"),
        item("part2", "Studies in tidal flow, part 2"),
        item("hexa05", "Hexagonal architecture of things", family="Cockburn"),
        item("ja", "潮汐発電の研究", family="田中", year=2020),
        item("colon", "瀬戸内海における潮汐発電の研究：来島海峡の場合"),  # noqa: RUF001
        item("dash", "海流発電装置の設計と評価―黒潮における実験―"),
    ]
)


@pytest.mark.parametrize(
    ("name", "title", "doi", "expected"),
    [
        ("x.pdf", "Anything", "https://doi.org/10.1000/SEVERN", "tides2010"),
        ("x.pdf", "Tidal Power in the Severn Estuary.", "", "tides2010"),
        ("x.pdf", "Tidal power in the Severn estuary", "", "tides2010"),
        ("x.pdf", "Clean Architecture", "", "clean2017"),
        ("x.pdf", "Studies in tidal flow, part 2", "", "part2"),
        ("x.pdf", "Studies in tidal flow, part 3", "", None),
        ("x.pdf", "Tidal power in the Severn estuary", "10.1000/other", "tides2010"),
        ("x.pdf", "Studies in tidal flow, part 1", "10.1000/severn", "part1"),
        ("田中 - 2020 - 潮汐発電の研究.pdf", "", "", "ja"),
        ("田中_2020_潮汐発電の研究.pdf", "", "", "ja"),
        ("山田 - 2020 - 潮汐発電の研究.pdf", "", "", None),
        ("x.pdf", "瀬戸内海における潮汐発電の研究", "", "colon"),
        ("x.pdf", "海流発電装置の設計と評価", "", "dash"),
        ("x.pdf", "海流発電装置の設計", "", None),
        ("clean2017.pdf", "untitled", "", "clean2017"),
        ("Clean_2017.pdf", "untitled", "", "clean2017"),
        ("10.1000_severn.pdf", "untitled", "", "tides2010"),
        ("Cockburn - 2005 - Hexagonal architecture of.pdf", "untitled", "", "hexa05"),
        ("Cockburn - 2006 - Hexagonal architecture of.pdf", "untitled", "", None),
        ("x.pdf", "潮汐発電の研究", "", "ja"),
        ("x.pdf", "Introduction", "", None),
        ("paper.pdf", "A study of something else entirely", "", None),
    ],
)
def test_a_document_is_matched_by_doi_title_or_name(
    name: str, title: str, doi: str, expected: str | None
) -> None:
    found = LIST.match(name, title, {"doi": doi})
    assert (found.citekey if found else None) == expected


def test_a_document_that_was_matched_stays_so() -> None:
    for reference in LIST.references:
        said = reference.metadata()
        again = LIST.match("other.pdf", reference.title, said)
        assert again is reference


@given(st.text(max_size=60), st.text(max_size=60))
def test_likeness_is_the_same_both_ways_and_bounded(one: str, other: str) -> None:
    assert 0.0 <= likeness(one, other) <= 1.0
    assert likeness(one, one) in {0.0, 1.0}


def test_a_doi_is_found_however_it_is_written() -> None:
    for text in ("10.1000/ABC", "doi:10.1000/abc", "https://doi.org/10.1000/abc.", "(10.1000/abc)"):
        assert doi_of(text) == "10.1000/abc"
    assert doi_of("10.1/abc") == ""


def test_a_preprint_is_matched_by_its_number() -> None:
    listed = Bibliography(
        read_references(
            "list.bib",
            b"@misc{v17, title={Attention}, eprint={1706.03762}, archivePrefix={arXiv}}\n"
            b"@article{d19, title={Bert}, journal={CoRR}, volume={abs/1810.04805}}",
        ).references
    )
    for name, said, expected in (
        ("1706.03762v5.pdf", {}, "v17"),
        ("x.pdf", {"arxiv": "1810.04805"}, "d19"),
        ("2017.12345.pdf", {}, None),
    ):
        found = listed.match(name, "untitled", said)
        assert (found.citekey if found else None) == expected


def test_a_title_below_the_name_of_a_journal_is_found() -> None:
    said = {"large_lines": "Journal of Nothing | Tidal power in the Severn estuary"}
    found = LIST.match("x.pdf", "Microsoft Word - final3", said)
    assert found
    assert found.citekey == "tides2010"
    assert LIST.match("x.pdf", "Microsoft Word - final3", {"large_lines": "Introduction"}) is None


@pytest.mark.parametrize("title", ["PII: S0140-6736(05)12345-6", "Template for authors", None])
def test_a_pdf_is_found_by_the_title_on_its_page_whatever_its_file_says(title: str | None) -> None:
    page = [Put(72, 770, "Tidal power in the Severn estuary", 18, "bold")]
    page += column(72, 720, ["The barrage would generate seventeen terawatt hours a year."])
    made = make_pdf([page], info={"Title": title} if title else None)
    read = parse_pdf("download-17.pdf", made)
    found = LIST.match("download-17.pdf", read.title, read.metadata)
    assert found and found.citekey == "tides2010"
