"""The verifier: what is whole is proven, by itself and as a command."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from events.home import CATALOGUE
from tests.homes import (
    BuiltHome,
    build_home,
    lines_of,
)
from tests.tampering import ROLES, ROOT, built, last_hash, pristine, trace
from traces.verify import Verdict, verify_home, verify_trace

__all__ = ["built", "pristine", "trace"]


# -- what is whole ---------------------------------------------------------------------------------


def test_an_untouched_home_is_proven_without_a_word(pristine: BuiltHome) -> None:
    verdict = verify_home(pristine.root)
    assert verdict.proven
    assert not verdict.notes
    assert verdict.streams == len(ROLES)
    assert verdict.records == sum(len(lines_of(path)) for path in pristine.traces())
    assert verdict.blobs == len(pristine.blob_files())
    files = (*pristine.traces(), *pristine.blob_files())
    assert verdict.bytes == sum(path.stat().st_size for path in files)


def test_a_larger_home_is_proven(tmp_path: Path) -> None:
    built = build_home(tmp_path / "home", jobs=2, tasks=2, researchers=3, calls=3, unfinished=2)
    assert verify_home(built.root) == Verdict(
        streams=1 + 2 + 2 * 4 + 2 * 2,
        records=sum(len(lines_of(path)) for path in built.traces()),
        blobs=len(built.blob_files()),
        bytes=sum(path.stat().st_size for path in (*built.traces(), *built.blob_files())),
    )


def test_every_trace_is_proven_by_itself(trace: Path) -> None:
    verdict = verify_trace(trace)
    assert verdict.proven
    assert verdict.blobs or trace.stem == CATALOGUE or b'"stored"' not in trace.read_bytes()


def test_a_trace_that_was_carried_away_is_proven_without_its_home(
    trace: Path, tmp_path: Path
) -> None:
    away = tmp_path / "away" / trace.name
    away.parent.mkdir()
    shutil.copy(trace, away)
    assert verify_trace(away).proven


def test_an_empty_home_is_proven(tmp_path: Path) -> None:
    (tmp_path / "traces" / "heads").mkdir(parents=True)
    assert verify_home(tmp_path).proven


def test_a_stream_that_was_opened_and_not_yet_written_is_no_fault(built: BuiltHome) -> None:
    name = f"{built.unfinished[0]}.r1"
    for path in (built.stream(name), built.head_file(name)):
        path.write_bytes(b"")
    assert verify_home(built.root).proven
    built.head_file(name).unlink()
    assert verify_home(built.root).proven


def test_a_home_at_work_is_proven_all_the_while(tmp_path: Path) -> None:
    built = build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0)
    script = (
        "import sys; from pathlib import Path; from tests.homes import *\n"
        "built = BuiltHome(Home(Path(sys.argv[1])), ticking_clock())\n"
        "for number in range(12): run_task(built, f'task {number}', researchers=2)\n"
    )
    writer = subprocess.Popen([sys.executable, "-c", script, str(built.root)], cwd=ROOT)
    looks = 0
    while writer.poll() is None:
        assert verify_home(built.root).faults == []
        looks += 1
    assert writer.returncode == 0
    assert looks > 3
    assert verify_home(built.root).streams == 1 + 12 * 3


# -- the command -----------------------------------------------------------------------------------


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the file by itself, with nothing importable but the standard library."""
    command = [sys.executable, "-I", "-S", str(ROOT / "traces" / "verify.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_command_runs_alone_and_says_proven(built: BuiltHome) -> None:
    done = run(built.root)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1].startswith("proven: 6 streams, ")
    assert run(built.stream(CATALOGUE)).returncode == 0


def test_the_command_names_file_and_line(built: BuiltHome) -> None:
    trace = built.stream(CATALOGUE)
    trace.write_bytes(trace.read_bytes().replace(b"optics", b"optiks", 1))
    done = run(built.root)
    assert done.returncode == 1
    assert done.stdout.startswith("fault: traces/catalogue.jsonl, line 1: it does not match its")
    assert "NOT PROVEN" in done.stdout


def test_the_command_answers_in_json(built: BuiltHome) -> None:
    built.stream(built.tasks[0]).unlink()
    done = run(built.root, "--json")
    assert done.returncode == 1
    said = json.loads(done.stdout)
    assert said["proven"] is False
    assert said["faults"][0]["file"] == f"traces/{built.tasks[0]}.jsonl"
    assert said["streams"] == 5


def test_the_command_checks_a_kept_head(built: BuiltHome) -> None:
    head = last_hash(built.stream(CATALOGUE).read_bytes())
    assert run(built.root, "--head", head, "--head", f"catalogue:7:{head}").returncode == 0
    assert run(built.root, "--head", "sha256:" + "a" * 64).returncode == 1


@pytest.mark.parametrize("arguments", [(), ("nowhere",), (".", "--head", "sha256:ab"), (".", "-x")])
def test_the_command_misused_explains_itself(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert "usage:" in done.stderr
