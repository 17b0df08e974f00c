"""What an entry of a list of references is on its way to a reference, whatever list it is of."""

import re
from dataclasses import dataclass, field
from typing import Any

from actors.references import Reference, text_of, year_in

MOST_WARNINGS = 50
LONGEST_TEXT = 20_000
LONGEST_LIST = 2_000

Item = dict[str, Any]


@dataclass
class Found:
    """What a list of references holds, and what is wrong with it."""

    references: list[Reference] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def warn(self, sentence: str) -> None:
        """Say what is wrong; not without end."""
        if len(self.warnings) < MOST_WARNINGS:
            self.warnings.append(" ".join(sentence.split())[:300])


@dataclass
class RawEntry:
    """An entry on its way to a reference."""

    key: str
    item: Item
    tags: list[str]
    files: list[str]


def decoded(raw: bytes) -> str:
    """The text of a list, in the encoding it seems to have."""
    for encoding in ("utf-8-sig", "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "cp1252"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1")


def words_of(keywords: Any) -> list[str]:
    """Keywords, however they are listed."""
    if isinstance(keywords, list):
        return [text_of(each) for each in keywords]
    return [part.strip() for part in re.split(r"[;,\n]", text_of(keywords)) if part.strip()]


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def issued(date: str, month: str = "") -> Item:
    """A CSL date from 2005, 2005-06-01 or 2005/06/01/."""
    year = year_in(date)
    if not year:
        return {"literal": date[:80]} if date.strip() else {}
    parts = [int(year)]
    rest = re.match(rf"{year}[-/](\d{{1,2}})(?:[-/](\d{{1,2}}))?", date.strip())
    numbers = [int(part) for part in rest.groups() if part] if rest else []
    begun = month.strip().casefold()
    if not numbers and begun[:3] in _MONTHS:
        numbers = [_MONTHS.index(begun[:3]) + 1]
    elif not numbers and begun.isdecimal():
        numbers = [int(begun)]
    if numbers and 1 <= numbers[0] <= 12:
        parts.append(numbers[0])
        if len(numbers) > 1 and 1 <= numbers[1] <= 31:
            parts.append(numbers[1])
    return {"date-parts": [parts]}
