"""Code that stands within the lines of a report, where every viewer agrees that it does. Pure.

Markdown has many dialects, and whoever wrote a report may have been told by a page what to write. So code is only known
in paragraphs of which each line closes what it opens, and that have nothing in which any dialect could hide a backtick.
"""

import re
from collections.abc import Callable, Sequence

_RUN = re.compile(r"`+")
_AMBIGUOUS = re.compile(r"\\|\||\$|@|://|www\.|\]\(|\]\[|\]:|\[\[|\^\[|%%|`\{|[\u2028\u2029]", re.I)
"""What may take a backtick to itself, in one dialect or another: escapes, cells, formulas, addresses, links, notes."""

Span = tuple[int, int]


def outside_code(paragraph: Sequence[str], change: Callable[[str], str]) -> list[str]:
    """The lines of one paragraph, with all that is not code in them changed."""
    known = [None if _AMBIGUOUS.search(line) else _spans(line) for line in paragraph]
    spans = [each for each in known if each is not None]
    if len(spans) < len(paragraph):
        return list(map(change, paragraph))
    return [_around(line, each, change) for line, each in zip(paragraph, spans, strict=True)]


def _around(line: str, spans: list[Span], change: Callable[[str], str]) -> str:
    told, at = list[str](), 0
    for start, end in spans:
        told += [change(line[at:start]), line[start:end]]
        at = end
    return "".join([*told, change(line[at:])])


def _spans(line: str) -> list[Span] | None:
    """Where there is code in a line; none where it does not close what it opens."""
    spans, opened = list[Span](), None
    for run in _RUN.finditer(line):
        if opened is None:
            opened = run
        elif len(run.group()) == len(opened.group()):
            spans.append((opened.start(), run.end()))
            opened = None
    return spans if opened is None else None
