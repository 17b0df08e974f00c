"""What the Ray dashboard shows of the work: steps as calls of the actors, and Ray's own metrics."""

from typing import Any

import ray
from ray.exceptions import RayError
from ray.util.metrics import Counter, Gauge, Histogram

from actors.ray_actors import actor_of
from actors.runtime import SIGNS
from events.metrics import METRICS, Metric


class RaySigns:
    """Satisfies `signs.Signs` with calls of the actors that write the streams."""

    def show(self, stream: str, doing: str) -> None:
        """Say what the writer of a stream does from now on."""
        _call(stream, doing, last=False)

    def end(self, stream: str, how: str) -> None:
        """Say that it has ended."""
        _call(stream, how, last=True)


def _call(stream: str, name: str, *, last: bool) -> None:
    try:
        actor = ray.get_actor(actor_of(stream))
        actor.show_sign.options(name=name, concurrency_group=SIGNS).remote(last=last)
    except (ValueError, RayError):
        return  # It is gone already; nothing but its sign is missing.


class RayMeter:
    """Satisfies `metrics.Meter`; the node's agent exports what is put in here."""

    def __init__(self) -> None:
        self._made = {metric.name: _made(metric) for metric in METRICS}

    def count(self, metric: Metric, by: float, *labels: str) -> None:
        """Add to a counter; Ray takes no zero."""
        if by > 0:
            self._made[metric.name].inc(by, tags=_tags(metric, labels))

    def set(self, metric: Metric, to: float, *labels: str) -> None:
        """Set a gauge."""
        self._made[metric.name].set(to, tags=_tags(metric, labels))

    def observe(self, metric: Metric, value: float, *labels: str) -> None:
        """Put a value into a histogram."""
        self._made[metric.name].observe(value, tags=_tags(metric, labels))


def _made(metric: Metric) -> Any:
    described = metric.name, metric.meaning
    if metric.kind == "histogram":
        return Histogram(*described, boundaries=list(metric.boundaries), tag_keys=metric.labels)
    return (Counter if metric.kind == "counter" else Gauge)(*described, tag_keys=metric.labels)


def _tags(metric: Metric, labels: tuple[str, ...]) -> dict[str, str]:
    return dict(zip(metric.labels, labels, strict=True))
