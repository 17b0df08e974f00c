"""The websites of a data home: which pages were asked for, what is held of each, how the last try went.

Folded from the root stream, which gives a URL its number, and from the streams of the jobs that
fetched it. A job's stream is read when somebody asks about one of its pages, and no more once the
job has ended.
"""

import re
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from events.codec import Record
from events.errors import BrokenChain, HomeUnwritable, ResearchError
from events.home import CATALOGUE, Home
from events.tail import Cursor, cursor_fits
from projections.catalogue import Cuts, Place
from projections.streams import MALFORMED, ODD

Phase = Literal["pending", "processing", "completed", "failed"]
Data = dict[str, Any]

_PERCENTS = re.compile(r"%[0-9A-Fa-f]{2}")
_ENDS = ("website_processing_completed", "website_processing_failed")


def one_spelling(url: str) -> str:
    """A URL with large letters in its percents: sites write them in either way, and mean the same page."""
    return _PERCENTS.sub(lambda found: found.group().upper(), url)


@dataclass(frozen=True, slots=True)
class Website:
    """One page, as it stands."""

    source_id: int
    url: str
    document: str
    content_type: str
    job: str
    """The last job about it."""

    phase: Phase
    started_at: str
    fetched_at: str | None
    """When it was last seen to be as it is held."""

    held: Data | None
    """What was published of it, if it is held."""

    content: Data | None
    """What was last said of its content: title, language, what was extracted."""

    ending: Data | None
    """What the last job says of it, if it is through."""

    error: str | None = None
    final_url: str | None = None
    """Where what is held stands: its address, or the one that this led to."""

    shut: bool = False
    """The collection of the pages is deleted, and this one with it until it is restored."""

    failures: int = 0
    """So often in a row it could not be had."""

    @property
    def chunks(self) -> int:
        """Chunks that can be found."""
        return int(self.held["chunks"]) if self.held else 0

    @property
    def ended(self) -> bool:
        """The last job about it is through."""
        return self.phase in ("completed", "failed")

    @property
    def title(self) -> str:
        """What it is called, as far as known."""
        return str(self.held["title"]) if self.held else self.url

    @property
    def language(self) -> str:
        """`en`, `ja` or `mixed`."""
        return str((self.content or {}).get("language") or "en")


@dataclass(slots=True)
class _Site:
    """What the root stream says of a page."""

    source_id: int
    url: str
    place: Place
    starts: list[Data] = field(default_factory=list)
    forgotten: int = 0
    """How many of them were before it was deleted last: they say nothing of the page that came back."""

    deleted: bool = False


@dataclass(slots=True)
class _Job:
    """How far a job's stream was read, and what it says of its pages."""

    cursor: Cursor = field(default_factory=Cursor)
    ends: dict[int, Data] = field(default_factory=dict)
    outcome: str | None = None
    settled: bool = False
    """It has ended, and was read to its end."""


class Websites:
    """One process's view of the websites. Safe to share between threads."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._cursor = Cursor()
        self._sites: dict[int, _Site] = {}
        self._ids: dict[str, int] = {}
        self._spelled: dict[str, int] = {}
        """By their one spelling: pages were once kept under either, and keep their numbers."""

        self._places: dict[Place, int] = {}
        self._jobs: dict[str, _Job] = {}
        self._held: dict[Place, Data] = {}
        self._cuts = Cuts()
        self._gone: set[str] = set()
        """Collections that are deleted."""

        self._whole: list[Website] | None = None
        """Every page, as long as nothing moves."""

    def of_url(self, url: str) -> Website | None:
        """The page at a URL in either spelling, unless it was deleted or never asked for."""
        with self._lock:
            self._catch_up()
            number = self._number(url)
            return None if number is None else self._website(number)

    def of_id(self, source_id: int) -> Website | None:
        """The page of a number, likewise."""
        with self._lock:
            self._catch_up()
            return self._website(source_id)

    def all(self) -> list[Website]:
        """Every page that is there, in the order of their numbers."""
        with self._lock:
            self._catch_up()
            if self._whole is None:
                found = (self._website(number) for number in self._sites)
                whole = [site for site in found if site]
                if not all(job.settled for job in self._jobs.values()):
                    return whole
                self._whole = whole
            return list(self._whole)

    def known_as(self, url: str) -> tuple[int, str] | None:
        """The number that a URL has and how it is spelled there, also if its page was deleted."""
        with self._lock:
            self._catch_up()
            number = self._number(url)
            return None if number is None else (number, self._sites[number].url)

    def next_number(self) -> int:
        """The first number that no URL has."""
        with self._lock:
            self._catch_up()
            return max(self._sites, default=0) + 1

    def _number(self, url: str) -> int | None:
        return self._ids.get(url) or self._spelled.get(one_spelling(url))

    # -- folding -----------------------------------------------------------------------------------

    def _catch_up(self) -> None:
        """Follow the root stream; from zero, where lines that were read have been taken back."""
        if not cursor_fits(self._home.path(CATALOGUE), self._cursor):
            self._forget()
        records, cursor = self._home.read(CATALOGUE, self._cursor)
        if records:
            self._whole = None
        try:
            for record in records:
                self._fold(record)
        except MALFORMED as failure:
            # What is folded by halves is nobody's view: whoever asks next is told the same.
            self._forget()
            raise BrokenChain(self._home.path(CATALOGUE).name, cursor.seq, ODD) from failure
        self._cursor = cursor

    def _fold(self, record: Record) -> None:
        match record.kind:
            case "website_processing_started":
                self._start(record.data)
            case "website_deleted":
                if site := self._sites.get(record.data["source_id"]):
                    site.deleted, site.forgotten = True, len(site.starts)
            case "source_published":
                place = record.data["collection"], record.data["document"]
                if number := self._places.get(place):
                    self._held[place] = record.data
                    self._cuts.publish(record.data)
                    # By a job that was accepted later: one that was under way is barred.
                    self._sites[number].deleted = False
            case "segment_rebuilt":
                self._cuts.rebuild(record.data)
            case "generation_switched":
                self._cuts.generation = record.data["generation"]
            case "source_removed":
                self._held.pop((record.data["collection"], record.data["document"]), None)
            case "collection_deleted":
                self._gone.add(record.data["collection"])
            case "collection_restored":
                self._gone.discard(record.data["collection"])
            case "stream_sealed" | "stream_quarantined":
                if job := self._jobs.get(record.data["target"]):
                    job.outcome = record.data.get("outcome", "quarantined")
            case _:
                pass

    def _start(self, data: Data) -> None:
        number, place = data["source_id"], (data["collection"], data["document"])
        site = self._sites.setdefault(number, _Site(number, data["url"], place))
        self._ids.setdefault(data["url"], number)
        self._spelled.setdefault(one_spelling(data["url"]), number)
        self._places.setdefault(place, number)
        self._jobs.setdefault(data["job"], _Job())
        site.starts.append(data)
        site.deleted = False

    def _follow(self, name: str) -> _Job:
        job = self._jobs[name]
        if job.settled:
            return job
        over = job.outcome is not None
        try:
            if not cursor_fits(self._home.path(name), job.cursor):
                job.cursor, job.ends = Cursor(), {}
            records, job.cursor = self._home.read(name, job.cursor)
        except HomeUnwritable:
            return job  # It may be read in a moment.
        except ResearchError:
            # Its record is broken; verify says how. What the root stream knows still counts.
            job.settled = over
            return job
        for record in records:
            if record.kind in _ENDS:
                job.ends[record.data["source_id"]] = record.data
        job.settled = over
        return job

    # -- one page ----------------------------------------------------------------------------------

    def _website(self, number: int) -> Website | None:
        site = self._sites.get(number)
        if site is None or site.deleted:
            return None
        starts = site.starts[site.forgotten :] or site.starts
        jobs = [self._follow(start["job"]) for start in starts]
        ends = [end for job in jobs if (end := job.ends.get(number))]
        seen = [end for end in ends if end["kind"] == "website_processing_completed"]
        last, ending = starts[-1], jobs[-1].ends.get(number)
        phase, error = _phase(jobs[-1], ending)
        held = self._held_now(site.place)
        return Website(
            source_id=number,
            url=site.url,
            document=site.place[1],
            content_type=(seen[-1] if seen else last)["content_type"],
            job=last["job"],
            phase=phase,
            started_at=last["timestamp"],
            fetched_at=seen[-1]["timestamp"] if seen else None,
            held=held,
            content=_content(seen),
            ending=ending,
            error=error,
            final_url=seen[-1]["final_url"] if held and seen else None,
            shut=site.place[0] in self._gone,
            failures=_failures(jobs, number),
        )

    def _held_now(self, place: Place) -> Data | None:
        held = None if place[0] in self._gone else self._held.get(place)
        if held is None:
            return None
        return held | {"chunks": self._cuts.today(place, held["version"], held["chunks"])}


def _phase(job: _Job, ending: Data | None) -> tuple[Phase, str | None]:
    if ending and ending["kind"] == "website_processing_failed":
        return "failed", ending["error"]
    if ending:
        return "completed", None
    if job.outcome:
        return "failed", f"The job was {job.outcome} before the page was through."
    return ("processing" if job.cursor.seq else "pending"), None


def _failures(jobs: Sequence[_Job], number: int) -> int:
    """Jobs at the end that are through and did not get the page."""
    failures = 0
    for job in reversed(jobs):
        end = job.ends.get(number)
        if end and end["kind"] == "website_processing_completed":
            break
        failures += end is not None or job.outcome is not None
    return failures


def _content(seen: Iterable[Data]) -> Data | None:
    """A page that has not changed is described by what was said before."""
    told = [end for end in seen if end["outcome"] != "unchanged"]
    return told[-1] if told else None
