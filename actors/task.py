"""A research task: accepts, assigns researchers, collects, sends more, concludes; or stops early, honestly."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

from actors.budgeting import Member
from actors.clock import Clock
from actors.conclusion import conclude, contributions_of
from actors.findings import Findings
from actors.merging.compared_claims import compare_claims, nobody
from actors.merging.meaning import WORDS_ALONE, Compare, Meaning
from actors.orchestration import orchestrated, proceed
from actors.ports import Archive, Crew
from actors.researcher import Report, close_stream
from events.base import Fact
from events.catalogue import Brief, Outcome
from events.codec import canonical, decode
from events.stream import Head
from events.task import (
    ResearcherAssigned,
    ResearcherReported,
    StopRequested,
    TaskAccepted,
    TaskCancelled,
    TaskConcluded,
    TaskFailed,
)
from events.words import count

PATIENCE = 3.0
"""Seconds that a researcher has to end by itself when told to stop."""

LAST_WORDS = {"gemini": 10.0}
"""Seconds that kinds of researchers have who must call something off at their provider first."""


@dataclass(frozen=True)
class Accept:
    """Begin."""

    brief: Brief


@dataclass(frozen=True)
class Collect:
    """Take a researcher's report."""

    report: Report


@dataclass(frozen=True)
class Proceed:
    """Go on, now that everybody has reported."""

    members: tuple[Member, ...]
    """All who were sent out, in that order."""


@dataclass(frozen=True)
class Stop:
    """End early."""

    reason: str
    save_partial: bool = True


@dataclass(frozen=True)
class Fail:
    """End without an answer, because of something no researcher can report itself."""

    code: str
    message: str


Command = Accept | Collect | Proceed | Stop | Fail


@dataclass(frozen=True)
class TaskState:
    """What a task knows of itself."""

    brief: Brief | None = None
    assigned: dict[str, ResearcherAssigned] = field(default_factory=dict)
    reported: dict[str, ResearcherReported] = field(default_factory=dict)
    stop: StopRequested | None = None
    outcome: Outcome | None = None

    @property
    def waiting(self) -> list[ResearcherAssigned]:
        """Researchers whose report is missing."""
        return [each for name, each in self.assigned.items() if name not in self.reported]


def evolve(state: TaskState, fact: Fact) -> TaskState:
    """Fold one fact in."""
    match fact:
        case TaskAccepted(brief=brief):
            return replace(state, brief=brief)
        case ResearcherAssigned(researcher=name):
            return replace(state, assigned=state.assigned | {name: fact})
        case ResearcherReported(researcher=name):
            return replace(state, reported=state.reported | {name: fact})
        case StopRequested():
            return replace(state, stop=fact)
        case TaskConcluded():
            return replace(state, outcome="completed")
        case TaskCancelled():
            return replace(state, outcome="cancelled")
        case TaskFailed():
            return replace(state, outcome="failed")
        case _:
            return state


def decide(task: str, state: TaskState, command: Command) -> list[Fact]:
    """What follows from a command; nothing, when it was obeyed before or comes too late."""
    match command:
        case Accept(brief=brief) if state.brief is None:
            first = ResearcherAssigned(
                researcher=f"{task}.r1", researcher_kind=brief.researcher, question=brief.question
            )
            return [TaskAccepted(brief=brief), *([] if state.stop else [first])]
        case Collect(report=report) if report.head.stream in {
            each.researcher for each in state.waiting
        }:
            shared = state.brief is not None and orchestrated(state.brief)
            return [
                ResearcherReported(
                    researcher=report.head.stream,
                    seq=report.head.seq,
                    head=report.head.hash,
                    findings=report.findings,
                    failure=report.failure,
                    message=report.message,
                    sources_read=report.sources_read if shared else None,
                    cost_usd=report.cost_usd if shared else None,
                )
            ]
        case Proceed(members=members) if state.brief and not state.stop and not state.outcome:
            return proceed(task, state.brief, members)
        case Stop(reason="cancelled" | "timed_out") if not state.stop and not state.outcome:
            return [StopRequested(reason=command.reason, save_partial=command.save_partial)]  # type: ignore[arg-type]
        case Fail(code=code, message=message) if not state.outcome:
            return [TaskFailed(code=code, message=message)]
        case _:
            return []


class ResearchTask:
    """The shell around `decide`: append first, act second.

    Plain until `actors.ray_actors` wraps it. After a crash its constructor runs again with the
    same arguments, so recovery is a replay. Every method may be called again with the same
    arguments, by anybody, at any time.
    """

    def __init__(self, archive: Archive, name: str, crew: Crew, compare: Compare = nobody) -> None:
        """`compare` says how near in meaning what several researchers found comes to one another."""
        self._archive, self._name, self._crew, self._compare = archive, name, crew, compare
        self._mutex = threading.RLock()
        self._writer, past = archive.claim(name, "research task")
        self._state = reduce(evolve, (record.fact for record in past), TaskState())
        self._clock = Clock(past)
        self._stopped_for = 0.0
        self.ended = threading.Event()

    def begin(self) -> None:
        """Start, or finish what a crash may have cut short."""
        self.handle(Accept(self._archive.brief(self._name)))

    def handle(self, command: Command) -> Head:
        """Obey or pass over; on return the outcome is on disk."""
        with self._mutex:
            facts = decide(self._name, self._state, command)
            self._record(*facts)
            self._carry_on()
            return self._writer.head

    def tick(self) -> None:
        """Look at the clock: end what runs too long, and what does not end when told to."""
        with self._mutex:
            state, passed = self._state, self._clock.since_last_look()
            if state.brief and self._clock.age > state.brief.max_wait_s:
                self.handle(Stop("timed_out"))
            if self._state.stop and not self.ended.is_set():
                self._stopped_for += passed
                if self._stopped_for > self._patience():
                    self.end_the_waiting()

    def _patience(self) -> float:
        kinds = (each.researcher_kind for each in self._state.waiting)
        return max((LAST_WORDS.get(kind, PATIENCE) for kind in kinds), default=PATIENCE)

    def end_the_waiting(self) -> None:
        """End, in their place, the researchers that do not end when told to."""
        with self._mutex:
            for assigned in self._state.waiting:
                name = assigned.researcher
                self._crew.dismiss(name)
                report = close_stream(self._archive, name, "call_cut", "Ended by its task.")
                self.handle(Collect(report))

    # -- acting: everything here may be done twice ------------------------------------------------

    def _record(self, *facts: Fact) -> None:
        if facts:
            self._writer.append(*facts)
            self._state = reduce(evolve, facts, self._state)

    def _carry_on(self) -> None:
        state = self._state
        if state.outcome is None and state.brief is not None:
            for assigned in state.waiting:
                if state.stop:
                    if assigned.researcher_kind in LAST_WORDS:
                        # Whoever has something to call off must be there to do so.
                        self._crew.send(self._name, assigned)
                    self._crew.stop(assigned.researcher)
                elif assigned in self._state.waiting:
                    self._crew.send(self._name, assigned)
            # Reports that came in while sending have already carried on from here.
            if self._state.outcome is None and not self._state.waiting:
                self._go_on_or_end()
        if self._state.outcome and not self.ended.is_set():
            self._archive.seal(self._writer, self._state.outcome)
            for name in self._state.assigned:
                self._crew.dismiss(name)
            self.ended.set()

    def _go_on_or_end(self) -> None:
        """Send further researchers out; when there are none to send, end, saying what was left over."""
        members = self._members()
        facts = decide(self._name, self._state, Proceed(members))
        if any(isinstance(fact, ResearcherAssigned) for fact in facts):
            self._record(*facts)
            self._carry_on()
        else:
            compared, meaning = self._compared(members)
            self._record(*facts, *compared, self._ending(members, meaning))

    def _compared(self, members: tuple[Member, ...]) -> tuple[Sequence[Fact], Meaning]:
        """What several found, compared by its meaning; who was told to stop does not wait for that."""
        if self._state.stop or sum(each.findings is not None for each in members) < 2:
            return [], WORDS_ALONE
        contributions = contributions_of(members, self._text)
        return compare_claims(contributions, self._compare, self._archive.put)

    def _members(self) -> tuple[Member, ...]:
        state = self._state
        return tuple(
            Member(
                assigned,
                Findings.model_validate(decode(self._archive.get(told.findings.hash)))
                if told.findings
                else None,
                told.sources_read or 0,
                told.cost_usd or 0.0,
                told.failure,
                told.message,
            )
            for name, assigned in state.assigned.items()
            if (told := state.reported.get(name))
        )

    def _ending(self, members: tuple[Member, ...], meaning: Meaning) -> Fact:
        state = self._state
        assert state.brief is not None
        result = report = None
        if state.stop is None or state.stop.save_partial:
            stopped = state.stop.reason if state.stop else None
            concluded = conclude(self._name, state.brief, members, self._text, meaning, stopped)
            if concluded:
                result = self._archive.put(canonical(concluded[0]))
                report = self._archive.put(concluded[1].encode())
        if state.stop and state.stop.reason == "cancelled":
            return TaskCancelled(result=result, report=report)
        if state.stop:
            message = f"The task did not end within {_in_words(state.brief.max_wait_s)}."
            return TaskFailed(code="timed_out", message=message, result=result, report=report)
        if result and report:
            return TaskConcluded(result=result, report=report)
        failed = next(each for each in state.reported.values() if each.failure)
        return TaskFailed(code=failed.failure or "internal", message=failed.message or "")

    def _text(self, text_hash: str) -> str:
        return self._archive.get(text_hash).decode()


def _in_words(seconds: float) -> str:
    """A time as whoever set it thinks of it."""
    hours = seconds / 3600
    return count(int(hours), "hour") if hours >= 1 and hours.is_integer() else f"{seconds:g} s"
