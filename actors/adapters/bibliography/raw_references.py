"""What an entry of a list of references is on its way to a reference, whatever list it is of."""

import contextlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from actors.adapters.decoding import decode_text
from actors.ingesting.references import Reference, text_of, year_in
from events.errors import Unreadable

MOST_WARNINGS = 50
LONGEST_TEXT = 20_000
LONGEST_LIST = 2_000
_LOOKED_AT = 200_000
"""Bytes of a list that its encoding is guessed from."""

_GUESSED = 8 << 20
"""Bytes of a list up to which it is guessed at all."""

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


_IN_JAPANESE = re.compile(rb"\x1b\$[B@]")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_NOT_ASCII = re.compile("[^\x00-\x7f]")
_HIGH = re.compile(rb"[\x80-\xff]")
_HIGH_IN_A_ROW = re.compile(rb"[\x80-\xff]{3,}")


def decoded(raw: bytes) -> str:
    """The text of a list, in the encoding it seems to have."""
    wide = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
    jis = "iso2022_jp_2" if _IN_JAPANESE.search(raw) else ""
    if text := _first_that_reads(raw, *filter(None, (wide, jis, "utf-8-sig"))):
        return text
    return _japanese(raw) or _foreign(raw) or _first_that_reads(raw, "cp1252", "latin-1")


def _first_that_reads(raw: bytes, *encodings: str) -> str:
    for encoding in encodings:
        with contextlib.suppress(UnicodeDecodeError):
            return raw.decode(encoding)
    return ""


def _japanese(raw: bytes) -> str:
    """The text, if it is Japanese in one of its older encodings: only then it has kana, and not one by chance."""
    best, most = "", 0.03
    for encoding in ("cp932", "euc_jp"):
        text = _first_that_reads(raw, encoding)
        letters = len(_NOT_ASCII.findall(text, 0, _LOOKED_AT))
        share = len(_KANA.findall(text, 0, _LOOKED_AT)) / max(letters, 1)
        if share > most:
            best, most = text, share
    return best


def _foreign(raw: bytes) -> str:
    """The text, if whole words of it are in letters that are not Western: accents there stand alone."""
    in_a_row = sum(map(len, _HIGH_IN_A_ROW.findall(raw, 0, _LOOKED_AT)))
    if len(raw) > _GUESSED or 2 * in_a_row < len(_HIGH.findall(raw, 0, _LOOKED_AT)):
        return ""
    try:
        return decode_text("the list", raw)
    except Unreadable:
        return ""


def words_of(keywords: Any) -> list[str]:
    """Keywords, however they are listed."""
    if isinstance(keywords, list):
        return [text_of(each) for each in keywords]
    return [part.strip() for part in re.split(r"[;,\n]", text_of(keywords)) if part.strip()]


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = re.compile(rf"(?i)(?<![a-z])({'|'.join(_MONTHS)})[a-z]*")
_SPAN = re.compile(r"(?<=\d)\s*(?:/|--+|[–—])\s*(?=\d{4}(?!\d))|(?<=\d{4})-(?=\d{4}(?!\d))")
"""Between the two ends of a range: 2004/2005, and not 2004/05."""

_ANCIENT = re.compile(r"\s*(-?\d{1,4})\s*\Z")
_SEASONS = range(21, 25)
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"),
    "tenth",
)


def issued(date: str, month: str = "", day: str = "") -> Item:
    """A CSL date from 2005, 2005-06-01, 2005/06/01/, June 2005 or 2004-05/2005-06."""
    ends = _SPAN.split(date.strip(), maxsplit=1)
    if not year_in(ends[0]):
        ends = [date]
    first = _parts(ends[0], month, day)
    if not first:
        return {"literal": date[:80]} if date.strip() else {}
    # As biblatex has it, spring is month 21.
    season = first.pop() - 20 if len(first) == 2 and first[1] in _SEASONS else 0
    last = _parts(ends[1]) if len(ends) > 1 else []
    made: Item = {"date-parts": [first, last] if last and last[:1] >= first[:1] else [first]}
    return made | ({"season": season} if season else {})


def _parts(date: str, month: str = "", day: str = "") -> list[int]:
    year = year_in(date)
    if not year:
        ancient = _ANCIENT.match(date)
        return [int(ancient.group(1))] if ancient and int(ancient.group(1)) else []
    rest = re.match(rf"{year}[-/](\d{{1,2}})(?:[-/](\d{{1,2}}))?", date.strip())
    numbers = [int(part) for part in rest.groups() if part] if rest else _spoken(date, year)
    if before := re.fullmatch(rf"(\d{{1,2}})[-/.]{year}", date.strip()):
        numbers = [int(before.group(1))]
    numbers = numbers or _spoken(f"{month} {day}", "")
    kept = [int(year)]
    if numbers and (1 <= numbers[0] <= 12 or (not month and numbers[0] in _SEASONS)):
        kept.append(numbers[0])
        if len(numbers) > 1 and 1 <= numbers[1] <= 31:
            kept.append(numbers[1])
    return kept


def _spoken(date: str, year: str) -> list[int]:
    """Month and day of `15 June`, `June 15`, `jun-jul` or `6`."""
    text = date.replace(year, " ", 1) if year else date
    numbers = [int(number) for number in re.findall(r"(?<!\d)\d{1,2}(?!\d)", text)]
    if named := _MONTH.search(text):
        return [_MONTHS.index(named.group(1).casefold()) + 1, *numbers[:1]]
    return numbers[:2] if not year else []


def written_date(date: Any, parted_by: str) -> str:
    """A CSL date as 2005, 2005-06 or 2005-06-01, with that mark between its parts; or nothing."""
    parts = date.get("date-parts") if isinstance(date, Mapping) else None
    first = parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], list) else []
    kept: list[str] = []
    for part, (least, most) in zip(first, ((1, 9_999), (1, 12), (1, 31)), strict=False):
        said = str(part)
        if not re.fullmatch(r"[0-9]{1,4}", said) or not least <= int(said) <= most:
            break
        kept.append(f"{int(said):02}" if kept else f"{int(said):04}")
    return parted_by.join(kept)


def plain_edition(edition: str) -> str:
    """The number of an edition, where it is one: 2 of `Second`, `2nd` or `2nd ed.`."""
    bare = re.sub(r"(?i)\s*\b(?:ed|edn|edition)\b\.?\s*\Z", "", edition).strip()
    if bare.casefold() in _ORDINALS:
        return str(_ORDINALS.index(bare.casefold()) + 1)
    numbered = re.fullmatch(r"(?i)(\d{1,3})(?:st|nd|rd|th|\.)?", bare)
    return numbered.group(1) if numbered else edition
