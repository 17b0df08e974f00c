"""Providers' keys on their way from a client's environment to the actors: in memory only.

The supervisor of a data home keeps them and hands them out on a socket in the home's `run` folder, which
nobody but its owner can open. They are never written, never part of the environment or command line of a process
that stays, and never given to Ray to keep. A `.env` file in the data home works too, if nobody else can read it.
"""

import contextlib
import json
import os
import re
import socket
import stat
import struct
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from actors.processes import place_of
from events.errors import EngineDown
from events.logs import log
from events.secrets import learn_secrets

SOCKET = "keys.sock"
_LONGEST = 64 << 10
"""Bytes of a message; more is nobody's keys."""

_PATIENCE = 5.0
_PAUSE = 0.1
_SHORT_ENOUGH = 100
"""Bytes of a path that any system takes as a socket's name."""

_QUOTED = re.compile(r"""(["'])(.*?)\1(?:\s+#.*)?""")
"""A value in quotes, and a remark that may follow it."""


@dataclass(frozen=True)
class Names:
    """What one provider's credentials are called in an environment."""

    keys: tuple[str, ...]
    """The first that is set counts; the last is what the key is called where none is."""

    url: str


PROVIDERS = {
    "gemini": Names(("GOOGLE_API_KEY", "GEMINI_API_KEY"), "GOOGLE_GEMINI_BASE_URL"),
    "claude": Names(("ANTHROPIC_API_KEY",), "ANTHROPIC_BASE_URL"),
    "tavily": Names(("TAVILY_API_KEY",), "TAVILY_BASE_URL"),
}

LENT = frozenset(name for names in PROVIDERS.values() for name in (*names.keys, names.url))
"""Everything that is taken from a client's environment, and kept out of that of others."""


@dataclass(frozen=True)
class Credential:
    """What opens a provider, and where it is."""

    key: str = field(repr=False)
    base_url: str | None = None


Keys = Mapping[str, str]


def given(environment: Keys) -> dict[str, str]:
    """The part of an environment that is lent."""
    return {name: environment[name].strip() for name in LENT if environment.get(name, "").strip()}


def credential(provider: str, keys: Keys) -> Credential | None:
    """A provider's credential among keys, if there is one."""
    names = PROVIDERS[provider]
    key = next((keys[name] for name in names.keys if keys.get(name)), None)
    return Credential(key, keys.get(names.url) or None) if key else None


def merged(keys: Keys, more: Keys) -> dict[str, str]:
    """Keys with more keys on top: a provider's are replaced all together, never mixed.

    A key of one client must not be sent to the address that another one gave.
    """
    result = dict(keys)
    for names in PROVIDERS.values():
        own = {*names.keys, names.url}
        if any(more.get(name) for name in names.keys):
            result = {name: value for name, value in result.items() if name not in own}
            result |= {name: more[name] for name in own if more.get(name)}
    return result


def read_env_file(home: Path) -> dict[str, str]:
    """The keys in a data home's `.env`; none, and a line in the log, when others can read it."""
    text, fault = _env_file(home / ".env")
    if fault:
        log("keys").warning("ignored .env", path=str(home / ".env"), reason=fault)
    return given(dict(filter(None, map(_assignment, text.splitlines()))))


def env_file_fault(home: Path) -> str | None:
    """Why a data home's `.env` is not read; none where it is, and where there is none."""
    return _env_file(home / ".env")[1]


def _env_file(path: Path) -> tuple[str, str | None]:
    """What is in it, and why that is not read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return "", None
    except OSError as failure:
        return "", failure.strerror or "it cannot be opened"
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
            return "", "it is not a file of ours"
        if found.st_mode & 0o077:
            mode = f"{stat.S_IMODE(found.st_mode):04o}"
            return "", f"others can read it (mode {mode}); run chmod 600 on it"
        # Some editors begin a file with the mark of its encoding.
        return file.read(_LONGEST).decode("utf-8-sig", errors="replace"), None


def _assignment(line: str) -> tuple[str, str] | None:
    name, equals, value = line.strip().removeprefix("export ").partition("=")
    if not equals or name.startswith("#"):
        return None
    value = value.strip()
    if quoted := _QUOTED.fullmatch(value):
        return name.strip(), quoted[2]
    return name.strip(), value.partition(" #")[0].strip()


# -- who keeps them --------------------------------------------------------------------------------


class KeyKeeper:
    """Keeps what clients lend, and gives it to processes of the same user. Lives in the supervisor."""

    def __init__(self, run: Path) -> None:
        self._keys: dict[str, str] = {}
        self._mutex = threading.Lock()
        path = run / SOCKET
        path.unlink(missing_ok=True)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # For the moment between its making and the change of its mode, the folder protects it.
        with _named(path) as name:
            self._socket.bind(name)
        path.chmod(0o600)
        self._path, self._place = path, place_of(path)
        self._socket.listen(512)
        threading.Thread(target=self._serve, name="keys", daemon=True).start()

    def close(self) -> None:
        """Forget everything."""
        # Where another home was put in the place of ours, the socket there is somebody else's.
        if self._place == place_of(self._path):
            self._path.unlink(missing_ok=True)
        self._socket.close()
        self._keys.clear()

    def _serve(self) -> None:
        while True:
            try:
                caller, _ = self._socket.accept()
            except OSError:
                if self._socket.fileno() < 0:
                    return
                # Too many files are open, say: nobody else would hand out keys until the supervisor ends.
                time.sleep(_PAUSE)
                continue
            try:
                threading.Thread(target=self._answer, args=(caller,), daemon=True).start()
            except (
                RuntimeError
            ):  # There are too many threads already; who is not answered asks again.
                caller.close()

    def _answer(self, caller: socket.socket) -> None:
        with caller, contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
            caller.settimeout(_PATIENCE)
            if not _is_our_user(caller):
                return
            asked = _receive(caller)
            with self._mutex:
                if lent := asked.get("lend"):
                    self._keys = merged(self._keys, given(lent))
                held = dict(self._keys)
            _send(caller, {"keys": held} if asked.get("ask") else {"held": sorted(held)})


def _is_our_user(caller: socket.socket) -> bool:
    if not hasattr(socket, "SO_PEERCRED"):
        return True  # The socket's own mode lets nobody else in.
    credentials = caller.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, user, _ = struct.unpack("3i", credentials)
    return bool(user == os.geteuid())


@contextlib.contextmanager
def _named(path: Path) -> Any:
    """A name for a socket that the system takes, however long its path is."""
    if len(os.fsencode(path)) < _SHORT_ENOUGH:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def _receive(peer: socket.socket) -> dict[str, Any]:
    raw = b""
    while not raw.endswith(b"\n") and len(raw) < _LONGEST:
        if not (more := peer.recv(4096)):
            break
        raw += more
    message = json.loads(raw)
    return message if isinstance(message, dict) else {}


def _send(peer: socket.socket, message: dict[str, Any]) -> None:
    peer.sendall(json.dumps(message).encode() + b"\n")


def _exchange(home: Path, message: dict[str, Any]) -> dict[str, Any] | None:
    """What the keeper of a home's keys answers; none when there is nobody."""
    try:
        with (
            socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer,
            _named(home / "run" / SOCKET) as name,
        ):
            peer.settimeout(_PATIENCE)
            _connect(peer, name)
            _send(peer, message)
            return _receive(peer)
    except (OSError, ValueError):
        return None


def _connect(peer: socket.socket, name: str) -> None:
    """Connect; where too many want to at once, the system refuses instead of waiting."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            peer.connect(name)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def lend(home: Path, keys: Keys) -> bool:
    """Give keys to the keeper of a home; false when there is none yet."""
    return _exchange(home, {"lend": dict(keys)}) is not None


def held(home: Path) -> frozenset[str]:
    """The names of what the keeper of a home holds, without their values."""
    return frozenset((_exchange(home, {}) or {}).get("held", ()))


def providers_with_keys(home: Path, environment: Keys) -> frozenset[str]:
    """The providers that a research in this home could use now."""
    named = given(environment) | read_env_file(home) | dict.fromkeys(held(home), "held")
    return frozenset(name for name in PROVIDERS if credential(name, named))


def key_name(provider: str, home: Path, environment: Keys) -> str:
    """What the key is called that a research in this home uses now; its usual name, where there is none."""
    lent = merged(given(environment), dict.fromkeys(held(home), "held"))
    names = PROVIDERS[provider].keys
    named = merged(read_env_file(home), lent)
    return next((name for name in names if named.get(name)), names[-1])


# -- who needs them --------------------------------------------------------------------------------


class KeySource(Protocol):
    """Where an actor finds keys."""

    def credential(self, provider: str) -> Credential | None:
        """A provider's credential, as it is now."""


class HomeKeys:
    """Keys for an actor on the data home's machine: those that were lent, else those in `.env`."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def all(self) -> dict[str, str]:
        """Everything there is. From now on none of it gets into a record or a log."""
        lent = (_exchange(self.home, {"ask": True}) or {}).get("keys", {})
        keys = merged(read_env_file(self.home), given(lent))
        learn_secrets(keys)
        return keys

    def credential(self, provider: str) -> Credential | None:
        """A provider's credential, as it is now."""
        return credential(provider, self.all())


class KeeperKeys:
    """Keys for an actor on another machine, through the keeper of the data home."""

    def __init__(self, ask: Any) -> None:
        self._ask = ask

    def credential(self, provider: str) -> Credential | None:
        """A provider's credential, as it is now; none while the keeper is away."""
        try:
            keys: dict[str, str] = self._ask("keys")
        except EngineDown:
            return None
        learn_secrets(keys)
        return credential(provider, keys)
