"""Parses files in a process of their own, which can be killed and has nothing worth stealing.

A file can make its parser crash, hang, or eat all memory. Here that costs the file and nothing
else: the child that parsed it is replaced, and the next file finds a new one. A child serves many
files, for starting one takes as long as parsing a hundred. What comes back is treated like the
file itself: bounded, checked, and never executed.
"""

import contextlib
import json
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import ValidationError

from actors.adapters.sandboxed import LAST, PARSED, REPLY, REQUEST, STEP, WORKING
from actors.adapters.tesseract import program
from actors.ports import Parsed
from actors.processes import MARK
from events.errors import Unreadable

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]);"
    "from actors.adapters.sandboxed import main;"
    "main(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))"
)
_PIECE = 1 << 20
LONGEST_WORK = 4 * 3600.0
"""Seconds for a file whose parser keeps saying that it goes on, such as a book of scanned pages."""

_PATIENCE = 5.0
"""Seconds a child that was told to end may take."""


@dataclass(frozen=True)
class Limits:
    """What one file may cost."""

    memory: int = 1 << 30
    """Bytes beyond what the child holds when it starts."""

    seconds: float = 60.0
    seconds_per_megabyte: float = 15.0
    """Added for the size of the file: a megabyte can be a thousand pages."""

    most_seconds: float = 600.0

    file: int = 512 << 20
    reply: int = 512 << 20

    def time_for(self, size: int) -> float:
        """Seconds that a file of this size may take."""
        return min(self.seconds + self.seconds_per_megabyte * (size >> 20), self.most_seconds)


class SandboxedParser:
    """Satisfies `actors.ports.Parser`; safe for several threads, which share its children."""

    def __init__(
        self,
        children: int = 1,
        limits: Limits | None = None,
        parser: str = "actors.ingesting.parsing:AnyParser",
    ) -> None:
        self._limits, self._parser = limits or Limits(), parser
        self._idle: queue.LifoQueue[_Child | None] = queue.LifoQueue()
        for _ in range(max(children, 1)):
            self._idle.put(None)
        # A child ends with the thread that started it: this one stays.
        self._starter = ThreadPoolExecutor(1, thread_name_prefix="parsers")
        self._living: set[_Child] = set()
        self._closed = threading.Event()
        self._end = weakref.finalize(self, _end_all, self._living, self._starter)

    def parse(self, name: str, raw: bytes) -> Parsed:
        """Text and blocks of a file; raises `Unreadable` whatever the file did to its parser."""
        return self.parse_in(name, raw, ())

    def parse_in(self, name: str, raw: bytes, languages: Sequence[str]) -> Parsed:
        """The same, where scanned pages are in one of these languages."""
        if len(raw) > self._limits.file:
            raise Unreadable(name, f"it is larger than {self._limits.file >> 20} MB")
        child = self._idle.get()
        try:
            if self._closed.is_set():
                raise RuntimeError("this parser is closed")
            if child is None or not child.alive:
                self._retire(child)
                child = None
                child = self._start()
            return self._ask(child, name, raw, languages)
        finally:
            if child is not None and child.spent:
                self._retire(child)
                child = None
            self._idle.put(child)

    def _ask(self, child: "_Child", name: str, raw: bytes, languages: Sequence[str]) -> Parsed:
        seconds = self._limits.time_for(len(raw))
        try:
            kind, body = child.ask(name, raw, languages, seconds, self._limits.reply)
        except _Lost as lost:
            raise Unreadable(name, f"its parser {lost}") from None
        if kind != PARSED:
            raise Unreadable(name, body[:500].decode(errors="replace"))
        try:
            parsed = Parsed.model_validate_json(body)
        except ValidationError as wrong:
            child.spent = True
            raise Unreadable(name, "its parser gave a malformed answer") from wrong
        if not sound(parsed):
            child.spent = True
            raise Unreadable(name, "its parser gave blocks that are not in its text")
        return parsed

    def _start(self) -> "_Child":
        child = self._starter.submit(_Child, self._parser, self._limits.memory).result()
        self._living.add(child)
        return child

    def _retire(self, child: "_Child | None") -> None:
        if child is not None:
            child.end()
            self._living.discard(child)

    def close(self) -> None:
        """End the children; a file that is being parsed is given up."""
        self._closed.set()
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def sound(parsed: Parsed) -> bool:
    """Whether the blocks lie in the text, in order and apart."""
    at = 0
    for block in parsed.blocks:
        if not at <= block.start < block.end:
            return False
        at = block.end
    return at <= len(parsed.text)


def _end_all(living: "set[_Child]", starter: ThreadPoolExecutor) -> None:
    for child in tuple(living):
        child.end()
    living.clear()
    starter.shutdown(wait=False)


class _Lost(Exception):
    """The child is of no further use: (what it did,)."""


class _Child:
    """One process, and the conversation with it."""

    def __init__(self, parser: str, memory: int) -> None:
        self.spent = self._ended = False
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-s", "-P", "-B", "-X", "utf8", "-c", _START),
                *(json.dumps(sys.path), parser, str(memory), str(os.getpid())),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=_environment(),
            bufsize=0,
            start_new_session=True,  # so that a program that it started ends with it
        )
        assert self._process.stdin and self._process.stdout
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)

    @property
    def alive(self) -> bool:
        return not self.spent and self._process.poll() is None

    def ask(
        self, name: str, raw: bytes, languages: Sequence[str], seconds: float, longest: int
    ) -> tuple[int, bytes]:
        """Send a file and wait for the answer; raises `_Lost` when there will be none."""
        deadline = time.monotonic() + seconds
        try:
            written = name.encode(errors="replace")
            spoken = ",".join(languages).encode(errors="replace")
            header = REQUEST.pack(len(written), len(spoken), len(raw), seconds)
            self._send(header + written + spoken, deadline)
            self._send(raw, deadline)
            kind, length = REPLY.unpack(self._receive(REPLY.size, deadline))
            last = time.monotonic() + LONGEST_WORK
            while kind == WORKING and not length:
                deadline = min(max(deadline, time.monotonic() + STEP), last)
                kind, length = REPLY.unpack(self._receive(REPLY.size, deadline))
            body = self._receive(length, deadline) if length <= longest else None
        except TimeoutError:
            self.spent = True
            raise _Lost(f"did not finish within {seconds:g} s") from None
        except (OSError, EOFError, ValueError):
            self.spent = True
            raise _Lost(self._how_it_ended()) from None
        if body is None:
            self.spent = True
            raise _Lost(f"gave an answer of {length >> 20} MB")
        self.spent = bool(kind & LAST)
        return kind & ~LAST, body

    def _send(self, content: bytes, deadline: float) -> None:
        rest = memoryview(content)
        while rest:
            _await(self._in, select.POLLOUT, deadline)
            with contextlib.suppress(BlockingIOError):
                rest = rest[os.write(self._in, rest[:_PIECE]) :]

    def _receive(self, length: int, deadline: float) -> bytes:
        return b"".join(self._pieces(length, deadline))

    def _pieces(self, length: int, deadline: float) -> Iterator[bytes]:
        while length:
            _await(self._out, select.POLLIN, deadline)
            try:
                piece = os.read(self._out, min(length, _PIECE))
            except BlockingIOError:
                continue
            if not piece:
                raise EOFError
            length -= len(piece)
            yield piece

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            return "fell silent"
        if code == -signal.SIGXCPU:
            return "took more processor time than a file may"
        if code < 0:
            return f"crashed ({signal.Signals(-code).name})"
        return f"ended itself (exit code {code})"

    def end(self) -> None:
        """Kill it and what it started; nothing in it is worth waiting for."""
        with self._lock:
            self.spent = True
            if self._ended:
                return  # By now its number may be somebody else's.
            self._ended = True
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_PATIENCE)
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe:
                    pipe.close()


def _await(pipe: int, event: int, deadline: float) -> None:
    """Wait until a pipe can be used or is broken."""
    poll = select.poll()
    poll.register(pipe, event)
    left = deadline - time.monotonic()
    if left <= 0 or not poll.poll(left * 1000):
        raise TimeoutError


def _environment() -> dict[str, str]:
    """What the child needs to know, and no more: secrets live in environments."""
    passed = (MARK, "SYSTEMROOT", "TESSDATA_PREFIX")
    known = {name: os.environ[name] for name in passed if name in os.environ}
    # The one program that a parser may start.
    there = program()
    folder = str(Path(there).parent) if there else ""
    return {
        **known,
        "PATH": os.pathsep.join(filter(None, (folder, os.defpath))),
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",  # the same file gives the same text each time
        "OPENBLAS_NUM_THREADS": "1",  # or each thread reserves memory that no parser needs
    }
