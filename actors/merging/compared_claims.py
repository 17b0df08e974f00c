"""Has compared what several researchers say before it is put together, and keeps what came of that as a fact.

It is worth knowing and not worth a research that was paid for: where nobody can compare, words alone must do.
"""

import time
from collections.abc import Callable, Sequence

from actors.merging.contributions import Contribution
from actors.merging.meaning import WORDS_ALONE, Compare, Meaning, Pairs, meaning_of, to_compare
from actors.ports import Corpus
from actors.recorded import THE_RECORD_ITSELF, code_of
from events.base import Blob
from events.codec import canonical, decode
from events.errors import BadRequest, RecordError, ResearchError
from events.logs import log
from events.task import ClaimsCompared

RULES = "merging-2"
"""By these rules it is chosen what to compare. What is merged by the first ones has no such fact."""

PATIENCE = 30.0
"""Seconds that comparing may take: a task that compares hears nothing else, not even that it is to stop."""


def compare_claims(
    contributions: Sequence[Contribution], compare: Compare, keep: Callable[[bytes], Blob]
) -> tuple[list[ClaimsCompared], Meaning]:
    """The fact that findings were compared, and what came of it; none, where words alone must do."""
    pairs = to_compare(contributions)
    meaning = meaning_of(pairs, _asked(compare, pairs)) if pairs else WORDS_ALONE
    if not meaning.pairs:
        return [], WORDS_ALONE
    kept = keep(canonical([[one, other, value] for (one, other), value in meaning.pairs.items()]))
    return [ClaimsCompared(rules=RULES, compared=len(pairs), likenesses=kept)], meaning


def _asked(compare: Compare, pairs: Pairs) -> list[list[float | None]]:
    nothing: list[list[float | None]] = [[None] * len(others) for _, others in pairs]
    try:
        told = compare(pairs)
    except ResearchError as failure:
        if isinstance(failure, RecordError | BadRequest) or code_of(failure) in THE_RECORD_ITSELF:
            raise
        told = None
    except Exception:  # noqa: BLE001 - a model may fail in any way, and no answer may be lost by that
        log("task").exception("not compared")
        told = None
    shape = [len(others) for _, others in pairs]
    return nothing if told is None or [len(each) for each in told] != shape else told


def compared_by(corpus: Corpus, now: Callable[[], float] = time.monotonic) -> Compare:
    """Compares by the model that the corpus has, as much as there is time for."""

    def compare(pairs: Pairs) -> list[list[float | None]]:
        end = now() + PATIENCE
        return [
            corpus.likeness(text, others) if now() < end else [None] * len(others)
            for text, others in pairs
        ]

    return compare


def compared_before(fact: ClaimsCompared | None, get: Callable[[str], bytes]) -> Compare:
    """Tells what was found when the findings were put together first; nothing, if nothing was compared."""
    known: dict[tuple[str, str], float] = {}
    if fact is not None:
        known = {(one, other): value for one, other, value in decode(get(fact.likenesses.hash))}

    def compare(pairs: Pairs) -> list[list[float | None]]:
        if fact is not None and fact.rules != RULES:
            raise BadRequest(
                f"This version does not know the rules {fact.rules!r}.",
                "Use the version that recorded it.",
            )
        return [[known.get((text, other)) for other in others] for text, others in pairs]

    return compare


def nobody(pairs: Pairs) -> list[list[float | None]] | None:
    """Compares nothing."""
    return None
