"""What is put together: what each researcher brings in, and the claims that come of it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from actors.findings import Findings

EARLIER = "earlier"
"""What the kind of a contribution is called that an earlier task made."""

Text = Callable[[str], str]
"""The stored text of a hash."""


@dataclass(frozen=True)
class Contribution:
    """What one researcher brings in."""

    kind: str
    """Of the researcher; `EARLIER` for a task that is continued."""

    question: str
    findings: Findings


@dataclass
class Claim:
    """A sentence of the whole, with the numbers that its citations have there."""

    text: str
    about: str
    kind: str
    """Of the researcher whose it is."""

    citations: list[int]
    disputes: set[int] = field(default_factory=set)
