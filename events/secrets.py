"""Keeps keys out of the record and the logs, wherever they turn up."""

import json
import os
import re
from typing import Any

_NAMED = re.compile(r"(API_KEY|ZOTERO_KEY|AUTH_TOKEN|SECRET|PASSWORD)$")
TOKEN_PREFIX = "rtok_"
"""How the tokens of our own HTTP server begin: so that one is recognised wherever it turns up."""

_SHAPED = re.compile(
    rb"sk-ant-[A-Za-z0-9_-]{16,}|AIza[A-Za-z0-9_-]{30,}|tvly-[A-Za-z0-9_-]{16,}"
    rb"|rtok_[A-Za-z0-9_-]{30,}|(?i:bearer) [A-Za-z0-9._~+/-]{16,}"
)
_MARKS = (b"sk-ant-", b"AIza", b"tvly-", b"rtok_", b"earer ")
_MASK = b"[redacted]"

# Longest first, so that a secret within another leaves nothing of it behind.
_known: list[bytes] = []
_spelled: list[bytes] = []
"""The same as they look inside JSON."""

_COMMON = b'"kindetaorscl_mpu0123456789bfhgy-w v'
"""Letters that facts are mostly made of, the most frequent first."""


def _with_rarest(mark: bytes) -> tuple[bytes, bytes]:
    """A mark behind its rarest letter: one letter is found, or missed, thirty times faster."""
    rare = [letter for letter in mark if letter not in _COMMON] or [max(mark, key=_COMMON.index)]
    return bytes(rare[:1]), mark


_watched: tuple[tuple[bytes, bytes], ...] = tuple(map(_with_rarest, _MARKS))
"""What to look for in JSON before anything is taken apart."""


def learn_secrets(environment: dict[str, str] | None = None) -> None:
    """Remember the values of everything in the environment that is named like a secret."""
    for name, value in (os.environ if environment is None else environment).items():
        raw = os.fsencode(value)
        if is_secret(name) and len(value) >= 8 and raw not in _known:
            _known.append(raw)
            _spelled.append(os.fsencode(json.dumps(value, ensure_ascii=False)[1:-1]))
    _known.sort(key=len, reverse=True)
    global _watched
    _watched = tuple(map(_with_rarest, (*_MARKS, *_spelled)))


def is_secret(name: str) -> bool:
    """Whether a name in an environment is that of a secret."""
    return _NAMED.search(name) is not None


def may_hold_secret(raw: bytes) -> bool:
    """A quick look at JSON: false means there is nothing to redact."""
    # One search for each, in a plain loop: far faster than one pattern for all of them.
    for letter, mark in _watched:  # noqa: SIM110 - a generator would cost more than the search
        if letter in raw and mark in raw:
            return True
    return False


def redact(raw: bytes) -> bytes:
    """The same bytes with every known or secret-looking value masked."""
    for secret in _known:
        raw = raw.replace(secret, _MASK)
    return _SHAPED.sub(_MASK, raw)


def redact_text(text: str) -> str:
    """`redact`, for text."""
    return redact(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


def redact_value(value: Any) -> Any:
    """`redact`, for everything within a value; what is neither text nor number becomes text."""
    if isinstance(value, str):
        return redact_text(value)
    if isinstance(value, dict):
        return {key: redact_value(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [redact_value(inner) for inner in value]
    return value if value is None or isinstance(value, int | float) else redact_text(repr(value))


def redact_event(raw: bytes) -> bytes:
    """`redact`, for an event's JSON: it stays JSON, and its kind and its members' names stay."""
    # Not on the bytes: an escape such as \t is half of what may look like a secret.
    event = json.loads(raw)
    masked = redact_value(event) | {"kind": event["kind"]}
    return json.dumps(masked, ensure_ascii=False, separators=(",", ":")).encode()
