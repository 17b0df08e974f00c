"""How values are spelled and told apart by their bytes; without facts, which take long to import."""

from hashlib import sha256
from typing import Any

import orjson


def _plain(value: Any) -> Any:
    from pydantic import BaseModel

    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    raise TypeError(f"{type(value).__name__} is not for the record")


def canonical(value: Any) -> bytes:
    """The one JSON spelling of a value, for hashing and comparing."""
    return orjson.dumps(value, default=_plain, option=orjson.OPT_SORT_KEYS)


def decode(raw: bytes) -> Any:
    """What JSON bytes say."""
    return orjson.loads(raw)


def digest(raw: bytes) -> str:
    """Tagged digest of bytes."""
    return "sha256:" + sha256(raw).hexdigest()
