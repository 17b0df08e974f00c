"""Waiting for a task without holding anything up, and telling the client how it goes."""

import time
from collections.abc import Awaitable, Callable

import anyio

from contracts.core import Core
from contracts.pace import Seen
from contracts.wording import action_of

_GLANCE = 0.05


async def wait_for(
    core: Core,
    task: str,
    seconds: float | None,
    progress: Callable[[float, float, str], Awaitable[None]],
) -> Seen:
    """Where the task stands when it has ended, or when the time is up; `EngineDown` if the engine gave up."""
    deadline = None if seconds is None else time.monotonic() + seconds
    told: tuple[int, str] | None = None
    while True:
        seen = await anyio.to_thread.run_sync(core.pace.look, task)
        if told != (seen.progress, action_of(seen.status)):
            told = seen.progress, action_of(seen.status)
            await progress(float(seen.progress), 100.0, told[1])
        if seen.status.ended or (deadline is not None and time.monotonic() >= deadline):
            return seen
        core.expect_engine()
        await anyio.sleep(_GLANCE)
