"""A data home with a real engine, for tests that are marked `ray`."""

import json
import os
import signal
from collections import Counter
from pathlib import Path
from typing import Any

from actors.waking import HeadOptions, ensure_up, read_state, shut_down, wait_up
from contracts.core import Core
from contracts.research.calls import brief_for
from contracts.settings import Settings
from events.home import Home
from projections.status import TaskStatus
from tests.waiting import PATIENCE, until
from traces.verify import Finding, verify_home

SAMPLES = Path(__file__).resolve().parent.parent / "docs" / "samples"
QUESTION = "How do tides generate electricity, and how much power does the largest station produce?"
ENGINE = ("-m", "actors.engine", "--corpus", "tests.emulators:SlowCorpus")


class RealEngine:
    """One data home whose engine searches through `tests.emulators.SlowCorpus`."""

    def __init__(self, root: Path, **options: Any) -> None:
        self.home = Home(root)
        self.home.prepare()
        settings = Settings(home=root, prewarm=False)
        self.options = HeadOptions(home=root, engine=ENGINE, idle_minutes=10, **options)
        self.core = Core(settings)
        self.core.wake_engine = self.wake  # type: ignore[method-assign]

    def wake(self) -> None:
        ensure_up(self.options)

    def up(self) -> None:
        self.wake()
        wait_up(self.home.root, PATIENCE)

    def down(self) -> None:
        shut_down(self.home.root, 60)

    def pace(self, seconds: float) -> None:
        (self.home.run / "pace").write_text(str(seconds))

    def served(self) -> Counter[str]:
        path = self.home.run / "served"
        return (
            Counter(json.loads(line) for line in path.read_text().splitlines())
            if path.exists()
            else Counter()
        )

    def ingest_samples(self) -> None:
        job, _ = self.core.start_ingest(str(SAMPLES), "samples", recursive=False)
        seen = list(self.core.follow_job(job, PATIENCE))[-1]
        assert (seen.phase, seen.failed) == ("completed", 0)

    def ask(self, question: str = QUESTION, collections: tuple[str, ...] | None = None) -> str:
        return self.core.start_research(brief_for(question, collections=collections))[0]

    def end_of(self, task: str, seconds: float = PATIENCE) -> TaskStatus:
        seen = list(self.core.follow(task, seconds))[-1]
        assert seen.ended, seen
        return seen

    def report(self, task: str) -> str:
        return self.core.views.result(task).report

    def lines(self, stream: str) -> int:
        path = self.home.path(stream)
        return path.read_bytes().count(b"\n") if path.exists() else 0

    def writer(self, stream: str) -> int:
        """The process that writes a stream now."""
        claims = [r for r in self.home.read(stream)[0] if r.kind == "stream_claimed"]
        return int(claims[-1].data["pid"])

    def kill_writer_at(self, stream: str, lines: int) -> bool:
        """SIGKILL a stream's writer as soon as it has so many lines; false if its task ended before."""
        task = stream.partition(".")[0]

        def ended() -> bool:
            return self.core.views.status(task).ended

        until(lambda: self.lines(stream) >= lines or ended())
        return not ended() and kill(self.writer(stream))

    def processes(self) -> list[int]:
        """Every process of this home's engine."""
        mark = b"RESEARCH_AGENT_HEAD="
        own = str(self.home.root).encode()
        found = []
        for path in Path("/proc").iterdir():
            try:
                environment = (path / "environ").read_bytes() if path.name.isdigit() else b""
            except OSError:
                continue
            if mark in environment and own in environment:
                found.append(int(path.name))
        return found

    def kill_everything(self) -> None:
        """`kill -9` of every process of the engine, supervisor included."""
        state = read_state(self.home.root)
        for pid in [*([state.supervisor] if state else []), *self.processes()]:
            kill(pid)

    def faults(self) -> list[Finding]:
        return verify_home(self.home.root).faults

    def check_record(self) -> None:
        assert [str(fault) for fault in self.faults()] == []

    def check_nothing_repeated(self) -> None:
        """No call that was answered was made again: it was served once for each time it was asked."""
        asked: Counter[str] = Counter()
        for path in self.home.traces.glob("*.r1.jsonl"):
            for record in self.home.read(path.stem)[0]:
                if record.kind == "call_asked" and record.data["operation"] == "search":
                    request = json.loads(self.home.blobs.get(record.data["request"]["hash"]))
                    asked[request["request"]["query"]] += 1
        for query, times in self.served().items():
            assert times <= asked[query], query


def kill(pid: int) -> bool:
    """SIGKILL; false if there is nobody left to kill."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True
