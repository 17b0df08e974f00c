"""How well a sentence answers a part of a question in Japanese."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from actors.answering.candidates import Candidate
from actors.answering.giving import EXACT, given
from actors.answering.japanese.giving import says_where
from actors.answering.japanese.linking import is_of, titles_named
from actors.answering.japanese.sufficing import CODE, lacking
from actors.answering.japanese.terms import JapaneseTerms, kin_of, parts_of
from actors.answering.matching import matched, nearness
from actors.answering.parts import Part, Wanted
from actors.answering.relevance import KNOWN, MEANING, Judge, Ranked, as_a_quotation, is_known
from actors.answering.rules import Rules
from actors.answering.seeking import Seeks

WORDS = 0.5
"""What it counts that a sentence speaks of all that is asked."""

KIND = 0.2
"""What it counts that it holds the kind of thing that is sought."""

_WHY: frozenset[Seeks] = frozenset({"reason"})

MOST_COMPARED = 12
"""Sentences whose words are compared with those of a part."""

SAME_WORD = 0.68
"""Likeness from which two words mean the same in a question."""

_TERMS = JapaneseTerms()

LEAST = 0.12
"""Value below which a sentence has nothing to do with a part."""


class JapaneseJudge(Judge):
    """Weighs sentences against the parts of a question in Japanese.

    Where a question names the title of a page, only that page answers it, and what names the same as its topic. A
    sentence that suffices by itself comes before all that do not.
    """

    def __init__(
        self,
        pool: list[Candidate],
        parts: list[Part],
        alike: Mapping[tuple[str, str], float] = MappingProxyType({}),
        *,
        rules: Rules,
    ) -> None:
        super().__init__(pool, parts, alike, rules)
        titles = sorted({each.passage.title for each in pool})
        self._titles = {part.text: titles_named(part, titles) for part in parts}
        self._about = {text: frozenset(named) for text, named in self._titles.items()}
        self._subjects = {
            text: {title: _TERMS.of(words) | _figures(title) for title, words in named.items()}
            for text, named in self._titles.items()
        }
        """By part and title: the terms of the words that name it."""

    def matched(self, part: Part, candidate: Candidate) -> tuple[float, ...]:
        """How far a sentence speaks of each term of a part: all of a page speaks of what it is about."""
        subject = self._subjects[part.text].get(candidate.passage.title, frozenset[str]())
        found = matched(part, candidate, self.about(part))
        return tuple(
            1.0 if wanted.term in subject else max(got, self._likely(wanted, candidate))
            for wanted, got in zip(part.wanted, found, strict=True)
        )

    def to_compare(self, part: Part) -> Iterator[tuple[str, list[str]]]:
        """The words of a part, each with words of sentences that may mean the same: texts have words of their own."""
        titles, subject = self._titles[part.text], self._subject(part)
        ranked = [self._weighed(part, each, []) for each in self._pool if is_of(titles, each)]
        best = sorted(ranked, key=lambda each: -each.relevance)[:MOST_COMPARED]
        said = dict.fromkeys(
            token.term
            for each in best
            for token in each.candidate.tokens
            if not token.number and not token.name and not token.term.isascii()
        )
        for each in part.wanted:
            if each.strong and not each.entity and each.at >= 0 and each.term not in subject:
                yield each.term, [term for term in said if term != each.term]

    def _subject(self, part: Part) -> frozenset[str]:
        return frozenset[str]().union(*self._subjects[part.text].values())

    def words(self, part: Part, candidate: Candidate) -> str:
        """The words by which a part names the page of a sentence; empty where it does not."""
        return self._titles[part.text].get(candidate.passage.title, "")

    def share(self, part: Part, candidate: Candidate) -> float:
        """The share of what a part asks of its subject that a sentence speaks of; all where it asks nothing more."""
        subject = self._subject(part)
        whole = said = 0.0
        for each, got in zip(part.wanted, self.matched(part, candidate), strict=True):
            if not each.strong or each.at < 0 or each.term in subject:
                continue
            if each.entity and not CODE.match(each.term):
                continue
            whole += self.weight(each)
            said += self.weight(each) * got
        return said / whole if whole else 1.0

    def lacking(self, part: Part, told: Sequence[Candidate]) -> list[str]:
        """What of a part is missing so much that no sentence answers it, in its words; empty where one does."""
        return lacking(self, part, told)

    def rank(self, part: Part, known: list[frozenset[str]]) -> list[Ranked]:
        """The sentences that bear on a part, best first; if some suffice by themselves, those only."""
        titles = self._titles[part.text]
        ranked = [self._weighed(part, each, known) for each in self._pool if is_of(titles, each)]
        ranked = [each for each in ranked if each.relevance >= LEAST]
        enough = [each for each in ranked if not self.lacking(part, [each.candidate])]
        if enough or part.side:
            ranked = enough
        if part.seeks == _WHY:
            ranked = [each for each in ranked if each.gives] or ranked
        return sorted(ranked, key=lambda each: -each.relevance)

    def _likely(self, wanted: Wanted, candidate: Candidate) -> float:
        """How far a sentence speaks of a term by another word for it, or by some parts of the word."""
        if wanted.entity:
            return 0.0
        kin = kin_of(wanted.term)
        if kin & candidate.kin or kin & _TERMS.kins(candidate.heading):
            return 0.75
        near = max(
            (self._alike.get((wanted.term, each), 0.0) for each in candidate.terms), default=0
        )
        parts = parts_of(wanted.term)
        said = sum(map(len, (each for each in parts if each in candidate.terms)))
        by_parts = 0.75 * said / sum(map(len, parts)) if parts else 0.0
        return max(
            0.75 if near >= SAME_WORD else 0.0, by_parts, 0.4 if kin & candidate.above_kin else 0.0
        )

    def _weighed(self, part: Part, candidate: Candidate, known: list[frozenset[str]]) -> Ranked:
        matches = self.matched(part, candidate)
        gives = given(part, candidate.text, candidate.tokens, self._rules)
        value = WORDS * self.share(part, candidate)
        value += MEANING * max(0.0, self.likeness(part, candidate) or 0.0)
        value += KIND * (len(gives) / len(part.seeks) if part.seeks else 0.0)
        value += 0.05 * nearness(part, candidate)
        value += 0.10 * candidate.passage.score
        value += 0.03 / (1 + candidate.place)
        if "place" in part.seeks and says_where(candidate.text):
            value += 0.10
        if part.seeks and not gives:
            value *= 0.7 if part.seeks & EXACT else 0.85
        if is_known(candidate, known):
            value *= KNOWN
        value = as_a_quotation(value, part, candidate, self._rules)
        return Ranked(round(value, 6), candidate, matches, gives)


def _figures(title: str) -> frozenset[str]:
    """The figures of a title: its year, its version."""
    return frozenset(token.term for token in _TERMS.tokens(title) if token.number)
