"""What a fact says, in one line for a person.

Whatever a page, a model or a caller wrote into a fact is only ever shown: nothing in it can steer a terminal.
"""

import unicodedata
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from events.codec import Record

LINE = 200
"""Characters that a sentence may have."""

_LINE_ENDS = {"Zl", "Zp"}
_ENDS = (".", "?", "!", "。", "\uff1f")

Data = dict[str, Any]


def plain(text: str, most: int = LINE) -> str:
    """A text on one line, without anything that is not seen when it is printed."""
    # What is cut off anyway need not be looked at, however long it is.
    seen = (letter if is_seen(letter) else " " for letter in text[: 4 * most])
    line = " ".join("".join(seen).split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def is_seen(letter: str) -> bool:
    """Whether a character is seen when it is printed, and does nothing else."""
    kind = unicodedata.category(letter)
    return kind[0] != "C" and kind not in _LINE_ENDS


def count(number: int, one: str, many: str | None = None) -> str:
    """A number of things."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def says_something(text: str) -> bool:
    """Whether there is anything to be seen in a text but blanks."""
    return any(is_seen(letter) and not letter.isspace() for letter in text)


def sentence(record: "Record", source: str | None = None) -> str:
    """What happened, and in which source where that is known. A kind that is not known here is called by its name."""
    data = record.data
    if record.kind == "stream_claimed" and record.seq == 1:
        return plain(f"Begun by {data.get('writer')} on {data.get('host')}")
    if record.kind == "passage_quoted" and source:
        return plain(f"Quoted [{data.get('citation')}] from {source}")
    return told(record.kind, data)


def told(kind: str, data: Data) -> str:
    """The same, of a fact as it is stored."""
    say = _SAYING.get(kind)
    try:
        said = plain(str(say(data))) if say else ""
    except (KeyError, TypeError, IndexError, ValueError, AttributeError):
        # An older or newer version may have recorded it with other fields.
        said = ""
    return said or plain(kind.replace("_", " "))


def is_step(kind: str) -> bool:
    """Whether a fact says what is being done now."""
    return kind in _STEPS


def step_of(record: "Record") -> str:
    """What is being done now, with its number where it has one."""
    data = record.data
    if record.kind != "step_taken":
        return sentence(record)
    of = f" of {data['of']}" if data.get("of") else ""
    return plain(f"step {data.get('step')}{of}: {data.get('decision')}")


_ASKING = {
    "corpus search": "Searching the documents",
    "corpus likeness": "Comparing sentences with the question",
    "corpus likenesses": "Comparing sentences with their sources",
    "fetch page": "Fetching a page",
    "parse files": "Reading files",
    "embed chunks": "Embedding chunks",
}
"""What is asked most, in words; the rest by its name."""

_ANSWERED = {
    "corpus search": "The documents were searched",
    "corpus likeness": "The sentences were compared",
    "corpus likenesses": "The sentences were compared with their sources",
    "fetch page": "The page arrived",
    "parse files": "The files were read",
    "embed chunks": "The chunks were embedded",
}


def _asked(data: Data) -> str:
    port, operation = data["port"], data["operation"]
    said = _ASKING.get(f"{port} {operation}") or f"Asking {port} to {operation}"
    return said + (f", attempt {data['attempt']}" if data.get("attempt", 1) > 1 else "")


def _answered(data: Data) -> str:
    call = _call(data)
    said = _ANSWERED.get(call)
    return f"{said} ({_cost(data)})" if said else f"{call} answered in {_cost(data)}"


def _call(data: Data) -> str:
    """Which part of the world was asked what."""
    return str(data["call"]).partition(":")[0].replace(".", " ", 1)


def _cost(data: Data) -> str:
    usage = data.get("usage") or {}
    tokens = sum(
        usage.get(f"{kind}_tokens", 0) for kind in ("input", "cached", "output", "thought")
    )
    parts = [f"{data.get('took_ms', 0.0):.0f} ms"]
    parts += [f"{tokens} tokens"] if tokens else []
    parts += [f"${data['cost_usd']:.4f}"] if data.get("cost_usd") else []
    return ", ".join(parts)


def _failed_call(data: Data) -> str:
    again = "" if data.get("final") else "; it will be asked again"
    return f"{_call(data)} failed ({data['code']}): {data['message']}{again}"


def _search(data: Data) -> str:
    if data.get("queries"):
        return "Searching: " + "; ".join(data["queries"])
    return "Reading " + ", ".join(data.get("urls") or ["the web"])


def _short(stream: str) -> str:
    return stream.rpartition(".")[2]


def _assigned(data: Data) -> str:
    who = f"Sent researcher {_short(data['researcher'])} ({data['researcher_kind']})"
    if not data.get("dispatch"):
        return who  # After the task's own question, which was told when it was accepted.
    return f"{who}: {data['question']} ({data['dispatch']['reason']})"


def _reported(data: Data) -> str:
    how = f"failed ({data['failure']}): {data.get('message')}" if data.get("failure") else "is done"
    return f"Researcher {_short(data['researcher'])} {how}"


def _file_done(data: Data) -> str:
    why = f" ({data['code']}): {data.get('reason')}" if data.get("code") else ""
    chunks = f", {count(data['chunks'], 'chunk')}" if data.get("chunks") else ""
    return f"{data['outcome'].capitalize()} {data['locator']}{chunks}{why}"


def _finished(data: Data) -> str:
    kinds = ("added", "updated", "unchanged", "empty", "failed")
    counts = [f"{data[kind]} {kind}" for kind in kinds if data.get(kind)]
    return "Ingest finished: " + (", ".join(counts) or "nothing to do")


def _citation(data: Data) -> str:
    number = f" as [{data['citation']}]" if data.get("citation") is not None else ""
    return f"Citation {data['outcome']}{number}: {data['locator']} ({data['reason']})"


def _discovery(data: Data) -> str:
    where = f", {data['source_locator']}" if data.get("source_locator") else ""
    kind = data["type"].replace("_", " ")
    query = data["query"].rstrip()
    return f"Discovery ({kind}{where}): {query}{' ' if query.endswith(_ENDS) else ': '}{data['reason']}"


def _gap(data: Data) -> str:
    if data["category"] == "contradictory_sources":
        return f"Contradiction, {data['topic']}: {data['detail']}"
    return f"Gap, {data['topic']} ({data['category']}): {data['detail']}"


def _weighed(data: Data) -> str:
    claimed = data.get("claimed")
    beside = f", the model itself says {claimed:.2f}" if claimed is not None else ""
    return f"Confidence {data['computed']:.2f}{beside}"


_STEPS: dict[str, Callable[[Data], str]] = {
    "step_taken": lambda data: data["decision"],
    "thought_summarised": lambda data: data["text"],
    "search_made": _search,
    "page_kept": lambda data: f"Reading {data['final_url']}",
    "sentence_checked": lambda data: (
        f"Checking ({data['outcome'].replace('_', ' ')}): {data['sentence']}"
    ),
    "keys_awaited": lambda data: (
        f"Waiting for a key ({' or '.join(data['names'])}): connect a client that has one"
    ),
    "keys_arrived": lambda data: f"Going on with {data['provider']}",
    "provider_awaited": lambda data: f"Waiting for {data['provider']}: {data['message']}",
    "provider_answered": lambda data: f"Going on with {data['provider']}",
    "researcher_assigned": _assigned,
    "researcher_reported": _reported,
    "stop_requested": lambda data: f"Told to stop ({data['reason']})",
    "file_read": lambda data: f"Reading {data['locator']}",
    "chunks_embedded": lambda data: (
        f"Embedded {data['done']} of {data['of']} chunks, {data['locator']}"
    ),
}

_SAYING: dict[str, Callable[[Data], str]] = _STEPS | {
    "stream_claimed": lambda data: f"Taken up by {data['writer']} on {data['host']}",
    "tail_cut": lambda data: f"Cut off {data['length']} bytes of an unfinished write",
    "task_accepted": lambda data: f"Accepted: {data['brief']['question']}",
    "assignment_taken": lambda data: (
        f"Works on it as {data['researcher_kind']} researcher: {data['question']}"
    ),
    "call_asked": _asked,
    "call_answered": _answered,
    "call_failed": _failed_call,
    "answer_carried": lambda data: f"{_call(data)} was answered to the task before this one",
    "claims_compared": lambda data: (
        f"Compared {count(data['compared'], 'sentence')} by their meaning"
    ),
    "lead_left": lambda data: f"Left aside ({data['reason']}): {data['question']}",
    "source_read": lambda data: f"Read {data['title'] or data['url']}",
    "passage_quoted": lambda data: f"Quoted [{data['citation']}] from {data['content_hash'][:19]}…",
    "citation_checked": _citation,
    "confidence_weighed": _weighed,
    "gap_found": _gap,
    "discovery_made": _discovery,
    "question_opened": lambda data: f"Open question ({data['priority']}): {data['question']}",
    "job_created": lambda data: f"{data['provider']} took it on as {data['interaction']}",
    "job_polled": lambda data: f"The provider says: {data['status']}",
    "research_finished": lambda data: "Done",
    "research_stopped": lambda data: f"Stopped ({data['code']}): {data['message']}",
    "task_concluded": lambda data: "Research complete",
    "task_cancelled": lambda data: "Research cancelled",
    "task_failed": lambda data: f"Research failed ({data['code']}): {data['message']}",
    "ingest_accepted": lambda data: (
        f"Accepted {count(data['files'], 'file')} for {data['collection']}"
    ),
    "file_done": _file_done,
    "ingest_finished": _finished,
    "ingest_stopped": lambda data: " ".join(
        str(part) for part in ("Ingest stopped:", data["reason"], data.get("message")) if part
    ),
    "website_processing_completed": lambda data: f"Page {data['outcome']}: {data['url']}",
    "website_processing_failed": lambda data: f"Page failed: {data['url']}: {data['error']}",
}

ENDINGS = {
    "research_finished": "completed",
    "research_stopped": "stopped",
    "task_concluded": "completed",
    "task_cancelled": "cancelled",
    "task_failed": "failed",
    "ingest_finished": "completed",
    "ingest_stopped": "stopped",
}
"""The last fact of a stream, and how it ended by that."""
