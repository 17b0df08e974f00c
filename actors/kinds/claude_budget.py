"""What a research may use, and what it has used: rounds, tokens and pages, checked before each call.

Tokens of every kind count: read afresh, read from the provider's cache, thought, written, and those of calls that
failed after the provider may have begun. A call is only made when what it is expected to take fits; the
expectation can be wrong once, so the budget is overrun by one call at the most.
"""

import json
import math
from dataclasses import dataclass
from typing import Any

from events.calls import Usage
from events.catalogue import Brief

_DEPTHS = {"shallow": (2, 5_000), "balanced": (4, 15_000), "deep": (5, 25_000)}
"""Rounds and tokens, where the caller leaves the contract's defaults."""

LEAST_ANSWER = 500
"""Tokens without which no answer can be written."""

MOST_ANSWER = 6_000
NEXT_ROUND = 1_200
"""Tokens that the results of a round's tools take in the round after it, at least."""


@dataclass(frozen=True)
class Limits:
    """What may be used."""

    rounds: int
    tokens: int
    sources: int


def limits(brief: Brief) -> Limits:
    """The caller's limits; where the caller named none, the depth decides."""
    given = brief.constraints
    rounds, tokens = _DEPTHS[brief.depth]
    if given.binds("max_iterations"):
        rounds = given.max_iterations
    if given.binds("token_budget"):
        tokens = given.token_budget
    return Limits(max(1, rounds), max(0, tokens), max(0, given.max_sources))


def total(usage: Usage) -> int:
    """Every token of an answer."""
    return usage.input_tokens + usage.cached_tokens + usage.output_tokens + usage.thought_tokens


def usage_of(message: dict[str, Any]) -> Usage:
    """What an answer consumed: tokens written to the cache were read, thoughts are not output twice."""
    counts = message.get("usage") if isinstance(message.get("usage"), dict) else {}
    assert isinstance(counts, dict)
    details = counts.get("output_tokens_details")
    thought = _count(details, "thinking_tokens")
    output = _count(counts, "output_tokens")
    searches = _count(counts.get("server_tool_use"), "web_search_requests")
    return Usage(
        input_tokens=_count(counts, "input_tokens") + _count(counts, "cache_creation_input_tokens"),
        cached_tokens=_count(counts, "cache_read_input_tokens"),
        output_tokens=max(0, output - thought),
        thought_tokens=min(thought, output) if output else thought,
        searches=searches,
    )


def kept_in(message: dict[str, Any]) -> int:
    """How many of the tokens that were read afresh the provider keeps for the next request: that costs extra."""
    return _count(message.get("usage"), "cache_creation_input_tokens")


def _count(counts: Any, name: str) -> int:
    value = counts.get(name) if isinstance(counts, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def estimate(value: Any) -> int:
    """About how many tokens something has, rather too many than too few."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    plain = len(text.encode("ascii", "ignore"))
    return math.ceil(plain / 3.2 + (len(text) - plain) * 1.1)


class Budget:
    """What has been used of the limits."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.tokens = 0
        self.rounds = 0
        self.ended_by_limit = False
        """Whether a limit, and not the model, decided when to stop."""

        self._known_input = 0
        self._known_size = 0

    @property
    def left(self) -> int:
        """Tokens that remain."""
        return max(0, self.limits.tokens - self.tokens)

    def expected_input(self, request: dict[str, Any]) -> int:
        """Tokens that a request will take to read: known for what was sent before, guessed for the rest."""
        guessed = estimate(request)
        if not self._known_input:
            return guessed
        return self._known_input + max(0, guessed - self._known_size)

    def expected_next(self) -> int:
        """Tokens that the conversation so far takes to read."""
        return self._known_input

    def forget_size(self) -> None:
        """Guess anew: the next request begins another conversation."""
        self._known_input = self._known_size = 0

    def count(self, request: dict[str, Any], usage: Usage) -> None:
        """Count an answer, and learn from it how well requests are guessed."""
        self.tokens += total(usage)
        if read := usage.input_tokens + usage.cached_tokens:
            self._known_input, self._known_size = read, estimate(request)

    def count_unknown(self, request: dict[str, Any]) -> None:
        """Count a call of which nobody knows what it took: it failed when it may have been read, or says nothing."""
        self.tokens += self.expected_input(request)

    def fits(self, request: dict[str, Any]) -> bool:
        """Whether an answer to a request can be paid for."""
        return self.expected_input(request) + LEAST_ANSWER <= self.left

    def is_last(self, request: dict[str, Any]) -> bool:
        """Whether no further round could follow the one that a request begins."""
        if self.rounds + 1 >= self.limits.rounds:
            return True
        here = self.expected_input(request)
        return 2 * here + NEXT_ROUND + 2 * LEAST_ANSWER > self.left

    def answer_room(self, request: dict[str, Any]) -> int:
        """Tokens that an answer to a request may have."""
        return max(LEAST_ANSWER, min(MOST_ANSWER, self.left - self.expected_input(request)))
