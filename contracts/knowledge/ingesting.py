"""Contract 03: bringing documents, texts and research reports into the knowledge base."""

import os
import re
from pathlib import Path
from typing import Any

import anyio

from actors.archive import SIZE_LIMIT
from actors.catalogue import DeletedThere
from actors.shelves import first_names, remove_document
from contracts.allowed_paths import check_allowed, is_one_line, shortened
from contracts.core import Core
from contracts.deep_research.refusals import checked
from contracts.job_reports import job_report, until_done
from contracts.knowledge.shelving import BadCollectionName, checked_name, known, named_collection
from contracts.knowledge.still_held import NOTHING_IN_IT, tell_what_stays
from contracts.waiting import Progress
from events.catalogue import Entry, SourcePublished
from events.codec import canonical, decode
from events.errors import (
    BadRequest,
    DamagedBlob,
    MissingBlob,
    TaskNotFinished,
    UnknownDocument,
    UnknownTask,
    Unreadable,
)
from events.stream import Head
from events.websites import COLLECTION as WEBSITES
from events.words import says_something
from projections.results import ResultView

Reply = dict[str, Any]

PATIENCE = 4.0
"""Seconds a call waits for a job; simple calls are to answer within five."""

LONGEST_SOURCE = 2_000
LONGEST_TITLE = 500

ADDED_BY = "augment_knowledge"
"""What the metadata of a text say of how it came in."""

_REPLACED = (
    "It took the place of the earlier text of this source and title, which stays citable. "
    "Give another title to keep both."
)

_HTML = re.compile(
    r"\s*(?:<!--.{0,2000}?-->\s*)?<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)


# -- files and folders -----------------------------------------------------------------------------


async def ingest(
    core: Core,
    path: str,
    collection: str,
    *,
    recursive: bool,
    progress: Progress,
    roots: tuple[Path, ...] | None = None,
) -> Reply:
    """Bring a file or folder in; answer with the job's id when it takes longer.

    Where roots are given, what lies outside of them is refused.
    """

    def accept() -> tuple[str, Path]:
        place = check_allowed(path, roots) if roots is not None else Path(path)
        job, _ = start_ingest(core, str(place), collection, recursive=recursive, roots=roots)
        return job, place

    job, place = await anyio.to_thread.run_sync(accept)
    report = await _wait(core, job, progress)

    def telling() -> Reply:
        return tell_what_stays(core, report, place, recursive=recursive)

    await anyio.to_thread.run_sync(telling)
    if place.is_file():
        refuse_if_nothing_came_of_it(report)
    return report


def start_ingest(
    core: Core,
    path: str,
    collection: str,
    *,
    recursive: bool,
    roots: tuple[Path, ...] | None = None,
) -> tuple[str, Head]:
    """Accept the job of bringing a file or folder in."""
    collection = expect_shelf(core, collection)
    return core.start_ingest(path, collection, recursive=recursive, roots=roots)


def refuse_if_nothing_came_of_it(report: Reply) -> None:
    """One document was given and none came in: that is a refusal, not a result."""
    for each in report["report"]:
        if each["outcome"] == "failed":
            raise NothingIngested(each["reason"], each["code"], _details(report))
        if each["outcome"] == "empty":
            raise NothingIngested(each["reason"] or NOTHING_IN_IT, "empty", _details(report))


def _details(report: Reply) -> str:
    """Where more is told of a job, and what else is to be known of its file."""
    return " ".join(
        filter(None, (f"job {report['job_id']} has the details.", report.get("message")))
    )


class NothingIngested(Unreadable):
    """The one document that was given did not come in: (why, code, where more is told)."""

    code = "not_ingested"
    says = "{0}"
    suggestion = (
        "Nothing was added ({1}). Convert it to Markdown or plain text, or check the path; {2}"
    )


# -- texts and reports -----------------------------------------------------------------------------


async def augment(
    core: Core,
    content: str,
    source: str,
    collection: str,
    *,
    title: str | None,
    task_id: str | None,
    progress: Progress,
) -> Reply:
    """Bring a text in, or the report of a finished research with its sources."""

    def accept() -> str:
        return start_augmenting(core, content, source, collection, title=title, task_id=task_id)

    job = await anyio.to_thread.run_sync(accept)
    report = await _wait(core, job, progress)
    refuse_if_nothing_came_of_it(report)
    return tell_what_was_replaced(report)


def tell_what_was_replaced(report: Reply) -> Reply:
    """The report on a text, with a word on the earlier one that it took the place of."""
    if report["updated"]:
        report["message"] = _REPLACED
    return report


def start_augmenting(
    core: Core,
    content: str,
    source: str,
    collection: str,
    *,
    title: str | None = None,
    task_id: str | None = None,
) -> str:
    """Accept the job of bringing a text in; its id."""
    collection = expect_shelf(core, collection)
    metadata = {"added_by": ADDED_BY}
    source = source.strip()
    # The address of a research's report is nobody else's: it is known by that, whatever its title.
    own = bool(task_id and not source)
    if task_id:
        found = _finished(core, task_id)
        source = source or f"research://tasks/{task_id}/report.md"
        title = title or " ".join(found.question.split())[:LONGEST_TITLE]
        content = "\n\n".join(part for part in (content.strip(), found.report) if part)
        metadata |= _report_metadata(task_id, found)
    entry = _entry(core, content, source, title, metadata)
    if not own:
        known_by = _identity(core, collection, source, entry.title)
        entry = entry.model_copy(update={"document": known_by})
    job, _ = core.catalogue.enter_job(
        collection,
        [entry],
        join=lambda _: _is_held(core, collection, entry),
        untold=tuple(core.untold),
    )
    core.wake_engine()
    return job


def _is_held(core: Core, collection: str, entry: Entry) -> bool:
    """Whether a text is what is held of its source and title by now."""
    from actors.ingesting.ingest_state import document_id

    place = collection, entry.document or document_id(entry.locator)
    held = core.catalogue.state().held(place)
    return bool(held and entry.content and held.source.version == entry.content.hash)


def _finished(core: Core, task_id: str) -> ResultView:
    task = checked(task_id)
    seen = core.views.status(task)
    if not seen.ended:
        raise TaskNotFinished(task, seen.progress)
    found = core.views.result(task)
    if not found.report.strip():
        raise BadRequest(
            f"The research {task} ended without a report.", "Add the report of another research."
        )
    return found


def _report_metadata(task: str, found: ResultView) -> dict[str, str]:
    """Where a report comes from: its question, its research, and each source that it cites."""
    cited = [
        {
            "number": each.get("number"),
            "title": each.get("title"),
            "locator": each["locator"],
            "content_hash": each["content_hash"],
            "text_hash": each.get("text_hash"),
            "start": each.get("start"),
            "end": each.get("end"),
        }
        for each in found.result.get("citations", [])
    ]
    return {
        "kind": "research_report",
        "task_id": task,
        "question": found.question,
        "sources": canonical(cited).decode(),
    }


def _entry(
    core: Core, content: str, source: str, title: str | None, metadata: dict[str, str]
) -> Entry:
    if not says_something(content):
        raise BadRequest("The content is empty.", "Give the text to be added.")
    if not source or len(source) > LONGEST_SOURCE or not is_one_line(source):
        raise BadRequest(
            f"The source {shortened(source, 80)!r} cannot be used.",
            f"Give a URL or a name of 1 to {LONGEST_SOURCE} printable letters.",
        )
    if title is not None and (len(title) > LONGEST_TITLE or not is_one_line(title)):
        raise BadRequest(
            "The title is too long or not printable.",
            f"Use at most {LONGEST_TITLE} printable letters in one line.",
        )
    try:
        raw = content.encode()
    except UnicodeEncodeError:
        raise BadRequest("The content is not valid text.", "Send it as UTF-8.") from None
    if len(raw) > SIZE_LIMIT:
        raise BadRequest(
            f"The content has {len(raw)} bytes.", f"Split it: at most {SIZE_LIMIT} are taken."
        )
    core.home.prepare()
    return Entry(
        locator=source,
        content=core.home.blobs.put(raw),
        name=_file_name(content, source),
        title=title.strip() if title and title.strip() else None,
        metadata=metadata,
    )


def _identity(core: Core, collection: str, source: str, title: str | None) -> str | None:
    """What a text is known by: its source and title; none for one that is known by its source alone.

    Those are from before titles counted, and stay what they are. A page or file keeps its place: what somebody
    says of it is another document, and must not pass for it.
    """
    from actors.ingesting.ingest_state import document_id, text_id

    held = core.catalogue.state().held((collection, document_id(source)))
    if held is None:
        return text_id(source, title)
    if held.source.metadata.get("added_by") != ADDED_BY:
        what = "page" if "://" in source else "file"
        raise BadRequest(
            f"{shortened(source)} is held in {shortened(collection)} as a {what}.",
            f"Give the text a source of its own, such as 'notes on {shortened(source, 80)}', or put "
            "it into another collection.",
        )
    return None if _given_title(core, held.source) == title else text_id(source, title)


def _given_title(core: Core, held: SourcePublished) -> str | None:
    """The title that a text came with, which is not the one that its reader found."""
    try:
        order = core.catalogue.job(held.job)
        told = decode(core.home.blobs.get(order.manifest.hash))
    except (UnknownTask, MissingBlob, DamagedBlob):
        return held.title  # Nobody knows any more.
    entries = (Entry.model_validate(each) for each in told if isinstance(each, dict))
    return next((each.title for each in entries if each.locator == held.locator), None)


def _file_name(content: str, source: str) -> str:
    """What the content would be called as a file: tells its kind, and its title if it has none."""
    last = source.partition("?")[0].rstrip("/").rpartition("/")[2] or source
    stem = "".join(letter if letter.isalnum() or letter in " -_" else "-" for letter in last[:80])
    return f"{stem.strip(' -') or 'text'}{'.html' if _HTML.match(content[:4096]) else '.md'}"


# -- removing --------------------------------------------------------------------------------------


def remove(core: Core, document: str, collection: str) -> Reply:
    """Take a document out of a collection, by its id or where it came from: a path may be relative, as when it came."""
    collection = named_collection(core, collection)
    known(core, [collection])
    # Not `Path.resolve`, which a link that leads to itself breaks.
    named = {document, os.path.realpath(document)}
    held = core.views.sources(collection)
    meant = [source for source in held if named & {source.document, source.locator}]
    if not meant:
        raise UnknownDocument(shortened(document), collection)
    if len(meant) > 1:
        ids = [f"{each.document} ({shortened(each.title, 60)})" for each in meant]
        raise BadRequest(
            f"{len(meant)} documents came from {shortened(document)}.",
            f"Name one by its id: {first_names(ids, '')}.",
        )
    [source] = meant
    remove_document(core.catalogue, collection, source.document)
    return {
        "status": "success",
        "removed": source.document,
        "source": source.locator,
        "collection": collection,
    }


# -- waiting ---------------------------------------------------------------------------------------


async def _wait(core: Core, job: str, progress: Progress) -> Reply:
    with anyio.move_on_after(PATIENCE):
        await until_done(core, job, progress)
    report = await anyio.to_thread.run_sync(job_report, core, job)
    # Its message says that the same call tells what became of it: then it must not be another job.
    goes_on = report["status"] in {"pending", "running"}
    (core.untold.add if goes_on else core.untold.discard)(job)
    return report


def expect_shelf(core: Core, name: str) -> str:
    """The collection that a name means; refused if no text or file can be added to it."""
    collection = expect_open(core, name)
    if collection == WEBSITES:
        raise BadCollectionName(
            f"The collection {WEBSITES} holds pages that were fetched, and nothing else.",
            "Use another collection, or fetch a page with rag_process_website.",
        )
    return collection


def expect_open(core: Core, name: str) -> str:
    """The collection that a name means; refused if nothing can be added to it."""
    collection = named_collection(core, name)
    checked_name(collection)
    if collection in core.catalogue.state().deleted:
        raise DeletedThere("a deleted collection", collection)
    return collection
