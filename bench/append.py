"""Durable appends beside what the same disk and the same interpreter do without a record, all in turns."""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from events.base import Blob
from events.calls import CallAsked
from events.codec import digest
from events.stream import EventStream

FACT = CallAsked(
    call="corpus.search:0123456789abcdef#1",
    port="corpus",
    operation="search",
    request=Blob(hash=digest(b"a"), size=100, stored=digest(b"b")),
)
ROUNDS = 24


def ours(place: Path, batch: int) -> tuple[Callable[[], None], int]:
    """Append so many facts; also how many bytes one of them takes."""
    (place / "heads").mkdir(exist_ok=True)
    stream, _ = EventStream.claim(place / f"bench{batch}.jsonl", "bench")
    facts = (FACT,) * batch
    stream.append(*facts)

    def commit() -> None:
        stream.append(*facts)

    return commit, os.fstat(stream._file).st_size // (batch + 1)


def one_write(place: Path, batch: int, length: int) -> Callable[[], None]:
    """As many ready-made bytes: one write, one sync."""
    file = os.open(place / f"raw{batch}", os.O_RDWR | os.O_CREAT | os.O_APPEND)
    lines = b"x" * length * batch

    def commit() -> None:
        os.write(file, lines)
        os.fsync(file)

    return commit


def write_a_line(place: Path, batch: int, length: int) -> Callable[[], None]:
    """A plain group commit: a write for each ready-made line, then one sync."""
    file = os.open(place / f"lines{batch}", os.O_RDWR | os.O_CREAT | os.O_APPEND)
    line = b"x" * length

    def commit() -> None:
        for _ in range(batch):
            os.write(file, line)
        os.fsync(file)

    return commit


def bare_chain(place: Path, batch: int, length: int) -> Callable[[], None]:
    """The least that a chain of lines can cost in Python: hash, join, write, sync."""
    file = os.open(place / f"chained{batch}", os.O_RDWR | os.O_CREAT | os.O_APPEND)
    payload, prev = b"x" * (length - 180), b"0" * 64

    def commit() -> None:
        nonlocal prev
        lines = []
        for number in range(batch):
            body = b'{"seq":%d,"event":"%b","prev":"%b"' % (number, payload, prev)
            prev = sha256(body).hexdigest().encode()
            lines.append(b'%b,"hash":"%b"}\n' % (body, prev))
        os.write(file, b"".join(lines))
        os.fsync(file)

    return commit


def rate(act: Callable[[], None], times: int) -> float:
    """How often per second."""
    began = time.perf_counter()
    for _ in range(times):
        act()
    return times / (time.perf_counter() - began)


def main() -> None:
    """Print the ratios."""
    sys.stdout.write("append: facts/s, and ours over the others\n")
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        for batch, times in ((1, 75), (256, 8)):
            append, length = ours(Path(name), batch)
            others = {
                act.__name__: act(Path(name), batch, length)
                for act in (one_write, write_a_line, bare_chain)
            }
            rounds = [
                {each: rate(act, times) * batch for each, act in {"ours": append, **others}.items()}
                for _ in range(ROUNDS)
            ]
            middle = {each: statistics.median(one[each] for one in rounds) for each in rounds[0]}
            beside = "".join(
                f"   {each} {middle[each]:9.0f} {middle['ours'] / middle[each]:.2f}"
                for each in others
            )
            sys.stdout.write(f"batches of {batch:<4} {middle['ours']:9.0f}{beside}\n")


if __name__ == "__main__":
    main()
