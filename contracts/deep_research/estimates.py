"""What a research will likely take and cost, before it is started.

From this home's own past where there is enough of it: the tenth, the fiftieth and the ninetieth percentile of
completed tasks of the same kind of researcher and the same complexity, from `ENOUGH` of them on. Before that
from `PRIORS`: durations and usage as published for each kind, priced by the table in `actors.prices`.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from actors.prices import VERSION, cost_of
from contracts.core import Core
from contracts.deep_research.complexity import Complexity, complexity_of
from events.calls import Usage
from events.codec import decode
from events.errors import RecordError
from projections.history import Past

ENOUGH = 10
"""So many past tasks of a kind and complexity outweigh the prior."""

QUANTILES = (0.1, 0.5, 0.9)
PRICED_AS = {"gemini": "deep-research", "claude": "claude-sonnet-5-5", "corpus": "corpus"}
"""The row of the price table that stands for each kind's usual model."""


class Range(NamedTuple):
    """At least, most likely, at most."""

    least: float
    likely: float
    most: float


@dataclass(frozen=True)
class Prior:
    """What a kind of researcher needs for a question of one complexity, as far as is published."""

    minutes: Range
    usage: tuple[Usage, Usage, Usage]
    """For the least, the likely and the most."""


def _usage(thousands_in: int, thousands_out: int, searches: int) -> Usage:
    """Half of what a research agent reads comes from the provider's cache."""
    fresh = thousands_in * 500
    return Usage(
        input_tokens=fresh,
        cached_tokens=fresh,
        output_tokens=thousands_out * 1000,
        searches=searches,
    )


PRIORS: dict[str, dict[Complexity, Prior]] = {
    "gemini": {
        "simple": Prior(
            Range(2, 5, 10), (_usage(100, 10, 10), _usage(250, 25, 30), _usage(500, 60, 60))
        ),
        "moderate": Prior(
            Range(5, 12, 30), (_usage(200, 25, 25), _usage(500, 60, 60), _usage(900, 80, 120))
        ),
        "complex": Prior(
            Range(15, 35, 60), (_usage(350, 40, 40), _usage(900, 80, 80), _usage(1800, 130, 160))
        ),
    },
    "claude": {
        "simple": Prior(Range(0.3, 1, 3), (_usage(10, 2, 1), _usage(30, 4, 3), _usage(100, 8, 8))),
        "moderate": Prior(
            Range(1, 2.5, 8), (_usage(20, 3, 3), _usage(80, 8, 6), _usage(250, 16, 15))
        ),
        "complex": Prior(
            Range(2, 5, 15), (_usage(50, 6, 5), _usage(200, 16, 12), _usage(600, 40, 30))
        ),
    },
    "corpus": {
        "simple": Prior(Range(0.02, 0.05, 0.5), (Usage(), Usage(), Usage())),
        "moderate": Prior(Range(0.02, 0.1, 1), (Usage(), Usage(), Usage())),
        "complex": Prior(Range(0.05, 0.2, 2), (Usage(), Usage(), Usage())),
    },
}
"""Gemini: 2 to 10 minutes and 250 to 900 thousand tokens read for everyday questions, up to an hour for hard ones."""


class Outlook(NamedTuple):
    """What is to be expected of one research."""

    complexity: Complexity
    minutes: Range
    dollars: Range
    tasks: int
    """How many past tasks this rests on; none means the prior."""


def outlook(core: Core, query: str, kind: str, before: str | None = None) -> Outlook:
    """What is to be expected of a question, as far as was known at a moment."""
    complexity = complexity_of(query)
    alike = [
        past
        for past in core.views.past(kind, before)
        if complexity_of(_question(core, past)) == complexity
    ]
    if len(alike) >= ENOUGH:
        minutes = quantiles([past.seconds / 60 for past in alike])
        return Outlook(
            complexity, minutes, quantiles([past.cost_usd for past in alike]), len(alike)
        )
    prior = published(kind, complexity)
    dollars = Range(*(cost_of(PRICED_AS.get(kind, kind), usage) for usage in prior.usage))
    return Outlook(complexity, prior.minutes, dollars, 0)


def published(kind: str, complexity: Complexity) -> Prior:
    """What is published of a kind of researcher; of one that is not known, what is expected of the slowest."""
    return PRIORS[kind if kind in PRIORS else "gemini"][complexity]


def quantiles(values: list[float]) -> Range:
    """The tenth, fiftieth and ninetieth percentile, interpolated."""
    ordered = sorted(values)
    found = []
    for share in QUANTILES:
        place = share * (len(ordered) - 1)
        below = int(place)
        above = min(below + 1, len(ordered) - 1)
        found.append(ordered[below] + (place - below) * (ordered[above] - ordered[below]))
    return Range(*found)


def _question(core: Core, past: Past) -> str:
    """A past question: whole, where its beginning is not all of it."""
    if len(past.question) < _SHORTENED:
        return past.question
    try:
        whole: str = decode(core.home.blobs.get(past.brief))["question"]
    except (RecordError, ValueError, KeyError):
        return past.question
    return whole


_SHORTENED = 300
"""Questions of this length in the catalogue may go on in their brief."""


def estimate(core: Core, query: str, kind: str) -> dict[str, Any]:
    """The contract's answer: complexity, duration, cost, and what it rests on."""
    seen = outlook(core, query, kind)
    goes_async = seen.minutes.likely * 60 > core.settings.sync_window_s
    return {
        "query": query,
        "query_complexity": seen.complexity,
        "estimated_duration": {
            "min_minutes": _minutes(seen.minutes.least),
            "max_minutes": _minutes(seen.minutes.most),
            "likely_minutes": _minutes(seen.minutes.likely),
        },
        "estimated_cost": {
            "min_usd": _dollars(seen.dollars.least),
            "max_usd": _dollars(seen.dollars.most),
            "likely_usd": _dollars(seen.dollars.likely),
        },
        "will_likely_go_async": goes_async,
        "recommendation": _recommendation(seen, goes_async=goes_async),
        "researcher": kind,
        "based_on_tasks": seen.tasks,
        "price_table": VERSION,
    }


def _recommendation(seen: Outlook, *, goes_async: bool) -> str:
    kinds = {
        "simple": "Simple focused query.",
        "moderate": "Query with several aspects.",
        "complex": "Complex multi-domain query detected.",
    }
    likely = seen.minutes.likely
    length = "under a minute" if likely < 1 else f"about {_minutes(likely):g} minutes"
    said = [kinds[seen.complexity], f"Will likely take {length}"]
    said[-1] += " and switch to async mode." if goes_async else " and answer at once."
    if seen.complexity == "complex" and goes_async:
        said.append("Consider breaking into smaller focused queries if time is critical.")
    rests = f"{seen.tasks} past tasks of this home" if seen.tasks else "published figures"
    said.append(f"Based on {rests}.")
    return " ".join(said)


def _minutes(value: float) -> float:
    return round(value) if value >= 10 else round(value, 2)


def _dollars(value: float) -> float:
    return round(value, 2) if value >= 1 or value == 0 else round(value, 4)
