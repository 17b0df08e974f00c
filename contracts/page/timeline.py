"""The facts of a task as a stream of server-sent events that grows while the task runs.

A task's own trace and those of its researchers are followed together. The id of an event says how far each of them
was told, so a browser that lost its connection goes on exactly where it was. A past too long to be sent is cut at its
beginning, and the page asks for it when somebody wants to see it.
"""

import re
import sys
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from heapq import merge
from typing import Any

import anyio
import anyio.to_thread
import orjson

from contracts.core import Core
from contracts.page.answers import refused
from contracts.page.facts import short_name, shown
from events.codec import Record
from events.errors import BadRequest, ResearchError
from events.home import Home
from events.tail import Cursor, read_parts

Reply = dict[str, Any]
Positions = dict[str, int]
"""How far each stream was told, by its short name."""

Status = Callable[[Core, str], Reply]

TAIL = 400
"""Facts that are sent at once; those before them are asked for."""

STREAMS = 200
"""Traces of one task that are followed."""

LASTS = 1_800.0
"""Seconds after which a browser has to connect anew."""

HEARTBEAT = 15.0
_LONGEST_ID = 8_000
_PLACE = re.compile(r"([a-z0-9][a-z0-9.-]{0,119}):([0-9]{1,15})")
_PAUSES = 0.2, 1.0
_looking = anyio.CapacityLimiter(4)
"""However many browsers watch, so many threads look."""


@dataclass(frozen=True)
class News:
    """What was new at one look."""

    records: list[Record]
    left_out: int
    """Facts before these that were neither told nor sent."""


@dataclass
class Follower:
    """Reads the traces of one task as they grow. For one thread at a time."""

    home: Home
    task: str
    told: Positions = field(default_factory=dict)
    """Facts up to here are known."""

    before: Positions = field(default_factory=dict)
    """Facts from here on are known."""

    _cursors: dict[str, Cursor] = field(default_factory=dict)

    def news(self, most: int = TAIL) -> News:
        """What was appended since the last look, in order of time; the latest, if it is much."""
        self._cursors = self._cursors or {self.task: Cursor()}
        read: dict[str, deque[Record]] = {}
        number = 0
        while waiting := [name for name in self._cursors if name not in read]:
            for name in waiting:
                count, read[name] = self._read(name, most)
                number += count
        found = _by_time(read.values())[-most:]
        self._note_left_out(found)
        return News(found, number - len(found))

    def _note_left_out(self, found: list[Record]) -> None:
        """Count what comes before what is sent as told, also of streams of which nothing is: a browser that comes again
        would take it for new."""
        first: Positions = {}
        for record in found:
            first.setdefault(record.stream, record.seq)
        for name, cursor in self._cursors.items():
            short = short_name(self.task, name)
            sent = first.get(name, cursor.seq + 1)
            self.told[short] = max(self.told.get(short, 0), sent - 1)

    def note(self, record: Record) -> str:
        """Note that a fact was told; the id that says so."""
        self.told[short_name(self.task, record.stream)] = record.seq
        return written(self.told)

    def _read(self, name: str, most: int) -> tuple[int, deque[Record]]:
        kept: deque[Record] = deque(maxlen=most)
        short, number = short_name(self.task, name), 0
        told, limit = self.told.get(short, 0), self.before.get(short, sys.maxsize)
        seq = self._cursors[name].seq
        for records, cursor in read_parts(self.home.path(name), self._cursors[name]):
            for record in records:
                seq += 1
                if told < seq < limit:
                    kept.append(record)
                    number += 1
                if record.kind == "researcher_assigned":
                    self._follow(str(record.data.get("researcher", "")))
            self._cursors[name] = cursor
        return number, kept

    def _follow(self, name: str) -> None:
        own = name.startswith(f"{self.task}.")
        if own and name not in self._cursors and len(self._cursors) < STREAMS:
            self._cursors[name] = Cursor()


def _by_time(streams: Iterable[Iterable[Record]]) -> list[Record]:
    """Several streams as one; within a stream the order stays, whatever its clock did."""
    return list(merge(*streams, key=lambda record: record.at))


def written(told: Positions) -> str:
    """Positions as an event's id."""
    return ",".join(f"{name}:{seq}" for name, seq in told.items())


def positions(text: str) -> Positions:
    """An event's id as positions."""
    found: Positions = {}
    for part in text.split(",") if text else ():
        place = _PLACE.fullmatch(part)
        if not place or len(text) > _LONGEST_ID:
            raise BadRequest("This is no place in a timeline.", "Load the page anew.")
        found[place[1]] = int(place[2])
    return found


def earlier(core: Core, task: str, before: Positions, most: int) -> Reply:
    """The facts before those that are shown, the latest of them."""
    core.views.status(task)
    news = Follower(core.home, task, before=before).news(most)
    return {"facts": [shown(task, each) for each in news.records], "left_out": news.left_out}


# -- events ---------------------------------------------------------------------------------------


async def events(core: Core, task: str, told: Positions, status: Status) -> AsyncIterator[bytes]:
    """What a browser is told of a task, until the task has ended."""
    follower = Follower(core.home, task, told)
    until = time.monotonic() + LASTS
    last: Reply | None = None
    pause, spoken = _PAUSES[0], time.monotonic()
    yield b"retry: 2000\n\n"
    while time.monotonic() < until:
        look = partial(_look, core, follower, status)
        try:
            now, ended, news = await anyio.to_thread.run_sync(look, limiter=_looking)
        except ResearchError as failure:
            yield _event("broken", refused(failure))
            return
        said = b""
        if news.left_out:
            said += _event("left_out", {"facts": news.left_out})
        for record in news.records:
            said += _event("fact", shown(task, record), follower.note(record))
        if now != last:
            last = now
            said += _event("status", now)
        if ended:
            yield said + _event("end", {"status": now["status"]})
            return
        if said or time.monotonic() - spoken > HEARTBEAT:
            spoken = time.monotonic()
            yield said or b": still here\n\n"
        pause = _PAUSES[0] if news.records else min(pause * 1.5, _PAUSES[1])
        await anyio.sleep(pause)


def _look(core: Core, follower: Follower, status: Status) -> tuple[Reply, bool, News]:
    # The status first: whatever ended before it was read is in the news.
    now = status(core, follower.task)
    return now, now["ended"], follower.news()


def _event(name: str, data: Reply, place: str = "") -> bytes:
    identity = f"id: {place}\n".encode() if place else b""
    return b"event: %b\n%bdata: %b\n\n" % (name.encode(), identity, orjson.dumps(data))
