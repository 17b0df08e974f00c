"""How often one client may ask the HTTP server."""

from pathlib import Path

import pytest

from contracts.http.limits import Allowance
from tests.http_house import READ_CALL, house


def test_who_asks_too_often_is_told_when_to_come_back(tmp_path: Path) -> None:
    with house(tmp_path, http_rate=0.2) as small:
        assert [small.call(*READ_CALL, token="read").status for _ in range(2)] == [200, 200]
        before = small.everything_kept()
        reply = small.call(*READ_CALL, token="read")
        assert reply.status == 429
        assert 1 <= int(reply.headers["Retry-After"]) <= 5
        assert small.everything_kept() == before
        assert small.call(*READ_CALL, token="write").status == 200


def test_too_many_wrong_tokens_are_not_even_answered_and_right_ones_are(tmp_path: Path) -> None:
    with house(tmp_path, http_wrong_tokens=3) as small:
        wrong = ("Authorization", "Bearer " + "wrong" * 10)
        answers = [small.ask("GET", "/", None, wrong) for _ in range(6)]
        assert [each.status for each in answers] == [401] * 3 + [429] * 3
        assert int(answers[-1].headers["Retry-After"]) >= 1
        login = small.ask("POST", "/login", b"token=guess", ("Origin", f"http://{small.authority}"))
        assert login.status == 429 and int(login.headers["Retry-After"]) >= 1
        assert b"Too many wrong tokens came from this address. Try again in" in login.body
        assert login.headers["Content-Type"].startswith("text/html"), "a person reads it"
        assert small.call(*READ_CALL, token="read").status == 200


def test_an_allowance_fills_again_and_is_not_saved_up() -> None:
    now = [0.0]
    allowance = Allowance(per_second=1.0, at_once=2, clock=lambda: now[0])
    assert [allowance.take("a") for _ in range(3)] == [0.0, 0.0, 1.0]
    assert allowance.take("b") == 0.0
    now[0] = 0.5
    assert allowance.take("a") == pytest.approx(0.5)
    now[0] = 1000.0
    assert [allowance.take("a") > 0 for _ in range(3)] == [False, False, True]


def test_an_allowance_remembers_only_so_many() -> None:
    allowance = Allowance(per_second=0.001, at_once=1)
    for number in range(10_000):
        allowance.take(str(number))
    assert len(allowance._buckets) <= 4096
    assert allowance.take("9999") > 0
