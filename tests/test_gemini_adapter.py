"""The door to Gemini: what goes over the wire, and every way in which it can go wrong."""

import json
import pickle
import time
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from actors.adapters.gemini import Gemini, Pace
from actors.keys import Credential
from actors.task import LAST_WORDS
from events.errors import (
    AnswerMalformed,
    CallCut,
    FateUnknown,
    KeyRefused,
    ProviderAway,
    ProviderBusy,
    ProviderError,
    ProviderFailed,
    ProviderSilent,
    RequestRefused,
)
from events.secrets import learn_secrets
from tests.gemini_emulator import KEY, REPORT, GeminiEmulator

AGENT = "deep-research-pro-preview-12-2025"
ORDER = {"agent": AGENT, "input": "How do heat pumps work?"}
BRISK = Pace(first=0.01, longest=0.03, idle=0.3, call=0.5, last_word=0.5)


@pytest.fixture(scope="module")
def opened() -> Iterator[tuple[GeminiEmulator, Gemini]]:
    """Opening the door takes half a second, so it is opened once."""
    learn_secrets({"GEMINI_API_KEY": KEY})
    with GeminiEmulator() as emulator:
        yield emulator, Gemini(Credential(KEY, emulator.url), BRISK)


@pytest.fixture
def provider(opened: tuple[GeminiEmulator, Gemini]) -> GeminiEmulator:
    opened[0].reset()
    return opened[0]


@pytest.fixture
def gemini(provider: GeminiEmulator, opened: tuple[GeminiEmulator, Gemini]) -> Gemini:
    opened[1]._listening.clear()
    return opened[1]


def never(_: float) -> None:
    raise AssertionError("nobody had to wait")


def at_once(_: float) -> None:
    """No time passes."""


def do(gemini: Gemini, operation: str, request: dict[str, Any], pause: Any = at_once) -> Any:
    return json.loads(gemini.do(operation, request, pause).content)


def follow(gemini: Gemini, told: dict[str, Any], pause: Any = at_once) -> Any:
    request = {"after": None, "steps": 0, "status": "in_progress", "interaction": "v1_job1"}
    return do(gemini, "follow", request | {k: v for k, v in told.items() if k in request}, pause)


def order(gemini: Gemini) -> str:
    return str(do(gemini, "create", ORDER, never)["id"])


# -- what goes over the wire -----------------------------------------------------------------------


def test_an_order_asks_for_a_background_job_that_tells_what_it_thinks(
    gemini: Gemini, provider: GeminiEmulator
) -> None:
    answer = gemini.do("create", ORDER, never)
    (request,) = provider.asked("POST")
    assert request.path == "/v1/interactions"
    assert request.headers["x-goog-api-key"] == KEY
    assert request.json == {
        "agent": AGENT,
        "input": ORDER["input"],
        "background": True,
        "agent_config": {"type": "deep-research", "thinking_summaries": "auto"},
    }
    assert json.loads(answer.content)["id"] == "v1_job1"
    assert answer.cost_usd == 0


def test_what_a_job_does_is_told_step_by_step_over_one_connection(
    gemini: Gemini, provider: GeminiEmulator
) -> None:
    order(gemini)
    heard: list[Any] = []
    told: dict[str, Any] = {"status": "in_progress"}
    while told["status"] == "in_progress":
        told = follow(gemini, told, never)
        heard += told["news"]
    assert heard[0] == {"thought": "Planning: two questions."}
    assert heard[1] == {"queries": ["heat pumps emissions"]}
    assert heard[2] == {"urls": [provider.cited_url("study"), provider.cited_url("review")]}
    assert told["status"] == "completed"
    assert len(provider.asked("GET")) == 1


def test_a_stream_that_is_cut_goes_on_after_what_was_told(
    gemini: Gemini, provider: GeminiEmulator
) -> None:
    provider.polls = ["in_progress"] * 9
    order(gemini)
    provider.cut_stream_after = 5
    first = follow(gemini, {})
    second = follow(gemini, first)
    assert [first["news"], second["news"]] == [
        [{"thought": "Planning: two questions."}],
        [{"queries": ["heat pumps emissions"]}],
    ]
    assert f"last_event_id={first['after']}" in provider.asked("GET", "stream=true")[-1].path


def test_a_stream_told_from_its_beginning_again_repeats_nothing(
    gemini: Gemini, provider: GeminiEmulator
) -> None:
    order(gemini)
    told = follow(gemini, {})
    again = follow(Gemini(Credential(KEY, provider.url), BRISK), told | {"after": "unknown"})
    assert again["news"] == [{"queries": ["heat pumps emissions"]}]


def test_events_without_ids_are_told_as_they_come(gemini: Gemini, provider: GeminiEmulator) -> None:
    provider.nameless = True
    order(gemini)
    first = follow(gemini, {}, never)
    second = follow(gemini, first, never)
    assert [first["news"], second["news"]] == [
        [{"thought": "Planning: two questions."}],
        [{"queries": ["heat pumps emissions"]}],
    ]
    assert (first["after"], len(provider.asked("GET"))) == (None, 1)


def test_a_stream_that_ends_a_job_which_it_says_goes_on_is_not_believed(
    gemini: Gemini, provider: GeminiEmulator
) -> None:
    provider.said_at_the_end = "in_progress"
    order(gemini)
    told = follow(gemini, {"steps": 9})
    assert told["status"] == "completed"
    assert len(provider.asked("GET", "stream=false")) == 1


def test_without_streams_a_job_is_looked_at_with_growing_pauses(
    gemini: Gemini, provider: GeminiEmulator
) -> None:
    provider.streams = False
    provider.polls = ["in_progress"] * 6
    order(gemini)
    pauses: list[float] = []
    told = follow(gemini, {}, pauses.append)
    assert told["status"] == "completed"
    assert [n for n in told["news"] if "queries" in n] == [{"queries": ["heat pumps emissions"]}]
    assert pauses == sorted(pauses)
    assert pauses[-1] == BRISK.longest


def test_a_silent_stream_is_given_up_for_a_look(gemini: Gemini, provider: GeminiEmulator) -> None:
    provider.silent_after = 0
    provider.polls = ["in_progress", "in_progress"]
    order(gemini)
    assert follow(gemini, {})["status"] == "completed"


def test_a_change_of_state_is_news(gemini: Gemini, provider: GeminiEmulator) -> None:
    provider.streams = False
    provider.polls = ["queued", "in_progress", "in_progress"]
    order(gemini)
    assert follow(gemini, {"status": "queued"})["status"] == "in_progress"


def test_following_ends_when_the_work_is_told_to_stop(
    gemini: Gemini, provider: GeminiEmulator
) -> None:
    provider.streams, provider.endless = False, True
    order(gemini)
    with pytest.raises(CallCut):
        follow(gemini, {}, stop)


def test_an_ended_job_says_what_it_consumed_and_cost(
    gemini: Gemini, provider: GeminiEmulator
) -> None:
    provider.polls = []
    answer = gemini.do("get", {"interaction": order(gemini)}, never)
    assert answer.usage.input_tokens == 250_000 - 150_000 + 90_000
    assert (answer.usage.cached_tokens, answer.usage.output_tokens) == (150_000, 8_000)
    assert (answer.usage.thought_tokens, answer.usage.searches) == (12_000, 12)
    assert answer.cost_usd == pytest.approx(0.19 * 2 + 0.15 * 0.2 + 0.02 * 12 + 12 * 0.014)
    assert answer.model == AGENT


def stop(_: float) -> None:
    raise CallCut("the next attempt")


def test_a_job_that_is_called_off_tells_what_was_heard_of_its_report(
    gemini: Gemini, provider: GeminiEmulator
) -> None:
    provider.polls, provider.endless = ["in_progress"], True
    job = order(gemini)
    told: dict[str, Any] = {}
    for _ in range(3):
        told = follow(gemini, told, never)
    # The stream tells the report and breaks off; the work is told to stop before there is another one.
    with pytest.raises(CallCut):
        follow(gemini, told, stop)
    ended = do(gemini, "cancel", {"interaction": job})
    assert (ended["status"], ended["heard"]) == ("cancelled", REPORT)
    assert provider.jobs[job]["status"] == "cancelled"


def test_what_was_heard_before_a_connection_broke_is_not_forgotten(
    gemini: Gemini, provider: GeminiEmulator
) -> None:
    provider.polls, provider.endless = ["in_progress"], True
    job = order(gemini)
    told = follow(gemini, {"steps": 1})
    provider.fail("GET", "stream=true", drop=True, times=-1)
    for _ in range(2):
        with pytest.raises(CallCut):
            follow(gemini, told | {"steps": 9}, stop)
    assert do(gemini, "cancel", {"interaction": job})["heard"] == REPORT


# -- called off ------------------------------------------------------------------------------------

ONCE: list[dict[str, Any]] = [
    {"status": 500},
    {"status": 429, "headers": {"retry-after": "1"}},
    {"status": 429, "headers": {"retry-after": "3600"}},
    {"drop": True},
    {"drop": True, "after_doing": True},
    {"status": 200, "body": ""},
    {"status": 404, "body": "{}"},
]


@pytest.mark.parametrize("fault", ONCE, ids=str)
def test_a_cancel_that_fails_once_is_said_again(
    gemini: Gemini, provider: GeminiEmulator, fault: dict[str, Any]
) -> None:
    provider.polls, provider.endless = ["in_progress"], True
    job = order(gemini)
    provider.fail("POST", "/cancel", **fault)
    answer = gemini.do("cancel", {"interaction": job}, never)
    assert provider.jobs[job]["status"] == "cancelled"
    told = json.loads(answer.content)
    assert (told["status"], "untold" in told) == ("cancelled", False)
    assert answer.cost_usd > 0


def test_a_cancel_that_was_taken_is_said_once_and_its_cost_is_asked_for_again(
    gemini: Gemini, provider: GeminiEmulator
) -> None:
    provider.polls, provider.endless = ["in_progress"], True
    job = order(gemini)
    provider.fail("GET", "stream=false", status=500, times=2)
    assert gemini.do("cancel", {"interaction": job}, never).cost_usd > 0
    assert len(provider.asked("POST", "/cancel")) == 1
    assert len(provider.asked("GET")) == 3


def test_where_nothing_can_be_seen_the_answer_to_the_cancel_counts(
    gemini: Gemini, provider: GeminiEmulator
) -> None:
    provider.polls, provider.endless = ["in_progress"], True
    job = order(gemini)
    provider.fail("GET", "stream=false", status=500, times=-1)
    answer = gemini.do("cancel", {"interaction": job}, never)
    assert json.loads(answer.content)["status"] == "cancelled"
    assert answer.cost_usd > 0


@pytest.mark.parametrize("fault", [{"status": 500}, {"status": 409, "body": "{}"}])
def test_a_job_that_goes_on_whatever_it_is_told_is_told_as_it_is(
    gemini: Gemini, provider: GeminiEmulator, fault: dict[str, Any]
) -> None:
    provider.polls, provider.endless = ["in_progress"], True
    job = order(gemini)
    provider.fail("POST", "/cancel", times=-1, **fault)
    told = do(gemini, "cancel", {"interaction": job})
    assert told["status"] == "in_progress"
    assert told["untold"].startswith("gemini: ")
    assert KEY not in told["untold"]
    assert len(provider.asked("POST", "/cancel")) > 1


def test_a_provider_that_never_answers_has_its_time_and_no_more(
    gemini: Gemini, provider: GeminiEmulator
) -> None:
    job = order(gemini)
    provider.fail("POST", "/cancel", delay=5.0, times=-1)
    provider.fail("GET", delay=5.0, times=-1)
    began = time.monotonic()
    with pytest.raises(ProviderSilent):
        gemini.do("cancel", {"interaction": job}, never)
    assert time.monotonic() - began < 2 * BRISK.last_word + 2 * BRISK.breath + 0.5


def test_last_words_fit_into_the_time_that_there_is_for_them() -> None:
    pace = Pace()
    assert 2 * pace.last_word + 2 * pace.breath < LAST_WORDS["gemini"]


def test_a_key_that_is_refused_is_not_shown_again(gemini: Gemini, provider: GeminiEmulator) -> None:
    job = order(gemini)
    provider.fail("POST", "/cancel", status=401, times=-1)
    provider.fail("GET", status=401, times=-1)
    with pytest.raises(KeyRefused):
        gemini.do("cancel", {"interaction": job}, never)
    assert len(provider.asked("POST", "/cancel")) == 1


def test_calling_off_what_has_ended_is_no_failure(gemini: Gemini, provider: GeminiEmulator) -> None:
    provider.polls = []
    job = order(gemini)
    ended = do(gemini, "cancel", {"interaction": job})
    assert (ended["status"], provider.jobs[job]["status"]) == ("completed", "completed")


# -- every way to go wrong -------------------------------------------------------------------------

FAULTS: list[tuple[str, dict[str, Any], type[ProviderError]]] = [
    ("401", {"status": 401}, KeyRefused),
    ("403", {"status": 403}, KeyRefused),
    ("400 key", {"status": 400, "body": '{"error":{"message":"API key not valid."}}'}, KeyRefused),
    ("400", {"status": 400, "body": '{"error":{"message":"bad"}}'}, RequestRefused),
    ("404", {"status": 404, "body": '{"error":{"message":"none"}}'}, RequestRefused),
    ("409", {"status": 409, "body": "{}"}, RequestRefused),
    ("422", {"status": 422, "body": ""}, RequestRefused),
    ("429", {"status": 429, "headers": {"retry-after": "31536000"}}, ProviderBusy),
    ("500", {"status": 500}, ProviderFailed),
    (
        "503",
        {"status": 503, "body": "<html>down</html>", "content_type": "text/html"},
        ProviderFailed,
    ),
    ("timeout", {"delay": 0.8, "status": 200}, ProviderSilent),
    ("cut", {"drop": True}, ProviderSilent),
    ("malformed", {"status": 200, "body": '{"id": "x", '}, AnswerMalformed),
    ("empty", {"status": 200, "body": ""}, AnswerMalformed),
    ("nothing in it", {"status": 200, "body": "{}"}, AnswerMalformed),
    ("a list", {"status": 200, "body": "[]"}, AnswerMalformed),
    ("no status", {"status": 200, "body": '{"id":"x"}'}, AnswerMalformed),
    ("text", {"status": 200, "body": "hi", "content_type": "text/plain"}, AnswerMalformed),
]
every_fault = pytest.mark.parametrize(
    ("fault", "wanted"), [each[1:] for each in FAULTS], ids=[each[0] for each in FAULTS]
)


@every_fault
def test_a_failed_look_is_one_of_our_errors_and_tried_once(
    gemini: Gemini, provider: GeminiEmulator, fault: dict[str, Any], wanted: type[ProviderError]
) -> None:
    job = order(gemini)
    provider.fail("GET", **fault)
    with pytest.raises(ProviderError) as raised:
        gemini.do("get", {"interaction": job}, never)
    assert type(raised.value) is wanted
    assert KEY not in str(raised.value)
    assert type(pickle.loads(pickle.dumps(raised.value))) is wanted
    assert len(provider.asked("GET")) == 1


@every_fault
def test_an_order_of_unclear_fate_says_so_and_is_sent_once(
    gemini: Gemini, provider: GeminiEmulator, fault: dict[str, Any], wanted: type[ProviderError]
) -> None:
    provider.fail("POST", after_doing=not wanted.untouched, **fault)
    with pytest.raises(ProviderError) as raised:
        gemini.do("create", ORDER, never)
    assert type(raised.value) is (wanted if wanted.untouched else FateUnknown)
    assert KEY not in str(raised.value)
    assert len(provider.asked("POST")) == 1


def test_a_wish_to_wait_is_passed_on_as_it_was_said(
    gemini: Gemini, provider: GeminiEmulator
) -> None:
    provider.fail("POST", status=429, headers={"retry-after": "31536000"})
    with pytest.raises(ProviderBusy) as raised:
        gemini.do("create", ORDER, never)
    assert raised.value.retry_after == 31_536_000
    assert "emulated 429" in raised.value.sentence


def test_a_date_to_come_back_at_is_so_many_seconds_away(
    gemini: Gemini, provider: GeminiEmulator
) -> None:
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=120), usegmt=True)
    provider.fail("POST", status=429, headers={"retry-after": then})
    with pytest.raises(ProviderBusy) as raised:
        gemini.do("create", ORDER, never)
    assert raised.value.retry_after == pytest.approx(120, abs=10)


def test_nobody_at_the_address_means_that_nothing_was_ordered() -> None:
    with GeminiEmulator() as gone:
        url = gone.url
    with pytest.raises(ProviderAway) as raised:
        Gemini(Credential(KEY, url), BRISK).do("create", ORDER, never)
    assert raised.value.untouched


def test_the_providers_words_are_kept_but_not_without_end(
    gemini: Gemini, provider: GeminiEmulator
) -> None:
    said = {"error": {"code": "internal", "message": "the backend is tired " * 500}}
    provider.fail("POST", status=400, body=json.dumps(said))
    with pytest.raises(RequestRefused) as raised:
        gemini.do("create", ORDER, never)
    assert "the backend is tired" in raised.value.sentence
    assert len(raised.value.sentence) < 500


def test_a_key_that_is_echoed_is_not_kept(gemini: Gemini, provider: GeminiEmulator) -> None:
    provider.polls, provider.report = [], f"{REPORT} The key is {KEY}."
    answer = gemini.do("get", {"interaction": order(gemini)}, never)
    assert KEY.encode() not in answer.content


def test_an_operation_that_does_not_exist_is_refused(gemini: Gemini) -> None:
    with pytest.raises(RequestRefused):
        gemini.do("delete", {}, never)


def test_opening_the_door_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Gemini(Credential(KEY, None))
