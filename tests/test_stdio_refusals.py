"""Requests on stdio that the SDK's parser refuses without a word: each is answered by its id."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.stdio_lines import mended
from contracts.stdio_refusals import is_read, sorted_out
from tests.stdio_server import HELLO, Server, bare, logs

__all__ = ["bare", "logs"]

PING = {"jsonrpc": "2.0", "method": "ping"}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
SENT = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | JSON,
        "id": st.integers() | st.text(max_size=5) | JSON,
        "method": st.just("ping") | JSON,
        "params": JSON,
        "result": JSON,
        "error": JSON,
    },
)


def lines(raw: bytes) -> list[Any]:
    return [json.loads(line) for line in raw.splitlines()]


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (PING | {"params": []}, -32602),
        (PING | {"params": ["a", 1]}, -32602),
        (PING | {"params": "a"}, -32602),
        ({"method": "ping"}, -32600),
        (PING | {"jsonrpc": "1.0"}, -32600),
        (PING | {"jsonrpc": 2.0}, -32600),
        ({"jsonrpc": "2.0"}, -32600),
        (PING | {"method": None}, -32600),
        (PING | {"params": {"a": json.loads("[" * 300 + "]" * 300)}}, -32600),
    ],
    ids=repr,
)
@pytest.mark.parametrize("number", [7, "seven", ""])
def test_what_cannot_be_read_is_answered_by_its_id(
    sent: dict[str, Any], code: int, number: object
) -> None:
    good, answers = sorted_out(json.dumps(sent | {"id": number}).encode() + b"\n")
    [answer] = lines(answers)
    assert good == b""
    assert (answer["jsonrpc"], answer["id"], answer["error"]["code"]) == ("2.0", number, code)
    assert set(answer["error"]["data"]) == {"code", "details", "suggestion"}


@pytest.mark.parametrize(
    "line",
    [
        *(b"", b"\n", b"null\n", b"7\n", b"{}\n", b"hello?\n", b"\xff\n", b"[" * 100_000),
        b'{"jsonrpc":"2.0","method":"note","params":[]}\n',
        b'{"jsonrpc":"2.0","id":null,"method":"ping","params":[]}\n',
        b'{"jsonrpc":"2.0","id":true,"method":"ping","params":[]}\n',
        b'{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}\n',
        b'{"jsonrpc":"2.0","id":7,"result":[]}\n',
        b'{"jsonrpc":"2.0","id":7,"error":"no"}\n',
    ],
)
def test_what_nobody_waits_for_is_not_answered(line: bytes) -> None:
    assert sorted_out(line) == (line, b"")


@given(st.lists(SENT, max_size=4), st.booleans())
def test_each_request_is_read_or_answered_once_and_nothing_else_is_answered(
    sent: list[dict[str, Any]], together: bool
) -> None:
    raw = [json.dumps(sent)] if together else [json.dumps(each) for each in sent]
    sorted_lines = [sorted_out(line.encode() + b"\n") for line in raw]
    answered = [each["id"] for _, answers in sorted_lines for each in lines(answers)]
    waiting = [
        each["id"]
        for each in sent
        if type(each.get("id")) in (int, str)
        and not {"result", "error"} & each.keys()
        and not is_read(json.dumps(each))
    ]
    assert answered == waiting
    read = [each for good, _ in sorted_lines for each in lines(good)]
    assert [each for each in sent if is_read(json.dumps(each))] == [
        each for each in read if is_read(json.dumps(each))
    ]


def test_a_mark_before_the_first_line_is_dropped() -> None:
    assert mended(b'\xef\xbb\xbf{"a":"\xef\xbb\xbf"}\n') == b'{"a":"\xef\xbb\xbf"}\n'


@pytest.fixture
def answering(bare: Server) -> Iterator[Server]:
    yield bare
    assert bare.close() == 0
    bare.check()


@pytest.mark.timeout(120)
def test_a_server_answers_for_positional_parameters_and_goes_on(
    answering: Server, tmp_path: Path
) -> None:
    def ask(line: bytes) -> dict[str, Any]:
        number = answering.begin("ping")
        answering.answer(number)
        answering.send(line % number)
        return answering.answer(number)

    hello = json.dumps({"jsonrpc": "2.0", "method": "initialize", "params": HELLO})
    marked = b"\xef\xbb\xbf" + hello.encode()[:-1] + b', "id": %d}\n'
    assert ask(marked)["result"]["serverInfo"]["name"] == "research-agent"
    answering.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    positional = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":["research"]}\n'
    refused = ask(positional)["error"]
    assert (refused["code"], refused["data"]["code"]) == (-32602, "bad_request")
    assert ask(b'[{"jsonrpc":"2.0","id":%d,"method":"ping"}]\n')["result"] == {}
    assert answering.call("list_research_tasks")["tasks"] == []
