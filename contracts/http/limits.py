"""How much one client may ask of the HTTP server: requests in time, and bytes of one request."""

import time
from collections import OrderedDict
from collections.abc import Callable

import anyio
from starlette.types import Message, Receive

_CLIENTS = 4096
"""Clients that are remembered; beyond them, whoever was silent longest starts afresh."""

_BODY_PATIENCE = 30.0
"""Seconds in which a request must have arrived wholly."""


class TooLarge(Exception):
    """A body of more bytes than are taken."""


class TooSlow(Exception):
    """A body that does not end."""


class Gone(Exception):
    """A client that left before it had said everything."""


class Allowance:
    """A bucket of requests for each client, which fills again by and by."""

    def __init__(
        self, per_second: float, at_once: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._full, self._clock = per_second, max(1.0, at_once), clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str) -> float:
        """Count a request: 0 when it may go on, else the seconds after which the next one may."""
        now = self._clock()
        level, at = self._buckets.pop(client, (self._full, now))
        level = min(self._full, level + (now - at) * self._rate)
        wait = 0.0 if level >= 1 else (1 - level) / self._rate
        self._buckets[client] = (level if wait else level - 1, now)
        if len(self._buckets) > _CLIENTS:
            self._buckets.popitem(last=False)
        return wait


async def read_body(receive: Receive, declared: str | None, most: int) -> bytes:
    """A request's whole body; `TooLarge` as soon as that is known, whatever the client declared."""
    if declared is not None and not (declared.isdecimal() and int(declared[:18]) <= most):
        raise TooLarge
    body = bytearray()
    try:
        with anyio.fail_after(_BODY_PATIENCE):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise Gone
                body += message.get("body", b"")
                if len(body) > most:
                    raise TooLarge
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError:
        raise TooSlow from None


def replay(body: bytes, then: Receive) -> Receive:
    """A body that was read already, as an application expects to receive it, and what comes after."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return waiting.pop() if waiting else await then()

    return receive
