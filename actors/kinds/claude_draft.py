"""The model's answer as it came: any text at all, from which whatever has the right form is taken.

Nothing here believes anything. A draft is bounded in every direction, free of what is not seen,
and still has to be held against the pages.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, get_args

from actors.findings import DiscoveryEvent, Gap, OpenQuestion
from actors.webpages.injection import visible
from events.research import GapCategory
from language.sentences import sentences

MOST_SENTENCES = 60
MOST_EVIDENCE = 6
LONGEST_PAGE = 300
"""What a page may be called by."""

_MOST_OTHER = 10
_LONGEST_SENTENCE = 1_200
_LONGEST_EXCERPT = 4_000
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,2000}\)")
_MARK = re.compile(r"\s*\[(?:\d{1,3}(?:,\s*\d{1,3})*|p\d{1,3}|inference)\](?=[\s.,;:!?。]|$)")
"""The model's own references; those of the answer are set by what is found."""

_BEGINNING = re.compile(r"\{")
_LISTED = re.compile(r'"sentences"\s*:\s*\[')
_LOOKED_AT = 20
"""Beginnings of objects among which the answer is looked for."""

_BETWEEN = re.compile(r"[\s,]*")
_CATEGORIES = set(get_args(GapCategory))


@dataclass(frozen=True)
class Claim:
    """Words that the model says stand in a page."""

    page: str
    excerpt: str


@dataclass(frozen=True)
class DraftSentence:
    """A sentence of the answer, with what it is said to rest on."""

    text: str
    claims: tuple[Claim, ...]
    inference: bool


@dataclass(frozen=True)
class Draft:
    """An answer that nobody has checked."""

    sentences: tuple[DraftSentence, ...]
    gaps: tuple[Gap, ...] = ()
    discoveries: tuple[DiscoveryEvent, ...] = ()
    questions: tuple[OpenQuestion, ...] = ()
    confidence: float | None = None


def read_draft(
    text: str, locators: dict[str, str], *, closely: bool = False, grounded: bool = False
) -> Draft | None:
    """What a text says as an answer; none where it is none.

    `locators` are the addresses that were seen, by themselves and by the names of pages. Read closely, the answer may
    follow something else in braces. With `grounded`, leads are left out that name a source which was never seen.
    """
    said = _json(text, closely=closely)
    if said is None or not isinstance(said.get("sentences"), list):
        return None
    found = tuple(_sentences(said["sentences"]))[:MOST_SENTENCES]
    seen = locators if grounded else None
    return Draft(
        sentences=found,
        gaps=tuple(_gaps(_dicts(said, "gaps"))),
        discoveries=tuple(_discoveries(_leads(said, "discovery_events", seen), locators)),
        questions=tuple(_questions(_leads(said, "open_questions", seen), locators)),
        confidence=_share(said.get("confidence")),
    )


def _json(text: str, *, closely: bool) -> dict[str, Any] | None:
    """The object in a text, whatever stands around it; where it breaks off, the sentences it has."""
    decoder = json.JSONDecoder(parse_constant=lambda _: None)
    begun = [each.start() for each in islice(_BEGINNING.finditer(text), _LOOKED_AT)]
    first = _object(decoder, text, begun[0]) if begun and not closely else None
    if said := _answer(decoder, text, begun) if closely else first:
        return said
    listed = _LISTED.search(text) if begun else None
    return {"sentences": list(_items(decoder, text, listed.end()))} if listed else None


def _answer(decoder: json.JSONDecoder, text: str, begun: list[int]) -> dict[str, Any] | None:
    """The last whole object that has the shape of an answer: one before it may be quoted from a page."""
    objects = (_object(decoder, text, start) for start in reversed(begun))
    return next(
        (each for each in objects if each and isinstance(each.get("sentences"), list)), None
    )


def _object(decoder: json.JSONDecoder, text: str, start: int) -> dict[str, Any] | None:
    """The object that begins at a place, if one does and is whole."""
    try:
        said, _ = decoder.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None


def _items(decoder: json.JSONDecoder, text: str, at: int) -> Iterator[Any]:
    for _ in range(MOST_SENTENCES):
        between = _BETWEEN.match(text, at)
        try:
            item, at = decoder.raw_decode(text, between.end() if between else at)
        except (ValueError, RecursionError):
            return
        yield item


def _sentences(listed: list[Any]) -> Iterator[DraftSentence]:
    for each in listed[:MOST_SENTENCES]:
        if not isinstance(each, dict):
            continue
        claims = tuple(
            Claim(
                _text(one, "page", LONGEST_PAGE),
                _text(one, "excerpt", _LONGEST_EXCERPT, lines=True),
            )
            for one in _dicts(each, "evidence")[:MOST_EVIDENCE]
        )
        for text in _split(_plain(each.get("text"))):
            yield DraftSentence(text, claims, each.get("inference") is True and not claims)


def _split(text: str) -> list[str]:
    """The sentences of what should be one."""
    spans = [text[each.start : each.end] for each in sentences(text)]
    return [span.strip() for span in spans if any(map(str.isalnum, span))]


def _plain(value: Any) -> str:
    """A sentence without links, images, headings and references of the model's own making."""
    text = visible(value)[:_LONGEST_SENTENCE] if isinstance(value, str) else ""
    text = _LINK.sub(r"\1", text)
    return _MARK.sub("", text).lstrip("#>-*• \t|").strip()


def _gaps(listed: list[dict[str, Any]]) -> Iterator[Gap]:
    for each in listed:
        topic, category = _text(each, "topic", 200), each.get("category")
        if topic and isinstance(category, str) and category in _CATEGORIES:
            detail = _text(each, "detail", 400) or "The model gives no reason."
            yield Gap(topic=topic, category=category, detail=detail)  # type: ignore[arg-type]


def _discoveries(listed: list[dict[str, Any]], known: dict[str, str]) -> Iterator[DiscoveryEvent]:
    kinds = {"related_research", "new_source", "contradiction"}
    for each in listed:
        query, reason = _text(each, "query", 300), _text(each, "reason", 400)
        if query and reason:
            kind = each.get("type")
            yield DiscoveryEvent(
                type=kind if isinstance(kind, str) and kind in kinds else "related_research",
                suggested_researcher=_text(each, "suggested_researcher", 60) or None,
                query=query,
                reason=reason,
                source_locator=known.get(_text(each, "source", 2_000)),
            )


def _questions(listed: list[dict[str, Any]], known: dict[str, str]) -> Iterator[OpenQuestion]:
    for each in listed:
        question, context = _text(each, "question", 300), _text(each, "context", 400)
        priority = each.get("priority")
        if question and context:
            yield OpenQuestion(
                question=question,
                context=context,
                priority=priority if priority in ("high", "medium", "low") else "medium",
                source_locator=known.get(_text(each, "source", 2_000)),
            )


def _leads(members: dict[str, Any], name: str, seen: dict[str, str] | None) -> list[dict[str, Any]]:
    """Leads, without those whose source was never seen, where that is to be known."""
    listed = _dicts(members, name)
    if seen is None:
        return listed
    known = {"", *map(page_key, seen)}
    return [each for each in listed if page_key(_text(each, "source", 2_000)) in known]


def page_key(url: str) -> str:
    """One name for spellings of an address that lead to the same page."""
    return url.strip().partition("#")[0].rstrip("/")


def _dicts(members: dict[str, Any], name: str) -> list[dict[str, Any]]:
    listed = members.get(name)
    found = listed if isinstance(listed, list) else []
    return [each for each in found[:_MOST_OTHER] if isinstance(each, dict)]


def _text(members: dict[str, Any], name: str, most: int, *, lines: bool = False) -> str:
    value = members.get(name)
    if not isinstance(value, str):
        return ""
    value = value.encode("utf-8", "replace").decode()
    return value[:most] if lines else visible(value)[:most]


def _share(value: Any) -> float | None:
    usable = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return float(value) if usable else None
