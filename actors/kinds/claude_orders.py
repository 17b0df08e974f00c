"""Orders that a page gives to machines: in its text, in its title, or where no reader sees them. Pure."""

import re

from actors.kinds.claude_rules import ClaudeRules
from actors.webpages.injection import attempts, visible
from actors.webpages.markup import unescaped
from actors.webpages.webpage import WebPage

_READ = 1_000_000
"""Characters of a page's markup that are looked at."""

_PROGRAM = re.compile(r"(?i)<(script|style|template)\b[^<>]{0,2000}>")
"""Begins a part of a page that is neither shown nor said to anybody."""

_WITHIN_A_LINE = re.compile(
    r"(?is)</?(?:(?:a|abbr|b|bdi|br|em|font|i|mark|small|span|strong|u|wbr)\b|[a-z]+-)[^<>]{0,2000}>"
)
"""Tags that part no words, and those that a site makes up: they may be called as a provider's marks are."""


def orders_in(page: WebPage, markup: str | None, rules: ClaudeRules) -> str | None:
    """What a page tells machines to do, and where it does; none where it does not."""
    closely = rules.reads_closely
    if found := attempts(page.text, widely=closely):
        return f"The page gives instructions to machines: “{found[0].words}”"
    if not closely:
        return None
    if found := attempts(visible(page.page.title), widely=True):
        return f"The page gives instructions to machines in its title: “{found[0].words}”"
    if found := attempts(_unseen(markup or ""), widely=True):
        return (
            f"The page gives instructions to machines where no reader sees them: “{found[0].words}”"
        )
    return None


def _unseen(markup: str) -> str:
    """All words of a page's markup, with those of comments, attributes and hidden parts."""
    return unescaped(_WITHIN_A_LINE.sub("", _without_programs(markup[:_READ])))


def _without_programs(markup: str) -> str:
    """Markup without scripts and the like; what nothing ends is none, or it could hide all that follows."""
    kept: list[str] = []
    place, endless = 0, set[str]()
    while begun := _PROGRAM.search(markup, place):
        kept += [markup[place : begun.start()], " "]
        place, name = begun.end(), begun[1].lower()
        if name in endless:
            continue
        if ended := re.compile(rf"(?i)</{name}\s*>").search(markup, place):
            place = ended.end()
        else:
            endless.add(name)
    return "".join([*kept, markup[place:]])
