"""The actors as Ray runs them: how each finds its world, what it is called, and how it is started."""

import os
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from actors import runtime
from actors.archive import LocalArchive
from actors.hosts import IngestHost, ResearcherHost, TaskHost, give_way
from actors.keeper import Keeper, KeeperArchive, KeeperCorpus, SharedCorpus
from actors.keys import HomeKeys, KeeperKeys
from actors.merging.compared_claims import compared_by
from actors.merging.meaning import Pairs
from actors.opened import OpenedCorpus, named
from actors.outside import Outside
from actors.ports import Archive, Corpus, Embedder, Parser
from actors.researcher import Report
from actors.runtime import Running
from actors.signs import FLUSH_S, LINGER_S, Sign, title
from events.errors import ResearchError
from events.home import Home
from events.task import ResearcherAssigned
from events.words import count

KEEPER = "home-keeper"
_KEEPER_PATIENCE = 60.0
_SOON = 2.0


@dataclass(frozen=True)
class Wiring:
    """Everything an actor needs to find its world again, wherever and whenever it is started."""

    home: str
    home_node: str
    """The Ray node on whose machine the data home lies."""

    corpus: str = "projections.search:open_corpus"
    parser: str = "actors.adapters.sandbox:SandboxedParser"
    embedder: str = "projections.encoders.opened:open_embedder"
    indexer: str = "projections.index.helper:BuilderProcess"

    outside: str = "actors.outside:World"
    spent: str = "projections.spent:open_spent"

    watched: bool = False
    """Whether somebody may look at the actors in the Ray dashboard."""

    keeper: str = KEEPER
    """The actor that keeps the data home."""

    def archive(self) -> Archive:
        """The data home, through its files or through its keeper."""
        if self._at_home():
            return LocalArchive(Home(Path(self.home)))
        return KeeperArchive(self.ask_keeper)

    def open_corpus(self) -> Corpus:
        """The corpus as the keeper has it open; at home it can be opened without the keeper as well."""
        if self._at_home():
            return SharedCorpus(self._ask_keeper_at_hand, self.open_own_corpus)
        return KeeperCorpus(self.ask_keeper)

    def open_own_corpus(self) -> Corpus:
        """The corpus, opened in this process."""
        return OpenedCorpus(named(self.corpus)(self.home))

    def compare(self, pairs: Pairs) -> list[list[float | None]] | None:
        """How near texts are in meaning, by the corpus's model; nothing is opened before it is asked."""
        return compared_by(self.open_corpus())(pairs)

    def open_parser(self) -> Parser:
        """The parser of documents."""
        return cast(Parser, named(self.parser)())

    def open_embedder(self, setting: str) -> Embedder:
        """The embedding model of that name."""
        return cast(Embedder, named(self.embedder)(setting))

    def open_outside(self) -> Outside:
        """Providers and the web, with keys from the data home's machine."""
        keys = HomeKeys(Path(self.home)) if self._at_home() else KeeperKeys(self.ask_keeper)
        return cast(Outside, named(self.outside)(keys, self.open_parser()))

    def spent_today(self) -> float:
        """Dollars that the whole data home has cost today."""
        if self._at_home():
            return float(named(self.spent)(self.home).today())
        return float(self.ask_keeper("spent_today"))

    def ask_keeper(self, method: str, *arguments: Any) -> Any:
        """What the keeper of the data home answers."""
        return runtime.ask(self.keeper, method, *arguments, patience=_KEEPER_PATIENCE)

    def _ask_keeper_at_hand(self, method: str, *arguments: Any) -> Any:
        """What it answers who can do without it, and does not wait for one that was not started."""
        return runtime.ask(
            self.keeper, method, *arguments, patience=_KEEPER_PATIENCE, arrival=_SOON
        )

    def _at_home(self) -> bool:
        return runtime.this_node() == self.home_node


class TaskActor(Sign, TaskHost):
    """A research task in a process of its own."""

    def __init__(self, wiring: Wiring, name: str) -> None:
        archive = wiring.archive()
        if wiring.watched:
            runtime.keep_process_title()
            with suppress(ResearchError):
                self.title = title("task", name, archive.brief(name).question)
        super().__init__(archive, RayCrew(wiring), name, wiring.compare)


class ResearcherActor(Sign, ResearcherHost):
    """A researcher in a process of its own."""

    def __init__(self, wiring: Wiring, name: str, kind: str, question: str, task: str) -> None:
        def deliver(report: Report) -> None:
            if wiring.watched:
                self.show_sign(last=True)
                time.sleep(2 * FLUSH_S)
            runtime.hand_over(task_actor_name(task), "collect", report)

        if wiring.watched:
            runtime.keep_process_title()
            self.title = title(f"{kind} researcher", name, question)
        archive, corpus = wiring.archive(), wiring.open_corpus()
        outside = wiring.open_outside()
        super().__init__(
            archive, corpus, name, kind, question, task, deliver, outside, wiring.spent_today
        )


class IngestActor(Sign, IngestHost):
    """A job over documents in a process of its own."""

    def __init__(self, wiring: Wiring, name: str) -> None:
        give_way()
        archive = wiring.archive()
        if wiring.watched:
            runtime.keep_process_title()
            with suppress(ResearchError):
                order = archive.manifest(name)
                self.title = title(
                    order.purpose, name, f"{count(order.files, 'file')}, {order.collection}"
                )
        super().__init__(archive, wiring.open_parser(), wiring.open_embedder, name)


class KeeperActor(Sign, Keeper):
    """The data home for actors on other machines, and the corpus for all."""

    title = "keeper of the data home"

    def __init__(self, wiring: Wiring) -> None:
        archive = LocalArchive(Home(Path(wiring.home)))
        super().__init__(archive, wiring.open_own_corpus(), wiring.spent_today)


def start_task(wiring: Wiring, task: str) -> Running:
    """Get or create the actor of a research task."""
    return _watched_over(TaskActor, task_actor_name(task), wiring, task)


def start_job(wiring: Wiring, job: str) -> Running:
    """Get or create the actor of an ingest job."""
    return _watched_over(IngestActor, job, wiring, job)


def _watched_over(cls: type, name: str, wiring: Wiring, stream: str) -> Running:
    actor = runtime.start(cls, name, wiring, stream, watched=wiring.watched)
    return Running(actor, LINGER_S if wiring.watched else 0.0)


def start_keeper(wiring: Wiring) -> None:
    """Get or create the keeper, on the data home's own machine."""
    runtime.start(
        KeeperActor,
        wiring.keeper,
        wiring,
        watched=wiring.watched,
        only_at=wiring.home_node,
        max_concurrency=8,
    )


def dismiss_keeper(wiring: Wiring) -> None:
    """End the keeper: it holds models and indexes, and runs the code that it was started with."""
    runtime.dismiss(wiring.keeper)


def keeper_name(home: Path) -> str:
    """The keeper of a data home, as it is called in the Ray dashboard; a cluster may work for several homes."""
    place = os.fsencode(f"{socket.gethostname()}:{home}")
    return f"{KEEPER}-{sha256(place).hexdigest()[:8]}"


def dismiss_crew(task: str) -> None:
    """End the researchers of a task that will not take their reports."""
    runtime.dismiss_all(researcher_actor_name(f"{task}."))


def task_actor_name(task: str) -> str:
    """A task's actor, as it is called in the Ray dashboard."""
    return f"task-{task}"


def researcher_actor_name(researcher: str) -> str:
    """A researcher's actor, as it is called in the Ray dashboard."""
    return f"researcher-{researcher}"


def actor_of(stream: str) -> str:
    """The actor that writes a task's, researcher's or job's stream."""
    if "." in stream:
        return researcher_actor_name(stream)
    return stream if stream.startswith(("ingest-", "reindex-")) else task_actor_name(stream)


class RayCrew:
    """Researchers as detached actors. Satisfies `ports.Crew`."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring
        self._sent: dict[str, tuple[ResearcherAssigned, str, Running]] = {}
        self._deaths: dict[str, int] = {}

    def send(self, task: str, assignment: ResearcherAssigned) -> None:
        """Get or create the researcher's actor."""
        name = assignment.researcher
        if name not in self._sent:
            arguments = self._wiring, name, assignment.researcher_kind, assignment.question, task
            place = researcher_actor_name(name)
            watched = self._wiring.watched
            actor = runtime.start(ResearcherActor, place, *arguments, watched=watched)
            self._sent[name] = assignment, task, Running(actor)

    def stop(self, researcher: str) -> None:
        """Tell the researcher to stop, if it is there to be told."""
        runtime.tell(researcher_actor_name(researcher), "stop")

    def dismiss(self, researcher: str) -> None:
        """End the researcher at once."""
        self._sent.pop(researcher, None)
        runtime.dismiss(researcher_actor_name(researcher))

    def lost(self) -> list[tuple[str, str]]:
        """Researchers that died for good and were sent out again in vain."""
        lost = []
        for name, (assignment, task, running) in list(self._sent.items()):
            if reason := running.death():
                del self._sent[name]
                self._deaths[name] = self._deaths.get(name, 0) + 1
                if self._deaths[name] < 3:
                    self.send(task, assignment)
                else:
                    lost.append((name, reason))
        return lost
