"""Where the blocks and sentences of a text begin and end, to the character.

Everything here is a span: the text itself is never changed, so whatever is cut out by a span is
verbatim. Markdown, reStructuredText and plain text go through the same rules.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

Kind = Literal["heading", "prose", "item", "table", "code", "aside"]

QUOTABLE = 450
"""Longest excerpt that is taken whole; a longer sentence is clipped at a clause or word end."""

LONGEST = 2000
"""No writer's sentence is longer; beyond this a run of text is cut at a clause or word end."""


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


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, table row or piece of code at its place."""

    start: int
    end: int
    kind: Kind
    block: int
    """Where its block begins: sentences of one paragraph share it."""


# -- blocks --------------------------------------------------------------------------------------

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
_ATX = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+(?=\S)")
_CLOSING = re.compile(r"[ \t]#+\Z")
_MARKS = re.compile(r"[ \t]*(?:>[ \t]*)*")
# These see lines without the blanks around them, so that no run of blanks can slow them down.
_UNDERLINE = re.compile(r"([=\-~^\"'*+.:_#])\1{2,}\Z")
_RULE = re.compile(r"([-*_=~])(?:[ \t]*\1){2,}\Z")
_TABLE = re.compile(r"(?:\|.*\||\+[-=+]{2,})\Z")
_TABLE_RULE = re.compile(r"[|+]?[ \t]*:?-{2,}:?[ \t]*(?:[|+][ \t:\-]*)+\Z")
_BULLET = re.compile(
    r"[ \t]*(?:[-*+•‣◦▪・]|[0-9]{1,3}[.)]|\([0-9a-zA-Z]{1,3}\)|[a-z]\))[ \t]+(?=\S)"
)
_LEVELS = {"=": 1, "-": 2, "~": 3}

_Lines = list[tuple[int, str]]
"""Where each line begins, and what it says without its break."""


def blocks(text: str) -> list[Block]:
    """The blocks of a text, in order; what lies between them is blank."""
    lines = [(m.start(), m.group().rstrip("\r\n")) for m in _LINE.finditer(text)]
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
    return "|" in lines[at][1] and "|" in below and bool(_TABLE_RULE.match(below))


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


# -- sentences -----------------------------------------------------------------------------------

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
_STOP = re.compile(
    rf"(?P<wide>[。\uff01\uff1f｡]+(?P<close>[」』】\uff09\u3015”’\"')\]]*))"
    rf"|(?<![.!?…।؟])[.!?…।؟]+[\"'”’»)\]*_`]*(?:\[\^?\w{{1,4}}\])*(?=\s|\Z|[{_CJK}])"
)
_BEFORE = re.compile(r"[\w.&’'-]+\Z")
_AFTER = re.compile(r"\s*[\"'“\u2018«(\[*_>]*\s*([^\s\"'“\u2018«(\[*_>]{1,40})?")
_DOTTED = re.compile(r"(?:[A-Za-z]{1,2}\.)+[A-Za-z]{1,2}\Z")
_CAMEL = re.compile(r"[a-z]{1,2}[A-Z]")


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_NEVER_LAST = _listed(
    """
    dr mr mrs ms prof st mt ft gen col sgt capt lt cmdr adm rev hon gov sen rep pres messrs
    mme mlle fig figs eq eqs sec ch chap vol vols pp ed eds trans ref refs tab app art cf e.g
    i.e viz vs v approx ca c.f resp incl excl esp al.
    """
)
"""Abbreviations that introduce what follows, so no sentence ends on them."""

_SELDOM_LAST = _listed(
    """
    etc al jr sr inc ltd co corp plc llc bros dept univ assn est jan feb mar apr jun jul aug
    sep sept oct nov dec a.m p.m u.s u.k u.n e.u ph.d m.d b.a m.a b.sc m.sc d.c b.c a.d b.c.e
    c.e no nos p min max avg temp cu sq hr hrs km lb lbs oz ave blvd rd
    """
)
"""Abbreviations that may end a sentence: what follows decides."""

_OPENERS = _listed(
    """
    the a an this that these those it its he she they we i you there here in on at by for from
    with as to of and but or so yet if when while where after before since although though
    however because once during under over between both each many most some such all no not
    his her their our your my one two what which who why how another other then thus therefore
    moreover furthermore also according today until unlike like despite
    """
)
"""Words that, capitalised, begin a sentence rather than a name."""


def sentences(text: str, start: int = 0, end: int | None = None) -> list[Sentence]:
    """The sentences of the blocks that touch a span; without one, of the whole text.

    Headings, table rows and pieces of code come as one sentence each, by their kind.
    """
    last = len(text) if end is None else end
    return [
        sentence
        for block in blocks(text)
        if block.end > start and block.start < last
        for sentence in of_block(text, block)
    ]


def of_block(text: str, block: Block) -> list[Sentence]:
    """The sentences of one block."""
    if block.kind == "aside":
        return []
    if block.kind == "heading":
        return [Sentence(block.body, block.body + len(block.title), block.kind, block.start)]
    if block.kind == "code":
        return [Sentence(block.body, block.end, block.kind, block.start)]
    cut = _rows(text, block) if block.kind == "table" else _split(text, block.body, block.end)
    return [
        Sentence(first, stop, block.kind, block.start)
        for begin, finish in cut
        for first, stop in _bounded(text, begin, finish)
    ]


def clip(text: str, start: int, end: int, limit: int = QUOTABLE) -> tuple[int, int]:
    """The span, shortened to a clause end or word end where it is over the limit."""
    if end - start <= limit:
        return start, end
    return start, _break(text, start, start + limit)


def _rows(text: str, block: Block) -> Iterator[tuple[int, int]]:
    for line in _LINE.finditer(text, block.start, block.end):
        row = line.group().rstrip()
        if row and not _TABLE_RULE.match(row.strip()) and row.strip("|+-=: \t"):
            lead = len(row) - len(row.lstrip())
            yield line.start() + lead, line.start() + len(row)


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans of the sentences of a paragraph, without the blanks between them."""
    ends = [m.end() for m in _STOP.finditer(text, start, end) if _is_end(text, start, m, end)]
    begin = start
    for stop in sorted({*ends, *_line_ends(text, start, end), end}):
        first, last = _trim(text, begin, stop)
        if first < last:
            yield first, last
        begin = stop


def _is_end(text: str, start: int, stop: re.Match[str], end: int) -> bool:
    """Whether a mark that can end a sentence does so here."""
    after = _AFTER.match(text, stop.end(), end)
    word = after.group(1) if after and after.group(1) else ""
    if stop.group("wide"):
        # 「行く。」と言った: the quotation is over, the sentence is not.
        return not stop.group("close") or not word or text[stop.end()].isspace()
    if not word:
        return True
    if (word[0].islower() and not _CAMEL.match(word)) or word[0] in ",;:)%":
        return False
    if text[stop.start()] != "." or stop.group().startswith(".."):
        return True
    before = _BEFORE.search(text, max(start, stop.start() - 24), stop.start())
    token = before.group() if before else ""
    return _period_ends(token, word)


def _period_ends(token: str, word: str) -> bool:
    """Whether the period between a token and the next word ends a sentence."""
    opens = word.strip("\"'“”’.,;:").casefold() in _OPENERS
    short = token.casefold().lstrip("'’")
    if short in _NEVER_LAST:
        return False
    if short == "no" or short == "nos":
        return not word[0].isdigit()
    if short in _SELDOM_LAST or _DOTTED.match(token):
        return opens
    if len(token) == 1 and token.isalpha():
        return opens  # J. K. Rowling and (b. 1950), but also: vitamin C. The …
    return True


def _line_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Ends of lines that stand alone, like a title above its paragraph in plain text."""
    lines = [(m.start(), m.group().rstrip()) for m in _LINE.finditer(text, start, end) if m.group()]
    for (begin, line), (_, below) in pairwise(lines):
        follows = below.lstrip("> \t")
        if (
            len(line) < 60
            and len(line) < 0.6 * len(below)
            and line[-1:].isalnum()
            and follows[:1].isupper()
            and line.lstrip("> \t")[:1].isupper()
        ):
            yield begin + len(line)


def _bounded(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > LONGEST:
        stop = _break(text, start, start + LONGEST)
        yield start, stop
        start, end = _trim(text, stop, end)
    if start < end:
        yield start, end


_CLAUSE = re.compile(r"[;:,)]\s|[、。\uff0c\uff1b\uff1a\uff09]|\s[–—-]\s")


def _break(text: str, start: int, limit: int) -> int:
    """The best place before `limit` to stop: after a clause, else after a word."""
    half = start + (limit - start) // 2
    clauses = [m.start() + 1 for m in _CLAUSE.finditer(text, half, limit)]
    if clauses:
        return _trim(text, start, clauses[-1])[1]
    for stop in range(limit, half, -1):
        if text[stop].isspace():
            return _trim(text, start, stop)[1]
    stop = limit
    while stop > half and _inside_word(text, stop):
        stop -= 1
    # A "word" of a thousand letters is none: it is cut where it must be.
    return stop if stop > half else limit


def _inside_word(text: str, stop: int) -> bool:
    before, after = text[stop - 1], text[stop]
    return before.isalnum() and after.isalnum() and before.isascii() and after.isascii()


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end
