"""What providers answer, as far as it can be written down again.

JSON may hold half characters, endless numbers and numbers that are none; the record may not. What was paid for must not
be lost for one of them.
"""

import json
from typing import Any


def read_json(raw: str) -> Any:
    """What a JSON text says, with what cannot be written down replaced; `ValueError` where it is none."""
    return writable(json.loads(raw, parse_int=_integer, parse_constant=lambda _: None))


def writable(value: Any) -> Any:
    """The same value, with what cannot be written down replaced."""
    text = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    return json.loads(text, parse_int=_integer, parse_constant=lambda _: None)


def _integer(written: str) -> int | float:
    return int(written) if len(written) < 18 else float(written)
