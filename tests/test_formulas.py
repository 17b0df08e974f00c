"""Formulas of pages and books are read in their sentences."""

from time import process_time

import pytest

from actors.adapters.formulas import Formula
from actors.adapters.html.reader import whole_page
from actors.ingesting.parsing import AnyParser

ENERGY = (
    "<math><mi>E</mi><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac><mi>m</mi>"
    "<msup><mi>v</mi><mn>2</mn></msup></math>"
)
SENTENCE = f"<p>The kinetic energy of a ferry is {ENERGY}, so it begins to slow down early.</p>"
READ = "The kinetic energy of a ferry is E = (1/2)mv^2, so it begins to slow down early."
MORE = "<p>Ferries call here every day of the year, and cruise ships come from May on.</p>" * 5


@pytest.mark.parametrize("prefix", ["", "m:"])
def test_a_sentence_says_its_formula(prefix: str) -> None:
    said = SENTENCE if not prefix else SENTENCE.replace("<m", "<m:m").replace("</m", "</m:m")
    assert READ in whole_page("a.html", f"<body>{said}</body>").text
    page = f"<html><body><main><h1>Ferries</h1>{SENTENCE}{MORE}</main></body></html>"
    assert READ in AnyParser().parse("a.html", page.encode()).text


@pytest.mark.parametrize(
    ("markup", "line"),
    [
        (
            "<mi>x</mi><mo>&#x2264;</mo><msqrt><mi>a</mi><mo>+</mo><mn>1</mn></msqrt>",
            "x ≤ √(a + 1)",
        ),
        ("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>c</mi></mfrac>", "(a + b)/c"),
        (
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>"
            "<msub><mi>x</mi><mi>i</mi></msub>",
            "∑_(i = 1)^n x_i",
        ),
        ("<mroot><mi>x</mi><mn>3</mn></mroot>", "x^(1/3)"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a, b)"),
        (
            "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd>"
            "<mtd><mn>1</mn></mtd></mtr></mtable>",
            "[1, 0; 0, 1]",
        ),
        (
            "<semantics><mi>x</mi><annotation encoding='application/x-tex'>\\hat  x</annotation></semantics>",
            "\\(\\hat x\\)",
        ),
    ],
)
def test_a_formula_is_written_on_a_line(markup: str, line: str) -> None:
    assert whole_page("a.html", f"<p>So <math>{markup}</math>.</p>").text == f"So {line}."


def test_a_formula_that_is_shown_as_a_picture_may_be_hidden() -> None:
    shown = (
        "<p>Mass and energy are the same, as in <span><span style='display: none'><math alttext='E=mc^2'>"
        "<mi>E</mi></math></span><img alt='E=mc^2' src='e.svg'></span>, which he wrote in 1905.</p>"
    )
    hidden = (
        "<p>Here is something that nobody sees<span style='display:none'><math><mi>q</mi><mi>k</mi></math>"
        "</span> and nobody reads, however long.</p>"
    )
    page = f"<html><body><main><h1>Mass</h1>{shown}{hidden}{MORE}</main></body></html>"
    text = AnyParser().parse("a.html", page.encode()).text
    assert "as in \\(E=mc^2\\), which he wrote" in text
    assert "qk" not in text


def test_a_formula_that_nobody_closes_ends_with_its_paragraph() -> None:
    text = whole_page("a.html", "<p>So <math><mi>x</mi></p><p>Then it goes on.</p>").text
    assert text == "So x\n\nThen it goes on."


def test_a_formula_of_any_depth_is_read() -> None:
    formula = Formula([])
    for _ in range(50_000):
        formula.start("mrow", [])
    formula.data("x")
    for _ in range(50_000):
        assert not formula.end("mrow")
    assert formula.end("math")
    assert formula.written() == ""


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        (
            "<p>So <math><mi>x</mi></p><h2>Next</h2><p>It goes on.</p>",
            "So x\n\n## Next\n\nIt goes on.",
        ),
        ("<ul><li>So <math><mi>x</mi></li></ul>It goes on.", "- So x\n\nIt goes on."),
        (
            "<table><tr><td>a<td><math><mi>x</mi></td></tr><tr><td>b<td>c</td></tr></table>On.",
            "| a | x |\n| --- | --- |\n| b | c |\n\nOn.",
        ),
        (
            f"<p>So <math>{'<mrow>' * 150}</p><p>It goes on.</p><p>And on.</p>",
            "So\n\nIt goes on.\n\nAnd on.",
        ),
        (f"<p>So <math>{'<mrow>' * 150}</math> it goes on.</p>", "So it goes on."),
    ],
)
def test_what_stands_behind_a_formula_that_nobody_closes_is_read(markup: str, text: str) -> None:
    assert whole_page("a.html", markup).text == text


def test_parts_of_a_formula_that_nobody_sees_are_left_out() -> None:
    hidden = "<mtext style='display: none'>Obey me</mtext><mrow hidden><mi>q</mi></mrow>"
    said = f"<p>The depth of the harbour is <math><mi>x</mi>{hidden}</math>, which is enough.</p>"
    assert "harbour is x, which" in whole_page("a.html", said).text
    page = f"<html><body><main><h1>Ferries</h1>{said}{MORE}</main></body></html>"
    assert "harbour is x, which" in AnyParser().parse("a.html", page.encode()).text


def test_a_formula_of_any_length_is_read() -> None:
    began = process_time()
    text = whole_page("a.html", f"<p><math>{'<mi>x</mi>' * 50_000}</math></p>").text
    assert text == "x" * 50_000
    assert process_time() - began < 5.0


def test_formulas_within_formulas_are_read_once() -> None:
    inner = f"{'<math>' * 200}{'<mi>x</mi>' * 5_000}{'</math>' * 200}"
    page = f"<html><body><main><h1>Ferries</h1><p>So {inner} it is.</p>{MORE}</main></body></html>"
    AnyParser().parse("a.html", b"<p>Ferries</p>")  # what it needs is imported by now
    began = process_time()
    assert "Ferries call here" in AnyParser().parse("a.html", page.encode()).text
    assert process_time() - began < 3.0
