"""SQL over every trace, for whoever wants to know what happened, what it cost and what it rests on.

The tables are those of `traces/tables.sql`, made of the checked lines of the record: the same definitions that
a plain DuckDB uses on the files. Somebody else's SQL never runs here but in a process of its own
(`projections.audit_worker`), which can read those tables and nothing else, and is ended when it takes too long.
"""

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

from events.codec import canonical, decode
from events.errors import BadRequest, BadSql, QueryStopped, QueryTurnedAway, SqlRefused
from events.home import Home

ROOT = Path(__file__).resolve().parent.parent
QUESTIONS = ROOT / "traces" / "audit"

LONGEST_SQL = 100_000
MOST_ROWS = 1_000_000
_GRACE = 20.0
"""Seconds beyond the time limit that the process has to start, and to say itself that it was too slow."""

_AT_ONCE = 2
_answering = threading.BoundedSemaphore(_AT_ONCE)
"""However many ask, in whichever home: each question may take a gigabyte."""

_NAME = re.compile(r"[a-z][a-z0-9_]*", re.IGNORECASE)
_HASH = re.compile(r"(?:sha256:)?([0-9a-f]{64})")
_PLACE = re.compile(r"([a-z0-9][a-z0-9.-]{0,119}):([0-9]{1,15})")
_DAY = re.compile(r"[0-9]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-?W[0-9]{2}-?[0-9]")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one question may take."""

    seconds: float = 30.0
    memory: int = 1 << 30
    """Bytes that DuckDB may work with."""

    bytes: int = 32 << 20
    """Of the answer."""

    threads: int = 2


@dataclass(frozen=True, slots=True)
class Answer:
    """What a question was answered."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    """As DuckDB calls them."""

    rows: tuple[tuple[Any, ...], ...]
    truncated: bool
    """There is more than was asked for, or than is handed out at once."""

    took_ms: float


@dataclass(frozen=True, slots=True)
class Table:
    """An answer as it came, to be written to a file."""

    arrow: Any
    types: tuple[str, ...]
    truncated: bool
    took_ms: float


@dataclass(frozen=True, slots=True)
class Named:
    """A question that has a name."""

    name: str
    answers: str
    """A sentence."""

    sql: str


class Audit:
    """SQL over one data home. Safe to share between threads; a process answers few questions at a time."""

    def __init__(
        self,
        home: Home,
        limits: Limits = Limits(),  # noqa: B008 - frozen
        *,
        ahead: bool = False,
    ) -> None:
        self._home = home
        self._limits = limits
        self._ahead = ahead
        """Whether a process for the next question is started with each: half a second less to wait."""

        self._spare: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    @cached_property
    def named(self) -> dict[str, Named]:
        """The questions that have names, in their order."""
        texts = {path.stem: path.read_text() for path in sorted(QUESTIONS.glob("*.sql"))}
        return {
            name: Named(name, sql.partition("\n")[0].removeprefix("-- "), sql)
            for name, sql in texts.items()
        }

    @cached_property
    def columns(self) -> dict[str, dict[str, str]]:
        """Every table with its columns and their types."""
        with self._turn():
            table = self._table(_COLUMNS, limit=10_000, as_of=None, trusted=True)
        rows = table.arrow.to_pylist()
        found: dict[str, dict[str, str]] = {}
        for row in rows:
            found.setdefault(row["table_name"], {})[row["column_name"]] = row["data_type"]
        return found

    def ask(self, sql_or_name: str, *, limit: int, as_of: str | None = None) -> Answer:
        """What a SELECT or a named question is answered, as things stand or stood at a moment."""
        sql = self._sql(sql_or_name)
        with self._turn():
            return _looked_at(self._table(sql, limit=limit, as_of=as_of, spelled=True))

    def table(
        self, sql_or_name: str, *, limit: int, as_of: str | None = None, spelled: bool = False
    ) -> Table:
        """The same, as an Arrow table; `spelled` puts times that Python has no values for into words."""
        sql = self._sql(sql_or_name)
        with self._turn():
            return self._table(sql, limit=limit, as_of=as_of, spelled=spelled)

    def _sql(self, said: str) -> str:
        said = said.strip()
        if not said:
            raise BadRequest("Nothing was asked.", "Give a SELECT, or the name of a named query.")
        if len(said) > LONGEST_SQL:
            raise BadRequest(f"A question of {len(said)} characters is too long.", "Ask for less.")
        try:
            said.encode()
        except UnicodeEncodeError:
            # No SQL has them, and no answer could repeat them.
            raise BadRequest("The question is not valid text.", "Send it as UTF-8.") from None
        if named := self.named.get(said):
            return named.sql
        if _NAME.fullmatch(said):
            near = get_close_matches(said, self.named, n=3) or list(self.named)
            raise BadRequest(
                f"There is no named query {said[:80]!r}.",
                f"Perhaps {', '.join(near)}? research-agent audit --list shows all of them.",
            )
        return said

    # -- asking ------------------------------------------------------------------------------------

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait until fewer questions are being answered, for as long as an answer may take."""
        if not _answering.acquire(timeout=self._limits.seconds):
            raise QueryTurnedAway("others are being answered")
        try:
            yield
        finally:
            _answering.release()

    def _table(
        self,
        sql: str,
        *,
        limit: int,
        as_of: str | None,
        trusted: bool = False,
        spelled: bool = False,
    ) -> Table:
        terms = {
            **asdict(self._limits),
            "as_of": _moment(as_of),
            "rows": max(1, min(limit, MOST_ROWS)),
            "trusted": trusted,
            "spelled": spelled,
        }
        began = time.monotonic()
        process = self._process()
        try:
            with self._lock:
                order, parts = self._prepare(sql)
            head, body = self._run(process, order | terms, parts)
        finally:
            self._end(process)
        if "failed" in head:
            raise self._refusal(head)
        # Here and not above: Arrow takes longer to import than a server may take to start.
        from projections.audit_pieces import unpacked

        took = round((time.monotonic() - began) * 1000, 1)
        return Table(unpacked(body), tuple(head["types"]), head["truncated"], took)

    def _process(self) -> "subprocess.Popen[bytes]":
        """A process that waits for a question: the one that was started ahead, or a new one."""
        with self._lock:
            ready, self._spare = self._spare, None
        return ready if ready and ready.poll() is None else self._started()

    def _end(self, process: "subprocess.Popen[bytes]") -> None:
        process.kill()
        process.communicate()
        with self._lock:
            if self._ahead and self._spare is None:
                self._spare = self._started()

    @staticmethod
    def _started() -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", "projections.audit_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            # Nothing of ours: no key can be read where none is.
            env={"PYTHONPATH": str(ROOT), "PATH": os.defpath, "LC_ALL": "C.UTF-8"},
        )

    def close(self) -> None:
        """End what was started ahead."""
        with self._lock:
            spare, self._spare, self._ahead = self._spare, None, False
        if spare:
            spare.kill()
            spare.communicate()

    def _prepare(self, sql: str) -> tuple[dict[str, Any], list[bytes]]:
        """Everything that the record says, in the form that the other process takes it."""
        from projections.audit_pieces import packed

        lines, segments = self._sources
        lines.catch_up()
        if "chunks" in sql.lower():
            segments.catch_up(lines.segments())
        parts = [packed(lines.tail()), packed(segments.tail())]
        order = {
            "sql": sql,
            "lines": lines.sealed,
            "segments": segments.sealed,
            "faults": lines.faults(),
        }
        return order, parts

    @cached_property
    def _sources(self) -> Any:
        from projections.audit_lines import Lines
        from projections.audit_segments import Segments

        return Lines(self._home), Segments(self._home)

    def _run(
        self, process: "subprocess.Popen[bytes]", order: dict[str, Any], parts: list[bytes]
    ) -> tuple[dict[str, Any], bytes]:
        said = canonical(order | {"lengths": [len(part) for part in parts]}) + b"\n"
        try:
            out, _ = process.communicate(
                b"".join([said, *parts]), timeout=self._limits.seconds + _GRACE
            )
        except subprocess.TimeoutExpired:
            raise self._too_late() from None
        head, _, body = out.partition(b"\n")
        if process.returncode or not head:
            raise QueryStopped("it took more memory than it may, or broke the process it ran in")
        return decode(head), body

    def _too_late(self) -> QueryStopped:
        return QueryStopped(f"it took more than {self._limits.seconds:g} s")

    def _refusal(self, head: dict[str, Any]) -> Exception:
        tables = ", ".join(head["tables"])
        match head["failed"]:
            case "refused":
                return SqlRefused(head["message"], tables)
            case "time":
                return self._too_late()
            case "memory":
                megabytes = self._limits.memory >> 20
                return QueryStopped(f"it took more memory than the {megabytes} MB it may")
            case "large":
                return QueryStopped(f"one row of it is larger than {self._limits.bytes >> 10} kB")
            case "moment":
                return BadRequest(
                    f"There is no event {head['message']}.",
                    "Name a line as STREAM:SEQ or by its hash, or give a time.",
                )
            case _:
                return BadSql(head["message"], tables)


def _looked_at(table: Table) -> Answer:
    columns = tuple(table.arrow.column_names)
    values = [column.to_pylist() for column in table.arrow.columns]
    rows = tuple(zip(*values, strict=True))
    return Answer(columns, table.types, rows, table.truncated, table.took_ms)


_COLUMNS = """
SELECT table_name, column_name, data_type FROM duckdb_columns()
WHERE schema_name = 'main' AND NOT internal AND table_name <> 'segments'
ORDER BY table_name, column_index
"""


def _moment(said: str | None) -> dict[str, Any] | None:
    """A time, or an event by its place or hash, as the worker takes it."""
    if said is None or not said.strip():
        return None
    said = said.strip()
    if found := _HASH.fullmatch(said.lower()):
        return {"hash": f"sha256:{found[1]}", "said": said}
    try:
        time_ = datetime.fromisoformat(said)
    except ValueError:
        if found := _PLACE.fullmatch(said):
            return {"stream": found[1], "seq": int(found[2]), "said": said}
        raise _no_moment(said) from None
    if _DAY.fullmatch(said):
        time_ += timedelta(days=1, microseconds=-1)
    try:
        time_ = time_.replace(tzinfo=UTC) if time_.tzinfo is None else time_.astimezone(UTC)
    except OverflowError:  # Beyond the first or the last year there is.
        raise _no_moment(said) from None
    return {"time": time_.replace(tzinfo=None).isoformat(), "said": said}


def _no_moment(said: str) -> BadRequest:
    return BadRequest(
        f"{said[:100]!r} is neither a time nor an event.",
        "Give 2026-11-16, 2026-11-16T09:30:00Z, STREAM:SEQ or a line's hash.",
    )
