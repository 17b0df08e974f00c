"""Keys never reach the record or the logs, and looking for them never harms either."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from events import secrets
from events.codec import GENESIS, Record, seal
from events.home import Home
from events.logs import log, start_logging
from events.research import StepTaken
from events.secrets import learn_secrets, may_hold_secret, redact, redact_text
from events.stream import EventStream
from events.tail import read_stream
from traces.verify import _Chain as Chain
from traces.verify import verify_trace

SHAPED = {
    "anthropic": "sk-ant-api03-abcdefghijklmnop_QRSTUV-0123",
    "google": "AIzaSyA1234567890abcdefghijklmnopqrstuvw",
    "tavily": "tvly-dev-abcdefghijklmnop1234",
    "bearer": "Bearer abcdefghij.klmnop~qrst+uv/wx-yz",
}
AT = "2026-11-16T00:00:00.000000Z"


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "_known", [])
    monkeypatch.setattr(secrets, "_spelled", [])


@pytest.fixture
def logs_as_before() -> Iterator[None]:
    yield
    structlog.reset_defaults()


def written(text: str) -> Record:
    """A fact with that text in it, as the record has it."""
    lines, _ = seal("s", 0, AT, 0, None, GENESIS, [StepTaken(step=1, action="a", decision=text)])
    Chain("s").follow(lines[0])
    return Record(lines[0][:-1])


@given(st.binary(), st.sampled_from(secrets._MARKS), st.binary())
def test_the_quick_look_misses_nothing(before: bytes, mark: bytes, after: bytes) -> None:
    assert may_hold_secret(before + mark + after)
    assert may_hold_secret(before) == any(each in before for each in secrets._MARKS)


@pytest.mark.parametrize("secret", SHAPED.values(), ids=SHAPED)
def test_what_looks_like_a_key_is_masked(secret: str) -> None:
    for text in (
        secret,
        f"x-api-key: {secret}\n",
        f'{{"key":"{secret}"}}',
        f"\\{secret}",
        f"\t{secret}",
    ):
        assert secret not in redact_text(text)
        assert "[redacted]" in redact_text(text)
        assert secret not in written(text).data["decision"]
        assert written(text).data["decision"] == redact_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sk-ant-",
        "tvly-short",
        "the bearer of this letter",
        "AIza",
        "Bearer tokens are sent in a header.",
    ],
)
def test_what_only_begins_like_a_key_is_left_alone(text: str) -> None:
    assert redact_text(text) == text
    assert written(text).data["decision"] == text


@pytest.mark.parametrize("text", ["\tvly-" + "A" * 20, "\bearer " + "A" * 20, "\\tvly-" + "A" * 20])
def test_an_escape_before_what_looks_like_a_key_does_not_break_the_line(
    text: str, home: Home
) -> None:
    stream, _ = EventStream.claim(home.path("s"), "a test")
    stream.append(StepTaken(step=1, action="a", decision=text))
    ((_, record), _) = read_stream(home.path("s"))
    assert record.data["decision"] == redact_text(text)
    assert verify_trace(home.path("s")).proven


def test_the_values_of_secret_variables_are_masked_wherever_they_turn_up() -> None:
    environment = {
        "ACME_API_KEY": "plain-value-1",
        "DB_PASSWORD": 'with "quotes" and \\ and ü and\nnewline',
        "RAY_AUTH_TOKEN": "prefix-and",
        "OTHER_SECRET": "prefix-and-the-rest",
        "RESEARCH_AGENT_ZOTERO_KEY": "plain-value-2",
        "NOT_SECRET_AT_ALL": "harmless-value",
        "SHORT_SECRET": "short",
    }
    learn_secrets(environment)
    for name in environment.keys() - {"NOT_SECRET_AT_ALL", "SHORT_SECRET"}:
        text = f"before {environment[name]} after"
        assert redact_text(text) == "before [redacted] after"
        assert written(text).data["decision"] == "before [redacted] after"
        assert environment[name].encode() not in redact(text.encode())
    assert redact_text("harmless-value short") == "harmless-value short"


def test_a_secret_that_is_also_one_of_our_words_does_not_make_facts_unreadable(
    home: Home,
) -> None:
    learn_secrets({"A_PASSWORD": "decision", "B_PASSWORD": "step_taken"})
    stream, _ = EventStream.claim(home.path("s"), "a test")
    stream.append(StepTaken(step=1, action="a decision", decision="step_taken"))
    ((_, record), _) = read_stream(home.path("s"))
    assert record.fact == StepTaken(step=1, action="a [redacted]", decision="[redacted]")


def test_an_environment_that_is_not_text_is_no_obstacle() -> None:
    learn_secrets({"ODD_SECRET": "odd-\udcff-value"})
    assert redact(b"an odd-\xff-value here") == b"an [redacted] here"


@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_masking_a_fact_is_masking_its_text(text: str) -> None:
    loaded = f"{text}{SHAPED['tavily']}\n{text}"
    assert written(loaded).data["decision"] == redact_text(loaded)
    assert SHAPED["tavily"] not in written(loaded).data["decision"]


def test_a_secret_never_reaches_the_file(home: Home) -> None:
    learn_secrets({"X_API_KEY": "known-secret-value"})
    stream, _ = EventStream.claim(home.path("s"), "known-secret-value")
    for secret in SHAPED.values():
        stream.append(StepTaken(step=1, action=secret, decision=f"known-secret-value {secret}"))
    raw = Path(home.path("s")).read_bytes()
    assert b"known-secret-value" not in raw
    assert not any(secret.encode() in raw for secret in SHAPED.values())
    assert verify_trace(home.path("s")).proven


@pytest.mark.usefixtures("logs_as_before")
def test_a_secret_never_reaches_a_log_line_however_deep_it_lies(
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Carrier:
        def __repr__(self) -> str:
            return f"Carrier({SHAPED['google']})"

    learn_secrets({"X_API_KEY": "known-secret-value"})
    start_logging("debug")
    try:
        int(SHAPED["anthropic"])
    except ValueError:
        log("test").exception(
            f"failed with {SHAPED['tavily']}",
            headers={"Authorization": SHAPED["bearer"], "all": ["known-secret-value"]},
            carrier=Carrier(),
            pair=("known-secret-value", 1),
            count=3,
        )
    captured = capsys.readouterr()
    assert captured.out == "", "stdout belongs to MCP"
    assert not any(secret in captured.err for secret in SHAPED.values())
    assert "known-secret-value" not in captured.err
    line = json.loads(captured.err)
    assert (line["part"], line["level"], line["count"]) == ("test", "error", 3)
    assert "ValueError: invalid literal for int() with base 10: '[redacted]'" in line["exception"]
    assert line["headers"] == {"Authorization": "[redacted]", "all": ["[redacted]"]}
