"""Where the passages that a report cites contradict one another, and where they contradict the report. Pure.

Only figures can be told to exclude each other by rule: numbers with their units, counts and years of the same thing.
"""

from functools import cached_property

from actors.findings import Gap
from actors.reports.checked_report import CheckedReport, Quoted
from actors.reports.cited_sources import Sources
from actors.reports.disagreement import Disagreement
from actors.reports.grounded_report import displayable
from actors.reports.rivals import MOST_CLASHES, Clash, Rival, clashes_among, misreported
from actors.reports.wording import short


class Contradictions:
    """What speaks against what."""

    def __init__(self, report: CheckedReport, sources: Sources, *, looked_for: bool) -> None:
        self._report, self._sources, self._looked_for = report, sources, looked_for

    def __bool__(self) -> bool:
        return bool(self.clashes or self.misreports)

    @cached_property
    def clashes(self) -> list[Clash]:
        """Where sources contradict one another."""
        rivals = map(self._rival, self._report.passages)
        return clashes_among(list(rivals)) if self._looked_for else []

    @cached_property
    def disputed(self) -> frozenset[int]:
        """Citations that another one contradicts."""
        return frozenset(number for each in self.clashes for number in (each.one, each.other))

    def against(self, citations: tuple[int, ...]) -> tuple[int, ...]:
        """Citations that say otherwise than a sentence with these."""
        rivals = set[int]().union(*(clash.against(citations) for clash in self.clashes))
        return tuple(sorted(rivals))

    @cached_property
    def disagreements(self) -> list[Disagreement]:
        """The same as a result tells of them."""
        cited = self._report.passages
        return [
            Disagreement(
                (clash.one, clash.other),
                (cited[clash.one - 1].page.final_url, cited[clash.other - 1].page.final_url),
                clash.figures,
                clash.topic,
            )
            for clash in self.clashes
        ]

    @cached_property
    def misreports(self) -> list[Gap]:
        """Where the report gives one figure, and the passage that it cites for it another."""
        found: list[Gap] = []
        for each in self._report.sentences if self._looked_for else ():
            if each.check.outcome != "not_found" or len(found) == MOST_CLASHES:
                continue
            for number in each.citations:
                quoted = self._report.passages[number - 1]
                if figures := misreported(each.check.sentence, self._rival(quoted)):
                    found.append(_misreport(each.check.sentence, quoted, figures))
                    break
        return found

    def _rival(self, quoted: Quoted) -> Rival:
        """A passage that speaks for itself."""
        return Rival(
            number=quoted.number,
            whose=quoted.number,
            text_hash=quoted.page.text.hash,
            text=self._sources.text(quoted.page),
            excerpt=quoted.excerpt,
            title=quoted.title,
        )


def _misreport(sentence: str, quoted: Quoted, figures: tuple[str, str]) -> Gap:
    said, written = figures
    where = f"[{quoted.number}] {quoted.page.final_url}"
    return Gap(
        topic=short(displayable(sentence), 200),
        category="contradictory_sources",
        detail=short(f"The report says {said}, {where} says {written}.", 400),
    )
