"""What tests of the command line share: data homes to work on, and how a refusal looks."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from actors.inline import run_task
from actors.opened import OpenedCorpus
from contracts.core import Core
from events.catalogue import Brief
from events.home import Home
from tests.asking_letters import open_letters_corpus
from tests.commands import Done, Run, runner
from tests.embedders import open_letters
from tests.inline_engine import InlineEngine

SAMPLES = Path(__file__).resolve().parent.parent / "docs" / "samples"
QUESTION = "How do tides generate electricity?"
NOBODY = "550e8400-e29b-41d4-a716-446655440000"
QUIET = """
import sys, cli
from contracts.core import Core
Core.wake_engine = lambda self: self.home.prepare()
sys.exit(cli.main())
"""
"""The command in a process of its own, but without waking an engine."""


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in this process, without waking an engine."""
    monkeypatch.setattr(Core, "wake_engine", lambda self: self.home.prepare())

    return runner(capsys)


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data home that commands use; there is nothing there yet."""
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def engine(at: Path) -> Iterator[InlineEngine]:
    home = Home(at)
    home.prepare()
    engine = InlineEngine(home)
    yield engine
    engine.close()


@dataclass(frozen=True)
class Built:
    """A home in which one research is finished and one is not."""

    root: Path
    job: str
    task: str
    open: str


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Made once, and only to be read."""
    home = Home(tmp_path_factory.mktemp("finished") / "home")
    home.prepare()
    archive = LocalArchive(home)
    files = [str(path) for path in sorted(SAMPLES.glob("t*.md"))]
    job, _ = archive.catalogue.enter_job("tides", files)
    IngestJob(archive, AnyParser(), open_letters, job).run()
    task, _ = archive.catalogue.enter_task(Brief(question=QUESTION))
    run_task(archive, OpenedCorpus(open_letters_corpus(str(home.root))), task)
    waiting, _ = archive.catalogue.enter_task(Brief(question="And tomorrow?"))
    return Built(home.root, job, task, waiting)


@pytest.fixture
def built(finished: Built, at: Path) -> Built:
    """The same, to be harmed."""
    shutil.copytree(finished.root, at)
    return Built(at, finished.job, finished.task, finished.open)


def trace(built: Built, stream: str) -> Path:
    return built.root / "traces" / f"{stream}.jsonl"


def everything(root: Path) -> dict[str, bytes]:
    """Every byte of the record."""
    parts = [*(root / "traces").rglob("*"), *(root / "blobs").rglob("*")]
    return {str(path): path.read_bytes() for path in parts if path.is_file()}


def only_progress(said: str) -> bool:
    return all(re.match(r"[A-Z][a-z]+ing: ", line) for line in said.splitlines())


def refused(done: Done, *says: str) -> None:
    assert done.code == 2, done
    *before, reason = done.err.splitlines(keepends=True)
    assert reason.startswith("research-agent: "), done.err
    assert only_progress("".join(before))
    for words in says:
        assert words in reason


COMMANDS = {
    "ingest": ["ingest", str(SAMPLES)],
    "research": ["research", QUESTION],
    "status": ["status", NOBODY],
    "results": ["results", NOBODY],
    "cancel": ["cancel", NOBODY],
    "ps": ["ps"],
    "verify": ["verify"],
    "replay": ["replay", NOBODY],
    "rebuild": ["rebuild"],
    "up": ["up"],
}


def start(root: Path, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    return subprocess.Popen(
        [sys.executable, "-c", QUIET, *arguments],
        env=environment | {"RESEARCH_AGENT_HOME": str(root)} | options.pop("env", {}),
        cwd=SAMPLES.parent.parent,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        **options,
    )
