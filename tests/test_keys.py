"""Keys reach the actors through memory, and nothing else."""

import json
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from actors import keys as keys_module
from actors.archive import LocalArchive
from actors.keeper import Keeper
from actors.keys import (
    LENT,
    SOCKET,
    Credential,
    HomeKeys,
    KeeperKeys,
    KeyKeeper,
    credential,
    given,
    held,
    key_name,
    lend,
    merged,
    providers_with_keys,
    read_env_file,
)
from actors.waking import ray_environment
from contracts.lending import Lender
from events.errors import EngineDown
from events.home import Home
from events.secrets import redact_text
from tests.gemini_tasks import NoCorpus
from tests.waiting import until

KEY = "AIza-a-key-of-gemini-0123456789abcdef"
ROOT = Path(__file__).resolve().parent.parent
OTHER = "another-key-of-gemini-9876543210"


@pytest.fixture
def keeper(home: Home) -> Iterator[KeyKeeper]:
    opened = KeyKeeper(home.run)
    yield opened
    opened.close()


# -- what is taken ---------------------------------------------------------------------------------


def test_only_what_is_named_is_taken_from_an_environment() -> None:
    environment = {"GEMINI_API_KEY": f" {KEY} ", "TAVILY_API_KEY": "", "PATH": "/bin"}
    assert given(environment) == {"GEMINI_API_KEY": KEY}


def test_googles_own_name_for_a_key_comes_first() -> None:
    both = {"GEMINI_API_KEY": KEY, "GOOGLE_API_KEY": OTHER, "GOOGLE_GEMINI_BASE_URL": "http://x"}
    assert credential("gemini", both) == Credential(OTHER, "http://x")
    assert credential("claude", both) is None


def test_the_key_that_is_used_is_named_whoever_gave_it(home: Home, keeper: KeyKeeper) -> None:
    assert key_name("gemini", home.root, {}) == "GEMINI_API_KEY"
    (home.root / ".env").write_text(f"GOOGLE_API_KEY={KEY}\n")
    (home.root / ".env").chmod(0o600)
    assert key_name("gemini", home.root, {}) == "GOOGLE_API_KEY"
    assert key_name("gemini", home.root, {"GEMINI_API_KEY": OTHER}) == "GEMINI_API_KEY"
    assert lend(home.root, {"GOOGLE_API_KEY": KEY})
    assert key_name("gemini", home.root, {"GEMINI_API_KEY": OTHER}) == "GOOGLE_API_KEY"
    assert key_name("claude", home.root, {}) == "ANTHROPIC_API_KEY"


def test_a_key_never_goes_to_an_address_that_another_client_gave() -> None:
    first = {
        "GEMINI_API_KEY": KEY,
        "GOOGLE_GEMINI_BASE_URL": "http://gateway",
        "TAVILY_API_KEY": "t",
    }
    both = merged(first, {"GOOGLE_API_KEY": OTHER})
    assert both == {"GOOGLE_API_KEY": OTHER, "TAVILY_API_KEY": "t"}


def test_an_address_without_a_key_changes_nothing() -> None:
    assert merged({"GEMINI_API_KEY": KEY}, {"GOOGLE_GEMINI_BASE_URL": "http://evil"}) == {
        "GEMINI_API_KEY": KEY
    }


def test_a_credential_does_not_show_its_key() -> None:
    assert KEY not in repr(Credential(KEY, "http://x"))


# -- a file in the data home -----------------------------------------------------------------------


def write_env(home: Home, text: str, mode: int = 0o600) -> Path:
    path = home.root / ".env"
    path.write_text(text)
    path.chmod(mode)
    return path


def test_a_private_file_in_the_data_home_works(home: Home) -> None:
    write_env(
        home,
        f"# keys\nexport GEMINI_API_KEY='{KEY}'\nTAVILY_API_KEY=tvly # mine\nPATH=/evil\nnonsense\n",
    )
    assert read_env_file(home.root) == {"GEMINI_API_KEY": KEY, "TAVILY_API_KEY": "tvly"}
    assert HomeKeys(home.root).credential("gemini") == Credential(KEY)


def test_a_file_with_the_mark_of_its_encoding_and_remarks_behind_quotes_works(home: Home) -> None:
    write_env(home, f'\ufeffGEMINI_API_KEY={KEY}\nTAVILY_API_KEY="tvly#1"  # mine\n')
    assert read_env_file(home.root) == {"GEMINI_API_KEY": KEY, "TAVILY_API_KEY": "tvly#1"}


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_a_file_that_others_can_read_is_refused_and_said(
    home: Home, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    said: list[str] = []
    logger = SimpleNamespace(warning=lambda event, **more: said.append(f"{event} {more}"))
    monkeypatch.setattr(keys_module, "log", lambda _: logger)
    write_env(home, f"GEMINI_API_KEY={KEY}\n", mode)
    assert read_env_file(home.root) == {}
    assert "others can read it" in said[0]
    assert KEY not in said[0]


def test_a_link_in_the_place_of_the_file_is_refused(home: Home, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text(f"GEMINI_API_KEY={KEY}\n")
    (home.root / ".env").symlink_to(tmp_path / "elsewhere")
    assert read_env_file(home.root) == {}


def test_a_folder_or_pipe_in_the_place_of_the_file_is_refused(home: Home) -> None:
    os.mkfifo(home.root / ".env", 0o600)
    assert read_env_file(home.root) == {}


# -- lending ---------------------------------------------------------------------------------------


def test_what_is_lent_can_be_asked_for(home: Home, keeper: KeyKeeper) -> None:
    assert lend(home.root, {"GEMINI_API_KEY": KEY, "SHELL": "/bin/sh"})
    assert HomeKeys(home.root).all() == {"GEMINI_API_KEY": KEY}
    assert held(home.root) == {"GEMINI_API_KEY"}


def test_what_is_lent_comes_before_the_file(home: Home, keeper: KeyKeeper) -> None:
    write_env(home, f"GEMINI_API_KEY={OTHER}\nTAVILY_API_KEY=tvly\n")
    lend(home.root, {"GEMINI_API_KEY": KEY})
    assert HomeKeys(home.root).all() == {"GEMINI_API_KEY": KEY, "TAVILY_API_KEY": "tvly"}


def test_nobody_there_means_no_keys_and_no_error(home: Home) -> None:
    assert not lend(home.root, {"GEMINI_API_KEY": KEY})
    assert HomeKeys(home.root).all() == {}
    assert held(home.root) == frozenset()


def test_the_providers_that_can_be_used_are_known_without_their_keys(
    home: Home, keeper: KeyKeeper
) -> None:
    lend(home.root, {"TAVILY_API_KEY": "tvly-0123456789"})
    write_env(home, "ANTHROPIC_API_KEY=sk-0123456789\n")
    found = providers_with_keys(home.root, {"GEMINI_API_KEY": KEY})
    assert found == {"gemini", "claude", "tavily"}
    assert providers_with_keys(home.root, {}) == {"claude", "tavily"}


def test_only_the_owner_can_open_the_socket(home: Home, keeper: KeyKeeper) -> None:
    assert stat.S_IMODE((home.run / SOCKET).stat().st_mode) == 0o600
    assert stat.S_IMODE(home.run.stat().st_mode) == 0o700


def test_another_user_gets_nothing(
    home: Home, keeper: KeyKeeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    lend(home.root, {"GEMINI_API_KEY": KEY})
    monkeypatch.setattr(keys_module, "_is_our_user", lambda _: False)
    assert HomeKeys(home.root).all() == {}


def test_a_caller_of_our_own_is_known_by_the_kernel() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert keys_module._is_our_user(ours)


@pytest.mark.parametrize(
    "words", [b"", b"nonsense\n", b"[]\n", b'{"lend": 7}\n', b'{"lend": {"GEMINI_API_KEY": 7}}\n']
)
def test_nonsense_does_not_disturb_the_keeper(home: Home, keeper: KeyKeeper, words: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as peer, keys_module._named(home.run / SOCKET) as name:
        peer.connect(name)
        peer.sendall(words)
        peer.shutdown(socket.SHUT_WR)
        peer.settimeout(10)
        peer.recv(100)
    assert lend(home.root, {"GEMINI_API_KEY": KEY})
    assert HomeKeys(home.root).all() == {"GEMINI_API_KEY": KEY}


def test_a_home_with_a_very_long_path_works(tmp_path: Path) -> None:
    home = Home(tmp_path / ("long" * 30) / ("path" * 30))
    home.prepare()
    keeper = KeyKeeper(home.run)
    try:
        assert lend(home.root, {"GEMINI_API_KEY": KEY})
        assert HomeKeys(home.root).all() == {"GEMINI_API_KEY": KEY}
    finally:
        keeper.close()


def test_a_socket_left_behind_by_a_killed_supervisor_is_replaced(home: Home) -> None:
    with socket.socket(socket.AF_UNIX) as left, keys_module._named(home.run / SOCKET) as name:
        left.bind(name)
    keeper = KeyKeeper(home.run)
    assert lend(home.root, {"GEMINI_API_KEY": KEY})
    keeper.close()
    assert not (home.run / SOCKET).exists()


def test_a_keeper_that_ends_leaves_the_socket_of_another(home: Home) -> None:
    keeper = KeyKeeper(home.run)
    (home.run / SOCKET).rename(home.run / "moved.sock")
    other = KeyKeeper(home.run)
    keeper.close()
    assert lend(home.root, {"GEMINI_API_KEY": KEY})
    other.close()


def test_a_hundred_at_once_are_served(home: Home, keeper: KeyKeeper) -> None:
    lend(home.root, {"GEMINI_API_KEY": KEY})
    found: list[dict[str, str]] = []
    threads = [
        threading.Thread(target=lambda: found.append(HomeKeys(home.root).all())) for _ in range(100)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [{"GEMINI_API_KEY": KEY}] * 100


SHORT_OF_FILES = """
import resource, sys
from pathlib import Path
from actors.keys import KeyKeeper
keeper = KeyKeeper(Path(sys.argv[1]))
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
print("short", flush=True)
sys.stdin.readline()
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
print("well", flush=True)
sys.stdin.readline()
"""


def test_a_keeper_that_was_short_of_open_files_goes_on_when_it_is_not(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.keys._PATIENCE", 0.5)
    command = [sys.executable, "-c", SHORT_OF_FILES, str(home.run)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as short:
        assert short.stdin and short.stdout
        assert short.stdout.readline() == "short\n"
        held(home.root)  # It had a number for this one already.
        assert not lend(home.root, {"GEMINI_API_KEY": KEY})
        short.stdin.write("\n")
        short.stdin.flush()
        assert short.stdout.readline() == "well\n"
        until(lambda: lend(home.root, {"GEMINI_API_KEY": KEY}))
        assert held(home.root) == {"GEMINI_API_KEY"}
        short.stdin.write("\n")


def test_actors_elsewhere_ask_the_keeper_of_the_home(home: Home, keeper: KeyKeeper) -> None:
    lend(home.root, {"GEMINI_API_KEY": KEY})
    there = Keeper(LocalArchive(home), NoCorpus())

    def ask(method: str, *arguments: Any) -> Any:
        return getattr(there, method)(*arguments)

    assert KeeperKeys(ask).credential("gemini") == Credential(KEY)


def test_a_keeper_that_is_away_has_no_keys() -> None:
    def ask(method: str, *arguments: Any) -> Any:
        raise EngineDown("home-keeper", "it is being restarted")

    assert KeeperKeys(ask).credential("gemini") is None


def test_who_got_a_key_never_writes_it_down(home: Home, keeper: KeyKeeper) -> None:
    secret = "q7-no-known-shape-of-a-key-31415"
    lend(home.root, {"TAVILY_API_KEY": secret})
    HomeKeys(home.root).credential("tavily")
    assert redact_text(f"it said {secret}!") == "it said [redacted]!"


# -- a client that stays ---------------------------------------------------------------------------


def brisk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("contracts.lending._GLANCE", 0.01)
    monkeypatch.setattr("contracts.lending.atexit.register", lambda _: None)


def test_a_client_lends_to_each_supervisor_that_comes(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    brisk(monkeypatch)
    Lender(home.root, {"GEMINI_API_KEY": KEY}).start()
    for _ in range(2):
        keeper = KeyKeeper(home.run)
        until(lambda: held(home.root) == {"GEMINI_API_KEY"})
        keeper.close()


def test_who_asks_for_something_lends_again_what_another_has_replaced(
    home: Home, keeper: KeyKeeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    brisk(monkeypatch)
    keys = HomeKeys(home.root)
    first, second = (Lender(home.root, {"GEMINI_API_KEY": key}) for key in (KEY, OTHER))
    for lender, key in ((first, KEY), (second, OTHER), (first, KEY), (second, OTHER)):
        lender.start()
        wanted = Credential(key)
        until(lambda: keys.credential("gemini") == wanted)  # noqa: B023 - asked for at once
    time.sleep(0.1)
    assert keys.credential("gemini") == Credential(OTHER), "nobody lends unasked"


def test_a_client_without_keys_lends_nothing(home: Home, keeper: KeyKeeper) -> None:
    before = threading.active_count()
    Lender(home.root, {"PATH": "/bin"}).start()
    assert threading.active_count() <= before
    assert held(home.root) == frozenset()


def test_a_client_that_ends_waits_for_the_engine_it_has_just_woken(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends: list[Callable[[], None]] = []
    monkeypatch.setattr("contracts.lending._GLANCE", 60.0)
    monkeypatch.setattr("contracts.lending.atexit.register", ends.append)
    Lender(home.root, {"GEMINI_API_KEY": KEY}).start()
    (home.run / "wanted").touch()
    opened: list[KeyKeeper] = []

    def come_up() -> None:
        time.sleep(0.1)
        opened.append(KeyKeeper(home.run))

    coming = threading.Thread(target=come_up)
    coming.start()
    (end,) = ends
    end()
    coming.join()
    assert held(home.root) == {"GEMINI_API_KEY"}
    opened[0].close()


def test_a_client_that_woke_nobody_ends_at_once(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends: list[Callable[[], None]] = []
    monkeypatch.setattr("contracts.lending.atexit.register", ends.append)
    monkeypatch.setattr("contracts.lending._LAST_PATIENCE", 10_000.0)
    Lender(home.root, {"GEMINI_API_KEY": KEY}).start()
    ends[0]()


# -- what others are given -------------------------------------------------------------------------


def test_what_is_started_for_a_home_has_no_secret_in_its_environment(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in LENT | {"OPENAI_API_KEY", "ANTHROPIC_AUTH_TOKEN", "DB_PASSWORD"}:
        monkeypatch.setenv(name, KEY)
    for own_head in (True, False):
        environment = ray_environment(home.root, own_head=own_head)
        assert KEY not in json.dumps(environment)
        assert environment["PATH"] == os.environ["PATH"]
