"""Lists of references: read in three formats, matched with documents, and written again."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.adapters import bibtex, ris
from actors.adapters import references as lists
from actors.adapters.bibtex_writing import write_bibtex
from actors.adapters.csl_dialects import as_csl
from actors.adapters.raw_references import Found, RawEntry
from actors.adapters.references import read_references
from actors.adapters.ris import write_ris
from actors.adapters.zotero_items import Attachment
from actors.references import Bibliography, Reference, doi_of, likeness
from events.errors import Unreadable

BIB = rb"""
@string{jgr = "J. Geophys. Res."}
@article{muller2005,
  author = {M{\"u}ller, J{\"o}rg and van der Berg, Piet and {World Bank}},
  title = {The {NASA} tide: a study \& more}, journal = jgr, year = 2005, month = jun,
  pages = {12--34}, doi = {https://doi.org/10.1000/XYZ123}, keywords = {tides, energy},
  file = {:papers/mueller.pdf:PDF}, shoesize = {44},
}
"""


def one(raw: bytes, name: str = "list.bib") -> Reference:
    [reference] = read_references(name, raw).references
    return reference


def test_bibtex_is_read_with_its_names_marks_and_macros() -> None:
    found = one(BIB)
    assert found.citekey == "muller2005"
    assert found.title == "The NASA tide: a study & more"
    assert found.authors == ("Müller, Jörg", "van der Berg, Piet", "World Bank")
    assert found.item["container-title"] == "J. Geophys. Res."
    assert found.item["page"] == "12-34"
    assert found.item["issued"] == {"date-parts": [[2005, 6]]}
    assert (found.doi, found.year) == ("10.1000/xyz123", "2005")
    assert found.tags == ("tides", "energy")


def test_a_broken_entry_costs_only_itself() -> None:
    found = read_references("list.bib", b"@book{open, title={Never closed\n" + BIB)
    assert [each.citekey for each in found.references] == ["open", "muller2005"]
    assert "'open'" in found.warnings[0]
    assert "broken" in found.warnings[0]


def test_an_entry_without_a_key_gets_one() -> None:
    found = one(b"@article{, title={On missing keys}, author={Doe, Jane}, year={1999}}")
    assert found.citekey == "doe1999missing"


def test_the_same_key_twice_is_told_and_no_work_is_lost() -> None:
    again = BIB + b"@book{muller2005, title={Something else}, year={2001}}" + BIB
    found = read_references("list.bib", again)
    assert [each.citekey for each in found.references] == ["muller2005", "muller2005-2"]
    assert len(found.warnings) == 2
    assert all("Duplicate citekey 'muller2005'" in each for each in found.warnings)


def test_a_child_takes_from_its_parent_what_it_lacks() -> None:
    found = read_references(
        "list.bib",
        b"@inproceedings{child, title={A talk}, author={A, B}, crossref={book}}\n"
        b"@proceedings{book, title={The proceedings}, year={2003}}",
    ).references[0]
    assert (found.year, found.item["container-title"]) == ("2003", "The proceedings")


def test_what_is_inherited_goes_over_generations_and_never_in_a_ring() -> None:
    found = read_references(
        "list.bib",
        b"@inproceedings{a, title={A talk}, crossref=b}\n"
        b"@proceedings{b, title={The volume}, crossref=c}\n"
        b"@book{c, title={The series}, publisher={P}, year=2001, crossref=a}\n"
        b"@book{own, title={Own}, crossref={own}}",
    ).references
    assert (found[0].year, found[0].item["container-title"]) == ("2001", "The volume")
    assert found[0].item["publisher"] == "P"


@pytest.mark.parametrize(
    "spoiled",
    [
        b"@article{k, title={A title} journal={J}, year=1999}",
        b"@article{k, title={A title}}, journal={J}, year=1999}",
        b"@article{k, title={A {title}, journal={J}, year=1999}",
        b'@article{k, title="A title, journal={J}, year=1999}',
        b"@article{k, title={A title}, journal=J, year=1999",
    ],
)
def test_the_fields_of_a_broken_entry_are_saved(spoiled: bytes) -> None:
    found = read_references("list.bib", spoiled + b"\n\n" + BIB).references
    assert [each.citekey for each in found] == ["k", "muller2005"]
    assert (found[0].title, found[0].year) == ("A title", "1999")
    assert found[0].item["container-title"] == "J"


def test_latex_marks_become_letters() -> None:
    raw = (
        rb"@article{a, title={{\'E}tude of \c{C}elik, \v{S}imon, \"{\i}, \'\i, {\OE}uvre, $\alpha$},"
        rb" author={Erd{\H{o}}s, P{\'a}l and {\L}ukasiewicz, Jan and family=Doe, given=Jane}}"
    )
    found = one(raw)
    assert found.title == "Étude of Çelik, Šimon, ï, í, Œuvre, α"  # noqa: RUF001
    assert found.authors == ("Erdős, Pál", "Łukasiewicz, Jan", "Doe, Jane")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_list_is_read_in_any_encoding(encoding: str, ends: str) -> None:
    bib = "@article{a,\n title={Über Flöße},\n author={Müller, Jörg},\n year=2001\n}\n"
    ris = "TY  - JOUR\nID  - a\nTI  - Über Flöße\nAU  - Müller, Jörg\nPY  - 2001\nER  - \n"
    for text in (bib, ris):
        found = one(text.replace("\n", ends).encode(encoding))
        assert (found.citekey, found.title, found.year) == ("a", "Über Flöße", "2001")
        assert found.authors == ("Müller, Jörg",)


def test_comments_are_no_entries_and_odd_keys_are_keys() -> None:
    found = read_references(
        "list.bib",
        b"@comment{ignored}\n% see @article{x}\n@preamble{{x}}\nloose words\n"
        b"@article{two words, title={First}}@article{k:2/3+x, title={Second}, journal=undefined}",
    ).references
    assert [each.citekey for each in found] == ["two_words", "k:2/3+x"]
    assert found[1].item["container-title"] == "undefined"


def test_ris_is_read_also_without_its_ends() -> None:
    raw = (
        b"TY  - JOUR\r\nID  - cock05\r\nAU  - Cockburn, Alistair\r\nTI  - Hexagonal architecture\r\n"
        b"PY  - 2005/06/01/\r\nDO  - 10.1000/hexa\r\nKW  - ports\r\nSP  - 1\r\nEP  - 9\r\n"
        b"TY  - BOOK\r\nTI  - No end\r\nA1  - Plain Name\r\n"
    )
    first, second = read_references("list.ris", raw).references
    assert (first.citekey, first.doi, first.year) == ("cock05", "10.1000/hexa", "2005")
    assert first.item["page"] == "1-9"
    assert first.tags == ("ports",)
    assert second.authors == ("Plain Name",)


@pytest.mark.parametrize("form", ["list", "wrapped", "by id", "single"])
def test_csl_json_is_read_however_it_is_wrapped(form: str) -> None:
    item = {"id": "a", "type": "book", "title": "A title", "strange": {"x": [10**30, None]}}
    said: Any = {
        "list": [item],
        "wrapped": {"items": [item]},
        "by id": {"a": {key: value for key, value in item.items() if key != "id"}},
        "single": item,
    }
    if form == "by id":
        said["by id"] = {"a": {"author": [{"family": "X"}]}}
    found = one(json.dumps(said[form]).encode(), "list.json")
    assert found.citekey == "a"


def test_what_is_no_list_is_refused_and_what_is_no_entry_is_told() -> None:
    with pytest.raises(Unreadable, match="neither"):
        read_references("list.txt", b"Dear diary")
    with pytest.raises(Unreadable, match="JSON"):
        read_references("list.json", b"[{")
    found = read_references("list.json", b'[3, {"id": "a", "title": "T"}, "x"]')
    assert len(found.references) == 1
    assert len(found.warnings) == 2


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=300), st.sampled_from([b"@article{", b"TY  - JOUR\n", b"[{", b""]))
def test_no_bytes_break_the_reader(junk: bytes, start: bytes) -> None:
    try:
        found = read_references("list", start + junk)
    except Unreadable:
        return
    assert len({each.citekey for each in found.references}) == len(found.references)
    Bibliography.of(Bibliography(found.references).packed_list())


def test_what_is_written_is_read_again() -> None:
    before = one(BIB)
    for raw, name in (
        (write_bibtex([before]).encode(), "list.bib"),
        (write_ris([before]).encode(), "list.ris"),
        (json.dumps([before.item]).encode(), "list.json"),
    ):
        after = one(raw, name)
        assert (after.citekey, after.title, after.doi, after.year) == (
            *("muller2005", "The NASA tide: a study & more", "10.1000/xyz123", "2005"),
        )
        assert after.item["page"] == "12-34"
        assert after.authors[0] == "Müller, Jörg"


# -- matching --------------------------------------------------------------------------------------


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
        item("ja", "潮汐発電の研究"),
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


# -- lists as people write them --------------------------------------------------------------------


def one_item(text: str, name: str = "list.bib") -> dict[str, Any]:
    return one(text.encode(), name).item


def test_addresses_are_taken_as_they_are() -> None:
    said = one_item(
        r"@misc{a, title={T}, url={http://www.x.edu/~knuth/a_b%20c--d.html},"
        r" doi={10.1007/978-3-540-74958-5\_10}}"
    )
    assert said["URL"] == "http://www.x.edu/~knuth/a_b%20c--d.html"
    assert said["DOI"] == "10.1007/978-3-540-74958-5_10"


def test_a_page_on_the_web_is_found_in_how_it_was_published() -> None:
    said = one_item(
        r"@misc{a, title={T}, author={{Python Software Foundation}},"
        r" howpublished={\url{https://docs.python.org/3/}}, note={Accessed: 2023-01-15}}"
    )
    assert (said["type"], said["URL"]) == ("webpage", "https://docs.python.org/3/")
    assert said["accessed"] == {"date-parts": [[2023, 1, 15]]}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (r"{\'A}lvaro Jos{\'e}", ("José, Álvaro",)),
        ("{Barnes and Noble, Inc.} and {{NASA}}", ("Barnes and Noble, Inc.", "NASA")),
        ("Smith, J.; Doe, A.; Roe, B.", ("Smith, J.", "Doe, A.", "Roe, B.")),
        ("Smith, J., Doe, A., and Roe, B.", ("Smith, J.", "Doe, A.", "Roe, B.")),
        ("Smith, J. & Doe, A.", ("Smith, J.", "Doe, A.")),
        ("DOE, JOHN AND SMITH, JANE and others", ("DOE, JOHN", "SMITH, JANE")),
        ("Ludwig van Beethoven and de la Fontaine, Jean", None),
        ("鈴木 花子 and 山田, 太郎", ("鈴木, 花子", "山田, 太郎")),
        (r"\v Capek, Karel", ("Čapek, Karel",)),
    ],
)
def test_names_are_parted_however_they_are_listed(
    names: str, expected: tuple[str, ...] | None
) -> None:
    found = one(f"@book{{a, title={{T}}, author={{{names}}}}}".encode()).authors
    assert found == (expected or ("van Beethoven, Ludwig", "de la Fontaine, Jean"))


def test_a_suffix_is_one_wherever_it_stands() -> None:
    for name in ("King, Martin Luther, Jr.", "King, Jr., Martin Luther"):
        [person] = one_item(f"@book{{a, title={{T}}, author={{{name}}}}}")["author"]
        assert person == {"family": "King", "given": "Martin Luther", "suffix": "Jr."}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ('year=1998, month="15~" # jun', {"date-parts": [[1998, 6, 15]]}),
        ("date={2004-05-01/2004-06-01}", {"date-parts": [[2004, 5, 1], [2004, 6, 1]]}),
        ("year={2004--2005}", {"date-parts": [[2004], [2005]]}),
        ("date={2004-21}", {"date-parts": [[2004]], "season": 1}),
        ("year={[c. 1885]}", {"date-parts": [[1885]]}),
        ("year={-0335}", {"date-parts": [[-335]]}),
        ("year={1998a}", {"date-parts": [[1998]]}),
        ("year={06/1998}", {"date-parts": [[1998, 6]]}),
        ("year={in press}", {"literal": "in press"}),
    ],
)
def test_dates_are_read_however_they_are_written(fields: str, expected: dict[str, Any]) -> None:
    assert one_item(f"@article{{a, title={{T}}, {fields}}}")["issued"] == expected


@pytest.mark.parametrize(
    ("kind", "genre"), [("phdthesis", "PhD thesis"), ("mastersthesis", "Master’s thesis")]
)
def test_a_thesis_says_which_it_is_also_when_it_is_written_again(kind: str, genre: str) -> None:
    before = one(f"@{kind}{{a, title={{T}}, school={{MIT}}, year=2001}}".encode())
    assert (before.item["genre"], before.item["publisher"]) == (genre, "MIT")
    written = write_bibtex([before])
    assert written.startswith(f"@{kind}{{a,")
    assert one(written.encode()).item["genre"] == genre


def test_a_child_takes_all_from_its_parent_but_what_is_the_parents_own() -> None:
    said = read_references(
        "list.bib",
        b"@incollection{c, title={A chapter}, crossref={p}, pages={1--2}}\n"
        b"@book{p, title={Big}, booktitle={The Big Book}, volume=7, isbn={3-540-00000-0},"
        b" doi={10.1000/parent}, editor={Ed Itor}, publisher={Springer}, year=1999}",
    ).references[0]
    assert said.item["container-title"] == "The Big Book"
    assert (said.item["volume"], said.item["ISBN"]) == ("7", "3-540-00000-0")
    assert (said.doi, said.item["page"]) == ("", "1-2")


def test_what_an_abstract_speaks_of_is_no_field() -> None:
    said = one_item(
        "@article{a, title={T}, abstract={Here, volume = {3} and year = {1900}, are named.}}"
    )
    assert "volume" not in said
    assert "issued" not in said


def test_an_entry_with_neither_key_nor_comma_is_an_entry() -> None:
    found = one(b"@article{ title = {No key at all}, author={No, Key}, year=1991}")
    assert (found.title, found.year) == ("No key at all", "1991")


def test_ris_of_publishers_is_read_whole() -> None:
    raw = (
        b"Provider: Elsevier\nTY  - CHAP\nAU  - Ollikainen, Noah\nT1  - Chapter Four\n"
        b"A2  - Amy E. Keating\nED  - Some, One\nBT  - Methods in Enzymology\nPY  - 2013///\n"
        b"DA  - 2013/06/15\nVL  - Volume 523\nSP  - 61-85\nSN  - 0076-6879\n"
        b"M3  - doi: 10.1016/B978-0-12\nL1  - file:///papers/a%20b.pdf\nER  - \n"
    )
    found = one(raw, "list.ris")
    said = found.item
    assert (said["container-title"], said["page"]) == ("Methods in Enzymology", "61-85")
    assert (said["volume"], said["ISSN"]) == ("523", "0076-6879")
    assert (said["DOI"], found.files) == ("10.1016/B978-0-12", ("/papers/a b.pdf",))
    assert said["issued"] == {"date-parts": [[2013, 6, 15]]}
    assert len(said["editor"]) == 2


def test_csl_json_of_other_programs_is_read() -> None:
    items = [
        {"id": "10.1000/x", "type": "journal-article", "title": ["A title &amp; more"]},
        {"id": "s", "title": "T", "author": "Smith, John and Doe, Jane", "issued": "2011-03-04"},
        {"id": "p", "title": "T", "published-print": {"date-parts": [[2015, 3]]}},
        {"id": "r", "title": "Growth of <i>E. coli</i>", "issued": {"raw": "March 2004"}},
    ]
    first, second, third, fourth = read_references(
        "list.json", json.dumps(items).encode()
    ).references
    assert (first.citekey, first.item["type"]) == ("10.1000/x", "article-journal")
    assert first.title == "A title & more"
    assert second.authors == ("Smith, John", "Doe, Jane")
    assert second.item["issued"] == {"date-parts": [[2011, 3, 4]]}
    assert third.year == "2015"
    assert (fourth.title, fourth.item["issued"]["date-parts"]) == ("Growth of E. coli", [[2004, 3]])


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


# -- hostile lists ---------------------------------------------------------------------------------


@pytest.mark.parametrize("said", ["n.d.", "in press"])
def test_a_year_in_words_costs_no_entry(said: str) -> None:
    raw = f"TY  - JOUR\nID  - a\nPY  - {said}\nER  - \nTY  - BOOK\nID  - b\nPY  - 2005\nER  - \n"
    first, second = read_references("list.ris", raw.encode()).references
    assert first.item["issued"] == {"literal": said}
    assert (first.year, second.year) == ("", "2005")


@pytest.mark.parametrize(
    ("module", "reading", "raw"),
    [
        (bibtex, "_of_bibtex", b"@book{a, title={One}}\n@book{b, title={Two}}"),
        (ris, "_of_ris", b"TY  - BOOK\nID  - a\nER  - \nTY  - BOOK\nID  - b\nER  - \n"),
        (lists, "as_csl", b'[{"id": "a", "title": "One"}, {"id": "b", "title": "Two"}]'),
    ],
    ids=["bibtex", "ris", "csl"],
)
def test_an_entry_that_cannot_be_understood_costs_only_itself(
    module: Any, reading: str, raw: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    understood = getattr(module, reading)
    asked: list[object] = []

    def first_is_too_deep(*said: Any) -> Any:
        asked.append(said)
        if len(asked) == 1:
            raise RecursionError
        return understood(*said)

    monkeypatch.setattr(module, reading, first_is_too_deep)
    found = read_references("list", raw)
    assert [each.citekey for each in found.references] == ["b"]
    [warning] = found.warnings
    assert "is broken: RecursionError" in warning


LINES = "\n" * 200_000


def noted(extra: str) -> Reference | None:
    return Attachment("k", 1, "x.pdf", "", {"title": "Tides", "extra": extra}).reference


def salvaged(piece: str) -> dict[str, str]:
    values: dict[str, str] = {}
    bibtex.salvage(piece, values)
    return values


@pytest.mark.parametrize(
    "read",
    [
        lambda: salvaged("year = 2005," + LINES) == {"year": "2005"},
        lambda: (
            one(f"TY  - BOOK\nTI  - The{LINES}tides\n\n  ID  - a".encode()).title == "The tides"
        ),
        lambda: one(f"% loose{LINES[:150_000]}@book{{a, title={{Tides}}}}".encode()).citekey == "a",
        lambda: lists._key_of({"id": "a", "note": f"{LINES}x\n\n Citation Key: b"}) == "b",
        lambda: noted(f"x{LINES}DOI: 10.1000/x") == noted(""),
        lambda: len(as_csl({"author": "A" + " " * 200_000 + "B; C  and  D"})["author"]) == 3,
    ],
    ids=["bibtex", "ris", "kind", "note", "extra", "names"],
)
def test_blank_lines_without_end_cost_no_more_than_their_length(read: Callable[[], bool]) -> None:
    assert read()


def test_what_is_noted_of_an_item_is_found_below_blank_lines() -> None:
    found = noted("x\n \n\n  Citation Key : tides05\n\n DOI: 10.1000/X")
    assert found
    assert (found.citekey, found.doi) == ("tides05", "10.1000/x")


def test_one_key_for_very_many_works_is_counted_on() -> None:
    class Counting(dict[str, Reference]):
        asked = 0

        def __contains__(self, key: object) -> bool:
            self.asked += 1
            return super().__contains__(key)

    taken, numbers = Counting(), dict[str, int]()
    for number in range(1_000):
        entry = RawEntry("a", {"title": f"Work {number}"}, [], [])
        made = lists._reference(entry, taken, numbers, Found())
        assert made
        taken[made.citekey] = made
    assert list(taken)[-1] == "a-1000"
    assert taken.asked < 2_000


@pytest.mark.parametrize("month", ["5" * 5_000, "--5", "-5", 13])
def test_a_month_that_is_none_is_not_written(month: object) -> None:
    written = write_bibtex(
        [Reference(citekey="a", item={"issued": {"date-parts": [[2005, month]]}})]
    )
    assert "year = {2005}" in written
    assert "month" not in written


def test_no_brace_of_a_title_can_end_its_field() -> None:
    item = {"type": "book", "title": "x }, note = {evil", "publisher": "A } B"}
    read = one(write_bibtex([Reference(citekey="a", item=item)]).encode()).item
    assert set(read) == {"id", "type", "title", "publisher"}


def test_no_address_or_number_can_end_its_field() -> None:
    said = "http://x.example/a}, note = {b\\input{c}\nd"
    item = {"type": "book", "title": "T", "URL": said, "DOI": f"10.1000/{said}", "ISBN": said}
    written = write_bibtex([Reference(citekey="a", item=item)])
    assert "url = {http://x.example/a%7D,%20note%20=%20%7Bb%5Cinput%7Bc%7D%20d}," in written
    read = one(written.encode()).item
    assert "note" not in read
    assert read["URL"].startswith("http://x.example/a%7D")
    assert not set("{}\\") & set(read["DOI"] + read["ISBN"])
