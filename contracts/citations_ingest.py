"""Contract 05: bringing papers into a project, each known by its citekey.

The work is an ingest job like any other. The call waits for it as long as the contract allows, and
what takes longer goes on by itself.
"""

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio

from actors.references import Bibliography
from actors.shelves import project_collection
from contracts.citation_orders import Options, Order, order_from, read_options
from contracts.citations import SPARSE_MODEL, EmbeddingMismatch, Projects
from contracts.deep_research import Progress
from events.catalogue import JobEntered
from events.codec import canonical, digest
from events.errors import ResearchError

Reply = dict[str, Any]

INGEST_WITHIN = 15.0
PATIENCE = 14.0
"""Seconds a call waits for its job, so that the answer is there within the contract's fifteen."""

MOST_WARNINGS = 100
_GLANCE = 0.05


async def ingest_from_source(
    projects: Projects,
    project: str,
    source: str,
    options: Mapping[str, Any] | None,
    *,
    correlation_id: str,
    roots: tuple[Path, ...] | None,
    progress: Progress,
) -> Reply:
    """Bring a file, a folder or a Zotero library into a project."""
    began = time.monotonic()
    chosen = read_options(options)

    def accept() -> tuple[str | None, Order]:
        projects.collections(project)
        order = order_from(projects, project, source, chosen, roots, correlation_id)
        _settle_model(projects, project, chosen, correlation_id)

        def enter(order: Order) -> str:
            return _enter(projects, project, order, correlation_id)

        job = enter(order) if order.documents else None
        if order.later is not None:
            threading.Thread(target=order.later, args=(enter,), daemon=True).start()
        return job, order

    job, order = await anyio.to_thread.run_sync(accept, abandon_on_cancel=True)
    if job is None:
        return nothing_new(projects, project, order, time.monotonic() - began)
    with anyio.move_on_after(max(PATIENCE - (time.monotonic() - began), 0.1)):
        await _until_done(projects, job, progress)

    def report() -> Reply:
        return report_of(projects, project, job, order, chosen, time.monotonic() - began)

    return await anyio.to_thread.run_sync(report)


# -- the job ---------------------------------------------------------------------------------------


def _settle_model(projects: Projects, project: str, options: Options, correlation_id: str) -> None:
    """See to it that the corpus is embedded with the model that is set."""
    core = projects.core
    state, wanted = core.catalogue.state(), core.settings.embedder
    differs = wanted is not None and wanted != state.embedder
    if differs and state.published and not options.force_rebuild:
        raise EmbeddingMismatch(project, state.embedder or "bundled", wanted or "bundled")
    if differs or (options.force_rebuild and state.published):
        core.home.prepare()
        model = state.embedder if wanted is None else wanted
        core.catalogue.enter_reindexing(model, cause=correlation_id)


def _enter(projects: Projects, project: str, order: Order, correlation_id: str) -> str:
    core = projects.core
    core.home.prepare()
    collection = project_collection(core.catalogue, project, cause=correlation_id)
    packed = Bibliography(order.references).packed_list() if order.references else None
    job = _under_way(projects, collection, order, packed)
    if job is None:
        job, _ = core.catalogue.enter_job(
            collection, order.documents, cause=correlation_id, references=packed
        )
    core.wake_engine()
    return job


def _under_way(
    projects: Projects, collection: str, order: Order, packed: bytes | None
) -> str | None:
    """The job that does the very same already: who asks again waits for it."""
    manifest = digest(canonical(order.documents))
    references = digest(packed) if packed else None
    for name, entry in list(projects.core.catalogue.state().entries.items()):
        job = entry.entered
        if (
            isinstance(job, JobEntered)
            and entry.ended is None
            and entry.stop is None
            and job.collection == collection
            and job.manifest.hash == manifest
            and (job.references.hash if job.references else None) == references
        ):
            return name
    return None


async def _until_done(projects: Projects, job: str, progress: Progress) -> None:
    core = projects.core
    while not (seen := await anyio.to_thread.run_sync(core.views.job, job)).ended:
        await progress(float(seen.done), float(seen.files), seen.current_file or seen.phase)
        core.expect_engine()
        await anyio.sleep(_GLANCE)


def report_of(
    projects: Projects, project: str, job: str, order: Order, options: Options, seconds: float
) -> Reply:
    """The contract's answer, with what it says of a job that goes on."""
    core = projects.core
    seen = core.views.job(job)
    path = core.home.path(job)
    records = core.home.read(job)[0] if path.exists() else []
    files = [record.data for record in records if record.kind == "file_done"]
    taken_in = [each for each in files if each["outcome"] != "failed"]
    written = [each for each in files if each["outcome"] in {"added", "updated"}]
    documents = projects.documents(project)
    matched = _cited(documents, taken_in)
    warnings = [*order.warnings, *_languages(options), *_troubles(files, matched)]
    models = _models(projects, project)
    reply: Reply = {
        "chunks_written": sum(each.get("chunks", 0) for each in written),
        "documents_processed": len(taken_in),
        "project": project,
        "dense_model": ", ".join(models) or projects.default_model(),
        "sparse_model": SPARSE_MODEL,
        "duration_seconds": round(seconds, 3),
        "warnings": warnings[:MOST_WARNINGS],
        "status": "completed" if seen.ended and seen.phase == "completed" else seen.phase,
        "continues": not seen.ended or order.later is not None,
        "job_id": job,
        "collection": seen.collection,
        "documents": {
            "files": seen.files,
            "done": seen.done,
            "added": seen.added,
            "updated": seen.updated,
            "unchanged": seen.unchanged,
            "empty": seen.empty,
            "failed": seen.failed,
        },
        "references": {"read": len(order.references), "matched": len(matched)},
        "documents_removed": len(order.removed),
        "warnings_left_off": max(0, len(warnings) - MOST_WARNINGS),
    }
    if not seen.ended:
        reply["message"] = (
            f"{seen.done} of {seen.files} files are done after {INGEST_WITHIN:g} seconds; the job "
            f"goes on by itself and nothing is lost. inspect_collection shows whether job {job} "
            "is still unfinished; ingesting the same source again is harmless."
        )
    return reply


def nothing_new(projects: Projects, project: str, order: Order, seconds: float) -> Reply:
    """The contract's answer where there was nothing to do."""
    return {
        "chunks_written": 0,
        "documents_processed": 0,
        "project": project,
        "dense_model": ", ".join(_models(projects, project)) or projects.default_model(),
        "sparse_model": SPARSE_MODEL,
        "duration_seconds": round(seconds, 3),
        "warnings": order.warnings[:MOST_WARNINGS],
        "status": "completed",
        "continues": order.later is not None,
        "job_id": None,
        "documents_removed": len(order.removed),
    }


def _models(projects: Projects, project: str) -> tuple[str, ...]:
    try:
        return projects.models(project)
    except ResearchError:
        return ()


def _cited(documents: Mapping[tuple[str, str], Any], files: list[Reply]) -> set[str]:
    """Paths of files whose document has a citekey."""
    keyed = {source.locator for source in documents.values() if "citekey" in source.metadata}
    return {each["locator"] for each in files if each["locator"] in keyed}


def _troubles(files: list[Reply], matched: set[str]) -> list[str]:
    """What of the files is not as one would wish."""
    found: list[str] = []
    for each in files:
        name = Path(each["locator"]).name
        if each["outcome"] == "failed":
            found.append(f"Document '{name}' was not ingested: {each.get('reason')}")
            continue
        if each["outcome"] == "empty":
            found.append(f"Document '{name}' has no text")
        elif each["locator"] not in matched:
            found.append(f"Metadata not found for document '{name}'")
        found += [f"Document '{name}': {warning}" for warning in each.get("warnings", ())]
    return found


def _languages(options: Options) -> list[str]:
    from actors.adapters.scans import engines_for, unreadable_languages

    strange = unreadable_languages(options.ocr_languages)
    engines = engines_for(())
    # Without an engine, each page that is not covered is told by itself.
    if not strange or not engines:
        return []
    return [f"OCR ({', '.join(engines)}) does not read: {', '.join(strange)}"]
