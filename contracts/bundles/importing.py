"""A bundle of another home, taken into this one: everything is checked aside first, then it is put in its place.

What is checked, before anything here changes: the archive byte by byte, every file by the manifest, every line by
its hash, every blob by its content, that it is one ended research and nothing besides, and that it can be read.

Whoever dies in between leaves files that nothing speaks of but an `import_begun`; the same import, made again, goes on.
"""

import fcntl
import hashlib
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actors.catalogue import QUESTION_IN_LISTS, Catalogue
from actors.catalogue_state import CatalogueState
from contracts.bundles import packing as bundle_zip
from contracts.bundles.contents import ABOUT, blobs_of, references
from contracts.core import Core
from contracts.deep_research.refusals import checked
from events.base import Blob, Fact
from events.catalogue import (
    Brief,
    CancelRequested,
    ImportBegun,
    StreamSealed,
    TaskEntered,
    TaskImported,
)
from events.codec import Record, decode, digest
from events.errors import BundleRefused, PathRefused, RecordError, ResearchError
from events.home import Home
from events.stream import sync_directory
from events.task import ResearcherAssigned
from projections.results import NoResult
from projections.views import Views
from traces.verify import BUNDLED, EXTRACT, MANIFEST, Verdict, verify_bundle, verify_home

LARGEST_CONTENT = 4 << 30
"""Bytes that all blobs of a bundle may have when they are unpacked."""

_MOST_REFERENCES = 8 << 20
_LARGEST_BRIEF = 1 << 20
_LARGEST_RESULT, _LARGEST_REPORT = 8 << 20, 64 << 20
"""Bytes that are read at once. Read as JSON they may take twenty times as much: a list is a list for two letters."""

_NEEDED = (EXTRACT, "references.json")


@dataclass(frozen=True)
class Staged:
    """A bundle that was found to be in order, unpacked aside."""

    home: Home
    fact: TaskImported
    streams: tuple[str, ...]
    """Researchers first, so that the task is there when they are."""

    blobs: tuple[str, ...]
    verdict: Verdict


def check(path: Path, heads: Iterable[str] = ()) -> Staged:
    """Check a bundle by itself, and that it has the lines that were kept; what is returned was removed again."""
    with tempfile.TemporaryDirectory(prefix="bundle-") as place:
        return _staged(path, Path(place), heads)


def import_bundle(core: Core, path: Path) -> dict[str, Any]:
    """Take the research in a bundle over; taking it again changes nothing."""
    _plain_file(path)
    core.home.prepare()
    with _aside(core.home) as place:
        staged = _staged(path, place)
        fact = staged.fact
        new = not _is_here(core, staged)
        if new:
            _take_over(core, staged)
    return {
        "success": True,
        "task_id": fact.task,
        "imported": new,
        "query": fact.question,
        "status": fact.outcome,
        "streams": len(staged.streams),
        "blobs": len(staged.blobs),
        "bundle": _digest(path),
        "record": {"stream": fact.task, "seq": fact.seq, "head": fact.head},
    }


def _plain_file(path: Path) -> None:
    if not path.is_file():
        raise PathRefused(str(path)[:200], "there is no such file")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _aside(home: Home) -> Iterator[Path]:
    """An empty folder on the home's own disk; one import at a time, and what a dead one left is removed."""
    room = home.run / "imports"
    descriptor = os.open(home.run / "imports.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        shutil.rmtree(room, ignore_errors=True)
        place = room / uuid.uuid4().hex
        place.mkdir(mode=0o700, parents=True)
        try:
            yield place
        finally:
            shutil.rmtree(room, ignore_errors=True)
    finally:
        os.close(descriptor)


# -- checking --------------------------------------------------------------------------------------


def _staged(path: Path, place: Path, heads: Iterable[str] = ()) -> Staged:
    _plain_file(path)
    try:
        return _looked_through(path, place, heads)
    except (BundleRefused, OSError):
        raise
    except Exception as failure:  # a bundle can be odd in any way, and this is told
        why = failure.sentence.rstrip(".") if isinstance(failure, ResearchError) else "it is odd"
        raise BundleRefused(path.name, why) from failure


def _looked_through(path: Path, place: Path, heads: Iterable[str]) -> Staged:
    members = bundle_zip.read(path)
    for member in members:
        if member.name != MANIFEST and not BUNDLED.fullmatch(member.name):
            raise BundleRefused(path.name, f"{member.name!r} does not belong in a bundle")
    for needed in {MANIFEST, *_NEEDED} - {member.name for member in members}:
        raise BundleRefused(path.name, f"it has no {needed}")
    bundle_zip.unpack(path, members, place)
    home = Home(place)
    blobs = sorted(f"sha256:{m.name[6:8]}{m.name[9:]}" for m in members if m.name[:6] == "blobs/")
    if sum(map(home.blobs.unpacked_size, blobs)) > LARGEST_CONTENT:
        raise BundleRefused(path.name, f"it holds more than {LARGEST_CONTENT >> 30} GiB")
    if (verdict := verify_bundle(place, heads)).faults:
        raise BundleRefused(path.name, str(verdict.faults[0]))
    task = checked(decode((place / MANIFEST).read_bytes())["task"])
    entered, cancelled, sealed, times = _entry(path, place, task)
    streams = _streams(path, home, task)
    _expect_small(path, home, entered.brief.hash, _LARGEST_BRIEF)
    brief = Brief.model_validate(decode(home.blobs.get(entered.brief.hash)))
    if (brief.question[:QUESTION_IN_LISTS], brief.researcher) != (
        entered.question,
        entered.researcher,
    ):
        raise BundleRefused(path.name, "it was asked something else than it was entered for")
    if blobs_of(home, entered.brief.hash, streams) != set(blobs):
        raise BundleRefused(path.name, "it has blobs that its research does not speak of")
    fact = TaskImported(
        task=task,
        seq=sealed.seq,
        head=sealed.head,
        outcome=sealed.outcome,  # type: ignore[arg-type]
        brief=entered.brief,
        question=entered.question,
        researcher=entered.researcher,
        entered_at=times[0],
        ended_at=times[1],
        save_partial=cancelled.save_partial if cancelled else True,
        kept=_unreferred(home, entered.brief, streams, blobs),
        origin=home.blobs.put((place / EXTRACT).read_bytes()),
        references=home.blobs.put(_references(path, place)),
    )
    _rehearse(path, home, fact)
    return Staged(home, fact, streams, (*blobs, fact.origin.hash, fact.references.hash), verdict)


def _expect_small(path: Path, home: Home, name: str | None, most: int) -> None:
    """Refuse content that is packed small and would be unpacked large."""
    if name is not None and home.blobs.unpacked_size(name) > most:
        raise BundleRefused(path.name, f"it has more to read at once than {most >> 20} MiB")


def _entry(
    path: Path, place: Path, task: str
) -> tuple[TaskEntered, CancelRequested | None, StreamSealed, tuple[str, str]]:
    """What the other home's catalogue says of the task, and when it was entered and ended."""
    raw = (place / EXTRACT).read_bytes().splitlines()
    records = [Record(line) for line in raw]
    facts = [record.fact for record in records]
    cancels = [fact for fact in facts if isinstance(fact, CancelRequested)]
    if (
        len(facts) == 2 + len(cancels)
        and all(each.data[ABOUT[each.kind]] == task for each in records)
        and isinstance(entered := facts[0], TaskEntered)
        and isinstance(sealed := facts[-1], StreamSealed)
    ):
        times = records[0].at, records[-1].at
        return entered, cancels[0] if cancels else None, sealed, times
    raise BundleRefused(path.name, f"{EXTRACT} is not about the beginning and end of {task}")


def _streams(path: Path, home: Home, task: str) -> tuple[str, ...]:
    """The streams of a task and nobody else's, every fact of them as this version knows it."""
    here = {each.stem for each in home.traces.glob("*.jsonl")}
    named = {task}
    for stream in sorted(here, key=len):
        for record in home.read(stream)[0]:
            try:
                fact = record.fact
            except RecordError as refusal:
                raise BundleRefused(path.name, refusal.sentence) from None
            if stream == task and isinstance(fact, ResearcherAssigned):
                named.add(fact.researcher)
    if not here <= named or not all(each.startswith(f"{task}.") for each in named - {task}):
        raise BundleRefused(path.name, "it has streams that are not of its research")
    return (*sorted(here - {task}), task)


def _unreferred(
    home: Home, brief: Blob, streams: tuple[str, ...], blobs: list[str]
) -> tuple[Blob, ...]:
    """What is known by its hash only, so that the import vouches for it."""
    referred = {brief.hash}
    for stream in streams:
        for record in home.read(stream)[0]:
            referred |= {each.hash for each in references(record.data)}
    return tuple(
        Blob(
            hash=name,
            size=home.blobs.unpacked_size(name),
            stored=digest(home.blobs.path(name).read_bytes()),
        )
        for name in blobs
        if name not in referred
    )


def _references(path: Path, place: Path) -> bytes:
    file = place / "references.json"
    if file.stat().st_size > _MOST_REFERENCES or not isinstance(decode(file.read_bytes()), list):
        raise BundleRefused(path.name, "its references are none")
    return file.read_bytes()


def _rehearse(path: Path, home: Home, fact: TaskImported) -> None:
    """Import it into an empty home, which must then be proven and readable."""
    home.prepare()
    Catalogue(home).decide(lambda state: [fact])
    if faults := verify_home(home.root).faults:
        raise BundleRefused(path.name, str(faults[0]))
    views = Views(home)
    status = views.status(fact.task)
    if status.phase != fact.outcome:
        raise BundleRefused(path.name, "it did not end as it was entered to have ended")
    _expect_small(path, home, status.result, _LARGEST_RESULT)
    _expect_small(path, home, status.report, _LARGEST_REPORT)
    try:
        views.result(fact.task)
    except NoResult:
        return  # Not every research finds something.


# -- taking over -----------------------------------------------------------------------------------


def _is_here(core: Core, staged: Staged) -> bool:
    """Whether this very research is here; `BundleRefused` if another one of its name is."""
    fact = staged.fact
    if fact.task in core.catalogue.state().entries:
        end = core.views.head(fact.task)
        if (end.seq, end.hash) == (fact.seq, fact.head) and core.views.status(fact.task).ended:
            return True
        raise BundleRefused(fact.task, "a research of this name is here, and it is another one")
    for stream in staged.streams:
        ours = core.home.path(stream)
        if ours.exists() and ours.read_bytes() != staged.home.path(stream).read_bytes():
            raise BundleRefused(fact.task, f"there is another trace of the name {stream}")
    return False


def _take_over(core: Core, staged: Staged) -> None:
    home, fact = core.home, staged.fact
    _announce(core, ImportBegun(task=fact.task, streams=staged.streams))
    for name in staged.blobs:
        put_blob(home, staged.home, name)
    for stream in staged.streams:
        put_file(staged.home.path(stream), home.path(stream))
        head = Path("heads") / f"{stream}.head"
        put_file(staged.home.traces / head, home.traces / head)
    _announce(core, fact)


def _announce(core: Core, fact: ImportBegun | TaskImported) -> None:
    def decide(state: CatalogueState) -> list[Fact]:
        if fact.task in state.entries:
            raise BundleRefused(fact.task, "a research of this name was entered meanwhile")
        return [fact]

    core.catalogue.decide(decide)


def put_blob(home: Home, staged: Home, name: str) -> None:
    """Put one blob in its place."""
    home.blobs.take(name, staged.blobs.path(name))


def put_file(source: Path, target: Path) -> None:
    """Put one file in its place, whole; it was made durable when it was unpacked."""
    source.replace(target)
    sync_directory(target.parent)
