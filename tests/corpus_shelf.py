"""A desk over documents in memory, for tests of the researcher that quotes."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from actors.answering.candidates import Candidate, Source, candidate
from actors.answering.rules import PRESENT
from actors.answering.terms import Terms
from actors.findings import Findings
from actors.ingesting.chunking import chunk
from actors.ingesting.parsing import AnyParser
from actors.kinds.corpus import research
from actors.ports import Passage
from events.base import Fact
from events.catalogue import Brief
from events.codec import digest
from events.errors import CallCut, MissingBlob, Unreadable
from language.sentences import sentences
from projections.encoders.opened import open_embedder
from projections.likeness import Likeness
from tests.libraries import Words

Noted = TypeVar("Noted", bound=Fact)
ROOT = Path(__file__).resolve().parent.parent
SAMPLES = {path.name: path.read_text() for path in sorted((ROOT / "docs" / "samples").glob("*.md"))}
DEMO = (
    "How much electricity does the La Rance tidal power station generate each year, "
    "what did its barrage do to the estuary, and how many people does it employ?"
)


class Shelf:
    """A desk over documents in memory, with everything that was noted and asked."""

    def __init__(self, documents: dict[str, str], stop_after: int | None = None) -> None:
        self.notes: list[Fact] = []
        self.queries: list[str] = []
        self.texts: dict[str, str] = {}
        self._index = Words()
        self._passages: list[Passage] = []
        self._steps_left = stop_after
        for locator, document in documents.items():
            self._add(locator, document)

    def _add(self, locator: str, document: str) -> None:
        try:
            parsed = AnyParser().parse(Path(locator).name, document.encode())
        except Unreadable:
            return
        text_hash = digest(parsed.text.encode())
        self.texts[text_hash] = parsed.text
        chunks = chunk(parsed.text, parsed.blocks)
        texts = [parsed.text[each.start : each.end] for each in chunks]
        self._index.add(locator, parsed.title, [each.headings for each in chunks], texts)
        for each, text in zip(chunks, texts, strict=True):
            self._passages.append(
                Passage(
                    document=f"doc-{locator}",
                    version=digest(document.encode()),
                    size=len(document.encode()),
                    text_hash=text_hash,
                    locator=locator,
                    title=parsed.title,
                    media_type=parsed.media_type,
                    collection="tides",
                    published_at="2026-11-16T00:00:00.000000Z",
                    headings=each.headings,
                    start=each.start,
                    end=each.end,
                    text=text,
                    score=0.0,
                )
            )

    def search(
        self,
        query: str,
        limit: int,
        collections: tuple[str, ...] | None,
        among: tuple[str, ...] = (),
    ) -> list[Passage]:
        self.queries.append(query)
        hits = self._index.search(query, limit, among)
        return [self._passages[row].model_copy(update={"score": score}) for row, score in hits]

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        return [None] * len(texts)

    def text(self, text_hash: str) -> str:
        if text_hash not in self.texts:
            raise MissingBlob(text_hash)
        return self.texts[text_hash]

    def note(self, *facts: Fact) -> None:
        self.notes += facts

    def checkpoint(self) -> None:
        if self._steps_left is not None:
            self._steps_left -= 1
            if self._steps_left < 0:
                raise CallCut("the next step")

    def noted(self, kind: type[Noted]) -> list[Noted]:
        return [fact for fact in self.notes if isinstance(fact, kind)]


def ask(desk: Shelf, question: str, **wishes: object) -> Findings:
    return research(Brief.model_validate({"question": question, **wishes}), question, desk)


def candidates_of(text: str) -> list[Candidate]:
    """The sentences of a document, as they are weighed."""
    desk = Shelf({"page.md": text})
    [passage] = desk.search(text, 1, None)
    source = Source(passage, text, tuple(sentences(text)), 1)
    terms = Terms()
    return [
        candidate(source, place, passage, terms, PRESENT)
        for place, _ in enumerate(source.sentences)
    ]


def categories(findings: Findings) -> list[str]:
    return [gap.category for gap in findings.gaps]


class MeaningShelf(Shelf):
    """A shelf whose texts are compared by the bundled model, as exactly as the record keeps it."""

    _likeness, _embedder = Likeness(), open_embedder()

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        found = self._likeness.of(question, texts, self._embedder)
        return [None if each is None else round(each, 4) for each in found]
