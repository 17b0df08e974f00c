"""The child in which files are parsed: it can read, think and answer, and nothing else.

It is started by `actors.adapters.sandbox`, which speaks to it over its standard input and output:
a header and the bytes of a file go in, a header and the parsed document as JSON come out.
"""

import contextlib
import ctypes
import importlib
import os
import resource
import signal
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from actors.adapters.tesseract import program

REQUEST = struct.Struct("<IIQd")
"""Lengths of the name, of the languages and of the file, and seconds of processor time."""

REPLY = struct.Struct("<BQ")
"""What the body is, and its length."""

PARSED, UNREADABLE, WORKING = 0, 1, 2
FOR_IMAGES = 2 << 30
"""Bytes beyond the limit that a parser gets when it says that it needs more time: to read images
takes models and large arrays."""

STEP = 180.0
"""Seconds that a step of such a work may take."""

LAST = 0x80
"""Added to what the body is: the child has grown too large and ends itself after this."""

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_SET_DEATH_SIGNAL, _NO_NEW_PRIVILEGES = 1, 38
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_REFUSED = (
    *("socket.", "subprocess.", "pty.", "shutil.", "ftplib.", "smtplib.", "urllib.", "webbrowser."),
    *("os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.startfile", "os.kill"),
    *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.chmod", "os.chown", "os.link"),
    *("os.symlink", "os.truncate", "os.utime", "os.setxattr", "os.removexattr", "os.chflags"),
    *("os.killpg", "signal.pthread_kill", "tempfile."),
)
"""Beginnings of the names of what Python is about to do."""


_tell: Callable[[], None] | None = None


def still_working() -> None:
    """Ask for more time and room: called before each step of a work of unforeseeable length."""
    if _tell is not None:
        _tell()


def main(parser: str, memory: int, parent: int) -> None:
    """Parse what is sent until nothing more is."""
    asks, answers = _take_pipes()
    _share_fate(parent)
    named, _, attribute = parser.partition(":")
    opened = getattr(importlib.import_module(named), attribute)()
    programs = frozenset(filter(None, (program(),)))
    start = _size()
    _limit(start + memory)
    sys.addaudithook(lambda event, args: _refuse(event, args, programs))
    _tell_by(answers)
    while header := _read(asks, REQUEST.size):
        name_length, spoken_length, length, seconds = REQUEST.unpack(header)
        name = _read(asks, name_length).decode()
        languages = tuple(filter(None, _read(asks, spoken_length).decode().split(",")))
        raw = _read(asks, length)
        _limit_time(seconds)
        kind, body = _attempt(opened, name, raw, languages)
        del raw
        last = _size() > start + memory // 2
        answers.write(REPLY.pack(kind | (LAST if last else 0), len(body)))
        answers.write(body)
        answers.flush()
        if last:
            return


def _tell_by(answers: IO[bytes]) -> None:
    global _tell

    def tell() -> None:
        answers.write(REPLY.pack(WORKING, 0))
        answers.flush()
        _limit_time(STEP)
        _use_all_memory()

    _tell = tell


def _take_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Keep the pipes for the conversation: whatever prints or reads meets nothing."""
    asks, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.close(nothing)
    return asks, answers


def _share_fate(parent: int) -> None:
    """Give up the network and all privileges, and end when the parent does."""
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None)
    # Where neither is permitted, refusing Python's sockets has to do.
    if libc.unshare(_CLONE_NEWNET):
        libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    # After the others, for they clear it.
    libc.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def _limit(memory: int) -> None:
    for what, limit in (
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        # Some systems know a limit and refuse to set it.
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(what, (limit, limit))
    _limit_memory(memory, memory + FOR_IMAGES)


def _limit_memory(limit: int, most: int) -> None:
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))


def _use_all_memory() -> None:
    with contextlib.suppress(OSError, ValueError):
        most = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _limit_time(seconds: float) -> None:
    limit = int(time.process_time() + seconds) + 1
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


def _size() -> int:
    """Bytes of address space in use, or the most memory ever used where that cannot be told."""
    try:
        pages = int(Path("/proc/self/statm").read_bytes().split()[0])
        return pages * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _refuse(event: str, args: tuple[Any, ...], programs: frozenset[str]) -> None:
    if event == "subprocess.Popen" and args[0] in programs:
        return  # It has as little as this process: no network, no files to write, no privileges.
    if event == "os.kill" and _is_own_child(args[0]):
        return
    if event == "open":
        path, _, flags = args
        opened = isinstance(path, int) or path == os.devnull  # a pipe, or nothing
        if isinstance(flags, int) and flags & _WRITING and not opened:
            raise PermissionError("a parser may not write")
    elif event.startswith(_REFUSED):
        raise PermissionError(f"a parser may not use {event}")


def _is_own_child(process: int) -> bool:
    try:
        os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except OSError:
        return False
    return process > 0


def _read(pipe: IO[bytes], length: int) -> bytes:
    content = pipe.read(length)
    return content if len(content) == length else b""


def _attempt(parser: Any, name: str, raw: bytes, languages: tuple[str, ...]) -> tuple[int, bytes]:
    from events.errors import Unreadable

    try:
        parsed = parser.parse_in(name, raw, languages) if languages else parser.parse(name, raw)
        return PARSED, parsed.model_dump_json().encode()
    except Unreadable as refusal:
        return UNREADABLE, str(refusal.args[1]).encode(errors="replace")
    except MemoryError:
        return UNREADABLE, b"its parser ran out of memory"
    except Exception as failure:  # noqa: BLE001 - a parser can break in any way, and this is told
        return UNREADABLE, f"its parser broke: {type(failure).__name__}".encode()
