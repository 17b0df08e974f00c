"""Keeps what was asked of the corpus and what it answered, without making anybody wait for it.

All server processes write one stream, in turn. An answer is given before it is recorded, so the
last moments before a crash may be missing here; nothing depends on them.
"""

import atexit
import queue
import threading

from events.base import Fact
from events.errors import ResearchError
from events.home import QUERIES, Home
from events.logs import log
from events.stream import EventStream
from events.tail import Cursor

AT_ONCE = 64
"""Queries written together when they come fast."""


class QueryLog:
    """One process's hand on the stream of queries. Safe to share between threads."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._waiting: queue.SimpleQueue[Fact | threading.Event] = queue.SimpleQueue()
        self._cursor = Cursor()
        self._writer: threading.Thread | None = None
        self._starting = threading.Lock()
        self._writing = threading.Lock()

    def record(self, answered: Fact) -> None:
        """Record an answer soon."""
        with self._starting:
            if self._writer is None:
                self._writer = threading.Thread(target=self._run, daemon=True, name="query-log")
                self._writer.start()
                atexit.register(self.flush)
        self._waiting.put(answered)

    def record_now(self, *facts: Fact) -> None:
        """Record what must be durable before anything else is done; raises where it cannot be."""
        self._append(list(facts))

    def flush(self, seconds: float = 5.0) -> None:
        """Wait until what was recorded so far is durable."""
        if self._writer is not None and self._writer.is_alive():
            written = threading.Event()
            self._waiting.put(written)
            written.wait(seconds)

    def _run(self) -> None:
        while True:
            taken = [self._waiting.get()]
            while len(taken) < AT_ONCE and not self._waiting.empty():
                taken.append(self._waiting.get())
            answered = [each for each in taken if isinstance(each, Fact)]
            try:
                self._append(answered)
            except ResearchError as refusal:
                log("queries").warning("not_recorded", code=refusal.code, queries=len(answered))
            for each in taken:
                if isinstance(each, threading.Event):
                    each.set()

    def _append(self, answered: list[Fact]) -> None:
        if not answered:
            return
        with self._writing:
            stream = EventStream(self._home.path(QUERIES))
            stream.cursor = self._cursor
            try:
                with stream.deciding():
                    stream.append_decided(*answered)
                self._cursor = stream.cursor
            finally:
                stream.close()
