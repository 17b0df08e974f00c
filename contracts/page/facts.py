"""A fact of a trace as the page shows it: one line for a person, and the fact itself in bounded form."""

from collections.abc import Callable
from typing import Any

from events.codec import Record
from events.words import told

Data = dict[str, Any]
Words = tuple[str, str]
"""What happened, and the details of it."""

LONGEST = 2_000
"""Characters of a text within a fact."""

MOST = 40
"""Members of a list or object within a fact."""

_DEEPEST = 6

_GROUPS = {
    "task": ("task_accepted", "stop_requested", "assignment_taken", "job_created", "job_polled"),
    "step": ("step_taken", "thought_summarised", "search_made"),
    "source": ("source_read", "page_kept"),
    "quote": ("passage_quoted",),
    "check": ("sentence_checked", "citation_checked", "confidence_weighed", "claims_compared"),
    "call": ("call_asked", "call_answered", "answer_carried"),
    "trouble": ("call_failed", "keys_awaited", "provider_awaited", "research_stopped"),
    "gap": ("gap_found",),
    "lead": ("discovery_made", "question_opened", "lead_left"),
    "team": ("researcher_assigned", "researcher_reported", "research_finished"),
    "end": ("task_concluded", "task_cancelled", "task_failed"),
}
_GROUP_OF = {kind: group for group, kinds in _GROUPS.items() for kind in kinds}


def short_name(task: str, stream: str) -> str:
    """A stream of a task by the end of its name."""
    return "task" if stream == task else stream.removeprefix(f"{task}.")


def shown(task: str, record: Record) -> Data:
    """A fact in its place."""
    title, detail = _words(record.kind, record.data)
    return {
        "stream": short_name(task, record.stream),
        "seq": record.seq,
        "at": record.at,
        "kind": record.kind,
        "group": _GROUP_OF.get(record.kind, "upkeep"),
        "title": title[:LONGEST],
        "detail": detail[:LONGEST],
        "hash": record.hash,
        "data": bounded(record.data),
    }


def bounded(value: Any, depth: int = 0) -> Any:
    """A value of which everything long is cut."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST else f"{value[:LONGEST]} … ({len(value)} characters)"
    if isinstance(value, dict | list) and depth >= _DEEPEST:
        return "…"
    if isinstance(value, dict):
        kept = list(value.items())[:MOST]
        return {str(name)[:200]: bounded(member, depth + 1) for name, member in kept}
    if isinstance(value, list):
        return [bounded(member, depth + 1) for member in value[:MOST]]
    return value


def _words(kind: str, data: Data) -> Words:
    try:
        return _SAYS[kind](data) if kind in _SAYS else (told(kind, data), "")
    except (KeyError, TypeError, ValueError, AttributeError):
        # A later version may spell a fact otherwise; it is shown as it is.
        return told(kind, data), ""


def _step(data: Data) -> Words:
    place = f"{data['step']} of {data['of']}" if data.get("of") else str(data["step"])
    return str(data["decision"]), f"Step {place} · {data['action']}"


def _read(data: Data) -> Words:
    return f"Read {data.get('title') or data['url']}", f"{data['url']} · {data['decision']}"


def _asked(data: Data) -> Words:
    return told("call_asked", data), str(data["call"])


def _answered(data: Data) -> Words:
    usage = data.get("usage") or {}
    tokens = int(usage.get("input_tokens", 0)) + int(usage.get("output_tokens", 0))
    parts = [
        f"{float(data.get('took_ms') or 0):,.0f} ms",
        f"{tokens:,} tokens" if tokens else "",
        f"${float(data['cost_usd']):,.4f}" if data.get("cost_usd") else "",
    ]
    model = data.get("model")
    if not model:
        return told("call_answered", data), ""
    return f"{model} answered", " · ".join(filter(None, parts))


def _searched(data: Data) -> Words:
    looked = [*data.get("queries", ()), *data.get("urls", ())]
    return "Searched the web", " · ".join(map(str, looked[:10]))


def _reported(data: Data) -> Words:
    name = str(data["researcher"]).partition(".")[2]
    if data.get("failure"):
        return f"Researcher {name} stopped", f"{data['failure']} · {data.get('message') or ''}"
    return f"Researcher {name} reported", f"its record ends at {data['seq']} · {data['head']}"


def _weighed(data: Data) -> Words:
    claimed = data.get("claimed")
    said = "" if claimed is None else f"The model claims {float(claimed):.2f}"
    return f"Confidence {float(data['computed']):.2f} from the evidence", said


def _cited(data: Data) -> Words:
    number = "dropped" if data.get("citation") is None else f"[{data['citation']}]"
    return f"Citation {number}: {data['outcome']}", f"{data['claimed']} · {data['reason']}"


_SAYS: dict[str, Callable[[Data], Words]] = {
    "stream_claimed": lambda data: ("Work taken up", f"{data['writer']} · process {data['pid']}"),
    "task_accepted": lambda data: ("Task accepted", str(data["brief"]["question"])),
    "researcher_assigned": lambda data: (
        f"Researcher {str(data['researcher']).partition('.')[2]} sent out",
        f"{data['researcher_kind']} · {data['question']}",
    ),
    "researcher_reported": _reported,
    "stop_requested": lambda data: ("Stop requested", str(data["reason"])),
    "task_concluded": lambda data: ("Task concluded", str(data["report"]["hash"])),
    "task_cancelled": lambda data: ("Task cancelled", ""),
    "task_failed": lambda data: (f"Task failed: {data['code']}", str(data["message"])),
    "assignment_taken": lambda data: (
        "Assignment taken",
        f"{data['researcher_kind']} · {data['question']}",
    ),
    "step_taken": _step,
    "source_read": _read,
    "page_kept": lambda data: (f"Page kept: {data['url']}", str(data["media_type"])),
    "passage_quoted": lambda data: (
        f"Quoted [{data['citation']}]",
        f"characters {data['start']} to {data['end']} of {data['text_hash']}",
    ),
    "call_asked": _asked,
    "call_answered": _answered,
    "call_failed": lambda data: (
        f"Call failed: {data['code']}",
        f"{data['message']} · {'for good' if data['final'] else 'will be tried again'}",
    ),
    "keys_awaited": lambda data: (
        f"Waiting for a key of {data['provider']}",
        "any of " + ", ".join(data["names"]),
    ),
    "keys_arrived": lambda data: (f"The key of {data['provider']} is there", ""),
    "provider_awaited": lambda data: (f"Waiting for {data['provider']}", str(data["message"])),
    "provider_answered": lambda data: (f"{data['provider']} answers again", ""),
    "job_created": lambda data: (
        f"{data['provider']} took it on",
        f"{data['model']} · {data['interaction']}",
    ),
    "job_polled": lambda data: (f"Job is {data['status']}", str(data["interaction"])),
    "thought_summarised": lambda data: (str(data["text"]), "Thought"),
    "search_made": _searched,
    "sentence_checked": lambda data: (
        f"Sentence {str(data['outcome']).replace('_', ' ')}",
        str(data["sentence"]),
    ),
    "citation_checked": _cited,
    "confidence_weighed": _weighed,
    "gap_found": lambda data: (
        f"Gap: {data['topic']}",
        f"{str(data['category']).replace('_', ' ')} · {data['detail']}",
    ),
    "discovery_made": lambda data: (f"Lead: {data['query']}", str(data["reason"])),
    "question_opened": lambda data: (
        f"Open question: {data['question']}",
        f"{data['priority']} · {data['context']}",
    ),
    "research_finished": lambda data: ("Research finished", str(data["findings"]["hash"])),
    "research_stopped": lambda data: (f"Research stopped: {data['code']}", str(data["message"])),
}
