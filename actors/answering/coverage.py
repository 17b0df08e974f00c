"""How far the quotations of an answer meet what each part of the question asks."""

from collections.abc import Mapping

from actors.answering.chain_links import Chain
from actors.answering.parts import Wanted
from actors.answering.quotations import Quotations
from actors.answering.reading import Reading
from actors.answering.relevance import Judge


class Coverage:
    """What of each part is covered, and what is missing."""

    def __init__(
        self,
        reading: Reading,
        judge: Judge,
        quotations: Quotations,
        chains: Mapping[int, Chain],
    ) -> None:
        self.broken = {number: chain for number, chain in chains.items() if chain.missing}
        """Chains that break off before they come to what was asked."""

        self._chained = chains.keys() - self.broken.keys()
        """Parts that a chain of sentences answers, of which each covers a step only."""

        self._reading, self._judge, self._quotations = reading, judge, quotations
        self._covered = [self._coverage(number) for number in range(len(reading.parts))]

    def _coverage(self, number: int) -> tuple[float, ...]:
        """How far the quotations of a part speak of each of its terms."""
        part = self._reading.parts[number]
        covered = tuple(0.0 for _ in part.wanted)
        for quote in self._quotations.of(number):
            covered = tuple(
                map(max, covered, self._judge.matched(part, self._reading.said_by(quote)))
            )
        return covered

    def missing(self, number: int) -> list[Wanted]:
        """Strong terms of a part that its quotations do not speak of, but for words of the question before it."""
        pairs = zip(self._reading.parts[number].wanted, self._covered[number], strict=True)
        missing = [wanted for wanted, got in pairs if wanted.strong and got < 0.35]
        if self._reading.japanese or not self._reading.rules.gaps_hold:
            return missing
        return [each for each in missing if each.at >= 0 or each.entity]

    def scattered(self, number: int) -> bool:
        """Whether too little of a part is said in one place."""
        return number not in self._chained and self.share(number) < 0.6

    def share(self, number: int) -> float:
        """How much of a part is covered: midway between all its quotations and the best of them.

        Words scattered over many quotations cover a part on paper only.
        """
        part = self._reading.parts[number]
        if number in self._chained:
            return self._judge.coverage(part, self._covered[number])
        quotes = self._quotations.of(number)
        said = [self._judge.matched(part, self._reading.said_by(quote)) for quote in quotes]
        best = max((self._judge.coverage(part, each) for each in said), default=0.0)
        reach = self.broken[number].reach if number in self.broken else 1.0
        return reach * (self._judge.coverage(part, self._covered[number]) + best) / 2

    def met(self, number: int) -> float:
        """How far a part is met: by how much of it is covered, and by how likely that is to be the answer.

        A sentence may have all the words of a question and be beside the point.
        """
        likely = self._reading.likely.get(number)
        share = self.share(number)
        return share if likely is None else (share + likely) / 2
