"""Makes `tests/golden/v1`: a small complete data home in format 1, which every later version must read.

    .venv/bin/python -m tests.make_golden

Made once, by the real catalogue, ingest job, task and researcher, and kept as it is: making it again is right only
while format 1 is not yet released. Times, processes, names and durations come from counters, so a second
run of the same code makes the same bytes. What the home adds up to is written beside it, for a person to read.
"""

import os
import random
import shutil
import socket
import uuid
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson

from actors import recorded
from actors.archive import LocalArchive
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from actors.inline import run_task
from actors.opened import OpenedCorpus
from events.base import Blob
from events.catalogue import Brief
from events.home import Home
from events.stream import EventStream
from projections.views import Views
from tests.asking_letters import open_letters_corpus
from tests.embedders import open_letters
from tests.homes import ticking_clock
from traces.verify import verify_home

GOLDEN = Path(__file__).parent / "golden" / "v1"
HOME = GOLDEN / "home"
EXPECTED = GOLDEN / "expected.json"

QUESTION = "What causes spring tides, and how high are they at Saint-Malo?"
LIBRARY = {
    "/library/tides.md": (
        "# Tides\n\n"
        "Tides are the rise and fall of the sea. They are caused by the pull of the Moon and the Sun.\n\n"
        "## Spring tides\n\n"
        "Spring tides occur twice a month, when Sun, Earth and Moon stand in a line. "
        "The range of a spring tide is about a fifth larger than that of a mean tide.\n"
    ),
    "/library/saint-malo.txt": (
        "At Saint-Malo the range of spring tides reaches 12 metres. "
        "The station on the Rance uses it to make electricity – “la houille bleue”.\n"
    ),
    "/library/blank.md": "\n",
    "/library/table.json": '{"range_m": 12}\n',
}


class Library(LocalArchive):
    """The real archive, over files that exist only here."""

    def take_file(self, locator: str) -> Blob:
        """Keep the bytes of a file of the library."""
        return self.put(LIBRARY[locator].encode())


def stop_the_clocks() -> None:
    """From here on times, processes, names and durations come from counters."""
    clock, ticks, chance = ticking_clock(), count(), random.Random(1)
    open_stream = EventStream.__init__

    def open_at_this_time(self: EventStream, path: Path, *_: object) -> None:
        open_stream(self, path, clock)

    def name() -> uuid.UUID:
        return uuid.UUID(int=chance.getrandbits(128), version=4)

    def moment() -> float:
        return next(ticks) / 1000

    EventStream.__init__ = open_at_this_time  # type: ignore[assignment, method-assign]
    vars(recorded)["time"] = SimpleNamespace(monotonic=moment)
    uuid.uuid4 = name
    os.getpid = lambda: 4711
    socket.gethostname = lambda: "golden"


def make(home: Home) -> None:
    """One ingest job and one research, from their acceptance to their seal."""
    home.prepare()
    archive = Library(home)
    job, _ = archive.catalogue.enter_job("tides", list(LIBRARY), cause="golden")
    IngestJob(archive, AnyParser(), open_letters, job).run()
    brief = Brief(question=QUESTION, context="For a travel guide.", depth="shallow")
    task, _ = archive.catalogue.enter_task(brief, key="golden", cause="golden")
    run_task(archive, OpenedCorpus(open_letters_corpus(str(home.root))), task)


def adds_up_to(home: Home) -> dict[str, Any]:
    """What a home's record says, through every view there is."""
    views = Views(home)
    tasks, jobs = views.tasks().tasks, views.jobs()
    return {
        "tasks": tasks,
        "jobs": jobs,
        "results": [views.result(each.task) for each in tasks],
        "files": [views.files(each.job) for each in jobs],
        "collections": views.collections(),
        "sources": views.sources(),
        "calls": [views.calls(name) for name in [*(t.task for t in tasks), *(j.job for j in jobs)]],
        "costs": views.costs(),
        "head": views.head(),
    }


def as_json(value: Any) -> bytes:
    """The same in the same bytes, and readable."""
    spelling = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(value, default=lambda row: row._asdict(), option=spelling)


def main() -> None:
    """Make the home and write down what it adds up to."""
    shutil.rmtree(GOLDEN, ignore_errors=True)
    stop_the_clocks()
    home = Home(HOME)
    make(home)
    assert verify_home(HOME).faults == []
    EXPECTED.write_bytes(as_json(adds_up_to(home)))
    for disposable in (home.views, home.run):
        shutil.rmtree(disposable)


if __name__ == "__main__":
    main()
