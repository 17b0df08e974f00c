"""What LaTeX sets beside papers: theses, slides, news, notes with code, patents and laws."""

from collections.abc import Callable

from bench.manuscript import Manuscript


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


def handbook(paper: Manuscript) -> str:
    """Chapters in large letters without serifs, a table of contents, heads with their names."""
    out = [
        r"\documentclass[11pt]{scrreprt}\usepackage[T1]{fontenc}\usepackage{lmodern}",
        r"\pagestyle{headings}\begin{document}",
    ]
    for number in range(1, 4):
        out += [rf"\chapter{{{paper.heading(3, str(number))}}}", paper.text(7), ""]
        for part in range(1, 4):
            out += [rf"\section{{{paper.heading(3, f'{number}.{part}')}}}", paper.text(7), ""]
            out += [rf"\subsection{{{paper.heading(2, f'{number}.{part}.1')}}}", paper.text(8), ""]
            out += [r"\begin{description}"]
            out += [rf"\item[{paper.line(1)}] {paper.text(1)}" for _ in range(3)]
            out += [r"\end{description}", paper.text(6), ""]
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


def statute(paper: Manuscript) -> str:
    """A law: sections under their signs in the middle, clauses in brackets, small notes below."""
    out = [
        r"\documentclass[10pt]{article}\usepackage[T1]{fontenc}\usepackage{lmodern}\usepackage{textcomp}",
        r"\usepackage[a5paper,margin=45pt]{geometry}\setlength\parindent{0pt}\setlength\parskip{5pt}",
        rf"\begin{{document}}\begin{{center}}\Large\bfseries {paper.heading(4)}\end{{center}}",
    ]
    for number in range(1, 9):
        said = paper.sheet.title(3)
        paper.sheet.gold.append(f"§ {number} {said}")
        paper.sheet.headings.append(f"{number} {said}")
        out += [rf"\begin{{center}}\textbf{{\S\,{number} {said}}}\end{{center}}"]
        for clause in range(1, 4):
            out += [rf"({clause}) {paper.text(2)}", ""]
            paper.sheet.gold[-1] = f"({clause}) {paper.sheet.gold[-1]}"
    return "\n".join([*out, r"\end{document}"])


BOOKS: dict[str, Callable[[Manuscript], str]] = {
    "thesis": thesis,
    "handbook": handbook,
    "slides": slides,
    "newsletter": newsletter,
    "newspaper": newspaper,
    "listings": listings,
    "lecture notes": lecture,
    "patent": patent,
    "statute": statute,
}
