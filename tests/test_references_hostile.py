"""Lists of references that are broken or hostile cost no more than themselves."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from actors.adapters.bibliography import bibtex, ris
from actors.adapters.bibliography import references as lists
from actors.adapters.bibliography.bibtex_writing import write_bibtex
from actors.adapters.bibliography.csl_dialects import as_csl
from actors.adapters.bibliography.latex_text import marked
from actors.adapters.bibliography.raw_references import Found, RawEntry
from actors.adapters.bibliography.references import read_references
from actors.adapters.bibliography.zotero_items import Attachment
from actors.ingesting.references import Bibliography, Reference
from tests.reference_lists import one


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
        lambda: marked("\\^" + LINES[:20_000] + "{e}").endswith("{e}"),
        lambda: len(as_csl({"author": "A" + " " * 200_000 + "B; C  and  D"})["author"]) == 3,
    ],
    ids=["bibtex", "ris", "kind", "note", "extra", "mark", "names"],
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


def test_macros_made_of_macros_do_not_grow_without_end() -> None:
    lines = ['@string{m0 = "laughter "}']
    lines += [f"@string{{m{n} = {' # '.join([f'm{n - 1}'] * 10)}}}" for n in range(1, 13)]
    lines += ["@book{a, title = m12 # m12, year = 2005}", "@string{m1 = m1 # m1}"]
    found = one("\n".join(lines).encode())
    assert found.title.startswith("laughter laughter")
    assert len(found.item["title"]) <= 20_000
    assert found.year == "2005"


_LONG = "\n".join(f'@string{{{name} = "{name * 9_000}"}}' for name in "bc")
_TOO_LONG = "The rest is left out: macros make it too long"


@pytest.mark.parametrize(
    "lines",
    [
        "\n".join(f"@a{{k{n}, title = b # c}}" for n in range(1_000)),
        "\n".join(f"@string{{m{n} = b # c}}" for n in range(1_000)),
        "@a{k, " + ", ".join(f"f{n} = b # c" for n in range(1_000)) + "}",
    ],
    ids=["entries", "macros", "fields"],
)
def test_many_values_made_of_macros_are_left_out_from_somewhere_on(lines: str) -> None:
    raw = f"@book{{first, title={{Tides}}}}\n{_LONG}\n{lines}\n@book{{last, title={{Tides}}}}"
    found = Found()
    read = list(bibtex.read_bibtex("list.bib", raw.encode(), found))
    assert (read[0].key, read[-1].key != "last") == ("first", True)
    assert found.warnings == [_TOO_LONG]
    assert sum(len(str(each.item)) for each in read) < 4 * len(raw) + (2 << 20)


def test_what_very_many_entries_take_from_one_is_left_out_from_somewhere_on() -> None:
    children = "\n".join(f"@inbook{{k{n}, crossref = p}}" for n in range(1_000))
    raw = f"{children}\n@book{{p, title = {{Tides}}, publisher = {{{'x' * 18_000}}}}}"
    found = Found()
    read = list(bibtex.read_bibtex("list.bib", raw.encode(), found))
    assert 0 < len(read) < 1_000
    assert found.warnings == [
        "The rest is left out: what entries take from others makes it too long"
    ]


def test_a_field_without_end_is_cut_and_the_next_entry_is_read() -> None:
    raw = b"@book{a, title = {" + b"x" * (20 << 20) + b"}, year = 2005}\n@book{b, title={Tides}}"
    first, second = read_references("list.bib", raw).references
    assert (len(first.title), first.year, second.title) == (8_000, "2005", "Tides")


def test_braces_without_end_cost_only_their_entry() -> None:
    raw = b"@book{a, title = {" + b"{" * 50_000 + b"x" + b"}" * 50_000 + b"}}\n@book{b, title={T}}"
    assert "b" in {each.citekey for each in read_references("list.bib", raw).references}


def test_files_that_a_list_names_are_never_opened() -> None:
    said = "{:../../../../etc/passwd:PDF;file:///etc/shadow}"
    found = one(f"@book{{a, title={{Tides of the narrow sea}}, file={said}}}".encode())
    listed = Bibliography([found])
    assert listed.match("passwd", "untitled", {}) is found
    assert "passwd" not in json.dumps(found.metadata())
