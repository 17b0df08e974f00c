"""What a page says of itself for machines: schema.org as JSON-LD, read with distrust.

Anything can stand there. What is malformed is passed over, and everything has a bound.
"""

import json
import re
from collections.abc import Iterator
from html import escape
from itertools import islice
from typing import Any

from actors.webpages.markup import broken_lines, has_lines, unescaped, untagged

LONGEST_SCRIPT = 1_000_000
MOST_SCRIPTS = 50
MOST_NODES = 5_000
DEEPEST = 20
LONGEST_VALUE = 2_000
MOST_VALUES = 100

TEXTS = ("articleBody", "reviewBody")
"""Where the whole text of a thing stands."""

_JOB = "JobPosting"
"""A thing whose description is the whole text of its page."""

_TEXT_NAMES = re.compile("|".join((*TEXTS, _JOB)))

_SCRIPT = re.compile(r"<script\b[^<>]{0,500}application/ld\+json[^<>]{0,500}>", re.I)
_SCRIPT_END = re.compile(r"</script\b", re.I)
_COMMENT_BEGIN = re.compile(r"(?://)?+\s*+<!(?:--|\[CDATA\[)")
_COMMENT_ENDS = ("-->", "]]>")

Node = dict[str, Any]


class Structured:
    """The things that a page describes."""

    def __init__(self, html: str) -> None:
        self.malformed = 0
        """Scripts that were meant to describe something and are not JSON."""

        self.nodes: list[Node] = []
        for script in islice(_scripts(html), MOST_SCRIPTS):
            self._read(script[:LONGEST_SCRIPT])

    def _read(self, script: str) -> None:
        bare = _uncommented(script.strip())
        try:
            # Line breaks within strings are the fault that is made most often.
            described = json.loads(bare, strict=False)
        except (ValueError, RecursionError):
            self.malformed += 1
            return
        room = MOST_NODES - len(self.nodes)
        self.nodes += [node for node, _ in zip(_nodes(described, 0), range(room), strict=False)]

    def first(self, *kinds: str) -> Node | None:
        """The first thing of one of these types, in the order of the types."""
        return next((node for kind in kinds for node in self.of_type(kind)), None)

    def of_type(self, kind: str) -> Iterator[Node]:
        """All things of a type."""
        for node in self.nodes:
            if kind.casefold() in {each.casefold() for each in _types(node)}:
                yield node


def described_texts(html: str) -> list[str]:
    """The articles, reviews, answers and job posting whose whole text a page tells to machines, with their markup."""
    if not _TEXT_NAMES.search(html):
        return []
    described = Structured(html)
    told = [node.get(name) for node in described.nodes for name in TEXTS]
    jobs = list(islice(described.of_type(_JOB), 2))
    # Several are a list of jobs, each of which has a page of its own.
    told += [_posting(job) for job in jobs if len(jobs) == 1]
    texts = dict.fromkeys(each for each in told if isinstance(each, str))
    return [each for each in texts if plain_text(each)]


def _posting(job: Node) -> str:
    """The text of a job posting, under what the job is called."""
    text, title = job.get("description"), plain(job.get("title"))
    if not isinstance(text, str):
        return ""
    if not has_lines(unescaped(text)):
        text = "".join(f"<p>{line}</p>" for line in text.splitlines())
    return f"<h1>{escape(escape(title))}</h1>{text}" if title else text


def _scripts(html: str) -> Iterator[str]:
    """What stands in scripts for machines; one that never ends is none, and nothing comes after it."""
    place = 0
    while begin := _SCRIPT.search(html, place):
        end = _SCRIPT_END.search(html, begin.end())
        if end is None:
            return
        yield html[begin.end() : end.start()]
        place = end.end()


def _uncommented(script: str) -> str:
    if begin := _COMMENT_BEGIN.match(script):
        script = script[begin.end() :]
    for end in _COMMENT_ENDS:
        if script.endswith(end):
            script = script.removesuffix(end).rstrip().removesuffix("//")
    return script.strip()


def _nodes(described: Any, depth: int) -> Iterator[Node]:
    if depth > DEEPEST:
        return
    if isinstance(described, list):
        for each in described:
            yield from _nodes(each, depth + 1)
    elif isinstance(described, dict):
        yield described
        for each in described.values():
            if isinstance(each, list | dict):
                yield from _nodes(each, depth + 1)


def _types(node: Node) -> list[str]:
    kind = node.get("@type")
    named = kind if isinstance(kind, list) else [kind]
    return [each.rpartition("/")[2] for each in named if isinstance(each, str)]


# -- values ------------------------------------------------------------------------------------------


def plain(value: Any, depth: int = 0) -> str:
    """A value in words, on one line: markup gone, a thing by its name."""
    if depth > DEEPEST:
        return ""
    if isinstance(value, dict):
        value = value.get("name") or value.get("@value") or value.get("value") or ""
        return plain(value, depth + 1) if not isinstance(value, dict) else ""
    if isinstance(value, list):
        named = (plain(each, depth + 1) for each in value[:MOST_VALUES])
        return ", ".join(dict.fromkeys(filter(None, named)))
    if isinstance(value, bool) or value is None:
        return ""
    # Twice: markup within JSON is often escaped as well.
    return untagged(untagged(str(value)[: 4 * LONGEST_VALUE]))[:LONGEST_VALUE]


def plain_text(value: str) -> str:
    """The whole of a text, its paragraphs apart."""
    broken = broken_lines(unescaped(value[:LONGEST_SCRIPT]))
    return "\n".join(filter(None, map(untagged, broken)))


def lines(value: Any, depth: int = 0) -> list[str]:
    """A value as a list: of its members, or of the lines that its markup makes."""
    if depth > DEEPEST:
        return []
    if isinstance(value, list):
        members = value[:MOST_VALUES]
        return [line for each in members for line in lines(each, depth + 1)][:MOST_VALUES]
    if isinstance(value, dict):
        return [plain(value)] if plain(value) else []
    if not isinstance(value, str):
        return []
    broken = broken_lines(unescaped(value[: 50 * LONGEST_VALUE]))
    found = (plain(line).lstrip("-•・* ") for line in broken)
    return [line for line in found if line][:MOST_VALUES]


def address(value: Any, depth: int = 0) -> str:
    """Where something is, from the street to the country."""
    if depth > DEEPEST:
        return ""
    if isinstance(value, list):
        places = (address(each, depth + 1) for each in value[:MOST_VALUES])
        return "; ".join(dict.fromkeys(filter(None, places)))
    if not isinstance(value, dict):
        return plain(value)
    inner = value.get("address")
    if inner:
        return address(inner, depth + 1)
    parts = (
        value.get(name)
        for name in ("streetAddress", "addressLocality", "addressRegion", "addressCountry")
    )
    return ", ".join(dict.fromkeys(filter(None, map(plain, parts)))) or plain(value)
