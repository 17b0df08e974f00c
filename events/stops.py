"""What is missing of a research that somebody or something stopped, as a gap of its result."""

from typing import Any


def stop_gap(topic: str, undone: str, *, cancelled: bool) -> dict[str, Any]:
    """What is missing because nobody went on; `undone` is what the research was stopped before.

    The contract's categories have none for what somebody ended. The nearest one sends for another researcher, so it is
    said beside it that none is needed.
    """
    why = "it was cancelled" if cancelled else "its time ran out"
    gap = {
        "topic": topic,
        "category": "scope_exceeded" if cancelled else "budget_exhausted",
        "detail": f"Stopped before {undone}: {why}.",
    }
    return gap | {"cancelled": True} if cancelled else gap
