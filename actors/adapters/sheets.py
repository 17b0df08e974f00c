"""Reads workbooks (.xlsx) with openpyxl, and files of comma or tab separated values."""

import csv
import datetime
import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from actors.adapters.archives import members
from actors.adapters.decoding import decode_text
from actors.adapters.draft import Draft, file_title
from actors.adapters.plain import parse_plain
from actors.ports import Coverage, Parsed

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_FORMAT = re.compile(r'"([^"]*)"|\[\$([^\]-]*)[^\]]*\]|\[[^\]]*\]|\\(.)|[_*].|(.)')
_OF_NUMBERS = frozenset(".,()+-")
_SCALED = re.compile(r"[#0?],+(?![#0?,])")
"""Commas behind the digits: what is shown is that many thousandths, and signs such as M belong to it."""

_LONGEST_CODE, _LONGEST_FORMAT = 40, 200
_SHEET = re.compile(r"/?xl/worksheets/[^/]+\.xml", re.I)
_NO_RESULT = re.compile(
    rb'<c (?![^>]{0,200}\bt="str")[^>]{0,200}><f(?:\s[^>]{0,200})?(?:/>|>[^<]{0,9000}</f>)(?:<v></v>|<v ?/>)?</c>'
)
"""A cell whose value somebody has yet to work out; what is told of text may be none."""

_SNIFFED = 20
"""Rows from which the separator is told."""


def parse_workbook(name: str, raw: bytes) -> Parsed:
    """Each sheet a heading, each run of rows without a blank one between them a table."""
    members(name, raw)
    from openpyxl import load_workbook

    workbook = load_workbook(io.BytesIO(raw), read_only=True, data_only=True)
    draft = Draft(name)
    empty: list[str] = []
    try:
        for sheet in workbook.worksheets:
            # What a file says of its own size may be a million blank columns.
            sheet.reset_dimensions()
            before = draft.length
            rows = ([_shown(cell) for cell in row] for row in sheet.iter_rows())
            tables = _tables(rows)
            if first := next(tables, None):
                draft.heading(1, sheet.title)
                draft.table(first)
            for table in tables:
                draft.table(table)
            if draft.length == before:
                empty.append(sheet.title)
        said = workbook.properties
        metadata = {
            "title": said.title or "",
            "author": said.creator or "",
            "date": said.modified.date().isoformat() if said.modified else "",
        }
    finally:
        workbook.close()
    warnings = tuple(f"the sheet {title[:100]!r} is empty" for title in empty[:20])
    if missing := _without_result(raw):
        warnings += (
            f"{missing} cells are formulas without a result; open the file in a spreadsheet program and save it",
        )
    title = metadata["title"] or file_title(name)
    return draft.parsed(MEDIA_TYPE, title, metadata, Coverage(warnings=warnings))


def _without_result(raw: bytes) -> int:
    """Cells that programs have written formulas into and nobody has computed: they are read as blank."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        sheets = [each for each in archive.namelist() if _SHEET.fullmatch(each)]
        return sum(len(_NO_RESULT.findall(archive.read(each))) for each in sheets)


def _tables(rows: Iterable[list[str]]) -> Iterator[list[list[str]]]:
    table: list[list[str]] = []
    for row in rows:
        while row and not row[-1].strip():
            row.pop()
        if row:
            table.append(row)
        elif table:
            yield table
            table = []
    if table:
        yield table


def _shown(cell: Any) -> str:
    """A cell with the signs that its format gives a number; the number itself is not rounded."""
    value = cell.value
    if not isinstance(value, int | float) or isinstance(value, bool):
        return _said(value)
    form = (cell.number_format or "")[:_LONGEST_FORMAT]
    if isinstance(value, int) and len(form) <= _LONGEST_CODE and set(form) == {"0"}:
        return str(value).zfill(len(form))  # a code, such as that of a town
    percent, before, after = _signs(form)
    if percent:
        value *= 100
    minus = "-" if before and value < 0 else ""
    return f"{minus}{before}{_said(abs(value) if minus else value)}{after}"


@lru_cache(maxsize=1_000)
def _signs(form: str) -> tuple[bool, str, str]:
    """Of the format of a number: whether it is a share of a hundred, and what stands before and after it."""
    before, after, percent, digits = "", "", False, False
    parts = _FORMAT.findall(form.partition(";")[0])
    if _SCALED.search("".join(plain for *_, plain in parts)):
        return False, "", ""
    for quoted, money, escaped, plain in parts:
        if plain.isalpha() or plain == "/":
            return False, "", ""  # of dates, fractions and powers, or none at all
        if plain in set("#0?"):
            before, after, digits = (before if not digits else before + after), "", True
        elif plain == "%":
            percent, after = True, after + plain
        elif said := quoted or money or escaped or ("" if plain in _OF_NUMBERS else plain):
            before, after = (before, after + said) if digits else (before + said, after)
    return (percent, before.lstrip(), after.rstrip()) if digits else (False, "", "")


def _said(value: object) -> str:
    """A cell as a person would read it."""
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case float():
            return f"{value:.10g}"
        case datetime.datetime() if value.time() == datetime.time():
            return value.date().isoformat()
        case datetime.datetime():
            return value.isoformat(" ", "seconds")
        case _:
            return str(value)


def parse_separated(name: str, raw: bytes) -> Parsed:
    """A table of comma, semicolon or tab separated values; what is none is read as plain text."""
    text = decode_text(name, raw)
    tabs = name.casefold().endswith((".tsv", ".tab"))
    delimiter = "\t" if tabs else _delimiter(text)
    if not delimiter or not text.strip():
        return parse_plain(name, raw)
    csv.field_size_limit(1 << 20)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:
        return parse_plain(name, raw)
    draft = Draft(name)
    draft.table(rows)
    media_type = "text/tab-separated-values" if delimiter == "\t" else "text/csv"
    return draft.parsed(media_type)


def _delimiter(text: str) -> str:
    """The separator that cuts the first rows into the same number of cells, if there is one."""
    lines = [line for line in text[:50_000].splitlines()[:_SNIFFED] if line.strip()]
    best, widest = "", 1
    for delimiter in (",", ";", "\t", "|"):
        try:
            widths = {len(row) for row in csv.reader(lines, delimiter=delimiter) if row}
        except csv.Error:
            continue
        narrowest = min(widths, default=1)
        if len(widths) <= 2 and narrowest > widest:
            best, widest = delimiter, narrowest
    return best
