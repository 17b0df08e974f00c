"""Where the blocks of a text begin and end, to the character, as far as its lines show it.

Markdown, reStructuredText and plain text go through the same rules. A parser that knows a file's
format knows better; this serves where only the text is at hand.
"""

import re
from dataclasses import dataclass
from typing import Literal

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
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
_ATX = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+(?=\S)")
_CLOSING = re.compile(r"[ \t]#+\Z")
_MARKS = re.compile(r"[ \t]*(?:>[ \t]*)*")
# These see lines without the blanks around them, so that no run of blanks can slow them down.
_UNDERLINE = re.compile(r"([=\-~^\"'*+.:_#])\1{2,}\Z")
_RULE = re.compile(r"([-*_=~])(?:[ \t]*\1){2,}\Z")
_TABLE = re.compile(r"(?:\|.*\||\+[-=+]{2,})\Z")
TABLE_RULE = re.compile(r"[|+]?[ \t]*:?-{2,}:?[ \t]*(?:[|+][ \t:\-]*)+\Z")
_BULLET = re.compile(
    r"[ \t]*(?:[-*+•‣◦▪・]|[0-9]{1,3}[.)]|\([0-9a-zA-Z]{1,3}\)|[a-z]\))[ \t]+(?=\S)"
)
_LEVELS = {"=": 1, "-": 2, "~": 3}

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
    if fence := _FENCE.match(line):
        last = _fence_end(lines, at, fence.group(1))
        found.append(_block(lines, at, last, "code"))
        return last + 1
    if line.lstrip().startswith("<!--"):
        last = at
        while last + 1 < len(lines) and "-->" not in lines[last][1]:
            last += 1
        found.append(_block(lines, at, last, "aside"))
        return last + 1
    if heading := _ATX.match(line):
        title = _CLOSING.sub("", line[heading.end() :].rstrip()).rstrip()
        level, body = len(heading.group(1)), start + heading.end()
        found.append(Block(start, start + len(line), body, "heading", level, title))
        return at + 1
    if _is_table(lines, at):
        last = at
        while last + 1 < len(lines) and "|" in lines[last + 1][1]:
            last += 1
        found.append(_block(lines, at, last, "table"))
        return last + 1
    if _RULE.match(line.strip()) or _UNDERLINE.match(line.strip()):
        found.append(_block(lines, at, at, "aside"))
        return at + 1
    if level := _underlined(lines, at):
        below, rule = lines[at + 1]
        body = start + len(line) - len(line.lstrip())
        end = below + len(rule.rstrip())
        found.append(Block(start, end, body, "heading", level, line.strip()))
        return at + 2
    last = at
    in_list = bool(_BULLET.match(line))
    while last + 1 < len(lines) and not _interrupts(lines, last + 1, in_list=in_list):
        last += 1
    found.append(_block(lines, at, last, "item" if in_list else "prose"))
    return last + 1


def _block(lines: _Lines, first: int, last: int, kind: Kind) -> Block:
    end = lines[last][0] + len(lines[last][1].rstrip())
    return Block(lines[first][0], end, _words(lines[first]), kind)


def _words(line: tuple[int, str]) -> int:
    """Where a line's words begin."""
    marks = _MARKS.match(line[1])
    begin = marks.end() if marks else 0
    bullet = _BULLET.match(line[1], begin)
    return line[0] + (bullet.end() if bullet else begin)


def _fence_end(lines: _Lines, at: int, fence: str) -> int:
    for last in range(at + 1, len(lines)):
        line = lines[last][1].strip()
        if len(line) >= len(fence) and not line.strip(fence[0]):
            return last
    return len(lines) - 1


def _is_grid(lines: _Lines, at: int) -> bool:
    return at < len(lines) and bool(_TABLE.match(lines[at][1].strip()))


def _is_table(lines: _Lines, at: int) -> bool:
    if _is_grid(lines, at):
        return True
    below = lines[at + 1][1].strip() if at + 1 < len(lines) else ""
    return "|" in lines[at][1] and "|" in below and bool(TABLE_RULE.match(below))


def _underlined(lines: _Lines, at: int) -> int:
    """Level of a heading that is marked by the line under it, else 0."""
    title = lines[at][1].strip()
    below = lines[at + 1][1].strip() if at + 1 < len(lines) else ""
    mark = _UNDERLINE.match(below)
    if not mark or _BULLET.match(lines[at][1]):
        return 0
    sign = mark.group(1)
    # Markdown takes any length of = and -; the other marks must be as long as the title.
    if sign not in "=-" and len(below) < len(title):
        return 0
    return _LEVELS.get(sign, 4)


def _interrupts(lines: _Lines, at: int, *, in_list: bool) -> bool:
    """Whether a paragraph cannot go on over this line."""
    line = lines[at][1]
    if not line.strip() or _FENCE.match(line) or _ATX.match(line) or _is_table(lines, at):
        return True
    if _RULE.match(line.strip()) or line.lstrip().startswith("<!--"):
        return True
    bullet = _BULLET.match(line)
    # A wrapped line of prose may begin with "12. "; only a first number opens a list there.
    return bool(bullet) and (
        in_list or not line.strip()[0].isdigit() or line.strip()[:2] in {"1.", "1)"}
    )


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
