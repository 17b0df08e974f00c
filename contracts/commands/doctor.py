"""Checks what research-agent needs to work, and says what to do where something is missing."""

import importlib.metadata
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from shlex import quote

from actors.catalogue import Catalogue
from actors.catalogue_state import CatalogueState
from actors.keys import env_file_fault, providers_with_keys
from actors.waking import read_state
from contracts.settings import Settings
from events.errors import ResearchError
from events.home import CATALOGUE, Home
from events.locks import holders, is_held_throughout
from events.words import count

OURS = {*("actors", "contracts", "events", "language", "projections", "traces"), "mcp_entry", "cli"}
ENOUGH = 500 << 20
_HELD = 1.0
"""Seconds after which a lock is held by something that is stuck; it is needed for milliseconds."""

_NEEDED = {
    "Gemini": {"gemini": "GEMINI_API_KEY"},
    "Claude": {"claude": "ANTHROPIC_API_KEY", "tavily": "TAVILY_API_KEY"},
}
"""The keys that research on the web takes, by who does it."""

_PRIVATE = "Make .env a file of your own that only you can read: chmod 600."
_SETTING = "RESEARCH_AGENT_"
_OF_CLIENTS = {"RESEARCH_AGENT_TOKEN"}
"""What clients of the HTTP server are told to keep their token in."""


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
            (3, 11) <= sys.version_info[:2] < (3, 13),
            sys.version.split()[0],
            "Use Python 3.11 or 3.12.",
        ),
        _settings(),
        _home(settings),
        _space(settings.home),
        _record(settings.home),
        _documents(settings.home),
        _research(settings.home),
        _scans(),
        _rendering(settings),
        _rivals(),
        _engine(settings),
    ]


def _settings() -> Check:
    known = {f"{_SETTING}{each.name.upper()}" for each in fields(Settings)} | _OF_CLIENTS
    given = sorted(name for name in os.environ if name.startswith(_SETTING))
    unknown = [name for name in given if name not in known]
    if not unknown:
        return Check(
            "settings", True, ", ".join(given) or "none set, so the defaults apply (see README.md)"
        )
    like = get_close_matches(unknown[0], known, 1)
    meant = f"Did you mean {like[0]}? " if like else ""
    return Check(
        "settings",
        False,
        f"there is no {', '.join(unknown)}"[:500],
        f"{meant}README.md lists all settings.",
    )


def _home(settings: Settings) -> Check:
    home = Home(settings.home)
    try:
        home.prepare()
        probe = home.run / ".probe"
        probe.write_bytes(b"")
        probe.unlink()
    except (ResearchError, OSError) as failure:
        return Check("data home", False, str(failure), "Set RESEARCH_AGENT_HOME.")
    path = quote(str(settings.home))
    if closed := list(_closed(home)):
        found = f"{settings.home}: you may not open {closed[0]}{_and_more(len(closed) - 1)}"
        return Check("data home", False, found, f'Make it all yours: sudo chown -R "$USER" {path}')
    shut = (os.stat(settings.home).st_mode & 0o077) == 0  # noqa: PTH116
    return Check("data home", shut, str(settings.home), f"Run chmod 700 {path}.")


def _closed(home: Home) -> Iterator[Path]:
    """What is in the home for somebody else only, as after a command that the superuser ran there."""
    for folder, folders, files in os.walk(home.root):
        place = Path(folder)
        # Of what lies elsewhere, nothing is written again in its place.
        needed = os.R_OK | os.W_OK if place.is_relative_to(home.traces) else os.R_OK
        inner = (place / name for name in folders)
        shut = [each for each in inner if not os.access(each, os.R_OK | os.W_OK | os.X_OK)]
        shut += [file for name in files if not os.access(file := place / name, needed)]
        # What is at work beside this may have removed some of it meanwhile.
        yield from filter(os.path.lexists, shut)


def _and_more(count_of_others: int) -> str:
    return f" and {count_of_others} more" if count_of_others else ""


def _space(path: Path) -> Check:
    while not path.exists():
        path = path.parent
    free = shutil.disk_usage(path).free
    return Check("disk space", free > ENOUGH, f"{free / 1e9:.1f} GB free", "Free some space.")


def _record(root: Path) -> Check:
    try:
        records, cursor = Home(root).read(CATALOGUE)
        Catalogue(Home(root)).state()  # Lines may be whole and still say what nobody understands.
    except ResearchError as failure:
        return Check("record", False, failure.sentence, failure.advice)
    if is_held_throughout(Home(root).path(CATALOGUE), _HELD):
        held = ", ".join(map(str, holders(Home(root).path(CATALOGUE)))) or "unknown"
        return Check(
            "record",
            False,
            f"the catalogue has been locked for {_HELD:g} s, by process {held}",
            "If that stays so, end this process (kill -9): nothing that was accepted is lost.",
        )
    if not records:
        return Check("record", True, "empty")
    return Check("record", True, f"{len(records)} facts in the catalogue, head {cursor.head[:19]}…")


def _documents(root: Path) -> Check:
    try:
        state = Catalogue(Home(root)).state()
    except (ResearchError, OSError):
        return Check("documents", True, "unknown while the record cannot be read")
    held = sum(collection in state.collections for collection, _ in state.published)
    if not held:
        return Check("documents", True, "none yet; add some with research-agent ingest PATH")
    where = count(len(state.collections), "collection")
    return Check("documents", True, f"{held} in {where}{_outdated(Home(root), state)}")


def _outdated(home: Home, state: CatalogueState) -> str:
    """How many documents would be read by newer readers today; no fault, for they are found all the same."""
    older = [source for source in state.outdated() if source.collection in state.collections]
    if not older:
        return ""
    gone = sum(not home.blobs.path(source.original.hash).exists() for source in older)
    # Without its name, they would move to the bundled model.
    model = f" --model {quote(state.embedder)}" if state.embedder else ""
    advice = f"research-agent reindex{model} reads them anew"
    lost = f", but {gone} whose bytes are gone" if gone else ""
    return f", {len(older)} of them read by older readers; {advice}{lost}"


def _research(root: Path) -> Check:
    """Which research is on, and what would switch the rest on. None of it is a fault, but keys that are not read."""
    keys = providers_with_keys(root, os.environ)
    on, off = ["in your documents, with no key"], []
    for who, needed in _NEEDED.items():
        if missing := [name for provider, name in needed.items() if provider not in keys]:
            off.append(f"set {' and '.join(missing)} for {who}")
        else:
            on.append(f"by {who}")
    found = "; ".join([", ".join(on), *off])
    if fault := env_file_fault(root):
        return Check("research", False, f"{found}; {root / '.env'} is not read: {fault}", _PRIVATE)
    return Check("research", True, found)


def _scans() -> Check:
    from actors.adapters import ocr, tesseract

    readers = {"rapidocr": ocr.is_there(), "Tesseract": bool(tesseract.program())}
    found = " and ".join(name for name, there in readers.items() if there)
    return Check("scanned pages", True, f"read by {found}" if found else "not read: no OCR here")


def _rendering(settings: Settings) -> Check:
    from actors.adapters.rendering import program

    browser = program()
    if settings.render:
        advice = "Install Chromium, or unset RESEARCH_AGENT_RENDER."
        return Check("pages with scripts", bool(browser), browser or "no Chromium here", advice)
    there = "" if browser else ", with Chromium installed"
    return Check(
        "pages with scripts",
        True,
        f"scripts are not run; RESEARCH_AGENT_RENDER=chromium runs them{there}",
    )


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
        ", ".join(sorted(rivals)) or "no other package uses our names",
        "Install research-agent in an environment of its own.",
    )


def _engine(settings: Settings) -> Check:
    state = read_state(settings.home)
    if state is None:
        return Check("engine", True, "not running; it starts with the first task")
    good = state.state != "failed"
    return Check("engine", good, f"{state.state} {state.address or ''}", state.error or "")
