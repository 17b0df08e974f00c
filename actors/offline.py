"""Cuts this process off from the network, so that what it does next cannot depend on it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_CUT = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"}

_depth = 0
_hooked = False


class NetworkCut(RuntimeError):
    """Something tried to reach the network while it was cut."""


def _refuse(event: str, _: tuple[Any, ...]) -> None:
    if _depth and event in _CUT:
        raise NetworkCut(event)


@contextmanager
def network_cut() -> Iterator[None]:
    """Refuse every connection and name look-up of this process."""
    global _depth, _hooked
    if not _hooked:
        sys.addaudithook(_refuse)
        _hooked = True
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
