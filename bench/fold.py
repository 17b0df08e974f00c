"""How fast a data home is read, folded and opened again.

    python bench/fold.py [directory] [--facts N] [--tasks N]

Builds a home of finished tasks and a few running ones in the directory, unless it is there already
(a temporary one without an argument), and prints figures. Ratios within one run travel between
machines; absolute figures do not.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from events.base import Blob, Fact  # noqa: E402
from events.calls import CallAnswered, CallAsked, Usage  # noqa: E402
from events.catalogue import Brief, StreamSealed, TaskEntered  # noqa: E402
from events.codec import GENESIS, seal  # noqa: E402
from events.home import CATALOGUE, Home  # noqa: E402
from events.research import (  # noqa: E402
    AssignmentTaken,
    GapFound,
    PassageQuoted,
    ResearchFinished,
    SourceRead,
    StepTaken,
)
from events.tail import read_parts  # noqa: E402
from events.task import (  # noqa: E402
    ResearcherAssigned,
    ResearcherReported,
    TaskAccepted,
    TaskConcluded,
)
from events.upkeep import StreamClaimed  # noqa: E402
from projections.views import Views  # noqa: E402

T = TypeVar("T")

RUNNING = 10
"""Tasks that are not finished."""

_HASH = "sha256:" + "5e" * 32
_BLOB = Blob(hash=_HASH, size=4321, stored=_HASH)
_ENDS = 10
"""Facts of a task outside its researcher's stream, and at that stream's ends."""


# -- a synthetic home ------------------------------------------------------------------------------


class Writer:
    """A stream in memory, a decision per fact."""

    def __init__(self, name: str) -> None:
        self.name, self.seq, self.head = name, 0, GENESIS
        self.lines: list[bytes] = []

    def add(self, *facts: Fact, epoch: int = 1) -> None:
        """Seal facts onto the end."""
        for fact in facts:
            minutes = self.seq // 8
            at = f"2026-11-16T{minutes // 60 % 24:02d}:{minutes % 60:02d}:00.000000Z"
            lines, last = seal(self.name, self.seq, at, epoch, None, self.head, (fact,))
            self.lines += lines
            self.seq, self.head = self.seq + 1, last

    def save(self, home: Home) -> None:
        """Write the file."""
        home.path(self.name).write_bytes(b"".join(self.lines))


def work(count: int) -> list[Fact]:
    """What a researcher does, in so many facts."""
    facts: list[Fact] = []
    step = 0
    while len(facts) < count:
        step += 1
        call = f"model.plan:{step:016x}#1"
        usage = Usage(input_tokens=1200, output_tokens=340, thought_tokens=90)
        facts += [
            StepTaken(step=step, of=1 + count // 7, action="Reading", decision="It may answer."),
            CallAsked(call=call, port="model", operation="plan", request=_BLOB),
            CallAnswered(
                call=call, reply=_BLOB, model="claude", usage=usage, cost_usd=0.0123, took_ms=812.5
            ),
            SourceRead(
                step=step,
                action="fetch_url",
                url=f"https://example.org/articles/{step}",
                title="What scatters light in the upper air",
                content_hash=_HASH,
                content_length=48_211,
                text_hash=_HASH,
                decision="It answers the second part of the question.",
            ),
            PassageQuoted(citation=step, content_hash=_HASH, text_hash=_HASH, start=10, end=210),
            PassageQuoted(citation=step, content_hash=_HASH, text_hash=_HASH, start=310, end=410),
            GapFound(topic="violet", category="source_not_found", detail="Nobody says why."),
        ]
    return facts[:count]


def build(home: Home, facts: int, tasks: int) -> None:
    """Write a home of so many facts over so many finished tasks, and a few that still run."""
    home.prepare()
    question = "Why is the sky blue, and why is it not violet, although violet scatters more?"
    claimed = StreamClaimed(writer="bench", host="bench", pid=1)
    accepted = TaskAccepted(brief=Brief(question=question))
    body = work(facts // tasks - _ENDS)
    catalogue = Writer(CATALOGUE)
    for place in range(tasks + RUNNING):
        task = str(uuid.UUID(int=place, version=4))
        catalogue.add(
            TaskEntered(task=task, brief=_BLOB, question=question, researcher="claude"), epoch=0
        )
        own, crew = Writer(task), Writer(f"{task}.r1")
        own.add(
            claimed,
            accepted,
            ResearcherAssigned(researcher=crew.name, researcher_kind="claude", question=question),
        )
        crew.add(claimed, AssignmentTaken(researcher_kind="claude", question=question), *body)
        if place < tasks:
            crew.add(ResearchFinished(findings=_BLOB))
            own.add(
                ResearcherReported(
                    researcher=crew.name, seq=crew.seq, head=crew.head, findings=_BLOB
                ),
                TaskConcluded(result=_BLOB, report=_BLOB),
            )
            sealed = StreamSealed(target=task, seq=own.seq, head=own.head, outcome="completed")
            catalogue.add(sealed, epoch=0)
        own.save(home)
        crew.save(home)
    catalogue.save(home)


# -- measuring -------------------------------------------------------------------------------------


def timed(act: Callable[[], T]) -> tuple[T, float]:
    """What something returns, and the seconds it took."""
    began = time.perf_counter()
    returned = act()
    return returned, time.perf_counter() - began


def streams(home: Home) -> Iterator[Path]:
    """Every stream of a home."""
    return (path for path in home.traces.iterdir() if path.suffix == ".jsonl")


def split(home: Home) -> int:
    """Read every file and cut it into lines: as fast as anything in Python could be."""
    return sum(len(path.read_bytes().split(b"\n")) - 1 for path in streams(home))


def check(home: Home) -> int:
    """Read every file with every line checked."""
    return sum(len(records) for path in streams(home) for records, _ in read_parts(path))


def memory() -> tuple[int, int]:
    """Megabytes of this process: now, and at its highest."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    now, peak = (int(lines[name].split()[0]) // 1024 for name in ("VmRSS", "VmHWM"))
    return now, peak


def first_status(root: str, task: str) -> None:
    """In a fresh process: open the home, answer one question."""
    began = time.perf_counter()
    status = Views(Home(Path(root))).status(task)
    took = time.perf_counter() - began
    loaded = sorted({"duckdb", "pyarrow", "ray"} & set(sys.modules))
    print(json.dumps({"took": took, "memory": memory(), "phase": status.phase, "loaded": loaded}))


def in_fresh_process(home: Home, task: str) -> tuple[dict[str, Any], float]:
    """Answer one question in a process of its own; what it says, and the seconds in all."""
    command = [sys.executable, __file__, "--first-status", str(home.root), task]
    began = time.perf_counter()
    reply = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(reply.stdout), time.perf_counter() - began


def row(what: str, figure: str, note: str = "") -> None:
    """One line of the table."""
    print(f"{what:<46} {figure:>14}  {note}")


def measure(home: Home, tasks: int) -> None:
    """Print the table."""
    split(home)  # Warms the page cache, so that no rate includes the disk.
    lines, splitting = timed(lambda: split(home))
    _, checking = timed(lambda: check(home))
    size = sum(path.stat().st_size for path in streams(home))
    row("facts", f"{lines:,}", f"in {len(list(streams(home))):,} streams, {size >> 20} MiB")
    row("split into lines", f"{lines / splitting:,.0f}/s", "1.00")
    row("read and check", f"{lines / checking:,.0f}/s", f"{splitting / checking:.2f}")

    shutil.rmtree(home.views, ignore_errors=True)
    views = Views(home, snapshot_every=10**12)
    _, folding = timed(views.refresh_all)
    row("read, check and fold", f"{lines / folding:,.0f}/s", f"{splitting / folding:.2f}")
    row("memory after folding everything", f"{memory()[0]} MB", f"peak {memory()[1]} MB")
    _, saving = timed(views.save_snapshot)
    saved = sum(path.stat().st_size for path in home.views.rglob("*") if path.is_file())
    row("snapshot", f"{saved / 2**20:.1f} MiB", f"saved in {saving:.2f} s")

    for what, place in (("finished", tasks // 2), ("running", tasks + 1)):
        task = str(uuid.UUID(int=place, version=4))
        reply, whole = in_fresh_process(home, task)
        now, peak = reply["memory"]
        row(
            f"first status of a {what} task, fresh process",
            f"{whole:.2f} s",
            f"of which asking {reply['took']:.2f} s; {now} MB, peak {peak} MB; {reply['loaded']}",
        )
    task = str(uuid.UUID(int=tasks + 1, version=4))
    _, again = timed(lambda: sum(views.status(task).steps for _ in range(1000)))
    row("status of a running task, asked again", f"{again * 1000:.0f} us")


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", nargs="?", type=Path)
    parser.add_argument("--facts", type=int, default=1_000_000)
    parser.add_argument("--tasks", type=int, default=20_000)
    parser.add_argument("--first-status", nargs=2, metavar=("HOME", "TASK"))
    asked = parser.parse_args()
    if asked.first_status:
        first_status(*asked.first_status)
        return
    with tempfile.TemporaryDirectory() as passing:
        root = (asked.directory or Path(passing)) / f"home-{asked.facts}-{asked.tasks}"
        home, marker = Home(root), root / "built"
        if not marker.exists():
            _, took = timed(partial(build, home, asked.facts, asked.tasks))
            marker.write_text("yes")
            row("built", f"{took:.0f} s")
        measure(home, asked.tasks)


if __name__ == "__main__":
    os.chdir(ROOT)
    main()
