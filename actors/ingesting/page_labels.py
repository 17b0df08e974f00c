"""What pages are called in print, as a document keeps it: `1:i; 13:1; 96:A-1`.

Each run of pages is the first of them and what it is called; those behind it count on from there,
until the next run begins. So a book's thousand pages are a few words.
"""

import re
from collections.abc import Sequence

PAGE_LABELS = "page_labels"
"""The metadata of a document with the names of its pages; missing where they are called as they are counted."""

LONGEST_LABEL = 20
_BETWEEN = "; "
_NUMBER = re.compile(r"(.*?)(\d{1,9})", re.S)
_LETTERS = re.compile(r"([A-Za-z])\1{0,19}")
_ROMAN = re.compile(r"(?=.)m{0,4}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_VALUES = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l")),
    *((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)


def packed_labels(labels: Sequence[str], longest: int) -> str:
    """The names of all pages in one line; nothing where each is called by its number.

    Of names that follow no rule, as many as fit; the pages behind them have none.
    """
    labels = [label if _can_be_kept(label) else "" for label in labels]
    if all(label in {"", str(page)} for page, label in enumerate(labels, 1)):
        return ""
    runs: list[str] = []
    begin, first = 0, ""
    for page, label in enumerate(labels, 1):
        if not runs or label != _counted_on(first, page - begin):
            begin, first = page, label
            runs.append(f"{page}:{label}")
        if len(runs) > longest:
            break  # Those would not fit if each were a letter.
    line = _BETWEEN.join(runs)
    while len(line) > longest and runs:
        nameless = runs.pop().partition(":")[0]
        line = _BETWEEN.join([*runs, f"{nameless}:"])
    return line if runs else ""


def label_of(packed: str, page: int) -> str:
    """What a page is called in print; nothing where that is not known."""
    begin, called = 0, ""
    for run in packed.split(_BETWEEN):
        first, _, label = run.partition(":")
        if not first.isdecimal() or int(first) > page:
            break
        begin, called = int(first), label
    return _counted_on(called, page - begin)


def roman(label: str) -> int:
    """The number that Roman numerals are; 0 where they are none."""
    small = label.casefold()
    if not _ROMAN.fullmatch(small):
        return 0
    found = 0
    for value, sign in _VALUES:
        while small.startswith(sign):
            found, small = found + value, small.removeprefix(sign)
    return found


def _can_be_kept(label: str) -> bool:
    return len(label) <= LONGEST_LABEL and label.isprintable() and ";" not in label


def _counted_on(label: str, steps: int) -> str:
    """The name of the page so many pages on."""
    if not steps:
        return label
    if numbered := _NUMBER.fullmatch(label):
        return f"{numbered[1]}{int(numbered[2]) + steps}"
    if value := roman(label):
        small = _as_roman(value + steps)
        return small.upper() if label.isupper() else small
    if lettered := _LETTERS.fullmatch(label):
        base = ord("A" if label.isupper() else "a")
        place = (len(label) - 1) * 26 + ord(lettered[1]) - base + steps
        return chr(base + place % 26) * (place // 26 + 1)
    return label


def _as_roman(number: int) -> str:
    made = ""
    for value, sign in _VALUES:
        times, number = divmod(number, value)
        made += sign * times
    return made
