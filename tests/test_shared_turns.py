"""Politeness between processes: places, delays and pauses that hold for all of one data home."""

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from actors.adapters.fetching import Fetcher
from actors.adapters.pages import FetchSettings
from actors.adapters.shared_turns import FARTHEST, FileBook
from actors.adapters.turns import AskLater, Turns
from events.errors import RateLimited
from tests.stream_steps import LINUX, is_frozen
from tests.waiting import until
from tests.webserver import serving

ROOT = Path(__file__).resolve().parent.parent
FETCHING = """
import sys
from actors.adapters.fetching import Fetcher
from actors.adapters.pages import FetchSettings
folder, host, delay, pages = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
settings = FetchSettings(hosts=folder, delay_s=delay, allow_hosts=(host,), obey_robots=False)
fetcher = Fetcher(settings)
for _ in range(pages):
    fetcher.fetch(f"http://{host}/page")
"""


def turns(folder: Path, at_once: int = 2, delay: float = 0.0, patience: float = 5.0) -> Turns:
    return Turns(FileBook(folder, at_once), delay, patience, time.time, time.sleep)


def test_two_processes_keep_the_delay_of_one_host_together(tmp_path: Path) -> None:
    delay, each = 0.15, 4
    with serving() as site:
        begun: list[float] = []
        seen = threading.Event()

        def watch() -> None:
            while not seen.is_set():
                while len(begun) < len(site.asked):
                    begun.append(time.monotonic())
                time.sleep(0.002)

        watcher = threading.Thread(target=watch)
        watcher.start()
        command = [sys.executable, "-c", FETCHING, str(tmp_path), site.host, str(delay), str(each)]
        running = [subprocess.Popen(command, cwd=ROOT) for _ in range(2)]
        assert [process.wait(60) for process in running] == [0, 0]
        seen.set()
        watcher.join()
    assert len(site.asked) == 2 * each
    # Eight turns of one host take at least seven delays, however many processes take them.
    assert begun[-1] - begun[0] > (2 * each - 1) * delay * 0.9


def test_a_pause_that_a_host_asked_one_process_for_holds_for_another(tmp_path: Path) -> None:
    with serving() as site:
        site.busy_for, site.retry_after = 1, "600"

        def fetcher() -> Fetcher:
            return Fetcher(
                FetchSettings(
                    hosts=str(tmp_path), delay_s=0.0, obey_robots=False, allow_hosts=(site.host,)
                )
            )

        with pytest.raises(RateLimited, match="429"):
            fetcher().fetch(site.url("/busy"))
        with pytest.raises(RateLimited, match="asked not to be asked again for 10 minutes"):
            fetcher().fetch(site.url("/page"))
        assert site.paths() == ["/busy"]


def test_a_host_has_so_many_places_and_no_more(tmp_path: Path) -> None:
    inside, most, lock = 0, 0, threading.Lock()

    def work() -> None:
        nonlocal inside, most
        with turns(tmp_path).turn("a.example"):
            with lock:
                inside += 1
                most = max(most, inside)
            time.sleep(0.02)
            with lock:
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 2


def test_a_place_is_free_when_its_holder_was_killed(tmp_path: Path) -> None:
    holding = (
        "import sys,time,pathlib;from actors.adapters.shared_turns import FileBook;"
        "p=FileBook(pathlib.Path(sys.argv[1]),1).place('a.example');p.__enter__();"
        "sys.stdout.write('in');sys.stdout.flush();time.sleep(60)"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", holding, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE
    )
    assert holder.stdout
    assert holder.stdout.read(2) == b"in"
    entered = threading.Event()

    def enter() -> None:
        with FileBook(tmp_path, 1).place("a.example"):
            entered.set()

    thread = threading.Thread(target=enter)
    thread.start()
    assert not entered.wait(0.1)
    holder.kill()
    holder.wait()
    thread.join(10)
    assert entered.is_set()
    holder.stdout.close()


@LINUX
def test_nobody_waits_long_for_a_place_whose_holder_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.adapters.shared_turns._LOOKS_AFTER", 0.1)
    holding = (
        "import os,signal,sys,pathlib;from actors.adapters.shared_turns import FileBook;"
        "p=FileBook(pathlib.Path(sys.argv[1]),1).place('a.example');p.__enter__();"
        "os.kill(os.getpid(),signal.SIGSTOP)"
    )
    holder = subprocess.Popen([sys.executable, "-c", holding, str(tmp_path)], cwd=ROOT)
    until(lambda: is_frozen(holder))
    entered = threading.Event()

    def enter() -> None:
        with FileBook(tmp_path, 1).place("a.example"):
            entered.set()

    thread = threading.Thread(target=enter, daemon=True)
    thread.start()
    thread.join(10)
    assert entered.is_set() and is_frozen(holder)
    holder.kill()
    holder.wait()


@LINUX
def test_nobody_waits_long_for_the_times_that_somebody_was_stopped_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.adapters.shared_turns.ONLY_STOPPED_AFTER", 0.1)
    holding = (
        "import os,signal,sys,pathlib;from actors.adapters.shared_turns import FileBook;"
        "t=FileBook(pathlib.Path(sys.argv[1]),1).times('a.example');t.__enter__();"
        "os.kill(os.getpid(),signal.SIGSTOP)"
    )
    with subprocess.Popen([sys.executable, "-c", holding, str(tmp_path)], cwd=ROOT) as holder:
        until(lambda: is_frozen(holder))
        entered = threading.Event()

        def enter() -> None:
            with FileBook(tmp_path, 1).times("a.example"):
                entered.set()

        threading.Thread(target=enter, daemon=True).start()
        came = entered.wait(10)
        holder.kill()
    assert came


def test_a_clock_that_was_set_back_holds_nobody_for_ever(tmp_path: Path) -> None:
    with FileBook(tmp_path, 1).times("a.example") as times:
        times.held_until = time.time() + 10_000_000
    with pytest.raises(AskLater) as later:
        turns(tmp_path).turn("a.example").__enter__()
    assert later.value.args[0] <= FARTHEST


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"a.example": 3}', b"\xff" * 50])
def test_a_damaged_book_is_begun_anew(tmp_path: Path, content: bytes) -> None:
    turns(tmp_path).hold("a.example", 1.0)
    [file] = [path for path in tmp_path.iterdir() if "." not in path.name]
    file.write_bytes(content)
    with turns(tmp_path).turn("a.example"):
        pass
    turns(tmp_path).hold("a.example", 300.0)
    assert json.loads(file.read_bytes()).keys() == {"a.example"}


def test_without_its_folder_one_goes_on_alone(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    with turns(blocked / "hosts").turn("a.example"):
        pass
    turns(blocked / "hosts").hold("a.example", 1.0)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
