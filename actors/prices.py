"""What providers charge, in one dated table; every cost in the record and every estimate comes from here.

A cost is computed once, when an answer arrives, and recorded with it: a later table changes no past cost.
"""

from dataclasses import dataclass

from events.calls import Usage

VERSION = "2026-11-16"
"""When the table was last compared with what providers publish."""

_MILLION = 1_000_000

_KEEPING = 0.25
"""What Anthropic charges for keeping a token for five minutes, as a part of what reading it afresh costs."""


@dataclass(frozen=True)
class Price:
    """Dollars per million tokens, per search, and per credit."""

    input: float = 0.0
    """Tokens that were read afresh."""

    cached: float = 0.0
    """Tokens that were read from the provider's cache."""

    output: float = 0.0
    thought: float = 0.0
    search: float = 0.0
    credit: float = 0.0

    def cost(self, usage: Usage, kept: int = 0) -> float:
        """What an answer with this usage costs, in dollars; so many of its fresh tokens were kept for the next one."""
        tokens = (
            (usage.input_tokens + kept * _KEEPING) * self.input
            + usage.cached_tokens * self.cached
            + usage.output_tokens * self.output
            + usage.thought_tokens * self.thought
        )
        dollars = tokens / _MILLION + usage.searches * self.search + usage.credits * self.credit
        return round(dollars, 9)


_DEEP_RESEARCH = Price(input=2.0, cached=0.20, output=12.0, thought=12.0, search=0.014)
"""The agents are billed at the token and search rates of the model they run on."""


def _claude(input: float, output: float, cached: float) -> Price:
    return Price(input=input, cached=cached, output=output, thought=output, search=0.01)


PRICES: dict[str, Price] = {
    "deep-research": _DEEP_RESEARCH,
    "claude-fable-5": _claude(10.0, 50.0, 0.25),
    "claude-opus-5-5": _claude(4.0, 20.0, 0.20),
    "claude-opus": _claude(5.0, 25.0, 0.50),
    "claude-sonnet-5-5": _claude(2.0, 10.0, 0.10),
    "claude-sonnet": _claude(3.0, 15.0, 0.30),
    "claude-haiku-5-5": _claude(0.50, 2.50, 0.05),
    "claude-haiku": _claude(1.0, 5.0, 0.10),
    "tavily": Price(credit=0.008),
    "corpus": Price(),
}
"""By the beginning of a model's name; the longest beginning that fits counts."""

DEAREST = max(PRICES.values(), key=lambda price: (price.output, price.input))
"""For models the table does not know: a spending cap may stop too early, but never too late."""


def price_of(model: str) -> Price:
    """What a model charges."""
    known = [name for name in PRICES if model.startswith(name)]
    return PRICES[max(known, key=len)] if known else DEAREST


def cost_of(model: str, usage: Usage, kept: int = 0) -> float:
    """What one answer of a model costs, in dollars; so many of its fresh tokens were kept for the next one."""
    return price_of(model).cost(usage, kept)
