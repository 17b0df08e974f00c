"""Ingest jobs as tools and commands tell of them, and how a tool waits for one."""

from collections.abc import Iterable
from typing import Any

import anyio

from contracts.core import Core
from contracts.waiting import Progress, Rising
from projections.status import JobStatus

Reply = dict[str, Any]

FILES_SHOWN = 500
"""Files that a report tells about; those that came to nothing first."""

_GLANCE = 0.05
_TROUBLED = ("failed", "empty")


async def until_done(core: Core, job: str, progress: Progress | None) -> None:
    """Wait for a job, and tell of each file once, if anybody is to be told."""
    telling = Rising(progress) if progress else None
    told: tuple[int, str] | None = None
    while not (seen := await anyio.to_thread.run_sync(core.views.job, job)).ended:
        now = seen.done, seen.current_file or seen.phase
        if telling and now != told:
            told = now
            await telling.send(float(seen.done), float(seen.files), now[1])
        core.expect_engine()
        await anyio.sleep(_GLANCE)


def done_files(core: Core, job: str) -> list[Reply]:
    """What a job says of each file that it is done with."""
    if not core.home.path(job).exists():
        return []
    told = [record.data for record in core.home.read(job)[0] if record.kind == "file_done"]
    counting: list[Reply] = []
    replaced: set[tuple[str | None, str | None]] = set()
    for each in reversed(told):
        place = each.get("collection"), each.get("document")
        if place not in replaced:
            counting.append(each)
        # What it was told instead of stands before it, and counts no more.
        (replaced.add if each.get("instead_of") else replaced.discard)(place)
    return counting[::-1]


def job_report(core: Core, job: str) -> Reply:
    """A job with what became of each of its files."""
    files = done_files(core, job)
    report = report_of(core.views.job(job), files)
    report["chunks"] = sum(each["chunks"] for each in files)
    if job.startswith("reindex-"):
        state = core.catalogue.state()
        report["switched"] = job in state.switched
        report["read_anew"] = len(state.read_anew.get(job, ()))
        report["overtaken"] = job in state.overtaken
    return report


def report_of(seen: JobStatus, files: Iterable[Reply] = ()) -> Reply:
    """A job as tools and commands show it."""
    told = sorted(files, key=lambda each: each["outcome"] not in _TROUBLED)
    report: Reply = {
        "status": "success" if seen.phase == "completed" else seen.phase,
        "job_id": seen.job,
        "collection": seen.collection,
        **tally(seen),
        "chunks": seen.chunks,
        "failures": [
            {"path": path, "code": code, "reason": reason} for path, code, reason in seen.failures
        ],
        "report": [_file(each) for each in told[:FILES_SHOWN]],
        "left_off": max(0, len(told) - FILES_SHOWN),
        "record": {"stream": seen.job, "seq": seen.head_seq, "head": seen.head_hash},
    }
    if seen.failure_code:
        report["failure"] = {"code": seen.failure_code, "message": seen.failure_message}
    if not seen.ended:
        report["message"] = (
            f"{seen.done} of {seen.files} files are done; the job goes on by itself. "
            f"Follow it with research-agent kb status {seen.job}, or call the tool again in the same way "
            "to see what became of it."
        )
    return report


def tally(seen: JobStatus) -> dict[str, int]:
    """The files of a job, counted."""
    return {
        "files": seen.files,
        "done": seen.done,
        "added": seen.added,
        "updated": seen.updated,
        "unchanged": seen.unchanged,
        "empty": seen.empty,
        "failed": seen.failed,
    }


def _file(done: Reply) -> Reply:
    shown = {
        "path": done["locator"],
        "outcome": done["outcome"],
        "document_id": done.get("document"),
        "version": done.get("version"),
        "chunks": done.get("chunks", 0),
        "code": done.get("code"),
        "reason": done.get("reason"),
    }
    coverage = {name: done[name] for name in ("pages", "empty_pages", "warnings") if done.get(name)}
    return shown | ({"coverage": coverage} if coverage else {})
