"""How contract 03's answers look in a terminal."""

from collections.abc import Iterable
from shlex import quote
from typing import Any

from contracts.commands.terminal import columns, fields, folded, hanging, harmless, pretty_table
from events.words import count
from language.borders import cut_before

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
        title, path = about["document_title"] or found["source_document"], found["header_path"]
        if path:
            # Most documents begin with their title as a heading.
            title = path if path.partition(" > ")[0] == title else f"{title}  {path}"
        relevance = f"{found['relevance_score']:.2f} {found['relevance_label']}"
        where = harmless(f"{about['collection']}, {place['locator']}{page}")
        lines = (
            hanging(f"{number}. ", 3, title),
            folded(f"   {relevance}, {where}", indent=3),
            *columns(found, "   "),
            hanging("   ", 3, _excerpt(found["content"])),
        )
        parts.append("\n".join(lines))
    advice = reply["query_refinement"]
    if advice["status"] != "optimal" or not parts:
        parts.append(hanging("", 0, advice["message"]))
        if advice["suggestions"]:
            parts.append(hanging("Try: ", 5, ", ".join(advice["suggestions"])))
    return "\n\n".join(parts)


def _excerpt(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _EXCERPT else f"{words[: cut_before(words, 0, _EXCERPT)]} …"


def collections(reply: Reply) -> str:
    """What became of an action on collections."""
    action = reply["action"]
    if action == "list":
        return collection_table(reply["collections"])
    about = reply["collection"]
    if action == "delete":
        gone = f"deleted {about['name']} ({count(reply['documents'], 'document')})"
        return f"{gone}; research-agent collections restore {quote(about['name'])} brings it back"
    if action != "info":
        return f"{action}d {about['name']}"
    shown = {
        name: ", ".join(value) if isinstance(value, list) else value
        for name, value in about.items()
        if name not in {"holds", "left_off"}
    }
    parts = [fields(shown), *map(_document, about["holds"])]
    if about["left_off"]:
        parts.append(f"… and {about['left_off']} more")
    return "\n\n".join(parts)


def _document(held: Reply) -> str:
    """A document; nothing of its id and place is cut, because commands take them."""
    chunks = count(held["chunks"], "chunk")
    title = f"{held['title'] or 'untitled'} ({chunks})"
    return f"{hanging(held['id'] + '  ', 4, title)}\n    {held['source']}"


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
    if reply["action"] == "create" and not reply["project"]["collections"]:
        name = reply["project"]["name"]
        return (
            f"created {name}; give it collections with "
            f"research-agent projects link {name} --collections A,B"
        )
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
        f"({report['done']}/{count(report['files'], 'file')}, "
        f"{count(report['chunks'], 'chunk')}, {report['status']})"
    )
    failure = report.get("failure")
    why = [hanging("", 0, failure["message"])] if failure and failure["message"] else []
    if report["status"] == "success" and (message := report.get("message")):
        why.append(hanging("", 0, message))
    gone = [harmless(f"gone: {each['path']}") for each in report.get("gone", [])]
    return "\n".join([head, *why, *_troubled(report), *gone])


def _troubled(report: Reply) -> list[str]:
    rows = [
        (each["path"], each["outcome"], each["reason"] or "no text in it")
        for each in report["report"]
        if each["outcome"] in _TROUBLED
    ]
    return [pretty_table(["file", "outcome", "why"], rows)] if rows else []


def reindexed(report: Reply) -> str:
    """What a reindexing came to."""
    documents = count(report["files"], "document")
    if report["status"] != "success":
        why = f"; {failure['message']}" if (failure := report.get("failure")) else ""
        return f"reindexing {report['status']}: {report['done']} of {documents} done{why}"
    said: list[str] = []
    if anew := report["read_anew"]:
        same = (
            f", {report['unchanged']} of them with the same outcome" if report["unchanged"] else ""
        )
        said.append(f"{count(anew, 'document')} read anew by newer readers{same}.")
    if report["updated"]:
        chunks = count(report["chunks"], "chunk")
        said.append(f"{count(report['updated'], 'document')} reindexed, {chunks}.")
    if kept := report["failed"] + report["empty"]:
        as_it_is = "stays as it is" if kept == 1 else "stay as they are"
        said += [f"{count(kept, 'document')} {as_it_is}:", *_troubled(report)]
    if report["overtaken"] and not report["switched"]:
        said.append("Searches answer from another model: a later reindexing was done first.")
    if said:
        return "\n".join(said)
    are = "is" if report["files"] == 1 else "are"
    then = "searches now use this index" if report["switched"] else "nothing to do"
    return f"{documents} {are} up to date; {then}."


def job(report: Reply) -> str:
    """Where any job stands."""
    named = str(report["job_id"])
    return reindexed(report) if named.startswith("reindex-") else ingested(report)


def overview(reply: Reply) -> str:
    """What the knowledge base holds, and what is on its way in."""
    running = [job(each) for each in reply["running"]]
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
