"""Papers, theses, slides and newsletters as programs set them, from words drawn at random.

Each is a source for LaTeX or, as a page of HTML, for Chromium; what a reader would read is known.
Words of notes, captions and boxes have a z in each syllable, so that they can be told from those of
the text, whose order is what counts.
"""

import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from bench.layouts import Sheet

ASIDE = [f"z{letter}" for letter in "aeiou"]
KANA = "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろ"
KANJI = "海潮河川発電所研究報告計測結果方法実験地域環境影響建設水位流速風力構造設計評価利用開発技術"
SECONDS = 120.0


@dataclass
class Manuscript:
    """A source being written, and what a reader would read in it."""

    sheet: Sheet
    aside: list[str] = field(default_factory=list)

    def text(self, sentences: int = 5) -> str:
        """A paragraph of the text."""
        said = self.sheet.paragraph(sentences)
        self.sheet.gold.append(said)
        return said

    def heading(self, words: int = 3, number: str = "", *, loud: bool = False) -> str:
        """A heading; the number is set by the program, but read."""
        said = self.sheet.title(words)
        whole = f"{number} {said}".strip()
        self.sheet.gold.append(whole)
        self.sheet.headings.append(whole.upper() if loud else whole)
        return said

    def beside(self, words: int = 12) -> str:
        """What stands in a note, a caption or a box."""
        chance = self.sheet.chance
        said = " ".join(
            "".join(chance.choices(ASIDE, k=chance.choice((3, 4)))) for _ in range(words)
        )
        self.aside.append(said)
        return f"{said}."

    def line(self, words: int = 5) -> str:
        """A line of the text that is no sentence."""
        said = " ".join(self.sheet.word() for _ in range(words))
        self.sheet.gold.append(said)
        return said

    def japanese(self, sentences: int = 4) -> str:
        """A paragraph in Japanese letters."""
        chance = self.sheet.chance
        made = []
        for _ in range(sentences):
            parts = [
                "".join(chance.choices(KANJI, k=chance.randint(1, 3)))
                + "".join(chance.choices(KANA, k=chance.randint(1, 4)))
                for _ in range(chance.randint(4, 9))
            ]
            made.append("".join(parts) + "。")
        said = "".join(made)
        self.sheet.gold.append(said)
        return said


# -- papers ----------------------------------------------------------------------------------------


def conference(paper: Manuscript) -> str:
    """Two columns, authors beside each other, loud headings, a notice at the foot, a wide float."""
    out = [
        r"\documentclass[twocolumn,9pt]{extarticle}\usepackage[T1]{fontenc}\usepackage{lmodern}",
        r"\usepackage[margin=54pt,columnsep=24pt]{geometry}\usepackage{fancyhdr}\usepackage{microtype}",
        r"\pagestyle{fancy}\fancyhf{}\fancyhead[L]{Zazazoz '24, June 3--7}\fancyhead[R]{Zizuzez et al.}",
        r"\fancyfoot[C]{\thepage}\setcounter{page}{431}\makeatletter",
        r"\renewcommand\section{\@startsection{section}{1}{0pt}{10pt}{3pt}{\large\bfseries\MakeUppercase}}",
        r"\renewcommand\subsection{\@startsection{subsection}{2}{0pt}{8pt}{3pt}{\large\bfseries}}",
        r"\renewcommand\thesection{\arabic{section}}\makeatother\begin{document}\twocolumn[\centering",
        rf"{{\LARGE\sffamily\bfseries {paper.heading(7)}\par}}\vspace{{14pt}}",
        r"\begin{tabular}{ccc}",
    ]
    names = [paper.line(2) for _ in range(3)]
    places = [paper.line(3) for _ in range(3)]
    out += [" & ".join(names) + r"\\", " & ".join(places) + r"\end{tabular}\vspace{16pt}]"]
    out += [rf"\section*{{{paper.heading(1, loud=True)}}}", paper.text(7), ""]
    out += [rf"\section*{{{paper.heading(2, loud=True)}}}", paper.text(2), ""]
    notice = paper.beside(30)
    for number in range(1, 5):
        out += [rf"\section{{{paper.heading(2, str(number), loud=True)}}}"]
        if number == 1:
            out += [rf"{paper.text(6)}\let\thefootnote\relax\footnotetext{{{notice}}}", ""]
        for part in (1, 2):
            out += [rf"\subsection{{{paper.heading(3, f'{number}.{part}')}}}"]
            for _ in range(2):
                out += [paper.text(6), ""]
        if number == 2:
            out += [r"\begin{figure*}[t]\centering\rule{300pt}{80pt}"]
            out += [rf"\caption{{{paper.beside(16)}}}\end{{figure*}}"]
        if number == 3:
            out += [r"\begin{figure}[t]\centering\rule{100pt}{60pt}"]
            out += [rf"\caption{{{paper.beside(10)}}}\end{{figure}}"]
    out += [rf"\section*{{{paper.heading(1, loud=True)}}}\footnotesize\begin{{enumerate}}"]
    for number in range(1, 9):
        out += [rf"\item[{{[{number}]}}] {paper.text(2)}"]
        paper.sheet.gold[-1] = f"{number} {paper.sheet.gold[-1]}"
    return "\n".join([*out, r"\end{enumerate}\end{document}"])


def journal(paper: Manuscript) -> str:
    """One column with a wide margin that holds boxes; numbers with dots; italic lower headings."""
    out = [
        r"\documentclass[10pt]{article}\usepackage[T1]{fontenc}\usepackage{mathpazo}",
        r"\usepackage[left=170pt,right=40pt,top=80pt,bottom=70pt]{geometry}\usepackage{fancyhdr}",
        r"\usepackage{eso-pic}\pagestyle{fancy}\fancyhf{}\setlength\headwidth{500pt}",
        r"\fancyhead[L]{\hspace{-130pt}\textit{Zazozuz} \textbf{2023}, \textit{15}, 1234}",
        r"\fancyhead[R]{\thepage{} of 6}\renewcommand\headrulewidth{0pt}\makeatletter",
        r"\renewcommand\section{\@startsection{section}{1}{0pt}{12pt}{5pt}{\normalsize\bfseries}}",
        r"\renewcommand\subsection{\@startsection{subsection}{2}{0pt}{9pt}{4pt}{\normalsize\itshape}}",
        r"\renewcommand\thesection{\arabic{section}.}",
        r"\renewcommand\thesubsection{\arabic{section}.\arabic{subsection}.}\makeatother",
        r"\setlength\parindent{16pt}\begin{document}",
        r"\AddToShipoutPictureBG*{\put(30,180){\parbox[b]{115pt}{\raggedright\footnotesize "
        rf"{paper.beside(9)}\\[8pt]{paper.beside(4)}\\[4pt]{paper.beside(4)}\\[8pt]{paper.beside(22)}}}}}}}",
        rf"\noindent{{\Large\bfseries {paper.heading(8)}\par}}\vspace{{8pt}}",
        rf"\noindent\textbf{{{paper.line(8)}}}\vspace{{6pt}}\par\noindent{{\small {paper.text(9)}\par}}",
    ]
    for number in range(1, 5):
        out += [rf"\section{{{paper.heading(2, f'{number}.')}}}"]
        for part in range(1, 4):
            if number > 1:
                out += [rf"\subsection{{{paper.heading(4, f'{number}.{part}.')}}}"]
            for _ in range(2):
                out += [paper.text(6), ""]
        if number == 3:
            out += [r"\begin{table}[h]\caption{" + paper.beside(8) + r"}\begin{tabular}{llll}"]
            for _ in range(5):
                cells = [paper.beside(1).rstrip(".") for _ in range(4)]
                out += [" & ".join(cells) + r"\\"]
            out += [r"\end{tabular}\end{table}"]
    return "\n".join([*out, r"\end{document}"])


def proceedings(paper: Manuscript) -> str:
    """A narrow block of text, run-in headings, heads that alternate, footnotes."""
    out = [
        r"\documentclass[10pt,twoside]{article}\usepackage[T1]{fontenc}\usepackage{times}",
        r"\usepackage[textwidth=347pt,textheight=555pt]{geometry}\usepackage{fancyhdr}",
        r"\pagestyle{fancy}\fancyhf{}\fancyhead[LE]{\small\thepage\quad A. Zazaz et al.}",
        r"\fancyhead[RO]{\small Zozozo Zuzazi Zezo\quad\thepage}\renewcommand\headrulewidth{0pt}",
        r"\setcounter{page}{17}\makeatletter",
        r"\renewcommand\section{\@startsection{section}{1}{0pt}{18pt}{12pt}{\large\bfseries}}",
        r"\renewcommand\subsection{\@startsection{subsection}{2}{0pt}{18pt}{8pt}{\normalsize\bfseries}}",
        r"\makeatother\begin{document}\thispagestyle{empty}\begin{center}",
        rf"{{\Large\bfseries {paper.heading(8)}\par}}\vspace{{12pt}}{paper.line(5)}\\[6pt]",
        rf"{{\small {paper.line(6)}}}\end{{center}}",
        rf"\begin{{quote}}\small\textbf{{Abstract.}} {paper.text(6)}\end{{quote}}",
    ]
    paper.sheet.gold[-1] = f"Abstract {paper.sheet.gold[-1]}"
    for number in range(1, 5):
        out += [rf"\section{{{paper.heading(3, str(number))}}}", paper.text(5), ""]
        for part in range(1, 3):
            out += [rf"\subsection{{{paper.heading(3, f'{number}.{part}')}}}"]
            first = paper.text(6)
            head, _, rest = first.partition(". ")
            out += [rf"{head}.\footnote{{{paper.beside(14)}}} {rest}", ""]
            said = paper.line(2)
            out += [rf"\medskip\noindent\textbf{{{said}.}} {paper.text(5)}", ""]
    return "\n".join([*out, r"\end{document}"])


def mathematics(paper: Manuscript) -> str:
    """Centred small capitals, theorems in italics, formulas in and between the lines."""
    out = [
        r"\documentclass{amsart}\newtheorem{theorem}{Theorem}[section]\begin{document}",
        rf"\title{{{paper.heading(5, loud=True)}}}\author{{{paper.line(2)}}}\maketitle",
    ]
    paper.sheet.gold[-1] = paper.sheet.gold[-1].upper()
    for number in range(1, 5):
        out += [rf"\section{{{paper.heading(3, f'{number}.')}}}", paper.text(5), ""]
        out += [rf"\begin{{theorem}}{paper.text(2)}\end{{theorem}}"]
        paper.sheet.gold[-1] = f"Theorem {number}.1. {paper.sheet.gold[-1]}"
        out += [rf"\begin{{proof}}{paper.text(3)}\end{{proof}}"]
        paper.sheet.gold[-1] = f"Proof. {paper.sheet.gold[-1]}"
        for _ in range(3):
            out += [paper.text(3), r"\[\sum_{i=1}^{\infty}\frac{x_i^2}{y_i+1}=\int_0^1 f\,dt\]"]
            out += [paper.text(3), ""]
    return "\n".join([*out, r"\end{document}"])


def thesis(paper: Manuscript) -> str:
    """Chapters by number and name on lines of their own, contents, quotations, notes, an appendix."""
    out = [
        r"\documentclass[11pt,oneside]{memoir}\usepackage[T1]{fontenc}\usepackage{lmodern}",
        r"\chapterstyle{default}\pagestyle{ruled}\setsecnumdepth{subsection}\begin{document}",
    ]
    for number in range(1, 4):
        title = paper.sheet.title(3)
        paper.sheet.gold.append(f"Chapter {number} {title}")
        paper.sheet.headings.append(f"Chapter {number} {title}")
        out += [rf"\chapter{{{title}}}", paper.text(6), ""]
        for part in range(1, 4):
            out += [rf"\section{{{paper.heading(3, f'{number}.{part}')}}}"]
            out += [rf"{paper.text(6)}\footnote{{{paper.beside(18)}}}", ""]
            out += [rf"\begin{{quotation}}{paper.text(3)}\end{{quotation}}", paper.text(6), ""]
            out += [rf"\subsection{{{paper.heading(2, f'{number}.{part}.1')}}}", paper.text(7), ""]
    return "\n".join([*out, r"\end{document}"])


def slides(paper: Manuscript) -> str:
    """A deck: a name above each slide, points below it, two columns on some, a line at the foot."""
    out = [
        r"\documentclass[12pt]{article}\usepackage[T1]{fontenc}\usepackage{helvet}\usepackage{fancyhdr}",
        r"\usepackage[paperwidth=160mm,paperheight=120mm,margin=10mm,bottom=14mm]{geometry}",
        r"\renewcommand\familydefault{\sfdefault}\pagestyle{fancy}\fancyhf{}\setlength\parindent{0pt}",
        r"\renewcommand\headrulewidth{0pt}\fancyfoot[L]{\tiny Z. Zazaz}\fancyfoot[C]{\tiny Zazo Zuzi}",
        r"\fancyfoot[R]{\tiny \thepage\,/\,10}\begin{document}\vspace*{25mm}\begin{center}",
        rf"{{\LARGE\bfseries {paper.heading(4)}\par}}\vspace{{8mm}}{paper.line(2)}\end{{center}}\clearpage",
    ]
    for number in range(9):
        out += [rf"{{\Large {paper.heading(4)}\par}}\vspace{{4mm}}"]
        if number % 3 == 2:
            for _ in range(2):
                out += [r"\begin{minipage}[t]{.48\textwidth}\raggedright\begin{itemize}"]
                out += [rf"\item {paper.line(8)}" for _ in range(4)]
                out += [r"\end{itemize}\end{minipage}\hfill%"]
        else:
            out += [r"\begin{itemize}", *(rf"\item {paper.line(9)}" for _ in range(4))]
            out += [r"\end{itemize}", paper.text(1)]
        out += [r"\clearpage"]
    return "\n".join([*out, r"\end{document}"])


def newsletter(paper: Manuscript) -> str:
    """Three columns under a masthead, with boxes of quoted words."""
    out = [
        r"\documentclass[10pt]{article}\usepackage[T1]{fontenc}\usepackage{helvet}",
        r"\renewcommand\familydefault{\sfdefault}\usepackage[margin=45pt]{geometry}",
        r"\usepackage{multicol}\pagestyle{empty}\setlength\parindent{0pt}\setlength\parskip{4pt}",
        rf"\begin{{document}}\begin{{center}}{{\Huge\bfseries {paper.heading(3)}\par}}\end{{center}}",
    ]
    for _ in range(3):
        out += [r"\begin{multicols}{3}\setlength\columnseprule{.4pt}"]
        for story in range(4):
            out += [rf"{{\large\bfseries\raggedright {paper.heading(3)}\par}}", paper.text(5), ""]
            out += [paper.text(5), ""]
            if story == 1:
                out += [
                    r"\fbox{\parbox{.9\columnwidth}{\Large\itshape\raggedright "
                    + paper.beside(8)
                    + "}}",
                    "",
                ]
        out += [r"\end{multicols}\clearpage"]
    return "\n".join([*out, r"\end{document}"])


def listings(paper: Manuscript) -> str:
    """Two columns with numbered lines of code, and algorithms between rules."""
    out = [
        r"\documentclass[twocolumn,10pt]{article}\usepackage[T1]{fontenc}\usepackage{lmodern}",
        r"\usepackage{listings}\lstset{basicstyle=\ttfamily\small,numbers=left,numberstyle=\tiny,",
        r"frame=single,breaklines=true,xleftmargin=12pt}\begin{document}",
        rf"\title{{{paper.heading(5)}}}\author{{{paper.line(2)}}}\date{{}}\maketitle",
    ]
    for number in range(1, 5):
        out += [rf"\section{{{paper.heading(3, str(number))}}}", paper.text(6), ""]
        out += [r"\begin{lstlisting}"]
        for depth in (0, 1, 2, 2, 1, 0):
            words = paper.beside(2).rstrip(".").split()
            out += [" " * (4 * depth) + f"{words[0]} = {words[1]}(3)"]
        out += [r"\end{lstlisting}", paper.text(6), "", paper.text(5), ""]
    return "\n".join([*out, r"\end{document}"])


def letters(paper: Manuscript) -> str:
    """Two columns with a first letter over two lines, roman numerals in small capitals, italics below."""
    out = [
        r"\documentclass[twocolumn,10pt]{article}\usepackage[T1]{fontenc}\usepackage{times}",
        r"\usepackage[margin=50pt,columnsep=17pt]{geometry}\usepackage{fancyhdr}\pagestyle{fancy}\fancyhf{}",
        r"\fancyhead[L]{\scriptsize ZAZOZU ZEZAZI ON ZUZAZO, VOL. 14, NO. 8}\fancyhead[R]{\scriptsize\thepage}",
        r"\renewcommand\headrulewidth{0pt}\makeatletter\renewcommand\thesection{\Roman{section}}",
        r"\renewcommand\thesubsection{\Alph{subsection}}\def\@seccntformat#1{\csname the#1\endcsname.\ }",
        r"\renewcommand\section{\@startsection{section}{1}{0pt}{12pt}{6pt}{\centering\normalsize\scshape}}",
        r"\renewcommand\subsection{\@startsection{subsection}{2}{0pt}{9pt}{4pt}{\normalsize\itshape}}",
        r"\makeatother\begin{document}\twocolumn[\begin{center}",
        rf"{{\huge {paper.heading(8)}\par}}\vspace{{10pt}}{paper.line(6)}\vspace{{14pt}}\end{{center}}]",
        rf"\textbf{{\textit{{Abstract}}---{paper.text(6)}}}",
        "",
    ]
    paper.sheet.gold[-1] = f"Abstract {paper.sheet.gold[-1]}"
    for number, roman in enumerate(("I", "II", "III", "IV"), 1):
        out += [rf"\section{{{paper.heading(2, f'{roman}.')}}}"]
        first = paper.text(6)
        if number == 1:
            out += [r"\noindent\raisebox{-10pt}[0pt][0pt]{\Huge " + first[0] + "}" + first[1:], ""]
        else:
            out += [first, ""]
        for letter in "AB":
            out += [rf"\subsection{{{paper.heading(3, f'{letter}.')}}}", paper.text(7), ""]
            out += [paper.text(7), ""]
    return "\n".join([*out, r"\end{document}"])


def manuscript(paper: Manuscript) -> str:
    """As it is sent to a journal: wide lines, bold headings in the middle, numbered pages, no numbers."""
    out = [
        r"\documentclass[12pt]{article}\usepackage[T1]{fontenc}\usepackage{times}\usepackage{setspace}",
        r"\usepackage[margin=72pt]{geometry}\usepackage{fancyhdr}\pagestyle{fancy}\fancyhf{}",
        r"\fancyhead[L]{ZAZO OF ZEZUZI}\fancyhead[R]{\thepage}\renewcommand\headrulewidth{0pt}\doublespacing",
        rf"\begin{{document}}\begin{{center}}\textbf{{{paper.heading(7)}}}\\{paper.line(4)}\end{{center}}",
    ]
    for _ in range(4):
        out += [rf"\begin{{center}}\textbf{{{paper.heading(2)}}}\end{{center}}", paper.text(6), ""]
        for _ in range(2):
            out += [
                rf"\noindent\textbf{{{paper.heading(3)}}}",
                "",
                paper.text(6),
                "",
                paper.text(5),
            ]
            out += [""]
    return "\n".join([*out, r"\end{document}"])


def lecture(paper: Manuscript) -> str:
    """Notes in a wide margin beside the text, framed boxes, run-in headings."""
    out = [
        r"\documentclass[11pt]{article}\usepackage[T1]{fontenc}\usepackage{lmodern}",
        r"\usepackage[left=60pt,right=210pt,marginparwidth=140pt,marginparsep=20pt]{geometry}",
        rf"\begin{{document}}\noindent{{\Huge\itshape {paper.heading(3)}\par}}\vspace{{20pt}}",
    ]
    for number in range(1, 6):
        out += [rf"\section{{{paper.heading(3, str(number))}}}"]
        first = paper.text(6)
        head, _, rest = first.partition(". ")
        out += [rf"{head}.\marginpar{{\footnotesize\raggedright {paper.beside(14)}}} {rest}", ""]
        out += [r"\noindent\fbox{\parbox{.95\textwidth}{" + paper.text(3) + "}}", ""]
        out += [paper.text(6), ""]
    return "\n".join([*out, r"\end{document}"])


def newspaper(paper: Manuscript) -> str:
    """Four narrow columns, each story under a headline of its own, with a line about who wrote it."""
    out = [
        r"\documentclass[9pt]{extarticle}\usepackage[T1]{fontenc}\usepackage{times}\usepackage{multicol}",
        r"\usepackage[a3paper,margin=50pt]{geometry}\pagestyle{empty}\setlength\columnsep{14pt}",
        rf"\begin{{document}}{{\centering\fontsize{{40}}{{44}}\selectfont {paper.heading(3)}\par}}",
    ]
    for _ in range(3):
        out += [
            rf"\vspace{{12pt}}\noindent{{\huge\bfseries {paper.heading(6)}\par}}\begin{{multicols}}{{4}}"
        ]
        out += [rf"\noindent\textit{{{paper.line(4)}}}", ""]
        for _ in range(9):
            out += [paper.text(5), ""]
        out += [r"\end{multicols}"]
    return "\n".join([*out, r"\end{document}"])


def preprint(paper: Manuscript) -> str:
    """Two columns in the fonts of old TeX, a stamp along the margin, run-in headings, wide tables."""
    out = [
        r"\documentclass[twocolumn,10pt]{article}\usepackage[margin=60pt]{geometry}\usepackage{eso-pic}",
        r"\usepackage{graphicx}\begin{document}\AddToShipoutPictureBG*{\put(18,250){\rotatebox{90}{\Large ",
        r"zazozu:2101.zezi [zu.ZA] 5 Zan 2021}}}",
        rf"\twocolumn[{{\centering{{\LARGE {paper.heading(7)}\par}}\vspace{{8pt}}",
        rf"{paper.line(4)}\par\vspace{{14pt}}}}]\begin{{abstract}}{paper.text(6)}\end{{abstract}}",
    ]
    paper.sheet.gold[-1] = f"Abstract {paper.sheet.gold[-1]}"
    paper.sheet.headings.append("Abstract")
    for number in range(1, 5):
        out += [rf"\section{{{paper.heading(3, str(number))}}}", paper.text(6), ""]
        for _ in range(2):
            said = paper.line(2)
            out += [rf"\paragraph{{{said}}} {paper.text(7)}", ""]
            out += [rf"{paper.text(5)}\footnote{{{paper.beside(12)}}}", ""]
        if number == 2:
            out += [r"\begin{table*}[t]\centering\caption{" + paper.beside(10) + "}"]
            out += [r"\begin{tabular}{lrrrr}"]
            for _ in range(5):
                cells = [paper.beside(1).rstrip(".") for _ in range(5)]
                out += [" & ".join(cells) + r"\\"]
            out += [r"\end{tabular}\end{table*}"]
    return "\n".join([*out, r"\end{document}"])


def patent(paper: Manuscript) -> str:
    """Two columns, numbers of lines between them, paragraphs with numbers in bold, loud headings."""
    marks = "".join(rf"\put(302,{700 - 60 * at}){{\scriptsize {5 * at}}}" for at in range(1, 11))
    out = [
        r"\documentclass[twocolumn,10pt]{article}\usepackage[T1]{fontenc}\usepackage{times}",
        r"\usepackage[letterpaper,margin=60pt,columnsep=28pt]{geometry}\usepackage{fancyhdr}",
        r"\usepackage{eso-pic}\pagestyle{fancy}\fancyhf{}\fancyhead[L]{ZU 2021/0123456 A1}",
        r"\fancyhead[R]{Zan. 5, 2021}\fancyfoot[C]{\thepage}\renewcommand\headrulewidth{0pt}",
        rf"\AddToShipoutPictureBG{{{marks}}}\begin{{document}}",
        rf"\begin{{center}}\textbf{{{paper.heading(6, loud=True).upper()}}}\end{{center}}",
    ]
    for part in range(5):
        out += [rf"\begin{{center}}{paper.heading(3, loud=True).upper()}\end{{center}}"]
        for at in range(4):
            number = f"[{4 * part + at + 1:04}]"
            out += [rf"\textbf{{{number}}} {paper.text(5)}", ""]
            paper.sheet.gold[-1] = f"{number} {paper.sheet.gold[-1]}"
    return "\n".join([*out, r"\end{document}"])


# -- pages of HTML ---------------------------------------------------------------------------------

_HEAD = "<!doctype html><meta charset=utf-8><title>x</title><style>"


def report(paper: Manuscript) -> str:
    """As an office program exports: coloured headings, a table with lines, points."""
    out = [
        _HEAD + "@page{size:A4;margin:25mm}body{font:11pt/1.3 Carlito,'Liberation Sans';}"
        "h1{color:#2f5496;font-weight:400;font-size:16pt}h2{color:#2f5496;font-weight:400;"
        "font-size:13pt}h3{color:#1f3763;font-weight:400;font-size:12pt}td{border:1px solid #000;"
        "padding:2pt 6pt}table{border-collapse:collapse}</style>",
        f"<p style='font-size:28pt'>{paper.heading(4)}</p>",
    ]
    for number in range(1, 5):
        out += [f"<h1>{number} {paper.heading(3, str(number))}</h1><p>{paper.text(6)}</p>"]
        for part in (1, 2):
            out += [f"<h2>{number}.{part} {paper.heading(3, f'{number}.{part}')}</h2>"]
            out += [f"<p>{paper.text(6)}</p><ul>"]
            out += [f"<li>{paper.text(1)}</li>" for _ in range(3)]
            out += [f"</ul><h3>{paper.heading(2)}</h3><p>{paper.text(5)}</p>"]
        out += ["<table>"]
        for _ in range(4):
            out += ["<tr>", *(f"<td>{paper.line(2)}</td>" for _ in range(4)), "</tr>"]
        out += ["</table>"]
    return "".join(out)


def japanese(paper: Manuscript) -> str:
    """Two columns of Japanese, headings with numbers, an abstract in English above."""
    out = [
        _HEAD + "@page{size:A4;margin:20mm}body{font:9.5pt/1.6 'Noto Serif CJK JP';text-align:"
        "justify}.two{column-count:2;column-gap:8mm}h1{font-size:16pt;text-align:center}"
        "h2{font:bold 11pt 'Noto Sans CJK JP'}h3{font:bold 9.5pt 'Noto Sans CJK JP'}"
        "p{text-indent:1em;margin:0}</style>",
    ]

    def heading(tag: str, number: str, letters: int) -> str:
        said = "".join(paper.sheet.chance.choices(KANJI, k=letters))
        paper.sheet.gold.append(f"{number} {said}".strip())
        paper.sheet.headings.append(f"{number} {said}".strip())
        return f"<{tag}>{number} {said}</{tag}>"

    out += [heading("h1", "", 14), f"<p>{paper.text(5)}</p><div class=two>"]
    for number in range(1, 5):
        out += [heading("h2", f"{number}.", 5), f"<p>{paper.japanese(5)}</p>"]
        for part in (1, 2):
            out += [heading("h3", f"{number}.{part}", 6)]
            out += [f"<p>{paper.japanese(6)}</p>" for _ in range(2)]
    return "".join([*out, "</div>"])


def two_tongues(paper: Manuscript) -> str:
    """A brochure: each paragraph in Japanese, then in Latin letters, under one heading."""
    out = [
        _HEAD + "@page{size:A5;margin:15mm}body{font:10pt/1.5 'Noto Sans CJK JP'}"
        "h2{font-size:14pt;color:#a00}p.l{font-family:'Liberation Serif'}"
        ".q{float:right;width:35%;font-size:8pt;border:1px solid #999;padding:4pt}</style>",
    ]
    for _ in range(6):
        out += [f"<h2>{paper.heading(3)}</h2><p>{paper.japanese(4)}</p>"]
        out += [f"<p class=l>{paper.text(5)}</p>"]
    return "".join(out)


def article(paper: Manuscript) -> str:
    """A printed page of the web: an image's caption, a box that text flows around, a list of links."""
    out = [
        _HEAD + "@page{size:Letter;margin:18mm}body{font:10.5pt/1.45 'Liberation Serif';color:#222}"
        "h1{font-size:26pt}h2{font-size:15pt}.b{float:right;width:38%;background:#eee;padding:6pt;"
        "font:9pt 'Liberation Sans'}figcaption{font-size:8pt;color:#666}</style>",
        f"<h1>{paper.heading(6)}</h1>",
    ]
    for number in range(5):
        out += [f"<h2>{paper.heading(3)}</h2>"]
        if number % 2:
            out += [f"<div class=b>{paper.beside(30)}</div>"]
        out += [f"<p>{paper.text(7)}</p><p>{paper.text(6)}</p>"]
        if not number % 2:
            out += ["<figure><div style='height:60pt;background:#ccd'></div><figcaption>"]
            out += [f"{paper.beside(12)}</figcaption></figure>"]
        out += [f"<p>{paper.text(6)}</p>"]
    return "".join(out)


def poster(paper: Manuscript) -> str:
    """A wide sheet of boxes in three columns, each with its name in white on a bar."""
    out = [
        _HEAD + "@page{size:A3 landscape;margin:15mm}body{font:13pt/1.35 'Liberation Sans'}"
        "h1{font-size:34pt;text-align:center}.c{display:flex;gap:10mm}.c>div{flex:1}"
        "h2{background:#134;color:#fff;font-size:17pt;padding:3pt 8pt}</style>",
        f"<h1>{paper.heading(6)}</h1><div class=c>",
    ]
    for _ in range(3):
        out += ["<div>"]
        for _ in range(2):
            out += [f"<h2>{paper.heading(2)}</h2><p>{paper.text(4)}</p><ul>"]
            out += [f"<li>{paper.line(7)}</li>" for _ in range(3)]
            out += ["</ul>"]
        out += ["</div>"]
    return "".join([*out, "</div>"])


TEX: dict[str, Callable[[Manuscript], str]] = {
    "conference paper": conference,
    "journal with a margin": journal,
    "proceedings": proceedings,
    "mathematics": mathematics,
    "thesis": thesis,
    "slides": slides,
    "newsletter": newsletter,
    "listings": listings,
    "letters": letters,
    "manuscript": manuscript,
    "lecture notes": lecture,
    "newspaper": newspaper,
    "preprint": preprint,
    "patent": patent,
}
WEB: dict[str, Callable[[Manuscript], str]] = {
    "office export": report,
    "Japanese paper": japanese,
    "two languages": two_tongues,
    "page of the web": article,
    "poster": poster,
}


def typeset(name: str, seed: int) -> tuple[bytes, Manuscript] | None:
    """A document and what stands in it; nothing where the program that sets it is not installed."""
    paper = Manuscript(Sheet(random.Random(f"{name} {seed}")))
    program = shutil.which("pdflatex" if name in TEX else "chromium")
    if program is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "paper.pdf"
        if name in TEX:
            (Path(folder) / "paper.tex").write_text(TEX[name](paper))
            # Twice: heads and numbers are known only then.
            for _ in range(2):
                _run([program, "-interaction=batchmode", "paper.tex"], folder)
        else:
            (Path(folder) / "paper.html").write_text(WEB[name](paper))
            given = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
            _run([program, *given, f"--print-to-pdf={made}", "paper.html"], folder)
        return made.read_bytes(), paper


def _run(command: list[str], folder: str) -> None:
    subprocess.run(command, cwd=folder, capture_output=True, timeout=SECONDS, check=False)
