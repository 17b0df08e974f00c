"""Reads presentations (.pptx) with python-pptx; each slide is a page."""

import io
from collections.abc import Iterable, Iterator
from typing import Any

from actors.adapters.archives import members
from actors.adapters.draft import Draft
from actors.ports import Coverage, Parsed

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
_DEEPEST = 20
_MOST_CELLS = 200_000
"""Of a chart; a larger one was not made to be looked at."""

_UNKNOWN = (AttributeError, KeyError, TypeError, ValueError)
"""What the library makes of a kind of chart that it does not know, and of a damaged one."""


def parse_slides(name: str, raw: bytes) -> Parsed:
    """Titles, text, tables and notes of the slides, in their order."""
    members(name, raw)
    from pptx import Presentation

    presentation = Presentation(io.BytesIO(raw))
    draft = Draft(name)
    empty: list[int] = []
    unread: set[int] = set()
    number = 0
    for number, slide in enumerate(presentation.slides, start=1):
        before = draft.length
        _slide(slide, number, draft, unread)
        if draft.length == before:
            empty.append(number)
    said = presentation.core_properties
    metadata = {
        "title": said.title or "",
        "author": said.author or "",
        "date": said.modified.date().isoformat() if said.modified else "",
        "language": said.language or "",
        "tags": said.keywords or "",
    }
    # The library writes this title into every presentation that is made with it.
    title = said.title if said.title != "PowerPoint Presentation" else None
    warnings: tuple[str, ...] = (f"{len(empty)} slides have no text",) if empty else ()
    warnings += tuple(f"a chart on slide {each} cannot be read" for each in sorted(unread)[:20])
    coverage = Coverage(pages=number, empty_pages=tuple(empty), warnings=warnings)
    return draft.parsed(MEDIA_TYPE, title, metadata, coverage)


def _slide(slide: Any, number: int, draft: Draft, unread: set[int]) -> None:
    title = slide.shapes.title
    if title is not None and title.has_text_frame:
        draft.heading(1, title.text_frame.text.replace("\v", " "), number)
    for shape in _shapes(slide.shapes, 0):
        if title is not None and shape.shape_id == title.shape_id:
            continue
        if getattr(shape, "has_table", False):
            draft.table(([cell.text for cell in row.cells] for row in shape.table.rows), number)
        elif getattr(shape, "has_chart", False):
            try:
                _chart(shape.chart, number, draft)
            except _UNKNOWN:
                unread.add(number)
        elif shape.has_text_frame:
            _text(shape.text_frame.paragraphs, number, draft)
    if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame):
        draft.paragraph(notes.text.replace("\v", "\n"), number)


def _chart(chart: Any, number: int, draft: Draft) -> None:
    """What a chart is called, and its values as a table: a row for each of what it compares."""
    tables = [_values(plot._element) for plot in chart.plots]
    if chart.has_title and chart.chart_title.has_text_frame:
        draft.paragraph(chart.chart_title.text_frame.text.replace("\v", " "), number)
    for table in tables:
        draft.table(table, number)


def _values(plot: Any) -> list[list[str]]:
    """The points that are there: of a file that says it has a thousand million, the library asks for each."""
    named = _points(plot, "./c:ser[1]/c:cat//c:lvl[1]/c:pt") or _points(
        plot, "./c:ser[1]/c:cat//c:pt"
    )
    names = ["".join(each.xpath("./c:tx//c:pt/c:v/text()")[:1]) for each in plot.sers]
    series = [_points(each, "./c:val//c:pt | ./c:yVal//c:pt") for each in plot.sers]
    places = sorted({place for points in (named, *series) for place in points})
    if len(places) * len(series) > _MOST_CELLS:
        raise ValueError(len(places) * len(series))
    first = [""] if named else []
    heads = [[*first, *names]] if places else []
    return heads + [
        [
            *(named.get(place, "") for _ in first),
            *(_said(points.get(place, "")) for points in series),
        ]
        for place in places
    ]


def _points(element: Any, path: str) -> dict[int, str]:
    return {each.idx: each.v.text or "" for each in element.xpath(path)}


def _said(value: str) -> str:
    """A value as a person would write it; that of a failed formula is no number."""
    try:
        return f"{float(value):.10g}"
    except ValueError:
        return value


def _shapes(shapes: Iterable[Any], depth: int) -> Iterator[Any]:
    for shape in shapes:
        if depth < _DEEPEST and hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes, depth + 1)
        else:
            yield shape


def _text(paragraphs: Iterable[Any], number: int, draft: Draft) -> None:
    """One paragraph alone is prose; several are the points of a list."""
    lines = [
        ("  " * min(paragraph.level, 8), " ".join(paragraph.text.replace("\v", " ").split()))
        for paragraph in paragraphs
    ]
    lines = [(indent, words) for indent, words in lines if words]
    if len(lines) == 1:
        draft.paragraph(lines[0][1], number)
    else:
        draft.items((f"{indent}- {words}" for indent, words in lines), number)
