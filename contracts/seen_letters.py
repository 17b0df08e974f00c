"""What a client is told, without what nobody sees.

Documents and pages are written by strangers, and may hold letters that a person does not see and a model reads. They
are kept as they came; only what is handed out goes without.
"""

import re
from typing import Any

_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85]")
"""Controls that part words: a line ends there."""

_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}"
)
"""Other controls, reversals, tags, and what only joins; of what chooses the form of a letter, one belongs to it and
more say something of their own."""


def seen(value: Any) -> Any:
    """A reply without controls, reversals and invisible letters."""
    match value:
        case str():
            return quoted(_BREAKS.sub("\n", value))
        case dict():
            return {name: seen(each) for name, each in value.items()}
        case list() | tuple():
            return [seen(each) for each in value]
    return value


def quoted(text: str) -> str:
    """The words of a source as `seen`, but with its own line breaks: they are looked for in it."""
    return _UNSEEN.sub("", text)
