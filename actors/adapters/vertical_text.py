"""Lays the letters of a line that runs from top to bottom beside each other, as engines read them."""

from typing import Any

_LEAST = 0.55
_MOST = 1.45
"""Heights of a letter in widths of its line."""

_BLANK = 0.04
"""Share of a row's pixels that are ink, below which it lies between two letters."""


def as_row(column: Any) -> Any:
    """The image of a line from top to bottom as that of one from left to right."""
    import numpy as np

    height, width = column.shape[:2]
    if height < _MOST * width:
        return column
    cells = []
    for top, bottom in _letters(column, width):
        cell = np.full((width, width, 3), 255, column.dtype)
        part = column[top:bottom][:width]
        begin = (width - len(part)) // 2
        cell[begin : begin + len(part)] = part
        cells.append(cell)
    return np.ascontiguousarray(np.concatenate(cells, axis=1))


def _letters(column: Any, width: int) -> list[tuple[int, int]]:
    """From where to where each letter reaches: gaps part them, and where there are none, their size."""
    grey = column.mean(axis=2)
    paper = float(grey.max())
    dark = (grey < paper - 0.35 * (paper - float(grey.min()))).mean(axis=1)
    height = len(dark)
    found: list[tuple[int, int]] = []
    top = 0
    while height - top > _LEAST * width:
        begin, end = top + int(_LEAST * width), min(top + int(_MOST * width), height)
        usual = min(top + width, height - 1)
        # The emptiest row near the usual size of a letter.
        rows = range(begin, max(end, begin + 1))
        cut = min(
            (row for row in rows if row < height),
            key=lambda row: (dark[row] > _BLANK, abs(row - usual), dark[row]),
            default=height,
        )
        found.append((top, cut))
        top = cut
    if height - top > 0.2 * width or not found:
        found.append((top, height))
    return found
