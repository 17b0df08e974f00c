"""Documents as further programs set them: Typst, ReportLab, fpdf2, groff, LibreOffice, Chromium.

None of these programs is needed for anything else here; what is not installed is left out.
"""

import importlib.util
import io
import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.layouts import Sheet
from bench.manuscript import KANJI, Manuscript
from bench.typeset_further import FURTHER_DRAWN, FURTHER_PRINTED, FURTHER_TEX, FURTHER_TYPST

SECONDS = 120.0


def proceedings(paper: Manuscript) -> str:
    """Typst: two columns below a title, a figure over both, notes, references in small letters."""
    out = [
        '#set page(paper: "us-letter", margin: (x: 54pt, y: 62pt), columns: 2, numbering: "1")',
        '#set text(size: 9.5pt)\n#set par(justify: true, first-line-indent: 1em)\n#set heading(numbering: "1.1")',
        '#place(top + center, scope: "parent", float: true)[#text(17pt, weight: "bold")'
        f"[{paper.heading(6)}] \\ #text(11pt)[{paper.line(5)}] #v(8pt)]",
    ]
    for number in range(1, 5):
        out += [
            f"= {paper.heading(2, str(number))}",
            paper.text(6) + f"#footnote[{paper.beside(10)}]",
            "",
        ]
        for part in (1, 2):
            out += [
                f"== {paper.heading(3, f'{number}.{part}')}",
                paper.text(5),
                "",
                paper.text(6),
                "",
            ]
        if number == 2:
            out += [
                '#place(top, scope: "parent", float: true)[#figure(rect(width: 80%, height: 70pt), '
                f"caption: [{paper.beside(14)}])]"
            ]
        if number == 3:
            out += [f"#figure(rect(width: 60%, height: 50pt), caption: [{paper.beside(9)}])"]
    out += ["#set text(size: 8pt)", f"#heading(numbering: none)[{paper.heading(1)}]"]
    out += [f"\n{paper.text(2)}\n" for _ in range(6)]
    return "\n".join(out)


def newsletter(paper: Manuscript) -> str:
    """Typst: a broad story beside a narrow box, then three columns."""
    out = [
        '#set page(paper: "a4", margin: 40pt)\n#set text(size: 9pt, font: "DejaVu Serif")',
        "#set par(justify: true)",
        f"#align(center)[#text(30pt)[{paper.heading(3)}]]",
    ]
    for _ in range(2):
        out += [
            "#grid(columns: (2fr, 1fr), gutter: 16pt, [",
            f'#text(16pt, weight: "bold")[{paper.heading(4)}] \n\n{paper.text(6)}\n\n{paper.text(5)}',
            f"\n{paper.text(5)}",
            f"], rect(fill: luma(230), inset: 8pt)[{paper.beside(40)}])\n#v(10pt)\n#columns(3, gutter: 14pt)[",
        ]
        for _ in range(3):
            out += [
                f'#text(12pt, weight: "bold")[{paper.heading(2)}]\n',
                paper.text(6),
                "",
                paper.text(5),
                "",
            ]
        out += ["]", "#pagebreak(weak: true)"]
    return "\n".join(out)


def thesis(paper: Manuscript) -> str:
    """Typst: one column, a head that changes, notes, a table whose cells have several lines."""
    running = paper.beside(4)
    out = [
        f'#set page(paper: "a5", margin: 50pt, header: [#text(8pt)[{running}] #h(1fr) '
        "#context counter(page).display()])",
        '#set text(size: 10pt)\n#set par(justify: true)\n#set heading(numbering: "1.1")',
    ]
    for number in range(1, 4):
        out += [f"= {paper.heading(3, str(number))}", paper.text(6), ""]
        for part in (1, 2):
            out += [
                f"== {paper.heading(3, f'{number}.{part}')}",
                paper.text(5) + f"#footnote[{paper.beside(8)}]",
                "",
            ]
            out += ["#table(columns: 3,"]
            out += [f"[{paper.text(1)}]," for _ in range(9)]
            out += [")", paper.text(5), ""]
    return "\n".join(out)


def vita(paper: Manuscript) -> str:
    """Typst: years at the left, what was done then at the right."""
    out = ['#set page(paper: "a4")\n#set text(size: 10.5pt)', f"#text(22pt)[{paper.heading(2)}]\n"]
    year = 1990
    for _ in range(5):
        out += [f"== {paper.heading(2)}"]
        for _ in range(4):
            year += 1
            paper.sheet.gold.append(str(year))
            out += [f"#grid(columns: (3cm, 1fr), [{year}], [{paper.text(2)}])"]
    return "\n".join(out)


def frames(paper: Manuscript) -> bytes:
    """ReportLab: heads drawn before the text, two frames a page, a table of several lines a cell."""
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, Table

    styles = getSampleStyleSheet()
    running = paper.beside(5)

    def head(canvas: Any, document: Any) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.drawString(60, 800, running)
        canvas.drawRightString(535, 40, str(document.page))

    made = io.BytesIO()
    document = BaseDocTemplate(made, pagesize=A4)
    two = [Frame(60, 60, 230, 720, id="a"), Frame(305, 60, 230, 720, id="b")]
    document.addPageTemplates([PageTemplate(id="two", frames=two, onPage=head)])
    story: list[Any] = [Paragraph(paper.heading(4), styles["Title"])]
    for number in range(1, 5):
        story += [Paragraph(f"{number}. {paper.heading(3, f'{number}.')}", styles["Heading1"])]
        story += [Paragraph(paper.text(6), styles["BodyText"]) for _ in range(3)]
        cells = [[Paragraph(paper.text(1), styles["BodyText"]) for _ in range(2)] for _ in range(3)]
        story += [Table(cells, colWidths=[110, 110])]
        story += [Paragraph(paper.text(6), styles["BodyText"]) for _ in range(2)]
    document.build(story)
    return made.getvalue()


def brochure(paper: Manuscript) -> bytes:
    """ReportLab: three folds on a page that lies on its side, a quotation in large letters."""
    from reportlab.lib.pagesizes import A4, landscape
    from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
    from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph

    styles = getSampleStyleSheet()
    large = ParagraphStyle(
        "large", parent=styles["BodyText"], fontSize=15, leading=18, leftIndent=20
    )
    made = io.BytesIO()
    document = BaseDocTemplate(made, pagesize=landscape(A4))
    folds = [
        Frame(30 + 270 * at, 30, 240, height, id=str(at))
        for at, height in enumerate((535, 420, 535))
    ]
    document.addPageTemplates([PageTemplate(id="folds", frames=folds)])
    story: list[Any] = []
    for number in range(7):
        story += [Paragraph(paper.heading(3), styles["Heading2"])]
        story += [Paragraph(paper.text(5), styles["BodyText"]) for _ in range(2)]
        if number % 3 == 1:
            story += [Paragraph(paper.beside(9), large)]
        story += [Paragraph(paper.text(4), styles["BodyText"])]
    document.build(story)
    return made.getvalue()


def leaflet(paper: Manuscript) -> bytes:
    """fpdf2: text in two columns, justified, with the number of the page at the foot."""
    from fpdf import FPDF

    class Leaflet(FPDF):  # type: ignore[misc]
        def footer(self) -> None:
            self.set_y(-40)
            self.set_font("Times", size=8)
            self.cell(0, 10, f"{self.page_no()}", align="C")

    pdf = Leaflet(unit="pt", format="A4")
    pdf.add_page()
    pdf.set_font("Helvetica", "B", 20)
    pdf.multi_cell(0, 26, paper.heading(5), align="L")
    with pdf.text_columns(ncols=2, gutter=20, text_align="J", line_height=1.2) as columns:
        for _ in range(6):
            pdf.set_font("Helvetica", "B", 12)
            columns.write(paper.heading(3) + "\n")
            pdf.set_font("Times", size=10)
            for _ in range(3):
                columns.write(paper.text(5) + "\n")
            columns.write("\n")
    return bytes(pdf.output())


def memo(paper: Manuscript) -> str:
    """groff: two columns in the manner of ms, counted headings, notes at the foot."""
    out = [".TL", paper.heading(5), ".AU", paper.line(2), ".AB", paper.text(4), ".AE", ".2C"]
    paper.sheet.gold[2:2] = ["ABSTRACT"]
    for number in range(1, 6):
        out += [".NH 1", paper.heading(2, f"{number}."), ".PP", paper.text(6)]
        out += [r"\**", ".FS", paper.beside(8), ".FE"]
        for _ in range(3):
            out += [".PP", paper.text(6)]
    return "\n".join(out) + "\n"


_STYLE = (
    "<!doctype html><meta charset=utf-8><title>x</title><style>"
    "body{font:10pt/1.35 'Liberation Serif'}td{border:1px solid #555;padding:3pt 6pt;vertical-align:top}"
    "table{border-collapse:collapse;width:100%}"
)


def cards(paper: Manuscript) -> str:
    """Chromium: cards in rows of three, each a heading with a text, as in a catalogue."""
    out = [_STYLE + ".g{display:grid;grid-template-columns:1fr 1fr 1fr;gap:7mm}</style>"]
    out += [f"<h1>{paper.heading(4)}</h1><div class=g>"]
    for _ in range(12):
        out += [f"<div><h3>{paper.heading(2)}</h3><p>{paper.text(3)}</p></div>"]
    return "".join([*out, "</div>"])


def spanned(paper: Manuscript) -> str:
    """Chromium: two columns with headings over both and a table between them."""
    out = [_STYLE + "@page{margin:18mm}.c{column-count:2;column-gap:9mm;text-align:justify}"]
    out += [f"h2{{column-span:all}}</style><h1>{paper.heading(5)}</h1><div class=c>"]
    for _ in range(4):
        out += [
            f"<h2>{paper.heading(3)}</h2><p>{paper.text(6)}</p><p>{paper.text(7)}</p><p>{paper.text(5)}</p>"
        ]
    out += ["</div><table>"]
    for _ in range(5):
        out += ["<tr>", *(f"<td>{paper.text(1)}</td>" for _ in range(3)), "</tr>"]
    return "".join([*out, f"</table><p>{paper.text(6)}</p>"])


def interview(paper: Manuscript) -> str:
    """Chromium: who speaks at the left, what is said at the right, and a box beside it all."""
    out = [_STYLE + "@page{size:Letter}dl{display:grid;grid-template-columns:25mm 1fr;gap:3mm}"]
    out += [
        "dd{margin:0}.b{float:right;width:30%;background:#eef;font-size:8.5pt;padding:4pt}</style>"
    ]
    out += [
        f"<h1>{paper.heading(4)}</h1><p>{paper.text(5)}</p><div class=b>{paper.beside(45)}</div><dl>"
    ]
    for _ in range(12):
        out += [f"<dt>{paper.line(1)}</dt><dd>{paper.text(3)}</dd>"]
    return "".join([*out, "</dl>"])


def statute(paper: Manuscript) -> str:
    """Chromium: Japanese beside its translation, paragraph by paragraph."""
    out = [_STYLE + "body{font:9.5pt/1.6 'Noto Serif CJK JP'}td{width:50%}</style>"]
    out += [f"<h1>{paper.heading(3)}</h1><table>"]
    for number in range(1, 9):
        said = "".join(paper.sheet.chance.choices(KANJI, k=4))
        paper.sheet.gold.append(f"第{number}条 {said}")
        out += [
            f"<tr><td>第{number}条 {said} {paper.japanese(4)}</td><td>{paper.text(4)}</td></tr>"
        ]
    return "".join([*out, "</table>"])


TYPST: dict[str, Callable[[Manuscript], str]] = {
    "proceedings (Typst)": proceedings,
    "newsletter (Typst)": newsletter,
    "thesis (Typst)": thesis,
    "vita (Typst)": vita,
    **FURTHER_TYPST,
}
DRAWN: dict[str, tuple[str, Callable[[Manuscript], bytes]]] = {
    "frames (ReportLab)": ("reportlab", frames),
    "brochure (ReportLab)": ("reportlab", brochure),
    "leaflet (fpdf2)": ("fpdf", leaflet),
    **FURTHER_DRAWN,
}
GROFF: dict[str, Callable[[Manuscript], str]] = {"memo (groff)": memo}
PRINTED: dict[str, Callable[[Manuscript], str]] = {
    "cards (Chromium)": cards,
    "headings across (Chromium)": spanned,
    "interview (Chromium)": interview,
    "two tongues (Chromium)": statute,
    **FURTHER_PRINTED,
}
WRITER: dict[str, Callable[[Manuscript], str]] = {
    "headings across (LibreOffice)": spanned,
    "interview (LibreOffice)": interview,
    "two tongues (LibreOffice)": statute,
}
OTHERS = (*TYPST, *DRAWN, *GROFF, *PRINTED, *FURTHER_TEX, *WRITER)


def typeset_otherwise(name: str, seed: int) -> tuple[bytes, Manuscript] | None:
    """A document and what stands in it; nothing where the program that sets it is not installed."""
    paper = Manuscript(Sheet(random.Random(f"{name} {seed}")))
    if name in TYPST:
        if importlib.util.find_spec("typst") is None:
            return None
        import typst

        return bytes(typst.compile(TYPST[name](paper).encode())), paper
    if name in DRAWN:
        library, make = DRAWN[name]
        return (make(paper), paper) if importlib.util.find_spec(library) else None
    if name in GROFF:
        return _by_groff(GROFF[name](paper), paper)
    if name in FURTHER_TEX:
        given = ["-interaction=batchmode"]
        return _by_program("pdflatex", given, FURTHER_TEX[name](paper), paper, ends="tex", times=2)
    if name in PRINTED:
        given = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
        return _by_program(
            "chromium", [*given, "--print-to-pdf=paper.pdf"], PRINTED[name](paper), paper
        )
    given = ["--headless", "--convert-to", "pdf:writer_web_pdf_Export"]
    return _by_program("soffice", given, WRITER[name](paper), paper)


def _by_groff(source: str, paper: Manuscript) -> tuple[bytes, Manuscript] | None:
    if shutil.which("gropdf") is None:
        return None
    done = subprocess.run(
        ["groff", "-ms", "-Tpdf"],
        input=source.encode(),
        capture_output=True,
        timeout=SECONDS,
        check=True,
    )
    return done.stdout, paper


def _by_program(
    name: str, given: list[str], source: str, paper: Manuscript, ends: str = "html", times: int = 1
) -> tuple[bytes, Manuscript] | None:
    program = shutil.which(name)
    if program is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"paper.{ends}").write_text(source)
        for _ in range(times):
            subprocess.run(
                [program, *given, f"paper.{ends}"],
                cwd=folder,
                capture_output=True,
                timeout=SECONDS,
                check=True,
            )
        return (Path(folder) / "paper.pdf").read_bytes(), paper
