"""What confidences are worth by the ratings so far, worked out when a result is read: results stay as they are."""

from dataclasses import asdict
from typing import Any

from contracts.core import Core
from projections import calibration
from projections.calibration import ENOUGH, Pair
from projections.catalogue import Rating

Reply = dict[str, Any]


def calibrated(core: Core, confidence: Any) -> Reply:
    """What a confidence is worth by the ratings so far, to stand beside it; nothing before there are enough."""
    ratings = core.views.ratings()
    if len(ratings) < ENOUGH or not isinstance(confidence, int | float):
        return {}
    fitted = calibration.fit(_pairs(ratings))
    return {
        "confidence_calibrated": round(fitted(float(confidence)), 3),
        "calibration": {"ratings": len(ratings), "fitted_at_seq": ratings[-1].seq},
    }


def reliability(core: Core) -> Reply:
    """How well confidences told how right answers are, raw and calibrated."""
    ratings = core.views.ratings()
    pairs = _pairs(ratings)
    enough = len(pairs) >= ENOUGH
    return {
        "ratings": len(pairs),
        "ratings_needed": max(0, ENOUGH - len(pairs)),
        "fitted_at_seq": ratings[-1].seq if enough else None,
        "raw": asdict(calibration.judge(pairs)),
        "calibrated": asdict(calibration.judge(calibration.unseen(pairs))) if enough else None,
        "judged_by": "each rating by a fit of the others" if enough else None,
        "curve": [list(pool) for pool in calibration.fit(pairs).pools] if enough else None,
    }


def _pairs(ratings: tuple[Rating, ...]) -> list[Pair]:
    return [Pair(each.confidence, each.correct) for each in ratings]
