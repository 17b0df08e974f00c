"""`verify_research`: everything that a research cites, checked again against what is stored; offline unless asked.

Nothing of the result is believed. First the record: the catalogue's chain, the task's and its researchers', the ends
that are anchored, the blobs. Then for each citation: the source was read in this task, its bytes are there and are
those that its hash names, the excerpt stands at its place in the text, and the sentences that cite it say what it
says. On request the pages are fetched again, to see what has become of them.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict

from actors.reports.excerpts import Passages, is_verbatim
from actors.reports.support import SUPPORTED, combined, support
from events.base import Blob
from events.codec import decode, digest
from events.errors import (
    NameNotFound,
    PageNotFound,
    RecordError,
    ResearchError,
    TaskNotFinished,
)
from events.home import Home
from events.research import SentenceChecked, SourceRead
from events.task import ResearcherAssigned, TaskCancelled, TaskConcluded, TaskFailed
from language.sentences import CUT
from projections.views import Views
from traces.verify import verify_task

Drift = Literal["unchanged", "moved", "changed", "gone", "unreachable"]


class _Checked(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Revisited(_Checked):
    """What a page is now."""

    drift: Drift
    excerpt_still_there: bool
    """Whether the words that are cited can still be found in it."""

    detail: str


class CheckedCitation(_Checked):
    """What was checked of one citation."""

    number: int
    locator: str
    source_read: bool
    """The record says that this very source was read in this task."""

    bytes_present: bool
    hash_equal: bool
    excerpt_verbatim: bool
    claim_supported: bool | None
    """Whether the sentences that cite it are supported; none where no sentence does."""

    support: float | None
    """Of the least supported sentence that cites it."""

    detail: str
    now: Revisited | None = None

    @property
    def holds(self) -> bool:
        """Whether it can be relied on; whether it supports its sentences is another question."""
        return self.source_read and self.bytes_present and self.hash_equal and self.excerpt_verbatim


class CheckedRecord(_Checked):
    """What was checked of the record that everything else is read from."""

    proven: bool
    faults: tuple[str, ...]
    """What no crash explains, and where it is."""

    notes: tuple[str, ...]
    """What a crash, or a writer at work, may leave behind."""

    streams: int
    records: int
    blobs: int


class CheckedSentence(_Checked):
    """What was checked of one sentence."""

    text: str
    citations: tuple[int, ...]
    outcome: Literal["supported", "not_supported", "inference"]
    support: float


class Verification(_Checked):
    """What a research's answer turned out to stand on."""

    task: str
    question: str
    verified: bool
    """The record is proven and every citation holds. Sentences may still be inferences, or go beyond what they cite."""

    claims_supported: bool | None
    """No sentence goes beyond what it cites; none where no sentence cites anything."""

    record: CheckedRecord
    citations: tuple[CheckedCitation, ...]
    sentences: tuple[CheckedSentence, ...]


class Reread(Protocol):
    """A page that was read again."""

    @property
    def final_url(self) -> str:
        """Where its address leads to now."""

    @property
    def original(self) -> Blob:
        """What came."""

    @property
    def text(self) -> Blob:
        """What it says."""


Read = Callable[[str, Callable[[bytes], Blob]], Reread]
"""Fetches a page and reads it, keeping what came with the function that it is given."""


def verify_research(
    home: Home, task: str, read: Read | None = None, heads: Sequence[str] = ()
) -> Verification:
    """Check an ended task again, and that its record has the heads that were kept; with `read`, also what its
    pages are now."""
    if not home.path(task).exists():
        with suppress(RecordError):  # A trace that somebody removed is missed below.
            Views(home).status(task)
    record = _record(home, task, heads)
    try:
        result, (sources, similar) = _result(home, task), _noted(home, task)
    except ResearchError:
        if record.proven:
            raise
        # The record's faults say why; of what cannot be read nothing more can be told.
        result, sources, similar = {}, set(), {}
    cited = result.get("citations", ())
    excerpts = {each["number"]: str(each["raw_excerpt"]) for each in cited}
    sentences = tuple(_sentence(each, excerpts, similar) for each in result.get("sentences", ()))
    visited = _Visits(read) if read else None
    citations = tuple(_citation(home, each, sources, sentences, visited) for each in cited)
    return Verification(
        task=task,
        question=result.get("question", ""),
        verified=record.proven and all(each.holds for each in citations),
        claims_supported=_claims_supported(sentences),
        record=record,
        citations=citations,
        sentences=sentences,
    )


def _claims_supported(sentences: tuple[CheckedSentence, ...]) -> bool | None:
    cited = [each for each in sentences if each.outcome != "inference"]
    return all(each.outcome == "supported" for each in cited) if cited else None


def _record(home: Home, task: str, heads: Sequence[str]) -> CheckedRecord:
    verdict = verify_task(home.root, task, heads)
    return CheckedRecord(
        proven=verdict.proven,
        faults=tuple(map(str, verdict.faults)),
        notes=tuple(map(str, verdict.notes)),
        streams=verdict.streams,
        records=verdict.records,
        blobs=verdict.blobs,
    )


def _result(home: Home, task: str) -> dict[str, Any]:
    for record in reversed(home.read(task)[0]):
        if isinstance(fact := record.fact, TaskConcluded | TaskCancelled | TaskFailed):
            if fact.result is None:  # What was kept of it, if anything was.
                return Views(home).result(task).result
            result: dict[str, Any] = decode(home.blobs.get(fact.result.hash))
            return result
    raise TaskNotFinished(task, 0)


def _noted(home: Home, task: str) -> tuple[set[tuple[str, str, str]], dict[str, float | None]]:
    """What the task's researchers read (locator, hashes of bytes and text), and how near sentences came by meaning."""
    read: set[tuple[str, str, str]] = set()
    similar: dict[str, float | None] = {}
    for record in home.read(task)[0]:
        if isinstance(assigned := record.fact, ResearcherAssigned):
            for each in home.read(assigned.researcher)[0]:
                match each.fact:
                    case SourceRead(url=url, content_hash=content, text_hash=text):
                        read.add((url, content, text))
                    case SentenceChecked(sentence=sentence, similarity=similarity):
                        similar[sentence] = similarity
    return read, similar


def _sentence(
    sentence: dict[str, Any], excerpts: dict[int, str], similar: dict[str, float | None]
) -> CheckedSentence:
    numbers = tuple(sentence["citations"])
    passage = "\n\n".join(excerpts.get(number, "") for number in numbers)
    # What a model thought of its meaning is taken from the record: the model itself may be another by now.
    meaning = similar.get(sentence["text"])
    value = combined(support(sentence["text"], passage), meaning) if numbers else 0.0
    outcome: Literal["supported", "not_supported", "inference"] = (
        "inference" if not numbers else "supported" if value >= SUPPORTED else "not_supported"
    )
    return CheckedSentence(text=sentence["text"], citations=numbers, outcome=outcome, support=value)


def _citation(
    home: Home,
    citation: dict[str, Any],
    sources: set[tuple[str, str, str]],
    sentences: tuple[CheckedSentence, ...],
    visits: "_Visits | None",
) -> CheckedCitation:
    number, locator = citation["number"], citation["locator"]
    citing = [each for each in sentences if number in each.citations]
    least = min((each.support for each in citing), default=None)
    known = (locator, citation["content_hash"], citation["text_hash"]) in sources
    said = [] if known else ["The record does not say that this source was read."]
    present = equal = verbatim = False
    try:
        original = home.blobs.get(citation["content_hash"])
        text = home.blobs.get_text(citation["text_hash"])
        present = True
        equal = digest(original) == citation["content_hash"]
        place = citation["start"], citation["end"]
        verbatim = is_verbatim(citation["raw_excerpt"], text, *place)
    except (RecordError, UnicodeDecodeError) as failure:
        # Damaged bytes are there, and are not what they should be.
        present = getattr(failure, "code", "") == "damaged_blob"
        said.append(failure.sentence if isinstance(failure, ResearchError) else str(failure))
    if present and equal and not verbatim:
        said.append("The excerpt does not stand at its place in the text.")
    if least is not None and least < SUPPORTED:
        said.append(f"A sentence that cites it is supported to {least:.0%} only.")
    return CheckedCitation(
        number=number,
        locator=locator,
        source_read=known,
        bytes_present=present,
        hash_equal=equal,
        excerpt_verbatim=verbatim,
        claim_supported=None if least is None else least >= SUPPORTED,
        support=least,
        detail=" ".join(said) or "Everything was found as it is cited.",
        now=_revisited(citation, visits) if visits and _is_web(locator) else None,
    )


def _is_web(locator: str) -> bool:
    return locator.lower().startswith(("http://", "https://"))


class _Visits:
    """Pages as they are now; each is asked for once, however often it is cited."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._known: dict[str, tuple[Reread, str] | ResearchError] = {}

    def __call__(self, url: str) -> tuple[Reread, str]:
        """A page and its text; raise what was in the way."""
        if url not in self._known:
            try:
                self._known[url] = self._visit(url)
            except ResearchError as failure:
                self._known[url] = failure
        found = self._known[url]
        if isinstance(found, ResearchError):
            raise found
        return found

    def _visit(self, url: str) -> tuple[Reread, str]:
        kept: dict[str, bytes] = {}

        def keep(content: bytes) -> Blob:
            name = digest(content)
            kept[name] = content
            return Blob(hash=name, size=len(content), stored=name)

        page = self._read(url, keep)
        return page, kept[page.text.hash].decode("utf-8", "replace")


def _revisited(citation: dict[str, Any], visits: _Visits) -> Revisited:
    """What has become of a page since it was cited."""
    locator = citation["locator"]
    try:
        page, text = visits(locator)
    except (PageNotFound, NameNotFound) as failure:
        return Revisited(drift="gone", excerpt_still_there=False, detail=failure.sentence)
    except ResearchError as failure:
        return Revisited(drift="unreachable", excerpt_still_there=False, detail=failure.sentence)
    shown = citation["raw_excerpt"].removesuffix(CUT)
    found = Passages(text).locate(shown) is not None or shown in text
    if page.original.hash == citation["content_hash"] or page.text.hash == citation["text_hash"]:
        moved = page.final_url != locator
        detail = f"It is at {page.final_url} now." if moved else "It says what it said."
        drift: Drift = "moved" if moved else "unchanged"
        return Revisited(drift=drift, excerpt_still_there=True, detail=detail)
    there = "still there" if found else "not there any more"
    return Revisited(
        drift="changed", excerpt_still_there=found, detail=f"It changed; the words are {there}."
    )
