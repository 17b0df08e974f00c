"""By which rules the claude researcher works: those of today, and those that older records were made by.

A record replays only by the rules that made it: rules are never changed, only followed by others with another name.
"""

from dataclasses import dataclass, replace

from events.errors import BadRequest


@dataclass(frozen=True, slots=True)
class ClaudeRules:
    """What differs from one generation to the next."""

    name: str
    """What the record calls them."""

    heeds_endings: bool
    """Whether something is made of how a message ended: declined, or cut off."""

    reads_closely: bool
    """Whether an answer is found wherever it stands in a message, a page is known by its address too, orders to
    machines are noticed where no reader sees them and in more languages, and a site by each way of writing its name."""

    accounts_fully: bool
    """Whether a message is counted by a guess where the provider does not say what it took, a budget counts as
    exhausted that the last message overran, and each page that came is noted, also one that is of no use."""

    names_search_key: bool
    """Whether the key is named that the web search refused, and a research ends for it which could read nothing."""

    keeps_to_sources: bool = False
    """Whether an answer has only sentences that their pages say, or that the model calls its own inference; and whether
    what is quoted where no sentence of a model holds must keep to the names and years of the question."""

    shows_plainly: bool = False
    """Whether words of pages can be neither image, link, HTML nor mark in an answer, and none is picked that gives
    orders to machines."""

    compares_in_place: bool = False
    """Whether figures are compared in the light of what stands around them, and those of the answer's own sentences."""

    ends_when_done: bool = False
    """Whether a whole answer in the last round counts as the end that the model chose."""

    grounds_leads: bool = False
    """Whether a lead counts only where something was read or found, at a place that was seen if it names one."""

    names_filter: bool = False
    """Whether a gap names the caller's sites where no search found a page on them."""

    heeds_models: bool = False
    """Whether a model that cannot be told how hard to try is not told: it refuses the whole request."""

    names_topics: bool = False
    """Whether what sources contradict each other on is named in their words: others are asked for it."""


FIRST = ClaudeRules(
    "claude-web-1",
    heeds_endings=False,
    reads_closely=False,
    accounts_fully=False,
    names_search_key=False,
)
SECOND = ClaudeRules(
    "claude-web-2",
    heeds_endings=True,
    reads_closely=False,
    accounts_fully=False,
    names_search_key=False,
)
THIRD = ClaudeRules(
    "claude-web-3",
    heeds_endings=True,
    reads_closely=True,
    accounts_fully=True,
    names_search_key=False,
)
FOURTH = ClaudeRules(
    "claude-web-4",
    heeds_endings=True,
    reads_closely=True,
    accounts_fully=True,
    names_search_key=True,
)
FIFTH = replace(
    FOURTH,
    name="claude-web-5",
    keeps_to_sources=True,
    shows_plainly=True,
    compares_in_place=True,
    ends_when_done=True,
    grounds_leads=True,
)
SIXTH = replace(FIFTH, name="claude-web-6", names_filter=True)
SEVENTH = replace(SIXTH, name="claude-web-7", heeds_models=True)
PRESENT = replace(SEVENTH, name="claude-web-8", names_topics=True)

_ALL = {each.name: each for each in (FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH, SEVENTH, PRESENT)}


def claude_rules_called(name: str) -> ClaudeRules:
    """The rules that a record names."""
    if name not in _ALL:
        raise BadRequest(
            f"This version does not know the rules {name!r}.", "Use the version that recorded it."
        )
    return _ALL[name]
