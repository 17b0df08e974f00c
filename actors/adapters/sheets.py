"""Reads workbooks (.xlsx) with openpyxl, and files of comma or tab separated values."""

import csv
import datetime
import io
from collections.abc import Iterable, Iterator

from actors.adapters.archives import members
from actors.adapters.decoding import decode_text
from actors.adapters.draft import Draft, file_title
from actors.adapters.plain import parse_plain
from actors.ports import Coverage, Parsed

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
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
            rows = ([_said(value) for value in row] for row in sheet.iter_rows(values_only=True))
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
    title = metadata["title"] or file_title(name)
    return draft.parsed(MEDIA_TYPE, title, metadata, Coverage(warnings=warnings))


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
