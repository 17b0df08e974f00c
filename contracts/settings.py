"""What a user can set, and nothing else reads the environment."""

import os
import re
from dataclasses import dataclass, field
from ipaddress import IPv6Address
from pathlib import Path
from typing import Self

from events.errors import BadRequest

BUNDLED = "bundled"
"""How answers name the models that need no name; a setting may, too."""

_LONGEST_REFRESH = 100_000
"""Hours. What fails is looked at ever less often, and the calendar ends."""

_HOST_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")


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

    daily_cap_usd: float | None = None
    """Dollars that all researches of a day (UTC) may cost; reaching it stops the next paid call."""

    task_cap_usd: float | None = None
    """Dollars that one research may cost; reaching it stops its next paid call."""

    prewarm: bool = True
    """Whether a server brings the engine up after its first answer."""

    project: str | None = None
    """The project whose collections are searched when a question names none."""

    record_queries: bool = True
    """Whether what is asked of the knowledge base is kept in the record."""

    roots: tuple[Path, ...] | None = None
    """Folders that MCP clients may ingest from; none leaves it to the client's own roots."""

    embedder: str | None = None
    """The embedding model that projects must be embedded with; none takes the corpus as it is, and
    an empty one means the bundled models, which may also be called `bundled`."""

    reranker: str = ""
    """A cross-encoder by name, which looks at the best passages of a search once more."""

    max_chars_per_chunk: int = 1_800
    """Characters of a passage that a query of a project shows."""

    top_k_limit: int = 6
    """Passages that a query of a project shows at most."""

    top_k_limits: tuple[tuple[str, int], ...] = ()
    """The same for single projects, by their names."""

    zotero_library: str = ""
    """The Zotero library to ingest from: users/123, groups/456, or local."""

    zotero_url: str | None = None
    """Another address of the Zotero API."""

    zotero_key: str | None = field(default=None, repr=False)
    """The key of the Zotero web API; given as ZOTERO_API_KEY."""

    fetch_contact: str = ""
    """An address or URL that sites find in our User-Agent."""

    fetch_delay_s: float = 1.0
    """Seconds between two requests to one site."""

    fetch_allow_hosts: tuple[str, ...] = ()
    """Test hosts, as `host:port`, that pages may be fetched from although they are on loopback."""

    obey_robots: bool = True
    """Whether a site's robots.txt is obeyed."""

    render: str = ""
    """`chromium` shows pages that need JavaScript in a local browser; nothing leaves them unread."""

    render_sandbox: bool = True
    """Whether that browser must run in its sandbox, which it cannot for the superuser."""

    refresh_hours: float = 0.0
    """Websites not looked at for so long are fetched again while the engine runs; 0 leaves them."""

    http_allow_hosts: tuple[str, ...] = ()
    """Further names under which the HTTP server is asked for, as behind a proxy."""

    http_rate: float = 20.0
    """Requests per second that one token may make; ten seconds' worth may come at once."""

    http_wrong_tokens: int = 10
    """Wrong tokens per minute that one address may try."""

    http_max_mb: float = 4.0
    """Megabytes that one HTTP request may have."""

    log_level: str = "warning"

    def __post_init__(self) -> None:
        if self.embedder is not None and self.embedder.strip().casefold() == BUNDLED:
            object.__setattr__(self, "embedder", "")

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
            daily_cap_usd=_dollars(given, "DAILY_CAP_USD"),
            task_cap_usd=_dollars(given, "TASK_CAP_USD"),
            prewarm=_flag(given, "PREWARM", default=True),
            project=given.get("RESEARCH_AGENT_PROJECT") or None,
            record_queries=_flag(given, "RECORD_QUERIES", default=True),
            roots=_folders(given, "ROOTS"),
            embedder=given.get("RESEARCH_AGENT_EMBEDDER"),
            reranker=given.get("RESEARCH_AGENT_RERANKER", ""),
            max_chars_per_chunk=int(_number(given, "MAX_CHARS_PER_CHUNK", 1_800, least=100)),
            top_k_limit=int(_number(given, "TOP_K_LIMIT", 6, least=1)),
            top_k_limits=_by_project(given, "TOP_K_LIMITS"),
            zotero_library=given.get("RESEARCH_AGENT_ZOTERO_LIBRARY", ""),
            zotero_url=given.get("RESEARCH_AGENT_ZOTERO_URL") or None,
            zotero_key=given.get("ZOTERO_API_KEY")
            or given.get("RESEARCH_AGENT_ZOTERO_KEY")
            or None,
            fetch_contact=_printable(given, "FETCH_CONTACT"),
            fetch_delay_s=_number(given, "FETCH_DELAY_S", 1.0),
            fetch_allow_hosts=_hosts(given, "FETCH_ALLOW_HOSTS"),
            obey_robots=_flag(given, "OBEY_ROBOTS", default=True),
            render=_one_of(given, "RENDER", ("", "chromium")),
            render_sandbox=_flag(given, "RENDER_SANDBOX", default=True),
            refresh_hours=_number(given, "REFRESH_HOURS", 0.0, most=_LONGEST_REFRESH),
            http_allow_hosts=_names(given, "HTTP_ALLOW_HOSTS"),
            http_rate=_number(given, "HTTP_RATE", 20.0, least=0.1),
            http_wrong_tokens=int(_number(given, "HTTP_WRONG_TOKENS", 10, least=1)),
            http_max_mb=_number(given, "HTTP_MAX_MB", 4.0, least=0.1),
            log_level=given.get("RESEARCH_AGENT_LOG_LEVEL", "warning"),
        )


def _number(
    given: dict[str, str], name: str, default: float, least: float = 0, most: float = 1e9
) -> float:
    text = given.get(f"RESEARCH_AGENT_{name}", "")
    try:
        number = float(text) if text else default
    except ValueError:
        number = -1.0
    if not least <= number <= most:
        bounds = f"from {least:g} to {most:,.0f}" if number > most else f"of at least {least:g}"
        raise BadRequest(
            f"RESEARCH_AGENT_{name} is {text[:80]!r}.", f"Set it to a number {bounds}."
        )
    return number


def _one_of(given: dict[str, str], name: str, known: tuple[str, ...]) -> str:
    text = given.get(f"RESEARCH_AGENT_{name}", "").strip().lower()
    if text not in known:
        raise BadRequest(
            f"RESEARCH_AGENT_{name} is {text[:80]!r}.",
            f"Set it to {' or '.join(filter(None, known))}, or leave it out.",
        )
    return text


def _by_project(given: dict[str, str], name: str) -> tuple[tuple[str, int], ...]:
    """Numbers of projects, as `group/one=10,two=20`."""
    found: list[tuple[str, int]] = []
    for part in filter(None, given.get(f"RESEARCH_AGENT_{name}", "").split(",")):
        project, _, number = part.rpartition("=")
        if not project.strip() or not re.fullmatch(r"\s*[0-9]{1,9}\s*", number) or int(number) < 1:
            raise BadRequest(
                f"RESEARCH_AGENT_{name} has {part[:80]!r}.", "List project=number with commas."
            )
        found.append((project.strip(), int(number)))
    return tuple(found)


def _dollars(given: dict[str, str], name: str) -> float | None:
    return _number(given, name, 0.0) if given.get(f"RESEARCH_AGENT_{name}") else None


def _folders(given: dict[str, str], name: str) -> tuple[Path, ...] | None:
    listed = [part for part in given.get(f"RESEARCH_AGENT_{name}", "").split(os.pathsep) if part]
    try:
        folders = tuple(Path(part).expanduser() for part in listed)
    except RuntimeError:
        folders = (Path("~"),)
    if not all(folder.is_absolute() for folder in folders):
        raise BadRequest(
            f"RESEARCH_AGENT_{name} is {os.pathsep.join(listed)!r}.",
            f"List absolute folders with {os.pathsep!r} between them.",
        )
    return folders or None


def _printable(given: dict[str, str], name: str) -> str:
    text = given.get(f"RESEARCH_AGENT_{name}", "").strip()
    if not text.isascii() or (text and not text.isprintable()) or len(text) > 200:
        raise BadRequest(
            f"RESEARCH_AGENT_{name} is {text[:80]!r}.", "Set it to a mail address or a URL."
        )
    return text


def _hosts(given: dict[str, str], name: str) -> tuple[str, ...]:
    listed = given.get(f"RESEARCH_AGENT_{name}", "").replace(",", " ").split()
    for each in listed:
        host, _, port = each.rpartition(":")
        if not host or not port.isdecimal():
            raise BadRequest(
                f"RESEARCH_AGENT_{name} names {each[:80]!r}.",
                "List hosts with their ports, such as 127.0.0.1:8000.",
            )
    return tuple(listed)


def _names(given: dict[str, str], name: str) -> tuple[str, ...]:
    listed = given.get(f"RESEARCH_AGENT_{name}", "").replace(",", " ").lower().split()
    for each in listed:
        if not is_host_name(each):
            raise BadRequest(
                f"RESEARCH_AGENT_{name} names {each[:80]!r}.",
                "List names without ports, such as research.example.org.",
            )
    return tuple(listed)


def is_host_name(name: str) -> bool:
    """Whether it is the name or address of one host: no port, no path, no wildcard."""
    if _HOST_NAME.fullmatch(name):
        return True
    try:
        return IPv6Address(name).scope_id is None
    except ValueError:
        return False


def _flag(given: dict[str, str], name: str, *, default: bool) -> bool:
    text = given.get(f"RESEARCH_AGENT_{name}", "").lower()
    if text not in {"", "0", "1", "true", "false", "yes", "no"}:
        raise BadRequest(f"RESEARCH_AGENT_{name} is {text!r}.", "Set it to 1 or 0.")
    return text in {"1", "true", "yes"} if text else default
