"""A stream to write to, also from processes of their own."""

import subprocess
import sys
from pathlib import Path

import pytest

from events.home import Home
from events.research import StepTaken
from events.stream import EventStream
from events.tail import read_stream

ROOT = Path(__file__).resolve().parent.parent
LINUX = pytest.mark.skipif(not Path("/proc/locks").exists(), reason="asks Linux who holds a lock")


def step(number: int, action: str = "search") -> StepTaken:
    return StepTaken(step=number, action=action, decision=f"Step “{number}”")


def steps(path: Path) -> list[int]:
    """The steps on disk."""
    records, _ = read_stream(path)
    return [record.data["step"] for record in records if record.kind == "step_taken"]


@pytest.fixture
def trace(home: Home) -> Path:
    return home.path("stream")


@pytest.fixture
def stream(trace: Path) -> EventStream:
    return EventStream.claim(trace, "a test")[0]


PREAMBLE = """
import os, signal, sys, time
from pathlib import Path
from events.errors import *
from events.research import StepTaken
from events.stream import EventStream
trace = Path(sys.argv[1])
def step(number, action="search"):
    return StepTaken(step=number, action=action, decision="In another process")
"""


def start(script: str, *arguments: object, out: int | None = None) -> subprocess.Popen[bytes]:
    """Run a script of ours in a process of its own."""
    command = [sys.executable, "-c", PREAMBLE + script, *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=out)


def is_frozen(process: subprocess.Popen[bytes]) -> bool:
    state = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state == "T"
