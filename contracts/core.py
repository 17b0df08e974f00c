"""What every door opens onto: accept, read, cancel. Tools and commands call the same functions.

Nothing here waits for Ray. Accepting is an append to the record; the engine, a process of its own, looks there.
"""

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from actors.catalogue import Catalogue
from actors.keys import providers_with_keys
from actors.notices import desktop_exists
from actors.shelves import check_name, meant, some_names
from actors.spending import Caps, check_caps
from actors.unlinked import open_unlinked
from actors.waking import HeadOptions, HeadState, ensure_up, read_state
from contracts.allowed_paths import expect_path, expect_under
from contracts.choosing import (
    DocumentsUnderWay,
    Kind,
    NoDocuments,
    StillReading,
    able,
    choose_grounded,
    choose_researcher,
)
from contracts.lending import Lender
from contracts.settings import Settings
from contracts.websites.fetching import fetch_order
from events.catalogue import Brief
from events.errors import (
    DiskFull,
    EngineDown,
    NothingToSearch,
    PathRefused,
    ResearchError,
    UnknownCollection,
    UnknownTask,
)
from events.home import Home
from events.stream import Head
from events.websites import FetchOrder
from projections.spent import Spent
from projections.status import JobStatus, TaskStatus
from projections.views import Views

if TYPE_CHECKING:
    from contracts.deep_research.pace import Pace
    from projections.search import LocalCorpus

Status = TypeVar("Status", TaskStatus, JobStatus)

_GLANCE = 0.05
"""Seconds between looks at a task while somebody waits for it."""

_STUCK = 5.0
"""Seconds without news after which a disk without space is taken for the reason."""

_DOUBT = 3.0
"""Seconds that an engine has to show itself before it is woken again."""

_TRUST = 0.25
"""Seconds for which an engine that was seen is taken to be there still."""

MOST_ENTRIES = 200_000
"""Files and folders that are looked at to list one folder."""


class FolderTooLarge(PathRefused):
    """A folder holds more than one job takes: (path, why)."""

    suggestion = "Bring its subfolders in one after the other."


class Core:
    """One process's view of a data home, and its hand on it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.home = Home(settings.home)
        self.catalogue = Catalogue(self.home)
        self.views = Views(self.home)
        self.desktop = desktop_exists()
        self.untold: set[str] = set()
        """Ingest jobs that somebody here was told to ask for again, until what became of them is told."""
        self._lender = Lender(settings.home)
        self._opening = threading.Lock()
        self._doubted_at = time.monotonic()
        self._seen: HeadState | None = None
        self._looking = threading.Lock()

    def wake_engine(self) -> None:
        """See to it that accepted work is worked on; returns at once."""
        self.home.prepare()
        self.lend_keys()
        ensure_up(
            HeadOptions(
                home=self.settings.home,
                address=self.settings.ray_address,
                dashboard=self.settings.dashboard,
                num_cpus=self.settings.num_cpus,
                max_running=self.settings.max_running,
                idle_minutes=self.settings.idle_minutes,
                refresh_hours=self.settings.refresh_hours,
            )
        )

    def lend_keys(self) -> None:
        """Let research in this home use the keys of this process, as long as it lives; returns at once."""
        self._lender.start()

    @cached_property
    def pace(self) -> "Pace":
        """How far researches are; made when it is first asked for, because it asks back here."""
        from contracts.deep_research.pace import Pace

        return Pace(self)

    @property
    def corpus(self) -> "LocalCorpus":
        """The corpus, opened when it is first asked: one for all doors, so that its models are loaded once."""
        with self._opening:
            return self._opened_corpus

    @cached_property
    def _opened_corpus(self) -> "LocalCorpus":
        from projections.search import open_corpus

        return open_corpus(str(self.home.root), reranker=self.settings.reranker)

    # -- research ---------------------------------------------------------------------------------

    def choose(self, model: str) -> Kind:
        """The kind of researcher that would work on a question now; `NothingToSearch` when none can."""
        try:
            return choose_researcher(model, self._keys(), has_corpus=self._has_corpus())
        except NoDocuments:
            if job := self._first_job():
                raise DocumentsUnderWay(job) from None
            raise
        except NothingToSearch:
            raise self._nothing_to_search() from None

    def choose_grounded(self) -> Kind:
        """Likewise, for a question that is waited for."""
        try:
            return choose_grounded(self._keys(), has_corpus=self._has_corpus())
        except NothingToSearch:
            raise self._nothing_to_search() from None

    def able(self) -> tuple[Kind, ...]:
        """The kinds of researchers that could work now, by the keys and documents that are there."""
        return able(self._keys(), has_corpus=self._has_corpus())

    def _keys(self) -> list[str]:
        return list(providers_with_keys(self.settings.home, os.environ))

    def _has_corpus(self) -> bool:
        return self.catalogue.state().has_documents()

    def _nothing_to_search(self) -> NothingToSearch:
        """Why nobody can research: the first documents may be on their way."""
        job = self._first_job()
        return StillReading(job) if job else NothingToSearch()

    def _first_job(self) -> str | None:
        return min(self.catalogue.state().jobs, default=None)

    def expect_allowance(self) -> None:
        """Refuse to begin what costs money when the day's cap is reached already."""
        caps = Caps(daily_usd=self.settings.daily_cap_usd)
        check_caps(caps, task_usd=0.0, today_usd=Spent(self.views).today)

    def start_research(self, brief: Brief, key: str | None = None) -> tuple[str, Head]:
        """Accept a research task; when this returns the id is durable."""
        state = self.catalogue.state()
        if brief.researcher == "corpus" and not state.has_documents():
            raise self._nothing_to_search()
        if brief.collections:
            named = tuple(meant(each, state.collections) for each in brief.collections)
            brief = brief.model_copy(update={"collections": named})
        for name in brief.collections or ():
            if name not in state.collections:
                raise UnknownCollection(name[:200], some_names(state.collections))
        order = fetch_order(self.settings)
        if order != FetchOrder():
            brief = brief.model_copy(update={"fetching": order})
        self.home.prepare()
        window = self.settings.sync_window_s
        task, head = self.catalogue.enter_task(brief, key, sync_window_s=window)
        self.wake_engine()
        return task, head

    def follow(self, task: str, seconds: float | None = None) -> Iterator[TaskStatus]:
        """A task's status each time it changes, until it ends or the time is up."""
        return self._follow(lambda: self.views.status(task), seconds)

    def follow_job(self, job: str, seconds: float | None = None) -> Iterator[JobStatus]:
        """A job's status each time it changes, until it ends or the time is up."""
        return self._follow(lambda: self.views.job(job), seconds)

    def _follow(self, look: Callable[[], Status], seconds: float | None) -> Iterator[Status]:
        deadline = None if seconds is None else time.monotonic() + seconds
        last: Status | None = None
        since = time.monotonic()
        while True:
            status = look()
            if status != last:
                last, since = status, time.monotonic()
                yield status
            if status.ended or (deadline and time.monotonic() >= deadline):
                return
            self.expect_engine()
            if time.monotonic() - since > _STUCK:
                self._expect_space()
            time.sleep(_GLANCE)

    def _expect_space(self) -> None:
        """Refuse to go on waiting for work that can record nothing: it resumes when there is space."""
        with suppress(OSError):
            if not shutil.disk_usage(self.home.root).free:
                raise DiskFull(str(self.home.root))

    def expect_engine(self) -> None:
        """Refuse to go on waiting for an engine that has given up; what was accepted stays accepted."""
        state = self._keep_engine()
        if state and state.state == "failed":
            raise EngineDown(
                self.settings.ray_address or str(self.settings.home), state.error or ""
            )

    def keep_engine(self) -> None:
        """Wake the engine again if it has vanished while there is work; to be asked by whoever looks at that work."""
        with suppress(ResearchError, OSError):
            self._keep_engine()

    def keep_engine_meanwhile(self) -> None:
        """The same, without waiting for it."""
        if self._trusted() is None and self._looking.acquire(blocking=False):
            try:
                threading.Thread(target=self._look_aside, name="engine-look", daemon=True).start()
            except RuntimeError:  # There are too many threads already; the next call looks again.
                self._looking.release()

    def _look_aside(self) -> None:
        try:
            self.keep_engine()
        finally:
            self._looking.release()

    def _trusted(self) -> HeadState | None:
        """The engine as it was seen, if that was a moment ago."""
        return self._seen if time.monotonic() - self._doubted_at < _TRUST else None

    def _keep_engine(self) -> HeadState | None:
        # A supervisor that is killed takes nobody's call any more, not even one that came a moment before.
        if seen := self._trusted():
            return seen
        now = time.monotonic()
        state = self._seen = read_state(self.settings.home)
        if state or now - self._doubted_at < _DOUBT:
            self._doubted_at = now if state else self._doubted_at
            return state
        self._doubted_at = now
        self.wake_engine()
        return None

    def cancel(self, target: str, *, save_partial: bool = True) -> None:
        """Ask for a task or job to be stopped."""
        if target not in self.catalogue.state().entries:
            raise UnknownTask(target[:80])
        self.catalogue.request_cancel(target, save_partial=save_partial)
        self.wake_engine()

    # -- ingest -----------------------------------------------------------------------------------

    def start_ingest(
        self,
        path: str,
        collection: str,
        *,
        recursive: bool,
        roots: tuple[Path, ...] | None = None,
    ) -> tuple[str, Head]:
        """Accept an ingest job over a file, or the files of a folder; under one of the roots, where there are some."""
        from actors.ingesting.underway import brings_in

        files = files_at(path, recursive=recursive, roots=roots)
        check_name(collection, "collection")
        self.home.prepare()
        # A name that is not text cannot be recorded as it is; the job will say it is not there.
        locators = [str(file).encode(errors="backslashreplace").decode() for file in files]
        job, head = self.catalogue.enter_job(
            collection,
            locators,
            join=lambda job: brings_in(self.home, self.catalogue.state(), job, locators),
            untold=tuple(self.untold),
        )
        self.wake_engine()
        return job, head


def files_at(path: str, *, recursive: bool, roots: tuple[Path, ...] | None = None) -> list[Path]:
    """The files that a path stands for; refused where there are none."""
    expect_path(path)
    if not path.strip():
        raise PathRefused("''", "it is empty")
    files = list_files(Path(path), recursive=recursive, roots=roots)
    if not files:
        raise PathRefused(path, "there are no files in it")
    return files


def list_files(path: Path, *, recursive: bool, roots: tuple[Path, ...] | None = None) -> list[Path]:
    """The plain files at a path, in a fixed order; links and hidden files are passed over in folders."""
    try:
        place = path.expanduser().resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        raise PathRefused(str(path)[:200], "there is no such file or folder") from None
    if roots is not None:
        # Also where it was checked before: the path may lead elsewhere by now.
        expect_under(place, roots, str(path))
    if place.is_file():
        return [place]
    if not place.is_dir():
        raise PathRefused(str(place), "it is neither a file nor a folder")
    return _files_in(place, recursive=recursive)


def _files_in(top: Path, *, recursive: bool) -> list[Path]:
    found: list[Path] = []
    folders, looked = [top], 0
    while folders:
        folder = folders.pop()
        files, inner = [], []
        try:
            for entry in _entries(folder):
                looked += 1
                if looked > MOST_ENTRIES:
                    raise FolderTooLarge(str(top), f"more than {MOST_ENTRIES} entries are in it")
                if entry.name.startswith("."):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    inner.append(folder / entry.name)
                elif entry.is_file(follow_symlinks=False):
                    files.append(folder / entry.name)
        except OSError as failure:
            if folder == top:
                raise PathRefused(str(top), failure.strerror or "it cannot be read") from None
            # Listed as it is: the job will say why nothing of it came in.
            found.append(folder)
            continue
        found += sorted(files)
        folders += sorted(inner, reverse=True) * recursive
    return found


def _entries(folder: Path) -> "Iterator[os.DirEntry[str]]":
    """What is in a folder, and not in one that a link which took its place leads to."""
    held = open_unlinked(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with os.scandir(held) as entries:
            yield from entries
    finally:
        os.close(held)
