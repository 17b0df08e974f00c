"""Manual pages as text: the sections of a page in the language of man and mdoc."""

import re

from bench.labelled.texts import squeezed

_SHOWN = frozenset(
    {
        *("B", "I", "BR", "IR", "RB", "BI", "IB", "RI", "SM", "SB", "IP", "UR", "MT", "Nm"),
        *("Nd", "Fl", "Ar", "Pa", "Xr", "Dv", "Em", "Cm", "Ic", "Va", "Fn", "Sy", "Li"),
        *("Ql", "It", "Op", "Dq", "Sq", "Pq"),
    }
)
"""Macros whose words a reader reads."""

_JOINING = frozenset({"BR", "IR", "RB", "BI", "IB", "RI"})
"""Macros that set their words side by side, each in another type."""

_SECTION, _BELOW = frozenset({"SH", "Sh"}), frozenset({"SS", "Ss"})
_LETTERS = {
    "\\-": "-",
    "\\(em": "—",
    "\\(en": "-",
    "\\(aq": "'",
    "\\(dq": '"',
    "\\(lq": '"',
    "\\(rq": '"',
    "\\e": "\\",
    "\\ ": " ",
    "\\~": " ",
} | dict.fromkeys(("\\&", "\\,", "\\/", "\\:", "\\|", "\\^", "\\%", "\\c"), "")

_COMMENT_LINE = re.compile(r"(?m)^[.']\s*\\\".*\n")
_COMMENT = re.compile(r"\\\".*")
_DEFINED = re.compile(r"(?ms)^\.(de|ig)\b.*?^\.\.\s*$")
_TABLE = re.compile(r"(?ms)^\.TS.*?^\.TE")
_HEADING_BELOW = re.compile(r"(?m)^\.(SH|SS|Sh|Ss)[ \t]*\n(.*)$")
_MACRO = re.compile(r"^[.']\s*([A-Za-z]+)\s*(.*)$")


def sections_of(page: str) -> dict[str, str]:
    """The sections of a page by their headings; none of a page that only points to another."""
    if re.match(r"\s*\.so ", page) or len(page) < 300:
        return {}
    for left_out in (_COMMENT_LINE, _COMMENT, _DEFINED, _TABLE):
        page = left_out.sub("", page)
    found: dict[str, list[str]] = {}
    within: list[str] | None = None
    for line in _HEADING_BELOW.sub(r".\1 \2", page).split("\n"):
        macro = _MACRO.match(line)
        if macro is None:
            said = line
        elif macro[1] in _SECTION:
            within = found.setdefault(_plain(macro[2].strip().strip('"')).strip(), [])
            continue
        elif macro[1] in _BELOW:
            said = macro[2].strip().strip('"')
        elif macro[1] in _SHOWN:
            said = (_side_by_side(macro[2]) if macro[1] in _JOINING else macro[2]).replace('"', "")
        else:
            continue
        if within is not None:
            within.append(_plain(said))
    return {heading: squeezed(" ".join(lines)) for heading, lines in found.items()}


def _side_by_side(words: str) -> str:
    """Words without the blanks between them, but with those within quotes."""
    kept = re.sub(r'"([^"]*)"', lambda quoted: quoted[1].replace(" ", "\x03"), words)
    return re.sub(r"(?<=\S) (?=\S)", "", kept).replace("\x03", " ")


def _plain(line: str) -> str:
    """A line without changes of type and size, and with letters for their names."""
    line = re.sub(r"\\f(\(..|\[[^\]]*\]|.)", "", line)
    line = re.sub(r"\\s[-+]?\d", "", line)
    for name, letter in _LETTERS.items():
        line = line.replace(name, letter)
    line = re.sub(r"\\\((..)", " ", line)
    line = re.sub(r"\\\[[^\]]*\]", " ", line)
    return re.sub(r"\\[*n](\(..|.)", "", line)
