"""The engine played by a thread of the test, so that most tests need no Ray."""

import threading

from actors.archive import LocalArchive
from actors.ingesting.parsing import AnyParser
from actors.inline import InlineCrew, run_task
from actors.jobs import open_job
from actors.opened import OpenedCorpus
from actors.task import Accept, ResearchTask, Stop
from events.catalogue import JobEntered
from events.home import Home
from tests.asking_letters import open_letters_corpus
from tests.embedders import open_letters


class InlineEngine:
    """Does what the real engine does, in a thread, without Ray."""

    def __init__(self, home: Home) -> None:
        self.paused = threading.Event()
        """While set, nothing is worked on, and only cancels are heard."""

        self._archive = LocalArchive(home)
        self._end = threading.Event()
        self._corpus = OpenedCorpus(open_letters_corpus(str(home.root)))
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._end.wait(0.02):
            state = self._archive.catalogue.state()
            for name in state.unfinished():
                entry = state.entries[name]
                if self.paused.is_set() and not entry.stop:
                    continue
                if isinstance(entry.entered, JobEntered):
                    self._ingest(name, stopped=entry.stop is not None)
                elif entry.stop:
                    self._cancel(name)
                else:
                    run_task(self._archive, self._corpus, name)

    def _ingest(self, name: str, *, stopped: bool) -> None:
        job = open_job(self._archive, AnyParser(), open_letters, name)
        if stopped:
            job.stop.set()
        job.run()

    def _cancel(self, name: str) -> None:
        task = ResearchTask(self._archive, name, InlineCrew(self._archive, self._corpus))
        task.handle(Stop("cancelled"))
        task.handle(Accept(self._archive.brief(name)))

    def close(self) -> None:
        self._end.set()
        self._thread.join()
