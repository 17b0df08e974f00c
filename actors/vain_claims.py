"""When a stream's writers die one after the other without having written anything.

Most of them did nothing wrong: a task waits for its researchers for hours and writes nothing meanwhile, and a machine
may be switched off ten times in that while. Only a writer that is gone at once was there in vain. Those are started
again, at first without delay, then after longer and longer rests, and at last not at all.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from events.codec import Record

CLAIMED = "stream_claimed"
VAIN_CLAIMS = 20
"""So many writers in a row may die at once without having written anything but their claim."""

AT_ONCE = 60.0
"""Seconds; who has held a stream for longer was at work, or waited for somebody who was."""

UNDELAYED = 5
"""After so many vain claims the next writer rests first."""

LONGEST_REST = 15.0
"""Seconds; what was left unfinished goes on within half a minute, also when its writers died before."""


def vain_claims(past: Sequence[Record], now: datetime | None = None) -> int:
    """How many writers in a row were gone at once, up to the last line."""
    until, count = now or datetime.now(UTC), 0
    for record in reversed(past):
        if record.kind != CLAIMED:
            break
        began = datetime.fromisoformat(record.at)
        if (until - began).total_seconds() > AT_ONCE:
            break
        until, count = began, count + 1
    return count


def rest(past: Sequence[Record], now: datetime | None = None) -> float:
    """Seconds until the next writer should try its luck."""
    now = now or datetime.now(UTC)
    vain = vain_claims(past, now) - UNDELAYED
    if vain < 0:
        return 0.0
    waited = (now - datetime.fromisoformat(past[-1].at)).total_seconds()
    # A clock that was put back must not make the rest longer.
    return min(LONGEST_REST, max(0.0, min(2.0**vain, LONGEST_REST) - waited))
