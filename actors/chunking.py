"""Cuts a text into the pieces that are found and quoted as wholes.

A chunk never crosses a heading and never splits a sentence. Tables and code stand alone and stay
whole where they fit.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from actors.ports import Chunk
from actors.sentences import Block, blocks, of_block

VERSION = 1
"""Changes when the same text would be cut differently."""

TARGET = 1200
"""Characters of prose gathered into one chunk."""

WHOLE = 2400
"""Up to this long, a table or a piece of code is not cut."""

_CONTENT_TYPES = {"table": "table", "code": "code_block"}


def chunk(text: str) -> tuple[Chunk, ...]:
    """The chunks of a text, in order; a text without words has none."""
    return tuple(_chunks(text))


def first_heading(text: str) -> str | None:
    """The title a text gives itself, if it does."""
    return next((block.title for block in blocks(text) if block.kind == "heading"), None)


@dataclass(slots=True)
class _Path:
    """The headings above the current place."""

    open: list[tuple[int, str]] = field(default_factory=list)
    bare: Block | None = None
    """The last heading, while nothing has stood under it."""

    def enter(self, heading: Block) -> Chunk | None:
        """Go under a heading; the one before, if it was left without content, is a chunk itself."""
        left = self.leave(heading.level)
        while self.open and self.open[-1][0] >= heading.level:
            self.open.pop()
        self.open.append((heading.level, heading.title))
        self.bare = heading
        return left

    def leave(self, level: int = 0) -> Chunk | None:
        """What remains of a heading with nothing under it when the next one is not below it."""
        bare, self.bare = self.bare, None
        if bare is None or level > bare.level:
            return None
        return Chunk(start=bare.body, end=bare.body + len(bare.title), headings=self.titles)

    @property
    def titles(self) -> tuple[str, ...]:
        return tuple(title for _, title in self.open)


def _chunks(text: str) -> Iterator[Chunk]:
    path = _Path()
    gathered: list[Block] = []
    for block in blocks(text):
        if block.kind == "aside":
            continue
        if block.kind in {"heading", "table", "code"}:
            yield from _prose(text, gathered, path.titles)
            gathered = []
        if block.kind == "heading":
            if left := path.enter(block):
                yield left
            continue
        path.bare = None
        if block.kind in {"table", "code"}:
            yield from _lines(text, block, path.titles)
        else:
            gathered.append(block)
    yield from _prose(text, gathered, path.titles)
    if left := path.leave():
        yield left


def _prose(text: str, gathered: list[Block], headings: tuple[str, ...]) -> Iterator[Chunk]:
    """Paragraphs and list items, packed."""
    pieces = [piece for block in gathered for piece in _pieces(text, block)]
    for start, end in _packed(pieces, TARGET):
        yield Chunk(start=start, end=end, headings=headings)


def _pieces(text: str, block: Block) -> Iterable[tuple[int, int]]:
    """A block whole, or its sentences packed where it is too long."""
    if block.end - block.start <= TARGET:
        return [(block.start, block.end)]
    return _packed([(part.start, part.end) for part in of_block(text, block)], TARGET)


def _lines(text: str, block: Block, headings: tuple[str, ...]) -> Iterator[Chunk]:
    """A table or a piece of code, whole or cut between lines."""
    spans = [(block.start, block.end)]
    if block.end - block.start > WHOLE:
        spans = list(_packed(list(_line_spans(text, block)), TARGET))
    for start, end in spans:
        yield Chunk(
            start=start, end=end, headings=headings, content_type=_CONTENT_TYPES[block.kind]
        )


def _line_spans(text: str, block: Block) -> Iterator[tuple[int, int]]:
    at = block.start
    for line in text[block.start : block.end].splitlines(keepends=True):
        bare = len(line.rstrip())
        # A minified line can be megabytes long; it has no better places to cut.
        for cut in range(0, bare, WHOLE):
            yield at + cut, at + min(cut + WHOLE, bare)
        at += len(line)


def _packed(pieces: Iterable[tuple[int, int]], limit: int) -> Iterator[tuple[int, int]]:
    """Neighbouring spans joined as long as the whole stays within the limit."""
    begin = stop = -1
    for start, end in pieces:
        if begin >= 0 and end - begin <= limit:
            stop = end
            continue
        if begin >= 0:
            yield begin, stop
        begin, stop = start, end
    if begin >= 0:
        yield begin, stop
