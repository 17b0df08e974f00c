"""Ways of asking what must not be asked lightly: until it works, never twice, at the very end, many at once."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

from actors.ports import Answer
from actors.recorded import (
    GLANCE,
    THE_RECORD_ITSELF,
    Call,
    FailedBefore,
    RecordedDesk,
    cut_off,
    in_thread,
    since,
)
from events.asking import ordering
from events.errors import CallCut, FateUnknown, ProviderError, ResearchError

SIDE_BY_SIDE = 6
"""So many of the calls that are asked together are out at the same time."""

_unrecorded: dict[tuple[str, str], Answer] = {}
"""Answers to what must not be asked twice, until the record has them: a full disk must not lose them."""


class CarefulDesk(RecordedDesk):
    """A recorded desk for what costs money, changes something, or takes long."""

    def ask_patiently(
        self,
        port: str,
        operation: str,
        request: dict[str, Any],
        perform: Callable[[], Answer],
        forgives: Callable[[ResearchError, int], bool],
        before: Callable[[], None] = lambda: None,
    ) -> bytes:
        """`ask`, until there is an answer, a failure that is not forgiven, or the signal to stop.

        `forgives` is given a failure and how many there were in a row.
        """
        call = self._call(port, operation, request)

        def again(failure: ResearchError, failures: int) -> float | None:
            forgiven = forgives(failure, failures)
            return self._patience.pause(failure, failures) if forgiven else None

        known = self._known(call)
        return self._ask(call, perform, again, before=before) if known is None else known

    def ask_once(
        self,
        port: str,
        operation: str,
        request: dict[str, Any],
        perform: Callable[[], Answer],
        before: Callable[[], None] = lambda: None,
    ) -> bytes:
        """The answer to a question that must not be asked twice, because asking costs or changes something.

        It is asked again only after a failure of which it is certain that nothing was done (`ProviderError.untouched`)
        and that passes. Asked before a crash and not answered, it is `FateUnknown`, now and for ever.
        """
        call = self._call(port, operation, request)
        if (known := self._known(call)) is not None:
            return known
        if kept := _unrecorded.get((self._writer.head.stream, call.name)):
            return self._record_answer(call, kept, 0.0)
        if call.name in self._open:
            lost = FateUnknown(port, "the work was interrupted while it waited")
            self._record_failure(call, lost, final=True, took=0.0)
            raise lost

        def again(failure: ResearchError, failures: int) -> float | None:
            safe = isinstance(failure, ProviderError) and failure.untouched and failure.passes
            return self._patience.pause(failure, failures) if safe else None

        def perform_and_keep() -> Answer:
            with ordering(self._writer.head.stream):
                answer = perform()
            _unrecorded[self._writer.head.stream, call.name] = answer
            return answer

        # In turn, so that of two orders that leave together one knows of the other when it asks for money. Heeding a
        # stop here would leave behind what was ordered, and nobody could call it off.
        return self._ask(
            call, perform_and_keep, again, before=before, heed_stop=False, in_turn=True
        )

    def ask_at_last(
        self, port: str, operation: str, request: dict[str, Any], perform: Callable[[], Answer]
    ) -> bytes:
        """`ask`, once, also after the signal to stop: what has to be said before leaving."""
        call = self._call(port, operation, request)
        if (known := self._known(call)) is not None:
            return known
        self._record_asking(call)
        return self._try(call, perform, lambda _, __: None, 1, heed_stop=False) or b""

    def was_asked(self, port: str, operation: str) -> bool:
        """Whether anything of the kind was ever asked here, also before a restart, and whatever became of it."""
        return any(name.startswith(f"{port}.{operation}:") for name in self._attempts)

    def recall(self, port: str, operation: str, request: dict[str, Any]) -> bytes | None:
        """What was answered to a question; none where it would have to be asked."""
        return self._known(self._call(port, operation, request))

    def ask_all(
        self,
        port: str,
        operation: str,
        questions: Sequence[tuple[dict[str, Any], Callable[[], Answer]]],
    ) -> list[bytes | ResearchError]:
        """Several questions side by side, each as in `ask`; failures come back in place of answers.

        Told to stop, those that are out come back as `CallCut`.
        """
        calls = [self._call(port, operation, request) for request, _ in questions]
        replies: dict[str, bytes | ResearchError] = {}
        outcomes: dict[str, tuple[Future[Answer], float]] = {}
        for call in calls:
            try:
                if (known := self._known(call)) is not None:
                    replies[call.name] = known
            except FailedBefore as failed:
                replies[call.name] = failed
        waiting = [
            (call, perform)
            for call, (_, perform) in zip(calls, questions, strict=True)
            if call.name not in replies
        ]
        while waiting or outcomes:
            while waiting and len(outcomes) < SIDE_BY_SIDE and not self.stop.is_set():
                call, perform = waiting.pop(0)
                self._record_asking(call)
                outcomes[call.name] = in_thread(call.name, perform), time.monotonic()
            for call in calls:
                out = outcomes.get(call.name)
                if out and (reply := self._arrived(call, *out)) is not None:
                    replies[call.name] = reply
                    del outcomes[call.name]
            if self.stop.is_set():
                replies |= {call.name: CallCut(call.name) for call, _ in waiting}
                waiting = []
            if outcomes:
                self.stop.wait(GLANCE)
        return [replies[call.name] for call in calls]

    def _arrived(
        self, call: Call, outcome: Future[Answer], began: float
    ) -> bytes | ResearchError | None:
        """What became of a call that is out, recorded; none while it is out."""
        try:
            if not outcome.done():
                if not self.stop.is_set():
                    return None
                raise CallCut(call.name)
            return self._record_answer(call, outcome.result(), since(began))
        except ResearchError as failure:
            if failure.code in THE_RECORD_ITSELF:
                raise
            final = not cut_off(failure.code)
            self._record_failure(call, failure, final=final, took=since(began))
            return failure

    def _record_answer(self, call: Call, answer: Answer, took: float) -> bytes:
        content = super()._record_answer(call, answer, took)
        _unrecorded.pop((self._writer.head.stream, call.name), None)
        return content
