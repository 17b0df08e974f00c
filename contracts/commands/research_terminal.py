"""How a research looks in a terminal: what it found, where it stands, what it would take."""

import re
import sys
from collections.abc import Iterator
from typing import Any

from contracts.commands.terminal import (
    beside,
    columns,
    fields,
    hanging,
    harmless,
    status_in_words,
    table,
)
from events.words import count

Reply = dict[str, Any]

_CONTRADICTION = "contradictory_sources"
_BULLET = re.compile(r"[-*] |\d{1,3}\. ")
_BEGUN = re.compile(r" {0,8}(?:[-*>] |\d{1,3}\. )?")


def result(found: Reply) -> str:
    """An answer with its evidence, for reading."""
    parts = [*_answer(found["answer"]), ""]
    parts += _headed("Citations", _citations(found["citations"]))
    clashes = [gap for gap in found["gaps"] if gap["category"] == _CONTRADICTION]
    gaps = [gap for gap in found["gaps"] if gap["category"] != _CONTRADICTION]
    parts += _headed("Contradictions", (_bullet(_gap(each)) for each in clashes))
    parts += _headed("Gaps", (_bullet(_gap(each)) for each in gaps))
    asked = (f"{each['question']} ({each['priority']})" for each in found["open_questions"])
    parts += _headed("Open questions", map(_bullet, asked))
    leads = (f"{each['query']} {each['reason']}" for each in found["discovery_events"])
    parts += _headed("Leads", map(_bullet, leads))
    parts.append(hanging("", 2, f"Confidence {found['confidence']:.2f}: {_reasons(found)}"))
    if "confidence_calibrated" in found:
        rated = count(found["calibration"]["ratings"], "rating")
        parts.append(f"Calibrated {found['confidence_calibrated']:.2f}, by {rated}")
    cost = found["cost_metadata"]
    parts.append(f"{_rounds(cost)}, {cost['tokens_used']} tokens, {cost['wall_time_sec']:.1f} s")
    parts.append(f"Task {found['trace_id']}")
    again = (
        f"research-agent verify {found['trace_id'][:8]} checks it again; "
        "save, export and continue take the same id."
    )
    return "\n".join([*parts, hanging("", 0, again)])


def _rounds(cost: Reply) -> str:
    """What its iterations were: who looks through the corpus alone counts searches, a model has rounds."""
    if cost["model_id"].startswith("corpus") and " + " not in cost["model_id"]:
        return count(cost["iterations_run"], "search", "searches")
    return count(cost["iterations_run"], "round")


def _answer(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        bullet = _BULLET.match(line)
        before = bullet[0] if bullet else ""
        yield hanging(before, len(before), line[len(before) :])


def _headed(heading: str, lines: Iterator[str]) -> list[str]:
    listed = list(lines)
    return [heading, *listed, ""] if listed else []


def _citations(citations: list[Reply]) -> Iterator[str]:
    for each in citations:
        yield hanging(f"[{each['number']}] ", 4, _flat(each["title"] or each["locator"]))
        yield beside("    ", _flat(each["locator"]), f"{each['content_hash'][:19]}…")
        yield from columns(each, "    ")
        yield hanging("    “", 5, f"{_flat(each['raw_excerpt'])}”")


def _bullet(text: str) -> str:
    return hanging("- ", 2, _flat(text))


def _gap(gap: Reply) -> str:
    category = "" if gap["category"] == _CONTRADICTION else f" ({gap['category']})"
    return f"{gap['topic']}{category}: {gap['detail']}"


def _reasons(found: Reply) -> str:
    factors = found["confidence_factors"]
    said = [
        f"{count(factors['num_corroborating_sources'], 'independent source')} behind each part",
        f"authority {factors['source_authority']}",
        f"covers {factors['query_specificity_match']:.0%} of the question".replace("%", " %"),
    ]
    said += [f"recency {factors['recency']}"] if factors["recency"] else []
    said += ["the sources contradict each other"] if factors["contradiction_detected"] else []
    said += ["the budget was used up"] if factors["budget_exhausted"] else []
    return ", ".join(said)


def _flat(text: str) -> str:
    return " ".join(harmless(text).split())


def report(text: str) -> str:
    """A report as it is; on a terminal wrapped between words, with nothing in it that could steer it."""
    if not sys.stdout.isatty():
        return text
    return "\n".join(_line(line) for line in text.split("\n"))


def _line(line: str) -> str:
    if line.startswith("|"):
        return harmless(line)
    begun = _BEGUN.match(line)
    before = begun[0] if begun else ""
    return hanging(before, len(before), line[len(before) :])


# -- where it stands, what it would take -----------------------------------------------------------


def status(reply: Reply) -> str:
    """Where a research stands; how to go on is said in this program's words."""
    shown = reply | {"status": status_in_words(reply["status"])}
    if shown.pop("message", None):
        shown["read it with"] = f"research-agent results {reply['task_id']}"
    return fields(shown)


def estimate(expected: Reply) -> str:
    """What a research would take and cost, for reading."""
    minutes, dollars = expected["estimated_duration"], expected["estimated_cost"]
    rows = [
        ("minutes", *(f"{minutes[f'{name}_minutes']:g}" for name in ("min", "likely", "max"))),
        ("dollars", *(f"{dollars[f'{name}_usd']:g}" for name in ("min", "likely", "max"))),
    ]
    shown = [table(["", "least", "likely", "most"], rows), "", expected["recommendation"]]
    if not expected["researcher_available"]:
        shown[:0] = [
            "There is nothing to search and no key, so nobody could research this now.",
            "Bring documents in with research-agent ingest PATH, or set GEMINI_API_KEY; "
            "this is what Gemini would take:",
            "",
        ]
    return "\n".join(shown)
