"""Data homes to be harmed: each trace in turn, and what the verifier says of it."""

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from events.codec import GENESIS
from events.home import CATALOGUE
from events.research import StepTaken
from tests.homes import (
    BuiltHome,
    build_home,
    copy_home,
)
from traces.verify import Verdict

ROOT = Path(__file__).resolve().parent.parent
ROLES = ("catalogue", "job", "task", "researcher", "unfinished task", "unfinished researcher")
SEALED = ("job", "task", "researcher")
NOTHING = StepTaken(step=1, action="x", decision="y")
BAD = b'"blob":{"hash":"x",%b"stored":["x"]},'


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> BuiltHome:
    return build_home(tmp_path_factory.mktemp("pristine") / "home", calls=0)


@pytest.fixture
def built(pristine: BuiltHome, tmp_path: Path) -> BuiltHome:
    return copy_home(pristine, tmp_path / "home")


def stream_of(role: str, built: BuiltHome) -> str:
    return {
        "catalogue": CATALOGUE,
        "job": built.jobs[0],
        "task": built.tasks[0],
        "researcher": built.researchers[0],
        "unfinished task": built.unfinished[0],
        "unfinished researcher": built.researchers[-1],
    }[role]


@pytest.fixture(params=ROLES)
def trace(request: pytest.FixtureRequest, built: BuiltHome) -> Path:
    """Each trace of the home in turn."""
    return built.stream(stream_of(request.param, built))


@pytest.fixture(params=SEALED)
def sealed_trace(request: pytest.FixtureRequest, built: BuiltHome) -> Path:
    """Each trace whose end its parent has recorded."""
    return built.stream(stream_of(request.param, built))


@contextmanager
def restored(path: Path) -> Iterator[bytes]:
    """Harm a file, and find it whole again afterwards."""
    before = path.read_bytes()
    try:
        yield before
    finally:
        path.write_bytes(before)


def first(verdict: Verdict) -> tuple[str, int | None]:
    assert verdict.faults, "nothing was found"
    return verdict.faults[0].file, verdict.faults[0].line


def shown(path: Path) -> str:
    return f"traces/{path.name}"


def reseal(*lines: bytes) -> bytes:
    """Chain lines anew, as a forger would who knows the format."""
    prev, out = GENESIS, b""
    for line in lines:
        body = b'%b,"prev":"%b"' % (line[: line.rindex(b',"prev":"')], prev.encode())
        prev = "sha256:" + hashlib.sha256(body + b"}").hexdigest()
        out += b'%b,"hash":"%b"}\n' % (body, prev.encode())
    return out


def note_head(trace: Path, seq: int, head: str) -> None:
    """Make the head file say what a forger wants it to."""
    slot = f"{seq:020} {head}\n"
    (trace.parent / "heads" / f"{trace.stem}.head").write_text(f"A\n{slot}{slot}")


def last_hash(raw: bytes) -> str:
    return "sha256:" + raw[-67:-3].decode()


def flips(trace: Path, bits: Callable[[int], Iterator[int]]) -> Iterator[tuple[int, int]]:
    """Every byte with every given bit flipped on disk, one after another, and the line it is in."""
    raw = trace.read_bytes()
    descriptor = os.open(trace, os.O_WRONLY)
    try:
        line = 1
        for offset, byte in enumerate(raw):
            for bit in bits(offset):
                os.pwrite(descriptor, bytes([byte ^ (1 << bit)]), offset)
                yield offset, line
            os.pwrite(descriptor, bytes([byte]), offset)
            line += byte == ord("\n")
    finally:
        os.close(descriptor)


def one_bit(offset: int) -> Iterator[int]:
    yield offset % 8


def every_bit(_: int) -> Iterator[int]:
    yield from range(8)
