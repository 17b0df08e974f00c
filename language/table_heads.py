"""The column heads of a row that stands far below them: what its cells mean is said there, and not beside it."""

import re

from language.marks import is_grid

LONGEST = 600
"""Characters of heads that are shown; a table of more columns than fit says nothing by them at a glance."""

_OPENING = 16_384
"""Characters of a table within which its heads stand, with a paragraph that runs into it."""

_BLANK_LINES = ("\n\n", "\n\r\n")
_DRAWN = re.compile(r"[ \t]*+(?=[|+]|[ \t:]*+-)[|+ \t:=-]++")

_GAP = re.compile(r" {2,}|\t")
_FIGURE = re.compile(r"[^\w]*\d")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")


def heads_over(text: str, start: int) -> str:
    """The lines of column heads above a place in a table, word for word; nothing where they begin with it or are none.

    A text without marks says where a table is only by gaps in its lines. There the first line is one of heads where it
    has as many cells as the row, and figures stand only below it.
    """
    begin = _beginning(text, start)
    here = text.rfind("\n", begin, start) + 1 or begin
    opening = text[begin : min(here, begin + _OPENING)]
    row = _line(text, here)
    if not opening.strip() or not row.strip():
        return ""
    lines = [line.rstrip("\r") for line in opening.rstrip("\r\n").split("\n")]
    heads = _ruled(lines) if "|" in row else _spaced(lines[0], row)
    return heads if len(heads) <= LONGEST else ""


def may_be_row(text: str) -> bool:
    """Whether words may be cells: there is something between them that parts cells."""
    return "|" in text or bool(_GAP.search(text.strip()))


def _beginning(text: str, start: int) -> int:
    """Where the block of lines begins that a place is in."""
    found = ((text.rfind(blank, 0, start), len(blank)) for blank in _BLANK_LINES)
    return max((at + length for at, length in found if at >= 0), default=0)


def _line(text: str, begin: int) -> str:
    """The line that begins there; nothing for one that is too long to be a row."""
    line = text[begin : begin + _OPENING].partition("\n")[0]
    return line if len(line) < _OPENING else ""


def _ruled(lines: list[str]) -> str:
    """What stands over the rule under the heads; a double one, if there is any."""
    rules = [place for place, line in enumerate(lines) if _is_rule(line)]
    double = [place for place in rules if "=" in lines[place]]
    for place in double or rules:
        heads: list[str] = []
        for line in reversed(lines[:place]):
            if "|" not in line or _is_rule(line) or (heads and not is_grid(line.strip())):
                break
            heads.append(line.strip())
        if heads:
            # Of several lines over a rule, all are heads only where the grid is drawn.
            if lines[place].lstrip().startswith("+"):
                return "\n".join(reversed(heads))
            return "\n".join([heads[0], *_second_heads(lines[place + 1 :])])
    return ""


def _is_rule(line: str) -> bool:
    """Whether a line is the one under the heads, or one that is drawn between rows."""
    crossed, drawn = ("|" in line or "+" in line), ("-" in line or "=" in line)
    return crossed and drawn and _DRAWN.fullmatch(line) is not None


def _second_heads(rows: list[str]) -> list[str]:
    """Rows under the rule that name parts of columns: they have nothing in the first one, and no figures."""
    found: list[str] = []
    for row in rows:
        first, *cells = (cell.strip() for cell in row.strip().strip("|").split("|"))
        if first or not any(cells) or any(map(_is_figure, cells)):
            break
        found.append(row.strip())
    return found


def _spaced(head: str, row: str) -> str:
    over, below = (_GAP.split(line.strip()) for line in (head, row))
    if len(over) != len(below) or len(over) < 2 or any(map(_is_figure, over)):
        return ""
    return head.strip() if any(map(_is_figure, below)) else ""


def _is_figure(cell: str) -> bool:
    """Whether a cell is a value; a year may be what a column is called."""
    return bool(_FIGURE.match(cell)) and not _YEAR.fullmatch(cell)
