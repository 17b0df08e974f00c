"""A data home with a little of everything, to be folded."""

import subprocess
import sys
from pathlib import Path

import pytest

from events.home import Home
from events.research import StepTaken
from projections.views import Views
from tests.homes import (
    BuiltHome,
    build_home,
    copy_home,
)

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> BuiltHome:
    root = tmp_path_factory.mktemp("views") / "home"
    return build_home(root, jobs=2, tasks=3, researchers=2, calls=3, unfinished=1)


@pytest.fixture(scope="module")
def expected(original: BuiltHome) -> bytes:
    """The dump of the original, folded from zero."""
    return fresh(original.home).dump()


@pytest.fixture
def built(original: BuiltHome, tmp_path: Path) -> BuiltHome:
    return copy_home(original, tmp_path / "home")


def fresh(home: Home) -> Views:
    """Views of a home that know nothing and find no snapshot."""
    blind = Home(home.root)
    blind.views = home.root / "no views here"
    return Views(blind)


def append_step(built: BuiltHome, stream: str, step: int) -> None:
    writer = built.claim(stream)
    writer.append(StepTaken(step=step, of=100, action=f"step {step}", decision="Look."))
    writer.close()


def in_process(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
