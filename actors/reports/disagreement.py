"""Two citations that give different figures for the same thing: what a result says of them. Pure."""

from dataclasses import dataclass

from actors.findings import DiscoveryEvent, Gap, OpenQuestion
from actors.reports.wording import short


@dataclass(frozen=True)
class Disagreement:
    """Two citations, by number and place, and the figures that exclude each other."""

    numbers: tuple[int, int]
    locators: tuple[str, str]
    figures: tuple[str, str]
    topic: str
    """What both speak of."""

    def gap(self) -> Gap:
        """What stays unresolved."""
        (one, other), (here, there), (this, that) = self.numbers, self.locators, self.figures
        return Gap(
            topic=short(f"{self.topic}: {this} or {that}", 200),
            category="contradictory_sources",
            detail=short(f"[{one}] {here} says {this}, [{other}] {there} says {that}.", 400),
        )

    def discovery(self) -> DiscoveryEvent:
        """What another researcher should look at."""
        (one, other), (this, that) = self.numbers, self.figures
        return DiscoveryEvent(
            type="contradiction",
            suggested_researcher=None,
            query=short(self.topic, 200),
            reason=f"[{one}] gives {this}, [{other}] gives {that}.",
            source_locator=self.locators[1],
        )

    def question(self) -> OpenQuestion:
        """What is to be asked next."""
        (one, other), (this, that) = self.numbers, self.figures
        return OpenQuestion(
            question=short(f"Which figure is right for “{self.topic}”: {this} or {that}?", 300),
            context=f"[{one}] and [{other}] disagree.",
            priority="high",
            source_locator=self.locators[1],
        )
