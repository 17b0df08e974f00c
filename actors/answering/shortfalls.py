"""What an answer made of quotations leaves open: gaps, disagreements, leads and further questions."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from actors.answering.chain_links import Chain
from actors.answering.coverage import Coverage
from actors.answering.giving import EXACT
from actors.answering.loose_ends import abbreviations, doubts, references
from actors.answering.matching import matched
from actors.answering.parts import Part, Wanted
from actors.answering.quotations import Quotations
from actors.answering.quoting import Dispute
from actors.answering.reading import Reading
from actors.findings import DiscoveryEvent, Gap, OpenQuestion
from actors.reports.wording import short


class Shortfalls:
    """Says what is missing, what is disputed, and what should be looked at next."""

    def __init__(
        self,
        reading: Reading,
        quotations: Quotations,
        disputes: Sequence[Dispute],
        coverage: Coverage,
    ) -> None:
        self._reading, self._quotations = reading, quotations
        self._disputes, self._coverage = disputes, coverage
        self._parts = reading.parts
        self._phrases = quotations.phrases

    def gaps(self) -> tuple[Gap, ...]:
        """What could not be resolved, and why."""
        return (*self._unanswered(), *self._disagreements(), *self._beyond_budget())

    # -- gaps ------------------------------------------------------------------------------------

    def _unanswered(self) -> Iterator[Gap]:
        phrases = self._phrases
        looked = phrases.read.format(phrases.count(len(self._reading.sources), "source"))
        for number, part in enumerate(self._parts):
            if number in self._reading.unsearched and not self._quotations.of(number):
                continue
            topic, detail = "", ""
            missing = self._coverage.missing(number)
            if broken := self._coverage.broken.get(number):
                if not broken.stopped:
                    topic = self._broken_off(number)
                    detail = phrases.broken_off.format(self._whence(broken), looked)
            elif not self._quotations.of(number):
                topic, detail = part.text, self._why_nothing(number, looked)
            elif missing and (self._coverage.scattered(number) or _names(missing)):
                topic = f"{_phrase(missing)} ({part.text})"
                detail = phrases.unquoted.format(_phrase(missing), looked)
            if topic:
                topic = short(topic, 200)
                yield Gap(topic=topic, category="source_not_found", detail=short(detail, 400))
        for locator in self._reading.lost.values():
            yield Gap(
                topic=short(locator, 200),
                category="access_denied",
                detail=phrases.lost,
            )

    def _broken_off(self, number: int) -> str:
        """What is missing where a chain breaks off."""
        missing = " → ".join(self._coverage.broken[number].missing)
        return f"{missing} ({self._parts[number].text})"

    def _why_nothing(self, number: int, looked: str) -> str:
        part, lacking = self._parts[number], self._reading.lacking.get(number, [])
        phrases = self._phrases
        if not part.wanted:
            return phrases.nothing_named
        wanted = self._reading.brief.constraints.source_filter
        if wanted and not self._reading.found and self._reading.rules.searches_within:
            return phrases.filtered_out.format(wanted)
        if lacking and lacking != [part.text]:
            unspoken = [each for each in lacking if not self._stands_somewhere(each)]
            if unspoken:
                return phrases.does_not_speak.format(phrases.between_missing.join(unspoken), looked)
        unheard = self._unheard(part)
        named = unheard and self._reading.rules.names_the_unheard
        if lacking and part.seeks and part.seeks <= EXACT and not named:
            kinds = [phrases.kinds[kind] for kind in sorted(part.seeks)]
            return phrases.gives_no.format(phrases.between_kinds.join(kinds), looked)
        if unheard:
            return phrases.nobody_speaks.format(_phrase(unheard), looked)
        together = phrases.not_clearly if self._brought_together(part) else phrases.not_together
        return together.format(looked)

    def _unheard(self, part: Part) -> list[Wanted]:
        """What is asked for, and nothing that was read speaks of."""
        known = [0.0 for _ in part.wanted]
        for candidate in self._reading.candidates():
            known = list(map(max, known, matched(part, candidate)))
        return [
            wanted
            for wanted, got in zip(part.wanted, known, strict=True)
            if wanted.strong and not got and not self._stands_somewhere(wanted.surface)
        ]

    def _stands_somewhere(self, words: str) -> bool:
        """Whether one of the passages that were found has all of some words, if only in the heads of a table."""
        terms = self._reading.terms.of(words)
        return bool(terms) and any(terms <= each for each in self._stand)

    @cached_property
    def _stand(self) -> list[frozenset[str]]:
        """The terms of each passage that was found; none where gaps are not held against them."""
        reading = self._reading
        if reading.japanese or not reading.rules.gaps_hold:
            return []
        return [reading.terms.of(each.text) for each in reading.found.values()]

    def _brought_together(self, part: Part) -> bool:
        """Whether one sentence has all words of a part; never, where gaps are not held against that."""
        reading, asked = self._reading, {each.term for each in part.wanted if each.strong}
        if reading.japanese or not reading.rules.gaps_hold:
            return False
        return any(asked <= each.terms for each in reading.candidates())

    def _disagreements(self) -> Iterator[Gap]:
        for dispute in self._disputes:
            (one, first), (other, second) = self._sides(dispute)
            says, gainsays = dispute.figures
            told = self._phrases.one_says.format(first, one, says, second, other, gainsays)
            yield Gap(
                topic=short(f"{dispute.topic}: {self._phrases.either.format(says, gainsays)}", 200),
                category="contradictory_sources",
                detail=short(told, 400),
            )

    def _sides(self, dispute: Dispute) -> list[tuple[int, str]]:
        return [
            (self._quotations.number(quote), quote.source.passage.title)
            for quote in (dispute.one, dispute.other)
        ]

    def _beyond_budget(self) -> Iterator[Gap]:
        reading, phrases = self._reading, self._phrases
        for number in reading.unsearched:
            limit = phrases.count(reading.allowed, "search")
            found = self._quotations.of(number)
            left = phrases.further_search if found else phrases.first_search
            yield Gap(
                topic=short(self._parts[number].text, 200),
                category="budget_exhausted",
                detail=phrases.limit_before.format(limit, left),
            )
        for number, chain in self._coverage.broken.items():
            if chain.stopped:
                limit = phrases.count(reading.searches, "search")
                yield Gap(
                    topic=short(self._broken_off(number), 200),
                    category="budget_exhausted",
                    detail=short(phrases.limit_reached.format(self._whence(chain), limit), 400),
                )
        if reading.left_unread:
            titles = ", ".join(list(reading.left_unread.values())[:3])
            limit = phrases.count(reading.brief.constraints.max_sources, "source")
            yield Gap(
                topic=short(phrases.left_unread.format(titles), 200),
                category="budget_exhausted",
                detail=phrases.more_promising.format(limit, len(reading.left_unread)),
            )

    # -- what else -------------------------------------------------------------------------------

    def discoveries(self) -> Iterator[DiscoveryEvent]:
        """What another researcher should look at."""
        for dispute in self._disputes:
            (one, _), (other, _) = self._sides(dispute)
            says, gainsays = dispute.figures
            yield DiscoveryEvent(
                type="contradiction",
                suggested_researcher=None,
                query=short(dispute.topic, 200),
                reason=self._phrases.gives.format(one, says, other, gainsays),
                source_locator=dispute.other.source.passage.locator,
            )
        sources = list(self._reading.sources.values())
        yield from references(self._parts, sources, list(self._quotations.quotes), self._phrases)

    def open_questions(self) -> Iterator[OpenQuestion]:
        """What the evidence leaves to be asked."""
        phrases = self._phrases
        for dispute in self._disputes:
            (_, first), (_, second) = self._sides(dispute)
            figures = phrases.either.format(*dispute.figures)
            yield OpenQuestion(
                question=short(phrases.which_is_right.format(dispute.topic, figures), 300),
                context=short(phrases.disagree.format(first, second), 400),
                priority="high",
                source_locator=dispute.other.source.passage.locator,
            )
        for number, part in enumerate(self._parts):
            missing, share = self._coverage.missing(number), self._coverage.share(number)
            quotes = self._quotations.of(number)
            if quotes and missing and share < 0.75:
                yield OpenQuestion(
                    question=short(phrases.which_source.format(_phrase(missing), part.text), 300),
                    context=phrases.covers.format(share),
                    priority="high" if share < 0.5 else "medium",
                    source_locator=quotes[0].source.passage.locator,
                )
        quotes = list(self._quotations.quotes)
        yield from doubts(self._reading.candidates(), quotes, phrases)
        yield from abbreviations(list(self._reading.sources.values()), quotes, phrases)

    def _whence(self, chain: Chain) -> str:
        """From where a chain that breaks off should have gone on."""
        title = chain.told[-1].candidate.passage.title
        return self._phrases.breaks_off.format(title, chain.missing[0])


def _names(missing: list[Wanted]) -> bool:
    return any(each.entity or each.surface[0].isdigit() for each in missing)


def _phrase(missing: list[Wanted]) -> str:
    """Words in the order of the question; those that stood side by side stay together."""
    ordered = sorted(missing, key=lambda each: each.at)
    phrase = ordered[0].surface
    for before, each in pairwise(ordered):
        gap = each.at - before.at - len(before.surface)
        if before.at < 0 or gap > 1:
            phrase += f", {each.surface}"
        elif gap < 0:
            phrase += each.surface[-1]  # Pairs of ideographs overlap by one.
        else:
            phrase += " " * gap + each.surface
    return phrase
