"""Contract 03, knowledge base: bringing documents in."""

from typing import Any

import anyio

from contracts.core import Core
from contracts.deep_research import Progress
from projections.status import JobStatus

PATIENCE = 4.0
"""Seconds a call waits for a job; simple calls are to answer within five."""

_GLANCE = 0.05


async def ingest(
    core: Core, path: str, collection: str, *, recursive: bool, progress: Progress
) -> dict[str, Any]:
    """Bring a file or folder in; answer with the job's id when it takes longer."""
    job, _ = await anyio.to_thread.run_sync(
        lambda: core.start_ingest(path, collection, recursive=recursive)
    )
    with anyio.move_on_after(PATIENCE):
        while not (seen := core.views.job(job)).ended:
            await progress(float(seen.done), float(seen.files), seen.current_file or seen.phase)
            await anyio.sleep(_GLANCE)
    return report_of(core.views.job(job))


def report_of(seen: JobStatus) -> dict[str, Any]:
    """A job as tools and commands show it."""
    return {
        "status": "success" if seen.phase == "completed" else seen.phase,
        "job_id": seen.job,
        "collection": seen.collection,
        "files": seen.files,
        "done": seen.done,
        "added": seen.added,
        "updated": seen.updated,
        "unchanged": seen.unchanged,
        "empty": seen.empty,
        "failed": seen.failed,
        "failures": [
            {"path": path, "code": code, "reason": reason} for path, code, reason in seen.failures
        ],
        "record": {"stream": seen.job, "seq": seen.head_seq, "head": seen.head_hash},
    }
