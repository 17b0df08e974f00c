"""A page of the web that was fetched, as a researcher reads and quotes it."""

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from actors.answering.candidates import Source
from actors.answering.terms import Terms
from actors.outside import Page
from actors.ports import Passage
from actors.reports.excerpts import Passages
from events.research import PageKept

_OPENING = 2
"""Sentences at a page's beginning that are always read: they say what it is about."""

_SKIPPED = "\n[…]\n"


def page_kept(url: str, page: Page) -> PageKept:
    """The fact that a page came, whatever is made of it."""
    return PageKept(
        url=url,
        final_url=page.final_url,
        media_type=page.media_type,
        original=page.original,
        text=page.text,
    )


@dataclass(frozen=True)
class WebPage:
    """What was fetched, and what it says."""

    name: str
    """What the model calls it."""

    page: Page
    text: str
    order: int

    @property
    def locator(self) -> str:
        """The address that it was found at."""
        return self.page.final_url

    @cached_property
    def passages(self) -> Passages:
        """Its text, for finding things in it."""
        return Passages(self.text)

    @cached_property
    def source(self) -> Source:
        """The same as the rules about sources see it."""
        passage = Passage(
            document=self.locator,
            version=self.page.original.hash,
            size=self.page.original.size,
            text_hash=self.page.text.hash,
            locator=self.locator,
            title=self.page.title,
            media_type=self.page.media_type,
            collection="web",
            published_at=self.page.fetched_at,
            headings=(),
            start=0,
            end=len(self.text),
            text="",
            score=0.0,
        )
        return Source(passage, self.text, (), self.order)

    def about(self, subject: str, room: int) -> str:
        """The parts of the page that bear on something, in order, within so many characters."""
        if len(self.text) <= room:
            return self.text
        sentences = self.passages.sentences
        chosen: set[int] = set()
        taken = 0
        for place in self._by_relevance(subject):
            for each in (place, place + 1):
                if each < len(sentences) and each not in chosen:
                    span = sentences[each][0]
                    if taken + span.end - span.start <= room:
                        taken += span.end - span.start
                        chosen.add(each)
        return self._joined(sorted(chosen)) or self.text[:room]

    def best(self, subject: str, most: int) -> list[int]:
        """The places of the sentences that bear most on something."""
        return self._by_relevance(subject, opening=False)[:most]

    def _by_relevance(self, subject: str, *, opening: bool = True) -> list[int]:
        sentences = self.passages.sentences
        wanted = {token.term for token in Terms().tokens(subject)}
        occurs = Counter(term for _, terms in sentences for term in terms & wanted)
        rarity = {term: math.log(1 + len(sentences) / times) for term, times in occurs.items()}
        scores = [sum(rarity[term] for term in terms & wanted) for _, terms in sentences]
        first = list(range(min(_OPENING, len(sentences)))) if opening else []
        ranked = sorted(
            (place for place, score in enumerate(scores) if score > 0),
            key=lambda place: (-round(scores[place], 9), place),
        )
        return first + [place for place in ranked if place not in first]

    def _joined(self, places: list[int]) -> str:
        pieces: list[str] = []
        last = -2
        for place in places:
            span = self.passages.sentences[place][0]
            if place == last + 1 and pieces:
                before = self.passages.sentences[last][0]
                pieces.append(self.text[before.end : span.end])
            else:
                pieces.append((_SKIPPED if pieces else "") + self.text[span.start : span.end])
            last = place
        return "".join(pieces)
