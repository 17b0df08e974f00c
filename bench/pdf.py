"""How much of a PDF's text is read, and in which order, on pages whose text is known.

    python bench/pdf.py [--documents N] [--only drawn|typeset]

Pages are set here in many layouts, from words drawn at random, so that no line occurs twice: drawn
word by word, and typeset by LaTeX, Chromium, Typst, ReportLab, fpdf2, groff and LibreOffice where
these are installed. Against the gold text
stand this project's parser and, in the same run, the plain text that pdfium gives.
Words: F1 of the words, as a bag. Order: 1 minus the edit distance of the two sequences of words of
the text, without notes and captions, by the longer one. Headings: F1 of the headings found. Pages:
share of the words that stand once in a file and are said to be on their page. All from 0 to 1,
averaged over the documents.
"""

import argparse
import random
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from actors.ingesting.parsing import AnyParser  # noqa: E402
from actors.ports import Parsed  # noqa: E402
from bench.layouts import LAYOUTS, Sheet  # noqa: E402
from bench.typeset import DOCUMENTS, typeset  # noqa: E402
from bench.typeset_others import OTHERS, typeset_otherwise  # noqa: E402
from tests.pdf_files import make_pdf  # noqa: E402

_WORD = re.compile(r"[\u3005-\u30ff\u3400-\u9fff]|[^\W\u3005-\u30ff\u3400-\u9fff]+")
_ASIDE = re.compile(r"(?:z[aeiou])+\Z")


def words_in(text: str) -> list[str]:
    """The words as they are compared; of Japanese, the letters."""
    return _WORD.findall(text.casefold())


def of_text(words: Sequence[str]) -> list[str]:
    """Words without those of notes and captions."""
    return [word for word in words if not _ASIDE.match(word)]


def f1(found: Sequence[str], gold: Sequence[str]) -> float:
    """Of two bags of words or headings."""
    both = sum((Counter(found) & Counter(gold)).values())
    return 2 * both / (len(found) + len(gold)) if found or gold else 1.0


def order(found: Sequence[str], gold: Sequence[str]) -> float:
    """1 minus the edit distance of two sequences of words, by the longer one."""
    codes: dict[str, int] = {}
    one, other = (
        np.array([codes.setdefault(word, len(codes)) for word in words]) for words in (found, gold)
    )
    if not len(one) or not len(other):
        return float(len(one) == len(other))
    steps = np.arange(len(other) + 1)
    row = steps.copy()
    for place, word in enumerate(one, 1):
        kept = np.minimum(row[1:] + 1, row[:-1] + (other != word))
        row = np.minimum.accumulate(np.concatenate(([place], kept)) - steps) + steps
    return 1.0 - float(row[-1]) / max(len(one), len(other))


def plain_pages(raw: bytes) -> list[str]:
    """What pdfium says by itself."""
    import pypdfium2

    pdf = pypdfium2.PdfDocument(raw)
    try:
        texts = [page.get_textpage().get_text_range() for page in pdf]
        return [text.replace("\ufffe", "") for text in texts]
    finally:
        pdf.close()


def on_their_pages(parsed: Parsed, pages: Sequence[str]) -> float:
    """Share of the words that stand once in a file whose block says the right page."""
    stands: dict[str, int] = {}
    times: Counter[str] = Counter()
    for number, text in enumerate(pages, 1):
        for word in words_in(text):
            stands[word] = number
            times[word] += 1
    right = told = 0
    for block in parsed.blocks:
        for word in words_in(parsed.text[block.start : block.end]):
            if times[word] == 1 and len(word) > 3:
                told += 1
                right += stands[word] == block.page
    return right / told if told else 1.0


def figures(raw: bytes, sheet: Sheet, aside: Sequence[str]) -> list[float]:
    """What comes of one document."""
    began = time.perf_counter()
    parsed = AnyParser().parse("bench.pdf", raw)
    took = time.perf_counter() - began
    pages = plain_pages(raw)
    text = words_in(" ".join(sheet.gold))
    gold = text + words_in(" ".join(aside))
    base, read = words_in(" ".join(pages)), words_in(parsed.text)
    said = [block.title or "" for block in parsed.blocks if block.kind == "heading"]
    found, wanted = ([" ".join(words_in(each)) for each in some] for some in (said, sheet.headings))
    return [
        *(f1(read, gold), f1(base, gold)),
        *(order(of_text(read), text), order(of_text(base), text)),
        *(f1(found, wanted), on_their_pages(parsed, pages), 1000 * took / len(pages)),
    ]


def drawn(name: str, documents: int) -> list[list[float]]:
    """The figures of documents in a layout that is drawn here."""
    rows = []
    for seed in range(documents):
        sheet = Sheet(random.Random(f"{name} {seed}"))
        LAYOUTS[name](sheet)
        rows.append(figures(make_pdf(sheet.pages), sheet, ()))
    return rows


def set_by_programs(name: str, documents: int) -> list[list[float]]:
    """The same of documents that other programs set; nothing where these are not installed."""
    make = typeset if name in DOCUMENTS else typeset_otherwise
    made = (make(name, seed) for seed in range(documents))
    return [figures(raw, paper.sheet, paper.aside) for raw, paper in filter(None, made)]


def main() -> int:
    """Print a row for each layout, and the mean of them."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--documents", type=int, default=5, help="documents of each layout")
    options.add_argument("--only", choices=("drawn", "typeset"), help="one of the two kinds")
    chosen = options.parse_args()
    out = sys.stdout.write
    if chosen.only != "typeset":
        _table("drawn", dict.fromkeys(LAYOUTS, drawn), chosen.documents, out)
    if chosen.only != "drawn":
        _table(
            "typeset", dict.fromkeys((*DOCUMENTS, *OTHERS), set_by_programs), chosen.documents, out
        )
    return 0


Measure = Callable[[str, int], list[list[float]]]


def _table(
    kind: str, layouts: dict[str, Measure], documents: int, out: Callable[[str], int]
) -> None:
    out(f"{kind:28} {'words':>6} {'pdfium':>6} {'order':>6} {'pdfium':>6}")
    out(f" {'heads':>6} {'pages':>6} ms/page\n")
    found = []
    for name, measure in layouts.items():
        rows = measure(name, documents)
        if not rows:
            out(f"{name:28} the program that sets it is not installed\n")
            continue
        found.append(_mean(rows))
        out(_row(name, found[-1]))
    if found:
        out(_row("all", _mean(found)))


def _mean(rows: Sequence[Sequence[float]]) -> list[float]:
    return [statistics.fmean(column) for column in zip(*rows, strict=True)]


def _row(name: str, means: Sequence[float]) -> str:
    *shares, took = means
    return f"{name:28} " + " ".join(f"{each:6.3f}" for each in shares) + f" {took:7.1f}\n"


if __name__ == "__main__":
    sys.exit(main())
