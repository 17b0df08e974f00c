"""What keeps an actor's work going inside its process: a thread, a clock, and patience with the disk.

Plain classes; `actors.ray_actors` wraps them. Their constructors recover, start the work and return, because after
a crash nobody but the constructor is called.
"""

import os
import threading
import time
from collections.abc import Callable
from typing import Protocol, TypeVar

from actors.jobs import open_job
from actors.merging.compared_claims import nobody
from actors.merging.meaning import Compare
from actors.outside import Nowhere, Outside
from actors.ports import Archive, Corpus, Crew, OpenEmbedder, Parser
from actors.researcher import Report, Researcher, close_stream
from actors.task import Collect, Command, Fail, ResearchTask, Stop
from events.errors import (
    DiskFull,
    EngineDown,
    HomeUnwritable,
    Poisoned,
    ResearchError,
    StaleWriter,
    StreamBusy,
)
from events.logs import log, start_logging

Made = TypeVar("Made")

TICK = 0.2
VAIN_STARTS = 3
"""So many starts of one stream's actor may fail before it is left alone."""

PASSES = (DiskFull, HomeUnwritable, StreamBusy, EngineDown)
"""Troubles that go away by themselves or by somebody's hand."""


class Watch(Protocol):
    """A crew that knows which of its researchers cannot work."""

    def lost(self) -> list[tuple[str, str]]:
        """Researchers that died for good since the last look, with the reason."""


class Crewed(Crew, Watch, Protocol):
    """A crew that is also a watch."""


def start(archive: Archive, stream: str, make: Callable[[], Made]) -> Made:
    """Make a stream's actor; wait while the disk is full, refuse when it died too often."""
    start_logging()
    # Before its arrival is noted: who is killed while it rests did not try.
    time.sleep(_patiently(lambda: archive.rest(stream)))
    if _patiently(lambda: archive.arriving(stream)) >= VAIN_STARTS:
        raise Poisoned(stream)
    made = _patiently(make)
    _patiently(lambda: archive.arrived(stream))
    return made


def _patiently(act: Callable[[], Made]) -> Made:
    pause = 0.1
    while True:
        try:
            return act()
        except PASSES as trouble:
            log("actor").warning("waiting", code=trouble.code, reason=trouble.sentence)
            time.sleep(pause)
            pause = min(pause * 2, 10.0)


def _in_background(work: Callable[[], None]) -> None:
    def guarded() -> None:
        try:
            work()
        except BaseException:  # noqa: BLE001 - whatever it is, the process must not linger without its work
            log("actor").exception("died")
            os._exit(1)

    threading.Thread(target=guarded, daemon=True).start()


class TaskHost:
    """Runs a research task."""

    def __init__(
        self, archive: Archive, crew: Crewed, name: str, compare: Compare = nobody
    ) -> None:
        self._archive, self._crew, self._name = archive, crew, name
        self._make = lambda: ResearchTask(archive, name, crew, compare)
        self._task = start(archive, name, self._make)
        _in_background(self._run)

    def collect(self, report: Report) -> None:
        """Take a researcher's report; on return it is on disk."""
        self._handle(Collect(report))

    def stop(self, reason: str, save_partial: bool) -> None:
        """End early."""
        self._handle(Stop(reason, save_partial))

    def _handle(self, command: Command) -> None:
        try:
            self._task.handle(command)
        except StaleWriter:
            # A newer instance has taken over; this one must not act any more.
            os._exit(1)

    def ping(self) -> int:
        """Answer: the actor is up."""
        return os.getpid()

    def _run(self) -> None:
        # Trouble with the disk breaks the writer on purpose; a new one is made from the record.
        while not self._task.ended.is_set():
            try:
                self._task.begin()
                self._tend()
            except PASSES as trouble:
                log("task").warning("waiting", task=self._name, code=trouble.code)
                time.sleep(1.0)
                self._task = _patiently(self._make)

    def _tend(self) -> None:
        while not self._task.ended.wait(TICK):
            self._task.tick()
            for researcher, reason in self._crew.lost():
                try:
                    report = close_stream(self._archive, researcher, "researcher_lost", reason)
                except ResearchError as broken:
                    self._task.handle(Fail(broken.code, broken.sentence))
                else:
                    self._task.handle(Collect(report))


class ResearcherHost:
    """Runs one assignment and delivers its report until the task has taken it."""

    def __init__(
        self,
        archive: Archive,
        corpus: Corpus,
        name: str,
        kind: str,
        question: str,
        task: str,
        deliver: Callable[[Report], None],
        outside: Outside = Nowhere(),  # noqa: B008 - it has no state
        spent_today: Callable[[], float] = lambda: 0.0,
    ) -> None:
        def make() -> Researcher:
            brief = archive.brief(name)
            return Researcher(
                archive,
                corpus,
                name,
                kind,
                question,
                brief,
                outside,
                spent_today=spent_today,
            )

        self._make, self._deliver = make, deliver
        self._researcher = start(archive, name, make)
        self._told_to_stop = False
        _in_background(self._run)

    def stop(self) -> None:
        """End soon."""
        self._told_to_stop = True
        self._researcher.stop.set()

    def ping(self) -> int:
        """Answer: the actor is up."""
        return os.getpid()

    def _run(self) -> None:
        while True:
            try:
                report = self._researcher.run()
            except PASSES as trouble:
                log("researcher").warning("waiting", code=trouble.code)
                time.sleep(1.0)
                self._researcher = _patiently(self._make)
                if self._told_to_stop:
                    self._researcher.stop.set()
            else:
                self._deliver(report)
                return


LAST = 19
"""The niceness of a process that runs when no other wants to; Ray gives its workers 15."""


def give_way() -> None:
    """Let whoever waits for an answer go first: nobody waits for the next document of a job."""
    os.setpriority(os.PRIO_PROCESS, 0, LAST)


class IngestHost:
    """Runs a job over documents."""

    def __init__(
        self, archive: Archive, parser: Parser, open_embedder: OpenEmbedder, name: str
    ) -> None:
        self._make = lambda: open_job(archive, parser, open_embedder, name)
        self._job = start(archive, name, self._make)
        self._told_to_stop = False
        _in_background(self._run)

    def stop(self, reason: str, save_partial: bool) -> None:
        """End soon; what was published stays."""
        self._told_to_stop = True
        self._job.stop.set()

    def ping(self) -> int:
        """Answer: the actor is up."""
        return os.getpid()

    def _run(self) -> None:
        while True:
            try:
                self._job.run()
            except PASSES as trouble:
                log("ingest").warning("waiting", code=trouble.code)
                time.sleep(1.0)
                self._job = _patiently(self._make)
                if self._told_to_stop:
                    self._job.stop.set()
            else:
                return
