"""Citations of hard works, as the guides of their styles have them."""

from typing import Any

import pytest

from actors.ingesting.references import Reference
from contracts.citations.bibliography import _formatted, _neat


def work(key: str = "k", **said: Any) -> Reference:
    fields = {name.replace("_", "-"): value for name, value in said.items()}
    return Reference(citekey=key, item={"id": key} | fields)


def year(*parts: int) -> dict[str, Any]:
    return {"date-parts": [list(parts)]}


DOE = [{"family": "Doe", "given": "Jane Q."}]
NEWS = work(
    type="article-newspaper",
    title="Storm closes harbour",
    issued=year(1999, 12, 31),
    container_title="The Times",
    page="A1",
)
EDITED = work(
    type="book",
    title="Handbook of tides",
    editor=[{"family": "Ed", "given": "Itor"}, {"family": "Second", "given": "Ann"}],
    publisher="Springer",
    issued=year(1999),
    edition="2",
)
UNDATED = work(type="book", title="Undated book", author=DOE, publisher="Press")
THESIS = work(
    type="thesis",
    title="My thesis",
    author=DOE,
    issued=year(2010),
    publisher="MIT",
    genre="PhD thesis",
)
ARTICLE = work(
    type="article-journal",
    title="Deep tides",
    author=[*DOE, {"family": "Beethoven", "given": "Ludwig", "non-dropping-particle": "van"}],
    issued=year(2005, 6, 1),
    container_title="Journal of Tides",
    volume="12",
    issue="3",
    page="1-10",
)
PROGRAM = work(
    type="software", title="A program", author=DOE, issued=year(2020), URL="https://example.org"
)
YEARS = work(
    type="book", title="Years", author=DOE, issued={"date-parts": [[1999], [2001]]}, publisher="P"
)


@pytest.mark.parametrize(
    ("each", "style", "citation", "entry"),
    [
        (
            *(NEWS, "apa", "(“Storm Closes Harbour,” 1999)"),
            "Storm closes harbour. (1999, December 31). The Times, A1.",
        ),
        (
            *(NEWS, "modern-language-association", "(“Storm Closes Harbour”)"),
            "“Storm Closes Harbour.” The Times, 31 Dec. 1999, p. A1.",
        ),
        (
            *(EDITED, "apa", "(Ed & Second, 1999)"),
            "Ed, I., & Second, A. (Eds.). (1999). Handbook of tides (2nd ed.). Springer.",
        ),
        (
            *(EDITED, "chicago-author-date", "(Ed and Second 1999)"),
            "Ed, Itor, and Ann Second, eds. 1999. Handbook of Tides. 2nd ed. Springer.",
        ),
        (UNDATED, "apa", "(Doe, n.d.)", "Doe, J. Q. (n.d.). Undated book. Press."),
        (THESIS, "apa", "(Doe, 2010)", "Doe, J. Q. (2010). My thesis [PhD thesis]. MIT."),
        (
            *(ARTICLE, "modern-language-association", "(Doe and van Beethoven)"),
            "Doe, Jane Q., and Ludwig van Beethoven. “Deep Tides.” Journal of Tides, vol. 12, no. 3, "
            "June 2005, pp. 1–10.",
        ),
        (
            *(ARTICLE, "nlm-citation-sequence", "(1)"),
            "1. Doe JQ, van Beethoven L. Deep tides. Journal of Tides. 2005 Jun 1;12(3):1–10.",
        ),
        (
            *(PROGRAM, "ieee", "[1]"),
            "[1] J. Q. Doe, A program. 2020. [Online]. Available: https://example.org",
        ),
        (YEARS, "apa", "(Doe, 1999–2001)", "Doe, J. Q. (1999–2001). Years. P."),
    ],
)
def test_a_hard_work_is_cited_as_its_style_has_it(
    each: Reference, style: str, citation: str, entry: str
) -> None:
    assert _formatted([each], {}, style, "", "text") == ([[citation]], [entry])


@pytest.mark.parametrize(
    ("family", "given", "style", "entry"),
    [
        ("Chen", "Yu-ching", "apa", "Chen, Y.-c. (2005). T."),
        ("Chen", "Yu-ching", "nlm-citation-sequence", "1. Chen YC. T. 2005."),
        ("Picard", "Jean-Luc", "nlm-citation-sequence", "1. Picard JL. T. 2005."),
        ("hooks", "bell", "apa", "hooks, bell. (2005). T."),
        ("Rham", "Georges de", "ieee", "[1] G. de Rham, T. 2005."),
        ("夏目", "漱石", "apa", "夏目漱石. (2005). T."),
        ("夏目", "漱石", "ieee", "[1] 夏目漱石, T. 2005."),
        ("김", "철수", "chicago-author-date", "김철수. 2005. T."),
        ("スミス", "ジョン", "apa", "スミス ジョン. (2005). T."),
        ("בן גוריון", "דוד", "apa", "בן גוריון, דוד. (2005). T."),
        ("Толстой", "Лев Николаевич", "apa", "Толстой, Л. Н. (2005). T."),  # noqa: RUF001
        ("Doe", "-", "apa", "Doe, -. (2005). T."),
    ],
)
def test_a_name_keeps_what_has_no_initial_and_the_order_of_its_script(
    family: str, given: str, style: str, entry: str
) -> None:
    named = work(
        type="book", title="T", author=[{"family": family, "given": given}], issued=year(2005)
    )
    [[cited]], listed = _formatted([named], {}, style, "", "text")
    assert listed == [entry]
    assert given not in cited


MORE = [{"family": "Stevin", "given": "Simon"}, {"literal": "others"}]
FIVE = [{"family": f"Author{number}", "given": "A."} for number in range(1, 6)]


@pytest.mark.parametrize(
    ("authors", "style", "citation", "entry"),
    [
        (MORE, "apa", "(Stevin et al., 1605)", "Stevin, S. et al. (1605). Sluices."),
        (MORE, "ieee", "[1]", "[1] S. Stevin et al., Sluices. 1605."),
        (
            MORE,
            "chicago-author-date",
            "(Stevin et al. 1605)",
            "Stevin, Simon et al. 1605. Sluices.",
        ),
        (
            MORE,
            "modern-language-association",
            "(Stevin et al.)",
            "Stevin, Simon, et al. Sluices. 1605.",
        ),
        (MORE, "nlm-citation-sequence", "(1)", "1. Stevin S et al. Sluices. 1605."),
        (
            *([*FIVE, MORE[1]], "chicago-author-date", "(Author1 et al. 1605)"),
            "Author1, A., A. Author2, A. Author3, A. Author4, A. Author5, et al. 1605. Sluices.",
        ),
    ],
)
def test_authors_of_whom_not_all_are_named_end_with_et_al(
    authors: list[dict[str, str]], style: str, citation: str, entry: str
) -> None:
    book = work(type="book", title="Sluices", author=authors, issued=year(1605))
    assert _formatted([book], {}, style, "", "text") == ([[citation]], [entry])


def test_a_film_is_cited_with_its_director() -> None:
    film = work(type="motion_picture", title="The sea", director=[*DOE], issued=year(1956))
    cited, [entry] = _formatted([film], {}, "apa", "", "text")
    assert cited == [["(Doe, 1956)"]]
    assert entry == "Doe, J. Q. (Director). (1956). The sea [Video recording]."


def test_works_that_would_be_cited_alike_get_letters_in_the_order_of_the_list() -> None:
    two = [
        work("z", type="book", title="Zebras", author=DOE, issued=year(2005)),
        work("a", type="book", title="Apes", author=DOE, issued=year(2005)),
    ]
    cited, listed = _formatted(two, {"z": ["3-4", "9"]}, "apa", "", "text")
    assert cited == [["(Doe, 2005b, pp. 3–4)", "(Doe, 2005b, p. 9)"], ["(Doe, 2005a)"]]
    assert listed == ["Doe, J. Q. (2005a). Apes.", "Doe, J. Q. (2005b). Zebras."]
    assert _formatted(two, {}, "ieee", "", "text")[0] == [["[1]"], ["[2]"]]


def test_marks_in_a_title_are_kept_where_they_can_be_and_nothing_else_passes() -> None:
    hostile = work(
        type="book",
        title="Growth of <i>E. coli</i> <script>x()</script>",
        author=[{"family": "<img src=x>"}],
        issued=year(2005),
    )
    [plain] = _formatted([hostile], {}, "apa", "", "text")[1]
    assert "Growth of E. coli" in plain
    [[cited]], [entry] = _formatted([hostile], {}, "apa", "", "html")
    assert "<i>E. coli</i>" in entry
    assert "<script" not in entry
    assert "<img" not in entry + cited


@pytest.mark.parametrize(
    ("style", "pages"),
    [
        ("chicago-author-date", "12 (3): 1–10"),
        ("turabian-author-date", "12 (3): 1–10"),
        ("chicago-notes-bibliography", "12, no. 3 (2005): 1–10"),
    ],
)
def test_an_article_is_listed_with_all_its_pages_though_one_of_them_is_cited(
    style: str, pages: str
) -> None:
    bare, listed = _formatted([ARTICLE], {}, style, "", "text")
    cited, again = _formatted([ARTICLE], {"k": ["4"]}, style, "", "text")
    assert again == listed
    assert pages in listed[0]
    assert cited != bare


def test_a_style_of_notes_without_a_bibliography_is_followed() -> None:
    [[cited]], listed = _formatted([ARTICLE], {}, "social-history", "", "text")
    assert "Deep Tides" in cited or "Deep tides" in cited
    assert listed == []


@pytest.mark.parametrize("month", ["5" * 5_000, "--5"])
def test_a_month_that_is_no_number_is_left_out(month: str) -> None:
    dated = work(type="book", title="T", author=DOE, issued={"date-parts": [[2005, month]]})
    [entry] = _formatted([dated], {}, "apa", "", "text")[1]
    assert "(2005)" in entry


def test_marks_without_end_cost_no_more_than_their_length() -> None:
    opened = "&lt;i&gt;" * 50_000
    assert _neat(opened, marked=True) == opened
    assert _neat(f"{opened}a &lt; b&lt;/i&gt;", marked=True).endswith("&gt;<i>a &lt; b</i>")


@pytest.mark.parametrize(
    ("style", "of"),
    [
        ("iso690-numeric-sk", EDITED),
        ("sorbonne-student-law-review", NEWS),
        ("university-of-hull-harvard", EDITED),
        ("gayana-botanica", EDITED),
        ("revue-archeologique-de-narbonnaise", ARTICLE),
    ],
)
def test_styles_that_set_names_and_labels_in_parts_are_followed(style: str, of: Reference) -> None:
    works = [NEWS, EDITED, UNDATED, THESIS, ARTICLE, PROGRAM, YEARS]
    keyed = [each.model_copy(update={"citekey": f"k{at}"}) for at, each in enumerate(works)]
    _, entries = _formatted(keyed, {}, style, "", "text")
    assert any(of.title.casefold() in entry.casefold() for entry in entries)
