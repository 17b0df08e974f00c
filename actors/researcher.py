"""One assignment: taken, worked on through a recorded desk, and reported."""

import importlib
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from actors.archive import ending
from actors.desk import Desk
from actors.findings import Findings
from actors.ports import Answer, Archive, Corpus, Passage, Writer
from actors.recorded import THE_RECORD_ITSELF, RecordedDesk
from events.base import Blob
from events.catalogue import Brief
from events.codec import Record, canonical, decode
from events.errors import BadRequest, CallCut, ResearchError
from events.logs import log
from events.research import AssignmentTaken, ResearchFinished, ResearchStopped
from events.stream import Head

KINDS = {"corpus": "actors.kinds.corpus"}
"""Kinds of researcher by name; a module each, imported only by the process that needs it."""

Method = Callable[[Brief, str, Desk], Findings]


@dataclass(frozen=True)
class Report:
    """How an assignment ended."""

    head: Head
    """Where the researcher's stream ends, for good."""

    findings: Blob | None
    failure: str | None = None
    message: str | None = None


def method(kind: str) -> Method:
    """The way of working that a kind of researcher has."""
    if kind not in KINDS:
        raise BadRequest(f"There is no researcher called {kind!r}.", f"Use one of {list(KINDS)}.")
    research: Method = importlib.import_module(KINDS[kind]).research
    return research


class ResearchDesk(RecordedDesk):
    """What a researcher has at hand, with every question and answer recorded."""

    def __init__(
        self,
        writer: Writer,
        past: Iterable[Record],
        archive: Archive,
        corpus: Corpus,
        stop: threading.Event,
    ) -> None:
        super().__init__(writer, past, archive, stop)
        self._corpus = corpus

    def search(self, query: str, limit: int, collections: tuple[str, ...] | None) -> list[Passage]:
        """Ask the corpus."""

        def perform() -> Answer:
            found = self._corpus.search(query, limit, collections)
            return Answer(content=canonical([each.model_dump(mode="json") for each in found]))

        request = {"query": query, "limit": limit, "collections": collections}
        reply = self.ask("corpus", "search", request, perform)
        return [Passage.model_validate(each) for each in decode(reply)]

    def text(self, text_hash: str) -> str:
        """The stored text of a source."""
        return self._archive.get(text_hash).decode()


class Researcher:
    """Does one assignment to its end. Run again after a crash, it ends the same way."""

    def __init__(
        self,
        archive: Archive,
        corpus: Corpus,
        name: str,
        kind: str,
        question: str,
        brief: Brief,
    ) -> None:
        self._archive, self._name, self._kind = archive, name, kind
        self._question, self._brief = question, brief
        self.stop = threading.Event()
        self._writer, self._past = archive.claim(name, f"{kind} researcher")
        self._desk = ResearchDesk(self._writer, _open_part(self._past), archive, corpus, self.stop)

    def run(self) -> Report:
        """Work until there is something to report; returns at once when that was long ago."""
        if ended := ending(self._past):
            return self._report(ended)
        taken = AssignmentTaken(
            researcher_kind=self._kind,
            question=self._question,
            collections=self._brief.collections,
        )
        try:
            self._desk.note(taken)
            findings = method(self._kind)(self._brief, self._question, self._desk)
            kept = self._archive.put(canonical(findings))
            end: ResearchFinished | ResearchStopped = ResearchFinished(findings=kept)
        except CallCut as cut:
            end = ResearchStopped(code=cut.code, message=cut.sentence)
        except ResearchError as failure:
            if failure.code in THE_RECORD_ITSELF:
                raise
            end = ResearchStopped(code=failure.code, message=failure.sentence)
        except Exception as failure:  # noqa: BLE001 - run again it would only fail again
            log("researcher").exception("failed", stream=self._name)
            end = ResearchStopped(
                code="internal", message=f"{type(failure).__name__}: {failure}"[:500]
            )
        self._writer.append(end)
        return self._report(end)

    def _report(self, end: ResearchFinished | ResearchStopped) -> Report:
        if isinstance(end, ResearchFinished):
            return Report(self._writer.head, end.findings)
        return Report(self._writer.head, None, end.code, end.message)


def close_stream(archive: Archive, name: str, code: str, message: str) -> Report:
    """End a researcher's stream in its place, when it does not do so itself."""
    writer, past = archive.claim(name, "task, in its researcher's place")
    ended = ending(past)
    if ended is None:
        ended = ResearchStopped(code=code, message=message)
        writer.append(ended)
    if isinstance(ended, ResearchFinished):
        return Report(writer.head, ended.findings)
    return Report(writer.head, None, ended.code, ended.message)


def _open_part(past: list[Record]) -> list[Record]:
    return [
        record for record in past if record.kind not in {"research_finished", "research_stopped"}
    ]
