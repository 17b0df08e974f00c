"""How deep-research reports cite: with a mark behind the words, `[cite: 3, 12]`, and a numbered list of sources. Pure.

The provider's annotations cover the mark, in bytes, and name the source's address only. A mark may stand before the
full stop or after it; either way it belongs to the sentence that it follows.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace

from actors.reports.interaction import Cited, Draft
from language.sentences import Sentence, sentences

_MARK = re.compile(r"\[cite:\s*([\d,\s]{1,80})\]", re.I)
_LEADING = re.compile(r"(?:\s*\[cite:[^\]\n]{0,80}\])+\s*", re.I)
_BEHIND_STOP = re.compile(
    r"[.!?。\uff01\uff1f][\"'”’»)*_]*(?:\s*\[cite:[^\]\n]{0,80}\])++\s*+(?=\S)", re.I
)
_LISTED = re.compile(
    r"^[ \t]{0,3}(\d{1,3})[.)][ \t]+\[([^\]\n]{1,200})\]\((https?://[^\s()]{1,2000})\)[ \t]*$", re.M
)
_SOURCES = re.compile(
    r"[ \t]{0,3}+(?:#{1,6}[ \t]++)?[*_]{0,3}(?:cited[ \t]++)?"
    r"(?:sources?|references?|works|bibliography|citations|出典|参考文献|参考資料|引用文献|情報源)"
    r"(?:[ \t]++cited)?[ \t]*+[:\uff1a]?[*_]{0,3}[ \t]*+[:\uff1a]?[ \t]*+",
    re.I,
)
"""What a list of sources stands under, on a line of its own."""

_ENTRY = re.compile(
    r"[ \t]{0,8}+(?:(?:\[?\d{1,3}[.)\]]|[*+-])[ \t]++)?"
    r"(?:\[[^\]\n]{1,300}+\]\(https?://[^\s()]{1,2000}+\)|<?https?://\S{1,2000}+)[ \t.]*"
)
"""A link and nothing else."""

_ADDRESS = re.compile(r"https?://[^\s()]", re.I)
_MOST_CITED = 2_000


def with_sources(draft: Draft) -> Draft:
    """A draft whose citations have the names that its list of sources gives them.

    Where the provider annotated nothing, as in a report that was cut short, the marks and the list say what is cited.
    """
    listed = {int(number): (label, url) for number, label, url in _LISTED.findall(draft.text)}
    labels = {url: label for label, url in listed.values()}
    if draft.cited:
        named = (replace(each, title=each.title or labels.get(each.url)) for each in draft.cited)
        return replace(draft, cited=tuple(named))
    return replace(draft, cited=tuple(_marked(draft.text, listed))[:_MOST_CITED])


def with_unplaced(draft: Draft) -> Draft:
    """A draft that also cites what no part of it is annotated with: sources of the report, of none of its sentences."""
    named = {each.url for each in draft.cited}
    more = {each.url: each for each in reversed(draft.unplaced) if each.url not in named}
    nowhere = (replace(each, start=0, end=0) for each in reversed(more.values()))
    return replace(draft, cited=(*draft.cited, *nowhere)[:_MOST_CITED], unplaced=())


def _marked(text: str, listed: dict[int, tuple[str, str]]) -> Iterator[Cited]:
    for mark in _MARK.finditer(text):
        for number in re.findall(r"\d{1,3}", mark[1]):
            if int(number) in listed:
                label, url = listed[int(number)]
                yield Cited(url, label, mark.start(), mark.end())


def report_sentences(text: str) -> list[Sentence]:
    """The sentences of a report, each with the marks that follow it."""
    found: list[Sentence] = []
    for sentence in sentences(text):
        leading = _LEADING.match(text, sentence.start, sentence.end)
        if leading and found and found[-1].block == sentence.block:
            found[-1] = replace(found[-1], end=sentence.start + len(leading.group().rstrip()))
            sentence = replace(sentence, start=leading.end())
        if sentence.start < sentence.end:
            found += _parted(text, sentence)
    return found


def without_list(text: str, spans: Iterable[Sentence]) -> list[Sentence]:
    """The sentences of a report but for the entries of its list of sources: these claim nothing.

    An entry is a line with an address under a heading that says so, or one that is a link and nothing else anywhere.
    """
    entries, listing, at = list[tuple[int, int]](), False, 0
    for line in text.split("\n"):
        if _SOURCES.fullmatch(line):
            listing = True
        elif line.lstrip().startswith("#"):
            listing = False
        elif (listing and _ADDRESS.search(line)) or _ENTRY.fullmatch(line):
            entries.append((at, at + len(line)))
        at += len(line) + 1
    starts = [start for start, _ in entries]

    def is_listed(sentence: Sentence) -> bool:
        place = bisect_right(starts, sentence.start) - 1
        return place >= 0 and sentence.start < entries[place][1]

    return [each for each in spans if not is_listed(each)]


def _parted(text: str, sentence: Sentence) -> Iterator[Sentence]:
    """A sentence, or several that only marks stand between."""
    start = sentence.start
    for stop in _BEHIND_STOP.finditer(text, sentence.start, sentence.end):
        yield replace(sentence, start=start, end=stop.start() + len(stop.group().rstrip()))
        start = stop.end()
    yield replace(sentence, start=start)
