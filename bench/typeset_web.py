"""Pages of HTML as Chromium prints them: exports, Japanese, posters."""

from collections.abc import Callable

from bench.manuscript import KANJI, Manuscript

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


def white_paper(paper: Manuscript) -> str:
    """Japanese in one column: chapters counted in words, points, a table, a line at the foot."""
    out = [
        _HEAD + "@page{size:A4;margin:25mm}body{font:10.5pt/1.7 'Noto Serif CJK JP'}"
        "h1{font:bold 18pt 'Noto Sans CJK JP'}h2{font:bold 12pt 'Noto Sans CJK JP'}"
        "td{border:1px solid #888;padding:3pt 8pt}table{border-collapse:collapse}</style>",
    ]
    for number in range(1, 4):
        for tag, before, letters in (("h1", f"第{number}章", 5), ("h2", f"第{number}節", 6)):
            said = "".join(paper.sheet.chance.choices(KANJI, k=letters))
            paper.sheet.gold.append(f"{before} {said}")
            paper.sheet.headings.append(f"{before} {said}")
            out += [f"<{tag}>{before} {said}</{tag}><p>{paper.japanese(6)}</p>"]
        out += ["<ul>", *(f"<li>{paper.japanese(1)}</li>" for _ in range(3)), "</ul><table>"]
        for _ in range(3):
            out += ["<tr>", *(f"<td>{paper.japanese(1)}</td>" for _ in range(2)), "</tr>"]
        out += [f"</table><p>{paper.japanese(5)}</p>"]
    return "".join(out)


WEB: dict[str, Callable[[Manuscript], str]] = {
    "office export": report,
    "Japanese paper": japanese,
    "two languages": two_tongues,
    "page of the web": article,
    "poster": poster,
    "Japanese report": white_paper,
}
