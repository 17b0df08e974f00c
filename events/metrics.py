"""What is measured of a running engine, and the port through which it is told.

Everything here is counted from facts after they are durable, by whoever follows the record: nobody who appends,
calls, ingests or answers does anything for it, or waits for it.
"""

from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True)
class Metric:
    """One thing that is measured."""

    name: str
    """Without the prefix and suffix that the exporter adds."""

    kind: Literal["counter", "gauge", "histogram"]
    labels: tuple[str, ...]
    meaning: str
    boundaries: tuple[float, ...] = ()
    """Of a histogram's buckets."""

    @property
    def exported(self) -> str:
        """Its name at the metrics endpoint."""
        return f"ray_{self.name}{'_total' if self.kind == 'counter' else ''}"


_QUICK = (0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0)
_PATIENT = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0)

FACTS = Metric(
    "research_agent_facts",
    "counter",
    ("stream",),
    "Facts appended, by kind of stream: catalogue, queries, research, researcher, ingest.",
)
CALLS = Metric(
    "research_agent_calls",
    "counter",
    ("provider", "outcome"),
    "Completed calls, by provider and by how they ended: answered, or the failure's code.",
)
CALL_SECONDS = Metric(
    "research_agent_call_seconds",
    "histogram",
    ("provider",),
    "Seconds that calls took, answered or failed.",
    _PATIENT,
)
TOKENS = Metric(
    "research_agent_tokens",
    "counter",
    ("provider", "kind"),
    "Tokens as the provider counts them, of kind input, cached, output or thought.",
)
COST = Metric("research_agent_cost_usd", "counter", ("provider",), "Dollars that calls have cost.")
WAITING = Metric(
    "research_agent_queue_length",
    "gauge",
    ("work",),
    "Accepted work that no actor has started yet: research or ingest.",
)
RUNNING = Metric(
    "research_agent_running",
    "gauge",
    ("work",),
    "Work that an actor is working on: research or ingest.",
)
ENDED = Metric(
    "research_agent_ended",
    "counter",
    ("work", "outcome"),
    "Research and ingest that ended: completed, failed, cancelled or quarantined.",
)
STEPS = Metric(
    "research_agent_steps",
    "counter",
    ("researcher",),
    "Steps that researchers took, by kind of researcher.",
)
FILES = Metric(
    "research_agent_ingest_files",
    "counter",
    ("outcome",),
    "Files that ingest jobs have finished: added, updated, unchanged, empty or failed.",
)
CHUNKS = Metric(
    "research_agent_ingest_chunks",
    "counter",
    ("embedded",),
    "Chunks of those files; embedded says whether they were new (yes) or known before (no).",
)
INGEST_SECONDS = Metric(
    "research_agent_ingest_seconds",
    "counter",
    (),
    "Total seconds that ingest jobs worked; divide chunks by this to get chunks per second.",
)
QUERY_SECONDS = Metric(
    "research_agent_query_seconds",
    "histogram",
    ("through",),
    "Seconds from a search of the knowledge base to its answer, by tool or command.",
    _QUICK,
)

METRICS = (
    FACTS,
    CALLS,
    CALL_SECONDS,
    TOKENS,
    COST,
    WAITING,
    RUNNING,
    ENDED,
    STEPS,
    FILES,
    CHUNKS,
    INGEST_SECONDS,
    QUERY_SECONDS,
)


class Meter(Protocol):
    """Takes what was measured. Never raises, never waits."""

    def count(self, metric: Metric, by: float, *labels: str) -> None:
        """Add to a counter."""

    def set(self, metric: Metric, to: float, *labels: str) -> None:
        """Set a gauge."""

    def observe(self, metric: Metric, value: float, *labels: str) -> None:
        """Put a value into a histogram."""
