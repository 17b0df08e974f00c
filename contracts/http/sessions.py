"""Who is logged in on the page. A session lives in this process's memory, and only as long as its token counts."""

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable

from contracts.http.tokens import Token, digest_of

SESSION_HOURS = 12
CODE_MINUTES = 10
_MOST = 1000
"""Sessions at a time; beyond them the oldest ends."""


class Sessions:
    """The open sessions, and login codes that were not used yet. Of both only hashes are kept."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._open: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self._codes: dict[str, tuple[str, float]] = {}

    def open(self, token: str) -> str:
        """A new session of whoever has the token with that hash; what the cookie holds."""
        spelled = secrets.token_urlsafe(32)
        self._open[digest_of(spelled)] = token, self._clock() + SESSION_HOURS * 3600
        if len(self._open) > _MOST:
            self._open.popitem(last=False)
        return spelled

    def holder(self, spelled: str) -> str | None:
        """The hash of the token that a session belongs to, while it lasts."""
        token, until = self._open.get(digest_of(spelled), ("", 0.0))
        return token if token and self._clock() < until else None

    def close(self, spelled: str) -> None:
        """End a session."""
        self._open.pop(digest_of(spelled), None)

    def issue_code(self, token: Token) -> str:
        """A code that opens one session, once and soon."""
        spelled = secrets.token_urlsafe(32)
        self._codes[digest_of(spelled)] = token.digest, self._clock() + CODE_MINUTES * 60
        return spelled

    def redeem(self, spelled: str) -> str | None:
        """The hash of the token that a code stands for; it never works again."""
        token, until = self._codes.pop(digest_of(spelled), ("", 0.0))
        return token if token and self._clock() < until else None
