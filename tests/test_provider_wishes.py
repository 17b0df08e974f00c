"""When a provider wants to be asked again: in seconds or as a date, of whoever says so."""

from contextlib import closing
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from actors.adapters.claude import Claude
from actors.adapters.web_search import WebSearch
from actors.adapters.wishes import seconds_to_wait
from actors.keys import Credential
from actors.patience import Patience
from events.errors import ProviderBusy, ProviderFailed
from tests.emulator_claude import wired

NOON = "Tue, 17 Nov 2026 12:00:00 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after-ms": "1500", "retry-after": "7"}, 1.5),
        ({"retry-after": "Tue, 17 Nov 2026 12:02:00 GMT", "date": NOON}, 120.0),
        ({"retry-after": "Tue, 17 Nov 2026 12:02:00 -0000", "date": NOON}, 120.0),
        ({"retry-after": "Tue, 17 Nov 2026 11:00:00 GMT", "date": NOON}, 0.0),
        ({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT", "date": "noon"}, 0.0),
        ({"retry-after": "Tue, 99 Nov 2026 12:02:00 GMT", "date": NOON}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_a_wish_is_seconds_however_it_is_said(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert seconds_to_wait(headers) == seconds


def soon(seconds: float) -> dict[str, str]:
    return {"retry-after": format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), True)}


def test_claude_is_asked_again_at_the_date_it_gives() -> None:
    request = {"model": "claude-sonnet-5-5", "max_tokens": 9, "messages": []}
    with wired() as wire, closing(Claude(Credential("sk-ant-0123456789", wire.address))) as claude:
        wire.fail("/v1/messages", status=429, headers=soon(90))
        with pytest.raises(ProviderBusy) as raised:
            claude.do("message", request, lambda _: None)
    assert raised.value.retry_after == pytest.approx(90, abs=10)


def test_tavily_is_asked_again_when_it_says_so() -> None:
    with wired() as wire:
        wire.fail("/search", status=503, headers=soon(90))
        with pytest.raises(ProviderFailed) as raised:
            WebSearch(Credential("tvly-0123456789abcdef", wire.address)).do(
                "search", {"query": "tides"}, lambda _: None
            )
    assert raised.value.retry_after == pytest.approx(90, abs=10)


def test_a_date_far_away_is_heeded_no_longer_than_so_many_seconds_are() -> None:
    wish = seconds_to_wait({"retry-after": "Fri, 31 Dec 2999 23:59:59 GMT"})
    assert wish and wish > 1e9
    assert Patience().pause(ProviderBusy("p", "w", wish), 1) == Patience().most
