"""Durable appends beside the raw write and sync of the same bytes on the same disk, in turns."""

import hashlib
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
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
ROUNDS = 12


def rate(act: Callable[[], None], times: int) -> float:
    """How often per second."""
    began = time.perf_counter()
    for _ in range(times):
        act()
    return times / (time.perf_counter() - began)


def compare(place: Path, batch: int, times: int) -> tuple[float, float]:
    """Our rate and the raw rate, in facts per second, measured in alternating rounds."""
    (place / "heads").mkdir(exist_ok=True)
    stream, _ = EventStream.claim(place / f"bench{batch}.jsonl", "bench")
    facts = (FACT,) * batch
    stream.append(*facts)
    length = os.fstat(stream._file).st_size // (batch + 1)
    raw = os.open(place / f"raw{batch}", os.O_RDWR | os.O_CREAT)
    line = b"x" * length * batch

    def ours() -> None:
        stream.append(*facts)

    def plain() -> None:
        os.write(raw, line)
        os.fsync(raw)

    pairs = [(rate(ours, times) * batch, rate(plain, times) * batch) for _ in range(ROUNDS)]
    return statistics.median(o for o, _ in pairs), statistics.median(r for _, r in pairs)


def one_by_one(place: Path, batch: int, times: int, length: int) -> float:
    """The rate of a plain group commit: a write for each line, then one sync."""
    raw = os.open(place / f"lines{batch}", os.O_RDWR | os.O_CREAT | os.O_APPEND)
    line = b"x" * length

    def commit() -> None:
        for _ in range(batch):
            os.write(raw, line)
        os.fsync(raw)

    return statistics.median(rate(commit, times) * batch for _ in range(ROUNDS))


def chained(place: Path, batch: int, times: int) -> float:
    """The rate of the least that a chain of lines can cost in Python: hash, join, write, sync."""
    raw = os.open(place / f"chained{batch}", os.O_RDWR | os.O_CREAT)
    payload, prev = b"x" * 400, b"0" * 64

    def commit() -> None:
        nonlocal prev
        lines = []
        for number in range(batch):
            body = b'{"seq":%d,"event":"%b","prev":"%b"' % (number, payload, prev)
            prev = hashlib.sha256(body).hexdigest().encode()
            lines.append(b'%b,"hash":"%b"}\n' % (body, prev))
        os.write(raw, b"".join(lines))
        os.fsync(raw)

    return statistics.median(rate(commit, times) * batch for _ in range(ROUNDS))


def main() -> None:
    """Print the ratios."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        sys.stdout.write("append            ours/s     raw/s   ratio\n")
        for batch, times in ((1, 150), (256, 15)):
            ours, raw = compare(Path(name), batch, times)
            written = one_by_one(Path(name), batch, times, 570)
            least = chained(Path(name), batch, times)
            sys.stdout.write(
                f"batches of {batch:<4} {ours:9.0f} {raw:9.0f}   {ours / raw:.2f}"
                f"   of a write a line: {ours / written:.2f}"
                f"   of a bare hash chain: {ours / least:.2f}\n"
            )


if __name__ == "__main__":
    main()
