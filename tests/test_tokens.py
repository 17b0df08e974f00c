"""Tokens: made once, kept as hashes, gone when removed."""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cli
from contracts.http.sessions import CODE_MINUTES, SESSION_HOURS, Sessions
from contracts.http.tokens import SCOPES, TokenStore, make_token
from events.errors import AlreadyThere, BadRequest, HomeUnwritable
from events.secrets import may_hold_secret, redact_text


@pytest.fixture
def store(tmp_path: Path) -> TokenStore:
    return TokenStore(tmp_path / "home")


def test_a_token_is_found_by_what_was_told_once_and_only_its_hash_is_kept(
    store: TokenStore, tmp_path: Path
) -> None:
    spelled = store.add("laptop", ["write"])
    found = store.find(spelled)
    assert found and (found.name, found.ends_with) == ("laptop", spelled[-4:])
    kept = tmp_path / "home" / "tokens.json"
    assert spelled not in kept.read_text() and spelled[5:-4] not in kept.read_text()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert list(kept.parent.iterdir()) == [kept]


@given(st.text(max_size=60))
def test_nothing_else_is_taken_for_a_token(said: str) -> None:
    spelled, token = make_token("one", ["admin"])
    store = TokenStore(Path("/nowhere"), [token])
    assert store.find(spelled) == token
    assert store.find(said) is None
    assert store.find(spelled + said) == (token if not said else None)
    assert store.find(token.digest) is None


def test_each_scope_includes_those_below_it() -> None:
    granted = [make_token("one", [scope])[1].grants() for scope in SCOPES]
    assert granted == [{"read"}, {"read", "write"}, {"read", "write", "admin"}]
    assert make_token("both", ["admin", "read"])[1].grants() == set(SCOPES)


def test_another_process_sees_at_once_what_was_added_and_removed(store: TokenStore) -> None:
    other = TokenStore(store._home)
    assert not other.any_counts()
    spelled = store.add("laptop", ["read"])
    assert other.find(spelled) and other.any_counts()
    store.remove("laptop")
    assert other.find(spelled) is None and not other.any_counts()
    assert store.add("laptop", ["read"]) != spelled


def test_an_expired_token_does_not_count(store: TokenStore) -> None:
    spelled = store.add("brief", ["read"], days=1e-9)
    assert store.find(spelled) is None and not store.any_counts()
    _, token = make_token("later", ["read"], days=2)
    now = datetime.now(UTC)
    assert token.counts(now + timedelta(days=1.9)) and not token.counts(now + timedelta(days=2))


@pytest.mark.parametrize("name", ["", " ", "a b", "-x", "a" * 61, "../x", "a\n", "é"])
def test_a_name_that_could_be_mistaken_is_refused(store: TokenStore, name: str) -> None:
    with pytest.raises(BadRequest, match="cannot be called"):
        store.add(name, ["read"])
    assert store.listed() == ()


@pytest.mark.parametrize("days", [0, -1, 1e9, float("nan"), float("inf")])
def test_a_life_that_is_none_is_refused(store: TokenStore, days: float) -> None:
    with pytest.raises(BadRequest, match="cannot expire"):
        store.add("laptop", ["read"], days=days)


def test_a_name_is_given_once(store: TokenStore) -> None:
    first = store.add("laptop", ["read"])
    with pytest.raises(AlreadyThere):
        store.add("laptop", ["admin"])
    assert store.find(first)
    with pytest.raises(BadRequest, match="laptop"):
        store.remove("desktop")


BROKEN = {
    "nothing": b"",
    "no JSON": b"{",
    "another shape": b"[]",
    "another version": b'{"version": 2, "tokens": []}',
    "no hash": b'{"version": 1, "tokens": [{"name": "a", "digest": "", "ends_with": "", '
    b'"scopes": ["admin"], "created": "2026-01-01T00:00:00Z"}]}',
    "too long": b" " * (1 << 21),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_file_that_makes_no_sense_lets_nobody_in_and_is_not_overwritten(
    store: TokenStore, case: str
) -> None:
    spelled = store.add("laptop", ["admin"])
    path = store._home / "tokens.json"
    path.write_bytes(BROKEN[case])
    assert store.find(spelled) is None
    for change in (lambda: store.add("more", ["read"]), lambda: store.remove("laptop")):
        with pytest.raises(BadRequest, match="not a list of tokens"):
            change()
    assert path.read_bytes() == BROKEN[case]


def test_tokens_added_at_the_same_time_are_all_kept(store: TokenStore) -> None:
    with ThreadPoolExecutor(8) as crowd:
        told = list(crowd.map(lambda n: TokenStore(store._home).add(f"t{n}", ["read"]), range(24)))
    assert all(store.find(spelled) for spelled in told)


def test_there_is_an_end_to_tokens(store: TokenStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("contracts.http.tokens._MOST", 2)
    store.add("one", ["read"])
    store.add("two", ["read"])
    with pytest.raises(BadRequest, match="2 tokens already"):
        store.add("three", ["read"])


def test_a_home_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(HomeUnwritable):
        TokenStore(tmp_path / "file").add("laptop", ["read"])


def test_a_token_is_masked_wherever_it_turns_up(store: TokenStore) -> None:
    spelled = store.add("laptop", ["read"])
    for text in (
        spelled,
        f"Authorization: {spelled}",
        f'{{"q":"what is {spelled}?"}}',
        f"x{spelled}",
    ):
        assert may_hold_secret(text.encode())
        assert spelled[8:] not in redact_text(text)


# -- sessions -------------------------------------------------------------------------------------


def test_a_session_ends_by_itself_and_when_it_is_closed() -> None:
    now = [0.0]
    sessions = Sessions(clock=lambda: now[0])
    first, second = sessions.open("a"), sessions.open("b")
    assert (sessions.holder(first), sessions.holder(second)) == ("a", "b")
    sessions.close(first)
    assert (sessions.holder(first), sessions.holder(second)) == (None, "b")
    now[0] = SESSION_HOURS * 3600
    assert sessions.holder(second) is None


def test_a_login_code_works_once_and_soon() -> None:
    now = [0.0]
    sessions = Sessions(clock=lambda: now[0])
    _, token = make_token("one", ["read"])
    first, second = sessions.issue_code(token), sessions.issue_code(token)
    assert [sessions.redeem(first) for _ in range(2)] == [token.digest, None]
    now[0] = CODE_MINUTES * 60
    assert sessions.redeem(second) is None
    assert sessions.redeem("") is None


def test_there_is_an_end_to_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("contracts.http.sessions._MOST", 2)
    sessions = Sessions()
    first, *rest = [sessions.open("a") for _ in range(3)]
    assert sessions.holder(first) is None
    assert all(sessions.holder(each) == "a" for each in rest)


# -- the command ----------------------------------------------------------------------------------


def test_the_command_makes_lists_and_removes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(tmp_path / "home"))

    def run(*words: str) -> tuple[int, str, str]:
        code = cli.main(["token", *words])
        out, err = capsys.readouterr()
        return code, out, err

    assert run("list")[1].startswith("There are no tokens")
    code, out, err = run("add", "laptop", "--scope", "write", "--expires", "30")
    spelled = out.strip()
    assert (code, len(out.split())) == (0, 1) and "not shown again" in err
    found = TokenStore(tmp_path / "home").find(spelled)
    assert found and found.grants() == {"read", "write"} and found.expires
    shown = run("list")[1]
    assert "laptop" in shown and "write" in shown and spelled[-4:] in shown
    assert "may only read" not in err and "  last four  since       expires\n" in shown
    listed = json.loads(run("list", "--json")[1])
    assert [each["name"] for each in listed] == ["laptop"] and "digest" not in listed[0]
    assert spelled not in shown and found.digest not in shown
    code, _, err = run("add", "laptop")
    assert code == 2 and "or remove it first: research-agent token remove laptop" in err
    assert "It may only read" in run("add", "reader")[2]
    assert re.search(r"^reader .* never$", run("list")[1], re.M)
    assert run("remove", "laptop")[0] == 0
    assert run("remove", "laptop")[0] == 2


def test_the_command_needs_an_action() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).parent / "research-agent"), "token"],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2 and b"ACTION" in done.stderr
