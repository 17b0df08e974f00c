"""Papers as LaTeX sets them for journals, conferences and archives."""

from collections.abc import Callable

from bench.manuscript import Manuscript


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


def survey(paper: Manuscript) -> str:
    """One column, sections with dots behind their numbers, keywords, tables and lists of points."""
    out = [
        r"\documentclass[11pt]{article}\usepackage[T1]{fontenc}\usepackage{mathptmx}\usepackage{booktabs}",
        r"\usepackage[margin=90pt]{geometry}\makeatletter\def\@seccntformat#1{\csname the#1\endcsname.\ }",
        r"\renewcommand\section{\@startsection{section}{1}{0pt}{14pt}{6pt}{\normalsize\bfseries}}",
        r"\renewcommand\subsection{\@startsection{subsection}{2}{0pt}{10pt}{5pt}{\normalsize\itshape}}",
        rf"\makeatother\begin{{document}}\begin{{center}}{{\LARGE {paper.heading(9)}\par}}\vspace{{8pt}}",
        rf"{paper.line(6)}\\[4pt]{{\footnotesize\itshape {paper.line(8)}}}\end{{center}}\hrule\vspace{{6pt}}",
        rf"\noindent{{\small {paper.text(6)}\par}}\vspace{{4pt}}\noindent{{\small\textit{{{paper.line(5)}}}}}",
        r"\vspace{6pt}\hrule",
    ]
    for number in range(1, 5):
        out += [rf"\section{{{paper.heading(3, f'{number}.')}}}", paper.text(6), ""]
        for part in (1, 2):
            out += [rf"\subsection{{{paper.heading(4, f'{number}.{part}.')}}}", paper.text(5)]
            out += [r"\begin{enumerate}", *(rf"\item {paper.text(1)}" for _ in range(3))]
            for place in (-3, -2, -1):
                paper.sheet.gold[place] = f"{4 + place} {paper.sheet.gold[place]}"
            out += [r"\end{enumerate}", paper.text(5), ""]
        out += [r"\begin{table}[h]\centering\begin{tabular}{lccc}\toprule"]
        for _ in range(4):
            out += [" & ".join(paper.beside(1).rstrip(".") for _ in range(4)) + r"\\"]
        out += [r"\bottomrule\end{tabular}\caption{" + paper.beside(9) + r"}\end{table}"]
    return "\n".join([*out, r"\end{document}"])


PAPERS: dict[str, Callable[[Manuscript], str]] = {
    "conference paper": conference,
    "journal with a margin": journal,
    "proceedings": proceedings,
    "mathematics": mathematics,
    "letters": letters,
    "manuscript": manuscript,
    "preprint": preprint,
    "survey": survey,
}
