"""Requests with half a sign in them, as programs send them that cut a text in the middle of one."""

import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.stdio_lines import MendedLines, WholeLines, mended
from tests.stdio_server import Server


@given(st.text())
def test_whole_text_stays_as_it_is(text: str) -> None:
    for ascii_only in (True, False):
        line = json.dumps({"text": text, text: 1}, ensure_ascii=ascii_only).encode()
        assert mended(line) == line


@given(st.lists(st.sampled_from(["\ud83d", "\ude00", "\\", "\\u", "d83d", "é", "\U0001f600", '"'])))
def test_halves_of_signs_are_read_as_what_no_utf_8_is_read_as(parts: list[str]) -> None:
    text = "".join(parts)
    read = json.loads(mended(json.dumps(text).encode()))
    assert read == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (rb'"\ud800"', rb'"\ufffd"'),
        (rb'"\uDFFF\uD800"', rb'"\ufffd\ufffd"'),
        (rb'"\ud83d\ude00"', rb'"\ud83d\ude00"'),
        (rb'"\ud83d\ud83d\ude00"', rb'"\ufffd\ud83d\ude00"'),
        (rb'"\\ud800"', rb'"\\ud800"'),
        (rb'"\\\ud800"', rb'"\\\ufffd"'),
        (rb'"\ud80"', rb'"\ud80"'),
    ],
)
def test_only_halves_are_replaced(line: bytes, expected: bytes) -> None:
    assert mended(line) == expected


@given(st.lists(st.binary(max_size=40)), st.integers(1, 7))
def test_a_stream_is_the_same_lines_however_it_is_read(lines: list[bytes], room: int) -> None:
    raw = b"\n".join(lines)
    read = io.BufferedReader(MendedLines(io.BytesIO(raw)), room)
    assert b"".join(iter(lambda: read.read1(room), b"")) == b"".join(
        map(mended, io.BytesIO(raw).readlines())
    )


def test_a_line_is_not_parted_where_it_has_a_carriage_return() -> None:
    assert mended(b'{"a":\r1,\r\n') == b'{"a": 1,\n'
    assert mended(b'{"a":1}\r\n') == b'{"a":1}\n'


NOISY = """
import os, sys
from contracts.stdio_lines import mend_stdio
mend_stdio()
print("printed", flush=True)
sys.stdout.write("written\\n")
sys.stdout.writelines(["listed\\n"])
os.write(1, b"by number\\n")
sys.stdout.buffer.write(b"on the wire\\n")
"""


def test_only_what_is_written_to_the_buffer_of_stdout_is_on_the_wire() -> None:
    done = subprocess.run([sys.executable, "-c", NOISY], capture_output=True, text=True, timeout=60)
    assert done.stdout == "on the wire\n"
    assert {"printed", "written", "listed", "by number"} <= set(done.stderr.split("\n"))


def test_a_line_is_written_whole_through_a_pipe_that_does_not_wait() -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    line = b"x" * 1_000_000 + b"\n"
    writing = threading.Thread(target=lambda: WholeLines(writer).write(line))
    writing.start()
    read = b""
    while len(read) < len(line):
        read += os.read(reader, 65_536)
    writing.join()
    os.close(reader)
    os.close(writer)
    assert read == line


@pytest.mark.timeout(120)
def test_a_request_with_half_a_sign_is_answered(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    server = Server(tmp_path / "home", tmp_path / "logs", prewarm="0").hello()

    def answer(**request: Any) -> dict[str, Any]:
        number = server.begin("ping")
        server.answer(number)
        server.send(json.dumps({"jsonrpc": "2.0", "id": number, **request}).encode() + b"\n")
        return server.answer(number)

    assert answer(method="\ud800")["error"]["code"] == -32601
    half = {"name": "query_knowledge_base", "arguments": {"query": "Which tides\ud83d"}}
    assert answer(method="tools/call", params=half)["result"]["structuredContent"]["results"] == []
    path = {"path": "/tmp/\udce9.md", "collection": "c"}
    refusal = answer(method="tools/call", params={"name": "ingest_documents", "arguments": path})
    assert refusal["error"]["data"]["code"] == "path_refused"
    assert server.close() == 0
    server.check()
