"""How near sentences of a report come to the passages that are cited for them, by meaning.

What a model computes is asked through the desk, as one question: so it is a fact of the record, and a replay reads it
there. It is worth knowing and not worth a report that was paid for: where nobody can tell, there is no figure.
"""

from collections.abc import Sequence

from actors.desk import OutsideDesk
from actors.recorded import THE_RECORD_ITSELF, code_of
from events.errors import RecordError, ResearchError

MOST_COMPARED = 400
"""Sentences that are compared."""


def similarities(
    desk: OutsideDesk, said: Sequence[tuple[str, Sequence[str]]]
) -> tuple[float | None, ...]:
    """For each sentence the likeness of the passage that is nearest to it; none where nobody can tell."""
    places = [place for place, (_, passages) in enumerate(said) if passages][:MOST_COMPARED]
    found: list[float | None] = [None] * len(said)
    for place, alike in zip(places, _asked(desk, [said[place] for place in places]), strict=False):
        known = [each for each in alike if each is not None]
        found[place] = round(max(known), 3) if known else None
    return tuple(found)


def _asked(
    desk: OutsideDesk, compared: list[tuple[str, Sequence[str]]]
) -> list[list[float | None]]:
    if not compared:
        return []
    try:
        return desk.likenesses(compared)
    except ResearchError as failure:
        if isinstance(failure, RecordError) or code_of(failure) in THE_RECORD_ITSELF:
            raise
        return []
