"""Keeps keys out of the record and the logs, wherever they turn up."""

import os
import re

_NAMED = re.compile(r"(API_KEY|AUTH_TOKEN|SECRET|PASSWORD)$")
_SHAPED = re.compile(
    rb"sk-ant-[A-Za-z0-9_-]{16,}|AIza[A-Za-z0-9_-]{30,}|tvly-[A-Za-z0-9_-]{16,}"
    rb"|(?i:bearer) [A-Za-z0-9._~+/-]{16,}"
)
_MARKS = (b"sk-ant-", b"AIza", b"tvly-", b"earer ")
_MASK = b"[redacted]"

_known: set[bytes] = set()


def learn_secrets(environment: dict[str, str] | None = None) -> None:
    """Remember the values of everything in the environment that is named like a secret."""
    for name, value in (os.environ if environment is None else environment).items():
        if _NAMED.search(name) and len(value) >= 8:
            _known.add(value.encode())


def may_hold_secret(raw: bytes) -> bool:
    """A quick look: false means there is nothing to redact."""
    return any(mark in raw for mark in _MARKS) or any(secret in raw for secret in _known)


def redact(raw: bytes) -> bytes:
    """The same bytes with every known or secret-looking value masked."""
    for secret in _known:
        raw = raw.replace(secret, _MASK)
    return _SHAPED.sub(_MASK, raw)


def redact_text(text: str) -> str:
    """`redact`, for text."""
    return redact(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
