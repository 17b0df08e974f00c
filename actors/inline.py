"""The same actors without Ray: in this thread, one after the other. For replays, checks and tests."""

from collections.abc import Callable

from actors.budgeting import narrowed
from actors.merging.compared_claims import compared_by
from actors.merging.meaning import Compare
from actors.outside import Nowhere, Outside
from actors.patience import Patience
from actors.ports import Archive, Corpus
from actors.researcher import Researcher
from actors.task import Collect, ResearchTask
from events.task import ResearcherAssigned


class InlineCrew:
    """Sends a researcher out by doing its work on the spot."""

    def __init__(
        self,
        archive: Archive,
        corpus: Corpus,
        outside: Outside = Nowhere(),  # noqa: B008 - it has no state
        patience: Patience = Patience(),  # noqa: B008 - frozen
        rules: Callable[[ResearcherAssigned], str | None] = lambda _: None,
    ) -> None:
        self._archive, self._corpus = archive, corpus
        self._outside, self._patience, self._rules = outside, patience, rules
        self.task: ResearchTask | None = None

    def send(self, task: str, assignment: ResearcherAssigned) -> None:
        """Do the assignment now and hand its report to the task."""
        researcher = Researcher(
            self._archive,
            self._corpus,
            assignment.researcher,
            assignment.researcher_kind,
            assignment.question,
            narrowed(self._archive.brief(task), assignment),
            self._outside,
            self._patience,
            rules=self._rules(assignment),
        )
        assert self.task
        self.task.handle(Collect(researcher.run()))

    def stop(self, researcher: str) -> None:
        """Nothing runs in the background, so there is nothing to stop."""

    def dismiss(self, researcher: str) -> None:
        """Nothing runs in the background, so there is nobody to dismiss."""


def run_task(
    archive: Archive,
    corpus: Corpus,
    task: str,
    outside: Outside = Nowhere(),  # noqa: B008 - it has no state
    patience: Patience = Patience(),  # noqa: B008 - frozen
    rules: Callable[[ResearcherAssigned], str | None] = lambda _: None,
    compare: Compare | None = None,
) -> None:
    """Bring one accepted task to its end; `rules` names those that a researcher must use, if any.

    What several researchers say is compared by the corpus's model, unless by `compare`.
    """
    crew = InlineCrew(archive, corpus, outside, patience, rules)
    crew.task = ResearchTask(archive, task, crew, compare or compared_by(corpus))
    crew.task.begin()
