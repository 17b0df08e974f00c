"""What a client is told, without what nobody sees.

Documents and pages are written by strangers, and may hold letters that a person does not see and a model reads. They
are kept as they came; only what is handed out goes without.
"""

import re
from typing import Any

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")


def seen(value: Any) -> Any:
    """A reply without controls, reversals and invisible letters."""
    match value:
        case str():
            return _UNSEEN.sub("", value)
        case dict():
            return {name: seen(each) for name, each in value.items()}
        case list() | tuple():
            return [seen(each) for each in value]
    return value
