"""How long to wait before a provider that failed is asked again."""

import random
from dataclasses import dataclass

from events.errors import ProviderError, ResearchError


@dataclass(frozen=True)
class Patience:
    """How long to wait before a provider that failed is asked again."""

    first: float = 1.0
    longest: float = 60.0
    """Seconds between attempts when the provider does not say when to come back."""

    most: float = 300.0
    """Seconds that a provider's own wish is heeded for at the most."""

    def pause(self, failure: ResearchError, failures: int) -> float:
        """Seconds until the next attempt, after so many failures in a row."""
        wish = failure.retry_after if isinstance(failure, ProviderError) else None
        if wish is not None:
            return min(max(wish, self.first), self.most)
        # Many tasks that failed together should not come back together.
        return min(self.first * 2.0 ** min(failures - 1, 30), self.longest) * random.uniform(0.8, 1)
