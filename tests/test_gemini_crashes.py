"""Killed at any moment, a Gemini research orders one job, and ends as it would have; or says why it cannot."""

import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

import actors.adapters.gemini
import actors.kinds.gemini  # noqa: F401
from actors.archive import LocalArchive
from actors.replay import replay
from actors.task import ResearchTask, Stop
from events.home import Home
from events.task import ResearcherAssigned
from projections.views import Views
from tests.crashes import POINTS, Kill, run_killed, writes
from tests.gemini_emulator import GeminiEmulator
from tests.gemini_tasks import emulator, enter, facts, run, start, world
from tests.waiting import until
from traces.verify import verify_home

__all__ = ["emulator"]


def script(provider: GeminiEmulator) -> None:
    """The same short job each time: looked at twice, with two sources."""
    provider.reset()
    provider.streams, provider.polls = False, ["queued", "in_progress"]
    provider.cited = ["study", "gone"]


def research(home: Home, task: str, provider: GeminiEmulator) -> None:
    run(home, task, world(provider))


def clone(home: Home, place: Path) -> Home:
    shutil.copytree(home.root, place)
    return Home(place)


@dataclass(frozen=True)
class Reference:
    """A research that nothing happened to."""

    home: Home
    task: str
    base: Home
    writes: list[str]
    """What each write of it recorded."""

    def window(self, kind: str, nth: int = 1) -> int:
        """The number of the so-manieth write of a kind."""
        return [n for n, name in enumerate(self.writes, 1) if name == kind][nth - 1]


@pytest.fixture(scope="module")
def reference(emulator: GeminiEmulator, tmp_path_factory: pytest.TempPathFactory) -> Reference:
    place = tmp_path_factory.mktemp("gemini")
    base = Home(place / "base")
    base.prepare()
    task = enter(base)
    home = clone(base, place / "reference")
    script(emulator)
    assert run_killed(partial(research, home, task, emulator), None)
    made = []
    for path in home.traces.glob("*.jsonl"):
        known = {record.hash for record in base.read(path.stem)[0]}
        fresh = [r for r in home.read(path.stem)[0] if r.hash not in known]
        starts = [r for n, r in enumerate(fresh) if n == 0 or not fresh[n - 1].left]
        made += [(r.at, path.stem, r.seq, _label(r.kind, r.data.get("call"))) for r in starts]
    assert Views(home).status(task).phase == "completed"
    return Reference(home, task, base, [name for *_, name in sorted(made)])


def _label(kind: str, call: str | None) -> str:
    return f"{kind} {call.partition(':')[0]}" if call else kind


def killed_at(
    reference: Reference, provider: GeminiEmulator, place: Path, write: int, point: str
) -> Home:
    """The home of a research that was killed there, and taken up again."""
    home = clone(reference.base, place / f"{point}{write}")
    script(provider)
    job = partial(research, home, reference.task, provider)
    assert not run_killed(job, Kill(write, point)), reference.writes[write - 1]
    assert run_killed(job, None)
    return home


def check(
    reference: Reference, provider: GeminiEmulator, home: Home, write: int, point: str
) -> None:
    asked = reference.window("call_asked gemini.create")
    answered = reference.window("call_answered gemini.create")
    lost = (write == asked and point == "after") or (write == answered and point != "after")
    task, seen = reference.task, Views(home).status(reference.task)
    assert len(provider.created) == (0 if lost and write == asked else 1)
    assert verify_home(home.root).faults == []
    if lost:
        assert (seen.phase, seen.failure_code) == ("failed", "fate_unknown")
        return
    wanted = Views(reference.home).status(task)
    assert (seen.phase, seen.result, seen.report) == ("completed", wanted.result, wanted.report)
    assert len(facts(home, task, "job_created")) == 1
    assert len(facts(home, task, "sentence_checked")) == 2
    assert seen.cost_usd == wanted.cost_usd
    assert replay(home, task).identical


MOMENTS = [
    ("before the order", "call_asked gemini.create", 1, "before"),
    ("with the order sent off", "call_asked gemini.create", 1, "after"),
    ("with the order taken and its answer lost", "call_answered gemini.create", 1, "before"),
    ("with the answer half written", "call_answered gemini.create", 1, "torn"),
    ("right after the order", "call_answered gemini.create", 1, "after"),
    ("before the job's id is noted", "job_created", 1, "before"),
    ("after the job's id is noted", "job_created", 1, "after"),
    ("before the first look", "call_asked gemini.follow", 1, "after"),
    ("between looks", "call_answered gemini.follow", 1, "after"),
    ("while its end is fetched", "call_asked gemini.get", 1, "after"),
    ("with its end fetched", "call_answered gemini.get", 1, "after"),
    ("while its sources are fetched", "call_answered fetch.read", 1, "before"),
    ("with one source fetched", "call_answered fetch.read", 1, "after"),
    ("while a source is noted", "page_kept", 1, "torn"),
    ("while its sentences are checked", "passage_quoted", 1, "before"),
    ("with its sentences checked", "passage_quoted", 1, "after"),
    ("before its end is noted", "research_finished", 1, "before"),
    ("with its end noted", "research_finished", 1, "after"),
]


@pytest.mark.parametrize("moment", MOMENTS, ids=[each[0] for each in MOMENTS])
def test_a_research_killed_orders_one_job_and_ends_the_same(
    reference: Reference,
    emulator: GeminiEmulator,
    tmp_path: Path,
    moment: tuple[str, str, int, str],
) -> None:
    _, kind, nth, point = moment
    write = reference.window(kind, nth)
    home = killed_at(reference, emulator, tmp_path, write, point)
    check(reference, emulator, home, write, point)


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.parametrize("point", POINTS)
def test_a_research_killed_at_any_boundary_orders_one_job_and_ends_the_same(
    reference: Reference, emulator: GeminiEmulator, tmp_path: Path, point: str
) -> None:
    assert len(reference.writes) > 30
    for write in writes(len(reference.writes), point):
        home = killed_at(reference, emulator, tmp_path, write, point)
        check(reference, emulator, home, write, point)


class Absent:
    """A crew of which nobody is there."""

    def send(self, task: str, assignment: ResearcherAssigned) -> None:
        """Send nobody."""

    def stop(self, researcher: str) -> None:
        """Stop nobody."""

    def dismiss(self, researcher: str) -> None:
        """Dismiss nobody."""


def test_a_cancel_that_outlives_its_researcher_still_calls_the_job_off(
    reference: Reference, emulator: GeminiEmulator, tmp_path: Path
) -> None:
    home = clone(reference.base, tmp_path / "cancelled")
    script(emulator)
    write = reference.window("call_asked gemini.follow")
    job = partial(research, home, reference.task, emulator)
    assert not run_killed(job, Kill(write, "after"))
    emulator.endless = True
    ResearchTask(LocalArchive(home), reference.task, Absent()).handle(Stop("cancelled"))
    start(home, reference.task, world(emulator))
    until(lambda: Views(home).status(reference.task).ended)
    assert Views(home).status(reference.task).phase == "cancelled"
    assert emulator.jobs["v1_job1"]["status"] == "cancelled"
    assert len(emulator.created) == 1


def test_killed_again_and_again_it_still_orders_one_job(
    reference: Reference, emulator: GeminiEmulator, tmp_path: Path
) -> None:
    home = clone(reference.base, tmp_path / "again")
    script(emulator)
    job = partial(research, home, reference.task, emulator)
    assert not run_killed(job, Kill(reference.window("job_created"), "after"))
    deaths = 0
    while not run_killed(job, Kill(7, "after")):
        deaths += 1
    assert deaths > 2
    assert len(emulator.created) == 1
    assert Views(home).status(reference.task).phase == "completed"
    assert replay(home, reference.task).identical
