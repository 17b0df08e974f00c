"""Orders that a page gives to machines: in its text, in its title, or where no reader sees them. Pure."""

import html
import re

from actors.injection import attempts, visible
from actors.kinds.claude_rules import ClaudeRules
from actors.webpage import WebPage

_READ = 1_000_000
"""Characters of a page's markup that are looked at."""

_PROGRAMS = re.compile(r"(?is)<(script|style|template)\b[^<>]{0,2000}>.*?(?:</\1\s*>|\Z)")
"""Parts of a page that are neither shown nor said to anybody."""

_WITHIN_A_LINE = re.compile(
    r"(?is)</?(?:a|abbr|b|bdi|br|em|font|i|mark|small|span|strong|u|wbr)\b[^<>]{0,2000}>"
)


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
    words = _WITHIN_A_LINE.sub("", _PROGRAMS.sub(" ", markup[:_READ]))
    return html.unescape(words)
