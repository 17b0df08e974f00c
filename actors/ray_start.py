"""What is changed in `ray start`, where Ray has no flag for it: through its hook, before anything is started."""

from importlib import import_module
from typing import Any

_SERVING_METRICS = {"dashboard", "dashboard_agent"}
"""What Ray calls its programs that do."""


def without_client_server(parameters: Any, head: bool) -> None:
    """No Ray Client server (90 MB, a port)."""
    parameters.ray_client_server_port = None


def with_guarded_metrics(parameters: Any, head: bool) -> None:
    """The same, and whatever serves metrics asks for the token there, too."""
    without_client_server(parameters, head)
    services: Any = import_module("ray._private.services")
    # Under another name in another Ray, it would fail to start rather than serve them to anybody.
    python = services._build_python_executable_command_memory_profileable

    def guarded(component: str, *arguments: Any, **options: Any) -> list[str]:
        command: list[str] = python(component, *arguments, **options)
        guard = ["-m", "actors.metrics_guard"] if component in _SERVING_METRICS else []
        return [*command, *guard]

    services._build_python_executable_command_memory_profileable = guarded
