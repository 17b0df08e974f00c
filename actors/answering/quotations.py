"""The quotations that an answer is made of, and the numbered places that they are quoted from."""

import re
from collections.abc import Sequence

from actors.answering.candidates import Source
from actors.answering.quoting import Quote
from actors.answering.rules import Rules
from actors.findings import EXCERPT_LIMIT, Citation
from actors.reports.phrases import Phrases
from actors.reports.wording import display, short
from actors.trust import trust
from language.listings import in_lines
from language.plain import plainly
from language.sentences import CUT

_DEEPER = " " * 4
"""How far an answer moves an item of an item in: enough below "10." as well."""


class Quotations:
    """Quotes with their citations, numbered in the order of the answer; one place has one number."""

    def __init__(self, quotes: Sequence[Quote], rules: Rules, phrases: Phrases) -> None:
        self.quotes, self._rules, self.phrases = quotes, rules, phrases
        self.citations: list[Citation] = []
        self.cited = [self._cite(quote) for quote in quotes]
        """For each quote, its citations: its own place first, then its second witnesses."""

    def of(self, part: int) -> list[Quote]:
        """The quotes that answer a part."""
        return [quote for quote in self.quotes if quote.part == part]

    def number(self, quote: Quote) -> int:
        """What the answer calls a quote's own place."""
        return next(
            cited[0] for each, cited in zip(self.quotes, self.cited, strict=True) if each is quote
        )

    def lines(self, part: int) -> list[str]:
        """The quotes of a part as the answer shows them."""
        pairs = zip(self.quotes, self.cited, strict=True)
        return [self._line(quote, cited) for quote, cited in pairs if quote.part == part]

    def shown(self, text: str) -> str:
        """Words of a source as an answer shows them."""
        return plainly(display(text)) if self._rules.shows_plainly else display(text)

    def told(self, quote: Quote) -> str:
        """A quotation as an answer shows it: a list as a list."""
        if not (quote.lead.leads or quote.lead.led):
            return self.shown(quote.text) + (" …" if self._is_cut(quote.source, quote.end) else "")
        lines = [
            f"  {_DEEPER * depth}{mark} {self.shown(words)}" if mark else self.shown(words)
            for depth, mark, words in in_lines(quote.text)
        ]
        goes_on = quote.goes_on or self._is_cut(quote.source, quote.end)
        return "\n".join([*lines, "  …"] if goes_on else lines).lstrip()

    def _is_cut(self, source: Source, end: int) -> bool:
        return self._rules.marks_cuts and source.goes_on(end)

    def _line(self, quote: Quote, cited: list[int]) -> str:
        marks = "".join(f"[{number}]" for number in cited)
        against = ", ".join(f"[{self.number(other)}]" for other in quote.against)
        said = self.phrases.quotation.format(self.told(quote))
        return f"- {said} {marks}" + (self.phrases.but_see.format(against) if against else "")

    def _cite(self, quote: Quote) -> list[int]:
        own = self._citation(quote.source, quote.start, quote.end, quote)
        return [own, *(self._citation(s.source, s.start, s.end, quote) for s in quote.support)]

    def _citation(self, source: Source, start: int, end: int, quote: Quote) -> int:
        """The number of the citation of a place, new or given before."""
        passage = source.passage
        for known in self.citations:
            if (known.text_hash, known.start, known.end) == (passage.text_hash, start, end):
                return known.number
        words = source.text[start:end]
        excerpt = words + CUT if self._is_cut(source, end) else words
        assert words and len(excerpt) <= EXCERPT_LIMIT
        gist = self.shown(words)
        number = len(self.citations) + 1
        supported = len(quote.support) > 0
        self.citations.append(
            Citation(
                source="web" if re.match(r"https?://", passage.locator, re.I) else "file",
                locator=passage.locator,
                title=passage.title,
                snippet=short(gist if len(gist) >= 50 else f"{passage.title}: {gist}", 200),
                raw_excerpt=excerpt,
                confidence=trust(source, supported=supported, disputed=bool(quote.against)),
                number=number,
                content_hash=passage.version,
                text_hash=passage.text_hash,
                start=start,
                end=end,
            )
        )
        return number
