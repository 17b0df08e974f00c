"""Reads plain text and reStructuredText, and Markdown too large for a true parser of it.

The text of the document is the decoded file itself, so a span in it is a place in the file. One
pass over the lines, whatever they hold.
"""

import re
from array import array
from dataclasses import replace

from actors.adapters.contents import Contents, contents_of
from actors.adapters.decoding import decode_text
from actors.adapters.draft import Kind, Span, bounded, document, file_title, one_line
from actors.adapters.man_pages import is_manual, rejoined, sections_of
from actors.adapters.page_marks import page_marks_of
from actors.ports import Block, Parsed
from language import marks

_LONGEST_TITLE = 300
_LARGEST = 8_000_000
"""Characters of a text in which a table of contents is looked for."""

_NOWHERE = -1
_TITLE = 100
_GAP = re.compile(r"\s{3}")
"""What stands between the parts of a running head."""


_BREAK = re.compile(r"\r\n?|\n")
_SIGNS = frozenset("`~#|+-=*_^\"'.:(0123456789•‣◦▪・<")
"""Every line that is not prose begins with one of these, or is a letter and a bracket."""


def parse_plain(name: str, raw: bytes) -> Parsed:
    """Paragraphs, headings, lists and grids of a text file; its table of contents is found by nobody."""
    text = decode_text(name, raw)
    media_type = "text/x-rst" if name.casefold().endswith(".rst") else "text/plain"
    contents = None
    if len(text) <= _LARGEST:
        if is_manual(text):
            text = rejoined(text)
        lines = _BREAK.split(text)
        contents = sections_of(lines) or contents_of(lines)
        if marks := page_marks_of(lines):
            told = contents or Contents(_NOWHERE, _NOWHERE, ())
            contents = replace(told, asides=told.asides | marks)
    blocks = bounded(_Reader(text, contents).read())
    title = contents.title if contents else None
    # Where only its chapters are known as headings, none of them is what it is called.
    chaptered = contents and contents.first != _NOWHERE
    if chaptered and not title and not any(block.level == 1 for block in blocks):
        title = file_title(name)
    return document(name, media_type, text, blocks, title=title)


def plain_blocks(text: str) -> list[Block]:
    """The blocks of a text, in order; what lies between them is blank."""
    return bounded(_Reader(text).read())


class _Reader:
    def __init__(self, text: str, contents: Contents | None = None) -> None:
        self._text, self._contents = text, contents
        self._named = {each.first: each for each in contents.headings} if contents else {}
        """Headings that the contents name, by their first lines."""

        self._starts = array("q", [0])
        self._starts.extend(found.end() for found in _BREAK.finditer(text))
        self._count = len(self._starts)
        self._starts.append(len(text))
        self._found: list[Span] = []
        self._unclosed: dict[str, int] = {}
        """By the sign of a fence, the shortest one that nothing below closes."""

    def read(self) -> list[Span]:
        at = 0
        while at < self._count:
            at = self._next(at)
        return self._found

    def _next(self, at: int) -> int:
        """Append the block that begins at a line, if any; return the line after it."""
        line = self._line(at)
        bare = line.strip()
        if not bare:
            return at + 1
        if (told := self._told_by_contents(at, bare)) is not None:
            return told
        if bare[0] in _SIGNS or "|" in bare or bare[1:2] == ")":
            last = self._signed(at, line, bare)
            if last is not None:
                return last
        if level := self._underlined(at, line):
            return self._heading(at, at + 1, level, bare)
        last = at
        while not self._interrupts(last + 1):
            last += 1
        return self._block(at, last, "paragraph")

    def _told_by_contents(self, at: int, bare: str) -> int | None:
        """The contents themselves, a heading that they name, or what stands over all of it."""
        if self._contents is None:
            return None
        if at == self._contents.first:
            return self._block(at, self._contents.last, "aside")
        if at in self._contents.asides:
            return self._block(at, at, "aside")
        if named := self._named.get(at):
            title = " ".join(self._line(each) for each in range(at, named.last + 1))
            underlined = marks.is_underline(self._line(named.last + 1).strip())
            return self._heading(at, named.last + underlined, named.depth + 1, one_line(title))
        alone = not self._found and at < self._contents.first and not self._line(at + 1).strip()
        if alone and len(bare) <= _TITLE and not _GAP.search(bare):
            return self._heading(at, at, 1, bare)
        return None

    def _signed(self, at: int, line: str, bare: str) -> int | None:
        """What begins with a sign that may mark it as more than prose."""
        if fence := marks.FENCE.match(line):
            return self._block(at, self._fence_end(at, fence.group(1)), "code")
        if (heading := marks.HEADING.match(line)) and self._is_heading(at, heading):
            return self._marked_heading(at, heading)
        if self._is_table(at):
            return self._block(at, self._last_with_bars(at), "table")
        if marks.is_rule(bare) or marks.is_underline(bare):
            return self._block(at, at, "aside")
        if marks.BULLET.match(line):
            return self._block(at, self._list_end(at), "list")
        return None

    def _block(self, first: int, last: int, kind: Kind) -> int:
        start = self._starts[first]
        if kind == "paragraph":
            head = self._line(first)
            start += len(head) - len(head.lstrip())
        end = self._starts[last] + len(self._line(last).rstrip())
        self._found.append((kind, start, end, 0, "", None))
        return last + 1

    def _heading(self, first: int, last: int, level: int, title: str) -> int:
        end = self._starts[last] + len(self._line(last).rstrip())
        self._found.append(("heading", self._starts[first], end, level, title, None))
        return last + 1

    def _marked_heading(self, at: int, heading: re.Match[str]) -> int:
        title = marks.heading_title(self._line(at), heading)
        return self._heading(at, at, len(heading.group(1)), title)

    def _is_heading(self, at: int, heading: re.Match[str]) -> bool:
        """Lines of one mark below each other are a comment, not headings."""
        if len(self._line(at)) > _LONGEST_TITLE:
            return False
        around = (marks.HEADING.match(self._line(at + step)) for step in (-1, 1))
        return not any(other and other.group(1) == heading.group(1) for other in around)

    def _fence_end(self, at: int, fence: str) -> int:
        if len(fence) >= self._unclosed.get(fence[0], len(fence) + 1):
            return at
        for last in range(at + 1, self._count):
            if marks.closes_fence(self._line(last), fence):
                return last
        # A fence that is never closed would hide the rest of the text.
        self._unclosed[fence[0]] = len(fence)
        return at

    def _is_table(self, at: int) -> bool:
        return marks.begins_table(self._line(at), self._line(at + 1))

    def _last_with_bars(self, at: int) -> int:
        last = at
        while "|" in self._line(last + 1) or self._line(last + 1).lstrip().startswith("+-"):
            last += 1
        return last

    def _list_end(self, at: int) -> int:
        """The last line of a list: its items, and what is indented or goes on under them."""
        last = at
        while True:
            below = self._line(last + 1)
            if not below.strip():
                further = self._line(last + 2)
                if not marks.BULLET.match(further) or self._begins_anew(last + 2):
                    return last
                last += 2
            elif self._begins_anew(last + 1) or (
                self._interrupts(last + 1) and not marks.BULLET.match(below)
            ):
                return last
            else:
                last += 1

    def _underlined(self, at: int, line: str) -> int:
        """Level of a heading that is marked by the line under it, else 0."""
        if len(line) > _LONGEST_TITLE:
            return 0
        return marks.underlined_level(line, self._line(at + 1))

    def _interrupts(self, at: int) -> bool:
        """Whether a paragraph cannot go on over this line."""
        line = self._line(at)
        bare = line.strip()
        if not bare or self._begins_anew(at):
            return True
        if bare[0] not in _SIGNS and "|" not in bare and bare[1:2] != ")":
            return False
        if marks.FENCE.match(line) or self._is_table(at) or marks.is_rule(bare):
            return True
        if (heading := marks.HEADING.match(line)) and self._is_heading(at, heading):
            return True
        return marks.opens_list(line)

    def _begins_anew(self, at: int) -> bool:
        """Whether the contents, or a heading that they name, begin with a line."""
        if at in self._named:
            return True
        told = self._contents
        return told is not None and (at == told.first or at in told.asides)

    def _line(self, at: int) -> str:
        if not 0 <= at < self._count:
            return ""
        return self._text[self._starts[at] : self._starts[at + 1]].rstrip("\r\n")
