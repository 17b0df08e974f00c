"""Documents in which tables whose cells have several lines stand beside columns of text.

The minutes are drawn line by line over all their cells, so that nothing but the places of the lines
tells in which order they are read; in the syllabus no gap parts the rows.
"""

import io
from collections.abc import Callable
from typing import Any

from bench.manuscript import Manuscript


def minutes(paper: Manuscript) -> bytes:
    """ReportLab: rows of three cells below a paragraph; each line is drawn over all the cells."""
    from reportlab.lib.pagesizes import A4, landscape
    from reportlab.lib.utils import simpleSplit
    from reportlab.pdfgen.canvas import Canvas

    made = io.BytesIO()
    canvas = Canvas(made, pagesize=landscape(A4))
    lefts, width = (60, 310, 560), 220

    def lines(text: str, wide: float) -> Any:
        return simpleSplit(text, "Times-Roman", 10.5, wide)

    for _ in range(3):
        canvas.setFont("Times-Bold", 16)
        canvas.drawString(60, 530, paper.heading(4))
        canvas.setFont("Times-Roman", 10.5)
        at = 505.0
        for line in lines(paper.text(5), 720):
            canvas.drawString(60, at, line)
            at -= 13
        at -= 14
        for _ in range(5):
            cells = [lines(paper.text(count), width) for count in (1, 2, 1)]
            for place in range(max(map(len, cells))):
                for left, cell in zip(lefts, cells, strict=True):
                    if place < len(cell):
                        canvas.drawString(left, at, cell[place])
                at -= 12.5
            canvas.line(60, at + 6, 780, at + 6)
            at -= 9
        canvas.showPage()
    canvas.save()
    return made.getvalue()


def dictionary(paper: Manuscript) -> str:
    """LaTeX: three columns of entries whose first word is bold, heads that name the first and last."""
    out = [
        r"\documentclass[9pt]{extarticle}\usepackage[T1]{fontenc}\usepackage{mathptmx}",
        r"\usepackage[margin=45pt]{geometry}\usepackage{multicol}\usepackage{fancyhdr}",
        r"\pagestyle{fancy}\fancyhf{}\fancyhead[L]{\rightmark}\fancyhead[R]{\leftmark}",
        r"\fancyfoot[C]{\thepage}\setlength\parindent{0pt}\begin{document}\begin{multicols}{3}",
    ]
    for _ in range(4):
        out += [rf"\section*{{{paper.heading(1)}}}"]
        for _ in range(14):
            word = paper.line(1)
            out += [
                rf"\hangindent=8pt\textbf{{{word}}}\markboth{{{word}}}{{{word}}}",
                paper.text(paper.sheet.chance.randint(1, 3)) + "\n\n",
            ]
    return "\n".join([*out, r"\end{multicols}\end{document}"])


def data_sheet(paper: Manuscript) -> str:
    """Typst: what a thing is beside its picture, a list of properties, a table without rules."""
    out = [
        '#set page(paper: "a4", margin: 2cm, footer: [#line(length: 100%) '
        f"#text(7pt)[{paper.beside(7)}]])",
        '#set text(size: 9.5pt, font: "Libertinus Serif")',
        "#set heading(numbering: none)",
    ]
    for _ in range(3):
        out += [
            f"= {paper.heading(4)}",
            f"#grid(columns: (1.4fr, 1fr), gutter: 18pt, [{paper.text(4)}\n\n{paper.text(3)}],",
            f"figure(rect(width: 100%, height: 90pt), caption: [{paper.beside(8)}]))",
            f"== {paper.heading(2)}",
        ]
        for _ in range(6):
            out += [f"#grid(columns: (4cm, 1fr), [*{paper.line(2)}*], [{paper.text(2)}])"]
        out += [f"== {paper.heading(2)}", "#table(columns: (auto, 1fr, 1fr), stroke: none,"]
        for _ in range(5):
            out += [f"[{paper.line(1)}], [{paper.text(1)}], [{paper.text(2)}],"]
        out += [")", "#pagebreak(weak: true)"]
    return "\n".join(out)


def magazine(paper: Manuscript) -> str:
    """Chromium: three columns around a quotation, a box of short items, a foot on each page."""
    foot = paper.beside(5)
    out = [
        "<!doctype html><meta charset=utf-8><title>x</title><style>@page{margin:16mm 14mm 22mm}"
        "body{font:9.5pt/1.4 'DejaVu Serif'}.c{column-count:3;column-gap:6mm;text-align:justify}"
        "blockquote{column-span:all;font:italic 17pt serif;text-align:center;margin:5mm 20mm}"
        "h2{font:bold 14pt 'DejaVu Sans';margin:2mm 0}p{margin:0;text-indent:1em}"
        "p.i::first-letter{font-size:31pt;float:left;line-height:.8}"
        ".b{border:1px solid;padding:2mm;break-inside:avoid;font-family:'DejaVu Sans'}"
        f"footer{{position:fixed;bottom:-8mm;font-size:7pt}}</style><footer>{foot}</footer>",
        f"<h1>{paper.heading(5)}</h1>",
    ]
    for _ in range(3):
        out += [f"<div class=c><h2>{paper.heading(3)}</h2><p class=i>{paper.text(6)}</p>"]
        out += [f"<p>{paper.text(6)}</p>" for _ in range(2)]
        out += [f"<div class=b><ul><li>{paper.line(6)}<li>{paper.line(9)}</ul></div>"]
        out += [f"<p>{paper.text(5)}</p></div><blockquote>{paper.beside(12)}</blockquote>"]
    return "".join(out)


def syllabus(paper: Manuscript) -> str:
    """LaTeX: two columns, and across them a table of narrow paragraphs without gaps between rows."""
    out = [
        r"\documentclass[twocolumn,10pt]{article}\usepackage[T1]{fontenc}\usepackage{mathptmx}",
        r"\usepackage[margin=56pt,columnsep=20pt]{geometry}\usepackage{array}\begin{document}",
    ]
    for number in range(1, 5):
        out += [rf"\section{{{paper.heading(3, str(number))}}}"]
        out += [paper.text(6) + "\n" for _ in range(3)]
        out += [r"\noindent\begin{tabular}{@{}l>{\raggedright\arraybackslash}p{170pt}@{}}"]
        for _ in range(6):
            out += [rf"{paper.line(1)} & {paper.text(1)} \\"]
        out += [r"\end{tabular}" + "\n", paper.text(5) + "\n", paper.text(5) + "\n"]
    out += [r"\clearpage\onecolumn", rf"\section{{{paper.heading(2, '5')}}}", paper.text(5) + "\n"]
    out += [r"\noindent\begin{tabular}{@{}p{110pt}p{150pt}p{180pt}@{}}\hline"]
    for _ in range(8):
        out += [f"{paper.text(1)} & {paper.text(1)} & {paper.text(2)} " + r"\\\hline"]
    return "\n".join([*out, r"\end{tabular}\par\medskip", paper.text(5), r"\end{document}"])


def price_list(paper: Manuscript) -> bytes:
    """fpdf2: names, what they are in several lines, and numbers; between them some text."""
    from fpdf import FPDF

    pdf = FPDF(unit="pt", format="A4")
    pdf.add_page()
    for _ in range(4):
        pdf.set_font("Helvetica", "B", 15)
        pdf.multi_cell(0, 24, paper.heading(3), align="L", new_x="LMARGIN", new_y="NEXT")
        pdf.set_font("Helvetica", size=10)
        pdf.multi_cell(0, 13, paper.text(4), align="L", new_x="LMARGIN", new_y="NEXT")
        pdf.ln(8)
        with pdf.table(col_widths=(25, 55, 20), first_row_as_headings=False, padding=3) as table:
            for _ in range(5):
                row = table.row()
                row.cell(paper.line(2))
                row.cell(paper.text(2))
                price = str(paper.sheet.chance.randint(100, 9999))
                paper.sheet.gold.append(price)
                row.cell(price, align="R")
        pdf.ln(12)
    return bytes(pdf.output())


def comparison(paper: Manuscript) -> str:
    """Chromium: cells in the middle of their rows, no rules, and two lists beside each other."""
    out = [
        "<!doctype html><meta charset=utf-8><title>x</title><style>@page{margin:20mm}"
        "body{font:10.5pt/1.3 'Liberation Sans'}td{vertical-align:middle;padding:5pt 9pt}"
        ".l{display:grid;grid-template-columns:1fr 1fr;gap:10mm}</style>",
        f"<h1>{paper.heading(4)}</h1>",
    ]
    for _ in range(3):
        out += [f"<h2>{paper.heading(3)}</h2><p>{paper.text(5)}</p><table>"]
        for _ in range(4):
            cells = (f"<td>{paper.text(paper.sheet.chance.randint(1, 2))}" for _ in range(3))
            out += ["<tr>", *cells]
        out += ["</table><div class=l>"]
        for _ in range(2):
            out += ["<ul>", *(f"<li>{paper.text(1)}" for _ in range(4)), "</ul>"]
        out += ["</div>"]
    return "".join(out)


def programme(paper: Manuscript) -> bytes:
    """ReportLab: hours at the left, two halls beside them; first all hours are drawn, then each hall."""
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.utils import simpleSplit
    from reportlab.pdfgen.canvas import Canvas

    made = io.BytesIO()
    canvas = Canvas(made, pagesize=A4)
    for day in range(3):
        canvas.setFont("Helvetica-Bold", 17)
        canvas.drawString(50, 780, paper.heading(3))
        canvas.setFont("Helvetica", 9.5)
        parts: list[list[tuple[float, float, str]]] = [[], [], []]
        at = 750.0
        for hour in range(8, 17):
            said = f"{day + hour}.{hour}5"
            paper.sheet.gold.append(said)
            cells = [simpleSplit(paper.text(2), "Helvetica", 9.5, 190) for _ in range(2)]
            parts[0].append((50, at, said))
            for part, left, cell in zip(parts[1:], (110, 330), cells, strict=True):
                part += [(left, at - 11.5 * place, line) for place, line in enumerate(cell)]
            at -= 11.5 * max(map(len, cells)) + 10
        for x, y, line in (each for part in parts for each in part):
            canvas.drawString(x, y, line)
        canvas.showPage()
    canvas.save()
    return made.getvalue()


def questions(paper: Manuscript) -> str:
    """Typst: questions at the left, answers at the right, then two columns with small headings."""
    out = ['#set page(paper: "a4", margin: 56pt)\n#set text(size: 10pt)\n#set par(justify: true)']
    for _ in range(2):
        out += [f"= {paper.heading(3)}", "#grid(columns: (1fr, 1.6fr), gutter: 14pt,"]
        out += [f"[_{paper.text(1)}_], [{paper.text(3)}]," for _ in range(6)]
        out += [")", f"= {paper.heading(2)}", "#columns(2, gutter: 20pt)["]
        for _ in range(3):
            out += [f"== {paper.heading(2)}", paper.text(5), "", paper.text(4), ""]
        out += ["]", "#pagebreak(weak: true)"]
    return "\n".join(out)


def protocol(paper: Manuscript) -> str:
    """LaTeX: two columns, figures with captions, a table of three narrow paragraphs over both."""
    out = [
        r"\documentclass[twocolumn,9pt]{extarticle}\usepackage[T1]{fontenc}\usepackage{mathptmx}",
        r"\usepackage[margin=50pt,columnsep=18pt]{geometry}\usepackage{booktabs}",
        rf"\begin{{document}}\twocolumn[\begin{{center}}{{\LARGE {paper.heading(5)}\par}}",
        rf"\medskip {paper.line(4)}\par\bigskip\end{{center}}]",
    ]
    for number in range(1, 5):
        out += [rf"\section{{{paper.heading(2, str(number))}}}"]
        out += [paper.text(6) + "\n" for _ in range(3)]
        rows = [" & ".join(paper.beside(9) for _ in range(3)) for _ in range(4)]
        out += [
            r"\begin{table*}[t]\begin{tabular}{p{140pt}p{150pt}p{160pt}}\toprule",
            r"\\\midrule ".join(rows) + r"\\\bottomrule\end{tabular}\end{table*}",
            *(paper.text(5) + "\n" for _ in range(3)),
        ]
    return "\n".join([*out, r"\end{document}"])


FURTHER_DRAWN: dict[str, tuple[str, Callable[[Manuscript], bytes]]] = {
    "minutes (ReportLab)": ("reportlab", minutes),
    "price list (fpdf2)": ("fpdf", price_list),
    "programme (ReportLab)": ("reportlab", programme),
}
FURTHER_TYPST: dict[str, Callable[[Manuscript], str]] = {
    "data sheet (Typst)": data_sheet,
    "questions (Typst)": questions,
}
FURTHER_TEX: dict[str, Callable[[Manuscript], str]] = {
    "dictionary (LaTeX)": dictionary,
    "syllabus (LaTeX)": syllabus,
    "protocol (LaTeX)": protocol,
}
FURTHER_PRINTED: dict[str, Callable[[Manuscript], str]] = {
    "magazine (Chromium)": magazine,
    "comparison (Chromium)": comparison,
}
