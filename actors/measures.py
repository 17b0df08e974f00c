"""Follows the record of a data home as it grows, and says what of it is worth measuring or seeing.

Counting starts with this process: what was recorded before is not counted, and after a restart counters begin
again at zero, as those who read them expect of counters.
"""

import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from actors.catalogue import Catalogue
from actors.signs import Signs
from events.catalogue import JobEntered
from events.codec import Record
from events.errors import ResearchError
from events.home import CATALOGUE, QUERIES, Home
from events.logs import log
from events.metrics import (
    CALL_SECONDS,
    CALLS,
    CHUNKS,
    COST,
    ENDED,
    FACTS,
    FILES,
    INGEST_SECONDS,
    QUERY_SECONDS,
    RUNNING,
    STEPS,
    TOKENS,
    WAITING,
    Meter,
)
from events.tail import Cursor, read_parts
from events.trail import Trail, end_of
from events.words import ENDINGS, is_step, step_of

PAUSE = 0.5
"""Seconds between looks."""

_IDLE_GAP = 60.0
"""A longer silence within an ingest job is no work: it was waiting, or nobody ran it."""

_TOKENS = ("input", "cached", "output", "thought")
_LONGEST_LABEL = 40
_MOST_LABELS = 100
"""Different values that one label may have; the rest are called `other`."""

_WORK = {"task_entered": ("task", "research"), "job_entered": ("job", "ingest")}


class Measures:
    """Counts what is appended in one data home while it lives."""

    def __init__(self, home: Home, meter: Meter, signs: Signs) -> None:
        self._home, self._meter, self._signs = home, meter, signs
        # First where they end, then what is there: nothing falls between the two.
        self._roots = self._ends_of_roots()
        self._work: dict[str, str] = {}
        self._trails: dict[str, Trail] = {}
        self._kinds: dict[str, str] = {}
        self._last_at: dict[str, str] = {}
        self._labels = Labels()
        self.running: frozenset[str] = frozenset()
        """What the engine has actors for now; set by the engine."""

        state = Catalogue(home).state()
        for name in state.unfinished():
            is_job = isinstance(state.entries[name].entered, JobEntered)
            self._follow(name, "ingest" if is_job else "research")
        for trail in self._trails.values():
            for record in trail.look():
                self._learn(record)

    def _ends_of_roots(self) -> dict[str, Cursor]:
        ends = {}
        for root in (CATALOGUE, QUERIES):
            try:
                ends[root] = end_of(self._home.path(root))
            except ResearchError as broken:
                _not_followed(root, broken)
        return ends

    def _follow(self, name: str, work: str) -> None:
        if name not in self._trails:
            self._work[name], self._trails[name] = work, Trail(self._home, name)

    # -- looking ----------------------------------------------------------------------------------

    def look(self) -> None:
        """Measure what was recorded since the last look."""
        ended: list[tuple[str, str]] = []
        for record in self._read_on(CATALOGUE):
            self._meter.count(FACTS, 1, "catalogue")
            data = record.data
            if entered := _WORK.get(record.kind):
                self._follow(data[entered[0]], entered[1])
            elif record.kind == "stream_sealed":
                ended.append((data["target"], data["outcome"]))
            elif record.kind == "stream_quarantined":
                ended.append((data["target"], "quarantined"))
        for record in self._read_on(QUERIES):
            self._meter.count(FACTS, 1, "queries")
            self._query(record)
        for name in list(self._trails):
            self._trail(name)
        for name, outcome in ended:
            self._drop(name, outcome)
        self._gauge()

    def _read_on(self, root: str) -> Iterator[Record]:
        if root not in self._roots:
            return
        try:
            for part, end in read_parts(self._home.path(root), self._roots[root]):
                self._roots[root] = end
                yield from part
        except ResearchError as broken:
            _not_followed(root, broken)
            del self._roots[root]

    def _trail(self, name: str) -> None:
        doing: dict[str, str] = {}
        try:
            for record in self._trails[name].look():
                self._learn(record)
                self._count(record, name)
                if record.kind in ENDINGS:
                    doing.pop(record.stream, None)
                    self._signs.end(record.stream, ENDINGS[record.kind])
                elif is_step(record.kind):
                    doing[record.stream] = step_of(record)
        except ResearchError as broken:
            _not_followed(name, broken)
            self._forget(name)
        for stream, step in doing.items():
            self._signs.show(stream, step)

    def _drop(self, name: str, outcome: str) -> None:
        if name in self._trails:
            self._meter.count(ENDED, 1, self._work[name], self._labels.known("outcome", outcome))
            self._forget(name)

    def _forget(self, name: str) -> None:
        for stream in self._trails.pop(name).streams:
            self._kinds.pop(stream, None)
            self._last_at.pop(stream, None)
        self._work.pop(name)

    def _gauge(self) -> None:
        for work in ("research", "ingest"):
            names = {name for name, kind in self._work.items() if kind == work}
            self._meter.set(RUNNING, len(names & self.running), work)
            self._meter.set(WAITING, len(names - self.running), work)

    # -- counting ---------------------------------------------------------------------------------

    def _learn(self, record: Record) -> None:
        """What later facts of the stream are measured against."""
        if record.kind == "assignment_taken":
            self._kinds[record.stream] = record.data["researcher_kind"]
        elif record.kind == "ingest_accepted":
            self._last_at[record.stream] = record.at

    def _count(self, record: Record, name: str) -> None:
        # A researcher's stream is called after its task, with a dot between.
        of = self._work[name] if record.stream == name else "researcher"
        self._meter.count(FACTS, 1, of)
        match record.kind:
            case "call_answered" | "call_failed":
                self._call(record.kind, record.data)
            case "step_taken":
                kind = self._kinds.get(record.stream, "unknown")
                self._meter.count(STEPS, 1, self._labels.known("researcher", kind))
            case "file_done":
                self._file(record.data)
            case _:
                pass
        if record.stream in self._last_at:
            self._ingest_time(record)

    def _call(self, kind: str, data: dict[str, Any]) -> None:
        provider = self._labels.known("provider", _provider(data["call"]))
        outcome = "answered" if kind == "call_answered" else data["code"]
        self._meter.count(CALLS, 1, provider, self._labels.known("outcome", outcome))
        self._meter.observe(CALL_SECONDS, data.get("took_ms", 0.0) / 1000, provider)
        usage = data.get("usage") or {}
        for each in _TOKENS:
            self._meter.count(TOKENS, usage.get(f"{each}_tokens", 0), provider, each)
        self._meter.count(COST, data.get("cost_usd", 0.0), provider)

    def _file(self, data: dict[str, Any]) -> None:
        self._meter.count(FILES, 1, self._labels.known("outcome", data["outcome"]))
        chunks, embedded = data.get("chunks", 0), data.get("embedded", 0)
        self._meter.count(CHUNKS, embedded, "yes")
        self._meter.count(CHUNKS, chunks - embedded, "no")

    def _ingest_time(self, record: Record) -> None:
        before, self._last_at[record.stream] = self._last_at[record.stream], record.at
        passed = datetime.fromisoformat(record.at) - datetime.fromisoformat(before)
        seconds = passed.total_seconds()
        if 0 < seconds <= _IDLE_GAP:
            self._meter.count(INGEST_SECONDS, seconds)

    def _query(self, record: Record) -> None:
        data = record.data
        if record.kind == "query_answered":
            through = self._labels.known("through", data["through"])
            self._meter.observe(QUERY_SECONDS, data["took_ms"] / 1000, through)
        elif record.kind == "semantic_query_completed":
            took = data["processing_time_ms"] / 1000
            self._meter.observe(QUERY_SECONDS, took, self._labels.known("through", "websites"))


def _provider(call: str) -> str:
    """Whom a call was made to: it is called `provider.operation:hash`, and how often."""
    return call.partition(":")[0].partition(".")[0]


def _not_followed(stream: str, broken: ResearchError) -> None:
    log("measures").warning("not followed", stream=stream, code=broken.code)


class Labels:
    """Keeps the number of different label values bounded, whatever is recorded."""

    def __init__(self) -> None:
        self._known: dict[str, set[str]] = {}

    def known(self, label: str, value: str) -> str:
        """The value, or `other` when there are too many already or it is no name."""
        known = self._known.setdefault(label, set())
        if value not in known:
            fit = value.isascii() and value.isprintable() and 0 < len(value) <= _LONGEST_LABEL
            if not fit or len(known) >= _MOST_LABELS:
                return "other"
            known.add(value)
        return value


def keep_looking(look: Callable[[], None], stop: threading.Event) -> threading.Thread:
    """Look again and again beside everything else; trouble in here is nobody else's."""

    def work() -> None:
        told = ""
        while not stop.wait(PAUSE):
            try:
                look()
            except Exception as failure:  # noqa: BLE001 - whatever it is, the work must go on unmeasured
                if told != repr(failure):
                    told = repr(failure)
                    log("measures").exception("not measured")

    thread = threading.Thread(target=work, name="measures", daemon=True)
    thread.start()
    return thread
