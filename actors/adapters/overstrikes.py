"""What a printer or a terminal shows of a text that was written for it: bold by overstriking, colours by signals."""

import re

_SIGNALS = re.compile(
    r"\x1b(?:\[[0-9:;<=>?]{0,60}[ -/]{0,4}[@-~]|\][^\x07\x1b\r\n]{0,4000}(?:\x07|\x1b\\)|[()][0-9A-Z])"
)
"""Colours and weights, links, and choices of a character set."""

_LINE = re.compile(r"[^\r\n]+")


def as_printed(text: str) -> str:
    """The letters that are seen: of those in one place the last, and no underline below one."""
    if "\x1b" in text:
        text = _SIGNALS.sub("", text)
    return _LINE.sub(_line, text) if "\x08" in text else text


def _line(found: re.Match[str]) -> str:
    line = found.group()
    if "\x08" not in line:
        return line
    seen: list[str] = []
    at = 0
    for letter in line:
        if letter == "\x08":
            at = max(at - 1, 0)
        elif at == len(seen):
            seen.append(letter)
            at += 1
        else:
            if letter not in " _":
                seen[at] = letter
            at += 1
    return "".join(seen)
