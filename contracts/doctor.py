"""Checks what research-agent needs to work, and says what to do where something is missing."""

import importlib.metadata
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from actors.waking import read_state
from contracts.settings import Settings
from events.errors import ResearchError
from events.home import CATALOGUE, Home

OURS = {"actors", "contracts", "events", "projections", "traces", "mcp_entry", "cli"}
ENOUGH = 500 << 20


@dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    what: str
    good: bool
    found: str
    advice: str = ""


def examine(settings: Settings) -> list[Check]:
    """Look at everything; nothing is changed but that the data home is made ready."""
    return [
        Check(
            "python",
            sys.version_info >= (3, 11),
            sys.version.split()[0],
            "Use Python 3.11 or later.",
        ),
        _home(settings),
        _space(settings.home),
        _record(settings.home),
        _rivals(),
        _engine(settings),
    ]


def _home(settings: Settings) -> Check:
    home = Home(settings.home)
    try:
        home.prepare()
        probe = home.run / ".probe"
        probe.write_bytes(b"")
        probe.unlink()
    except (ResearchError, OSError) as failure:
        return Check("data home", False, str(failure), "Set RESEARCH_AGENT_HOME.")
    shut = (os.stat(settings.home).st_mode & 0o077) == 0  # noqa: PTH116
    return Check("data home", shut, str(settings.home), f"Run chmod 700 {settings.home}.")


def _space(path: Path) -> Check:
    while not path.exists():
        path = path.parent
    free = shutil.disk_usage(path).free
    return Check("disk space", free > ENOUGH, f"{free >> 20} MiB free", "Free some space.")


def _record(root: Path) -> Check:
    try:
        records, cursor = Home(root).read(CATALOGUE)
    except ResearchError as failure:
        return Check("record", False, failure.sentence, failure.advice)
    return Check("record", True, f"{len(records)} facts in the catalogue, head {cursor.head[:19]}…")


def _rivals() -> Check:
    shipped = importlib.metadata.packages_distributions()
    rivals = {
        f"{name} by {owner}"
        for name in OURS
        for owner in shipped.get(name, [])
        if owner != "research-agent"
    }
    return Check(
        "module names",
        not rivals,
        ", ".join(sorted(rivals)) or "no other package ships ours",
        "Install research-agent in an environment of its own.",
    )


def _engine(settings: Settings) -> Check:
    state = read_state(settings.home)
    if state is None:
        return Check("engine", True, "not running; it starts with the first task")
    good = state.state != "failed"
    return Check("engine", good, f"{state.state} {state.address or ''}", state.error or "")
