"""A task whose researcher is Gemini's, against the emulator and without Ray."""

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.hosts import TaskHost
from actors.inline import run_task
from actors.keys import Credential
from actors.outside import Outside
from actors.patience import Patience
from actors.ports import Corpus, Passage
from actors.researcher import Researcher
from events.catalogue import Brief
from events.home import Home
from events.task import ResearcherAssigned
from projections.status import TaskStatus
from projections.views import Views
from tests.emulators import PAGES_AT, BriskWorld, HeldKeys, PlainParser
from tests.gemini_emulator import KEY, GeminiEmulator
from tests.waiting import until

QUESTION = "How do heat pumps cut emissions?"
BRISK = Patience(first=0.01, longest=0.03, most=0.05)


@pytest.fixture(scope="module")
def emulator() -> Iterator[GeminiEmulator]:
    """The provider and its pages, for all tests of a module; also for what its fixtures do beforehand."""
    with GeminiEmulator() as opened, pytest.MonkeyPatch.context() as patch:
        patch.setenv(PAGES_AT, opened.place)
        yield opened


@pytest.fixture
def provider(emulator: GeminiEmulator) -> GeminiEmulator:
    emulator.reset()
    return emulator


class NoCorpus:
    """Nothing was ingested."""

    def search(
        self,
        query: str,
        limit: int,
        collections: tuple[str, ...] | None,
        among: tuple[str, ...] = (),
    ) -> list[Passage]:
        raise AssertionError("a provider's research asks no corpus")

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """No model is at hand."""
        return [None] * len(texts)


def world(provider: GeminiEmulator) -> BriskWorld:
    return BriskWorld(HeldKeys(Credential(KEY, provider.url)), PlainParser())


def enter(home: Home, **brief: Any) -> str:
    asked = Brief(question=QUESTION, researcher="gemini", **brief)
    return LocalArchive(home).catalogue.enter_task(asked)[0]


def run(
    home: Home,
    task: str,
    outside: Outside,
    corpus: Corpus = NoCorpus(),  # noqa: B008 - it has no state
    rules: str | None = None,
) -> TaskStatus:
    """Bring a task to its end in this thread."""
    run_task(LocalArchive(home), corpus, task, outside, BRISK, lambda _: rules)
    return Views(home).status(task)


def result(home: Home, task: str) -> dict[str, Any]:
    return Views(home).result(task).result


def kinds(home: Home, stream: str) -> list[str]:
    return [record.kind for record in home.read(stream)[0]]


def facts(home: Home, task: str, kind: str) -> list[dict[str, Any]]:
    return [r.data for r in home.read(f"{task}.r1")[0] if r.kind == kind]


class ThreadCrew:
    """Researchers in threads of the test."""

    def __init__(
        self,
        home: Home,
        outside: Outside,
        spent_today: Callable[[], float] = lambda: 0.0,
        rules: str | None = None,
    ) -> None:
        self._archive, self._outside = LocalArchive(home), outside
        self._spent_today, self._rules = spent_today, rules
        self._researchers: dict[str, Researcher] = {}
        self.host: TaskHost | None = None

    def send(self, task: str, assignment: ResearcherAssigned) -> None:
        name = assignment.researcher
        if name not in self._researchers:
            brief = self._archive.brief(task)
            made = Researcher(
                self._archive,
                NoCorpus(),
                name,
                assignment.researcher_kind,
                assignment.question,
                brief,
                self._outside,
                BRISK,
                self._spent_today,
                self._rules,
            )
            self._researchers[name] = made
            threading.Thread(target=self._work, args=[made], daemon=True).start()

    def _work(self, researcher: Researcher) -> None:
        report = researcher.run()
        until(lambda: self.host)
        assert self.host
        self.host.collect(report)

    def stop(self, researcher: str) -> None:
        self._researchers[researcher].stop.set()

    def dismiss(self, researcher: str) -> None:
        """It is a thread: nobody ends it."""

    def lost(self) -> list[tuple[str, str]]:
        return []


def start(
    home: Home,
    task: str,
    outside: Outside,
    spent_today: Callable[[], float] = lambda: 0.0,
    rules: str | None = None,
) -> TaskHost:
    """Let a task run beside the test."""
    crew = ThreadCrew(home, outside, spent_today, rules)
    crew.host = TaskHost(LocalArchive(home), crew, task)
    return crew.host


def found(home: Home, task: str) -> dict[str, Any]:
    """What came of a research, as it is handed out."""
    return Views(home).result(task).result
