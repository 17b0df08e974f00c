"""Programs whose standard streams are closed, full, or read by nobody any more."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli_homes import Built, at, built, finished, trace

__all__ = ["at", "built", "finished"]

ROOT = Path(__file__).resolve().parent.parent
RUN = f'exec "{sys.executable}" -c "import cli, sys; sys.exit(cli.main())"'


def shell(line: str, **environment: str) -> tuple[int, str, str]:
    """Run a command line whose redirections are the shell's: its code, and what came out."""
    done = subprocess.run(
        ["sh", "-c", f"{RUN} {line}"],
        cwd=ROOT,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


def unread(*arguments: str, **environment: str) -> int:
    """The code of a command whose results nobody reads."""
    reads, writes = os.pipe()
    os.close(reads)
    try:
        return subprocess.run(
            [sys.executable, "-c", "import cli, sys; sys.exit(cli.main())", *arguments],
            cwd=ROOT,
            env=os.environ | environment,
            stdout=writes,
            stderr=subprocess.DEVNULL,
            timeout=60,
        ).returncode
    finally:
        os.close(writes)


def test_who_closed_the_place_of_the_results_is_told(built: Built) -> None:
    code, out, said = shell("ps --json >&-")
    assert (code, out) == (2, "")
    assert said == "research-agent: Bad file descriptor. Run research-agent doctor.\n"


def test_nothing_is_read_where_input_is_closed(built: Built) -> None:
    code, _, said = shell("research - <&-")
    assert code == 2
    assert said.startswith("research-agent: The question has 0 characters.")


@pytest.mark.parametrize("nowhere", ["2>&-", "2>/dev/full"])
def test_what_is_said_to_nobody_keeps_no_command_from_its_work(built: Built, nowhere: str) -> None:
    code, out, _ = shell(f"verify {nowhere}")
    assert code == 0
    assert out.startswith("proven: ")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_fault_counts_also_for_who_does_not_read_which(built: Built, unbuffered: str) -> None:
    path = trace(built, built.task)
    path.write_bytes(path.read_bytes().replace(b"tides", b"tidez", 1))
    for command in (["verify"], ["verify", built.task]):
        assert unread(*command, PYTHONUNBUFFERED=unbuffered) == 1


def test_no_file_gets_the_number_of_a_stream_that_was_closed() -> None:
    program = (
        "import os, sys\n"
        "from contracts.standard_streams import hold_standard_streams\n"
        "hold_standard_streams()\n"
        "os.write(2, b'a library complains')\n"
        "print('nobody reads this', file=sys.stderr, flush=True)\n"
        "sys.exit(os.open('/dev/null', os.O_RDONLY))\n"
    )
    line = f'exec "{sys.executable}" -c "{program}" <&- >&- 2>&-'
    assert subprocess.run(["sh", "-c", line], cwd=ROOT, timeout=60).returncode == 3


def test_nothing_fails_over_what_a_slow_reader_has_no_room_for() -> None:
    reads, writes = os.pipe()
    os.set_blocking(writes, False)
    with suppress(BlockingIOError):
        while os.write(writes, b"x"):
            pass
    try:
        done = subprocess.run(
            [sys.executable, "-c", "import cli, sys; sys.exit(cli.main())"],
            cwd=ROOT,
            stderr=writes,
            timeout=60,
        )
    finally:
        os.close(reads)
        os.close(writes)
    assert done.returncode == 2


def test_a_server_without_input_is_done(at: Path) -> None:
    assert shell("serve <&-") == (0, "", "")


def test_a_line_that_cannot_be_logged_stops_no_work() -> None:
    program = "from events.logs import log; log('engine').warning('trouble'); print('went on')"
    line = f'exec "{sys.executable}" -c "{program}" 2>/dev/full'
    done = subprocess.run(["sh", "-c", line], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout == "went on\n"
