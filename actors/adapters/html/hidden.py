"""What a page keeps from every reader and still tells machines."""

import re
from collections.abc import Iterable

_UNSEEN_STYLE = re.compile(
    r"(?:^|;)(?:display:none|visibility:(?:hidden|collapse)|clip:rect\((?:[01](?:px)?,?){4}\)"
    r"|clip-path:inset\((?:50|100)%|(?:left|right|top|text-indent):-(?:999|\d{4,}))"
)
"""Styles, written without blanks, under which nothing is seen."""

_TRANSPARENT = re.compile(r"(?:^|;)color:transparent")
_FILLED = "background-clip:text"
"""Letters are seen by what is behind them, as those of headings in several colours are."""


def is_hidden(attributes: Iterable[tuple[str, str | None]]) -> bool:
    """Whether attributes keep what an element says from every reader; machines would still be told it."""
    said = {name: "".join((value or "").casefold().split()) for name, value in attributes}
    return "hidden" in said or said.get("aria-hidden") == "true" or _hides(said.get("style", ""))


def _hides(style: str) -> bool:
    if _TRANSPARENT.search(style) and _FILLED not in style:
        return True
    return _UNSEEN_STYLE.search(style) is not None
