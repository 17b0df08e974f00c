"""Reads what a provider says about a deep-research job: its steps, its words, its report and its bill.

Everything here works on the recorded answer, without the provider's SDK, so that a replay reads the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from events.calls import Usage

Interaction = dict[str, Any]
"""A job as the provider describes it, as JSON."""

RUNNING = frozenset({"queued", "in_progress"})
"""States in which a job goes on by itself; in every other one nothing more will come."""

_THOUGHT_LIMIT = 2_000
_CITED_LIMIT = 2_000
_WORDS_LIMIT = 600


@dataclass(frozen=True)
class Cited:
    """A stretch of the report that the provider attributes to a source."""

    url: str
    title: str | None
    start: int
    end: int
    """Characters of the report."""


@dataclass(frozen=True)
class Draft:
    """The provider's report, from all its pieces."""

    text: str
    cited: tuple[Cited, ...]
    unplaced: tuple[Cited, ...] = ()
    """Sources of which the provider does not say what part of the report they are for."""


def steps_of(job: Interaction) -> list[dict[str, Any]]:
    """The provider's steps; the question, which some answers repeat first, is none."""
    steps = job.get("steps")
    plain = [each for each in steps if isinstance(each, dict)] if isinstance(steps, list) else []
    return [each for each in plain if each.get("type") != "user_input"]


def news_of(step: dict[str, Any]) -> dict[str, Any] | None:
    """What a step tells about the provider's doing: a thought, queries or pages; none, if nothing."""
    arguments = step.get("arguments")
    asked = arguments if isinstance(arguments, dict) else {}
    match step.get("type"):
        case "thought":
            text = " ".join(_text(part) for part in _list(step.get("summary")))
            return {"thought": text.strip()[:_THOUGHT_LIMIT]} if text.strip() else None
        case "google_search_call":
            queries = [str(each)[:500] for each in _list(asked.get("queries"))[:50]]
            return {"queries": queries} if queries else None
        case "url_context_call":
            urls = [str(each)[:2000] for each in _list(asked.get("urls"))[:50]]
            return {"urls": urls} if urls else None
        case _:
            return None


def draft_of(job: Interaction) -> Draft:
    """The report, put together from every piece of text; places are counted in bytes by the provider."""
    text, cited, unplaced = "", list[Cited](), list[Cited]()
    for block in _text_blocks(job):
        piece = _text(block)
        raw = piece.encode()
        for mark in _list(block.get("annotations")):
            if not isinstance(mark, dict) or not isinstance(mark.get("url"), str):
                continue
            start, end = _place(raw, mark.get("start_index")), _place(raw, mark.get("end_index"))
            if mark["url"]:
                place = len(text) + start, len(text) + end
                title = mark.get("title") if isinstance(mark.get("title"), str) else None
                found = cited if start < end else unplaced
                found.append(Cited(mark["url"], title, *place))
        text += piece
    return Draft(text, tuple(cited[:_CITED_LIMIT]), tuple(unplaced[:_CITED_LIMIT]))


def words_of(job: Interaction) -> str:
    """Why a job ended as it did, in the provider's own words."""
    said = [
        f"{each.get('message') or ''} ({each.get('code')})" if each.get("code") else _message(each)
        for each in _list(job.get("errors"))
        if isinstance(each, dict)
    ]
    return "; ".join(filter(None, said))[:_WORDS_LIMIT] or "it gave no reason"


def searches_of(job: Interaction) -> int:
    """How often a job searched. Not every one lists its steps; its bill counts the searches all the same."""
    listed = sum(step.get("type") == "google_search_call" for step in steps_of(job))
    return listed or usage_of(job).searches


def usage_of(job: Interaction) -> Usage:
    """What a job consumed. Pages that its tools read count as input."""
    counted = job.get("usage")
    usage = counted if isinstance(counted, dict) else {}
    cached = _number(usage.get("total_cached_tokens"))
    fresh = max(0, _number(usage.get("total_input_tokens")) - cached)
    searches = [
        _number(each.get("count"))
        for each in _list(usage.get("grounding_tool_count"))
        if isinstance(each, dict) and each.get("type") == "google_search"
    ]
    return Usage(
        input_tokens=fresh + _number(usage.get("total_tool_use_tokens")),
        cached_tokens=cached,
        output_tokens=_number(usage.get("total_output_tokens")),
        thought_tokens=_number(usage.get("total_thought_tokens")),
        searches=sum(searches),
    )


def _text_blocks(job: Interaction) -> Iterator[dict[str, Any]]:
    for step in steps_of(job):
        if step.get("type") == "model_output":
            for block in _list(step.get("content")):
                if isinstance(block, dict) and block.get("type") == "text":
                    yield block


def _place(raw: bytes, index: Any) -> int:
    """A byte offset as a number of characters; one within a character counts as its beginning."""
    at = min(max(_number(index), 0), len(raw))
    return len(raw[:at].decode(errors="ignore"))


def _text(part: Any) -> str:
    text = part.get("text") if isinstance(part, dict) else None
    return text if isinstance(text, str) else ""


def _message(said: dict[str, Any]) -> str:
    return str(said.get("message") or "")


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
