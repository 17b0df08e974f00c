"""Research that is saved as a file, for the tests of what is in it and of where it goes."""

from pathlib import Path
from typing import Any

import pytest

from contracts.core import Core
from contracts.deep_research import calls as deep_research
from contracts.settings import Settings
from tests.homes import build_home
from tests.past_tasks import PastTasks

QUESTION = "Why is the sky <blue> & not *violet*?"
EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture
def past(tmp_path: Path) -> PastTasks:
    return PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))


@pytest.fixture
def core(past: PastTasks) -> Core:
    return Core(Settings(home=past.built.root))


def save(core: Core, task: str, folder: Path | str, **more: Any) -> dict[str, Any]:
    given: dict[str, Any] = {
        "prefix": "research",
        "include_metadata": True,
        "include_sources": True,
        "form": "markdown",
    } | more
    return deep_research.save(core, task, str(folder), given.pop("prefix"), **given)


def saved(core: Core, task: str, folder: Path, **more: Any) -> str:
    reply = save(core, task, folder, **more)
    assert reply["success"], reply
    return Path(reply["file_path"]).read_text()
