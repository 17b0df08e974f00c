"""How lines of plain text, reStructuredText and Markdown show what they are."""

import re

FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
HEADING = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+(?=\S)")
BULLET = re.compile(
    r"[ \t]*(?:[-*+•‣◦▪・]|[0-9]{1,3}[.)]|\([0-9a-zA-Z]{1,3}\)|[a-z]\))[ \t]+(?=\S)"
)

_CLOSING = re.compile(r"[ \t]#{1,100}\Z")
# These see lines without the blanks around them, so that no run of blanks can slow them down.
_UNDERLINE = re.compile(r"([=\-~^\"'*+.:_#])\1{2,}\Z")
_RULE = re.compile(r"([-*_=~])(?:[ \t]*\1){2,}\Z")
_GRID = re.compile(r"(?:\|.*\||\+[-=+]{2,})\Z")
_TABLE_RULE = re.compile(r"[|+]?[ \t]*:?-{2,}:?[ \t]*(?:[|+][ \t:\-]*)+\Z")
_LEVELS = {"=": 1, "-": 2, "~": 3}
_LONGEST_RULE = 10_000


def is_rule(bare: str) -> bool:
    """Whether a line (without blanks around it) only divides."""
    return len(bare) < _LONGEST_RULE and bool(_RULE.match(bare))


def is_underline(bare: str) -> bool:
    """Whether a line is one sign again and again."""
    return bool(_UNDERLINE.match(bare))


def is_grid(bare: str) -> bool:
    """Whether a line is drawn as a row of a table."""
    return bool(_GRID.match(bare))


def is_table_rule(bare: str) -> bool:
    """Whether a line is the one under the head of a table."""
    return len(bare) < _LONGEST_RULE and bool(_TABLE_RULE.match(bare))


def begins_table(line: str, below: str) -> bool:
    """Whether a table begins with a line, given the one below it."""
    if is_grid(line.strip()):
        return True
    return "|" in line and "|" in below and is_table_rule(below.strip())


def heading_title(line: str, heading: re.Match[str]) -> str:
    """The words of a heading that is marked in front of it, and perhaps behind."""
    return _CLOSING.sub("", line[heading.end() :].rstrip()).rstrip()


def underlined_level(line: str, below: str) -> int:
    """Level of a heading that is marked by the line below it, else 0."""
    rule = below.strip()
    mark = _UNDERLINE.match(rule)
    if not mark or BULLET.match(line):
        return 0
    sign = mark.group(1)
    # Markdown takes any length of = and -; the other marks must be as long as the title.
    if sign not in "=-" and len(rule) < len(line.strip()):
        return 0
    return _LEVELS.get(sign, 4)


def closes_fence(line: str, fence: str) -> bool:
    """Whether a line closes a fence that was opened with these signs."""
    bare = line.strip()
    return len(bare) >= len(fence) and not bare.strip(fence[0])


def opens_list(line: str) -> bool:
    """Whether a line in the middle of prose begins a list.

    A wrapped line may begin with "12. "; only a first number opens a list there.
    """
    bare = line.strip()
    return bool(BULLET.match(line)) and (not bare[0].isdigit() or bare[:2] in {"1.", "1)"})
