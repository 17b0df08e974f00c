"""The door to ray: connects, starts actors, finds them by name, and unwraps what they raise."""

import logging
import socket
import threading
import time
from contextlib import nullcontext
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import ray
from ray._private.grpc_utils import init_grpc_channel
from ray.core.generated.common_pb2 import PYTHON
from ray.core.generated.node_manager_pb2 import PrestartWorkersRequest
from ray.core.generated.node_manager_pb2_grpc import NodeManagerServiceStub
from ray.exceptions import ActorDiedError, GetTimeoutError, RayError, RayTaskError
from ray.util import list_named_actors
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from events.errors import EngineDown, ResearchError
from events.logs import log

NAMESPACE = "research-agent"
_WARM_S = 900
"""How long a worker that was started ahead waits for its actor."""

SIGNS = "signs"
"""Threads of an actor in which its signs are up, beside its work."""


# -- the cluster ----------------------------------------------------------------------------------


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
    return this_node()


def this_node() -> str:
    """The node this process is on."""
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


# -- actors ---------------------------------------------------------------------------------------


def start(
    cls: type, name: str, *arguments: Any, watched: bool, only_at: str = "", **options: Any
) -> Any:
    """Get or create a detached actor, on the one node that is named or on any; returns its handle."""
    # Retrying a call is ours, by what the record says was answered: Ray would run it twice.
    settings = {
        "name": name,
        "lifetime": "detached",
        "get_if_exists": True,
        "max_restarts": -1,
        "max_task_retries": 0,
        "num_cpus": 0,
        "scheduling_strategy": NodeAffinitySchedulingStrategy(only_at, soft=False)
        if only_at
        else "SPREAD",
    }
    wrap: Any = ray.remote
    if watched:
        # Two, so that one sign goes up before the other comes down.
        wrap = wrap(concurrency_groups={SIGNS: 2})
    wrapped = wrap(cls)
    return wrapped.options(**(settings | options)).remote(*arguments)


def keep_process_title() -> None:
    """Let Ray not call this process after the step that it shows: every user of the machine reads that with `ps`."""
    worker: Any = import_module("ray._private.worker")
    worker._changeproctitle = lambda title, next_title: nullcontext()


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


def dismiss(name: str) -> None:
    """End an actor for good, if it is there."""
    try:
        ray.kill(ray.get_actor(name), no_restart=True)
    except ValueError:
        return  # It is gone already.


def dismiss_all(beginning: str) -> None:
    """End all actors whose names begin like that."""
    for name in list_named_actors():
        if name.startswith(beginning):
            dismiss(name)


# -- talking to actors ----------------------------------------------------------------------------


def tell(name: str, method: str) -> None:
    """Call a method of an actor without waiting for it, if the actor is there to be told."""
    try:
        getattr(ray.get_actor(name), method).remote()
    except ValueError:
        return


def hand_over(name: str, method: str, thing: Any) -> None:
    """Call a method of an actor until it has taken what it is given; one that was restarted takes it too."""
    pause = 0.05
    while True:
        try:
            # The caller is ended by what it delivers, so the dashboard would call this a failure.
            take: Any = getattr(ray.get_actor(name), method).options(enable_task_events=False)
            answer(take.remote(thing), timeout=60)
        except (ValueError, RayError, GetTimeoutError, ResearchError):
            time.sleep(pause)
            pause = min(pause * 2, 5.0)
        else:
            return


def ask(
    name: str, method: str, *arguments: Any, patience: float, arrival: float | None = None
) -> Any:
    """What a method of an actor answers; `EngineDown` if the actor is not there, or is lost meanwhile.

    It is waited for until it is there, which may take as long as its answer, or for the seconds of its `arrival`.
    """
    deadline = time.monotonic() + (patience if arrival is None else arrival)
    while True:
        try:
            actor = ray.get_actor(name)
            break
        except ValueError:
            if time.monotonic() > deadline:
                raise EngineDown(name, "it is not there") from None
            time.sleep(0.2)
    try:
        return answer(getattr(actor, method).remote(*arguments), timeout=patience)
    except RayTaskError:
        raise  # It did answer, and would answer the same again.
    except (RayError, GetTimeoutError) as failure:
        # Whether it was done is unknown: the caller starts again from the record.
        raise EngineDown(name, _last_line(failure)) from None


def answer(reference: Any, timeout: float | None = None) -> Any:
    """What a call returned; our own refusals arrive as themselves."""
    try:
        return ray.get(reference, timeout=timeout)
    except RayTaskError as failure:
        if isinstance(failure.cause, ResearchError):
            raise failure.cause from None
        raise


def _last_line(failure: Exception) -> str:
    lines = [line.strip() for line in str(failure).splitlines() if line.strip()]
    return (lines[-1] if lines else type(failure).__name__)[:300]
