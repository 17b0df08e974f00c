"""Waking and shutting down, as far as that takes neither Ray nor a supervisor."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from actors import processes, waking
from actors.processes import ray_folder
from events.errors import EngineDown


@pytest.mark.parametrize("holder", [-1, -4711, 0])
def test_a_supervisor_on_another_machine_is_waited_for_and_nobody_here_is_ended(
    tmp_path: Path, holder: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run").mkdir()
    ended: list[int] = []
    monkeypatch.setattr(os, "kill", lambda pid, _: ended.append(pid))
    monkeypatch.setattr(waking, "take_lock", lambda run, **_: None)
    monkeypatch.setattr(waking, "lock_holder", lambda run: holder)
    with pytest.raises(EngineDown, match="did not stop"):
        waking.shut_down(tmp_path, 0.2)
    assert ended == []


@pytest.mark.parametrize("folder", ["/tmp", "/tmp/a b", "/tmp/ünïcödé-ünïc", "/" + "x" * 90])
def test_the_sockets_of_ray_have_names_that_are_short_enough(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: folder)
    place = ray_folder(Path("/home/me/a home of mine/größer/.research-agent"))
    assert len(os.fsencode(place)) <= processes._SOCKET_ROOM


ENDS = """
import sys, time
from pathlib import Path
from actors.processes import take_lock

print(take_lock(Path(sys.argv[1]), to_end=True), flush=True)
time.sleep(60)
"""


def test_who_shuts_down_keeps_supervisors_away_and_is_none(tmp_path: Path) -> None:
    command = [sys.executable, "-c", ENDS, str(tmp_path)]
    other = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=waking.ROOT)
    assert other.stdout
    try:
        assert other.stdout.readline().strip() != b"None"
        assert processes.take_lock(tmp_path) is None
        assert processes.take_lock(tmp_path, to_end=True) is None
        assert processes.lock_holder(tmp_path) is None
        with pytest.raises(EngineDown, match="did not stop"):
            (tmp_path / "run").symlink_to(tmp_path)
            waking.shut_down(tmp_path, 0.2)
        assert other.poll() is None, "nobody ends whoever does the same"
    finally:
        other.kill()
        other.wait()
        other.stdout.close()
