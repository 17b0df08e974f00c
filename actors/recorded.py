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
from typing import Any

from actors.ports import Answer, Archive, Writer
from events.base import Blob, Fact
from events.calls import CallAnswered, CallAsked, CallFailed
from events.codec import Record, as_recorded, canonical, digest
from events.errors import CallCut, ReplayDiffers, ResearchError
from events.upkeep import StreamClaimed, TailCut

_APART = (CallAsked, CallAnswered, CallFailed, StreamClaimed, TailCut)
"""Facts whose number and order depend on what went wrong, not on the work."""

THE_RECORD_ITSELF = {"disk_full", "home_unwritable", "stale_writer", "stream_busy", "engine_down"}
"""Failures that say nothing about the work: a later attempt goes on where it was."""

_GLANCE = 0.02
"""Seconds between looks at the stop signal while a call is out."""


class FailedBefore(ResearchError):
    """A call that was given up on before the restart: (code, message)."""

    code = "failed_before"
    says = "{1}"
    suggestion = "See the trace for the attempts that were made."


class RecordedDesk:
    """One stream's work in progress."""

    def __init__(
        self,
        writer: Writer,
        past: Iterable[Record],
        archive: Archive,
        stop: threading.Event,
    ) -> None:
        self._writer, self._archive, self.stop = writer, archive, stop
        self._answered: dict[str, Blob] = {}
        self._given_up: dict[str, CallFailed] = {}
        self._attempts: Counter[str] = Counter()
        self._asked_alike: Counter[str] = Counter()
        self._taken: deque[Fact] = deque()
        for record in past:
            self._remember(record.fact)

    def _remember(self, fact: Fact) -> None:
        match fact:
            case CallAsked(call=call):
                self._attempts[call] += 1
            case CallAnswered(call=call, reply=reply):
                self._answered[call] = reply
            case CallFailed(call=call, final=True):
                self._given_up[call] = fact
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

    def ask(
        self,
        port: str,
        operation: str,
        request: dict[str, Any],
        perform: Callable[[], Answer],
        attempts: int = 1,
    ) -> bytes:
        """The answer to a question, asked of the world at most once with success.

        A question whose fate is unknown after a crash is asked again: only give this
        questions for which that is safe.
        """
        asked = canonical({"port": port, "operation": operation, "request": request})
        name = f"{port}.{operation}:{digest(asked)[7:23]}"
        self._asked_alike[name] += 1
        call = f"{name}#{self._asked_alike[name]}"
        if reply := self._answered.get(call):
            return self._archive.get(reply.hash)
        if failed := self._given_up.get(call):
            raise FailedBefore(failed.code, failed.message)
        while True:
            self.checkpoint()
            self._attempts[call] += 1
            asking = CallAsked(
                call=call,
                port=port,
                operation=operation,
                request=self._archive.put(asked),
                attempt=self._attempts[call],
            )
            self._writer.append(asking)
            answer = self._try(call, perform, final=self._attempts[call] >= attempts)
            if answer is not None:
                return answer

    def _try(self, call: str, perform: Callable[[], Answer], *, final: bool) -> bytes | None:
        began = time.monotonic()
        try:
            answer = self._await(call, perform)
        except ResearchError as failure:
            cut = isinstance(failure, CallCut) or failure.code in THE_RECORD_ITSELF
            failed = CallFailed(
                call=call,
                code=failure.code,
                message=failure.sentence,
                final=final and not cut,
                took_ms=_since(began),
            )
            self._writer.append(failed)
            if final or cut:
                raise
            return None
        answered = CallAnswered(
            call=call,
            reply=self._archive.put(answer.content),
            model=answer.model,
            usage=answer.usage,
            cost_usd=answer.cost_usd,
            took_ms=_since(began),
        )
        self._writer.append(answered)
        return answer.content

    def _await(self, call: str, perform: Callable[[], Answer]) -> Answer:
        """Wait for the answer, or for the stop signal: a call that hangs must not hold up a cancel."""
        outcome: Future[Answer] = Future()

        def work() -> None:
            try:
                outcome.set_result(perform())
            except BaseException as failure:  # noqa: BLE001 - handed to the waiting side
                outcome.set_exception(failure)

        threading.Thread(target=work, name=call, daemon=True).start()
        while True:
            try:
                return outcome.result(timeout=_GLANCE)
            except TimeoutError:
                if outcome.done():
                    raise
                if self.stop.is_set():
                    raise CallCut(call) from None


def _since(began: float) -> float:
    return round((time.monotonic() - began) * 1000, 3)
