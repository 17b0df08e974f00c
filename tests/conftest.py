"""What every test stands on: no Ray unless it is marked, a data home of its own, no key in sight."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from actors import hosts
from events.home import Home
from tests.marked_files import starts_ray

# No test asserts how long something takes: the machine may be busy.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # As in a shell's background jobs: what tests start would not hear an interrupt either.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What starts Ray comes first: side by side with the rest, it takes the longest."""
    items.sort(key=lambda item: not starts_ray(item.nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Deal the tests out by file; those that start Ray all go to one process, so that there is one head."""
    from tests.side_by_side import ByFile

    return ByFile(config, log)


@pytest.fixture(autouse=True)
def no_ray_unless_marked(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Unit tests cannot start a Ray head, however indirectly."""
    if "ray" not in request.keywords:

        def refuse(*_: object, **__: object) -> None:
            pytest.fail("this test starts Ray: mark it with @pytest.mark.ray")

        monkeypatch.setattr("actors.waking._spawn_supervisor", refuse)
    yield


@pytest.fixture(autouse=True, scope="session")
def no_actor_ends_the_tests() -> None:
    """An actor whose work dies ends its process; left running by a test, it would end this one."""
    hosts.__dict__["os"] = SimpleNamespace(_exit=sys.exit, getpid=os.getpid)


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test depends on what is set on the machine it runs on."""
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "ANTHROPIC_API_KEY", "TAVILY_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty data home."""
    home = Home(tmp_path / "home")
    home.prepare()
    return home


@pytest.fixture
def anyio_backend() -> str:
    """Async tests run on asyncio, as FastMCP does."""
    return "asyncio"
