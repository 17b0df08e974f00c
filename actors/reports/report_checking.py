"""Looks for a report's cited sentences in the pages they cite, word for word.

Pure: the same report over the same pages gives the same answer. A sentence is supported when its words stand in one of
its sources: exactly, or but for case, spacing, punctuation and markup; or when words that it puts in quotation marks
stand there, in a passage that says what it says.
Otherwise the passage that shares most of its terms is shown, and nothing is claimed for it.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from actors.answering.terms import Terms
from actors.findings import EXCERPT_LIMIT
from actors.reports.interaction import Cited, Draft
from actors.reports.support import SUPPORTED, support
from language.sentences import CUT, Sentence, clip, sentences

Outcome = Literal["supported", "not_found", "unreachable"]
Match = Literal["exact", "normalised", "none"]

NEAR = 0.4
"""Share of a sentence's terms that a passage must have to be shown as the nearest one."""

READ_LIMIT = 400_000
"""Characters of a page that are looked at."""

_MARKS = re.compile(r"\[cite:[^\]\n]{0,80}\]|\[\d+(?:,\s*\d+)*(?:,\s*)?\](?!\()", re.I)
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\s]*\)")
_MARKUP = re.compile(r"[*_`]{1,3}|^\s*(?:#{1,6}|[-*+>]|\d{1,3}[.)])\s+", re.M)
_QUOTED = re.compile(r"“([^”]{12,400})”|\"([^\"\n]{12,400})\"|«([^»]{12,400})»|「([^」]{6,400})」")
_WORD = re.compile(r"\w+")
_BEFORE_A_STOP = re.compile(r"\s+(?=[.,;:!?])")
_BEFORE_ANY_STOP = re.compile(r"\s+(?=[.,;:!?、。\uff0c\uff0e\uff1a\uff1b\uff01\uff1f])")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f]")
_LEAST_WORDS = 4
_MARKED = EXCERPT_LIMIT - len(CUT)
"""Characters of a passage that leave room for the mark of a cut."""


@dataclass(frozen=True)
class Place:
    """A passage of a page, and how it fits a sentence."""

    url: str
    """The page, as the report cites it."""

    start: int
    end: int
    match: Match
    shared: float
    """Share of the sentence's terms that it has."""

    cut: bool = False
    """Whether the passage goes on where this ends."""


@dataclass(frozen=True)
class Check:
    """What became of one cited sentence."""

    sentence: str
    """As a person reads it, without marks and markup."""

    outcome: Outcome
    match: Match
    places: tuple[Place, ...]
    """Where it was found; or, if nowhere, what comes nearest."""

    urls: tuple[str, ...]
    """The sources it cites."""


class PageText:
    """A page's text, ready to be looked through."""

    def __init__(self, url: str, text: str, terms: Terms) -> None:
        self.url, self.text, self._terms = url, text[:READ_LIMIT], terms

    def find(self, words: str) -> tuple[int, int, Match] | None:
        """Where the words stand, exactly or but for case, spacing and punctuation."""
        at = self.text.find(words)
        if at >= 0:
            return at, at + len(words), "exact"
        sought = _normal(words)[0]
        joined, _ = self._normal
        unspaced = bool(_UNSPACED.search(words))
        found = joined.find(sought.strip() if unspaced else sought) if sought.strip() else -1
        if found < 0:
            return None
        first = found if unspaced else found + 1
        return (*self._span(first, first + len(sought.strip())), "normalised")

    def nearest(self, sought: frozenset[str]) -> tuple[int, int, float] | None:
        """The sentence that shares most terms with what is sought, if it shares enough."""
        best: tuple[int, int, float] | None = None
        for sentence, terms in self._sentences:
            shared = len(sought & terms) / len(sought)
            if shared >= NEAR and (best is None or shared > best[2]):
                best = sentence.start, sentence.end, round(shared, 2)
        return best

    def around(self, start: int, end: int) -> tuple[int, int]:
        """The sentences that a place is in."""
        touched = [each for each, _ in self._sentences if each.start < end and start < each.end]
        return min([start, *(each.start for each in touched)]), max(
            [end, *(each.end for each in touched)]
        )

    @cached_property
    def _normal(self) -> tuple[str, list[tuple[int, int, int]]]:
        return _normal(self.text)

    @cached_property
    def _sentences(self) -> list[tuple[Sentence, frozenset[str]]]:
        return [
            (each, terms_of(self.text[each.start : each.end], self._terms))
            for each in sentences(self.text)
            if each.kind in {"prose", "item", "table"}
        ]

    def _span(self, start: int, end: int) -> tuple[int, int]:
        """From places in the normal form back to places in the text."""
        _, words = self._normal
        return self._place(words, start, at_end=False), self._place(words, end, at_end=True)

    def _place(self, words: list[tuple[int, int, int]], at: int, *, at_end: bool) -> int:
        here = at - 1 if at_end else at
        joined, start, end = words[bisect_right(words, (here, len(self.text), 0)) - 1]
        within = at - joined
        # Within a word only where its letters correspond one to one.
        return min(start + within, end)


def _normal(text: str) -> tuple[str, list[tuple[int, int, int]]]:
    """Words in plain spelling with one space around each, and where each comes from."""
    joined, words, at = [" "], list[tuple[int, int, int]](), 1
    for found in _WORD.finditer(text):
        plain = unicodedata.normalize("NFKC", found.group()).casefold()
        words.append((at, found.start(), found.end()))
        joined.append(plain + " ")
        at += len(plain) + 1
    return "".join(joined), words


def terms_of(text: str, terms: Terms) -> frozenset[str]:
    """The meaningful terms of a text."""
    return frozenset(token.term for token in terms.tokens(text))


def as_read(text: str, *, plainly: bool = False) -> str:
    """A piece of a report without citation marks and markup, on one line; plainly, as any language has its stops."""
    plain = _MARKUP.sub("", _LINK.sub(r"\1", _MARKS.sub("", text)))
    before = _BEFORE_ANY_STOP if plainly else _BEFORE_A_STOP
    return before.sub("", " ".join(plain.split()))


def cited_sentences(
    draft: Draft, spans: Iterable[Sentence] | None = None, *, plainly: bool = False
) -> list[tuple[str, tuple[str, ...]]]:
    """The report's sentences that cite something, with the sources of each, in order.

    A source belongs to every sentence that its stretch of the report has a real part in.
    """
    found: list[tuple[str, tuple[str, ...]]] = []
    for sentence in sentences(draft.text) if spans is None else spans:
        if sentence.kind not in {"prose", "item", "table"}:
            continue
        urls = [mark.url for mark in draft.cited if _belongs(mark, sentence)]
        words = as_read(draft.text[sentence.start : sentence.end], plainly=plainly)
        if urls and _WORD.search(words):
            found.append((words, tuple(dict.fromkeys(urls))))
    return found


def uncited_sentences(
    draft: Draft, spans: Iterable[Sentence] | None = None, *, plainly: bool = False
) -> list[str]:
    """The report's sentences that cite nothing, in order."""
    found = []
    for sentence in sentences(draft.text) if spans is None else spans:
        if sentence.kind not in {"prose", "item"}:
            continue
        words = as_read(draft.text[sentence.start : sentence.end], plainly=plainly)
        cites = any(_belongs(mark, sentence) for mark in draft.cited)
        if not cites and _long_enough(words):
            found.append(words)
    return found


def _belongs(mark: Cited, sentence: Sentence) -> bool:
    shared = min(mark.end, sentence.end) - max(mark.start, sentence.start)
    return shared > 0 and 2 * shared >= min(mark.end - mark.start, sentence.end - sentence.start)


def check(
    cited: Iterable[tuple[str, tuple[str, ...]]],
    pages: dict[str, PageText],
    terms: Terms,
    *,
    weighs_quotations: bool = False,
) -> list[Check]:
    """Look for each sentence in those of its sources that could be read.

    `weighs_quotations`: whether what a sentence quotes counts only where the page says the sentence as a whole; then
    passages also leave room for the mark of a cut.
    """
    find = _said if weighs_quotations else _verbatim
    return [_check(words, urls, pages, terms, find) for words, urls in cited]


def _check(
    words: str,
    urls: tuple[str, ...],
    pages: dict[str, PageText],
    terms: Terms,
    find: Callable[[str, PageText], Place | None],
) -> Check:
    read = [pages[url] for url in urls if url in pages]
    if not read:
        return Check(words, "unreachable", "none", (), urls)
    places = [place for page in read if (place := find(words, page))]
    if places:
        match: Match = "exact" if any(p.match == "exact" for p in places) else "normalised"
        return Check(words, "supported", match, tuple(places), urls)
    sought = terms_of(words, terms)
    near = [
        Place(page.url, start, last, "none", shared, last < end)
        for page in read
        if sought and (found := page.nearest(sought))
        for start, end, shared in [found]
        for _, last in [clip(page.text, start, end)]
    ]
    return Check(words, "not_found", "none", tuple(near), urls)


def _verbatim(words: str, page: PageText) -> Place | None:
    """Where a sentence stands, or anything that it puts in quotation marks, whatever it says besides."""
    return _find((words, words.rstrip(".!?。"), *_quotations(words)), page, EXCERPT_LIMIT)


def _said(words: str, page: PageText) -> Place | None:
    """Where a sentence stands, or what it quotes; that only in sentences of the page which say it as a whole.

    A few words that were quoted truly prove nothing of what else the sentence claims.
    """
    if whole := _find((words, words.rstrip(".!?。")), page, _MARKED):
        return whole
    for quotation in _quotations(words):
        if (quoted := _find((quotation,), page, _MARKED)) is None:
            continue
        for start, stop in (page.around(quoted.start, quoted.end), (quoted.start, quoted.end)):
            _, end = clip(page.text, start, stop, _MARKED)
            if quoted.end <= end and support(words, page.text[start:end]) >= SUPPORTED:
                return replace(quoted, start=start, end=end, cut=end < stop)
    return None


def _quotations(words: str) -> list[str]:
    return [next(filter(None, each)) for each in _QUOTED.findall(words)]


def _find(wanted: Iterable[str], page: PageText, limit: int) -> Place | None:
    """The first of several wordings that a page has."""
    for sought in wanted:
        if not _long_enough(sought):
            continue
        if found := page.find(sought):
            start, end, match = found
            _, last = clip(page.text, start, end, limit)
            return Place(page.url, start, last, match, 1.0, last < end)
    return None


def _long_enough(words: str) -> bool:
    """A few words stand on any page; finding them proves nothing."""
    unspaced = len(_UNSPACED.findall(words))
    return unspaced >= 2 * _LEAST_WORDS or len(_WORD.findall(words)) >= _LEAST_WORDS
