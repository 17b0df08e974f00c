"""The page's login: a token or a code becomes a cookie, and the cookie opens no more than it should."""

import time
from collections.abc import Iterator
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlencode

import pytest

from contracts.http import guard as http_guard
from contracts.http.sessions import SESSION_HOURS
from tests.http_house import MCP, READ_CALL, House, Reply, house, rpc

HTML = ("Accept", "text/html,*/*;q=0.8")
FORM = ("Content-Type", "application/x-www-form-urlencoded")


@pytest.fixture(scope="module")
def open_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("house"), http_rate=1000.0, http_wrong_tokens=1000) as built:
        yield built


def own(house: House) -> tuple[str, str]:
    return "Origin", f"http://{house.authority}"


def log_in(house: House, token: str, *headers: tuple[str, str]) -> Reply:
    form = urlencode({"token": token}).encode()
    return house.ask("POST", "/login", form, FORM, *(headers or (own(house),)))


def cookie(house: House, scope: str) -> tuple[str, str]:
    reply = log_in(house, house.tokens[scope])
    assert reply.status == 303
    return "Cookie", reply.headers["Set-Cookie"].partition(";")[0]


def watches(house: House, cookie: tuple[str, str]) -> int:
    """Whether somebody with that cookie gets behind the guard; the page there is none's."""
    return house.ask("GET", "/nothing-here", None, cookie).status


def test_without_a_session_the_page_asks_for_a_token(open_house: House) -> None:
    for path in ("/", "/nothing-here", "/login"):
        reply = open_house.ask("GET", path, None, HTML)
        assert reply.status == 401
        assert reply.headers["Content-Type"].startswith("text/html")
        action = b"" if path == "/" else b' action="/login"'
        assert b'<form method="post"' + action + b">" in reply.body
        assert b"<script" not in reply.body
        policy = reply.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'") and "script-src" not in policy
    assert open_house.ask("GET", "/").headers["Content-Type"] == "application/json"


def test_a_token_opens_a_session_whose_cookie_stays_with_this_page(open_house: House) -> None:
    reply = log_in(open_house, open_house.tokens["read"])
    assert (reply.status, reply.headers["Location"]) == (303, "/")
    (morsel,) = SimpleCookie(reply.headers["Set-Cookie"]).values()
    assert morsel["httponly"] and morsel["samesite"].lower() == "strict"
    assert (morsel["path"], morsel["domain"], morsel["secure"]) == ("/", "", "")
    assert str(open_house.port) in morsel.key
    assert open_house.tokens["read"] not in str(reply.headers)
    assert watches(open_house, ("Cookie", f"{morsel.key}={morsel.value}")) == 404
    assert watches(open_house, ("Cookie", f"{morsel.key}={morsel.value}x")) == 401


def test_behind_tls_the_cookie_stays_there(tmp_path: Path) -> None:
    with house(tmp_path, http_allow_hosts=("research.example",)) as built:
        reply = log_in(
            built,
            built.tokens["read"],
            ("Host", "research.example"),
            ("Origin", "https://research.example"),
        )
        assert reply.status == 303 and "Secure" in reply.headers["Set-Cookie"]


@pytest.mark.parametrize("host", ["research.example", "research.example:443", "Research.Example"])
def test_behind_tls_the_page_may_ask_however_the_proxy_spells_its_name(
    tmp_path: Path, host: str
) -> None:
    with house(tmp_path, http_allow_hosts=("research.example",)) as built:
        from_page = ("Host", host), ("Origin", "https://research.example")
        opened = log_in(built, built.tokens["read"], *from_page)
        session = "Cookie", opened.headers["Set-Cookie"].partition(";")[0]
        body, kind = b'{"query": "Why is the sky blue?"}', ("Content-Type", "application/json")
        reply = built.ask("POST", "/api/estimate", body, kind, session, *from_page)
        assert (reply.status, reply.json.get("error")) == (200, None)


@pytest.mark.parametrize(
    "body",
    [b"", b"token=", b"token=wrong", b"other=1", b"\xff\xfe", b"&" * 4000, b"token=%ff%00"],
)
def test_a_wrong_login_opens_nothing(open_house: House, body: bytes) -> None:
    reply = open_house.ask("POST", "/login", body, FORM, own(open_house))
    assert reply.status == 401
    assert reply.headers["Set-Cookie"] is None
    assert b"not known here" in reply.body


def test_another_site_cannot_log_a_browser_in(open_house: House) -> None:
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1"):
        reply = log_in(open_house, open_house.tokens["read"], ("Origin", origin))
        assert (reply.status, reply.headers["Set-Cookie"]) == (403, None)
    for path in ("/login", "/"):
        silent = open_house.ask("POST", path, urlencode(open_house.tokens).encode(), FORM)
        assert (silent.status, silent.headers["Set-Cookie"]) == (403, None)


def test_at_the_page_itself_one_logs_in_likewise(open_house: House) -> None:
    for token, status in ((open_house.tokens["read"], 303), ("wrong", 401)):
        form = urlencode({"token": token}).encode()
        reply = open_house.ask("POST", "/", form, FORM, own(open_house))
        assert (reply.status, "Set-Cookie" in reply.headers) == (status, status == 303)
    assert b'<form method="post">' in reply.body


def test_a_session_has_the_scopes_of_its_token_and_ends_with_it(open_house: House) -> None:
    open_house.tokens["guest"] = open_house.store.add("guest", ["read"])
    guest = cookie(open_house, "guest")
    assert watches(open_house, guest) == 404
    assert open_house.ask("POST", "/endless", b"", guest, own(open_house)).status == 403
    open_house.store.remove("guest")
    assert watches(open_house, guest) == 401


def test_what_changes_something_must_come_from_the_page_itself(open_house: House) -> None:
    writer = cookie(open_house, "write")
    for origin in ((), (("Origin", "http://127.0.0.1:1"),)):
        assert open_house.ask("POST", "/nothing-here", b"", writer, *origin).status == 403
    assert open_house.ask("POST", "/nothing-here", b"", writer, own(open_house)).status == 404


def test_a_cookie_is_not_for_programs(open_house: House) -> None:
    admin = cookie(open_house, "admin")
    reply = open_house.ask("POST", "/mcp", rpc(*READ_CALL), *MCP, admin, own(open_house))
    assert reply.status == 401


def test_a_wrong_token_is_not_made_good_by_a_cookie(open_house: House) -> None:
    admin = cookie(open_house, "admin")
    wrong = ("Authorization", "Bearer wrong")
    assert open_house.ask("GET", "/nothing-here", None, admin, wrong).status == 401


def test_who_logs_out_is_out(open_house: House) -> None:
    reader = cookie(open_house, "read")
    elsewhere = cookie(open_house, "read")
    assert open_house.ask("POST", "/logout", b"", reader).status == 403
    assert watches(open_house, reader) == 404
    # As a browser sends the form of a page that keeps its referrer to itself.
    private = ("Origin", "null"), ("Sec-Fetch-Site", "same-origin")
    reply = open_house.ask("POST", "/logout", b"", reader, *private)
    assert (reply.status, reply.headers["Location"]) == (303, "/")
    assert "Max-Age=0" in reply.headers["Set-Cookie"]
    assert (watches(open_house, reader), watches(open_house, elsewhere)) == (401, 404)


@pytest.mark.parametrize("how", ["logout", "expiry"])
def test_a_stream_ends_with_its_session_though_its_token_counts(
    how: str, open_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_guard, "_REVIEW", 0.05)
    reader, elsewhere = cookie(open_house, "read"), cookie(open_house, "read")
    connection, other = open_house.connect(), open_house.connect()
    connection.request("GET", "/endless", headers=dict([reader]))
    stream = connection.getresponse()
    assert stream.readline() == b"drop\n"
    if how == "logout":
        other.request("GET", "/endless", headers=dict([elsewhere]))
        still = other.getresponse()
        reply = open_house.ask("POST", "/logout", b"", reader, own(open_house))
        assert reply.status == 303
    else:
        sessions = open_house.door.sessions
        monkeypatch.setattr(sessions, "_clock", lambda: time.monotonic() + SESSION_HOURS * 3600)
    assert stream.read().endswith(b"drop\n")
    if how == "logout":
        assert all(still.readline() == b"drop\n" for _ in range(20))
    connection.close()
    other.close()


def test_the_link_of_the_terminal_opens_one_session(open_house: House) -> None:
    admin = open_house.store.find(open_house.tokens["admin"])
    assert admin
    code = open_house.door.sessions.issue_code(admin)
    link = f"/login?code={code}"
    assert open_house.ask("GET", link, None, ("Host", "evil.example")).status == 421
    reply = open_house.ask("GET", link, None, HTML)
    assert (reply.status, reply.headers["Location"]) == (303, "/")
    assert watches(open_house, ("Cookie", reply.headers["Set-Cookie"].partition(";")[0])) == 404
    again = open_house.ask("GET", link, None, HTML)
    assert (again.status, again.headers["Set-Cookie"]) == (401, None)
    assert b"used already" in again.body


@pytest.mark.parametrize(
    "code", ["", "x", "a" * 43, "a" * 3000, "%00", "<script>alert(1)</script>"]
)
def test_a_made_up_link_opens_nothing(open_house: House, code: str) -> None:
    reply = open_house.ask("GET", f"/login?{urlencode({'code': code})}", None, HTML)
    assert (reply.status, reply.headers["Set-Cookie"]) == (401, None)
    assert b"alert(1)" not in reply.body
