"""Contract 05: bringing papers into a project, each known by its citekey.

The work is an ingest job like any other. The call waits for it as long as the contract allows, and
what takes longer goes on by itself.
"""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio

from actors.references import Bibliography, Reference
from actors.shelves import project_collection
from contracts.allowed_paths import check_allowed, shortened
from contracts.citations import SPARSE_MODEL, EmbeddingMismatch, Projects
from contracts.core import list_files
from contracts.deep_research import Progress
from contracts.settings import Settings
from events.catalogue import Entry
from events.errors import BadRequest, PathRefused, ResearchError, Unreadable

Reply = dict[str, Any]

INGEST_WITHIN = 15.0
PATIENCE = 14.0
"""Seconds a call waits for its job, so that the answer is there within the contract's fifteen."""

MOST_WARNINGS = 100
OPTIONS = (
    *("ocr_languages", "references_path", "force_rebuild"),
    *("zotero_collection", "zotero_tags", "zotero_library"),
)
ZOTERO = "zotero"
DEFAULT_OCR_LANGUAGES = ("en", "de")

_GLANCE = 0.05
_LISTS = (".bib", ".ris", ".csljson")
_LIST_NAMES = frozenset({"references.json", "bibliography.json", "library.json"})


@dataclass
class Order:
    """What is to be ingested, and what is known of it before anybody looks."""

    documents: list[str | Entry]
    references: list[Reference] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    later: "Callable[[Callable[[Order], str]], None] | None" = None
    """Brings in the rest, where not all of it could be had in time."""


@dataclass(frozen=True)
class Options:
    """What a caller may set."""

    ocr_languages: tuple[str, ...] = DEFAULT_OCR_LANGUAGES
    references_path: str | None = None
    force_rebuild: bool = False
    zotero_collection: str | None = None
    zotero_tags: tuple[str, ...] = ()
    zotero_library: str | None = None


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
        order = _order(projects, project, source, chosen, roots)
        _settle_model(projects, project, chosen, correlation_id)

        def enter(order: Order) -> str:
            return _enter(projects, project, order, correlation_id)

        job = enter(order) if order.documents else None
        if order.later is not None:
            threading.Thread(target=order.later, args=(enter,), daemon=True).start()
        return job, order

    job, order = await anyio.to_thread.run_sync(accept)
    if job is None:
        return nothing_new(projects, project, order, time.monotonic() - began)
    with anyio.move_on_after(max(PATIENCE - (time.monotonic() - began), 0.1)):
        await _until_done(projects, job, progress)

    def report() -> Reply:
        return report_of(projects, project, job, order, chosen, time.monotonic() - began)

    return await anyio.to_thread.run_sync(report)


def read_options(given: Mapping[str, Any] | None) -> Options:
    """Understand a caller's options."""
    said = dict(given or {})
    if strange := sorted(set(map(str, said)) - set(OPTIONS)):
        raise BadRequest(
            f"There is no option {shortened(strange[0], 60)!r}.", f"Use {', '.join(OPTIONS)}."
        )
    path, rebuild = said.get("references_path"), said.get("force_rebuild", False)
    if not isinstance(path, str | None):
        raise BadRequest("references_path is no path.", "Give a path as text.")
    if not isinstance(rebuild, bool):
        raise BadRequest("force_rebuild is neither true nor false.", "Give one of them.")
    return Options(
        ocr_languages=_names(said, "ocr_languages") or DEFAULT_OCR_LANGUAGES,
        references_path=path or None,
        force_rebuild=rebuild,
        zotero_collection=next(iter(_names(said, "zotero_collection")), None),
        zotero_tags=_names(said, "zotero_tags"),
        zotero_library=next(iter(_names(said, "zotero_library")), None),
    )


def _names(said: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = said.get(name) or ()
    listed = (value,) if isinstance(value, str) else value
    if not isinstance(listed, list | tuple) or not all(isinstance(each, str) for each in listed):
        raise BadRequest(f"{name} is {shortened(str(value), 60)!r}.", "Give a list of texts.")
    return tuple(dict.fromkeys(each.strip() for each in listed[:100] if each.strip()))


# -- what to ingest --------------------------------------------------------------------------------


def _order(
    projects: Projects,
    project: str,
    source: str,
    options: Options,
    roots: tuple[Path, ...] | None,
) -> Order:
    kind, _, query = source.strip().partition("?")
    if kind.casefold() == ZOTERO:
        from contracts.citations_zotero import order_from_zotero

        return order_from_zotero(projects, project, query, options)
    place = check_allowed(source, roots) if roots is not None else Path(source)
    files = list_files(place, recursive=True)
    beside = place if place.is_dir() else place.parent
    lists = _reference_lists(beside, files, options, roots)
    used = set(lists)
    order = Order([_locator(file) for file in files if file not in used])
    for path in lists:
        _read_list(path, order, asked_for=options.references_path is not None)
    if not order.documents:
        raise PathRefused(shortened(source), "there are no documents in it")
    return order


def _reference_lists(
    beside: Path, files: list[Path], options: Options, roots: tuple[Path, ...] | None
) -> list[Path]:
    """The list that is named; else those that lie with the documents."""
    if options.references_path is not None:
        named = options.references_path
        path = check_allowed(named, roots) if roots is not None else Path(named).resolve()
        if not path.is_file():
            raise PathRefused(shortened(named), "there is no such file")
        return [path]
    there = set(files)
    if beside.is_dir():
        there |= {each for each in beside.iterdir() if each.is_file() and not each.is_symlink()}
    return sorted(path for path in there if is_list(path))


def is_list(path: Path) -> bool:
    """Whether a file is called like a list of references."""
    name = path.name.casefold()
    return name.endswith((*_LISTS, ".csl.json")) or name in _LIST_NAMES


def _read_list(path: Path, order: Order, *, asked_for: bool) -> None:
    from actors.adapters.references import LARGEST, read_references

    try:
        with path.open("rb") as file:
            found = read_references(path.name, file.read(LARGEST + 1))
    except (OSError, Unreadable) as refusal:
        if asked_for:
            raise (
                refusal
                if isinstance(refusal, Unreadable)
                else PathRefused(str(path), "it cannot be read")
            ) from None
        order.warnings.append(f"References of {path.name} were not read: {refusal}"[:300])
        return
    known = {each.citekey for each in order.references}
    order.references += [each for each in found.references if each.citekey not in known]
    order.warnings += found.warnings


def _locator(file: Path) -> str:
    # A name that is not text cannot be recorded as it is; the job will say it is not there.
    return str(file).encode(errors="backslashreplace").decode()


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
    job, _ = core.catalogue.enter_job(
        collection, order.documents, cause=correlation_id, references=packed
    )
    core.wake_engine()
    return job


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
    from actors.adapters.ocr import engine_name, unreadable_languages

    strange = unreadable_languages(options.ocr_languages)
    if not strange:
        return []
    return [f"OCR ({engine_name()}) does not read: {', '.join(strange)}"]


def wants_roots(settings: Settings, source: str) -> bool:
    """Whether a client is to be asked which folders may be read."""
    return settings.roots is None and source.strip().partition("?")[0].casefold() != ZOTERO
