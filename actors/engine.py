"""The engine: reads the root stream, keeps an actor at work for every unfinished task and job.

It is the only Ray driver of a data home. Nobody sends it anything: accepting a task or asking for a cancel is an
append to the root stream, and this process looks there. It may be killed at any moment; the next one
reads the same stream and finds the actors by name.
"""

import argparse
import os
import sys
import threading
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from actors import ray_actors, runtime
from actors.archive import LocalArchive
from actors.catalogue_state import Accepted, CatalogueState
from actors.hosts import PASSES
from actors.jobs import open_job
from actors.measures import Measures, keep_looking
from actors.notices import Notices, show_on_desktop
from actors.opened import named
from actors.orchestration import orchestrated
from actors.ray_actors import Wiring
from actors.runtime import Running
from actors.supervisor import NOT_REACHED
from actors.task import LAST_WORDS, Accept, ResearchTask, Stop
from actors.webpages.refreshing import Refresher
from events.catalogue import JobEntered, TaskEntered
from events.errors import EngineDown, ResearchError
from events.home import Home
from events.logs import log, start_logging
from events.secrets import learn_secrets
from events.task import ResearcherAssigned

GLANCE = 0.02
"""Seconds between looks at the root stream; each costs one stat."""

ROUND = 0.5
"""Seconds between looks at the actors."""

CONNECT_PATIENCE = 20.0
"""Seconds that a Ray head has to answer."""

WARM = 4
"""Worker processes kept ready for actors to come."""

CALM = 1.5
"""Seconds after an actor's start before workers are started ahead of need."""

STARTS = 3
"""So often an actor may fail to start before its stream is left alone."""


AWAY = {"gemini", "claude"}
"""Kinds of researchers that mostly wait, for a provider or for a key: they must not keep others from working."""

AWAY_FOR_ONE = 2
"""So many tasks may wait for the same provider for each one that may work here."""

WEBSITES = "projections.websites:Websites"

WORTH_INDEXING = 100
"""Files of a job after which an index is built ahead of the first search."""


class Nobody:
    """The crew of a task that ends before it begins."""

    def send(self, task: str, assignment: ResearcherAssigned) -> None:
        """Send nobody."""

    def stop(self, researcher: str) -> None:
        """Stop nobody."""

    def dismiss(self, researcher: str) -> None:
        """Dismiss nobody."""


class Engine:
    """Admits unfinished work up to a limit for each sort of it, oldest first, and watches over what runs."""

    def __init__(
        self,
        archive: LocalArchive,
        wiring: Wiring,
        limit: int,
        idle_s: float,
        measures: Measures | None = None,
        refresher: Refresher | None = None,
    ) -> None:
        self._archive, self._wiring, self._limit, self._idle_s = archive, wiring, limit, idle_s
        self._running: dict[str, Running] = {}
        self._told: set[str] = set()
        self._vain: dict[str, int] = {}
        self._kinds_of: dict[str, frozenset[str]] = {}
        self._measures, self._refresher = measures, refresher
        self._keeper = False
        self._workers_used = WARM
        self._last_start = 0.0
        self._notices = Notices(archive.home, archive, show_on_desktop)
        self._indexer = named(wiring.indexer)(archive.home)
        """Builds what searches read, so that the first one after an ingest need not wait."""

    def run(self) -> None:
        """Work until there has been nothing to do for long enough."""
        quiet_since = time.monotonic()
        last_round = 0.0
        while True:
            now = time.monotonic()
            due = now - last_round >= ROUND
            if due or self._archive.catalogue.grew():
                try:
                    self.look(thorough=due)
                except ResearchError as trouble:
                    log("engine").warning("trouble", code=trouble.code, reason=trouble.sentence)
                if due:
                    last_round = now
                if self._running:
                    quiet_since = now
            if self._idle_s and now - quiet_since > self._idle_s:
                return
            time.sleep(GLANCE)

    def look(self, *, thorough: bool = True) -> None:
        """Bring what runs in line with what the root stream says."""
        state = self._archive.catalogue.state()
        for name in [each for each in self._running if _is_over(state, each)]:
            self._running.pop(name).dismiss()
            if _brought_many(state, name):
                self._indexer.nudge()
        unfinished = state.unfinished()
        for name in unfinished:
            entry = state.entries[name]
            if name in self._running:
                self._pass_on_stop(name, entry, again=thorough)
            elif entry.stop and not self._must_be_called_off(name, entry):
                self._try_to_end(name, entry)
            elif self._has_room(state, self._away(name, entry)):
                self._running[name] = self._start(name, entry)
        self._notices.look(state)
        if self._measures:
            self._measures.running = frozenset(self._running)
        if thorough:
            if runtime.node_count() > 1:
                self._start_keeper()
            self._bury()
            self._warm_up()
            if self._refresher:
                self._refresher.look()

    def _has_room(self, state: CatalogueState, away: frozenset[str]) -> bool:
        """Whether one more may run; who waits for one provider's key keeps nobody from another provider."""
        theirs = [self._away(name, state.entries[name]) for name in self._running]
        if away:
            return sum(bool(away & each) for each in theirs) < self._limit * AWAY_FOR_ONE
        return sum(not each for each in theirs) < self._limit

    def _away(self, name: str, entry: Accepted) -> frozenset[str]:
        """For whom a task may wait."""
        return self._kinds(name, entry) & AWAY

    def _kinds(self, name: str, entry: Accepted) -> frozenset[str]:
        """Kinds of researchers that a task may have; none for a job."""
        if not isinstance(entry.entered, TaskEntered):
            return frozenset()
        if name not in self._kinds_of:
            try:
                brief = self._archive.brief(name)
            except (ResearchError, ValueError):
                return frozenset((entry.entered.researcher,))  # Its actor will say what is wrong.
            further = brief.available if orchestrated(brief) else ()
            self._kinds_of[name] = frozenset((brief.researcher, *further))
        return self._kinds_of[name]

    def _start(self, name: str, entry: Accepted) -> Running:
        is_job = isinstance(entry.entered, JobEntered)
        if not is_job:
            self._start_keeper()
        # A task takes a worker for itself and one for its researcher.
        self._workers_used += 1 if is_job else 2
        self._last_start = time.monotonic()
        return (ray_actors.start_job if is_job else ray_actors.start_task)(self._wiring, name)

    def _pass_on_stop(self, name: str, entry: Accepted, *, again: bool) -> None:
        # Whom Ray is restarting does not hear it; hearing it twice changes nothing.
        if entry.stop and (again or name not in self._told):
            self._running[name].tell("stop", "cancelled", entry.stop.save_partial)
            self._told.add(name)

    def _must_be_called_off(self, name: str, entry: Accepted) -> bool:
        """Whether work that was begun before a restart may go on at a provider."""
        has_last_words = not LAST_WORDS.keys().isdisjoint(self._kinds(name, entry))
        return has_last_words and self._archive.home.path(name).exists()

    def _try_to_end(self, name: str, entry: Accepted) -> None:
        """Cancel work that no actor has taken up; what cannot be must keep nobody else from working."""
        try:
            self._end_before_it_began(name, entry)
        except PASSES as trouble:
            log("engine").warning("waiting", stream=name, code=trouble.code)
        except Exception as failure:  # noqa: BLE001 - whatever its record holds, the others go on
            self._note_vain(name, str(failure)[:300] or type(failure).__name__)

    def _end_before_it_began(self, name: str, entry: Accepted) -> None:
        """If an actor did take it up before a crash, this fences it off."""
        assert entry.stop
        if isinstance(entry.entered, JobEntered):
            job = open_job(
                self._archive, self._wiring.open_parser(), self._wiring.open_embedder, name
            )
            job.stop.set()
            job.run()
            return
        task = ResearchTask(self._archive, name, Nobody())
        task.handle(Stop("cancelled", entry.stop.save_partial))
        task.handle(Accept(self._archive.brief(name)))
        task.end_the_waiting()

    def _warm_up(self) -> None:
        """Replace the workers that were used, but not while an actor needs the processors to start."""
        if self._workers_used and time.monotonic() - self._last_start > CALM:
            runtime.keep_warm(min(self._workers_used, WARM))
            self._workers_used = 0

    def _start_keeper(self) -> None:
        """Have somebody who keeps the home for other machines, and the corpus open for all researchers."""
        if not self._keeper:
            ray_actors.start_keeper(self._wiring)
            self._keeper = True

    def _bury(self) -> None:
        """Try again to start what died for good; leave alone what dies every time."""
        for name, running in list(self._running.items()):
            reason = running.death()
            if reason is None:
                continue
            del self._running[name]
            self._told.discard(name)
            if self._note_vain(name, reason):
                ray_actors.dismiss_crew(name)

    def _note_vain(self, name: str, reason: str) -> bool:
        """Count what was tried in vain; whether the task or job is left alone from now on."""
        self._vain[name] = self._vain.get(name, 0) + 1
        log("engine").warning("in vain", stream=name, reason=reason, times=self._vain[name])
        if self._vain[name] < STARTS:
            return False
        self._archive.catalogue.quarantine(name, "poisoned", reason)
        return True


def _is_over(state: CatalogueState, name: str) -> bool:
    """Whether nobody has to work on it; that is so as well of what was never acknowledged."""
    return name not in state.entries or state.entries[name].ended is not None


def _brought_many(state: CatalogueState, name: str) -> bool:
    entered = state.entries[name].entered if name in state.entries else None
    return isinstance(entered, JobEntered) and entered.files >= WORTH_INDEXING


def main() -> int:
    """Run the engine of one data home until it is idle; 0 then, 3 when Ray cannot be reached."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--address", required=True)
    parser.add_argument("--limit", type=int, default=4)
    parser.add_argument("--idle-minutes", type=float, default=30.0)
    parser.add_argument("--refresh-hours", type=float, default=0.0)
    parser.add_argument("--corpus", default=Wiring.corpus)
    parser.add_argument("--parser", default=Wiring.parser)
    parser.add_argument("--outside", default=Wiring.outside)
    parser.add_argument("--watched", action="store_true", help="show steps and metrics through Ray")
    parser.add_argument("--guest", action="store_true", help="leave nothing behind: Ray stays up")
    options = parser.parse_args()
    learn_secrets()
    start_logging()
    # Ray waits without end for somebody who listens but is no Ray head, and cannot be interrupted.
    alarm = threading.Timer(CONNECT_PATIENCE, _give_up, [options.address])
    alarm.daemon = True
    alarm.start()
    try:
        node = runtime.connect(options.address)
    except EngineDown as down:
        log("engine").error("no cluster", reason=down.sentence)
        return NOT_REACHED
    alarm.cancel()
    home = Home(options.home)
    home.prepare()
    wiring = Wiring(
        str(options.home),
        node,
        corpus=options.corpus,
        parser=options.parser,
        outside=options.outside,
        watched=options.watched,
        keeper=ray_actors.keeper_name(options.home),
    )
    measures = _measures(home) if options.watched else None
    idle_s = options.idle_minutes * 60
    archive = LocalArchive(home)
    refresher = _refresher(archive, options.refresh_hours)
    # What is wrong with the record is told by whoever looks for work in it.
    with suppress(ResearchError):
        if not archive.catalogue.state().unfinished():
            # One that an earlier engine left on a cluster may be of another version.
            ray_actors.dismiss_keeper(wiring)
    try:
        # Also when it is told to end, which Ray makes an exit of.
        Engine(archive, wiring, options.limit, idle_s, measures, refresher).run()
    finally:
        if options.guest:
            ray_actors.dismiss_keeper(wiring)
    runtime.disconnect()
    return 0


def _refresher(archive: LocalArchive, hours: float) -> Refresher | None:
    """Whoever fetches websites again that have grown old, if somebody is wanted for it."""
    if not hours:
        return None
    pages = named(WEBSITES)(archive.home)
    return Refresher(archive.home, archive.catalogue, pages, timedelta(hours=hours))


def _measures(home: Home) -> Measures | None:
    """Measure the work beside it; what cannot be measured is worked on all the same."""
    from actors.ray_dashboard import RayMeter, RaySigns

    try:
        measures = Measures(home, RayMeter(), RaySigns())
    except ResearchError as trouble:
        log("engine").warning("not measured", code=trouble.code, reason=trouble.sentence)
        return None
    keep_looking(measures.look, threading.Event())
    return measures


def _give_up(address: str) -> None:
    log("engine").error("no cluster", reason=f"No Ray head answers at {address}.")
    os._exit(NOT_REACHED)


if __name__ == "__main__":
    sys.exit(main())
