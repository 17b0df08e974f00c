"""The door to ray: connects, wraps the actors, names them, and unwraps what they raise."""

import logging
import socket
import threading
import time
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import ray
from ray._private.grpc_utils import init_grpc_channel
from ray.core.generated.common_pb2 import PYTHON
from ray.core.generated.node_manager_pb2 import PrestartWorkersRequest
from ray.core.generated.node_manager_pb2_grpc import NodeManagerServiceStub
from ray.exceptions import ActorDiedError, GetTimeoutError, RayError, RayTaskError
from ray.util import list_named_actors
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from actors.archive import LocalArchive
from actors.hosts import IngestHost, ResearcherHost, TaskHost, give_way
from actors.keeper import Keeper, KeeperArchive, KeeperCorpus
from actors.keys import HomeKeys, KeeperKeys
from actors.opened import OpenedCorpus, named
from actors.outside import Outside
from actors.ports import Archive, Corpus, Embedder, Parser
from actors.researcher import Report
from actors.signs import FLUSH_S, LINGER_S, Sign, title
from events.errors import EngineDown, ResearchError
from events.home import Home
from events.logs import log
from events.task import ResearcherAssigned

NAMESPACE = "research-agent"
KEEPER = "home-keeper"
_KEEPER_PATIENCE = 60.0
_WARM_S = 900
"""How long a worker that was started ahead waits for its actor."""

SIGNS = "signs"
"""Threads of an actor in which its signs are up, beside its work."""


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

    def archive(self) -> Archive:
        """The data home, through its files or through its keeper."""
        if self._at_home():
            return LocalArchive(Home(Path(self.home)))
        return KeeperArchive(_ask_keeper)

    def open_corpus(self) -> Corpus:
        """The corpus, likewise."""
        if self._at_home():
            return OpenedCorpus(named(self.corpus)(self.home))
        return KeeperCorpus(_ask_keeper)

    def open_parser(self) -> Parser:
        """The parser of documents."""
        return cast(Parser, named(self.parser)())

    def open_embedder(self, setting: str) -> Embedder:
        """The embedding model of that name."""
        return cast(Embedder, named(self.embedder)(setting))

    def open_outside(self) -> Outside:
        """Providers and the web, with keys from the data home's machine."""
        keys = HomeKeys(Path(self.home)) if self._at_home() else KeeperKeys(_ask_keeper)
        return cast(Outside, named(self.outside)(keys, self.open_parser()))

    def spent_today(self) -> float:
        """Dollars that the whole data home has cost today."""
        if self._at_home():
            return float(named(self.spent)(self.home).today())
        return float(_ask_keeper("spent_today"))

    def _at_home(self) -> bool:
        return bool(ray.get_runtime_context().get_node_id() == self.home_node)


def connect(address: str) -> str:
    """Join the cluster at an address as a driver; returns the node this process is on."""
    _knock(address)
    try:
        ray.init(
            address=address,
            namespace=NAMESPACE,
            log_to_driver=False,
            configure_logging=True,
            logging_level=logging.ERROR,
        )
    except (ConnectionError, RuntimeError, ValueError, RayError) as failure:
        raise EngineDown(address, " ".join(str(failure).split())[:300]) from None
    return str(ray.get_runtime_context().get_node_id())


def _knock(address: str) -> None:
    """Refuse an address where nobody listens: Ray itself would try for many minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=5).close()
    except (OSError, ValueError) as failure:
        raise EngineDown(address, f"nobody answers there ({failure})") from None


def disconnect() -> None:
    """Leave the cluster; its detached actors go on."""
    ray.shutdown()


def node_count() -> int:
    """How many machines take part."""
    return len(_nodes())


def _nodes() -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
    return [node for node in nodes if node["Alive"]]


# -- the actors, as Ray sees them ---------------------------------------------------------------


class TaskActor(Sign, TaskHost):
    """A research task in a process of its own."""

    def __init__(self, wiring: Wiring, name: str) -> None:
        archive = wiring.archive()
        if wiring.watched:
            _keep_process_title()
            with suppress(ResearchError):
                self.title = title("task", name, archive.brief(name).question)
        super().__init__(archive, RayCrew(wiring), name)


class ResearcherActor(Sign, ResearcherHost):
    """A researcher in a process of its own."""

    def __init__(self, wiring: Wiring, name: str, kind: str, question: str, task: str) -> None:
        def deliver(report: Report) -> None:
            if wiring.watched:
                self.show_sign(last=True)
                time.sleep(2 * FLUSH_S)
            _deliver(task, report)

        if wiring.watched:
            _keep_process_title()
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
            _keep_process_title()
            with suppress(ResearchError):
                order = archive.manifest(name)
                self.title = title(order.purpose, name, f"{order.files} files, {order.collection}")
        super().__init__(archive, wiring.open_parser(), wiring.open_embedder, name)


class KeeperActor(Sign, Keeper):
    """The data home, for actors on other machines."""

    title = "keeper of the data home"

    def __init__(self, wiring: Wiring) -> None:
        corpus = OpenedCorpus(named(wiring.corpus)(wiring.home))
        super().__init__(LocalArchive(Home(Path(wiring.home))), corpus, wiring.spent_today)


def _keep_process_title() -> None:
    """Let Ray not call this process after the step that it shows: every user of the machine reads that with `ps`."""
    worker: Any = import_module("ray._private.worker")
    worker._changeproctitle = lambda title, next_title: nullcontext()


def _start(cls: type, name: str, wiring: Wiring, *arguments: Any, **options: Any) -> Any:
    # Retrying a call is ours, by what the record says was answered: Ray would run it twice.
    settings = {
        "name": name,
        "lifetime": "detached",
        "get_if_exists": True,
        "max_restarts": -1,
        "max_task_retries": 0,
        "num_cpus": 0,
        "scheduling_strategy": "SPREAD",
    }
    wrap: Any = ray.remote
    if wiring.watched:
        # Two, so that one sign goes up before the other comes down.
        wrap = wrap(concurrency_groups={SIGNS: 2})
    wrapped = wrap(cls)
    return wrapped.options(**(settings | options)).remote(wiring, *arguments)


@dataclass
class Running:
    """An actor that was started, and whether it came up."""

    handle: Any
    linger: float = 0.0
    """Seconds between its dismissal and its end."""

    up: Any = field(init=False)

    def __post_init__(self) -> None:
        self.up = self._ping()

    def _ping(self) -> Any:
        # Twice a second for as long as it lives: nobody wants to see these in the dashboard.
        return self.handle.ping.options(enable_task_events=False).remote()

    def death(self) -> str | None:
        """Why the actor is gone for good, or none while it lives or is being restarted."""
        ready, _ = ray.wait([self.up], timeout=0)
        if not ready:
            return None
        try:
            ray.get(self.up)
        except ActorDiedError as died:
            return _last_line(died)
        except RayError:
            log("runtime").info("an actor is being restarted")
        # An actor that is up now may still fail to come back after its next crash.
        self.up = self._ping()
        return None

    def tell(self, method: str, *arguments: Any) -> None:
        """Call a method without waiting for it."""
        getattr(self.handle, method).remote(*arguments)

    def dismiss(self) -> None:
        """End the actor for good."""
        if self.linger:
            ending = threading.Timer(self.linger, ray.kill, [self.handle], {"no_restart": True})
            ending.daemon = True
            ending.start()
        else:
            ray.kill(self.handle, no_restart=True)


def keep_warm(workers: int) -> None:
    """Have Ray start workers ahead of need: an actor on one starts several times faster.

    Ray has this for its own use only; where it fails, actors merely start cold.
    """
    try:
        for node in _nodes():
            place = f"{node['NodeManagerAddress']}:{node['NodeManagerPort']}"
            stub = NodeManagerServiceStub(init_grpc_channel(place))
            request = PrestartWorkersRequest(
                language=PYTHON, num_workers=workers, keep_alive_duration_secs=_WARM_S
            )
            stub.PrestartWorkers(request, timeout=5)
    except Exception as failure:  # noqa: BLE001 - a private interface may fail in any way
        log("runtime").warning("no warm workers", reason=_last_line(failure))


def start_task(wiring: Wiring, task: str) -> Running:
    """Get or create the actor of a research task."""
    actor = _start(TaskActor, task_actor_name(task), wiring, task)
    return Running(actor, LINGER_S if wiring.watched else 0.0)


def start_job(wiring: Wiring, job: str) -> Running:
    """Get or create the actor of an ingest job."""
    return Running(_start(IngestActor, job, wiring, job), LINGER_S if wiring.watched else 0.0)


def dismiss_crew(task: str) -> None:
    """End the researchers of a task that will not take their reports."""
    for name in list_named_actors():
        if name.startswith(researcher_actor_name(f"{task}.")):
            _dismiss(name)


def _dismiss(name: str) -> None:
    try:
        ray.kill(ray.get_actor(name), no_restart=True)
    except ValueError:
        return  # It is gone already.


def start_keeper(wiring: Wiring) -> None:
    """Get or create the keeper, on the data home's own machine."""
    there = NodeAffinitySchedulingStrategy(wiring.home_node, soft=False)
    _start(KeeperActor, KEEPER, wiring, scheduling_strategy=there, max_concurrency=8)


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
            actor = _start(ResearcherActor, researcher_actor_name(name), *arguments)
            self._sent[name] = assignment, task, Running(actor)

    def stop(self, researcher: str) -> None:
        """Tell the researcher to stop, if it is there to be told."""
        try:
            ray.get_actor(researcher_actor_name(researcher)).stop.remote()
        except ValueError:
            return

    def dismiss(self, researcher: str) -> None:
        """End the researcher at once."""
        self._sent.pop(researcher, None)
        _dismiss(researcher_actor_name(researcher))

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


# -- talking to actors ----------------------------------------------------------------------------


def answer(reference: Any, timeout: float | None = None) -> Any:
    """What a call returned; our own refusals arrive as themselves."""
    try:
        return ray.get(reference, timeout=timeout)
    except RayTaskError as failure:
        if isinstance(failure.cause, ResearchError):
            raise failure.cause from None
        raise


def _deliver(task: str, report: Report) -> None:
    """Hand a report to the task until it has taken it; a task that was restarted takes it too."""
    pause = 0.05
    while True:
        try:
            # The caller is ended by what it delivers, so the dashboard would call this a failure.
            actor = ray.get_actor(task_actor_name(task))
            collect: Any = actor.collect.options(enable_task_events=False)
            answer(collect.remote(report), timeout=60)
        except (ValueError, RayError, GetTimeoutError, ResearchError):
            time.sleep(pause)
            pause = min(pause * 2, 5.0)
        else:
            return


def _ask_keeper(method: str, *arguments: Any) -> Any:
    deadline = time.monotonic() + _KEEPER_PATIENCE
    while True:
        try:
            keeper = ray.get_actor(KEEPER)
            break
        except ValueError:
            if time.monotonic() > deadline:
                raise EngineDown(KEEPER, "the keeper of the data home is not there") from None
            time.sleep(0.2)
    try:
        return answer(getattr(keeper, method).remote(*arguments), timeout=_KEEPER_PATIENCE)
    except RayTaskError:
        raise  # It did answer, and would answer the same again.
    except (RayError, GetTimeoutError) as failure:
        # Whether it was done is unknown: the caller starts again from the record.
        raise EngineDown(KEEPER, _last_line(failure)) from None


def _last_line(failure: Exception) -> str:
    lines = [line.strip() for line in str(failure).splitlines() if line.strip()]
    return (lines[-1] if lines else type(failure).__name__)[:300]
