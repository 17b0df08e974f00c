"""How much of a PDF's text is read, and in which order, on pages whose text is known.

    python bench/pdf.py [--documents N]

Pages are set here in many layouts, from words drawn at random, so that no line occurs twice. Against
the gold text stand this project's parser and, in the same run, the plain text that pdfium gives.
Words: F1 of the words, as a bag. Order: 1 minus the edit distance of the two sequences of words, by
the longer one. Headings: F1 of the headings found. All from 0 to 1, averaged over the documents.
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

from actors.parsing import AnyParser  # noqa: E402
from bench.layouts import LAYOUTS, Sheet  # noqa: E402
from tests.pdf_files import make_pdf  # noqa: E402


def words_in(text: str) -> list[str]:
    """The words as they are compared."""
    return re.findall(r"\w+", text.casefold())


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


def plain_text(raw: bytes) -> str:
    """What pdfium says by itself."""
    import pypdfium2

    pdf = pypdfium2.PdfDocument(raw)
    try:
        return "\n".join(page.get_textpage().get_text_range() for page in pdf)
    finally:
        pdf.close()


def measure(name: str, make: Callable[[Sheet], None], documents: int) -> list[float]:
    """The figures of one layout."""
    rows = []
    for seed in range(documents):
        sheet = Sheet(random.Random(f"{name} {seed}"))
        make(sheet)
        raw = make_pdf(sheet.pages)
        began = time.perf_counter()
        parsed = AnyParser().parse("bench.pdf", raw)
        took = (time.perf_counter() - began) / len(sheet.pages)
        gold = words_in(" ".join(sheet.gold))
        base = words_in(plain_text(raw).replace("\ufffe", ""))
        read = words_in(parsed.text)
        said = [block.title or "" for block in parsed.blocks if block.kind == "heading"]
        rows.append(
            [
                *(f1(read, gold), f1(base, gold), order(read, gold), order(base, gold)),
                *(f1(said, sheet.headings), 1000 * took),
            ]
        )
    return [statistics.fmean(column) for column in zip(*rows, strict=True)]


def main() -> int:
    """Print a row for each layout, and the mean of them."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--documents", type=int, default=5, help="documents of each layout")
    documents = options.parse_args().documents
    out = sys.stdout.write
    out(
        f"{'layout':28} {'words':>6} {'pdfium':>6} {'order':>6} {'pdfium':>6} {'heads':>6} ms/page\n"
    )
    found = []
    for name, make in LAYOUTS.items():
        found.append(measure(name, make, documents))
        out(_row(name, found[-1]))
    out(_row("all", [statistics.fmean(column) for column in zip(*found, strict=True)]))
    return 0


def _row(name: str, figures: Sequence[float]) -> str:
    *shares, took = figures
    return f"{name:28} " + " ".join(f"{each:6.3f}" for each in shares) + f" {took:7.1f}\n"


if __name__ == "__main__":
    sys.exit(main())
