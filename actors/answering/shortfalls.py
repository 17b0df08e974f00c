"""What an answer made of quotations leaves open: gaps, disagreements, leads and further questions."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from actors.answering.chain_links import Chain
from actors.answering.coverage import Coverage
from actors.answering.giving import EXACT
from actors.answering.loose_ends import abbreviations, doubts, references
from actors.answering.matching import matched
from actors.answering.parts import Wanted
from actors.answering.quotations import Quotations
from actors.answering.quoting import Dispute
from actors.answering.reading import Reading
from actors.findings import DiscoveryEvent, Gap, OpenQuestion
from actors.reports.wording import count, short

_KINDS = {"number": "figure", "money": "sum", "date": "date"}


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

    def gaps(self) -> tuple[Gap, ...]:
        """What could not be resolved, and why."""
        return (*self._unanswered(), *self._disagreements(), *self._beyond_budget())

    # -- gaps ------------------------------------------------------------------------------------

    def _unanswered(self) -> Iterator[Gap]:
        looked = f"{count(len(self._reading.sources), 'source')} read"
        for number, part in enumerate(self._parts):
            if number in self._reading.unsearched and not self._quotations.of(number):
                continue
            topic, detail = "", ""
            missing = self._coverage.missing(number)
            if broken := self._coverage.broken.get(number):
                if not broken.stopped:
                    topic, detail = self._broken_off(number), f"{_whence(broken)}; {looked}."
            elif not self._quotations.of(number):
                topic, detail = part.text, self._why_nothing(number, looked)
            elif missing and (self._coverage.scattered(number) or _names(missing)):
                topic = f"{_phrase(missing)} ({part.text})"
                detail = f"No quoted sentence speaks of “{_phrase(missing)}”; {looked}."
            if topic:
                topic = short(topic, 200)
                yield Gap(topic=topic, category="source_not_found", detail=short(detail, 400))
        for locator in self._reading.lost.values():
            yield Gap(
                topic=short(locator, 200),
                category="access_denied",
                detail="The search found this source, but its stored text is missing or damaged.",
            )

    def _broken_off(self, number: int) -> str:
        """What is missing where a chain breaks off."""
        missing = " → ".join(self._coverage.broken[number].missing)
        return f"{missing} ({self._parts[number].text})"

    def _why_nothing(self, number: int, looked: str) -> str:
        part, lacking = self._parts[number], self._reading.lacking.get(number, [])
        if not part.wanted:
            return "The question names nothing that could be looked for."
        if lacking and lacking != [part.text]:
            missing = "”, “".join(lacking)
            return f"What was found on this does not speak of “{missing}”; {looked}."
        if lacking and part.seeks and part.seeks <= EXACT:
            kinds = " or ".join(_KINDS[kind] for kind in sorted(part.seeks))
            return f"What was found on this gives no {kinds} that would answer it; {looked}."
        known = [0.0 for _ in part.wanted]
        for candidate in self._reading.candidates():
            known = list(map(max, known, matched(part, candidate)))
        unknown = [w for w, got in zip(part.wanted, known, strict=True) if w.strong and not got]
        if unknown:
            return f"Nothing that was found speaks of “{_phrase(unknown)}”; {looked}."
        return f"The words occur, but no sentence brings them together; {looked}."

    def _disagreements(self) -> Iterator[Gap]:
        for dispute in self._disputes:
            (one, first), (other, second) = self._sides(dispute)
            yield Gap(
                topic=short(f"{dispute.topic}: {dispute.figures[0]} or {dispute.figures[1]}", 200),
                category="contradictory_sources",
                detail=short(
                    f"“{first}” [{one}] says {dispute.figures[0]}, "
                    f"“{second}” [{other}] says {dispute.figures[1]}.",
                    400,
                ),
            )

    def _sides(self, dispute: Dispute) -> list[tuple[int, str]]:
        return [
            (self._quotations.number(quote), quote.source.passage.title)
            for quote in (dispute.one, dispute.other)
        ]

    def _beyond_budget(self) -> Iterator[Gap]:
        reading = self._reading
        for number in reading.unsearched:
            limit = count(reading.allowed, "search", "searches")
            found = self._quotations.of(number)
            left = "a further search was made" if found else "it was searched for"
            yield Gap(
                topic=short(self._parts[number].text, 200),
                category="budget_exhausted",
                detail=f"The limit of {limit} was reached before {left}.",
            )
        for number, chain in self._coverage.broken.items():
            if chain.stopped:
                limit = count(reading.searches, "search", "searches")
                yield Gap(
                    topic=short(self._broken_off(number), 200),
                    category="budget_exhausted",
                    detail=short(f"{_whence(chain)}; the limit of {limit} was reached.", 400),
                )
        if reading.left_unread:
            titles = ", ".join(list(reading.left_unread.values())[:3])
            limit = count(reading.brief.constraints.max_sources, "source")
            yield Gap(
                topic=short(f"Left unread: {titles}", 200),
                category="budget_exhausted",
                detail=f"The limit of {limit} was reached; {len(reading.left_unread)} more "
                "looked promising.",
            )

    # -- what else -------------------------------------------------------------------------------

    def discoveries(self) -> Iterator[DiscoveryEvent]:
        """What another researcher should look at."""
        for dispute in self._disputes:
            (one, _), (other, _) = self._sides(dispute)
            yield DiscoveryEvent(
                type="contradiction",
                suggested_researcher=None,
                query=short(dispute.topic, 200),
                reason=f"[{one}] gives {dispute.figures[0]}, [{other}] gives {dispute.figures[1]}.",
                source_locator=dispute.other.source.passage.locator,
            )
        sources = list(self._reading.sources.values())
        yield from references(self._parts, sources, list(self._quotations.quotes))

    def open_questions(self) -> Iterator[OpenQuestion]:
        """What the evidence leaves to be asked."""
        for dispute in self._disputes:
            (_, first), (_, second) = self._sides(dispute)
            figures = f"{dispute.figures[0]} or {dispute.figures[1]}"
            yield OpenQuestion(
                question=short(f"Which figure is right for “{dispute.topic}”: {figures}?", 300),
                context=short(f"“{first}” and “{second}” disagree.", 400),
                priority="high",
                source_locator=dispute.other.source.passage.locator,
            )
        for number, part in enumerate(self._parts):
            missing, share = self._coverage.missing(number), self._coverage.share(number)
            quotes = self._quotations.of(number)
            if quotes and missing and share < 0.75:
                yield OpenQuestion(
                    question=short(
                        f"Which source speaks of “{_phrase(missing)}”: {part.text}", 300
                    ),
                    context=f"The quotations cover {share:.0%} of this part of the question.",
                    priority="high" if share < 0.5 else "medium",
                    source_locator=quotes[0].source.passage.locator,
                )
        quotes = list(self._quotations.quotes)
        yield from doubts(self._reading.candidates(), quotes)
        yield from abbreviations(list(self._reading.sources.values()), quotes)


def _whence(chain: Chain) -> str:
    """From where a chain that breaks off should have gone on."""
    title = chain.told[-1].candidate.passage.title
    return f"Nothing that was read leads from “{title}” on to “{chain.missing[0]}”"


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
