"""One assignment: taken, worked on through a recorded desk, and reported."""

import importlib
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

from actors.archive import ending
from actors.careful import CarefulDesk
from actors.desk import Care, OutsideDesk
from actors.earlier import Earlier, answered_before
from actors.findings import Findings
from actors.generations import named_in_record, rules_of
from actors.keys import PROVIDERS
from actors.outside import FREE, Nowhere, Outside, Page
from actors.patience import Patience
from actors.ports import Answer, Archive, Corpus, Passage, Writer
from actors.recorded import THE_RECORD_ITSELF, Call, code_of
from actors.spending import Caps, check_caps
from events.base import Blob, Fact
from events.calls import CallAnswered, CallFailed, KeysArrived, KeysAwaited
from events.catalogue import Brief
from events.codec import Record, canonical, decode, digest
from events.errors import BadRequest, CallCut, KeyRefused, ProviderError, ResearchError
from events.logs import log
from events.research import (
    AnswerCarried,
    AssignmentTaken,
    ResearchFinished,
    ResearchStopped,
    SourceRead,
)
from events.stream import Head
from events.websites import FetchOrder

KINDS = {
    "corpus": "actors.kinds.corpus",
    "claude": "actors.kinds.claude",
    "gemini": "actors.kinds.gemini",
}
"""Kinds of researcher by name; a module each, imported only by the process that needs it."""

REFUSALS_BORNE = 5
"""So often in a row a provider may refuse what it accepted before: it may not know of it yet."""

_KEY_GLANCE = 1.0
"""Seconds between looks for a key that is awaited."""

Method = Callable[[Brief, str, OutsideDesk], Findings]


@dataclass(frozen=True)
class Report:
    """How an assignment ended."""

    head: Head
    """Where the researcher's stream ends, for good."""

    findings: Blob | None
    failure: str | None = None
    message: str | None = None
    sources_read: int = 0
    cost_usd: float = 0.0


def method(kind: str, rules: str | None = None) -> Method:
    """The way of working that a kind of researcher has, by the rules of a name where there are several."""
    if kind not in KINDS:
        raise BadRequest(f"There is no researcher called {kind!r}.", f"Use one of {list(KINDS)}.")
    research: Callable[..., Findings] = importlib.import_module(KINDS[kind]).research

    def by_rules(brief: Brief, question: str, desk: OutsideDesk) -> Findings:
        return research(brief, question, desk, rules)

    return by_rules if rules else research


class ResearchDesk(CarefulDesk):
    """What a researcher has at hand, with every question and answer recorded."""

    def __init__(
        self,
        writer: Writer,
        past: Iterable[Record],
        archive: Archive,
        corpus: Corpus,
        stop: threading.Event,
        outside: Outside = Nowhere(),  # noqa: B008 - it has no state
        patience: Patience = Patience(),  # noqa: B008 - frozen
        allow: Callable[[float], None] = lambda spent: None,
        earlier: Earlier | None = None,
        fetching: FetchOrder | None = None,
    ) -> None:
        super().__init__(writer, past, archive, stop, patience)
        self._corpus, self._outside, self._allow = corpus, outside, allow
        self._earlier, self._fetching = earlier, fetching
        self.sources_read = 0
        """Sources that were read anew."""

    def note(self, *facts: Fact) -> None:
        """Record what was found, and count what was read."""
        super().note(*facts)
        self.sources_read += _read(facts)

    def _known(self, call: Call) -> bytes | None:
        """What was answered before: here, or to the task that this one continues."""
        known = super()._known(call)
        earlier = self._earlier
        if known is not None or earlier is None:
            return known
        reply = earlier.answers.get(digest(call.asked))
        if reply is None:
            return None
        self.note(AnswerCarried(call=call.name, task=earlier.task, reply=reply))
        return self._archive.get(reply.hash)

    def search(
        self,
        query: str,
        limit: int,
        collections: tuple[str, ...] | None,
        among: tuple[str, ...] = (),
    ) -> list[Passage]:
        """Ask the corpus."""

        def perform() -> Answer:
            found = self._corpus.search(query, limit, collections, among)
            today = {"searched_on": datetime.now(UTC).date().isoformat()}
            dated = [each.model_copy(update=today) for each in found]
            return Answer(content=canonical([each.model_dump(mode="json") for each in dated]))

        request: dict[str, Any] = {"query": query, "limit": limit, "collections": collections}
        if among:
            request["among"] = among
        reply = self.ask("corpus", "search", request, perform)
        return [Passage.model_validate(each) for each in decode(reply)]

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """Compare texts with a question."""

        def perform() -> Answer:
            found = self._corpus.likeness(question, texts)
            return Answer(content=canonical([None if x is None else round(x, 4) for x in found]))

        request = {"question": question, "texts": list(texts)}
        alike: list[float | None] = decode(self.ask("corpus", "likeness", request, perform))
        return alike

    def likenesses(self, compared: Sequence[tuple[str, Sequence[str]]]) -> list[list[float | None]]:
        """Compare each of several sentences with texts of its own: one question, however many they are.

        Told to stop, it is given up on for good: who goes on without the answer must do so again after a restart.
        """

        def perform() -> Answer:
            found = [self._corpus.likeness(sentence, texts) for sentence, texts in compared]
            rounded = [[None if x is None else round(x, 4) for x in alike] for alike in found]
            return Answer(content=canonical(rounded))

        request = {"compared": [[sentence, list(texts)] for sentence, texts in compared]}
        call = self._call("corpus", "likenesses", request)
        reply = self._known(call)
        if reply is None:
            try:
                reply = self._ask(call, perform, lambda _, __: None)
            except CallCut as cut:
                self._record_failure(call, cut, final=True, took=0.0)
                raise
        alike: list[list[float | None]] = decode(reply)
        return alike

    def text(self, text_hash: str) -> str:
        """The stored text of a source."""
        return self._archive.get(text_hash).decode()

    def provider(
        self, name: str, operation: str, request: dict[str, Any], care: Care = "repeat"
    ) -> bytes:
        """What a provider answers; waits for its key where there is none."""

        def perform() -> Answer:
            # Here, where a refusal is recorded: a later run must be refused at the same place.
            if (name, operation) not in FREE:
                self._allow(self.spent)
            provider = self._outside.provider(name)
            if provider is None:
                raise KeyRefused(name, "its key is gone")
            return provider.do(operation, request, self.pause)

        await_key = partial(self._await_key, name)
        if care == "at_last":
            return self.ask_at_last(name, operation, request, perform)
        if care == "perhaps":
            return self.ask(name, operation, request, perform)
        if care == "try":
            return self.ask(name, operation, request, perform, before=await_key)
        if care == "once":
            return self.ask_once(name, operation, request, perform, await_key)
        return self.ask_patiently(name, operation, request, perform, _forgives, await_key)

    def rest(self, failure: ResearchError, failures: int) -> None:
        """Wait before the next attempt."""
        self.pause(self._patience.pause(failure, failures))

    def _await_key(self, provider: str) -> None:
        """Wait until somebody has lent a key; say so, because only a person can help."""
        if self._outside.provider(provider) is not None:
            return
        names = PROVIDERS[provider].keys
        self._writer.append(KeysAwaited(provider=provider, names=names))
        while self._outside.provider(provider) is None:
            self.pause(_KEY_GLANCE)
        self._writer.append(KeysArrived(provider=provider))

    def fetch(self, urls: Sequence[str]) -> list[Page | ResearchError]:
        """Pages of the web, fetched side by side and read."""

        def perform(url: str) -> Answer:
            page = self._outside.read(url, self._archive.put, self._fetching)
            return Answer(content=canonical(page))

        questions = [({"url": url}, partial(perform, url)) for url in urls]
        replies = self.ask_all("fetch", "read", questions)
        return [
            Page.model_validate(decode(reply)) if isinstance(reply, bytes) else reply
            for reply in replies
        ]


def _forgives(failure: ResearchError, failures: int) -> bool:
    """Whether a provider is asked again: always, but for what it keeps on refusing.

    A key that is refused may be replaced by the next client that connects.
    """
    if not isinstance(failure, ProviderError):
        return False
    return failure.passes or isinstance(failure, KeyRefused) or failures < REFUSALS_BORNE


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
        outside: Outside = Nowhere(),  # noqa: B008 - it has no state
        patience: Patience = Patience(),  # noqa: B008 - frozen
        spent_today: Callable[[], float] = lambda: 0.0,
        rules: str | None = None,
    ) -> None:
        def allow(spent: float) -> None:
            check_caps(Caps.of(brief), task_usd=spent, today_usd=spent_today)

        self._archive, self._name, self._kind = archive, name, kind
        self._question, self._brief = question, brief
        self.stop = threading.Event()
        self._writer, self._past = archive.claim(name, f"{kind} researcher")
        self._rules = rules or rules_of(kind, self._past)
        past = _open_part(self._past)
        earlier = answered_before(brief, lambda name: archive.get(name).decode())
        self._desk = ResearchDesk(
            self._writer,
            past,
            archive,
            corpus,
            self.stop,
            outside,
            patience,
            allow,
            earlier,
            brief.fetching,
        )

    def run(self) -> Report:
        """Work until there is something to report; returns at once when that was long ago."""
        if ended := ending(self._past):
            self._desk.sources_read = _read(record.fact for record in self._past)
            return self._report(ended)
        taken = AssignmentTaken(
            researcher_kind=self._kind,
            question=self._question,
            collections=self._brief.collections,
            rules=named_in_record(self._kind, self._rules),
        )
        try:
            self._desk.note(taken)
            work = method(self._kind, self._rules)
            findings = work(self._brief, self._question, self._desk)
            kept = self._archive.put(canonical(findings))
            end: ResearchFinished | ResearchStopped = ResearchFinished(findings=kept)
        except CallCut as cut:
            end = ResearchStopped(code=cut.code, message=cut.sentence)
        except ResearchError as failure:
            if failure.code in THE_RECORD_ITSELF:
                raise
            end = ResearchStopped(code=code_of(failure), message=failure.sentence)
        except Exception as failure:  # noqa: BLE001 - run again it would only fail again
            log("researcher").exception("failed", stream=self._name)
            end = ResearchStopped(
                code="internal", message=f"{type(failure).__name__}: {failure}"[:500]
            )
        self._writer.append(end)
        return self._report(end)

    def _report(self, end: ResearchFinished | ResearchStopped) -> Report:
        return _told(self._writer.head, end, self._desk.sources_read, self._desk.spent)


def close_stream(archive: Archive, name: str, code: str, message: str) -> Report:
    """End a researcher's stream in its place, when it does not do so itself."""
    writer, past = archive.claim(name, "task, in its researcher's place")
    ended = ending(past)
    if ended is None:
        ended = ResearchStopped(code=code, message=message)
        writer.append(ended)
    facts = [record.fact for record in past if record.kind in _USED]
    spent = sum(fact.cost_usd for fact in facts if isinstance(fact, CallAnswered | CallFailed))
    return _told(writer.head, ended, _read(facts), spent)


_USED = {"source_read", "call_answered", "call_failed"}


def _read(facts: Iterable[Fact]) -> int:
    """How many sources were read, not counting those that an earlier task had read."""
    return sum(isinstance(fact, SourceRead) and fact.action != "carried" for fact in facts)


def _told(head: Head, end: ResearchFinished | ResearchStopped, read: int, spent: float) -> Report:
    spent = round(spent, 9)
    if isinstance(end, ResearchFinished):
        return Report(head, end.findings, sources_read=read, cost_usd=spent)
    return Report(head, None, end.code, end.message, read, spent)


def _open_part(past: list[Record]) -> list[Record]:
    return [
        record for record in past if record.kind not in {"research_finished", "research_stopped"}
    ]
