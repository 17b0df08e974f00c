"""How fast a million events answer the named questions.

    python bench/audit.py [directory] [--facts N] [--tasks N]

Builds the home of bench/fold.py in the directory, unless it is there already (a temporary one without an
argument), seals its lines into Parquet, and asks every named question: as it is asked for the first time by a
fresh object, again by the same one, and for comparison in a plain DuckDB over the JSONL files. The last
lines say what a tail costs that is in no Parquet file yet. Ratios within one run travel between machines; absolute
figures do not.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import duckdb  # noqa: E402

from bench.fold import build, check, row, streams, timed  # noqa: E402
from events.home import Home  # noqa: E402
from events.research import StepTaken  # noqa: E402
from events.stream import EventStream  # noqa: E402
from projections.audit import Audit  # noqa: E402
from projections.audit_lines import SEAL_AT, Lines  # noqa: E402

AIM = 2.0
"""Seconds that a named question may take."""

PLAIN = ("gaps_by_category",)
"""Questions that are also asked of the bare files."""


def plain(home: Home, sql: str) -> int:
    """Ask a plain DuckDB over the files."""
    with duckdb.connect() as shell:
        shell.execute("set threads = 2")
        shell.execute(f"set variable traces = '{home.traces}/*.jsonl'")
        for part in ("files", "tables"):
            shell.execute((ROOT / "traces" / f"{part}.sql").read_text())
        return len(shell.execute(sql).fetchall())


def grow(home: Home, lines: int) -> None:
    """Let a stream grow by so many lines."""
    stream, _ = EventStream.claim(home.path("bench"), "bench")
    step = StepTaken(step=1, action="Reading", decision="It may answer.")
    for _ in range(lines // 500):
        stream.append(*[step] * 500)
    stream.close()


def measure(home: Home) -> None:
    """Print the table."""
    shutil.rmtree(home.views / "audit", ignore_errors=True)
    lines, checking = timed(partial(check, home))
    size = sum(path.stat().st_size for path in streams(home))
    row("facts", f"{lines:,}", f"in {len(list(streams(home))):,} streams, {size >> 20} MiB")
    row("read and check", f"{lines / checking:,.0f}/s", "1.00")
    _, sealing = timed(lambda: Lines(home).catch_up())
    sealed = sum(path.stat().st_size for path in (home.views / "audit").rglob("*.parquet"))
    note = f"{checking / sealing:.2f}; {sealed >> 20} MiB"
    row("read, check and seal in Parquet", f"{lines / sealing:,.0f}/s", note)

    first = Audit(home)
    _, took = timed(lambda: first.ask("select count(*) from events", limit=1))
    row("first question of a fresh object", f"{took:.2f} s", "proves every Parquet file")

    audit = Audit(home, ahead=True)
    audit.ask("select count(*) from events", limit=1)
    time.sleep(1.0)
    worst = 0.0
    for name in audit.named:
        answer, took = timed(partial(audit.ask, name, limit=1000))
        worst = max(worst, took)
        time.sleep(1.0)  # Until the process of the next question is there.
        note = f"{len(answer.rows)} rows"
        if name in PLAIN:
            _, bare = timed(partial(plain, home, audit.named[name].sql))
            note += f"; {bare / took:.1f} times as fast as the bare files ({bare:.1f} s)"
        row(f"  {name}", f"{took:.2f} s", note)
    row("slowest named question", f"{worst:.2f} s", f"aim {AIM:g} s")
    middle = "2026-11-16T00:02:00Z"
    _, took = timed(lambda: audit.ask("cost_by_model_and_day", limit=1000, as_of=middle))
    row("cost_by_model_and_day as of a time", f"{took:.2f} s")
    grow(home, SEAL_AT // 2)
    _, took = timed(lambda: audit.ask("gaps_by_category", limit=1000))
    row(f"gaps_by_category, with {SEAL_AT // 2:,} lines of tail", f"{took:.2f} s")
    audit.close()


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", nargs="?", type=Path)
    parser.add_argument("--facts", type=int, default=1_000_000)
    parser.add_argument("--tasks", type=int, default=20_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as passing:
        root = (asked.directory or Path(passing)) / f"home-{asked.facts}-{asked.tasks}"
        home, marker = Home(root), root / "built"
        if not marker.exists():
            _, took = timed(partial(build, home, asked.facts, asked.tasks))
            marker.write_text("yes")
            row("built", f"{took:.0f} s")
        home.path("bench").unlink(missing_ok=True)
        (home.traces / "heads" / "bench.head").unlink(missing_ok=True)
        measure(home)


if __name__ == "__main__":
    os.chdir(ROOT)
    main()
