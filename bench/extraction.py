"""Measures how much of a page's own text is read, and how little else, on pages with gold text.

Word overlap, as public sets of main-text extraction measure it: precision, recall and their harmonic
mean over the multiset of words (of characters, where Japanese is written), averaged over pages; and
which share of the headings and table cells of a page survive as such.

    python -m bench.extraction
"""

import re
import sys
from collections import Counter
from collections.abc import Callable

from actors.adapters.html import _bare, _prepare, _tree, main_part, parse_html, whole_page
from actors.ports import Parsed
from tests.extraction_pages import PAGES, GoldPage

Reader = Callable[[GoldPage], Parsed | None]
_WORD = re.compile("[぀-ヿ㐀-鿿ー]|[^\\W_]+")


def words(text: str) -> Counter[str]:
    """Words, and single characters of Japanese."""
    return Counter(_WORD.findall(text.casefold()))


def overlap(found: str, gold: str) -> tuple[float, float, float]:
    """Precision, recall and F1 of one text against another."""
    mine, theirs = words(found), words(gold)
    same = (mine & theirs).total()
    precision = same / mine.total() if mine else 0.0
    recall = same / theirs.total() if theirs else 1.0
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both else 0.0


def kept(page: GoldPage, parsed: Parsed) -> tuple[float, float]:
    """Shares of headings and of table cells that are still headings and tables."""
    titles = {" ".join(block.title.split()) for block in parsed.blocks if block.kind == "heading"}
    tables = " ".join(parsed.text[b.start : b.end] for b in parsed.blocks if b.kind == "table")
    headings = [title in titles for title in page.headings]
    cells = [cell in tables for cell in page.cells]
    return (
        sum(headings) / len(headings) if headings else 1.0,
        sum(cells) / len(cells) if cells else 1.0,
    )


def trafilatura(**options: bool) -> Reader:
    """Trafilatura alone, with these settings."""

    def read(page: GoldPage) -> Parsed | None:
        tree = _tree(page.html)
        _prepare(tree)
        return main_part("page.html", tree, {}, "", **options)

    return read


def bare(page: GoldPage) -> Parsed:
    """The page without menus and banners."""
    tree = _tree(page.html)
    _prepare(tree)
    return _bare("page.html", tree, {})


READERS: dict[str, Reader] = {
    "as it is used": lambda page: parse_html("page.html", page.html.encode()),
    "balanced": trafilatura(),
    "precision": trafilatura(favor_precision=True),
    "recall": trafilatura(favor_recall=True),
    "fast": trafilatura(fast=True),
    "fast, recall": trafilatura(fast=True, favor_recall=True),
    "without chrome": bare,
    "whole page": lambda page: whole_page("page.html", page.html),
}


def measure(read: Reader, pages: tuple[GoldPage, ...] = PAGES) -> list[tuple[float, ...]]:
    """Precision, recall, F1, headings and cells of each page."""
    rows: list[tuple[float, ...]] = []
    for page in pages:
        parsed = read(page)
        if parsed is None:
            rows.append((0.0,) * 5)
        else:
            rows.append((*overlap(parsed.text, page.text), *kept(page, parsed)))
    return rows


def mean(rows: list[tuple[float, ...]]) -> tuple[float, ...]:
    """Averages over pages."""
    return tuple(sum(column) / len(rows) for column in zip(*rows, strict=True))


def main() -> int:
    """Print the averages of all readers, and the pages of the one that is used."""
    out = sys.stdout.write
    out(f"{len(PAGES)} pages\n\n{'reader':<16}{'P':>8}{'R':>8}{'F1':>8}{'heads':>8}{'cells':>8}\n")
    for name, read in READERS.items():
        out(f"{name:<16}" + "".join(f"{each:8.3f}" for each in mean(measure(read))) + "\n")
    out("\n")
    for page, row in zip(PAGES, measure(READERS["as it is used"]), strict=True):
        out(f"{page.name:<16}" + "".join(f"{each:8.3f}" for each in row) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
