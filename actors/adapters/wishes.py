"""How long a provider wants to be left alone, as the headers of its answer say."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_NUMBERS = (("retry-after-ms", 0.001), ("retry-after", 1.0))
"""Headers that give a number, and what one of it is in seconds."""


def seconds_to_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds, however many; none where nothing is said, or nothing that makes sense."""
    for name, scale in _NUMBERS:
        try:
            seconds = float(headers.get(name) or "") * scale
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    until = _moment(headers.get("retry-after"))
    if until is None:
        return None
    # By the clock of who answered, where it tells the time: ours may go wrong.
    now = _moment(headers.get("date")) or datetime.now(UTC)
    return max(0.0, (until - now).total_seconds())


def _moment(said: str | None) -> datetime | None:
    try:
        moment = parsedate_to_datetime(said or "")
    except (ValueError, TypeError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
