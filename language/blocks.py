"""Where the blocks of a text begin and end, to the character, as far as its lines show it.

Markdown, reStructuredText and plain text go through the same rules. A parser that knows a file's
format knows better; this serves where only the text is at hand.
"""

import re
from dataclasses import dataclass
from typing import Literal

from language import marks

Kind = Literal["heading", "prose", "item", "table", "code", "aside"]


@dataclass(frozen=True, slots=True)
class Block:
    """A run of whole lines that belong together."""

    start: int
    end: int
    """Without the last line's break."""

    body: int
    """Where its words begin, after a bullet or quotation mark."""

    kind: Kind
    level: int = 0
    """Of a heading, from 1."""

    title: str = ""
    """Of a heading, without its marks."""


LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_QUOTATION = re.compile(r"[ \t]*(?:>[ \t]*)*")

_Lines = list[tuple[int, str]]
"""Where each line begins, and what it says without its break."""


def blocks(text: str) -> list[Block]:
    """The blocks of a text, in order; what lies between them is blank."""
    lines = [(m.start(), m.group().rstrip("\r\n")) for m in LINE.finditer(text)]
    found: list[Block] = []
    at = _skip_front_matter(text, lines, found)
    while at < len(lines):
        at = _next_block(lines, at, found)
    return found


def _next_block(lines: _Lines, at: int, found: list[Block]) -> int:
    """Append the block that begins at a line, if any; return the line after it."""
    start, line = lines[at]
    if not line.strip():
        return at + 1
    if fence := marks.FENCE.match(line):
        last = _fence_end(lines, at, fence.group(1))
        found.append(_block(lines, at, last, "code"))
        return last + 1
    if line.lstrip().startswith("<!--"):
        last = at
        while last + 1 < len(lines) and "-->" not in lines[last][1]:
            last += 1
        found.append(_block(lines, at, last, "aside"))
        return last + 1
    if heading := marks.HEADING.match(line):
        title = marks.heading_title(line, heading)
        level, body = len(heading.group(1)), start + heading.end()
        found.append(Block(start, start + len(line), body, "heading", level, title))
        return at + 1
    if _is_table(lines, at):
        last = at
        while last + 1 < len(lines) and "|" in lines[last + 1][1]:
            last += 1
        found.append(_block(lines, at, last, "table"))
        return last + 1
    if marks.is_rule(line.strip()) or marks.is_underline(line.strip()):
        found.append(_block(lines, at, at, "aside"))
        return at + 1
    if level := marks.underlined_level(line, _below(lines, at)):
        below, rule = lines[at + 1]
        body = start + len(line) - len(line.lstrip())
        end = below + len(rule.rstrip())
        found.append(Block(start, end, body, "heading", level, line.strip()))
        return at + 2
    last = at
    in_list = bool(marks.BULLET.match(line))
    while last + 1 < len(lines) and not _interrupts(lines, last + 1, in_list=in_list):
        last += 1
    found.append(_block(lines, at, last, "item" if in_list else "prose"))
    return last + 1


def _block(lines: _Lines, first: int, last: int, kind: Kind) -> Block:
    end = lines[last][0] + len(lines[last][1].rstrip())
    return Block(lines[first][0], end, _words(lines[first]), kind)


def _words(line: tuple[int, str]) -> int:
    """Where a line's words begin."""
    quoted = _QUOTATION.match(line[1])
    begin = quoted.end() if quoted else 0
    bullet = marks.BULLET.match(line[1], begin)
    return line[0] + (bullet.end() if bullet else begin)


def _fence_end(lines: _Lines, at: int, fence: str) -> int:
    for last in range(at + 1, len(lines)):
        if marks.closes_fence(lines[last][1], fence):
            return last
    return len(lines) - 1


def _is_table(lines: _Lines, at: int) -> bool:
    return marks.begins_table(lines[at][1], _below(lines, at))


def _below(lines: _Lines, at: int) -> str:
    return lines[at + 1][1] if at + 1 < len(lines) else ""


def _interrupts(lines: _Lines, at: int, *, in_list: bool) -> bool:
    """Whether a paragraph cannot go on over this line."""
    line = lines[at][1]
    if not line.strip() or marks.FENCE.match(line) or marks.HEADING.match(line):
        return True
    if _is_table(lines, at) or marks.is_rule(line.strip()) or line.lstrip().startswith("<!--"):
        return True
    return bool(marks.BULLET.match(line)) if in_list else marks.opens_list(line)


def _skip_front_matter(text: str, lines: _Lines, found: list[Block]) -> int:
    """Pass over the settings some files begin with; return the first line after them."""
    fence = lines[0][1].strip() if lines else ""
    if fence not in {"---", "+++"}:
        return 0
    for last in range(1, min(len(lines), 80)):
        line = lines[last][1].strip()
        if line == fence or line == "...":
            inside = text[lines[1][0] : lines[last][0]]
            if ":" in inside or "=" in inside:
                found.append(_block(lines, 0, last, "aside"))
                return last + 1
            return 0
    return 0
