"""Answers that Claude puts together from what was found: grounded, paid for within caps, and recorded."""

import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from contracts.core import Core
from contracts.settings import Settings
from contracts.websites import composing as websites_composing
from contracts.websites.composing import MODEL, grounded
from contracts.websites.pages import WebsiteShelf
from contracts.websites.query import WebsiteQuestions
from events.errors import BadRequest
from events.home import QUERIES
from projections.spent import Spent
from tests.asking_letters import open_letters_corpus
from tests.embedders import open_letters
from tests.emulator_claude import Wire, said, wired
from tests.http_house import house
from tests.web_pages import BLOG, JOB, board
from traces.verify import verify_home

QUESTION = "How early should one arrive for an interview?"
KEY = "sk-ant-a-key-of-some-length"
TRUE = "Enter the reception exactly ten minutes before the appointed hour."


@pytest.fixture
def wire() -> Iterator[Wire]:
    with wired() as made:
        yield made


@pytest.fixture
def core(tmp_path: Path, wire: Wire, monkeypatch: pytest.MonkeyPatch) -> Iterator[Core]:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", wire.address)
    monkeypatch.setattr(Core, "wake_engine", lambda self: self.home.prepare())
    with board() as site:
        settings = Settings(
            home=tmp_path / "home", fetch_delay_s=0.0, fetch_allow_hosts=(site.host,)
        )
        made = Core(settings)
        shelf, archive = WebsiteShelf(made), LocalArchive(made.home)
        for path, body in (("/post", BLOG), ("/job", JOB)):
            shelf.accept([site.put(path, body)], "blog_article", "rag_process_website", force=False)
        for job in archive.catalogue.state().unfinished():
            IngestJob(archive, AnyParser(), open_letters, job).run()
        yield made


def questions(core: Core) -> WebsiteQuestions:
    return WebsiteQuestions(core, WebsiteShelf(core), open_letters_corpus(str(core.home.root)))


def ask(core: Core, query: str = QUESTION) -> dict[str, Any]:
    asking = questions(core)
    reply = asking.answer(query, include_synthesis=True)
    asking.flush()
    return reply


def claims(*sentences: tuple[str, int | str, str]) -> dict[str, Any]:
    told = [
        {"text": text, "evidence": [{"result": number, "excerpt": excerpt}]}
        for text, number, excerpt in sentences
    ]
    return said(json.dumps({"sentences": told}), input_tokens=1_000, output_tokens=100)


def place_of(body: Any, excerpt: str) -> int:
    """The number of the result that says something, as the model was told it."""
    words: str = body["messages"][0]["content"].partition("User query:")[0]
    before = words[: words.index(excerpt)]
    return before.count("<result ")


def truthful(body: Any) -> dict[str, Any]:
    excerpt = "enter the reception exactly ten minutes before the appointed hour"
    return claims((TRUE, place_of(body, excerpt), excerpt))


def facts(core: Core, kind: str) -> list[dict[str, Any]]:
    return [record.data for record in core.home.read(QUERIES)[0] if record.kind == kind]


def test_claude_composes_where_there_is_a_key(core: Core, wire: Wire) -> None:
    wire.script.append(truthful)
    reply = ask(core)
    assert TRUE in reply["synthesis"]
    assert "/post" in reply["synthesis"].partition("Sources:")[2]
    assert reply["synthesis_by"] == MODEL
    assert reply["synthesis_cost_usd"] > 0
    assert reply["synthesis_note"] == ""
    [call] = wire.calls("/v1/messages")
    assert call.body["model"] == MODEL
    assert QUESTION in call.body["messages"][0]["content"]


def test_what_it_cost_is_in_the_record_and_counts_for_the_day(core: Core, wire: Wire) -> None:
    wire.script.append(truthful)
    reply = ask(core)
    [asked], [answered] = facts(core, "call_asked"), facts(core, "call_answered")
    assert asked["call"] == answered["call"]
    assert answered["cost_usd"] == reply["synthesis_cost_usd"]
    [completed] = facts(core, "semantic_query_completed")
    assert (completed["composer"], completed["cost_usd"]) == (MODEL, answered["cost_usd"])
    assert Spent(core.views).today() == pytest.approx(answered["cost_usd"])
    assert KEY not in core.home.path(QUERIES).read_text()
    assert not verify_home(core.home.root).faults


def test_a_cap_that_is_reached_leaves_the_extractive_composer(core: Core, wire: Wire) -> None:
    wire.script.append(truthful)
    assert ask(core)["synthesis_by"] == MODEL
    capped = Core(replace(core.settings, daily_cap_usd=0.0000001))
    reply = ask(capped)
    assert reply["synthesis_by"] == "extractive"
    assert "spending cap" in reply["synthesis_note"]
    assert "ten minutes" in reply["synthesis"]
    assert len(wire.calls("/v1/messages")) == 1


def test_who_may_not_pay_gets_the_extractive_composer(core: Core, wire: Wire) -> None:
    reply = questions(core).answer(QUESTION, include_synthesis=True, paid=False)
    assert reply["synthesis_by"] == "extractive"
    assert reply["synthesis_note"] == "A token that may only read pays for no model."
    assert "ten minutes" in reply["synthesis"]
    assert reply["synthesis_cost_usd"] == 0
    assert not wire.calls("/v1/messages")


@pytest.mark.parametrize(("scope", "pays"), [("read", False), ("write", True), ("admin", True)])
def test_over_http_only_who_may_write_pays(
    scope: str, pays: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid: list[bool] = []

    def answer(self: WebsiteQuestions, query: str, *told: Any, **how: Any) -> dict[str, Any]:
        paid.append(how["paid"])
        raise BadRequest("No.", "Never.")

    monkeypatch.setattr(WebsiteQuestions, "answer", answer)
    with house(tmp_path) as built:
        arguments = {"query": QUESTION, "include_synthesis": True}
        assert built.call("rag_query_websites", arguments, token=scope).status == 200
    assert paid == [pays]


def test_only_sentences_whose_citations_stand_are_kept(core: Core, wire: Wire) -> None:
    def mixed(body: Any) -> dict[str, Any]:
        good = "enter the reception exactly ten minutes before the appointed hour"
        place = place_of(body, good)
        return claims(
            (TRUE + " [7]", place, good),
            ("Bring a gift worth fifty dollars for the director.", place, "a gift worth fifty"),
            ("Arrive 40 minutes before the appointed hour.", place, good),
            ("Interviews follow rules.", 99, good),
            ("Interviews follow rules.", "1", good),
        )

    wire.script.append(mixed)
    told = ask(core)["synthesis"].partition("Sources:")[0]
    assert told.count("\n- ") == 0
    assert TRUE in told
    for lie in ("gift", "40", "[7]", "follow rules"):
        assert lie not in told


@pytest.mark.parametrize(
    "answer",
    [
        "I cannot help with that.",
        '{"sentences": []}',
        '{"sentences": "none"}',
        '{"sentences": [1, null, {"text": 3}, {"text": "x", "evidence": {"result": 1}}]}',
        "[" * 5_000,
        '{"sentences": [{"text": "Made up.", "evidence": [{"result": 1, "excerpt": "e"}]}]}',
    ],
)
def test_an_answer_without_ground_falls_back(core: Core, wire: Wire, answer: str) -> None:
    wire.script.append(said(answer))
    reply = ask(core)
    assert reply["synthesis_by"] == "extractive"
    assert "ten minutes" in reply["synthesis"]
    assert "stood in the results" in reply["synthesis_note"]
    assert reply["synthesis_cost_usd"] > 0


@pytest.mark.parametrize("status", [401, 429, 500, 529])
def test_a_model_that_fails_falls_back(core: Core, wire: Wire, status: int) -> None:
    wire.fail("/v1/messages", status=status)
    reply = ask(core)
    assert reply["synthesis_by"] == "extractive"
    assert "ten minutes" in reply["synthesis"]
    assert reply["synthesis_note"]
    [failed] = facts(core, "call_failed")
    assert failed["final"] is True
    assert len(wire.calls("/v1/messages")) == 1


def test_a_model_that_is_silent_is_not_waited_for(
    core: Core, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(websites_composing, "SECONDS", 0.2)
    wire.fail("/v1/messages", delay=1.0, status=500)
    reply = ask(core)
    assert reply["synthesis_by"] == "extractive"
    assert reply["synthesis_note"]
    assert len(facts(core, "call_asked")) == 1


def test_without_a_key_nobody_is_asked(
    core: Core, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    reply = ask(core)
    assert (reply["synthesis_by"], reply["synthesis_note"]) == ("extractive", "")
    assert "ten minutes" in reply["synthesis"]
    assert wire.asked == []
    plain = questions(core).answer(QUESTION)
    assert plain["synthesis"] is None
    assert "synthesis_by" not in plain


def test_questions_that_are_not_recorded_still_record_what_they_cost(
    core: Core, wire: Wire
) -> None:
    wire.script.append(truthful)
    quiet = Core(replace(core.settings, record_queries=False))
    assert ask(quiet)["synthesis_by"] == MODEL
    [asked], [answered] = facts(core, "call_asked"), facts(core, "call_answered")
    assert answered["cost_usd"] > 0
    for blob in (asked["request"], answered["reply"]):
        assert QUESTION.encode() not in core.home.blobs.get(blob["hash"])
    assert not facts(core, "semantic_query_started")


def test_nothing_is_paid_for_that_cannot_be_recorded(
    core: Core, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    path = core.home.path(QUERIES)
    path.mkdir()
    reply = questions(core).answer(QUESTION, include_synthesis=True)
    assert reply["synthesis_by"] == "extractive"
    assert wire.asked == []


def test_a_japanese_answer_is_held_against_japanese_pages() -> None:
    results = [
        {
            "source_url": "https://a.example/",
            "final_url": "https://a.example/",
            "content": "渡し船は朝六時から深夜零時まで、二十分おきに出る。",
            "metadata": {"title": "渡し船"},
        }
    ]
    told = {
        "text": "渡し船は二十分おきに出る。",
        "evidence": [{"result": 1, "excerpt": "二十分おきに出る"}],
    }
    message = said(json.dumps({"sentences": [told]}, ensure_ascii=False))
    text = grounded(json.dumps(message).encode(), results)
    assert text and "渡し船は二十分おきに出る。 [1]" in text
