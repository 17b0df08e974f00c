"""Telling somebody that a research has ended: on their desktop where there is one, and in the log.

The engine sends these, because a task outlives the client that started it. Each unfinished task that is to be
announced has a marker in the data home, removed just before the notice goes out: none is sent twice, and a restart
of the engine forgets none.
"""

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from actors.catalogue_state import CatalogueState
from events.catalogue import Brief, Outcome, TaskEntered
from events.errors import ResearchError
from events.home import Home
from events.logs import log

PATIENCE = 5.0
"""Seconds that a desktop has to take a notice."""

QUESTION_SHOWN = 120


@dataclass(frozen=True)
class Notice:
    """What is said about a research that has ended."""

    task: str
    title: str
    message: str


class Briefs(Protocol):
    """Whoever knows what a task was asked to do."""

    def brief(self, task: str) -> Brief:
        """What a task was asked to do."""


Show = Callable[[Notice], None]


def notice_of(task: str, question: str, outcome: Outcome, code: str | None) -> Notice | None:
    """What to say about an end; nothing about one that somebody asked for."""
    titles = {"completed": "Research completed", "quarantined": "Research failed"}
    title = titles.get(outcome)
    if outcome == "failed":
        title = "Research timed out" if code == "timed_out" else "Research failed"
    if title is None:
        return None
    words = " ".join(question.split())
    short = words if len(words) <= QUESTION_SHOWN else words[: QUESTION_SHOWN - 1] + "…"
    return Notice(task, title, f"{short}\nTask {task}")


class Notices:
    """Watches the root stream's entries, and announces each end once."""

    def __init__(self, home: Home, briefs: Briefs, show: Show) -> None:
        self._home, self._briefs, self._show = home, briefs, show
        self._folder = home.run / "notices"
        self._known: set[str] = set()
        self._waiting: set[str] = set()
        with suppress(OSError):
            self._waiting = {path.name for path in self._folder.iterdir()}

    def look(self, state: CatalogueState) -> None:
        """Mark what is new, announce what has ended. Never an error: nothing depends on a notice."""
        try:
            for name in state.unfinished():
                if name not in self._known:
                    self._known.add(name)
                    self._mark(name, state)
            for name in [each for each in self._waiting if self._over(each, state)]:
                self._waiting.discard(name)
                self._announce(name, state)
        except (OSError, ValueError, ResearchError) as failure:
            log("notices").warning("not told", reason=str(failure)[:300])

    def _mark(self, name: str, state: CatalogueState) -> None:
        wanted = isinstance(state.entries[name].entered, TaskEntered)
        if wanted and self._briefs.brief(name).notify:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            (self._folder / name).touch()
            self._waiting.add(name)

    @staticmethod
    def _over(name: str, state: CatalogueState) -> bool:
        return name not in state.entries or state.entries[name].ended is not None

    def _announce(self, name: str, state: CatalogueState) -> None:
        (self._folder / name).unlink(missing_ok=True)
        entry = state.entries.get(name)
        if entry is None or entry.ended is None or not isinstance(entry.entered, TaskEntered):
            return
        notice = notice_of(name, entry.entered.question, entry.ended, self._code(name))
        if notice:
            log("notices").info("research ended", task=name, how=notice.title)
            threading.Thread(target=self._show, args=[notice], daemon=True).start()

    def _code(self, name: str) -> str | None:
        with suppress(ResearchError):
            for record in reversed(self._home.read(name)[0]):
                if record.kind == "task_failed":
                    return str(record.data["code"])
        return None


# -- the desktop ----------------------------------------------------------------------------------


def desktop_exists(environment: Mapping[str, str] = os.environ, system: str = sys.platform) -> bool:
    """Whether this process belongs to somebody's desktop session."""
    if system in {"darwin", "win32"}:
        return True
    screen = environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    bus = environment.get("DBUS_SESSION_BUS_ADDRESS")
    if not bus and (runtime := environment.get("XDG_RUNTIME_DIR")):
        bus = "there" if (Path(runtime) / "bus").exists() else None
    return bool(screen and bus)


def show_on_desktop(notice: Notice) -> None:
    """Show a notice where a desktop exists; elsewhere the log line must do. Never an error."""
    if not desktop_exists():
        return
    try:
        asyncio.run(asyncio.wait_for(_send(notice), PATIENCE))
    except Exception as failure:  # noqa: BLE001 - a desktop may fail in any way, and nothing depends on it
        log("notices").warning("desktop did not take a notice", reason=str(failure)[:200])


async def _send(notice: Notice) -> None:
    from desktop_notifier import DesktopNotifier

    notifier = DesktopNotifier(app_name="research-agent")
    try:
        await notifier.send(notice.title, notice.message)
    finally:
        await _hang_up(notifier)


async def _hang_up(notifier: Any) -> None:
    """Let go of the desktop's bus: the library stays there for clicks on its notices, and here nobody waits for any."""
    bus = getattr(notifier._backend, "bus", None)
    if bus is not None and bus.connected:
        bus.disconnect()
        await bus.wait_for_disconnect()
