"""How a Ray head is started for a data home: its token, its command line, its environment.

Nothing here imports ray: what starts it must outlive it.
"""

import os
import secrets
import stat
import sys
from pathlib import Path

from actors.processes import LOG_LIMIT, MARK, home_key, ray_folder
from actors.signs import FLUSH_S
from actors.waking import HeadOptions, ray_environment

IDLE_WORKERS = 4
"""Worker processes that Ray keeps for actors to come."""


class Refused(Exception):
    """Starting again would not help."""


def check_token(run: Path, *, make: bool) -> None:
    """The cluster's token is there, and nobody else can have read it."""
    path = run / "ray_token"
    if make and _is_to_be_made(path):
        draft = run / "ray_token.new"
        draft.unlink(missing_ok=True)
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(file, "w") as token:
            token.write(secrets.token_hex(32))
            token.flush()
            os.fsync(token.fileno())
        draft.replace(path)
    try:
        found = path.lstat()
    except OSError:
        raise Refused(f"There is no token at {path}; put the cluster's token there.") from None
    if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
        raise Refused(f"The token {path} is not a file of ours; remove it.")
    if found.st_mode & 0o077:
        mode = stat.S_IMODE(found.st_mode)
        raise Refused(f"Others can read the token {path} (mode {mode:04o}); remove it.")


def _is_to_be_made(path: Path) -> bool:
    """Whether there is no token, or an empty file of ours, as a power cut may leave it: Ray starts with neither."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return True
    ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()
    return ours and not found.st_size and not found.st_mode & 0o077


def head_command(options: HeadOptions, ports: tuple[int, int] | None) -> list[str]:
    """`ray start`, with the ports of its dashboard and its metrics where there is one."""
    shown, dashboard_port = ("true", ports[0]) if ports else ("false", -1)
    return [
        *(sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block"),
        *("--node-ip-address=127.0.0.1", "--port=0", f"--temp-dir={ray_folder(options.home)}"),
        *("--min-worker-port=0", "--max-worker-port=0", "--dashboard-agent-listen-port=0"),
        *(f"--include-dashboard={shown}", "--dashboard-host=127.0.0.1"),
        # Without a dashboard Ray still runs its server, for usage statistics alone (115 MB);
        # when that finds no port, which was not asked for, Ray goes on without.
        f"--dashboard-port={dashboard_port}",
        *([f"--metrics-export-port={ports[1]}"] if ports else []),
        *("--no-monitor", "--include-log-monitor=false", "--disable-usage-stats"),
        f"--object-store-memory={options.object_store_mb << 20}",
        *(f"--num-cpus={options.num_cpus}", "--log-color=false"),
    ]


def child_environment(options: HeadOptions) -> dict[str, str]:
    """The environment of the head and of the engine."""
    own_head = options.address is None
    environment = ray_environment(options.home, own_head=own_head)
    environment |= {MARK: home_key(options.home)}
    if own_head:
        hook = "with_guarded_metrics" if options.dashboard else "without_client_server"
        environment |= {
            "RAY_START_HOOK": f"actors.ray_start.{hook}",
            # A worker that waits for an actor has already imported what the actor needs.
            "RAY_preload_python_modules": "actors.ray_actors",
            "RAY_num_workers_soft_limit": str(IDLE_WORKERS),
            "RAY_GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S": "0",  # else up to 30 s
            "RAY_ROTATION_MAX_BYTES": str(LOG_LIMIT),
            "RAY_ROTATION_BACKUP_COUNT": "1",
            "RAY_enable_metrics_collection": "1" if options.dashboard else "0",
        }
    if options.dashboard:
        environment |= {
            "RAY_metrics_report_interval_ms": "2000",
            "RAY_task_events_report_interval_ms": str(int(FLUSH_S * 1000)),
            # Else every step would be a label of Ray's own metrics.
            "RAY_metric_cardinality_level": "low",
            # Until it has looked again (15 s, twice), the dashboard gives an actor the id that its process had
            # while it waited for one: none.
            "NODE_STATS_UPDATE_INTERVAL_SECONDS": "1",
            "RAY_DASHBOARD_STATS_UPDATING_INTERVAL": "1",
        }
    return environment
