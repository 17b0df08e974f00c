"""`rate_research`: how right an answer was, as somebody who knows says. A rating is a fact of the catalogue."""

from typing import Any

from contracts.core import Core
from contracts.deep_research.refusals import checked, encodable
from events.base import Fact
from events.catalogue import ResearchRated
from events.errors import BadRequest, TaskNotFinished
from projections.calibration import ENOUGH
from projections.catalogue import Rating

Reply = dict[str, Any]

NOTE_LENGTH = 2_000
_WORDS = {"yes": 1.0, "true": 1.0, "right": 1.0, "no": 0.0, "false": 0.0, "wrong": 0.0}


def grade(said: str) -> float:
    """A rating as a person types it: yes, no, or a number from 0 to 1."""
    word = said.strip().lower()
    try:
        correct = _WORDS[word] if word in _WORDS else float(word)
    except ValueError:
        correct = float("nan")
    if not 0.0 <= correct <= 1.0:
        raise BadRequest(f"{said[:80]!r} is not a rating.", "Say yes, no, or a number from 0 to 1.")
    return correct


def rate(core: Core, task: str, correct: float, note: str | None = None) -> Reply:
    """Keep how right an ended research's answer is; rating it again replaces the former rating."""
    if not 0.0 <= correct <= 1.0:  # Which is also not true of what is no number.
        raise BadRequest(f"The rating is {correct}.", "Use true, false, or a number from 0 to 1.")
    note = (note or "").strip() or None
    if note and (len(note) > NOTE_LENGTH or not encodable(note)):
        raise BadRequest("The note is too long or no text.", f"Use up to {NOTE_LENGTH} characters.")
    seen = core.views.status(checked(task))
    if not seen.ended:
        raise TaskNotFinished(task, seen.progress)
    confidence = core.views.result(task).result.get("confidence")
    if not isinstance(confidence, int | float):
        raise BadRequest(f"Research {task} states no confidence.", "Rate another one.")
    said = ResearchRated(task=task, correct=float(correct), confidence=float(confidence), note=note)
    former = {each.task: each for each in core.views.ratings()}.get(task)
    if former and (former.correct, former.note) == (said.correct, said.note):
        return _reply(core, former, replaced=None)

    def decide(state: object) -> list[Fact]:
        return [said]

    core.catalogue.decide(decide)
    now = {each.task: each for each in core.views.ratings()}[task]
    return _reply(core, now, replaced=former.correct if former else None)


def _reply(core: Core, rating: Rating, replaced: float | None) -> Reply:
    count = len(core.views.ratings())
    return {
        "task_id": rating.task,
        "correct": rating.correct,
        "note": rating.note,
        "confidence": rating.confidence,
        "replaced": replaced,
        "ratings": count,
        "ratings_needed": max(0, ENOUGH - count),
        "record": {"stream": "catalogue", "seq": rating.seq},
    }


def in_markdown(reply: Reply) -> str:
    """What a rating came to, for a person."""
    said = f"Rated `{reply['task_id']}` as {reply['correct']:g}; its confidence was {reply['confidence']:g}."
    if reply["replaced"] is not None:
        said += f" The earlier rating was {reply['replaced']:g}."
    if needed := reply["ratings_needed"]:
        return (
            f"{said} Ratings so far: {reply['ratings']}; {needed} more are needed for calibration."
        )
    return f"{said} Confidences are calibrated by {reply['ratings']} ratings."
