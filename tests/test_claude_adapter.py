"""The doors to Claude and to Tavily, against the wire protocols that they speak."""

import socket
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from actors.adapters.claude import Claude
from actors.adapters.web_search import WebSearch
from actors.keys import Credential
from actors.kinds.claude_endings import declined
from actors.ports import Answer
from events.codec import decode
from events.errors import (
    AnswerMalformed,
    BadRequest,
    KeyRefused,
    ProviderAway,
    ProviderBusy,
    ProviderError,
    ProviderFailed,
    ProviderSilent,
    RequestRefused,
)
from events.secrets import learn_secrets
from tests.emulator_claude import Wire, said, wired

KEY = "sk-ant-0123456789abcdef0123456789"


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Iterator[Wire]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    with wired() as wire:
        yield wire


def ask(wire: Wire, key: str = KEY, timeout: float = 20.0, **changes: Any) -> Answer:
    request = {
        "model": "claude-sonnet-5-5",
        "max_tokens": 500,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}],
        **changes,
    }
    with closing(Claude(Credential(key, wire.address), timeout=timeout)) as claude:
        return claude.do("message", request, lambda _: None)


def search(wire: Wire, key: str = "tvly-0123456789abcdef", timeout: float = 20.0) -> Answer:
    door = WebSearch(Credential(key, f"{wire.address}/"), timeout=timeout)
    request = {"query": "tides", "max_results": 3, "include_domains": ["example.org"]}
    return door.do("search", request, lambda _: None)


def test_an_answer_comes_whole_with_its_request_and_what_it_cost(wire: Wire) -> None:
    usage: dict[str, Any] = {
        "input_tokens": 100,
        "cache_creation_input_tokens": 40,
        "cache_read_input_tokens": 1000,
        "output_tokens": 70,
        "output_tokens_details": {"thinking_tokens": 30},
    }
    wire.script.append(said("Hi.") | {"usage": usage})
    answer = ask(wire)
    assert decode(answer.content)["content"] == [{"type": "text", "text": "Hi."}]
    assert decode(answer.content)["request_id"] == "req_1"
    assert (answer.usage.input_tokens, answer.usage.cached_tokens) == (140, 1000)
    assert (answer.usage.output_tokens, answer.usage.thought_tokens) == (40, 30)
    # Dollars per million tokens: 2 read afresh, a quarter of that for keeping them, 0.1 from the cache, 10 written.
    assert answer.cost_usd * 1e6 == pytest.approx(140 * 2 + 40 * 0.5 + 1000 * 0.1 + 70 * 10)
    sent = wire.calls("/v1/messages")[0]
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.headers["x-stainless-retry-count"] == "0"


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ({"status": 400}, RequestRefused),
        ({"status": 401}, KeyRefused),
        ({"status": 402}, RequestRefused),
        ({"status": 403}, KeyRefused),
        ({"status": 404}, RequestRefused),
        ({"status": 408}, ProviderSilent),
        ({"status": 413}, RequestRefused),
        ({"status": 429}, ProviderBusy),
        ({"status": 500}, ProviderFailed),
        ({"status": 503}, ProviderFailed),
        ({"status": 504}, ProviderSilent),
        ({"status": 529}, ProviderBusy),
        ({"drop": True}, ProviderSilent),
        ({"status": 200, "body": ""}, AnswerMalformed),
        ({"status": 200, "body": "<html>", "content_type": "text/html"}, AnswerMalformed),
        ({"status": 200, "body": "hello", "content_type": "text/plain"}, AnswerMalformed),
        ({"status": 200, "body": "[1, 2]"}, AnswerMalformed),
        ({"status": 200, "body": "{}"}, AnswerMalformed),
        ({"status": 200, "body": '{"content": ["' + "[" * 5000}, AnswerMalformed),
    ],
)
def test_every_failure_of_claude_has_its_error_and_is_met_once(
    wire: Wire, fault: dict[str, Any], error: type[ProviderError]
) -> None:
    wire.fail("/v1/messages", times=-1, **fault)
    with pytest.raises(error) as caught:
        ask(wire)
    assert caught.value.sentence.startswith("claude: ")
    assert len(wire.calls("/v1/messages")) == 1, "the SDK must not retry by itself"


@pytest.mark.parametrize(
    "ending", ["max_tokens", "pause_turn", "refusal", "model_context_window_exceeded"]
)
def test_how_a_message_ended_comes_with_it_and_is_paid_for(wire: Wire, ending: str) -> None:
    details = {"type": "refusal", "category": "bio", "explanation": "It could harm."}
    wire.script.append({"content": [], "stop_reason": ending, "stop_details": details})
    answer = ask(wire)
    message = decode(answer.content)
    assert (message["stop_reason"], message["stop_details"]) == (ending, details)
    assert answer.cost_usd > 0
    assert declined(message) == ("bio: It could harm." if ending == "refusal" else None)


def test_when_to_come_back_is_told(wire: Wire) -> None:
    wire.fail("/v1/messages", status=429, headers={"retry-after": "7"})
    with pytest.raises(ProviderBusy) as caught:
        ask(wire)
    assert caught.value.retry_after == 7.0
    wire.fail("/v1/messages", status=529, headers={"retry-after-ms": "1500"})
    with pytest.raises(ProviderBusy) as caught:
        ask(wire)
    assert caught.value.retry_after == 1.5
    wire.fail("/v1/messages", status=503, headers={"retry-after": "20"})
    with pytest.raises(ProviderFailed) as failed:
        ask(wire)
    assert failed.value.retry_after == 20.0
    wire.fail("/v1/messages", status=429, headers={"retry-after": "nan"})
    with pytest.raises(ProviderBusy) as caught:
        ask(wire)
    assert caught.value.retry_after is None


def test_a_slow_answer_is_silence_and_nobody_there_is_away(wire: Wire) -> None:
    wire.fail("/v1/messages", delay=1.0)
    with pytest.raises(ProviderSilent):
        ask(wire, timeout=0.2)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = Credential(KEY, f"http://127.0.0.1:{free.getsockname()[1]}")
    with pytest.raises(ProviderAway), closing(Claude(nobody)) as claude:
        claude.do("message", {"model": "m", "max_tokens": 1, "messages": []}, lambda _: None)
    with pytest.raises(ProviderAway):
        WebSearch(nobody).do("search", {"query": "tides"}, lambda _: None)


def test_no_key_gets_into_an_error(wire: Wire) -> None:
    learn_secrets({"ANTHROPIC_API_KEY": "a-bad-and-secret-key"})
    with pytest.raises(KeyRefused) as caught:
        ask(wire, key="a-bad-and-secret-key")
    assert "a-bad-and-secret-key" not in str(caught.value)
    assert "[redacted]" in str(caught.value)


def test_requests_that_the_sdk_itself_refuses_are_refused(wire: Wire) -> None:
    with pytest.raises(RequestRefused):
        ask(wire, temperature=0.5)
    with pytest.raises(BadRequest):
        Claude(Credential(KEY)).do("sing", {}, lambda _: None)
    assert wire.asked == []


def test_odd_characters_and_numbers_can_be_written_down(wire: Wire) -> None:
    odd = '{"content": [{"type": "text", "text": "\\ud800 x"}], "usage": {"input_tokens": 1%s}}'
    wire.fail("/v1/messages", status=200, body=odd % ("0" * 40))
    assert decode(ask(wire).content)["content"][0]["text"] == "? x"


def test_a_search_brings_bounded_results_and_its_credits(wire: Wire) -> None:
    listed: list[Any] = [
        {"url": "https://example.org/a", "title": "A" * 9000, "content": "text", "score": 0.7},
        {"url": 5, "title": "no address"},
        "not a result",
        {"url": "https://example.org/b"},
    ]
    body = {"results": listed, "usage": {"credits": 1}, "request_id": "r"}
    wire.fail("/search", status=200, body=body)
    answer = search(wire)
    first, second = decode(answer.content)["results"]
    assert first["url"] == "https://example.org/a" and len(first["title"]) == 300
    assert second == {
        "url": "https://example.org/b",
        "title": "",
        "content": "",
        "published_date": "",
        "score": 0.0,
    }
    assert (answer.usage.searches, answer.usage.credits, answer.cost_usd) == (1, 1.0, 0.008)


def test_a_search_sends_the_key_and_the_sites(wire: Wire) -> None:
    search(wire)
    sent = wire.calls("/search")[0]
    assert sent.headers["authorization"] == "Bearer tvly-0123456789abcdef"
    assert sent.body["include_domains"] == ["example.org"]


def test_a_search_never_goes_out_without_a_key(wire: Wire) -> None:
    with pytest.raises(KeyRefused):
        search(wire, key="")
    assert wire.asked == []


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ({"status": 400, "body": {"detail": {"error": "bad"}}}, RequestRefused),
        ({"status": 401, "body": {"detail": {"error": "no"}}}, KeyRefused),
        ({"status": 403, "body": {}}, RequestRefused),
        ({"status": 404, "body": {}}, RequestRefused),
        ({"status": 429, "body": {"detail": {"error": "slow down"}}}, ProviderBusy),
        ({"status": 432, "body": {"detail": {"error": "plan limit"}}}, RequestRefused),
        ({"status": 500, "body": "oops", "content_type": "text/plain"}, ProviderFailed),
        ({"status": 503, "body": {}}, ProviderFailed),
        ({"drop": True}, ProviderSilent),
        ({"status": 200, "body": ""}, AnswerMalformed),
        ({"status": 200, "body": "<html>", "content_type": "text/html"}, AnswerMalformed),
        ({"status": 200, "body": "[]"}, AnswerMalformed),
        ({"status": 200, "body": '{"results": 7}'}, AnswerMalformed),
    ],
)
def test_every_failure_of_tavily_has_its_error(
    wire: Wire, fault: dict[str, Any], error: type[ProviderError]
) -> None:
    wire.fail("/search", times=-1, **fault)
    with pytest.raises(error) as caught:
        search(wire)
    assert caught.value.sentence.startswith("tavily: ")
    assert "attribute" not in caught.value.sentence and "char 0" not in caught.value.sentence
    assert len(wire.calls("/search")) == 1


def test_a_slow_search_is_silence(wire: Wire) -> None:
    wire.fail("/search", delay=1.0)
    with pytest.raises(ProviderSilent):
        search(wire, timeout=0.2)
