"""Proves that a data home, a task in it, an unpacked bundle, or one trace, is what its writers left.

    python verify.py HOME_OR_BUNDLE_OR_TRACE.jsonl [--task TASK] [--head HEAD] [--json]

README.md in the folder `traces` says what that is. Standard library only, and no code in common with
what wrote the record. A fault is what no crash explains; a note is what a crash, or a writer at
work, may leave behind.
"""

import argparse
import errno
import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import cache, partial
from hashlib import sha256
from json.scanner import make_scanner
from math import isfinite
from pathlib import Path
from typing import IO, Any, NoReturn

GENESIS = "sha256:" + "0" * 64
CATALOGUE = "catalogue"
MANY_WRITERS = {CATALOGUE, "queries"}
"""Streams that are never claimed and have nobody above them."""
MOST_FINDINGS = 1000
LONGEST_LINE = 16 << 20
LARGEST_BLOB = 1 << 30

_BLOCK = 1 << 20
_NEWLINE = ord("\n")
_HEX = "[0-9a-f]{64}"
_STREAM = re.compile(r"[a-z0-9][a-z0-9.-]{0,119}")
_HASH = re.compile(f"sha256:{_HEX}")
_HEAD = re.compile(rf"([0-9]{{20}}) (sha256:{_HEX})\n")
_SLOTS = {"A\n": 2, "B\n": 95}
"""Where the slot that counts begins, by the head file's first line; see README.md."""
_KEPT = re.compile(rf"(?:([a-z0-9][a-z0-9.-]*):([0-9]{{1,18}}):)?(sha256:{_HEX})")
_BLOB = re.compile("[0-9a-f]{62}")
_PASSING = re.compile(r"\.[0-9a-f]{32}")
_PACKED = re.compile(rb"\x28\xb5\x2f\xfd[\x20-\xff]", re.DOTALL)
"""How a frame of zstd begins that says how long its content is."""

_SEAL = len(',"hash":"sha256:"}\n') + 64
_LINK = len(',"prev":"sha256:"') + 64 + _SEAL
_LINKED = re.compile(rf',"prev":"sha256:{_HEX}","hash":"sha256:{_HEX}"\}}\n'.encode())
_COUNT = "(0|[1-9][0-9]{0,17})"
_START = re.compile(
    rf'\{{"v":{_COUNT},"stream":"([a-z0-9.-]{{1,120}})","seq":{_COUNT},'
    rf'"at":"(\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{{6}})Z","epoch":{_COUNT},'
    rf'"cause":(?:null|"[ !#-\[\]-~]*+"|("(?:[^"\\]++|\\.)*+")),'
    rf'"left":{_COUNT},"event":(?=\{{"kind":")'.encode()
)

_IMPORT, _IMPORTED = "import_begun", "task_imported"
_NAMES = {
    "task_entered": "task",
    "job_entered": "job",
    "researcher_assigned": "researcher",
    _IMPORTED: "task",
}
_ENDS = {"stream_sealed": "target", "researcher_reported": "researcher"}
_BRANCHES = _NAMES | _ENDS | {_IMPORT: "task"}
_OF_THE_CATALOGUE = {"task_entered", "job_entered", "stream_sealed", _IMPORT, _IMPORTED}

MANIFEST, EXTRACT = "manifest.json", "catalogue-extract.jsonl"
BUNDLED = re.compile(
    r"README\.txt|index\.html|report\.(?:md|html|json)|references\.json|verify\.py"
    rf"|{EXTRACT}|traces/(?:heads/)?[a-z0-9][a-z0-9.-]{{0,119}}\.(?:jsonl|head)"
    r"|blobs/[0-9a-f]{2}/[0-9a-f]{62}"
)
_SIGNED = re.compile(rf',"seal":"sha256:{_HEX}"\}}\n'.encode())
_SIGNATURE = len(',"seal":"sha256:"}\n') + 64

_STRANGE = "it does not belong here"

Place = tuple[str, int]
"""A file, and the number of a line in it."""


@dataclass(frozen=True)
class Finding:
    """Something worth saying, and where it is."""

    file: str
    line: int | None
    what: str

    def __str__(self) -> str:
        return f"{self.file}{'' if self.line is None else f', line {self.line}'}: {self.what}"


@dataclass
class Verdict:
    """What was looked at, and what was found, in the order in which it was found."""

    faults: list[Finding] = field(default_factory=list)
    notes: list[Finding] = field(default_factory=list)
    streams: int = 0
    records: int = 0
    blobs: int = 0
    bytes: int = 0

    @property
    def proven(self) -> bool:
        """Whether everything is as its writers left it."""
        return not self.faults

    def fault(self, file: str, line: int | None, what: str) -> None:
        """Say what is wrong."""
        if len(self.faults) < MOST_FINDINGS:
            self.faults.append(Finding(file, line, what))

    def note(self, file: str, line: int | None, what: str) -> None:
        """Say what is allowed, but worth knowing."""
        if len(self.notes) < MOST_FINDINGS:
            self.notes.append(Finding(file, line, what))


def verify_home(home: Path, heads: Iterable[str] = ()) -> Verdict:
    """Check every stream, the tree they form, and every blob of a data home."""
    check = _Check(home, "traces/", "blobs/", heads)
    # While the engine runs, a stream appears before its head file, and is named before it appears
    # and ended after it ends; so whoever looks in this order never sees the later half alone.
    noted = check.listed("traces/heads", ".head")
    streams = check.listed("traces", ".jsonl", beside="heads")
    if CATALOGUE in streams:
        check.read(CATALOGUE)
    begun = check.begun()
    for stream in sorted(begun & (streams | noted)):
        what = "of an import that did not come to its end"
        check.verdict.note(check.trace(stream), None, what)
    seen = begun | ({CATALOGUE} & streams)
    check.read_streams(streams - seen, noted - seen)
    check.judge_blobs(check.listed_blobs() | set(check.references))
    return check.verdict


def verify_task(home: Path, task: str, heads: Iterable[str] = ()) -> Verdict:
    """Check one task of a home: the catalogue, the task and its researchers, and their blobs."""
    check = _Check(home, "traces/", "blobs/", heads)
    check.read(CATALOGUE)
    check.leave_only(task)
    family = [task]
    for stream in family:
        sealed = {child for _, child, _, _ in check.anchors}
        if stream in sealed or os.path.lexists(check.base / check.trace(stream)):
            check.read(stream)
        named = [child for child, parent in check.parents.items() if parent == stream]
        family += [child for child in named if child not in family]
    check.judge_heads(missing_is_a_fault=True)
    check.judge_tree()
    check.judge_kept()
    check.judge_blobs(set(check.references))
    return check.verdict


def verify_bundle(folder: Path, heads: Iterable[str] = ()) -> Verdict:
    """Check an unpacked bundle: every file by its manifest, and the one task that is in it."""
    check = _Check(folder, "traces/", "blobs/", heads)
    check.read_manifest()
    check.read_extract()
    check.judge_extract()
    noted = check.listed("traces/heads", ".head")
    check.read_streams(check.listed("traces", ".jsonl", beside="heads"), noted)
    check.bundled = True
    check.judge_blobs(check.listed_blobs() | set(check.references))
    return check.verdict


def verify_trace(path: Path, heads: Iterable[str] = ()) -> Verdict:
    """Check one trace by itself, and with its head file and its blobs where they are at hand."""
    check = _Check(path.parent, "", "../blobs/", heads)
    check.read_head(path.stem)
    check.read_stream(path.stem, path.name)
    check.judge_heads(missing_is_a_fault=False)
    check.judge_kept()
    if (check.base.parent / "blobs").is_dir():
        check.judge_blobs(set(check.references))
    return check.verdict


class Wrong(Exception):
    """What is wrong with a line."""


class _Chain:
    """One stream's lines, each checked by itself and against the one before it."""

    def __init__(self, name: str) -> None:
        self.name = name.encode(errors="replace")
        self.seq, self.head, self.epoch, self.left = 0, GENESIS.encode(), 0, 0
        self._lost = False

    def alone(self, line: bytes) -> Any:
        """The event of a line whose neighbours are elsewhere."""
        self._lost = True
        return self.follow(line)

    def follow(self, line: bytes) -> Any:
        """The event of the next line; after a wrong line, the next is only checked by itself."""
        lost, self._lost = self._lost, True
        sealed = b"sha256:" + sha256(line[:-_SEAL] + b"}").hexdigest().encode()
        if not line.endswith(b',"prev":"%b","hash":"%b"}\n' % (self.head, sealed)):
            if not line.endswith(b',"hash":"%b"}\n' % sealed):
                raise Wrong("it does not match its hash")
            if not (lost and _LINKED.fullmatch(line, len(line) - _LINK)):
                raise Wrong("it does not follow the line before it")
        start = _START.match(line)
        if not start:
            raise Wrong("it is not a line of this format")
        version, stream, number, at, writer, cause, rest = start.groups()
        if version != b"1":
            raise Wrong(f"it has format {version.decode()}, which this verifier does not know")
        if stream != self.name:
            raise Wrong(f"it belongs to the stream {stream.decode()}")
        event = _parsed(line[start.end() : -_LINK])
        if cause:  # Not plainly right: to be looked at more closely.
            _parsed(cause)
        # Readers take the first one as it stands, without looking for another.
        kind = event["kind"]
        if not isinstance(kind, str) or not line.startswith(
            b'{"kind":"%b"' % kind.encode(), start.end()
        ):
            raise Wrong("it says two things about its kind")
        try:
            datetime.fromisoformat(at.decode())
        except ValueError:
            raise Wrong("it was written at a time that never was") from None
        seq, epoch, left = int(number), int(writer), int(rest)
        if not lost:
            if seq != self.seq + 1:
                raise Wrong(f"it has number {seq} where {self.seq + 1} is due")
            if self.left and left != self.left - 1:
                raise Wrong("it begins a decision before the last one is whole")
            if epoch < self.epoch:
                raise Wrong("an earlier writer wrote it after a later one")
            if epoch > self.epoch and event["kind"] != "stream_claimed":
                raise Wrong("its writer never claimed the stream")
        if epoch and self.name.decode() in MANY_WRITERS:
            raise Wrong(f"it has an epoch, and {self.name.decode()} is never claimed")
        self.seq, self.head, self.epoch, self.left = seq, sealed, epoch, left
        self._lost = False
        return event


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _finite(number: str) -> float:
    return value if isfinite(value := float(number)) else _refuse(number)


def _whole(number: str) -> int:
    # Of more digits than 64 bits hold, some readers keep all, some the first few, and some refuse them.
    if len(number) < 19 or -(1 << 63) <= int(number) < 1 << 64:
        return int(number)
    raise Wrong("it has a number that readers would take for different ones")


def _named_once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    # Some readers take the first member of a name, and some the last.
    if len(found := dict(members)) < len(members):
        raise Wrong("it says two things under one name")
    return found


# Not every reader takes a number that is larger than any, nor half a sign.
_reading = json.JSONDecoder(
    parse_constant=_refuse,
    parse_float=_finite,
    parse_int=_whole,
    object_pairs_hook=_named_once,
)
_scan = make_scanner(_reading)  # type: ignore[arg-type]


def _parsed(raw: bytes) -> Any:
    try:
        text = raw.decode()
        value, end = _scan(text, 0)
        if b"\\u" in raw:
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, StopIteration, RecursionError, MemoryError):
        raise Wrong("it is not readable JSON") from None
    if end != len(text):
        raise Wrong("it has something behind its event")
    return value


@dataclass
class _End:
    """How far a stream goes."""

    lines: int = 0
    """Whole lines, right or wrong."""

    seq: int = 0
    head: bytes = GENESIS.encode()
    """The last line of the last whole decision."""

    torn: int | None = None
    """The line where an unfinished write begins."""


class _Check:
    """What is known so far about a home, or about a single trace."""

    def __init__(self, base: Path, traces: str, blobs: str, kept: Iterable[str]) -> None:
        self.base = Path(os.path.realpath(base))
        self.traces, self.blobs = traces, blobs
        self.verdict = Verdict()
        self.kept = [parse_head(head) for head in kept]
        """Heads that somebody kept: stream and number, where they are known, and hash."""

        self.sought = {head.encode() for _, _, head in self.kept}
        self.found: dict[bytes, tuple[str, int]] = {}
        """Hashes of lines to be looked for, and the stream and number of those that are there."""

        self.heads: dict[str, tuple[int, str] | None] = {}
        """By stream: what its head file says; none where that is empty."""

        self.ends: dict[str, _End] = {}
        """By stream that was read: how far it goes."""

        self.parents: dict[str, str] = {}
        self.naming: dict[str, Place] = {}
        """By stream: which one names it first, and in which line."""

        self.anchors: list[tuple[Place, str, Any, Any]] = []
        """Ends as parents tell them: where, the stream, its last number and its last hash."""

        self.references: dict[str, dict[tuple[int, str], Place]] = {}
        """By blob: the sizes and digests that are said of it, and where."""

        self.expected: set[str] = set()
        """Streams that imports were to bring."""

        self.imported: set[str] = set()
        self.imports: set[Place] = set()
        """Tasks that came from other homes, and the lines that say so."""

        self.bundled = False
        self.task: Any = None
        """Whose bundle it is, as its manifest says."""

        self._direct: set[Path] = set()
        """Folders that are known to be reached through no link."""

    def trace(self, stream: str) -> str:
        """The file of a stream."""
        return f"{self.traces}{_shown(stream)}.jsonl"

    def head(self, stream: str) -> str:
        """The head file of a stream."""
        return f"{self.traces}heads/{stream}.head"

    def begun(self) -> set[str]:
        """Streams of imports that did not come to their end: nobody has to account for them."""
        return {each for each in self.expected if each.partition(".")[0] not in self.parents}

    def leave_only(self, task: str) -> None:
        """Of what the catalogue says, keep what it says about a task."""
        self.anchors = [each for each in self.anchors if each[1] == task]
        self.parents = {task: CATALOGUE} if task in self.parents else {}
        place = self.naming.get(task)
        kept = {
            name: {what: at for what, at in referring.items() if at == place}
            for name, referring in self.references.items()
        }
        self.references = {name: referring for name, referring in kept.items() if referring}

    # -- looking ---------------------------------------------------------------------------------

    def listed(self, folder: str, suffix: str, beside: str | None = None) -> set[str]:
        """The streams that have a file in a folder where nothing else may be."""
        names = set()
        for entry in self._entries(folder):
            name = entry.removesuffix(suffix)
            if name != entry and _STREAM.fullmatch(name):
                names.add(name)
            elif entry != beside:
                self.verdict.fault(f"{folder}/{_shown(entry)}", None, _STRANGE)
        return names

    def listed_blobs(self) -> set[str]:
        """The blobs that are here, whether anybody refers to them or not."""
        names = set()
        for folder in self._entries("blobs") if os.path.lexists(self.base / "blobs") else ():
            if not re.fullmatch("[0-9a-f]{2}", folder):
                self.verdict.fault(f"blobs/{_shown(folder)}", None, _STRANGE)
                continue
            for entry in self._entries(f"blobs/{folder}"):
                file = f"blobs/{folder}/{_shown(entry)}"
                if _BLOB.fullmatch(entry):
                    names.add(f"sha256:{folder}{entry}")
                elif _PASSING.fullmatch(entry):
                    self.verdict.note(file, None, "an unfinished write, never referred to")
                else:
                    self.verdict.fault(file, None, _STRANGE)
        return names

    def _entries(self, folder: str) -> list[str]:
        try:
            self._follow_no_link(self.base / folder)
            return sorted(entry.name for entry in (self.base / folder).iterdir())
        except OSError as failure:
            self.verdict.fault(folder, None, _why(failure))
            return []

    def _open(self, file: str) -> IO[bytes]:
        """A plain file, opened without following a link and without waiting for anyone."""
        self._follow_no_link((self.base / file).parent)
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(self.base / file, flags)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise OSError(errno.EINVAL, "not a plain file")
        return os.fdopen(descriptor, "rb", buffering=_BLOCK)

    def _follow_no_link(self, folder: Path) -> None:
        if folder not in self._direct and os.path.realpath(folder) != os.path.normpath(folder):
            raise OSError(errno.ELOOP, "")
        self._direct.add(folder)

    # -- reading ---------------------------------------------------------------------------------

    def read(self, stream: str) -> None:
        """A stream, and what was last acknowledged of it."""
        self.read_head(stream)
        self.read_stream(stream)

    def read_streams(self, streams: set[str], noted: set[str]) -> None:
        """Streams and the tree that they form; heads that were noted belong to some of them."""
        for stream in sorted(streams, key=lambda name: (name.count("."), name)):
            self.read(stream)
        # What was begun and ended since the streams were listed is named by those that were read.
        while late := [child for _, child, _, _ in self.anchors if self._is_unread(child)]:
            for stream in dict.fromkeys(late):
                self.read(stream)
        for stream in sorted(noted - streams):
            what = "it is missing, and its head file is there"
            self.verdict.fault(self.trace(stream), None, what)
        self.judge_heads(missing_is_a_fault=True)
        self.judge_tree()
        self.judge_kept()

    def _is_unread(self, stream: str) -> bool:
        there = _STREAM.fullmatch(stream) and os.path.lexists(self.base / self.trace(stream))
        return bool(there) and stream not in self.ends

    def read_manifest(self) -> None:
        """Check every file of a bundle by its digest, and that there is no other."""
        try:
            with self._open(MANIFEST) as file:
                raw = file.read(LONGEST_LINE)
            self.task, files = _task_and_files_of(raw)
        except (OSError, Wrong) as failure:
            why = _why(failure) if isinstance(failure, OSError) else str(failure)
            self.verdict.fault(MANIFEST, None, why)
            return
        for name, said in files.items():
            try:
                with self._open(name) as file:
                    digest, size = _digest(file)
            except OSError as failure:
                self.verdict.fault(name, None, _why(failure))
                continue
            if said != {"sha256": digest, "size": size}:
                self.verdict.fault(name, None, f"it is not the file that {MANIFEST} speaks of")
        for folder, folders, names in os.walk(self.base):
            inside = os.path.relpath(folder, self.base)
            links = [each for each in folders if Path(folder, each).is_symlink()]
            for each in sorted((*names, *links)):
                name = each if inside == "." else f"{inside}/{each}"
                if name not in files and name != MANIFEST:
                    self.verdict.fault(_shown(name), None, _STRANGE)

    def read_extract(self) -> None:
        """Check the catalogue's lines about a bundled task, each by itself: the others are elsewhere."""
        chain, telling, before = _Chain(CATALOGUE), list[tuple[int, Any]](), 0
        try:
            with self._open(EXTRACT) as lines:
                raw = lines.read(LONGEST_LINE).splitlines(keepends=True)
        except OSError as failure:
            self.verdict.fault(EXTRACT, None, _why(failure))
            return
        for number, line in enumerate(raw, 1):
            try:
                telling.append((number, chain.alone(line)))
            except Wrong as wrong:
                self.verdict.fault(EXTRACT, number, str(wrong))
                continue
            if chain.seq <= before:
                self.verdict.fault(EXTRACT, number, "it comes before the line above it")
            before = chain.seq
        self._listen(CATALOGUE, EXTRACT, telling)

    def read_head(self, stream: str) -> None:
        """Learn which line of a stream was the last to be acknowledged."""
        try:
            with self._open(self.head(stream)) as file:
                raw = file.read(_BLOCK).decode("latin-1")
        except FileNotFoundError:
            return
        except OSError as failure:
            self.heads[stream] = (0, GENESIS)
            self.verdict.fault(self.head(stream), None, _why(failure))
            return
        self.heads[stream] = (0, GENESIS) if raw else None
        place = _SLOTS.get(raw[:2], 188) if len(raw) == 188 else 188
        if said := _HEAD.fullmatch(raw[place : place + 93]):
            self.heads[stream] = (int(said[1]), said[2])
            self.sought.add(said[2].encode())
        elif raw:
            self.verdict.fault(self.head(stream), 1, "it is not a head")

    def read_stream(self, stream: str, file: str | None = None) -> None:
        """Check a stream by itself, and keep what it says about others."""
        file = file or self.trace(stream)
        chain, end, telling = _Chain(stream), _End(), list[tuple[int, Any]]()
        self.ends[stream] = end
        try:
            with self._open(file) as lines:
                for line in iter(partial(lines.readline, LONGEST_LINE), b""):
                    if line[-1] != _NEWLINE:
                        end.torn = end.torn or end.lines + 1
                        if len(line) == LONGEST_LINE:
                            self.verdict.fault(file, end.lines + 1, "it is longer than any line")
                        break
                    end.lines += 1
                    try:
                        event = chain.follow(line)
                    except Wrong as wrong:
                        self.verdict.fault(file, end.lines, str(wrong))
                        end.torn = None
                        continue
                    if chain.head in self.sought:
                        self.found[chain.head] = (stream, chain.seq)
                    if (
                        event["kind"] in _BRANCHES
                        or b'"stored"' in line
                        or (b"\\" in line and b"\\u" in line)
                    ):
                        telling.append((end.lines, event))
                    if chain.left:
                        end.torn = end.torn or end.lines
                        continue
                    end.seq, end.head, end.torn = chain.seq, chain.head, None
                    if telling:
                        self._listen(stream, file, telling)
                        telling.clear()
                self.verdict.bytes += lines.tell()
        except OSError as failure:
            self.verdict.fault(file, None, _why(failure))
        self.verdict.streams += 1
        self.verdict.records += end.lines

    def _listen(self, stream: str, file: str, telling: Iterable[tuple[int, Any]]) -> None:
        """Keep what a whole decision says about other streams and about blobs."""
        for number, event in telling:
            kind = event["kind"]
            if kind in _BRANCHES and (kind in _OF_THE_CATALOGUE) == (stream == CATALOGUE):
                self._listen_about_stream(stream, (file, number), event)
            for name, size, stored in _references(event):
                self._listen_about_blob((file, number), name, size, stored)

    def _listen_about_stream(self, stream: str, place: Place, event: Any) -> None:
        """Keep that a stream names or ends another one."""
        kind, child = event["kind"], event.get(_BRANCHES[event["kind"]])
        anchor = place, child, event.get("seq"), event.get("head")
        if not isinstance(child, str):
            self.verdict.fault(*place, "it names no stream")
        elif kind == _IMPORT:
            streams = event.get("streams")
            self.expected.update(map(str, streams if type(streams) is list else ()))
        elif kind in _NAMES:
            self.parents.setdefault(child, stream)
            self.naming.setdefault(child, place)
            if kind == _IMPORTED:  # It comes with its end.
                self.imported.add(child)
                self.imports.add(place)
                self.anchors.append(anchor)
        elif self.parents.get(child) != stream:
            self.verdict.fault(*place, "it ends a stream that no earlier line names")
        else:
            self.anchors.append(anchor)

    def _listen_about_blob(self, place: Place, name: Any, size: Any, stored: Any) -> None:
        """Keep what is said of a blob; what is said here counts for more than what others said."""
        if type(size) is int and _HASH.fullmatch(f"{name}") and _HASH.fullmatch(f"{stored}"):
            referring = self.references.setdefault(name, {})
            if self._from_elsewhere(referring.get((size, stored), place)):
                referring[size, stored] = place
            referring.setdefault((size, stored), place)
        else:
            self.verdict.fault(*place, "it refers to a blob that cannot be")

    def _from_elsewhere(self, place: Place) -> bool:
        """Whether a line was taken over from another home, or takes a task over."""
        file, _ = place
        stream = file.removeprefix(self.traces).removesuffix(".jsonl")
        return place in self.imports or stream.partition(".")[0] in self.imported

    # -- judging ---------------------------------------------------------------------------------

    def judge_heads(self, *, missing_is_a_fault: bool) -> None:
        """No stream is shorter than what was acknowledged, nor was anything changed before that."""
        sealed = {child for _, child, _, _ in self.anchors}
        for stream, end in self.ends.items():
            file, noted = self.trace(stream), self.head(stream)
            head = self.heads.get(stream)
            if head and head[0] > end.seq:
                what = f"it is gone, and {noted} says that lines up to {head[0]} were acknowledged"
                self.verdict.fault(file, end.lines + 1, what)
            elif head and head[0] and self.found.get(head[1].encode()) != (stream, head[0]):
                self.verdict.fault(file, head[0], f"it is not the line that {noted} acknowledged")
            elif end.torn and stream in sealed:
                self.verdict.fault(file, end.torn, "it comes after the end of a sealed stream")
            elif end.torn:
                self.verdict.note(file, end.torn, "an unfinished write, never acknowledged")
            if stream in self.heads:
                if not head and end.seq:
                    self.verdict.note(noted, None, "it is empty, as after a power cut")
            elif missing_is_a_fault and end.lines and not (self.base / noted).exists():
                self.verdict.fault(noted, None, "it is missing")

    def judge_extract(self) -> None:
        """A bundle is one research, from its beginning to its end."""
        ended = [child for _, child, _, _ in self.anchors]
        if self.task is not None and not [self.task] == ended == [*self.parents]:
            what = f"it does not tell the beginning and end of what {MANIFEST} speaks of"
            self.verdict.fault(EXTRACT, None, what)

    def judge_tree(self) -> None:
        """Every stream ends where its parent says, and hangs on a parent."""
        for (parent, number), child, seq, head in self.anchors:
            end, file = self.ends.get(child, _End()), self.trace(child)
            if (end.seq, end.head.decode()) == (seq, head):
                continue
            by = f"{parent}, line {number}, says that the stream"
            if child not in self.ends:
                self.verdict.fault(file, None, f"it is missing, and {by} ended")
            elif end.seq == seq:
                self.verdict.fault(file, seq, f"{by} ended with another line")
            elif type(seq) is int and 0 <= seq < end.seq:
                self.verdict.fault(file, seq + 1, f"it is too much: {by} ended before it")
            else:
                self.verdict.fault(file, end.lines + 1, f"it is gone, and {by} went on")
        for stream in self.ends:
            if stream not in MANY_WRITERS and stream not in self.parents:
                self.verdict.fault(self.trace(stream), None, "no other stream names it")

    def judge_kept(self) -> None:
        """Every head that somebody kept is still where it was."""
        for stream, seq, head in self.kept:
            found = self.found.get(head.encode())
            if not found or (stream and found != (stream, seq)):
                file = self.trace(stream) if stream else self.traces or "."
                self.verdict.fault(file, seq, f"the line that was kept as {head} is not here")

    def judge_blobs(self, names: Iterable[str]) -> None:
        """Every blob is here, and is what its name and everyone who refers to it say."""
        for name in sorted(names):
            if self.verdict.blobs == 0 and not _decompressor():
                self.verdict.note(self.blobs, None, "no zstd decompressor: checked as stored only")
            self.verdict.blobs += 1
            file, referring = f"{self.blobs}{name[7:9]}/{name[9:]}", self.references.get(name, {})
            by = "".join(f" ({at}, line {line})" for at, line in referring.values())[:300]
            try:
                with self._open(file) as blob:
                    stored, length = _digest(blob)
                    blob.seek(0)
                    content = _content(blob)
            except OSError as failure:
                self.verdict.fault(file, None, _why(failure) + by)
                continue
            self.verdict.bytes += length
            if content and content[0] != name:
                self.verdict.fault(file, None, "its content is not what its name says" + by)
            elif any(said != stored for _, said in referring):
                others = [place for (_, said), place in referring.items() if said != stored]
                if content and all(map(self._from_elsewhere, others)):
                    self.verdict.note(file, None, "it is packed otherwise than where it came from")
                else:
                    self.verdict.fault(file, None, "its bytes are not the ones referred to" + by)
            elif content and any(size != content[1] for size, _ in referring):
                self.verdict.fault(file, None, "it does not have the size referred to" + by)
            elif not referring and not self.bundled:
                self.verdict.note(file, None, "no line refers to it")


def _task_and_files_of(raw: bytes) -> tuple[Any, dict[str, Any]]:
    """What a manifest says it is a bundle of, and of the files beside it."""
    if not _SIGNED.fullmatch(raw, max(0, len(raw) - _SIGNATURE)):
        raise Wrong("it is no manifest of a bundle")
    sealed = b"sha256:" + sha256(raw[:-_SIGNATURE] + b"}").hexdigest().encode()
    if not raw.endswith(b',"seal":"%b"}\n' % sealed):
        raise Wrong("it does not match its seal")
    manifest = _parsed(raw[:-1])
    if not isinstance(manifest, dict) or manifest.get("format") != 1:
        raise Wrong("it has a format that this verifier does not know")
    files = manifest.get("files")
    if not isinstance(files, dict) or not all(map(BUNDLED.fullmatch, files)):
        raise Wrong("it names a file that no bundle has")
    return manifest.get("task") or "", files


def _references(event: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Every reference to a blob in an event, however deep: hash, size, stored."""
    nested = [event]
    for value in nested:
        if type(value) is dict:
            if value.keys() == {"hash", "size", "stored"}:
                yield value["hash"], value["size"], value["stored"]
            value = value.values()
        nested += [inner for inner in value if type(inner) in (dict, list)]


def _digest(file: IO[bytes]) -> tuple[str, int]:
    """Digest and length of a file; of too large a one only a part, which matches nothing."""
    digest, length = sha256(), 0
    while length <= LARGEST_BLOB and (block := file.read(_BLOCK)):
        digest.update(block)
        length += len(block)
    return "sha256:" + digest.hexdigest(), length


@cache
def _decompressor() -> tuple[Callable[[IO[bytes]], Any], type[Exception]] | None:
    """What opens a compressed file, and the error it has for a damaged one."""
    try:
        from compression import zstd  # type: ignore[import-not-found]  # Python 3.14
    except ImportError:
        try:
            import zstandard
        except ImportError:
            return None
        # Whatever follows the content counts as well, as it does for the other one.
        opened = partial(zstandard.ZstdDecompressor().stream_reader, read_across_frames=True)
        return opened, zstandard.ZstdError
    return zstd.ZstdFile, zstd.ZstdError


def _content(file: IO[bytes]) -> tuple[str, int] | None:
    """Digest and length of what a compressed file holds; none where that cannot be known."""
    if not (found := _decompressor()):
        return None
    opened, damaged = found
    # One that does not tell beforehand how long its content is was not packed by us, nor will it be unpacked.
    if not _PACKED.match(file.read(5)):
        return "", 0
    file.seek(0)
    try:
        return _digest(opened(file))
    except (damaged, EOFError, MemoryError):
        return "", 0


def _why(failure: OSError) -> str:
    if failure.errno == errno.ELOOP:
        return "it is a symbolic link, which is not followed"
    if failure.errno == errno.ENOENT:
        return "it is missing"
    return f"it cannot be read: {failure.strerror}"


def _shown(name: str) -> str:
    return name if name.isascii() and name.isprintable() else ascii(name)


def parse_head(text: str) -> tuple[str | None, int | None, str]:
    """The stream and number, if given, and the hash of a head that somebody kept."""
    kept = _KEPT.fullmatch(text)
    if not kept:
        raise ValueError("a head is sha256:HEX or STREAM:SEQ:sha256:HEX")
    return kept[1], int(kept[2]) if kept[2] else None, kept[3]


def _verify(path: Path, task: str, heads: list[str]) -> Verdict:
    if not path.is_dir():
        return verify_trace(path, heads)
    if task:
        return verify_task(path, task, heads)
    unpacked = (path / MANIFEST).exists() and not (path / "traces" / "catalogue.jsonl").exists()
    return (verify_bundle if unpacked else verify_home)(path, heads)


def _tell(verdict: Verdict, *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json.dumps({"proven": verdict.proven, **asdict(verdict)}) + "\n")
    else:
        for word, findings in (("fault", verdict.faults), ("note", verdict.notes)):
            sys.stdout.writelines(f"{word}: {finding}\n" for finding in findings)
        sys.stdout.write(
            f"{'proven' if verdict.proven else 'NOT PROVEN'}: {verdict.streams} streams, "
            f"{verdict.records} records, {verdict.blobs} blobs, {verdict.bytes} bytes\n"
        )
    sys.stdout.flush()


def main(arguments: list[str] | None = None) -> int:
    """Check what the command line names: 0 when proven, 1 when not, 2 when misused."""
    parser = argparse.ArgumentParser(description="Prove a data home, a bundle, or a trace.")
    parser.add_argument("path", type=Path, metavar="HOME_OR_BUNDLE_OR_TRACE.jsonl")
    parser.add_argument("--task", help="of a home, only this task", default="")
    parser.add_argument("--head", action="append", default=[], help="[STREAM:SEQ:]sha256:HEX")
    parser.add_argument("--json", action="store_true", help="answer in JSON")
    asked = parser.parse_args(arguments)
    try:
        for head in asked.head:
            parse_head(head)
    except ValueError as refusal:
        parser.error(str(refusal))
    if not os.path.exists(asked.path):  # noqa: PTH110 - says so as well of a name that cannot be one
        parser.error(f"there is no {asked.path}")
    verdict = _verify(asked.path, asked.task, asked.head)
    try:
        _tell(verdict, as_json=asked.json)
    except BrokenPipeError:
        # Nobody reads on: the code still says how it stands.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0 if verdict.proven else 1


if __name__ == "__main__":
    sys.exit(main())
