"""The page's view of researches: the list, one task, its researchers, its report and the evidence for it."""

from collections.abc import Callable
from typing import Any

from contracts.column_heads import ColumnHeads
from contracts.core import Core
from contracts.deep_research import calls as deep_research
from contracts.deep_research.refusals import QUERY_LENGTH, checked
from contracts.evidence.verifying import verify_research
from contracts.page.answers import Asked, Reply
from contracts.page.facts import bounded
from contracts.page.report import report_tree, report_words
from contracts.page.texts import window
from contracts.page.timeline import earlier, positions
from contracts.rendering import excerpt_links
from contracts.seen_letters import seen
from contracts.wording import action_of, record_of, status_word
from events.codec import Record
from events.errors import BadRequest, UnknownDocument
from events.tail import read_parts
from projections.spent import Spent

LISTED = 200
_AROUND = 1_200
"""Characters of a source that are shown on either side of an excerpt."""

_MOST_CITATIONS = 2_000


# -- lists and status -----------------------------------------------------------------------------


def listing(core: Core, asked: Asked) -> Reply:
    """Tasks, the newest first, and what everything cost today."""
    limit = asked.number("limit", 25, 1, LISTED)
    page = deep_research.listing(
        core, asked.text("status") or None, limit, asked.text("cursor") or None
    )
    if not page["success"]:
        raise BadRequest(page["message"], page["suggestion"])
    return page | {
        "spent_today_usd": round(Spent(core.views).paid_today(), 6),
        "daily_cap_usd": core.settings.daily_cap_usd,
        "can_research": bool(core.able()),
    }


def status(core: Core, task: str) -> Reply:
    """Where a task stands; says the same until something happens."""
    seen = core.pace.look(checked(task))
    now = seen.status
    return {
        "task_id": task,
        "status": status_word(now),
        "phase": now.phase,
        "ended": now.ended,
        "progress": seen.progress,
        "action": action_of(now),
        "minutes_left": None if seen.minutes_left is None else round(seen.minutes_left),
        "estimate_rests_on": seen.rests_on,
        "asked_at": now.asked_at,
        "started_at": now.started_at,
        "ended_at": now.ended_at,
        "cost_usd": round(now.cost_usd, 6),
        "tokens": {"input": now.tokens_in, "output": now.tokens_out},
        "steps": now.steps,
        "sources_read": now.sources_read,
        "calls": {
            "asked": now.calls_asked,
            "answered": now.calls_answered,
            "failed": now.calls_failed,
        },
        "restarts": now.restarts,
        "researcher": now.researcher,
        "researchers": len(now.researchers),
        "stop_requested": now.stop_requested,
        "failure": {"code": now.failure_code, "message": now.failure_message}
        if now.failure_code
        else None,
        "record": record_of(now),
    }


def task(core: Core, asked: Asked) -> Reply:
    """One task: what was asked, and where it stands."""
    name = checked(asked.path["task"])
    now = status(core, name)
    brief = core.catalogue.brief(name)
    return now | {
        "question": brief.question,
        "brief": bounded(brief.model_dump(mode="json", exclude={"question"})),
    }


def facts(core: Core, asked: Asked) -> Reply:
    """Facts of a task before those that are shown."""
    name = checked(asked.path["task"])
    before = positions(asked.text("before", most=8_000))
    return earlier(core, name, before, asked.number("limit", 200, 1, 500))


# -- researchers ----------------------------------------------------------------------------------

_COUNTED = {
    "step_taken": "steps",
    "source_read": "sources",
    "passage_quoted": "quotes",
    "gap_found": "gaps",
    "question_opened": "questions",
    "discovery_made": "leads",
    "call_asked": "calls",
    "call_failed": "failed_calls",
}


def researchers(core: Core, asked: Asked) -> Reply:
    """Who was sent out by whom, and what became of each, as a tree."""
    name = checked(asked.path["task"])
    core.views.status(name)
    root = _node(name, "task", core.catalogue.brief(name).question)
    nodes, waiting = {name: root}, [name]
    while waiting:
        stream = waiting.pop(0)
        for records, _ in read_parts(core.home.path(stream)):
            for record in records:
                waiting += _fold(nodes, nodes[stream], record)
    return {"tree": root, "researchers": len(nodes) - 1}


def _node(stream: str, kind: str, question: str) -> Reply:
    return {
        "name": stream.partition(".")[2] or "task",
        "kind": kind,
        "question": question[:600],
        "why": "",
        "state": "waiting",
        "doing": "",
        "cost_usd": 0.0,
        **dict.fromkeys(_COUNTED.values(), 0),
        "children": [],
    }


def _fold(nodes: dict[str, Reply], node: Reply, record: Record) -> list[str]:
    """Take one fact of a stream in; the streams that begin with it."""
    if node["state"] == "waiting":
        node["state"] = "working"
    if record.kind in _COUNTED:
        node[_COUNTED[record.kind]] += 1
    data = record.data
    match record.kind:
        case "step_taken":
            node["doing"] = str(data["decision"])[:300]
        case "call_answered" | "call_failed":
            node["cost_usd"] = round(node["cost_usd"] + float(data.get("cost_usd") or 0), 9)
        case "research_finished" | "task_concluded":
            node["state"] = "done"
        case "research_stopped" | "task_failed" | "task_cancelled":
            node["state"], node["doing"] = "stopped", str(data.get("message", ""))[:300]
        case "researcher_assigned" if data["researcher"] not in nodes and len(nodes) < LISTED:
            name, sent = data["researcher"], data.get("dispatch") or {}
            nodes[name] = _node(name, data["researcher_kind"], data["question"])
            nodes[name]["why"] = str(sent.get("reason", ""))[:300]
            # Whose findings led to it is nearer to it than the task that sent everybody out.
            nodes.get(str(sent.get("origin")), node)["children"].append(nodes[name])
            return [name]
        case _:
            pass
    return []


# -- results --------------------------------------------------------------------------------------

_EVIDENCE = ("gaps", "open_questions", "discovery_events", "sentences")


def result(core: Core, asked: Asked) -> Reply:
    """What an ended task found: its report as a tree that holds no markup, and its evidence."""
    name = checked(asked.path["task"])
    found = core.views.result(name)
    told = found.result
    heads = ColumnHeads(core.home.blobs)
    citations = [
        _citation(each) | heads.of_citation(each)
        for each in told.get("citations", [])[:_MOST_CITATIONS]
    ]
    tree, cut = report_tree(found.report, *excerpt_links(told, citations))
    return {
        "task_id": name,
        "partial": found.partial,
        "report": tree,
        "report_cut": cut,
        "words": report_words(found.report),
        "report_hash": found.status.report,
        "answer": str(told.get("answer", ""))[:20_000],
        "citations": citations,
        "confidence": told.get("confidence"),
        "confidence_factors": bounded(told.get("confidence_factors", {})),
        "cost_metadata": bounded(told.get("cost_metadata", {})),
        "wall_seconds": found.wall_seconds,
        **{each: bounded(told.get(each, [])) for each in _EVIDENCE},
        "grounding": bounded(told.get("grounding")),
        "sources": [
            {"url": each.url, "title": each.title, "content_hash": each.content_hash}
            for each in found.sources[:500]
        ],
    }


def markdown(core: Core, asked: Asked) -> Reply:
    """The report as it was written, to be taken elsewhere."""
    name = checked(asked.path["task"])
    return {"task_id": name, "markdown": seen(core.views.result(name).report)}


def _citation(citation: Reply) -> Reply:
    return {
        name: citation.get(name)
        for name in ("number", "title", "locator", "raw_excerpt", "confidence", "source")
    } | {name: citation.get(name) for name in ("content_hash", "text_hash", "start", "end")}


def verification(core: Core, asked: Asked) -> Reply:
    """Everything that a task cites, checked again just now against what is stored."""
    name = checked(asked.path["task"])
    core.views.status(name)
    return verify_research(core.home, name).model_dump(mode="json")


def passage(core: Core, asked: Asked) -> Reply:
    """A cited excerpt in its place in the stored text of its source."""
    name, number = checked(asked.path["task"]), asked.path["number"]
    cited = core.views.result(name).result.get("citations", [])
    # Compared as words: of a number that is too long to be one there is no citation either.
    citation = next((each for each in cited if str(each.get("number")) == number), None)
    if citation is None:
        raise UnknownDocument(f"[{number[:20]}]", name)
    text = core.home.blobs.get(citation["text_hash"]).decode("utf-8", "replace")
    place = window(text, citation["start"], citation["end"], _AROUND)
    return place | {"citation": _citation(citation)}


def costs(core: Core, asked: Asked) -> Reply:
    """What a task asked of the outside world, summed by model and operation."""
    name = checked(asked.path["task"])
    core.views.status(name)
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for call in core.views.calls(name):
        place = call.port, call.model or call.operation
        row = rows.setdefault(
            place,
            {"port": place[0], "model": place[1], "calls": 0, "failed": 0}
            | {"tokens_in": 0, "tokens_out": 0, "cost_usd": 0.0, "took_ms": 0.0},
        )
        row["calls"] += 1
        row["failed"] += call.outcome == "failed"
        row["tokens_in"] += call.input_tokens + call.cached_tokens
        row["tokens_out"] += call.output_tokens + call.thought_tokens
        row["cost_usd"] += call.cost_usd
        row["took_ms"] += call.took_ms
    ordered = sorted(rows.values(), key=lambda row: (-row["cost_usd"], -row["calls"]))
    return {"rows": ordered, "task_cap_usd": core.catalogue.brief(name).task_cap_usd}


# -- changes --------------------------------------------------------------------------------------


def start(core: Core, asked: Asked) -> Reply:
    """Accept a research; it goes on by itself."""
    query = asked.text("query").strip()
    least, most = QUERY_LENGTH
    if not least <= len(query) <= most:
        raise BadRequest(f"A question has {least} to {most} characters.", "Rephrase it.")
    key = asked.text("key", most=100) or None
    accepted, head = deep_research.accept(core, query, "page", key)
    return {"success": True, "task_id": accepted, "record": {"seq": head.seq, "head": head.hash}}


def cancel(core: Core, asked: Asked) -> Reply:
    """Ask for a task to be stopped; what it found by then is kept."""
    name = checked(asked.path["task"])
    core.views.status(name)
    core.cancel(name)
    return {"success": True} | status(core, name)


def estimate(core: Core, asked: Asked) -> Reply:
    """What a research would take and cost."""
    told = deep_research.estimate(core, asked.text("query"))
    if told.get("success") is False:
        raise BadRequest(told["message"], told["suggestion"])
    return told


Reads = Callable[[Core, Asked], Reply]
READS: dict[str, Reads] = {
    "/api/tasks": listing,
    "/api/tasks/{task}": task,
    "/api/tasks/{task}/facts": facts,
    "/api/tasks/{task}/researchers": researchers,
    "/api/tasks/{task}/result": result,
    "/api/tasks/{task}/markdown": markdown,
    "/api/tasks/{task}/verification": verification,
    "/api/tasks/{task}/citations/{number}": passage,
    "/api/tasks/{task}/costs": costs,
}
WRITES: dict[str, Reads] = {"/api/tasks": start, "/api/tasks/{task}/cancel": cancel}
