"""What can happen to a stream itself, whatever it records."""

from typing import Literal

from events.base import Fact, Hash


class StreamClaimed(Fact):
    """A new writer took the stream over; appends of earlier epochs are refused from here on."""

    kind: Literal["stream_claimed"] = "stream_claimed"

    writer: str
    """Who writes, in words."""

    host: str
    """The machine it runs on."""

    pid: int
    """Its process there."""


class TailCut(Fact):
    """A write that never became a whole decision was removed from the end."""

    kind: Literal["tail_cut"] = "tail_cut"

    length: int
    """How many bytes went."""

    digest: Hash
    """What they were."""
