"""What contract 03's tools say to a person: Markdown, with everything that matters and nothing else."""

from collections.abc import Iterable
from typing import Any

from events.words import count

Reply = dict[str, Any]

_COUNTS = ("added", "updated", "unchanged", "empty", "failed")
_ROWS = 50


def answer(reply: Reply) -> str:
    """Search results, best first, each with where it stands."""
    found, advice = reply["results"], reply["query_refinement"]
    searched = ", ".join(reply["searched"]["collections"]) or "no collection"
    parts = [f"# {len(found)} result{'s' * (len(found) != 1)} in {searched}"]
    parts += [_result(number, each) for number, each in enumerate(found, 1)]
    words = {"optimal": "", "too_broad": "Too broad. ", "clarification_needed": "Unclear. "}
    if advice["status"] != "optimal" or not found:
        said = [f"**Query refinement:** {words[advice['status']]}{advice['message']}"]
        if advice["suggestions"]:
            said.append("Try: " + ", ".join(f"*{each}*" for each in advice["suggestions"]))
        parts.append("\n\n".join(said))
    return "\n\n".join(parts)


def _result(number: int, found: Reply) -> str:
    place, about = found["place"], found["metadata"]
    page = f", page {place['first_page']}" if place["first_page"] else ""
    path = f"{_line(found['header_path'])} · " if found["header_path"] else ""
    head = f"## {number}. {_line(about['document_title'] or found['source_document'])}"
    relevance = f"{found['relevance_label']} ({found['relevance_score']:.2f})"
    where = f"{relevance} · {path}`{found['source_document']}`{page} · {about['collection']}"
    heads = found.get("column_heads")
    columns = f"Columns:\n\n{quoted(heads)}\n\n" if heads else ""
    return f"{head}\n\n{where}\n\n{columns}{quoted(found['content'], about['content_type'])}"


def quoted(text: str, content_type: str = "prose") -> str:
    """A passage that cannot be mistaken for our own words."""
    if content_type == "code_block" and not text.lstrip().startswith(("```", "~~~")):
        fence = "```"
        while fence in text:
            fence += "`"
        return f"{fence}\n{text.strip()}\n{fence}"
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())


def collections(reply: Reply) -> str:
    """What became of an action on collections."""
    action = reply["action"]
    if action == "list":
        rows = (
            (
                each["name"],
                each["type"],
                each["documents"],
                each["chunks"],
                _names(each["projects"]),
            )
            for each in reply["collections"]
        )
        return _table("Collections", ("name", "type", "documents", "chunks", "projects"), rows)
    about = reply["collection"]
    if action == "delete":
        return (
            f"Deleted **{about['name']}** with {count(reply['documents'], 'document')}; no search "
            f"finds them any more.\n\nUndo: `{reply['undo']}`"
        )
    done = {"create": "Created", "restore": "Restored", "info": "Collection"}[action]
    lines = [f"# {done}: {about['name']}", _fields(about, skip=("name", "holds", "left_off"))]
    if about.get("holds"):
        held = ((each["title"], each["id"], each["chunks"]) for each in about["holds"][:_ROWS])
        lines.append(_table("Documents", ("title", "id", "chunks"), held, level=2))
    return "\n\n".join(lines)


def projects(reply: Reply) -> str:
    """What became of an action on projects."""
    shown = reply["projects"] if reply["action"] == "list" else [reply["project"]]
    rows = (
        (
            f"{each['name']}{' (current)' * each['current']}",
            _names(each["collections"]),
            _names(each["defaults"]),
        )
        for each in shown
    )
    return _table("Projects", ("name", "collections", "defaults"), rows)


def ingested(reply: Reply) -> str:
    """What became of files."""
    counts = ", ".join(f"{reply[name]} {name}" for name in _COUNTS if reply[name])
    parts = [
        f"# {reply['collection']}: {counts or 'nothing done yet'}",
        f"{reply['done']} of {count(reply['files'], 'file')}, {count(reply['chunks'], 'chunk')}, "
        f"status **{reply['status']}**, job `{reply['job_id']}`",
    ]
    if message := reply.get("message"):
        parts.append(message)
    rows = (
        (each["path"], each["outcome"], each["chunks"], each["reason"] or _coverage(each))
        for each in reply["report"][:_ROWS]
    )
    parts.append(_table("Files", ("file", "outcome", "chunks", ""), rows, level=2))
    left = len(reply["report"]) - _ROWS + reply["left_off"]
    if left > 0:
        parts.append(f"… and {left} more.")
    if gone := reply.get("gone"):
        lost = ((each["path"], each["document_id"]) for each in gone[:_ROWS])
        parts.append(_table("Gone, and still found", ("file", "id"), lost, level=2))
    return "\n\n".join(parts)


def _coverage(each: Reply) -> str:
    known = each.get("coverage", {})
    said = [f"{known['pages']} pages"] if known.get("pages") else []
    if known.get("empty_pages"):
        said.append(f"no text on {len(known['empty_pages'])}")
    return "; ".join((*said, *known.get("warnings", ())))


def _table(
    title: str, headings: Iterable[str], rows: Iterable[Iterable[Any]], level: int = 1
) -> str:
    heads = list(headings)
    lines = [f"| {' | '.join(map(_cell, row))} |" for row in rows]
    if not lines:
        return f"{'#' * level} {title}\n\nNone."
    rule = f"|{' --- |' * len(heads)}"
    return "\n".join([f"{'#' * level} {title}", "", f"| {' | '.join(heads)} |", rule, *lines])


def _fields(values: Reply, skip: tuple[str, ...] = ()) -> str:
    shown = {name: value for name, value in values.items() if name not in skip}
    return "\n".join(
        f"- {name.replace('_', ' ')}: {_line(_worded(value))}" for name, value in shown.items()
    )


def _worded(value: Any) -> str:
    if isinstance(value, list):
        return _names(value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {member}" for name, member in value.items())
    return "none" if value is None else str(value)


def _names(names: Iterable[str]) -> str:
    return ", ".join(names) or "–"


def _cell(value: Any) -> str:
    return _line(str(value)).replace("|", "\\|")


def _line(text: str) -> str:
    return " ".join(text.split())
