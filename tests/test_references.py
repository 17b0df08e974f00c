"""Lists of references: read in three formats, as people and programs write them, and written again."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.adapters.bibliography.bibtex_writing import write_bibtex
from actors.adapters.bibliography.raw_references import written_date
from actors.adapters.bibliography.references import read_references
from actors.adapters.bibliography.ris import write_ris
from actors.ingesting.references import Bibliography, Reference
from events.errors import Unreadable
from tests.reference_lists import BIB, one, one_item


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


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (
            r"Nguy\~{\^e}n Ph{\h{\^o}}ng, B{\d{\^o}}, Tr{\`\^a}n, L\'{\u{a}}ng",
            "Nguyễn Phổng, Bộ, Trần, Lắng",
        ),
        (r"Murphy{\textquoteright}s law \dots{} and so on", "Murphy\u2019s law … and so on"),
        (r"10\,\textmu m for \texteuro 5 or \textasciitilde 6 km", "10 µm for €5 or ~6 km"),
        (r"The $\alpha_{1}$ and $\mathrm{H}_2\mathrm{O}$", "The α1 and H2O"),  # noqa: RUF001
        (r"$p \leq 10^{-3}$ in $\mathcal{O}(n \log n)$, \(x^2\)", "p ≤ 10⁻³ in O(n log n), x²"),
        (r"A 10\,M$_\odot$ star, $B \to K^* \ell^+$, $a'\le b$", "A 10 M⊙ star, B → K* ℓ⁺, a'≤ b"),  # noqa: RUF001
        (r"$\frac{1}{2}$ of $\sqrt{s_{NN}}$, $\frac{a+b}{c}$", "1/2 of √(sNN), (a+b)/c"),
        (r"3\texttimes 4, p\,\textless\,0.05, \ensuremath{\alpha_1}", "3×4, p < 0.05, α1"),  # noqa: RUF001
        (
            r"10\textsuperscript{-3}, 21\textsuperscript{st}, C:\textbackslash{}a",
            "10⁻³, 21st, C:\\a",
        ),
        (r"\url{http://a.b/~me} on \href{http://a.b}{tides}", "http://a.b/~me on tides"),
        (r"\$x\$ is a\textasciicircum{}2, for \textdollar x", "$x$ is a^2, for $x"),
        (r"$^{14}$C at 30$^\circ$C, 5\% of $5 and $10", "¹⁴C at 30°C, 5% of $5 and $10"),
    ],
)
def test_what_latex_would_print_is_the_text(written: str, read: str) -> None:
    assert one(f"@book{{a, title = {{{written}}}}}".encode()).title == read


@pytest.mark.parametrize("name", [r"Nguy\~{\^e}n, V\u an", r"V{\u{a}}n Nguy{\~{\^e}}n"])
def test_a_letter_with_two_marks_does_not_part_a_name(name: str) -> None:
    assert one(f"@book{{a, title={{T}}, author={{{name}}}}}".encode()).authors == ("Nguyễn, Văn",)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_list_is_read_in_any_encoding(encoding: str, ends: str) -> None:
    bib = "@article{a,\n title={Über Flöße},\n author={Müller, Jörg},\n year=2001\n}\n"
    ris = "TY  - JOUR\nID  - a\nTI  - Über Flöße\nAU  - Müller, Jörg\nPY  - 2001\nER  - \n"
    for text in (bib, ris):
        found = one(text.replace("\n", ends).encode(encoding))
        assert (found.citekey, found.title, found.year) == ("a", "Über Flöße", "2001")
        assert found.authors == ("Müller, Jörg",)


@pytest.mark.parametrize(
    ("encoding", "title", "author"),
    [
        ("shift_jis", "潮汐発電の研究", "田中, 太郎"),
        ("euc_jp", "潮汐発電の研究", "田中, 太郎"),
        ("iso2022_jp", "潮汐発電の研究", "田中, 太郎"),
        ("cp1251", "Война и мир", "Толстой, Лев"),
        ("gb18030", "呐喊与彷徨研究", "周, 树人"),
        ("euc_kr", "조석 발전에 대한 연구", "김, 철수"),
        ("cp1252", "¿Qué es la marea – una introducción?", "Peña, Íñigo"),
        ("cp1252", "Größe ‚so‘ und ƒ(x)", "Bézier, Amédée"),  # noqa: RUF001
    ],
)
def test_a_list_is_read_in_the_older_encoding_of_its_language(
    encoding: str, title: str, author: str
) -> None:
    bib = f"@article{{a, title={{{title}}}, author={{{author}}}, year=2001}}"
    ris = f"TY  - JOUR\nID  - a\nTI  - {title}\nAU  - {author}\nPY  - 2001\nER  - \n"
    for text in (bib, ris):
        found = one(text.encode(encoding))
        assert (found.title, found.authors) == (title, (author,))


def test_what_latex_calls_itself_and_small_numbers_stay_in_a_title() -> None:
    found = one(rb"@book{a, title={The {\LaTeX} and \BibTeX{} Companion to H$_2$O and CO$_{2}$}}")
    assert found.title == "The LaTeX and BibTeX Companion to H2O and CO2"


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


@pytest.mark.parametrize(
    ("names", "written"),
    [
        ("Stevin, Simon and others", "Stevin, Simon and others"),
        ("Simon Stevin and et al.", "Stevin, Simon and others"),
        ("others", ""),
        ("others and Stevin, Simon", "Stevin, Simon"),
    ],
)
def test_that_there_are_more_authors_than_are_named_is_kept_and_written_back(
    names: str, written: str
) -> None:
    said = one(f"@book{{a, title={{T}}, author={{{names}}}}}".encode())
    assert said.authors == (("Stevin, Simon",) if written else ())
    again = write_bibtex([said])
    assert (f"author = {{{written}}}" in again) if written else ("author" not in again)
    assert one(write_ris([said]).encode(), "list.ris").item.get("author") == said.item.get("author")


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


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"The set \{a, b\} of tides", "The set {a, b} of tides"),
        (
            r"{\textbraceleft}x\textbraceright{} and \textbraceleft y \textbraceright",
            "{x} and {y }",
        ),
        (r"$\lbrace x \rbrace$ of {T}ides", "{x } of Tides"),
        (r"First line\\{second} line", "First line second line"),
    ],
)
def test_braces_that_are_printed_are_kept_and_those_that_group_are_not(
    written: str, read: str
) -> None:
    assert one(f"@book{{a, title = {{{written}}}}}".encode()).title == read


def test_braces_of_a_title_are_written_so_that_they_are_read_again() -> None:
    before = Reference(citekey="a", item={"type": "book", "title": "Sets {a} and {b}"})
    assert one(write_bibtex([before]).encode()).title == "Sets {a} and {b}"


WORKS: list[dict[str, Any]] = [
    {
        "type": "chapter",
        "title": "Ponds",
        "author": [{"family": "Doe", "given": "Jane"}],
        "editor": [{"family": "Ed", "given": "A."}],
        "container-title": "Mills",
        "collection-title": "Studies of the coast",
        "page": "1-9",
        "ISBN": "9783161484100",
        "issued": {"date-parts": [[2001, 3, 4]]},
    },
    {
        "type": "webpage",
        "title": "A page",
        "author": [{"literal": "World Health Organization"}],
        "URL": "https://x.example/a?b=1&c=%20",
        "accessed": {"date-parts": [[2020, 1, 2]]},
        "issued": {"date-parts": [[2019, 12]]},
    },
    {
        "type": "report",
        "title": "On gates",
        "title-short": "Gates",
        "number": "TR-12",
        "genre": "Technical report",
        "publisher": "HMSO",
        "issued": {"date-parts": [[2011]]},
    },
]


@pytest.mark.parametrize("work", WORKS, ids=lambda work: str(work["type"]))
@pytest.mark.parametrize(("write", "name"), [(write_bibtex, "list.bib"), (write_ris, "list.ris")])
def test_no_date_number_or_name_is_lost_on_the_way_to_another_program(
    work: dict[str, Any], write: Callable[[list[Reference]], str], name: str
) -> None:
    written = write([Reference(citekey="a", item={"id": "a"} | work)])
    read = one(written.encode(), name).item
    assert {label: read.get(label) for label in work} == work


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([2005, 6, 1], "2005-06-01"),
        ([2005, 13], "2005"),
        (["2005", "6"], "2005-06"),
        ([-44], ""),
        ([], ""),
        ([None, 3], ""),
    ],
)
def test_a_date_is_written_as_far_as_it_is_one(parts: list[object], expected: str) -> None:
    assert written_date({"date-parts": [parts]}, "-") == expected
    assert written_date("soon", "-") == ""
