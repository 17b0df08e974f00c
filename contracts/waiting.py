"""Waiting for a task without holding anything up, and telling the client of each step."""

import time
from collections.abc import Awaitable, Callable

import anyio

from contracts.core import Core
from contracts.pace import Seen
from contracts.wording import action_of
from events.errors import ResearchError
from events.logs import log
from events.trail import Trail
from events.words import is_step, sentence

Progress = Callable[[float, float, str], Awaitable[None]]

_GLANCE = 0.05
_NUDGE = 0.01
"""Percent by which progress goes up with a step of which nothing else is known."""


async def wait_for(core: Core, task: str, seconds: float | None, progress: Progress) -> Seen:
    """Where the task stands when it has ended, or when the time is up; `EngineDown` if the engine gave up."""
    deadline = None if seconds is None else time.monotonic() + seconds
    trail = Trail(core.home, task)
    telling = Telling(progress)

    def look() -> tuple[Seen, list[str]]:
        # The steps after the status: those before the end are told before the end is.
        return core.pace.look(task), _steps(trail)

    while True:
        seen, steps = await anyio.to_thread.run_sync(look)
        await telling.tell(seen, steps)
        if seen.status.ended or (deadline is not None and time.monotonic() >= deadline):
            return seen
        core.expect_engine()
        await anyio.sleep(_GLANCE)


def _steps(trail: Trail) -> list[str]:
    try:
        return [sentence(record) for record in trail.look() if is_step(record.kind)]
    except ResearchError as broken:
        # How the task stands is known all the same, and says what is wrong.
        log("waiting").warning("steps not told", code=broken.code)
        return []


class Telling:
    """Tells a client every step once, with a progress that goes up each time, as MCP wants it."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._at = -1.0
        self._told: tuple[int, str] | None = None
        self._said = ""

    async def tell(self, seen: Seen, steps: list[str]) -> None:
        """Tell what is new since the last time."""
        before = max(self._at, 0.0)
        reach = seen.progress if not seen.status.ended else min(seen.progress, 99)
        for number, step in enumerate(steps, 1):
            await self._send(before + (reach - before) * number / len(steps), step)
        now = seen.progress, seen.status.phase
        if seen.status.ended or (self._told != now and not steps):
            # Between steps there is nothing newer to say than the last one.
            idle = seen.status.phase == "running" and self._said
            await self._send(seen.progress, idle or action_of(seen.status))
        self._told = now

    async def _send(self, percent: float, words: str) -> None:
        least = self._at + min(_NUDGE, (100.0 - self._at) / 2)
        self._at = max(0.0, percent, least) if self._at < 0 else max(percent, least)
        self._said = words
        await self._progress(self._at, 100.0, words)
