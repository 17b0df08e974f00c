"""Where the sentences of a text begin and end, to the character.

Everything here is a span: the text itself is never changed, so whatever is cut out by a span is
verbatim.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from language.blocks import LINE, Block, Kind, blocks
from language.borders import border_after, cut_before, trimmed
from language.marks import is_table_rule

QUOTABLE = 450
"""Longest excerpt that is taken whole; a longer sentence is clipped at a clause or word end."""

CUT = " [...]"
"""Stands at the end of an excerpt whose passage goes on."""

LONGEST = 2000
"""No writer's sentence is longer; beyond this a run of text is cut at a clause or word end."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, table row or piece of code at its place."""

    start: int
    end: int
    kind: Kind
    block: int
    """Where its block begins: sentences of one paragraph share it."""


_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
_STOP = re.compile(
    rf"(?P<wide>[。\uff01\uff1f｡]+(?P<close>[」』】\uff09\u3015”’\"')\]]*))"
    rf"|(?<![.!?…।؟])[.!?…।؟]+[\"'”’»)\]*_`]*(?:\[\^?\w{{1,4}}\])*(?=\s|\Z|[{_CJK}])"
)
_GOES_ON = re.compile("[とはがのをにもへでだなやかっらよりし、\uff0c,。」』\uff09]")
"""What a Japanese sentence goes on with behind a quotation; anything else begins the next one."""

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
    cut = _rows(text, block) if block.kind == "table" else split(text, block.body, block.end)
    return [
        Sentence(first, stop, block.kind, block.start)
        for begin, finish in cut
        for first, stop in _bounded(text, begin, finish)
    ]


def clip(text: str, start: int, end: int, limit: int = QUOTABLE) -> tuple[int, int]:
    """The span, shortened to a clause end or word end where it is over the limit."""
    if end - start <= limit:
        return start, end
    return start, cut_before(text, start, start + limit)


def _rows(text: str, block: Block) -> Iterator[tuple[int, int]]:
    for line in LINE.finditer(text, block.start, block.end):
        row = line.group().rstrip()
        if row and not is_table_rule(row.strip()) and row.strip("|+-=: \t"):
            lead = len(row) - len(row.lstrip())
            yield line.start() + lead, line.start() + len(row)


def split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans of the sentences of a paragraph, without the blanks between them."""
    ends = [
        border_after(text, stop.end(), end)
        for stop in _STOP.finditer(text, start, end)
        if _is_end(text, start, stop, end)
    ]
    begin = start
    for stop in sorted({*ends, *_line_ends(text, start, end), end}):
        first, last = trimmed(text, begin, stop)
        if first < last:
            yield first, last
        begin = stop


def _is_end(text: str, start: int, stop: re.Match[str], end: int) -> bool:
    """Whether a mark that can end a sentence does so here."""
    after = _AFTER.match(text, stop.end(), end)
    word = after.group(1) if after and after.group(1) else ""
    if stop.group("wide"):
        # 「行く。」と言った: the quotation is over, the sentence is not.
        return not stop.group("close") or not _GOES_ON.match(text, stop.end(), end)
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
    lines = [(m.start(), m.group().rstrip()) for m in LINE.finditer(text, start, end) if m.group()]
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
        stop = cut_before(text, start, start + LONGEST)
        yield start, stop
        start, end = trimmed(text, stop, end)
    if start < end:
        yield start, end
