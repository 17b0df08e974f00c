"""Files that try to harm their parser harm nothing else."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from actors.adapters.sandbox import Limits, SandboxedParser, sound
from actors.ports import Block, Parsed
from actors.processes import alive
from events.errors import Unreadable
from tests.pdf_files import Put, make_pdf

HOSTILE = """
import ctypes, os, signal, socket, subprocess, sys, time
from pathlib import Path
from actors.ports import Block, Parsed


class Hostile:
    def parse(self, name, raw):
        text = str(getattr(self, name)(raw.decode()))
        block = Block(kind="paragraph", start=0, end=len(text))
        return Parsed(title=name, media_type="text/plain", text=text, blocks=(block,))

    def echo(self, text):
        return text

    def hang(self, text):
        while True:
            time.sleep(1)

    def spin(self, text):
        while True:
            pass

    def leave(self, text):
        os._exit(3)

    def crash(self, text):
        signal.raise_signal(signal.SIGSEGV)

    def eat(self, text):
        return len([bytearray(10_000_000) for _ in range(10_000)])

    def grow(self, text):
        self.kept = bytearray(300_000_000)
        return os.getpid()

    def connect(self, text):
        host, port = text.split()
        return socket.create_connection((host, int(port)))

    def network(self, text):
        return os.readlink("/proc/self/ns/net")

    def run(self, text):
        return subprocess.run(["true"]).returncode

    def fork(self, text):
        return os.fork()

    def write(self, text):
        Path(text).write_text("harm")

    def remove(self, text):
        os.remove(text)

    def say(self, text):
        print(text, flush=True)
        sys.stderr.write(text)
        os.write(1, text.encode())
        os.write(2, text.encode())
        return "said"

    def secrets(self, text):
        return Path("/proc/self/environ").read_bytes() if os.path.exists("/proc") else os.environ

    def files(self, text):
        return sorted(os.listdir("/proc/self/fd"))

    def pid(self, text):
        return os.getpid()

    def break_(self, text):
        raise ZeroDivisionError


class Liar:
    def parse(self, name, raw):
        class Answer:
            def model_dump_json(self):
                return raw.decode()

        return Answer()
"""


@pytest.fixture(scope="module", autouse=True)
def hostile_parser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "hostile_parser.py").write_text(HOSTILE)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield


@pytest.fixture(scope="module")
def hostile(hostile_parser: None) -> Iterator[SandboxedParser]:
    limits = Limits(memory=400 << 20, seconds=30)
    with SandboxedParser(limits=limits, parser="hostile_parser:Hostile") as parser:
        yield parser


def in_a_hurry(seconds: float) -> SandboxedParser:
    limits = Limits(memory=400 << 20, seconds=seconds)
    return SandboxedParser(limits=limits, parser="hostile_parser:Hostile")


def test_every_kind_of_file_comes_through_as_if_parsed_here() -> None:
    with SandboxedParser() as parser:
        assert parser.parse("a.md", b"# Tides\n\nWords.").title == "Tides"
        assert parser.parse("a.pdf", make_pdf([[Put(50, 700, "Words.")]])).text == "Words."
        page = (
            b"<html><body><article><p>" + b"The sea rises. " * 30 + b"</p></article></body></html>"
        )
        assert parser.parse("a.html", page).text.startswith("The sea rises.")
        assert parser.parse("empty.txt", b"").blocks == ()
        with pytest.raises(Unreadable, match="an image"):
            parser.parse("a.png", b"\x89PNG\r\n\x1a\n")


@pytest.mark.parametrize(
    ("deed", "why"),
    [
        ("leave", r"ended itself \(exit code 3\)"),
        ("crash", r"crashed \(SIGSEGV\)"),
        ("eat", "ran out of memory"),
        ("break_", "broke: ZeroDivisionError"),
    ],
)
def test_what_breaks_a_parser_costs_its_own_file_only(
    hostile: SandboxedParser, deed: str, why: str
) -> None:
    with pytest.raises(Unreadable, match=why):
        hostile.parse(deed, b"")
    assert hostile.parse("echo", b"and on it goes").text == "and on it goes"


@pytest.mark.parametrize("deed", ["hang", "spin"])
def test_what_never_ends_is_ended(deed: str) -> None:
    with (
        in_a_hurry(1.5) as parser,
        pytest.raises(Unreadable, match=r"did not finish within 1\.5 s|processor time"),
    ):
        parser.parse(deed, b"")


def test_a_child_that_was_killed_is_replaced(hostile: SandboxedParser) -> None:
    pid = int(hostile.parse("pid", b"").text)
    os.kill(pid, signal.SIGKILL)
    while alive(pid):
        time.sleep(0.01)
    assert int(hostile.parse("pid", b"").text) != pid


def test_three_hundred_files_follow_a_crash_in_one_new_child(hostile: SandboxedParser) -> None:
    with pytest.raises(Unreadable):
        hostile.parse("crash", b"")
    pids = set()
    for number in range(300):
        assert hostile.parse("echo", str(number).encode()).text == str(number)
        pids.add(hostile.parse("pid", b"").text)
    assert len(pids) == 1


def test_a_child_that_grew_is_replaced_after_its_answer(hostile: SandboxedParser) -> None:
    grown = hostile.parse("grow", b"").text
    assert hostile.parse("pid", b"").text != grown


def test_there_is_no_network(hostile: SandboxedParser) -> None:
    with pytest.raises(Unreadable, match="broke: PermissionError"):
        hostile.parse("connect", b"127.0.0.1 9")


@pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's")
def test_where_namespaces_are_permitted_it_has_a_network_of_its_own(
    hostile: SandboxedParser,
) -> None:
    unshare = "import ctypes; raise SystemExit(ctypes.CDLL(None).unshare(0x50000000))"
    if subprocess.run([sys.executable, "-c", unshare], check=False).returncode:
        pytest.skip("this system does not permit them")
    assert hostile.parse("network", b"").text != str(Path("/proc/self/ns/net").readlink())


@pytest.mark.parametrize("deed", ["run", "fork"])
def test_no_other_process_can_be_started(hostile: SandboxedParser, deed: str) -> None:
    with pytest.raises(Unreadable, match="broke: PermissionError"):
        hostile.parse(deed, b"")


def test_nothing_can_be_written_or_removed(hostile: SandboxedParser, tmp_path: Path) -> None:
    kept, new = tmp_path / "kept.txt", tmp_path / "new.txt"
    kept.write_text("kept")
    for deed, path in (("write", new), ("write", kept), ("remove", kept)):
        with pytest.raises(Unreadable, match="broke: PermissionError"):
            hostile.parse(deed, str(path).encode())
    assert (kept.read_text(), new.exists()) == ("kept", False)


def test_what_a_parser_prints_is_seen_by_nobody(
    hostile: SandboxedParser, capfd: pytest.CaptureFixture[str]
) -> None:
    assert hostile.parse("say", b"harm").text == "said"
    assert hostile.parse("echo", b"still in step").text == "still in step"
    assert capfd.readouterr() == ("", "")


def test_a_child_knows_no_secrets(
    hostile: SandboxedParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")
    with pytest.raises(Unreadable):
        hostile.parse("leave", b"")  # the next child starts while the secret is there
    known = hostile.parse("secrets", b"").text
    assert "SOME_API_KEY" not in known
    assert "PYTHONHASHSEED" in known


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_a_child_has_no_open_files_but_its_pipes(hostile: SandboxedParser, tmp_path: Path) -> None:
    with (tmp_path / "open.txt").open("w") as held:
        os.set_inheritable(held.fileno(), True)
        with pytest.raises(Unreadable):
            hostile.parse("leave", b"")
        # Three standard ones that lead nowhere, two pipes, and the listing itself.
        assert len(eval(hostile.parse("files", b"").text)) <= 6


@pytest.mark.parametrize(
    "answer",
    [
        "not json",
        '{"title":"x","media_type":"a/b","text":"","blocks":[],"harm":1}',
        '{"title":"x","media_type":"a/b","text":"ab","blocks":[{"kind":"code","start":0,"end":3}]}',
    ],
)
def test_a_reply_that_is_not_sound_is_refused(answer: str) -> None:
    with (
        SandboxedParser(parser="hostile_parser:Liar") as liar,
        pytest.raises(Unreadable, match="its parser gave"),
    ):
        liar.parse("a", answer.encode())


def test_a_reply_that_is_too_long_is_refused() -> None:
    limits = Limits(reply=1000)
    with SandboxedParser(limits=limits, parser="hostile_parser:Hostile") as parser:
        with pytest.raises(Unreadable, match="gave an answer of"):
            parser.parse("echo", b"x" * 2000)
        assert parser.parse("echo", b"short").text == "short"


def test_a_file_that_is_too_large_is_refused_unread() -> None:
    with (
        SandboxedParser(limits=Limits(file=10)) as parser,
        pytest.raises(Unreadable, match="larger than"),
    ):
        parser.parse("a.txt", b"x" * 11)


def test_blocks_out_of_order_are_not_sound() -> None:
    first, second = (Block(kind="paragraph", start=at, end=at + 2) for at in (0, 3))
    parsed = Parsed(title="t", media_type="a/b", text="ab cd", blocks=(first, second))
    assert sound(parsed)
    assert not sound(parsed.model_copy(update={"blocks": (second, first)}))
    assert not sound(parsed.model_copy(update={"text": "ab c"}))


def test_several_threads_share_the_children() -> None:
    with (
        SandboxedParser(children=2, parser="hostile_parser:Hostile") as parser,
        ThreadPoolExecutor(8) as threads,
    ):
        texts = [str(number) for number in range(200)]
        found = threads.map(lambda text: parser.parse("echo", text.encode()).text, texts)
        assert list(found) == texts


def test_a_child_outlives_the_thread_that_first_needed_it(hostile: SandboxedParser) -> None:
    pids: list[str] = []
    for _ in range(3):
        asking = threading.Thread(target=lambda: pids.append(hostile.parse("pid", b"").text))
        asking.start()
        asking.join()
    assert len(set(pids)) == 1


def test_a_closed_parser_leaves_no_child() -> None:
    parser = in_a_hurry(30)
    pid = int(parser.parse("pid", b"").text)
    parser.close()
    assert not alive(pid)
    with pytest.raises(RuntimeError, match="closed"):
        parser.parse("echo", b"")


def test_a_child_dies_with_its_parent() -> None:
    program = """
        import os, signal, sys
        sys.path[:] = {path!r}
        from actors.adapters.sandbox import SandboxedParser
        parser = SandboxedParser(parser="hostile_parser:Hostile")
        sys.stdout.write(parser.parse("pid", b"").text)
        sys.stdout.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    """
    source = textwrap.dedent(program).format(path=sys.path)
    told = subprocess.run([sys.executable, "-c", source], capture_output=True, check=False)
    assert told.returncode == -signal.SIGKILL
    child = int(told.stdout)
    for _ in range(500):
        if not alive(child):
            break
        time.sleep(0.01)
    assert not alive(child)
