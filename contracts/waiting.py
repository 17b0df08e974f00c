"""Waiting for a task without holding anything up, and telling the client of each step."""

import time
from collections.abc import Awaitable, Callable

import anyio

from contracts.core import Core
from contracts.deep_research.pace import Seen
from contracts.wording import action_of
from events.errors import EngineDown, RecordError, ResearchError
from events.logs import log
from events.trail import Trail
from events.words import is_step, sentence

Progress = Callable[[float, float, str], Awaitable[None]]

_GLANCE = 0.05
_NUDGE = 0.01
"""How much progress goes up with a step of which nothing else is known."""

_ONCE = (
    "Do not ask again, that would be a second research: follow this one with "
    "check_research_status(task_id='{0}'), and read what it found with get_research_results. "
    "research-agent doctor says what is wrong."
)


class WaitsForEngine(EngineDown):
    """A research that somebody waits for is accepted, and the engine has given up: (id, why)."""

    says = "Research {0} is accepted and waits for its engine: {1}"
    suggestion = _ONCE


class OutOfSight(RecordError):
    """A research that somebody waits for is accepted, and how it stands cannot be read: (id, why)."""

    code = "out_of_sight"
    says = "Research {0} is accepted, and how it stands cannot be read: {1}"
    suggestion = _ONCE


async def wait_to_end(core: Core, task: str, progress: Progress) -> None:
    """Wait until the task has ended; who cannot is told which one it is, and that it goes on."""
    try:
        await wait_for(core, task, None, progress)
    except EngineDown as down:
        raise WaitsForEngine(task, down.sentence) from None
    except ResearchError as failure:
        raise OutOfSight(task, failure.sentence) from None


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


class Rising:
    """Tells a client how far something is, each time a little farther, as MCP wants it."""

    def __init__(self, progress: Progress) -> None:
        self._progress, self._at = progress, -1.0

    @property
    def at(self) -> float:
        """What was told last."""
        return max(self._at, 0.0)

    async def send(self, at: float, of: float, words: str) -> None:
        """Tell it, unless there is no farther to go."""
        farther = max(at, 0.0, self._at + min(_NUDGE, (of - self._at) / 2))
        if farther > self._at:
            self._at = farther
            await self._progress(farther, of, words)


class Telling:
    """Tells a client every step of a task once."""

    def __init__(self, progress: Progress) -> None:
        self._rising = Rising(progress)
        self._told: tuple[int, str] | None = None
        self._said = ""

    async def tell(self, seen: Seen, steps: list[str]) -> None:
        """Tell what is new since the last time."""
        before = self._rising.at
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
        self._said = words
        await self._rising.send(percent, 100.0, words)
