"""Work that can be killed at any moment: what was asked, answered and noted is never done twice.

A researcher or ingest job is an ordinary function over this desk. After a crash it runs again from
its beginning; calls that were answered return what they returned, notes that were taken are
passed over, and the work goes on at the first thing that is missing. For that its notes must
follow from its assignment and the answers alone: no clock, no randomness.
"""

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from actors.patience import Patience
from actors.ports import Answer, Archive, Writer
from events.base import Blob, Fact
from events.calls import (
    CallAnswered,
    CallAsked,
    CallFailed,
    KeysArrived,
    KeysAwaited,
    ProviderAnswered,
    ProviderAwaited,
)
from events.codec import Record, as_recorded, canonical, digest
from events.errors import CallCut, FetchFailed, ReplayDiffers, ResearchError
from events.upkeep import StreamClaimed, TailCut

_WAITS = (KeysAwaited, KeysArrived, ProviderAwaited, ProviderAnswered)
_APART = (CallAsked, CallAnswered, CallFailed, StreamClaimed, TailCut, *_WAITS)
"""Facts whose number and order depend on what went wrong, not on the work."""

THE_RECORD_ITSELF = {"disk_full", "home_unwritable", "stale_writer", "stream_busy", "engine_down"}
"""Failures that say nothing about the work: a later attempt goes on where it was."""

GLANCE = 0.02
"""Seconds between looks at the stop signal while a call is out."""

Policy = Callable[[ResearchError, int], float | None]
"""From a failure and how many there were in a row: seconds until the next attempt, or none."""


@dataclass(frozen=True)
class Call:
    """A question as it is asked."""

    name: str
    """What it is called within its stream."""

    port: str
    operation: str
    asked: bytes
    """All of it, in its one spelling."""


class FailedBefore(ResearchError):
    """A call that was given up on before the restart: (code, message, details)."""

    code = "failed_before"
    says = "{1}"
    suggestion = "See the trace for the attempts that were made."


def code_of(failure: ResearchError) -> str:
    """The failure's code; of one from before a restart, the code that it had then."""
    return str(failure.args[0]) if isinstance(failure, FailedBefore) else failure.code


class RecordedDesk:
    """One stream's work in progress."""

    def __init__(
        self,
        writer: Writer,
        past: Iterable[Record],
        archive: Archive,
        stop: threading.Event,
        patience: Patience = Patience(),  # noqa: B008 - frozen
    ) -> None:
        self._writer, self._archive, self.stop, self._patience = writer, archive, stop, patience
        self._answered: dict[str, Blob] = {}
        self._given_up: dict[str, CallFailed] = {}
        self._attempts: Counter[str] = Counter()
        self._asked_alike: Counter[str] = Counter()
        self._open: set[str] = set()
        """Calls that were asked and neither answered nor known to have failed."""

        self.spent = 0.0
        """Dollars that everything asked here has cost by now."""

        self._awaited: dict[str, str] = {}
        """Providers that are waited for, and the code of their last failure."""

        self._taken: deque[Fact] = deque()
        for record in past:
            self._remember(record.fact)

    def _remember(self, fact: Fact) -> None:
        match fact:
            case CallAsked(call=call):
                self._attempts[call] += 1
                self._open.add(call)
            case CallAnswered(call=call, reply=reply):
                self._answered[call] = reply
                self.spent += fact.cost_usd
            case CallFailed(call=call):
                self.spent += fact.cost_usd
                if fact.final:
                    self._given_up[call] = fact
                if not cut_off(fact.code):
                    self._open.discard(call)
            case ProviderAwaited(provider=port, code=code):
                self._awaited[port] = code
            case ProviderAnswered(provider=port):
                self._awaited.pop(port, None)
            case _ if not isinstance(fact, _APART):
                self._taken.append(fact)

    # -- what work does ---------------------------------------------------------------------------

    def note(self, *facts: Fact) -> None:
        """Record what the work found, unless it already did before a restart."""
        for place, fact in enumerate(facts):
            if not self._taken:
                self._writer.append(*facts[place:])
                return
            before = self._taken.popleft()
            if before != as_recorded(fact):
                raise ReplayDiffers(
                    self._writer.head.stream, f"{fact.kind} instead of {before.kind}"
                )

    def checkpoint(self) -> None:
        """Raise `CallCut` when the work was told to stop."""
        if self.stop.is_set():
            raise CallCut("the next step")

    def pause(self, seconds: float) -> None:
        """Wait, but not longer than until the work is told to stop: `CallCut` then."""
        if self.stop.wait(seconds):
            raise CallCut("the next attempt")

    def ask(
        self,
        port: str,
        operation: str,
        request: dict[str, Any],
        perform: Callable[[], Answer],
        attempts: int = 1,
        before: Callable[[], None] = lambda: None,
    ) -> bytes:
        """The answer to a question, asked of the world at most once with success.

        A question whose fate is unknown after a crash is asked again: only give this
        questions for which that is safe.
        """
        call = self._call(port, operation, request)

        def again(_: ResearchError, __: int) -> float | None:
            return 0.0 if self._attempts[call.name] < attempts else None

        known = self._known(call)
        return self._ask(call, perform, again, before=before) if known is None else known

    # -- the parts of asking ----------------------------------------------------------------------

    def _call(self, port: str, operation: str, request: dict[str, Any]) -> Call:
        """A question's identity within its stream."""
        asked = canonical({"port": port, "operation": operation, "request": request})
        name = f"{port}.{operation}:{digest(asked)[7:23]}"
        self._asked_alike[name] += 1
        return Call(f"{name}#{self._asked_alike[name]}", port, operation, asked)

    def _known(self, call: Call) -> bytes | None:
        """What was answered before, if it was; what was given up on is given up on again."""
        if reply := self._answered.get(call.name):
            return self._archive.get(reply.hash)
        if failed := self._given_up.get(call.name):
            raise FailedBefore(failed.code, failed.message, failed.details)
        return None

    def _ask(
        self,
        call: Call,
        perform: Callable[[], Answer],
        again: Policy,
        *,
        before: Callable[[], None] = lambda: None,
        heed_stop: bool = True,
        in_turn: bool = False,
    ) -> bytes:
        failures = 0
        while True:
            self.checkpoint()
            before()
            self._record_asking(call, in_turn=in_turn)
            failures += 1
            answer = self._try(call, perform, again, failures, heed_stop=heed_stop)
            if answer is not None:
                return answer

    def _try(
        self,
        call: Call,
        perform: Callable[[], Answer],
        again: Policy,
        failures: int,
        *,
        heed_stop: bool,
    ) -> bytes | None:
        began = time.monotonic()
        try:
            answer = self._await(call.name, perform, heed_stop=heed_stop)
        except ResearchError as failure:
            if failure.code in THE_RECORD_ITSELF:
                raise  # What cannot be written down can neither be noted as failed.
            cut = cut_off(failure.code)
            pause = None if cut else again(failure, failures)
            final = pause is None and not cut
            self._record_failure(call, failure, final=final, took=since(began))
            if pause is None:
                raise
            if pause:
                self._say_waiting(call.port, failure)
                self.pause(pause)
            return None
        return self._record_answer(call, answer, since(began))

    def _record_asking(self, call: Call, *, in_turn: bool = False) -> None:
        self._attempts[call.name] += 1
        asking = CallAsked(
            call=call.name,
            port=call.port,
            operation=call.operation,
            request=self._archive.put(call.asked),
            attempt=self._attempts[call.name],
        )
        if in_turn:
            self._archive.append_in_turn(self._writer, asking)
        else:
            self._writer.append(asking)

    def _record_failure(
        self, call: Call, failure: ResearchError, *, final: bool, took: float
    ) -> None:
        failed = CallFailed(
            call=call.name,
            code=failure.code,
            message=failure.sentence,
            final=final,
            details=failure.details if isinstance(failure, FetchFailed) else {},
            took_ms=took,
        )
        self._writer.append(failed)

    def _record_answer(self, call: Call, answer: Answer, took: float) -> bytes:
        answered = CallAnswered(
            call=call.name,
            reply=self._archive.put(answer.content),
            model=answer.model,
            usage=answer.usage,
            cost_usd=answer.cost_usd,
            took_ms=took,
        )
        relief = [ProviderAnswered(provider=call.port)] if call.port in self._awaited else []
        self._writer.append(answered, *relief)
        self.spent += answer.cost_usd
        self._awaited.pop(call.port, None)
        return answer.content

    def _say_waiting(self, port: str, failure: ResearchError) -> None:
        """Say once what is being waited for, not at each attempt."""
        if self._awaited.get(port) != failure.code:
            self._awaited[port] = failure.code
            awaited = ProviderAwaited(
                provider=port, code=failure.code, message=failure.sentence[:500]
            )
            self._writer.append(awaited)

    def _await(self, call: str, perform: Callable[[], Answer], *, heed_stop: bool) -> Answer:
        """Wait for the answer, or for the stop signal: a call that hangs must not hold up a cancel."""
        outcome = in_thread(call, perform)
        while True:
            try:
                return outcome.result(timeout=GLANCE)
            except TimeoutError:
                # The answer may have come just when the wait for it ended; a call can time out itself, too.
                if outcome.done():
                    return outcome.result()
                if heed_stop and self.stop.is_set():
                    raise CallCut(call) from None


def in_thread(name: str, perform: Callable[[], Answer]) -> Future[Answer]:
    """Begin to perform a call beside everything else."""
    outcome: Future[Answer] = Future()

    def work() -> None:
        try:
            outcome.set_result(perform())
        except BaseException as failure:  # noqa: BLE001 - handed to the waiting side
            outcome.set_exception(failure)

    threading.Thread(target=work, name=name, daemon=True).start()
    return outcome


def cut_off(code: str) -> bool:
    """Whether a failure leaves open what became of the question."""
    return code == CallCut.code or code in THE_RECORD_ITSELF


def since(began: float) -> float:
    """Milliseconds since a moment."""
    return round((time.monotonic() - began) * 1000, 3)
