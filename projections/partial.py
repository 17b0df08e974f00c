"""What a task that was stopped early leaves behind, put together from what its researchers noted.

A researcher that is cut off reports no findings, but each source it read, each passage it quoted, each gap and each
open question was recorded when it was found. They make a partial result in the shape of a whole one. Where nothing was
quoted yet, of each source the paragraph stands there that shares most words with the question.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from events.blobs import BlobStore
from events.errors import RecordError
from events.stops import stop_gap
from language.plain import inert, plainly
from language.sentences import CUT, clip
from projections.evidence import Discovery, EvidenceRow, Gap, Question, Quote, Read
from projections.status import TaskStatus

LARGEST_TEXT = 512 << 20
"""Bytes beyond which a quoted text is not unpacked: no parser writes one like that."""

EXCERPT_LIMIT = 500

QUOTES_KEPT = 200
"""So many passages a partial result carries at the most."""

_SNIPPET = 50, 200
"""Characters of a summary, at least and at the most; where there are fewer, there is none."""

_UNASSESSED = 0.5
"""Trust in a source that nobody has assessed yet: neither for nor against it."""

_QUOTED = "The passages quoted by then"
_READ = "The sources read by then, each with the paragraph that comes nearest to the question,"
_LOOKED_AT = 200_000
"""Characters of a source that are looked at for that."""

_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
_WORD = re.compile(r"\w{3,}")

Row = TypeVar("Row")


def partial_result(
    status: TaskStatus,
    question: str,
    model: str | None,
    rows: Sequence[EvidenceRow],
    blobs: BlobStore,
) -> tuple[dict[str, Any], str] | None:
    """Result and report of what was noted; nothing, when nothing was read. `model` is the one that was asked for."""
    quotes = _only(Quote, rows)
    citations = _citations(rows, quotes or _nearest(rows, question, blobs), blobs)
    if not citations:
        return None
    what = _QUOTED if quotes else _READ
    # Whoever cancels a research ends it; nothing of its budget did.
    exhausted = status.phase != "cancelled"
    gaps = [
        {"topic": gap.topic, "category": gap.category, "detail": gap.detail}
        for gap in _only(Gap, rows)
    ]
    undone = "an answer was composed"
    gaps.append(stop_gap(_flat(question)[:200], undone, cancelled=not exhausted))
    sources = {citation["text_hash"] for citation in citations}
    result = {
        "question": question,
        "answer": f"Stopped before an answer was composed. {what} are cited.",
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
            "budget_exhausted": exhausted,
            "recency": None,
        },
        "cost_metadata": {
            "tokens_used": status.tokens_in + status.tokens_out,
            "iterations_run": status.steps,
            "budget_exhausted": exhausted,
            "model_id": model or status.researcher,
        },
        "sentences": [],
        "trace_id": status.task,
    }
    return result, _report(question, result, what)


def _citations(
    rows: Sequence[EvidenceRow], quotes: Iterable[Quote], blobs: BlobStore
) -> list[dict[str, Any]]:
    reads = {read.text_hash: read for read in _only(Read, rows)}
    seen: set[tuple[str, int, int]] = set()
    citations: list[dict[str, Any]] = []
    for quote in quotes:
        place = quote.text_hash, quote.start, quote.end
        read = reads.get(quote.text_hash)
        excerpt, end = _excerpt(quote, blobs)
        if place in seen or not excerpt or len(citations) >= QUOTES_KEPT:
            continue
        seen.add(place)
        locator = read.url if read else quote.content_hash
        citations.append(
            {
                "source": "web" if _is_web(locator) else "file",
                "locator": locator,
                "title": read.title if read else None,
                "snippet": _gist(excerpt),
                "raw_excerpt": excerpt,
                "confidence": _UNASSESSED,
                "number": len(citations) + 1,
                "content_hash": quote.content_hash,
                "text_hash": quote.text_hash,
                "start": quote.start,
                "end": end,
            }
        )
    return citations


def _nearest(rows: Sequence[EvidenceRow], question: str, blobs: BlobStore) -> list[Quote]:
    """Of each source that was read, the paragraph that shares most words with the question."""
    sought = set(_WORD.findall(question.casefold()))
    found: dict[str, Quote] = {}
    for read in _only(Read, rows)[:QUOTES_KEPT]:
        if read.text_hash in found:
            continue
        paragraphs = _PARAGRAPH.finditer(_text(read.text_hash, blobs)[:_LOOKED_AT])
        best = max(
            paragraphs,
            key=lambda each: len(sought & set(_WORD.findall(each[0].casefold()))),
            default=None,
        )
        if best:
            place = read.content_hash, read.text_hash, *best.span()
            found[read.text_hash] = Quote(read.stream, read.task, read.at, 0, *place)
    return list(found.values())


def _gist(excerpt: str) -> str | None:
    least, most = _SNIPPET
    words = " ".join(excerpt.split())
    return words[:most] if len(words) >= least else None


def _is_web(locator: str) -> bool:
    return locator.lower().startswith(("http://", "https://"))


def _excerpt(quote: Quote, blobs: BlobStore) -> tuple[str, int]:
    """The words that were quoted, and where they end; nothing, if they cannot be read any more."""
    text = _text(quote.text_hash, blobs)
    if quote.end - quote.start <= EXCERPT_LIMIT:
        words = text[quote.start : quote.end]
        return words, quote.start + len(words)
    last = min(quote.end, len(text))
    start, end = clip(text, quote.start, last, EXCERPT_LIMIT - len(CUT))
    return text[start:end] + CUT * (end < last), end


def _text(text_hash: str, blobs: BlobStore) -> str:
    try:
        large = blobs.unpacked_size(text_hash) > LARGEST_TEXT
        return "" if large else blobs.get_text(text_hash)
    except (RecordError, UnicodeDecodeError):
        return ""


def _report(question: str, result: dict[str, Any], what: str) -> str:
    lines = [
        f"# {_flat(question)}",
        "",
        "## Summary",
        "",
        f"This research was stopped before it was done. {what} follow, verbatim and without an "
        "assessment.",
        "",
        "## Findings",
        "",
    ]
    for each in result["citations"]:
        lines.append(f"- “{plainly(_flat(each['raw_excerpt']))}” [{each['number']}]")
    if result["gaps"]:
        lines += ["", "## Gaps", ""]
        told = ((inert(_flat(gap["topic"])), inert(_flat(gap["detail"]))) for gap in result["gaps"])
        lines += [f"- **{topic}**: {detail}" for topic, detail in told]
    if result["open_questions"]:
        lines += ["", "## Open questions", ""]
        lines += [f"- {inert(_flat(each['question']))}" for each in result["open_questions"]]
    lines += ["", "## Sources", ""]
    for each in result["citations"]:
        lines.append(
            f"{each['number']}. **{inert(_flat(each['title'] or each['locator']))}** · "
            f"{inert(_flat(each['locator']))}, characters {each['start']} to {each['end']} of its text"
        )
    return "\n".join(lines) + "\n"


def _members(row: Discovery | Question) -> dict[str, Any]:
    place = {"stream", "task", "at"}
    return {name: value for name, value in row._asdict().items() if name not in place}


def _only(kind: type[Row], rows: Sequence[EvidenceRow]) -> list[Row]:
    return [row for row in rows if isinstance(row, kind)]


def _flat(text: str) -> str:
    return " ".join(text.split())[:600]
