"""A provider's report, sentence by sentence: which passages of its sources each cites, and how much of it they say."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from actors.answering.terms import Terms
from actors.outside import Page
from actors.reports.cited_sources import Sources
from actors.reports.grounded_report import displayable
from actors.reports.interaction import Draft
from actors.reports.report_checking import Check, Place, check, cited_sentences
from actors.reports.report_marks import report_sentences
from actors.reports.report_rules import ReportRules
from actors.reports.support import SUPPORTED, combined, support
from language.plain import plainly
from language.sentences import CUT, sentences

Compare = Callable[[Sequence[tuple[str, Sequence[str]]]], tuple[float | None, ...]]
"""For each sentence with its passages, how near they come to it by meaning; none where nobody can tell."""


@dataclass(frozen=True)
class Quoted:
    """A passage that is cited, and the sentence that it was first cited for."""

    number: int
    page: Page
    title: str
    place: Place
    excerpt: str
    checked: Check


@dataclass(frozen=True)
class CheckedSentence:
    """A sentence that cites something, with what came of it."""

    check: Check
    text: str
    """As the record has it."""

    citations: tuple[int, ...]
    support: float | None
    """How much of it its passages say, by its words; none where there are none."""

    similarity: float | None
    """The same by meaning, where somebody could tell."""

    @property
    def value(self) -> float:
        """Both in one."""
        return 0.0 if self.support is None else combined(self.support, self.similarity)

    @property
    def in_other_words(self) -> bool:
        """Whether its passages say it, though not word for word."""
        return self.check.outcome == "not_found" and self.value >= SUPPORTED

    @property
    def said(self) -> bool:
        """Whether its sources say it at all."""
        return self.check.outcome == "supported" or self.value >= SUPPORTED


class CheckedReport:
    """The sentences of a report that cite something, and the passages that they cite."""

    def __init__(
        self, draft: Draft, sources: Sources, rules: ReportRules, compare: Compare
    ) -> None:
        self._sources, self._rules, self._compare = sources, rules, compare
        self._quoted: dict[tuple[str, int, int], Quoted] = {}
        self.spans = report_sentences(draft.text) if rules.reads_marks else sentences(draft.text)
        """Where the report's sentences stand in it."""

        self._checks = check(
            cited_sentences(draft, self.spans, plainly=rules.worded_plainly),
            sources.texts,
            Terms(),
            weighs_quotations=rules.weighs_quotations,
        )
        self._cited = [self._quote(each) for each in self._checks]

    @cached_property
    def passages(self) -> list[Quoted]:
        """Everything that is cited, by its number from one."""
        return list(self._quoted.values())

    @cached_property
    def sentences(self) -> list[CheckedSentence]:
        """Every sentence that cites something, in order."""
        words = list(map(self._recorded, self._checks))
        quoted = [[self.passages[number - 1].excerpt for number in each] for each in self._cited]
        alike: Sequence[float | None] = [None] * len(words)
        if self._rules.weighs_meaning:
            alike = self._compare(list(zip(words, quoted, strict=True)))
        return [
            CheckedSentence(
                check=each,
                text=text,
                citations=cited,
                support=support(each.sentence, "\n\n".join(excerpts)) if excerpts else None,
                similarity=similarity,
            )
            for each, text, cited, excerpts, similarity in zip(
                self._checks, words, self._cited, quoted, alike, strict=True
            )
        ]

    def worded(self, words: str) -> str:
        """Words of a report or a source as findings show them."""
        said = displayable(words)
        return plainly(said) if self._rules.shows_nothing_live else said

    def _recorded(self, checked: Check) -> str:
        """As the findings have it too, so that one is found by the other; the first rules did not see to that."""
        return self.worded(checked.sentence) if self._rules.weighs_meaning else checked.sentence

    def _quote(self, checked: Check) -> tuple[int, ...]:
        """The numbers of a sentence's passages; a passage that was cited before keeps its number."""
        numbers = []
        for place in checked.places:
            page = self._sources.pages[place.url]
            span = page.text.hash, place.start, place.end
            if span not in self._quoted:
                title = page.title or self._sources.titles.get(page.url) or page.final_url
                excerpt = self._sources.text(page)[place.start : place.end]
                if place.cut and self._rules.marks_cuts:
                    excerpt += CUT
                number = len(self._quoted) + 1
                self._quoted[span] = Quoted(number, page, title, place, excerpt, checked)
            numbers.append(self._quoted[span].number)
        return tuple(dict.fromkeys(numbers))
