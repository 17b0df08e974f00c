"""What a user can set, and nothing else reads the environment."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from events.errors import BadRequest


@dataclass(frozen=True)
class Settings:
    """One process's settings; each can be given as RESEARCH_AGENT_<NAME>."""

    home: Path
    """The data home."""

    ray_address: str | None = None
    """An existing Ray cluster to use instead of a head of our own."""

    max_running: int = 4
    """Tasks and jobs worked on at the same time; the rest wait."""

    idle_minutes: float = 30.0
    """The engine ends itself after this long without work; 0 keeps it for good."""

    num_cpus: int = 2
    """Processors offered to Ray."""

    dashboard: bool = False
    """Whether the Ray dashboard is started, on loopback."""

    sync_window_s: float = 30.0
    """How long a start waits for a result before it goes on in the background."""

    prewarm: bool = True
    """Whether a server brings the engine up after its first answer."""

    log_level: str = "warning"

    @classmethod
    def from_environment(cls, environment: dict[str, str] | None = None) -> Self:
        """Read the settings; refuse values that make no sense, by name."""
        given = dict(os.environ if environment is None else environment)
        home = given.get("RESEARCH_AGENT_HOME") or "~/.research-agent"
        try:
            place = Path(home).expanduser().absolute()
        except RuntimeError:
            raise BadRequest(
                f"RESEARCH_AGENT_HOME is {home!r}.", "Set it to a folder you can write to."
            ) from None
        return cls(
            home=place,
            ray_address=given.get("RESEARCH_AGENT_RAY_ADDRESS") or None,
            max_running=int(_number(given, "MAX_RUNNING", 4, least=1)),
            idle_minutes=_number(given, "IDLE_MINUTES", 30.0),
            num_cpus=int(_number(given, "NUM_CPUS", 2, least=1)),
            dashboard=_flag(given, "DASHBOARD", default=False),
            sync_window_s=_number(given, "SYNC_WINDOW_S", 30.0),
            prewarm=_flag(given, "PREWARM", default=True),
            log_level=given.get("RESEARCH_AGENT_LOG_LEVEL", "warning"),
        )


def _number(given: dict[str, str], name: str, default: float, least: float = 0) -> float:
    text = given.get(f"RESEARCH_AGENT_{name}", "")
    try:
        number = float(text) if text else default
    except ValueError:
        number = -1.0
    if not least <= number < float("inf"):
        raise BadRequest(
            f"RESEARCH_AGENT_{name} is {text!r}.", f"Set it to a number of at least {least:g}."
        )
    return number


def _flag(given: dict[str, str], name: str, *, default: bool) -> bool:
    text = given.get(f"RESEARCH_AGENT_{name}", "").lower()
    if text not in {"", "0", "1", "true", "false", "yes", "no"}:
        raise BadRequest(f"RESEARCH_AGENT_{name} is {text!r}.", "Set it to 1 or 0.")
    return text in {"1", "true", "yes"} if text else default
