"""Contract 05: bringing papers into a project, each known by its citekey.

The work is an ingest job like any other. The call waits for it as long as the contract allows, and
what takes longer goes on by itself.
"""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio

from actors.ingesting.references import Bibliography
from actors.shelves import project_collection
from contracts.citations.asking import SPARSE_MODEL, EmbeddingMismatch, Projects
from contracts.citations.orders import Options, Order, order_from, read_options
from contracts.citations.preparing import Preparations
from contracts.job_reports import done_files, tally, until_done
from contracts.settings import BUNDLED
from contracts.waiting import Progress
from events.catalogue import JobEntered
from events.codec import canonical, digest
from events.errors import ResearchError

Reply = dict[str, Any]

INGEST_WITHIN = 15.0
PATIENCE = 14.0
"""Seconds a call waits for its job, so that the answer is there within the contract's fifteen."""

PREPARED_WITHIN = 13.0
"""Seconds a call waits until it is known what there is to do; looking goes on after that, too."""

MOST_WARNINGS = 100


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
    until = began + PREPARED_WITHIN

    def accept() -> _Accepted:
        projects.collections(project)
        order = order_from(projects, project, source, chosen, roots, correlation_id, until)
        moving = _settle_model(projects, project, chosen, correlation_id)

        def enter(order: Order) -> str:
            anew = chosen.force_rebuild and moving is None
            return _enter(projects, project, order, correlation_id, anew=anew)

        job = enter(order) if order.documents else None
        order.entered([job] if job else [])
        if order.later is not None:
            threading.Thread(target=order.later, args=(enter,), daemon=True).start()
        return _Accepted(order, job, moving)

    def prepared() -> _Accepted | None:
        # Whoever may read other folders, or another library, waits for an order of their own.
        key = (projects.core.settings, project, source, chosen, roots)
        held = _BEING_PREPARED.begin(key, accept)
        return _BEING_PREPARED.take(key, held, until - time.monotonic())

    accepted = await anyio.to_thread.run_sync(prepared, abandon_on_cancel=True)
    if accepted is None:
        took = time.monotonic() - began
        return await anyio.to_thread.run_sync(still_preparing, projects, project, took)
    with anyio.move_on_after(max(PATIENCE - (time.monotonic() - began), 0.1)):
        if accepted.job is not None:
            await until_done(projects.core, accepted.job, progress)
        if accepted.moving is not None:
            # It works on files of other projects, too, and these are not told.
            await until_done(projects.core, accepted.moving, None)

    def report() -> Reply:
        took = time.monotonic() - began
        made = (
            nothing_new(projects, project, accepted.order, took)
            if accepted.job is None
            else report_of(projects, project, accepted.job, accepted.order, chosen, took)
        )
        return made | _moved(projects, project, accepted.moving, made)

    return await anyio.to_thread.run_sync(report)


@dataclass(frozen=True)
class _Accepted:
    """What came of an order."""

    order: Order
    job: str | None
    """Brings its documents in, if there are any."""

    moving: str | None
    """Embeds the whole corpus with another model, if that is wanted."""


_BEING_PREPARED: Preparations[_Accepted] = Preparations()


# -- the job ---------------------------------------------------------------------------------------


def _settle_model(
    projects: Projects, project: str, options: Options, correlation_id: str
) -> str | None:
    """The job that moves the corpus to the model that is set, where that is another one.

    All of it moves, because one question may be asked of several collections, and there is one
    model that it can be compared by. With the model that it has, a project is rebuilt by itself.
    """
    core = projects.core
    state, wanted = core.catalogue.state(), projects.model_set()
    moving = state.last_move
    if wanted is None or (wanted == state.embedder and (not moving or moving.embedder == wanted)):
        return None
    if state.published and not options.force_rebuild:
        other = moving.embedder if moving and wanted == state.embedder else state.embedder
        raise EmbeddingMismatch(project, other or BUNDLED, wanted or BUNDLED)
    core.home.prepare()
    job = core.catalogue.move_to(wanted, cause=correlation_id)
    return job if state.published else None


def _enter(
    projects: Projects, project: str, order: Order, correlation_id: str, *, anew: bool
) -> str:
    core = projects.core
    core.home.prepare()
    collection = project_collection(core.catalogue, project, cause=correlation_id)
    packed = Bibliography(order.references).packed_list() if order.references else None
    job = _under_way(projects, collection, order, packed, anew=anew)
    if job is None:
        job, _ = core.catalogue.enter_job(
            collection, order.documents, cause=correlation_id, references=packed, anew=anew
        )
    core.wake_engine()
    return job


def _under_way(
    projects: Projects, collection: str, order: Order, packed: bytes | None, *, anew: bool
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
            and job.anew == anew
            and job.manifest.hash == manifest
            and (job.references.hash if job.references else None) == references
        ):
            return name
    return None


def _moved(projects: Projects, project: str, moving: str | None, made: Reply) -> Reply:
    """What the answer says of a corpus that moves to another model, over what it says anyway."""
    if moving is None:
        return {}
    core = projects.core
    seen = core.views.job(moving)
    own = {source.document for source in projects.documents(project).values()}
    chunks = sum(
        each.get("chunks", 0) for each in done_files(core, moving) if each.get("document") in own
    )
    return {
        "chunks_written": made["chunks_written"] + chunks,
        "continues": made["continues"] or not seen.ended,
        "rebuild": {"job_id": moving, "scope": "corpus", "status": seen.phase},
    }


def report_of(
    projects: Projects, project: str, job: str, order: Order, options: Options, seconds: float
) -> Reply:
    """The contract's answer, with what it says of a job that goes on."""
    core = projects.core
    seen = core.views.job(job)
    files = done_files(core, job)
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
        "documents": tally(seen),
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


def still_preparing(projects: Projects, project: str, seconds: float) -> Reply:
    """The contract's answer where it is not known yet what there is to do."""
    return nothing_new(projects, project, Order([]), seconds) | {
        "status": "pending",
        "continues": True,
        "message": (
            f"The source is being prepared for longer than {seconds:.0f} seconds. This goes on by "
            "itself as long as the server runs, and becomes a job. Ask again with the same "
            "arguments: the answer then has the job, or says what is wrong."
        ),
    }


def nothing_new(projects: Projects, project: str, order: Order, seconds: float) -> Reply:
    """The contract's answer where there was nothing to do, or nothing yet."""
    reply: Reply = {
        "chunks_written": 0,
        "documents_processed": 0,
        "project": project,
        "dense_model": ", ".join(_models(projects, project)) or projects.default_model(),
        "sparse_model": SPARSE_MODEL,
        "duration_seconds": round(seconds, 3),
        "warnings": order.warnings[:MOST_WARNINGS],
        "status": "running" if order.later else "completed",
        "continues": order.later is not None,
        "job_id": None,
        "documents_removed": len(order.removed),
    }
    if order.later:
        reply["message"] = (
            "Files are being fetched from Zotero, and come in by themselves as long as the server "
            "runs. Ask again with the same arguments: what is there by then is not fetched twice."
        )
    return reply


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
