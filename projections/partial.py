"""What a task that was stopped early leaves behind, put together from what its researchers noted.

A researcher that is cut off reports no findings, but each passage it quoted, each gap and each open question
was recorded when it was found. They make a partial result in the shape of a whole one.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

from events.blobs import BlobStore
from events.errors import RecordError
from projections.evidence import Discovery, EvidenceRow, Gap, Question, Quote, Read
from projections.status import TaskStatus

MODEL = "none: stopped before an answer was composed"
LARGEST_TEXT = 512 << 20
"""Bytes beyond which a quoted text is not unpacked: no parser writes one like that."""

EXCERPT_LIMIT = 500
QUOTES_KEPT = 200
"""So many passages a partial result carries at the most."""

_SNIPPET = 200
_UNASSESSED = 0.5
"""Trust in a source that nobody has assessed yet: neither for nor against it."""

Row = TypeVar("Row")


def partial_result(
    status: TaskStatus, question: str, rows: Sequence[EvidenceRow], blobs: BlobStore
) -> tuple[dict[str, Any], str] | None:
    """Result and report of what was noted; nothing, when nothing was quoted."""
    citations = _citations(rows, blobs)
    if not citations:
        return None
    gaps = [
        {"topic": gap.topic, "category": gap.category, "detail": gap.detail}
        for gap in _only(Gap, rows)
    ]
    sources = {citation["text_hash"] for citation in citations}
    result = {
        "question": question,
        "answer": "Stopped before an answer was composed. The passages quoted by then are cited.",
        "citations": citations,
        "gaps": gaps,
        "discovery_events": [_members(each) for each in _only(Discovery, rows)],
        "open_questions": [_members(each) for each in _only(Question, rows)],
        "confidence": 0.05,
        "confidence_factors": {
            "num_corroborating_sources": len(sources),
            "source_authority": "low",
            "contradiction_detected": False,
            "query_specificity_match": 0.0,
            "budget_exhausted": True,
            "recency": None,
        },
        "cost_metadata": {
            "tokens_used": status.tokens_in + status.tokens_out,
            "iterations_run": status.steps,
            "budget_exhausted": True,
            "model_id": MODEL,
        },
        "sentences": [],
        "trace_id": status.task,
    }
    return result, _report(question, result)


def _citations(rows: Sequence[EvidenceRow], blobs: BlobStore) -> list[dict[str, Any]]:
    reads = {read.text_hash: read for read in _only(Read, rows)}
    seen: set[tuple[str, int, int]] = set()
    citations: list[dict[str, Any]] = []
    for quote in _only(Quote, rows):
        place = quote.text_hash, quote.start, quote.end
        read = reads.get(quote.text_hash)
        excerpt = _excerpt(quote, blobs)
        if place in seen or not excerpt or len(citations) >= QUOTES_KEPT:
            continue
        seen.add(place)
        locator = read.url if read else quote.content_hash
        citations.append(
            {
                "source": "web" if _is_web(locator) else "file",
                "locator": locator,
                "title": read.title if read else None,
                "snippet": " ".join(excerpt.split())[:_SNIPPET],
                "raw_excerpt": excerpt,
                "confidence": _UNASSESSED,
                "number": len(citations) + 1,
                "content_hash": quote.content_hash,
                "text_hash": quote.text_hash,
                "start": quote.start,
                "end": quote.start + len(excerpt),
            }
        )
    return citations


def _is_web(locator: str) -> bool:
    return locator.lower().startswith(("http://", "https://"))


def _excerpt(quote: Quote, blobs: BlobStore) -> str:
    """The words that were quoted; nothing, if they cannot be read any more."""
    try:
        if blobs.unpacked_size(quote.text_hash) > LARGEST_TEXT:
            return ""
        text = blobs.get_text(quote.text_hash)
    except (RecordError, UnicodeDecodeError):
        return ""
    return text[quote.start : min(quote.end, quote.start + EXCERPT_LIMIT)]


def _report(question: str, result: dict[str, Any]) -> str:
    lines = [
        f"# {_flat(question)}",
        "",
        "## Summary",
        "",
        "This research was stopped before it was done. What follows are the passages that it had "
        "quoted by then, verbatim and without an assessment.",
        "",
        "## Findings",
        "",
    ]
    for each in result["citations"]:
        lines.append(f"- “{_flat(each['raw_excerpt'])}” [{each['number']}]")
    if result["gaps"]:
        lines += ["", "## Gaps", ""]
        lines += [f"- **{_flat(gap['topic'])}**: {_flat(gap['detail'])}" for gap in result["gaps"]]
    if result["open_questions"]:
        lines += ["", "## Open questions", ""]
        lines += [f"- {_flat(each['question'])}" for each in result["open_questions"]]
    lines += ["", "## Sources", ""]
    for each in result["citations"]:
        lines.append(
            f"{each['number']}. **{_flat(each['title'] or each['locator'])}** · "
            f"{_flat(each['locator'])}, characters {each['start']} to {each['end']} of its text"
        )
    return "\n".join(lines) + "\n"


def _members(row: Discovery | Question) -> dict[str, Any]:
    place = {"stream", "task", "at"}
    return {name: value for name, value in row._asdict().items() if name not in place}


def _only(kind: type[Row], rows: Sequence[EvidenceRow]) -> list[Row]:
    return [row for row in rows if isinstance(row, kind)]


def _flat(text: str) -> str:
    return " ".join(text.split())[:600]
