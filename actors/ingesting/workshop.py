"""The recorded stages between a file's bytes and its segment: parse, cut, embed, seal.

What a stage answered is in the record, so after a crash the work goes on behind it. Texts and
segments are kept as content of their own; the answers only name them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from actors.ingesting.chunking import VERSION, chunk
from actors.ingesting.sealing import Cut, Earlier, seal_segments
from actors.ports import (
    Answer,
    Archive,
    Block,
    Chunk,
    Coverage,
    Embedder,
    OpenEmbedder,
    Parsed,
    Parser,
    ScanParser,
)
from actors.recorded import FailedBefore, RecordedDesk
from events.base import Blob
from events.catalogue import Entry
from events.codec import canonical, decode, digest
from events.errors import CallCut, DamagedBlob, MissingBlob, Unreadable
from events.ingest import Held
from events.segment import BadSegment
from events.segment import decode as decode_segment
from events.words import says_something


class Outline(BaseModel):
    """What a parser made of a file, with its text kept elsewhere."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    media_type: str
    text: Blob
    blocks: tuple[Block, ...]
    coverage: Coverage
    metadata: dict[str, str]
    reader: str | None = None
    """None also in answers from before readers had versions."""


class Refused(BaseModel):
    """Why a file gave no text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: str
    reason: str


class Sealed(BaseModel):
    """The segment of a document version."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    segment: Blob
    chunks: int
    embedded: int
    """Chunks that had to be embedded; the others were known."""


@dataclass(frozen=True)
class Draft:
    """A document version that was read and cut, and waits for its segment."""

    entry: Entry
    original: Blob
    outline: Outline
    chunks: tuple[Chunk, ...]
    language: str
    held: Held | None = None
    """The version held so far: what is the same in it need not be embedded again."""


class Workshop:
    """One job's tools. The embedding model is loaded when the first chunk needs it."""

    def __init__(
        self,
        desk: RecordedDesk,
        archive: Archive,
        parser: Parser,
        open_embedder: OpenEmbedder,
        setting: str,
    ) -> None:
        self._desk, self._archive, self._parser = desk, archive, parser
        self._open_embedder, self.setting = open_embedder, setting
        self._embedder: Embedder | None = None

    @property
    def embedder(self) -> Embedder:
        """The model of this job's setting."""
        if self._embedder is None:
            self._embedder = self._open_embedder(self.setting)
        return self._embedder

    def use(self, setting: str) -> None:
        """Embed with another model from now on."""
        self.setting, self._embedder = setting, None

    @property
    def generation(self) -> str:
        """The way this job cuts and embeds."""
        way = {"chunker": VERSION, "models": list(self.embedder.names)}
        return digest(canonical(way))[7:23]

    # -- bytes to text ----------------------------------------------------------------------------

    def parse(
        self, files: Sequence[tuple[str, Blob]], languages: Sequence[tuple[str, ...]] = ()
    ) -> list[Outline | Refused]:
        """What the parser makes of some files, each by its name and bytes.

        The languages, if any are given, are those of each file's scanned pages.
        """
        spoken = languages or [()] * len(files)

        def perform() -> Answer:
            parsed = [
                self._parse(Path(name).name, original, told)
                for (name, original), told in zip(files, spoken, strict=True)
            ]
            texts = [each.text.encode() for each in parsed if isinstance(each, Parsed)]
            kept = iter(self._archive.put_all(texts))
            outlines = [
                _outline(each, next(kept)) if isinstance(each, Parsed) else each for each in parsed
            ]
            return Answer(content=canonical([each.model_dump(mode="json") for each in outlines]))

        request = {
            "files": [
                {"name": Path(name).name, "original": blob.hash}
                | ({"languages": list(told)} if told else {})
                for (name, blob), told in zip(files, spoken, strict=True)
            ]
        }
        try:
            answers = decode(self._desk.ask("parse", "files", request, perform))
        except FailedBefore as failed:
            return [Refused(code=failed.args[0], reason=failed.sentence) for _ in files]
        return [
            Refused.model_validate(each) if "code" in each else Outline.model_validate(each)
            for each in answers
        ]

    def _parse(self, name: str, original: Blob, languages: tuple[str, ...]) -> Parsed | Refused:
        if self._desk.stop.is_set():
            raise CallCut("the next file")
        try:
            raw = self._archive.get(original.hash)
        except (MissingBlob, DamagedBlob) as lost:
            return Refused(code=lost.code, reason=lost.sentence)
        try:
            if languages and isinstance(self._parser, ScanParser):
                return self._parser.parse_in(name, raw, languages)
            return self._parser.parse(name, raw)
        except Unreadable as refusal:
            return Refused(code=refusal.code, reason=refusal.sentence)
        except Exception as failure:  # noqa: BLE001 - a file can break a parser in any way; its siblings must not pay for it
            broke = Unreadable(name, f"its parser broke: {type(failure).__name__}")
            return Refused(code=broke.code, reason=broke.sentence)

    # -- text to chunks ---------------------------------------------------------------------------

    def draft(self, entry: Entry, original: Blob, outline: Outline, held: Held | None) -> Draft:
        """Cut a document's text."""
        if entry.title:
            outline = outline.model_copy(update={"title": entry.title})
        text = self._text(outline)
        # What shows nothing could be found by nobody, and would count as a document.
        chunks = chunk(text, outline.blocks) if says_something(text) else ()
        return Draft(entry, original, outline, chunks, _main_language(chunks), held)

    def _text(self, outline: Outline) -> str:
        return self._archive.get(outline.text.hash).decode()

    # -- chunks to segments -----------------------------------------------------------------------

    def seal(
        self, drafts: Sequence[Draft], advance: Callable[[int, int, str], None]
    ) -> list[Sealed]:
        """Embed what is new in some drafts and keep their segments."""

        def perform() -> Answer:
            cuts = [self._cut(each) for each in drafts]
            sealed = seal_segments(cuts, self.embedder, advance, self._desk.stop)
            kept = self._archive.put_all([each.raw for each in sealed])
            return Answer(
                content=canonical(
                    [
                        Sealed(segment=blob, chunks=each.chunks, embedded=each.embedded)
                        for blob, each in zip(kept, sealed, strict=True)
                    ]
                )
            )

        request: dict[str, Any] = {
            "generation": self.generation,
            "documents": [
                {
                    "version": each.original.hash,
                    "title": each.outline.title,
                    "text": each.outline.text.hash,
                    "held": each.held.segment if each.held else None,
                }
                for each in drafts
            ],
        }
        answers = decode(self._desk.ask("embed", "chunks", request, perform))
        return [Sealed.model_validate(each) for each in answers]

    def _cut(self, draft: Draft) -> Cut:
        return Cut(
            locator=draft.entry.locator,
            version=draft.original.hash,
            title=draft.outline.title,
            text=self._text(draft.outline),
            chunks=draft.chunks,
            earlier=self._earlier(draft.held),
        )

    def _earlier(self, held: Held | None) -> Earlier | None:
        if held is None:
            return None
        try:
            segment = decode_segment(self._archive.get(held.segment))
        except (MissingBlob, DamagedBlob, BadSegment):
            return None  # It only would have spared work.
        return Earlier(held.title, segment)


def _outline(parsed: Parsed, text: Blob) -> Outline:
    return Outline(
        title=parsed.title,
        media_type=parsed.media_type,
        text=text,
        blocks=parsed.blocks,
        coverage=parsed.coverage,
        metadata=parsed.metadata,
        reader=parsed.reader,
    )


def _main_language(chunks: Sequence[Chunk]) -> str:
    """The language that most of the characters are in."""
    share: dict[str, int] = {}
    for each in chunks:
        share[each.language] = share.get(each.language, 0) + each.end - each.start
    return max(sorted(share), key=share.__getitem__, default="und")
