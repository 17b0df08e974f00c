"""Contract 01 without a key for Gemini: the same call is done by Claude, and says so."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from actors.archive import LocalArchive
from actors.inline import run_task
from actors.kinds.claude import MODEL
from contracts.core import Core
from contracts.evidence.verifying import verify_research
from contracts.seen_letters import seen
from contracts.settings import Settings
from mcp_entry import build_server
from tests.claude_world import AT_ONCE, EmptyCorpus, Outdoors, teach
from tests.emulator_claude import Wire, answer, sentence, tool, using, wired

pytestmark = pytest.mark.anyio

RANCE = "http://tides.example.gov/rance"
YIELD = "The La Rance tidal power station generates about 500 GWh of electricity each year."
SAID = "La Rance generates about 500 GWh of electricity each year."


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Iterator[Wire]:
    teach(monkeypatch)
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("ANTHROPIC_API_KEY", "TAVILY_API_KEY"):
        monkeypatch.setenv(name, "a-key-of-some-length")
    with wired() as wire:
        wire.page(RANCE, f"<html><title>La Rance</title><body><p>{YIELD}</p></body></html>")
        wire.script.extend(
            [using(tool("fetch_pages", urls=[RANCE])), answer(sentence(SAID, ("p1", YIELD)))]
        )
        yield wire


@pytest.fixture
def core(tmp_path: Path, wire: Wire, monkeypatch: pytest.MonkeyPatch) -> Core:
    def work(self: Core) -> None:
        for name in self.catalogue.state().unfinished():
            run_task(LocalArchive(self.home), EmptyCorpus(), name, Outdoors(wire), AT_ONCE)

    monkeypatch.setattr(Core, "wake_engine", work)
    return Core(Settings(home=tmp_path / "home", prewarm=False))


@pytest.mark.parametrize(
    ("named", "used"),
    [({}, MODEL), ({"model": "claude-haiku-4-5"}, "claude-haiku-4-5")],
    ids=["Gemini's own by default", "one of Claude's"],
)
async def test_the_same_call_is_done_by_claude_with_a_model_of_its_own(
    core: Core, wire: Wire, named: dict[str, Any], used: str
) -> None:
    question = "How much electricity does La Rance generate each year?"
    async with Client(build_server(core)) as client:
        reply = await client.call_tool("start_deep_research", {"query": question} | named)
    found = reply.structured_content
    assert found and (found["status"], found["mode"]) == ("completed", "sync")
    assert SAID in found["results"]["report"]
    metadata = found["results"]["metadata"]
    assert (metadata["model"], metadata["researcher"]) == (used, "claude")
    assert metadata["tokens_used"]["input"] > 0 and metadata["cost_usd"] > 0
    assert found["results"]["sources"][0]["url"] == RANCE
    assert {each.body["model"] for each in wire.calls("/v1/messages")} == {used}


async def test_what_research_hands_out_goes_without_letters_that_nobody_sees(
    core: Core, wire: Wire
) -> None:
    hidden = YIELD.replace("tidal", "tidal\U000e0049\U000e0067\u202e")
    wire.pages[RANCE.partition("://")[2]] = 200, "text/html", f"<body><p>{hidden}</p></body>"
    wire.script.append(answer(sentence(SAID, ("p1", YIELD))))
    async with Client(build_server(core)) as client:
        asked = {"question": "How much electricity does La Rance generate each year?"}
        found = (await client.call_tool("research", asked)).structured_content
        assert found
        further = {"task_id": found["trace_id"], "extra_budget": 9_000}
        again = (await client.call_tool("continue_research", further)).structured_content
    for reply in (found, again):
        assert reply and seen(reply) == reply
        assert [each["raw_excerpt"] for each in reply["citations"]] == [YIELD]
        # The record keeps them, and there the excerpt is verified.
        [kept] = core.views.result(reply["trace_id"]).result["citations"]
        assert kept["raw_excerpt"] == hidden
        assert verify_research(core.home, reply["trace_id"]).verified
