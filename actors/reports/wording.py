"""How quotations are put into sentences for a person."""

import re

from language.sentences import clip

_WRAPPED = re.compile(r"\s*[\r\n]+[ \t]*(?:>[ \t]*)*")


def one_line(text: str) -> str:
    """A sentence without the line breaks of its file."""
    return _WRAPPED.sub(" ", text)


def display(text: str) -> str:
    """A quotation as an answer shows it: on one line, a table's row without its outer bars."""
    return " ".join(one_line(text).strip("|").split())


def short(text: str, limit: int) -> str:
    """The text, cut at a clause or word end where it is longer than the limit."""
    if len(text) <= limit:
        return text
    _, end = clip(text, 0, len(text), limit - 2)
    return f"{text[:end]} …"
