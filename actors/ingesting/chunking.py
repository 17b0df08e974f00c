"""Cuts a text into the pieces that are found and quoted as wholes.

A chunk follows the structure that the parser found: it never crosses a heading, and tables and
code stand alone. It holds whole sentences, as many as the embedding model reads at once. Where it
ends depends on what is near, not on all that came before, so that a changed paragraph leaves the
chunks around it as they were.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from actors.ports import Block, Chunk
from language.borders import cut_before, trimmed
from language.detection import UNKNOWN, language_of
from language.scripts import UNSPACED
from language.sentences import split

VERSION = 2
"""Changes when the same text would be cut differently."""

TARGET = 960
"""Size of a chunk of prose, in letters of an alphabet: some 200 of the 256 tokens a model reads."""

WHOLE = 1600
"""Up to this size a table, a list or a piece of code is not cut."""

DENSITY = 2.5
"""What a character of a script without spaces counts: a syllable or a word, not a letter."""

ENOUGH = TARGET // 3
"""From this size on, a chunk may end before it must."""

SHORT = TARGET // 6
"""Up to this size, what is left over goes with its neighbour, even if that is full."""

_PARAGRAPHS_THAT_BEGIN, _SENTENCES_THAT_BEGIN = 4, 12
"""Before one in so many a chunk ends early."""

TELLING = 60
"""Letters from which a chunk's language is judged by itself; a shorter one has the document's."""

_DENSE = re.compile(f"[{UNSPACED}]")
_ITEM = re.compile(r"[ \t]*(?:[-*+•‣◦▪・]|[0-9]{1,3}[.)]|\([0-9a-zA-Z]{1,3}\)|[a-z]\))[ \t]+(?=\S)")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


@dataclass(frozen=True, slots=True)
class _Piece:
    """Something that is not cut any further."""

    start: int
    end: int
    size: float
    page: int | None
    opens: bool = True
    """It begins a paragraph or a line."""


@dataclass(slots=True)
class _Pack:
    """Neighbouring pieces that become one chunk."""

    first: _Piece
    last: _Piece
    size: float

    def size_with(self, other: "_Piece | _Pack") -> float:
        """The size it would have together with what follows, blanks included."""
        start = other.start if isinstance(other, _Piece) else other.first.start
        return self.size + start - self.last.end + other.size


def chunk(text: str, blocks: Sequence[Block]) -> tuple[Chunk, ...]:
    """The chunks of a text, in order; a text without words has none."""
    found = [each for each in _chunks(text, blocks) if text[each.start : each.end].strip()]
    return tuple(_in_their_languages(text, found))


def chunk_id(version: str, start: int, end: int) -> str:
    """Identity of a chunk: the same for the same span of the same document version."""
    named = f"{version}:{start}:{end}:{VERSION}"
    return "chunk_" + hashlib.blake2b(named.encode(), digest_size=16).hexdigest()


def embedded_context(title: str, chunk: Chunk) -> str:
    """What is embedded before a chunk's text, and never returned as its text."""
    headings = chunk.headings[1:] if chunk.headings[:1] == (title,) else chunk.headings
    return " > ".join(part for part in (title, *headings) if part)


# -- structure -----------------------------------------------------------------------------------


@dataclass(slots=True)
class _Path:
    """The headings above the current place."""

    text: str
    open: list[tuple[int, str]] = field(default_factory=list)
    bare: Block | None = None
    """The last heading, while nothing has stood under it."""

    def enter(self, heading: Block) -> list[Chunk]:
        """Go under a heading; the one before, if it was left without content, is a chunk itself."""
        left = self.leave(heading.level)
        while self.open and self.open[-1][0] >= heading.level:
            self.open.pop()
        self.open.append((heading.level, heading.title))
        self.bare = heading
        return left

    def leave(self, level: int = 0) -> list[Chunk]:
        """What remains of a heading with nothing under it when the next one is not below it."""
        bare, self.bare = self.bare, None
        if bare is None or level > bare.level:
            return []
        # Its words without the marks that make it a heading, where they stand together.
        title = self.text.find(bare.title, bare.start, bare.end) if bare.title else -1
        start, end = (title, title + len(bare.title)) if title >= 0 else (bare.start, bare.end)
        pieces = _fitting(self.text, _piece(self.text, start, end, bare.page))
        return [_chunk(packed, self.titles) for packed in _packed(self.text, pieces)]

    @property
    def titles(self) -> tuple[str, ...]:
        return tuple(title for _, title in self.open if title)


def _chunks(text: str, blocks: Sequence[Block]) -> Iterator[Chunk]:
    path = _Path(text)
    gathered: list[Block] = []
    for block in blocks:
        if block.start >= block.end:
            continue
        if block.kind in {"heading", "table", "code", "aside"}:
            yield from _prose(text, gathered, path.titles)
            gathered = []
        if block.kind == "aside":
            continue
        if block.kind == "heading":
            yield from path.enter(block)
            continue
        path.bare = None
        if block.kind in {"table", "code"}:
            yield from _by_lines(text, block, path.titles)
        else:
            gathered.append(block)
    yield from _prose(text, gathered, path.titles)
    yield from path.leave()


def _prose(text: str, gathered: list[Block], headings: tuple[str, ...]) -> Iterator[Chunk]:
    """Paragraphs and lists, packed."""
    pieces = (piece for block in gathered for piece in _pieces(text, block))
    for packed in _packed(text, pieces):
        yield _chunk(packed, headings)


def _by_lines(text: str, block: Block, headings: tuple[str, ...]) -> Iterator[Chunk]:
    """A table or a piece of code, whole or cut between lines."""
    whole = _piece(text, block.start, block.end, block.page)
    packs: Iterable[_Pack] = [_Pack(whole, whole, whole.size)]
    if whole.size > WHOLE:
        lines = (
            piece
            for start, end in _lines(text, block.start, block.end)
            for piece in _fitting(text, _piece(text, start, end, block.page))
        )
        packs = _packed(text, lines)
    for packed in packs:
        made = _chunk(packed, headings)
        kind = "table" if block.kind == "table" else "code_block"
        yield made.model_copy(update={"content_type": kind})


def _chunk(pack: _Pack, headings: tuple[str, ...]) -> Chunk:
    return Chunk(
        start=pack.first.start,
        end=pack.last.end,
        headings=headings,
        first_page=pack.first.page,
        last_page=pack.last.page,
    )


# -- pieces --------------------------------------------------------------------------------------


def _piece(text: str, start: int, end: int, page: int | None, *, opens: bool = True) -> _Piece:
    return _Piece(start, end, _size(text, start, end), page, opens)


def _size(text: str, start: int, end: int) -> float:
    if end - start > WHOLE:
        return end - start  # too large, however much too large
    said = text[start:end]
    return len(said) if said.isascii() else len(said) + (DENSITY - 1) * len(_DENSE.findall(said))


def _pieces(text: str, block: Block) -> Iterator[_Piece]:
    """A block whole, or its items or sentences where it is too long."""
    whole = _piece(text, block.start, block.end, block.page)
    if whole.size <= (WHOLE if block.kind == "list" else TARGET):
        yield whole
        return
    parts: Iterable[tuple[int, int]] = [(block.start, block.end)]
    if block.kind == "list":
        parts = _items(text, block.start, block.end)
    for start, end in parts:
        part = _piece(text, start, end, block.page)
        if part.size <= TARGET:
            yield part
            continue
        for first, last in split(text, start, end):
            sentence = _piece(text, first, last, block.page, opens=first == start)
            yield from _fitting(text, sentence)


def _items(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The items of a list, each with the lines that belong to it."""
    begin = stop = -1
    for first, last in _lines(text, start, end):
        if begin >= 0 and _ITEM.match(text, first, last):
            yield begin, stop
            begin = -1
        begin, stop = first if begin < 0 else begin, last
    if begin >= 0:
        yield begin, stop


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for line in _LINE.finditer(text, start, end):
        stop = line.start() + len(line.group().rstrip())
        if stop > line.start():
            yield line.start(), stop


def _fitting(text: str, piece: _Piece) -> Iterator[_Piece]:
    """A sentence or a line, cut at clauses or words where it is longer than a chunk."""
    start, end = trimmed(text, piece.start, piece.end)
    if piece.size <= TARGET:
        yield piece
        return
    while start < end:
        limit = _reach(text, start, end)
        stop = end if limit == end else max(cut_before(text, start, limit), start + 1)
        yield _piece(text, start, stop, piece.page, opens=False)
        start, end = trimmed(text, stop, end)


def _reach(text: str, start: int, end: int) -> int:
    """How far a chunk that begins here can go."""
    stop = min(end, start + TARGET)
    if _size(text, start, stop) <= TARGET:
        return stop
    size = 0.0
    for place in range(start, stop):
        size += DENSITY if _DENSE.match(text, place) else 1.0
        if size > TARGET:
            return place
    return stop


# -- packing -------------------------------------------------------------------------------------


def _packed(text: str, pieces: Iterable[_Piece]) -> Iterator[_Pack]:
    """Neighbouring pieces together, as many as fit; a short rest goes with those before it."""
    before: _Pack | None = None
    pack: _Pack | None = None
    for piece in pieces:
        if pack and not _ends(text, pack, piece):
            pack = _Pack(pack.first, piece, pack.size_with(piece))
            continue
        if before:
            yield before
        before, pack = pack, _Pack(piece, piece, piece.size)
    if before and pack and pack.size <= SHORT and before.size_with(pack) <= TARGET + SHORT:
        before, pack = _Pack(before.first, pack.last, before.size_with(pack)), None
    if before:
        yield before
    if pack:
        yield pack


def _ends(text: str, pack: _Pack, piece: _Piece) -> bool:
    """Whether a pack ends before a piece.

    It does where the piece does not fit, and, once there is enough in it, before some pieces, by
    their own words: so two texts that differ in one place are soon cut alike again.
    """
    limit = TARGET if pack.size > SHORT else max(TARGET, piece.size) + SHORT
    if pack.size_with(piece) > limit:
        return True
    one_in = _PARAGRAPHS_THAT_BEGIN if piece.opens else _SENTENCES_THAT_BEGIN
    return pack.size >= ENOUGH and _number(text, piece) % one_in == 0


def _number(text: str, piece: _Piece) -> int:
    said = text[piece.start : min(piece.end, piece.start + 200)]
    return hashlib.blake2b(said.encode(errors="surrogatepass"), digest_size=1).digest()[0]


# -- languages -----------------------------------------------------------------------------------


def _in_their_languages(text: str, chunks: list[Chunk]) -> Iterator[Chunk]:
    """The chunks with their languages; short ones and code have that of the whole."""
    own = [_language(text, each) for each in chunks]
    spoken = Counter[str]()
    for each, language in zip(chunks, own, strict=True):
        spoken[language] += each.end - each.start
    del spoken[UNKNOWN]
    # Of equals the first in the alphabet, so that it does not depend on their order.
    common = min(spoken, key=lambda language: (-spoken[language], language), default="")
    if not common:
        common = language_of(" ".join(text[each.start : each.end] for each in chunks[:50]))
    for each, language in zip(chunks, own, strict=True):
        # Ideographs without kana between them, among Japanese, are Japanese.
        unclear = language == UNKNOWN or (language == "zh" and common == "ja")
        yield each.model_copy(update={"language": common if unclear else language})


def _language(text: str, chunk: Chunk) -> str:
    if chunk.content_type == "code_block" or _size(text, chunk.start, chunk.end) < TELLING:
        return UNKNOWN
    return language_of(text[chunk.start : chunk.end])
