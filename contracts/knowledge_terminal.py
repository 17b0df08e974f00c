"""How contract 03's answers look in a terminal."""

from collections.abc import Iterable
from textwrap import fill, indent
from typing import Any

from contracts.terminal import fields, pretty_table

Reply = dict[str, Any]

_COUNTS = ("added", "updated", "unchanged", "empty", "failed")
_TROUBLED = ("failed", "empty")
_EXCERPT = 400


def answer(reply: Reply) -> str:
    """Search results, best first."""
    parts = []
    for number, found in enumerate(reply["results"], 1):
        about, place = found["metadata"], found["place"]
        page = f", page {place['first_page']}" if place["first_page"] else ""
        path = f"  {found['header_path']}" if found["header_path"] else ""
        parts.append(
            f"{number}. {about['document_title'] or found['source_document']}{path}\n"
            f"   {found['relevance_score']:.2f} {found['relevance_label']}, {about['collection']}, "
            f"{place['locator']}{page}\n" + _excerpt(found["content"])
        )
    advice = reply["query_refinement"]
    if advice["status"] != "optimal" or not parts:
        parts.append(advice["message"])
        if advice["suggestions"]:
            parts.append("Try: " + ", ".join(advice["suggestions"]))
    return "\n\n".join(parts)


def _excerpt(text: str) -> str:
    words = " ".join(text.split())
    shown = words if len(words) <= _EXCERPT else f"{words[:_EXCERPT]}…"
    return indent(fill(shown, 96), "   ")


def collections(reply: Reply) -> str:
    """What became of an action on collections."""
    action = reply["action"]
    if action == "list":
        return collection_table(reply["collections"])
    about = reply["collection"]
    if action == "delete":
        return f"deleted {about['name']} ({reply['documents']} documents); restore brings it back"
    if action != "info":
        return f"{action}d {about['name']}"
    shown = {
        name: ", ".join(value) if isinstance(value, list) else value
        for name, value in about.items()
        if name not in {"holds", "left_off"}
    }
    rows = ((each["id"], each["title"], each["chunks"]) for each in about["holds"])
    parts = [fields(shown)]
    if about["holds"]:
        parts.append(pretty_table(["document", "title", "chunks"], rows))
    if about["left_off"]:
        parts.append(f"… and {about['left_off']} more")
    return "\n\n".join(parts)


def collection_table(listed: Iterable[Reply]) -> str:
    """Collections in rows."""
    rows = [
        (each["name"], each["type"], each["documents"], each["chunks"], ", ".join(each["projects"]))
        for each in listed
    ]
    headings = ["collection", "type", "documents", "chunks", "projects"]
    return pretty_table(headings, rows) if rows else "no collections yet"


def projects(reply: Reply) -> str:
    """What became of an action on projects."""
    shown = reply["projects"] if reply["action"] == "list" else [reply["project"]]
    rows = [
        (
            each["name"] + " *" * each["current"],
            ", ".join(each["collections"]),
            ", ".join(each["defaults"]),
        )
        for each in shown
    ]
    return pretty_table(["project", "collections", "defaults"], rows) if rows else "no projects yet"


def ingested(report: Reply) -> str:
    """What became of files; each that came to nothing by name."""
    said = ", ".join(f"{report[name]} {name}" for name in _COUNTS if report[name])
    head = (
        f"{report['collection']}: {said or 'nothing done yet'} "
        f"({report['done']}/{report['files']} files, {report['chunks']} chunks, {report['status']})"
    )
    rows = [
        (each["path"], each["outcome"], each["reason"] or "no text in it")
        for each in report["report"]
        if each["outcome"] in _TROUBLED
    ]
    return "\n".join([head, *([pretty_table(["file", "outcome", "why"], rows)] if rows else [])])


def overview(reply: Reply) -> str:
    """What the knowledge base holds, and what is on its way in."""
    running = [ingested(each) for each in reply["running"]]
    return "\n\n".join([collection_table(reply["collections"]), *running])


def evaluation(measured: Reply) -> str:
    """Every way of ranking on one set."""
    head = (
        f"{measured['documents']} documents, {measured['chunks']} chunks, "
        f"{measured['queries']} queries, ingested in {measured['ingest_s']} s "
        f"({measured['chunks_per_s']} chunks/s)"
    )
    names = ["mode", "ndcg_at_10", "recall_at_10", "mrr_at_10", "p50_ms", "p95_ms"]
    rows = ([each[name] for name in names] for each in measured["modes"])
    return f"{head}\n\n{pretty_table(names, rows)}"
