"""A task or job as it happens: every fact of its streams, as it was recorded or in words."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from actors.waking import read_state
from contracts.commands.terminal import hanging
from contracts.core import Core
from events.catalogue import JobEntered
from events.codec import Record
from events.errors import EngineDown, UnknownTask
from events.trail import Trail
from events.words import is_seen, plain, sentence

_GLANCE = 0.1
"""Seconds between looks at the streams."""

_ENGINE_GLANCE = 2.0
"""Seconds between looks at the engine."""

_NAME_LENGTH = 30
_MOST_SOURCES = 10_000
"""Sources whose names are remembered for the quotations from them."""


@dataclass(frozen=True)
class Line:
    """One fact, and what everything up to it has cost."""

    record: Record
    spent_usd: float
    source: str | None = None
    """What the source is called that the fact is about."""

    def in_words(self) -> str:
        """Time, stream, what happened, and what it cost by then."""
        record = self.record
        cost = f"  [${self.spent_usd:.4f}]" if self.spent_usd else ""
        before = f"{record.at[11:19]}  {short_name(record.stream):<6}  "
        return hanging(before, len(before), f"{sentence(record, self.source)}{cost}")

    def as_recorded(self) -> str:
        """The line of the trace; what could steer a terminal is spelled out, which JSON allows."""
        text = self.record.line.decode()
        return "".join(each if is_seen(each) else json.dumps(each)[1:-1] for each in text)


@dataclass(frozen=True)
class End:
    """How a task or job ended."""

    outcome: str
    message: str | None = None

    @property
    def good(self) -> bool:
        """Whether it did what was asked."""
        return self.outcome == "completed"


def short_name(stream: str) -> str:
    """What a stream is called among those of its task."""
    own, _, member = stream.partition(".")
    if member:
        return plain(member, _NAME_LENGTH)
    return own.partition("-")[0] if own.startswith(("ingest-", "reindex-")) else "task"


class Watching:
    """Follows one task or job; `UnknownTask` if there is none of that name. It only looks."""

    def __init__(self, core: Core, name: str, *, from_now: bool = False) -> None:
        entry = core.catalogue.state().entries.get(name)
        if entry is None:
            raise UnknownTask(name[:80])
        self._core, self._name = core, name
        self._is_job = isinstance(entry.entered, JobEntered)
        self._trail = Trail(core.home, name)
        self._spent = 0.0
        self._sources: dict[str, str] = {}
        if from_now:
            for record in self._trail.look():
                self._add_up(record)

    def lines(self, *, wait: bool, say: Callable[[str], None]) -> Iterator[Line]:
        """Each fact once, until nothing more will come; without waiting, what there is by now.

        `EngineDown` when the engine has given up. When it does not run, that is said and waited out.
        """
        looked_at, silent = 0.0, True
        while True:
            # Asked before the look, which then sees whatever was recorded before the end.
            ended = self._outcome() is not None
            for record in self._trail.look():
                self._add_up(record)
                yield Line(record, self._spent, self._source(record))
            if ended or not wait:
                return
            if time.monotonic() - looked_at > _ENGINE_GLANCE:
                looked_at = time.monotonic()
                runs = self._engine_runs()
                if not runs and silent:
                    say("The engine is not running; waiting for it (research-agent up).")
                silent = runs
            time.sleep(_GLANCE)

    def _engine_runs(self) -> bool:
        state = read_state(self._core.settings.home)
        if state and state.state == "failed":
            raise EngineDown(str(self._core.settings.home), state.error or "")
        return state is not None

    def _add_up(self, record: Record) -> None:
        data = record.data
        if record.kind in ("call_answered", "call_failed"):
            self._spent += data.get("cost_usd") or 0.0
        elif record.kind == "source_read" and len(self._sources) < _MOST_SOURCES:
            self._sources[str(data.get("text_hash"))] = str(data.get("title") or data.get("url"))
        elif record.kind == "page_kept" and len(self._sources) < _MOST_SOURCES:
            self._sources.setdefault(data["text"]["hash"], data["final_url"])

    def _source(self, record: Record) -> str | None:
        quoted = record.kind == "passage_quoted"
        return self._sources.get(record.data.get("text_hash", "")) if quoted else None

    def _outcome(self) -> str | None:
        return self._core.catalogue.state().entries[self._name].ended

    def end(self) -> End | None:
        """How it ended, once it has."""
        outcome = self._outcome()
        if outcome is None or outcome == "completed":
            return End(outcome) if outcome else None
        views = self._core.views
        seen = views.job(self._name) if self._is_job else views.status(self._name)
        return End(outcome, plain(seen.failure_message) if seen.failure_message else None)
