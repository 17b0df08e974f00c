"""Telling connected clients that a research has ended.

The engine sends desktop notices (`actors.notices`), if it has a desktop: it may have been started elsewhere than this
server, and a desktop may not take a notice. So a server also remembers the researches that were started through it
and sends an MCP log message when one ends: at once where the client's connection takes messages at any time,
otherwise with the answer to its next call.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Literal

import anyio

from contracts.core import Core
from contracts.wording import action_of, status_word
from events.errors import ResearchError
from events.home import CATALOGUE
from events.logs import log
from events.tail import file_size
from projections.status import TaskStatus

Level = Literal["info", "warning"]
Tell = Callable[[Level, str], Awaitable[None]]

_GLANCE = 0.5
_PATIENCE = 5.0
_NEVER = -1
_KEPT = 1000
"""So many researches are remembered, the latest."""


class Announcing:
    """The researches whose end is still to be told, by one server."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._expected: dict[str, None] = {}
        self._watchers: set[asyncio.Task[None]] = set()
        self._looked_at = _NEVER
        """How long the catalogue was when it was last looked through for ends."""

    def expect(self, task: str, tell: Tell | None) -> None:
        """Remember a research that goes on by itself."""
        while len(self._expected) >= _KEPT:
            del self._expected[next(iter(self._expected))]
        self._expected[task] = None
        self._looked_at = _NEVER
        if tell:
            watcher = asyncio.get_running_loop().create_task(self._watch(task, tell))
            self._watchers.add(watcher)
            watcher.add_done_callback(self._watchers.discard)

    async def due(self) -> list[tuple[Level, str]]:
        """What is to be told now; each end is told once."""
        # Asked after every call, and answered by one look at a file while nothing has happened.
        length = self._catalogue_length()
        if not self._expected or length == self._looked_at:
            return []
        self._looked_at = length
        try:
            ended = [seen for task in list(self._expected) if (seen := await self._ended(task))]
        except BaseException:  # The call was called off: the next one has to look again.
            self._looked_at = _NEVER
            raise
        return [self._told(seen) for seen in ended if seen.task in self._expected]

    async def _watch(self, task: str, tell: Tell) -> None:
        looked_at = _NEVER
        while task in self._expected:
            length = self._catalogue_length()
            if length != looked_at and (seen := await self._ended(task)):
                # A client that is gone cannot be told; it will find the task in the list.
                with suppress(Exception), anyio.fail_after(_PATIENCE):
                    await tell(*self._told(seen))
                return
            looked_at = length
            await anyio.sleep(_GLANCE)

    def _catalogue_length(self) -> int:
        """Grows with every end: a task that has ended is sealed there, whatever became of it."""
        try:
            return file_size(self._core.home.path(CATALOGUE))
        except ResearchError:
            return _NEVER

    async def _ended(self, task: str) -> TaskStatus | None:
        try:
            seen = await anyio.to_thread.run_sync(self._core.views.status, task)
        except ResearchError:
            self._expected.pop(task, None)
            return None
        return seen if seen.ended else None

    def _told(self, seen: TaskStatus) -> tuple[Level, str]:
        self._expected.pop(seen.task, None)
        word = status_word(seen)
        log("server").info("research ended", task=seen.task, how=word)
        return (
            "info" if word == "completed" else "warning",
            f"Research {seen.task} {word}: {action_of(seen)}",
        )
