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

from actors.adapters.html.page_chrome import drop_chrome
from actors.adapters.html.reader import _prepare, _seen, _tree, main_part, parse_html, whole_page
from actors.ports import Parsed
from tests.cms_pages import CMS
from tests.cms_pages_ja import CMS_JA
from tests.cms_pages_later import CMS_LATER
from tests.extraction_pages import PAGES, GoldPage
from tests.wild_pages import WILD
from tests.wild_pages_later import LATER

Reader = Callable[[GoldPage], Parsed | None]
_WORD = re.compile("[぀-ヿ㐀-鿿가-힣ー]|[^\\W_]+")


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


def as_it_comes(page: GoldPage) -> Parsed:
    """Trafilatura as whoever installs it calls it."""
    import trafilatura as library

    found = library.extract(page.html) or ""
    return Parsed(title="", media_type="text/html", text=found, blocks=())


def bare(page: GoldPage) -> Parsed:
    """The page without menus and banners."""
    tree = _tree(page.html)
    _prepare(tree)
    drop_chrome(tree)
    return _seen("page.html", tree, {})


READERS: dict[str, Reader] = {
    "as it is used": lambda page: parse_html("page.html", page.html.encode()),
    "as it comes": as_it_comes,
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
    _print("pages written with the rules", PAGES)
    _print("pages written before anybody looked at how they are read", WILD)
    _print("pages written after the rules", LATER)
    _print("pages as programs write them, written before anybody looked", CMS + CMS_JA)
    _print("pages as programs write them, written after the rules", CMS_LATER)
    return 0


def _print(title: str, pages: tuple[GoldPage, ...]) -> None:
    out = sys.stdout.write
    out(
        f"{len(pages)} {title}\n\n{'reader':<20}{'P':>8}{'R':>8}{'F1':>8}{'heads':>8}{'cells':>8}\n"
    )
    for name, read in READERS.items():
        out(f"{name:<20}" + "".join(f"{each:8.3f}" for each in mean(measure(read, pages))) + "\n")
    out(f"\n{'page':<20}{'P':>8}{'R':>8}{'F1':>8}{'heads':>8}{'cells':>8}{'F1 as it comes':>16}\n")
    alone = measure(READERS["as it comes"], pages)
    for page, row, other in zip(
        pages, measure(READERS["as it is used"], pages), alone, strict=True
    ):
        out(f"{page.name:<20}" + "".join(f"{each:8.3f}" for each in row) + f"{other[2]:16.3f}\n")
    out("\n")


if __name__ == "__main__":
    sys.exit(main())
