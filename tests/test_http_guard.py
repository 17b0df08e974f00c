"""What the HTTP server refuses, and that a refusal changes nothing."""

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
from fastmcp import Client
from mcp import MCPError
from starlette.responses import Response

from contracts.http import guard as http_guard
from contracts.http import server as http_server
from contracts.http.guard import Guard
from contracts.http.login import login_form
from contracts.http.server import READS, open_door
from contracts.settings import Settings
from tests.http_house import MCP, NOBODY, READ_CALL, WRITE_CALL, House, Reply, house, rpc

LIMIT = 200_000


@pytest.fixture(scope="module")
def open_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(
        tmp_path_factory.mktemp("house"),
        http_rate=1000.0,
        http_wrong_tokens=1000,
        http_max_mb=LIMIT / (1 << 20),
        http_allow_hosts=("research.example",),
    ) as built:
        yield built


def bearer(token: str, scheme: str = "Bearer") -> tuple[str, str]:
    return "Authorization", f"{scheme} {token}"


def changed(token: str) -> str:
    return token[:-1] + ("A" if token[-1] != "A" else "B")


def mcp(house: House, *headers: tuple[str, str], token: str | None = "admin") -> Reply:
    return house.ask("POST", "/mcp", rpc(*WRITE_CALL), *MCP, *headers, token=token)


REFUSALS: dict[str, tuple[int, Callable[[House], Reply]]] = {
    "no token": (401, lambda it: mcp(it, token=None)),
    "an empty token": (401, lambda it: mcp(it, bearer(""), token=None)),
    "a wrong token": (401, lambda it: mcp(it, bearer(changed(it.tokens["admin"])), token=None)),
    "a token's hash": (
        401,
        lambda it: mcp(it, bearer(it.store.listed()[0].digest), token=None),
    ),
    "another scheme": (401, lambda it: mcp(it, bearer(it.tokens["admin"], "Basic"), token=None)),
    "no scheme": (
        401,
        lambda it: mcp(it, ("Authorization", it.tokens["admin"]), token=None),
    ),
    "two tokens": (401, lambda it: mcp(it, bearer(it.tokens["read"]))),
    "bytes that are no text": (
        401,
        lambda it: mcp(it, ("Authorization", "Bearer \xff\xfe"), token=None),
    ),
    "a token in the address": (
        401,
        lambda it: it.ask(
            "POST", f"/mcp?access_token={it.tokens['admin']}", rpc(*WRITE_CALL), *MCP
        ),
    ),
    "a token as a cookie": (
        401,
        lambda it: mcp(
            it, ("Cookie", f"research_agent_{it.port}={it.tokens['admin']}"), token=None
        ),
    ),
    "a made-up session": (
        401,
        lambda it: it.ask("GET", "/endless", None, ("Cookie", f"research_agent_{it.port}=abc")),
    ),
    "another host": (421, lambda it: mcp(it, ("Host", "evil.example"))),
    "no host that could be one": (421, lambda it: mcp(it, ("Host", "127.0.0.1:port"))),
    "a host with more in it": (421, lambda it: mcp(it, ("Host", f"x@{it.authority}"))),
    "another origin": (403, lambda it: mcp(it, ("Origin", "http://evil.example"))),
    "another port of this machine": (403, lambda it: mcp(it, ("Origin", "http://127.0.0.1:1"))),
    "an origin without a name": (403, lambda it: mcp(it, ("Origin", "null"))),
    "an origin without a name, of another site": (
        403,
        lambda it: mcp(it, ("Origin", "null"), ("Sec-Fetch-Site", "same-site")),
    ),
    "two origins": (
        403,
        lambda it: mcp(
            it, ("Origin", f"http://{it.authority}"), ("Origin", f"http://{it.authority}")
        ),
    ),
    "another host and no token": (421, lambda it: mcp(it, ("Host", "evil.example"), token=None)),
    "another origin and no token": (403, lambda it: mcp(it, ("Origin", "null"), token=None)),
    "a page of a reader that would change something": (
        403,
        lambda it: it.ask("POST", "/endless", b"", token="read"),
    ),
    "a method that nobody asked for": (401, lambda it: it.ask("OPTIONS", "/mcp")),
    "a body that is too large": (
        413,
        lambda it: it.ask("POST", "/mcp", b"x" * (LIMIT + 1), *MCP, token="admin"),
    ),
    "a body that claims to be too large": (
        413,
        lambda it: it.ask("POST", "/mcp", b"", ("Content-Length", "9" * 15), token="admin"),
    ),
    "a body in pieces that is too large": (
        413,
        lambda it: it.ask("POST", "/mcp", iter([b"x" * 50_000] * 9), *MCP, token="admin"),
    ),
    "a login that is too large": (
        413,
        lambda it: it.ask("POST", "/login", b"x" * 5000, ("Origin", f"http://{it.authority}")),
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_it_is_refused_with_a_reason_and_nothing_changes(open_house: House, case: str) -> None:
    status, send = REFUSALS[case]
    before = open_house.everything_kept()
    reply = send(open_house)
    assert reply.status == status
    said = reply.json
    told = said["error"]["data"] | said["error"] if "jsonrpc" in said else said
    assert told["message"] and told["suggestion"]
    challenged = status == 401 or said["error"] == "scope_missing"
    assert ("Bearer" in (reply.headers["WWW-Authenticate"] or "")) == challenged
    for token in open_house.tokens.values():
        assert token not in str(reply.headers) and token.encode() not in reply.body
    assert open_house.everything_kept() == before
    assert open_house.ask("GET", "/health").status == 200


def test_a_token_counts_from_when_it_is_added_until_it_is_removed(open_house: House) -> None:
    spelled = open_house.store.add("guest", ["read"])
    open_house.tokens["guest"] = spelled
    assert open_house.call(*READ_CALL, token="guest").status == 200
    open_house.store.remove("guest")
    assert open_house.call(*READ_CALL, token="guest").status == 401


def test_a_token_that_expired_is_refused(open_house: House) -> None:
    open_house.tokens["brief"] = open_house.store.add("brief", ["read"], days=1e-9)
    assert open_house.call(*READ_CALL, token="brief").status == 401
    open_house.store.remove("brief")


def test_a_tokens_file_that_others_may_open_lets_nobody_in(open_house: House) -> None:
    path = open_house.core.settings.home / "tokens.json"
    path.chmod(0o644)
    assert open_house.call(*READ_CALL, token="admin").status == 401
    path.chmod(0o600)
    assert open_house.call(*READ_CALL, token="admin").status == 200


def test_health_says_that_it_is_well_and_nothing_else(open_house: House) -> None:
    reply = open_house.ask("GET", "/health")
    assert reply.status == 200
    assert set(reply.json) == {"ok", "version"}
    assert open_house.ask("GET", "/health", None, ("Host", "evil.example")).status == 421
    assert open_house.ask("POST", "/health", b"").status == 401


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "research.example", "[::1]:80"])
def test_it_answers_to_its_names(open_house: House, host: str) -> None:
    assert open_house.ask("GET", "/health", None, ("Host", host)).status == 200


@pytest.mark.anyio
async def test_on_a_socket_for_both_ipv4_counts_as_ipv4(tmp_path: Path) -> None:
    door = open_door(Settings(home=tmp_path, http_wrong_tokens=1))
    guard = Guard(Response("through"), door, login_form)

    async def ask(client: str, host: str) -> int:
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": b""}

        async def send(message: Any) -> None:
            sent.append(message)

        headers = [(b"host", host.encode()), (b"authorization", b"Bearer wrong")]
        scope = {"type": "http", "method": "GET", "path": "/", "headers": headers}
        at = {"server": ("::ffff:192.0.2.2", 8765), "client": (f"::ffff:{client}", 1)}
        await guard({**scope, **at}, receive, send)
        return int(sent[0]["status"])

    assert await ask("192.0.2.7", "192.0.2.2:8765") == 401
    assert await ask("192.0.2.7", "192.0.2.2:8765") == 429
    assert await ask("192.0.2.8", "192.0.2.2:8765") == 401, "another address has its own count"
    assert await ask("192.0.2.8", "192.0.2.3:8765") == 421


def test_behind_a_proxy_with_tls_its_own_page_is_not_another_site(open_house: House) -> None:
    named = ("Host", "research.example")
    assert mcp(open_house, named, ("Origin", "https://research.example")).status == 200
    assert mcp(open_house, named, ("Origin", "https://research.example:8443")).status == 403


def test_every_reply_tells_browsers_to_be_careful(open_house: House) -> None:
    for reply in (
        open_house.ask("GET", "/health"),
        open_house.ask("GET", "/"),
        open_house.call(*READ_CALL, token="read"),
        open_house.ask("GET", "/nothing", token="read"),
    ):
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        assert reply.headers["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in reply.headers["Content-Security-Policy"]
        assert "no-store" in reply.headers["Cache-Control"]
        assert reply.headers.get_all("Referrer-Policy") == ["no-referrer"]
        assert reply.headers["Server"] is None


# -- scopes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("token", "tool", "needs"),
    [
        ("read", READ_CALL, None),
        ("read", WRITE_CALL, "write"),
        ("read", ("start_deep_research", {"query": "Why is the sky blue?"}), "write"),
        ("read", ("ingest_documents", {"source": "/etc/hostname"}), "write"),
        ("read", ("verify_research", {"task_id": NOBODY}), None),
        ("read", ("verify_research", {"task_id": NOBODY, "refetch": "true"}), "write"),
        ("write", ("verify_research", {"task_id": NOBODY, "refetch": True}), None),
        ("write", READ_CALL, None),
        ("write", ("manage_collections", {"action": "list"}), None),
        ("read", ("reign", {}), "admin"),
        ("write", ("reign", {}), "admin"),
        ("admin", ("reign", {}), None),
        ("admin", ("manage_collections", {"action": "list"}), None),
    ],
)
def test_a_tool_is_run_for_those_whose_scope_covers_it(
    open_house: House, token: str, tool: tuple[str, dict[str, str]], needs: str | None
) -> None:
    before = open_house.everything_kept()
    reply = open_house.call(*tool, token=token)
    if needs is None:
        assert "result" in reply.json
        return
    error = reply.json["error"]
    assert (error["data"]["code"], error["data"]["needs"]) == ("scope_missing", needs)
    assert open_house.everything_kept() == before


def test_a_tool_that_does_not_exist_is_unknown_to_readers_too(open_house: House) -> None:
    said = open_house.call("nothing", {}, token="read").json["result"]
    assert said["isError"] and "Unknown tool" in said["content"][0]["text"]


def test_a_reader_may_ask_the_page_everything_and_have_it_start_nothing(open_house: House) -> None:
    before = open_house.everything_kept()
    json_body = ("Content-Type", "application/json")
    for path in READS - {"/mcp", "/logout"}:
        reply = open_house.ask("POST", path, b"{}", json_body, token="read")
        assert reply.status in {200, 400}, path
    reply = open_house.ask("POST", "/api/tasks", b"{}", json_body, token="read")
    assert (reply.status, reply.json["error"]) == (403, "scope_missing")
    assert open_house.ask("GET", "/api/session", None, token="read").json["scopes"] == ["read"]
    assert open_house.everything_kept() == before


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_where_nobody_guards_no_tool_can_be_called(era: Any, tmp_path: Path) -> None:
    with house(tmp_path, guarded=False) as open_to_all:
        async with Client(open_to_all.url, mode=era) as client:
            for call in (READ_CALL, WRITE_CALL):
                with pytest.raises(MCPError, match="needs a token"):
                    await client.call_tool(*call)


def test_whatever_the_method_nobody_gets_further_than_by_asking_plainly(open_house: House) -> None:
    here = open_house.authority
    foreign = ("Origin", "http://evil.example")
    for method in ("HEAD", "OPTIONS", "TRACE", "get", "PUT", "DELETE"):
        for path in ("/mcp", "/endless", "/api/session", "/nothing-here"):
            assert open_house.ask(method, path).status == 401, (method, path)
            assert open_house.ask(method, path, None, foreign, token="admin").status == 403
    assert open_house.ask("OPTIONS", "/health").status == 401
    assert open_house.ask("HEAD", "/health").status == 200
    assert open_house.ask("HEAD", "/api/session", None, token="read").status in {200, 405}
    for method in ("OPTIONS", "TRACE", "get", "PUT", "DELETE"):
        assert open_house.ask(method, "/api/session", None, token="read").status == 403
        reply = open_house.ask(method, "/api/session", None, token="admin")
        assert reply.status == 405
        assert "Access-Control-Allow-Origin" not in reply.headers
    own = ("Origin", f"http://{here}")
    assert open_house.ask("OPTIONS", "/mcp", None, own, token="read").status in {404, 405}


def test_a_batch_does_not_carry_a_call_past_the_scopes(open_house: House) -> None:
    before = open_house.everything_kept()
    batch = b"[" + rpc(*READ_CALL) + b"," + rpc(*WRITE_CALL) + b"]"
    assert open_house.ask("POST", "/mcp", batch, *MCP, token="read").status == 400
    assert open_house.everything_kept() == before


def test_of_two_tools_in_one_call_the_one_that_is_judged_is_run(open_house: House) -> None:
    before = open_house.everything_kept()
    twice = rpc(*WRITE_CALL).replace(
        b'"name": "manage', b'"name": "list_projects", "name": "manage'
    )
    reply = open_house.ask("POST", "/mcp", twice, *MCP, token="read")
    assert reply.status >= 400 or reply.json["error"]["data"]["code"] == "scope_missing"
    assert open_house.everything_kept() == before


# -- clients and streams ---------------------------------------------------------------------------


@pytest.mark.anyio
async def test_clients_of_both_eras_work_side_by_side(open_house: House) -> None:
    done: list[str] = []

    async def one(number: int) -> None:
        scope = ("read", "write", "admin")[number % 3]
        era: Any = ("auto", "legacy")[number % 2]
        async with Client(open_house.url, auth=open_house.tokens[scope], mode=era) as client:
            await client.list_tools()
            reply = await client.call_tool(*READ_CALL)
            assert reply.structured_content
            done.append(scope)
            if scope == "read":
                with pytest.raises(MCPError, match="needs a token with the scope 'write'"):
                    await client.call_tool(*WRITE_CALL)

    async with anyio.create_task_group() as crowd:
        for number in range(6):
            crowd.start_soon(one, number)
    assert len(done) == 6


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_client_with_a_wrong_token_gets_no_session(open_house: House, era: Any) -> None:
    with pytest.raises(MCPError, match="The token is wrong, expired or removed"):
        async with Client(open_house.url, auth="wrong", mode=era):
            pass


def test_a_streamed_reply_is_not_held_back(open_house: House) -> None:
    open_house.drip.clear()
    connection = open_house.connect()
    sent = dict(MCP) | dict([bearer(open_house.tokens["read"])])
    connection.request("POST", "/mcp", rpc("drip", {}), sent)
    reply = connection.getresponse()
    first = b""
    while b"a drop" not in first:
        first += reply.read1()
    assert b"done" not in first
    open_house.drip.set()
    assert b"done" in reply.read()
    connection.close()


def test_a_stream_ends_when_its_token_is_removed(
    open_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_guard, "_REVIEW", 0.05)
    connection = open_house.connect()
    watcher = open_house.store.add("watcher", ["read"])
    connection.request("GET", "/endless", headers=dict([bearer(watcher)]))
    reply = connection.getresponse()
    assert reply.readline() == b"drop\n"
    open_house.store.remove("watcher")
    assert reply.read().endswith(b"drop\n")
    connection.close()


def test_a_body_that_stops_halfway_is_given_up(
    open_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contracts.http.limits._BODY_PATIENCE", 0.2)
    connection = open_house.connect()
    sent = dict([bearer(open_house.tokens["write"])]) | {"Content-Length": "100"}
    connection.request("POST", "/mcp", b"half", headers=sent)
    assert connection.getresponse().status == 408
    connection.close()


HALF = "GET /health HTTP/1.1\r\nHost: "
WHOLE = "GET /health HTTP/1.1\r\nHost: {host}\r\n\r\n"
REFUSED = "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000\r\n\r\n"


@pytest.mark.parametrize("said", ["", HALF, WHOLE + HALF, REFUSED + "half a body"])
def test_a_connection_that_never_finishes_asking_is_closed(
    said: str, open_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "_HEAD_PATIENCE", 0.5)
    with socket.create_connection(("127.0.0.1", open_house.port), timeout=30) as line:
        line.sendall(said.format(host=open_house.authority).encode())
        with suppress(ConnectionError):
            while line.recv(65536):
                # Whoever dribbles gains no time.
                line.sendall(b"x")


def test_a_connection_that_asks_again_and_a_long_answer_are_not_closed(
    open_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "_HEAD_PATIENCE", 0.5)
    connection = open_house.connect()
    connection.connect()
    line = connection.sock
    for _ in range(4):
        connection.request("GET", "/health")
        assert connection.getresponse().read()
        time.sleep(0.2)
    connection.request("GET", "/endless", headers=dict([bearer(open_house.tokens["read"])]))
    reply = connection.getresponse()
    # A drop falls every fiftieth of a second: three times as long as the patience, at least.
    assert all(reply.readline() == b"drop\n" for _ in range(75))
    assert connection.sock is line
    connection.close()


def test_a_client_that_leaves_halfway_harms_nobody(open_house: House) -> None:
    with socket.create_connection(("127.0.0.1", open_house.port)) as line:
        line.sendall(
            f"POST /mcp HTTP/1.1\r\nHost: {open_house.authority}\r\n"
            f"Authorization: Bearer {open_house.tokens['write']}\r\n"
            "Content-Length: 100\r\n\r\nhalf".encode()
        )
    assert open_house.call(*READ_CALL, token="read").status == 200


def test_a_large_answer_to_a_body_as_large_as_allowed_arrives(open_house: House) -> None:
    padded = json.loads(rpc(*READ_CALL)) | {"padding": "x" * (LIMIT - 1000)}
    reply = open_house.ask("POST", "/mcp", json.dumps(padded).encode(), *MCP, token="read")
    assert reply.status < 413


def test_the_server_speaks_no_other_protocol(open_house: House) -> None:
    upgrade = [
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ]
    reply = open_house.ask("GET", "/mcp", None, *upgrade, token="admin")
    assert reply.status in {400, 404, 405, 426}
