"""Contract 01, its schemas and `start_deep_research`: as the document shows them, through a client in both eras."""

from dataclasses import replace
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.exceptions import ToolError

from actors.spending import SpendingCapReached
from contracts.core import Core
from contracts.deep_research import calls as deep_research
from contracts.deep_research.refusals import wrong_query
from contracts.deep_research.result_pages import PAGE_SIZES
from contracts.deep_research.tools import TOOLS
from contracts.settings import Settings
from events.errors import BadRequest
from mcp_entry import build_server
from tests.deep_research_client import NOBODY, QUESTION, UUID, ask, core, era, past
from tests.past_tasks import MODEL, REPORT, PastTasks

__all__ = ["core", "era", "past"]


pytestmark = pytest.mark.anyio


# -- schemas --------------------------------------------------------------------------------------

TASK_ID = {
    "type": "string",
    "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
}
QUERY = {"type": "string", "minLength": 3, "maxLength": 10000}
SCHEMAS: dict[str, dict[str, dict[str, Any]]] = {
    "start_deep_research": {
        "query": QUERY,
        "enable_notifications": {"type": "boolean", "default": True},
        "max_wait_hours": {"type": "integer", "default": 8, "minimum": 1, "maximum": 24},
        "model": {"type": "string", "default": "deep-research-pro-preview-12-2025"},
    },
    "check_research_status": {"task_id": TASK_ID},
    "get_research_results": {
        "task_id": TASK_ID,
        "include_sources": {"type": "boolean", "default": True},
    },
    "cancel_research": {
        "task_id": TASK_ID,
        "save_partial": {"type": "boolean", "default": True},
    },
    "estimate_research_cost": {"query": QUERY},
    "save_research_to_markdown": {
        "task_id": TASK_ID,
        "output_dir": {"type": "string", "default": "./research_reports"},
        "filename_prefix": {"type": "string", "default": "research"},
        "include_metadata": {"type": "boolean", "default": True},
        "include_sources": {"type": "boolean", "default": True},
    },
}


async def test_every_tool_has_the_contracts_schema(core: Core, era: Any) -> None:
    async with Client(build_server(core), mode=era) as client:
        tools = {tool.name: tool.input_schema for tool in await client.list_tools()}
    for name, properties in SCHEMAS.items():
        assert len(tools[name]["required"]) == 1
        for field, wanted in properties.items():
            found = tools[name]["properties"][field]
            assert {key: found.get(key) for key in wanted} == wanted, (name, field)
            assert found["description"]
        # Whatever there is besides is optional.
        assert set(tools[name]["required"]) <= set(properties)


# -- 1: start_deep_research -----------------------------------------------------------------------


class QuickEngine:
    """Ends whatever is accepted, at once."""

    def __init__(self, core: Core, past: PastTasks, monkeypatch: pytest.MonkeyPatch) -> None:
        def end_it(self: Core) -> None:
            for name in self.catalogue.state().unfinished():
                past.finish(name)

        monkeypatch.setattr(Core, "wake_engine", end_it)


async def test_a_research_that_ends_in_time_is_answered_with_its_results(
    core: Core, past: PastTasks, monkeypatch: pytest.MonkeyPatch, era: Any
) -> None:
    monkeypatch.setattr(Core, "choose", lambda self, model: "gemini")
    QuickEngine(core, past, monkeypatch)
    core.settings = replace(core.settings, sync_window_s=30.0)
    heard: list[float] = []

    async def progress(done: float, of: float | None, said: str | None) -> None:
        heard.append(done)

    async with Client(build_server(core), mode=era, progress_handler=progress) as client:
        reply = (
            await client.call_tool(
                "start_deep_research",
                {"query": QUESTION, "enable_notifications": True, "max_wait_hours": 8},
            )
        ).structured_content
    assert reply and UUID.match(reply["task_id"])
    assert (reply["success"], reply["status"], reply["mode"]) == (True, "completed", "sync")
    results = reply["results"]
    assert results["report"] == REPORT
    assert set(results["sources"][0]) >= {"title", "url", "relevance_score"}
    metadata = results["metadata"]
    assert metadata["duration_minutes"] >= 0
    assert metadata["tokens_used"] == {"input": 450_000, "output": 120_000}
    assert metadata["cost_usd"] == 3.24
    assert metadata["model"] == MODEL
    assert heard[-1] == 100


@pytest.mark.parametrize(("then", "now", "mode"), [(3600.0, 0.0, "sync"), (0.0, 3600.0, "async")])
async def test_whether_it_was_waited_for_is_told_by_what_was_set_when_it_was_accepted(
    core: Core,
    past: PastTasks,
    monkeypatch: pytest.MonkeyPatch,
    era: Any,
    then: float,
    now: float,
    mode: str,
) -> None:
    monkeypatch.setattr(Core, "choose", lambda self, model: "gemini")
    core.settings = replace(core.settings, sync_window_s=then)
    task, _ = core.start_research(deep_research.brief_for(core, QUESTION, "page"))
    past.finish(task)
    core.settings = replace(core.settings, sync_window_s=now)
    for door in (core, Core(core.settings)):
        found = await ask(door, era, "get_research_results", task_id=task)
        assert found["metadata"]["mode"] == mode


@pytest.mark.parametrize(("now", "mode"), [(0.0, "async"), (3600.0, "sync")])
async def test_of_older_tasks_it_is_told_by_what_is_set_now(
    core: Core, past: PastTasks, era: Any, now: float, mode: str
) -> None:
    task = past.completed(QUESTION)
    core.settings = replace(core.settings, sync_window_s=now)
    found = await ask(core, era, "get_research_results", task_id=task)
    assert found["metadata"]["mode"] == mode


async def test_a_very_long_report_is_answered_with_its_first_page_and_where_the_next_is(
    core: Core, past: PastTasks, monkeypatch: pytest.MonkeyPatch, era: Any
) -> None:
    monkeypatch.setattr(Core, "choose", lambda self, model: "gemini")
    monkeypatch.setattr("tests.past_tasks.REPORT", "word " * 400_000)
    QuickEngine(core, past, monkeypatch)
    core.settings = replace(core.settings, sync_window_s=30.0)
    reply = await ask(core, era, "start_deep_research", query=QUESTION)
    task, first = reply["task_id"], reply["results"]
    assert len(first["report"]) == PAGE_SIZES[1]
    assert first["page"] == {"number": 1, "pages": 2, "characters": 2_000_000, "next": 2}
    assert reply["message"] == (
        f"This is page 1 of 2. Use get_research_results(task_id='{task}', page=2) to read on"
    )
    same = await ask(core, era, "get_research_results", task_id=task)
    rest = await ask(core, era, "get_research_results", task_id=task, page=2)
    assert same["report"] == first["report"], "that is what it is bound to without a page_size"
    assert first["report"] + rest["report"] == "word " * 400_000


async def test_without_a_setting_half_a_minute_is_waited(
    past: PastTasks, monkeypatch: pytest.MonkeyPatch, era: Any
) -> None:
    monkeypatch.setattr(Core, "wake_engine", lambda self: self.home.prepare())
    monkeypatch.setattr(Core, "choose", lambda self, model: "gemini")
    waited: list[float | None] = []

    async def at_once(core: Core, task: str, seconds: float | None, progress: Any) -> Any:
        waited.append(seconds)
        return core.pace.look(task)

    monkeypatch.setattr("contracts.deep_research.calls.wait_for", at_once)
    set_nothing = Settings.from_environment({"RESEARCH_AGENT_HOME": str(past.built.root)})
    assert set_nothing.sync_window_s == Settings(home=past.built.root).sync_window_s
    core = Core(replace(set_nothing, prewarm=False))
    await ask(core, era, "start_deep_research", query=QUESTION)
    assert waited == [30.0]


async def test_a_research_that_takes_longer_is_answered_with_its_id(
    core: Core, past: PastTasks, monkeypatch: pytest.MonkeyPatch, era: Any
) -> None:
    monkeypatch.setattr(Core, "choose", lambda self, model: "gemini")
    core.desktop = True
    reply = await ask(core, era, "start_deep_research", query=QUESTION)
    task = reply["task_id"]
    assert UUID.match(task)
    assert reply | {"record": 0} == {
        "success": True,
        "task_id": task,
        "status": "running_async",
        "mode": "async",
        "message": "Research running in background. "
        "Desktop notification will be sent on completion.",
        "check_status_command": f"check_research_status(task_id='{task}')",
        "researcher": "gemini",
        "record": 0,
    }
    # The id is durable: another process finds it, and what was asked.
    brief = Core(core.settings).catalogue.brief(task)
    assert (brief.question, brief.max_wait_s, brief.model) == (QUESTION, 8 * 3600, MODEL)
    assert brief.notify


async def test_what_is_set_reaches_the_task(
    core: Core, monkeypatch: pytest.MonkeyPatch, era: Any
) -> None:
    monkeypatch.setattr(Core, "choose", lambda self, model: "gemini")
    core.settings = replace(core.settings, task_cap_usd=2.5, daily_cap_usd=20.0)
    reply = await ask(
        core,
        era,
        "start_deep_research",
        query=QUESTION,
        enable_notifications=False,
        max_wait_hours=24,
        model="deep-research-preview-04-2026",
    )
    assert "notification" not in reply["message"]
    brief = core.catalogue.brief(reply["task_id"])
    assert (brief.notify, brief.max_wait_s) == (False, 24 * 3600)
    assert brief.model == "deep-research-preview-04-2026"
    assert (brief.task_cap_usd, brief.daily_cap_usd) == (2.5, 20.0)


async def test_how_pages_are_fetched_travels_with_the_task(
    core: Core, monkeypatch: pytest.MonkeyPatch, era: Any
) -> None:
    monkeypatch.setattr(Core, "choose", lambda self, model: "gemini")
    usual = await ask(core, era, "start_deep_research", query=QUESTION)
    assert core.catalogue.brief(usual["task_id"]).fetching is None, "spelled as it always was"
    core.settings = replace(
        core.settings, fetch_allow_hosts=("127.0.0.1:8000",), obey_robots=False, render="chromium"
    )
    reply = await ask(core, era, "start_deep_research", query=QUESTION)
    order = core.catalogue.brief(reply["task_id"]).fetching
    assert order and (order.allow_hosts, order.obey_robots) == (("127.0.0.1:8000",), False)
    assert order.render


async def test_the_same_key_gives_the_same_task_whatever_has_changed_since(
    core: Core, monkeypatch: pytest.MonkeyPatch, era: Any
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "a-key-of-some-length")
    asked = {"query": QUESTION, "idempotency_key": "once"}
    task = (await ask(core, era, "start_deep_research", **asked))["task_id"]
    usual = core.settings
    for changed in (
        {"task_cap_usd": 3.0},
        {"daily_cap_usd": 0.0},
        {"obey_robots": False},
    ):
        core.settings = replace(usual, **changed)
        assert (await ask(core, era, "start_deep_research", **asked))["task_id"] == task, changed
    core.settings = usual
    monkeypatch.delenv("GEMINI_API_KEY")
    assert (await ask(core, era, "start_deep_research", **asked))["task_id"] == task, "no key"
    for name in ("ANTHROPIC_API_KEY", "TAVILY_API_KEY"):
        monkeypatch.setenv(name, "a-key-of-some-length")
    assert (await ask(core, era, "start_deep_research", **asked))["task_id"] == task, "others"
    assert len(core.catalogue.state().entries) == 1
    for other in (
        {"query": f"{QUESTION} And why?"},
        {"max_wait_hours": 9},
        {"model": "deep-research-preview-04-2026"},
        {"enable_notifications": False},
    ):
        reply = await ask(core, era, "start_deep_research", **asked | other)
        assert reply["error"] == "INVALID_QUERY", other
        assert reply["message"] == (
            f"The key 'once' already belongs to task {task}, which was asked something else."
        )


async def test_the_same_key_also_finds_a_task_that_somebody_else_took(
    core: Core, monkeypatch: pytest.MonkeyPatch, era: Any
) -> None:
    for name in ("ANTHROPIC_API_KEY", "TAVILY_API_KEY"):
        monkeypatch.setenv(name, "a-key-of-some-length")
    asked = {"query": QUESTION, "idempotency_key": "once"}
    first = await ask(core, era, "start_deep_research", **asked)
    assert (first["researcher"], core.catalogue.brief(first["task_id"]).model) == ("claude", None)
    monkeypatch.setenv("GEMINI_API_KEY", "a-key-of-some-length")
    again = await ask(core, era, "start_deep_research", **asked)
    assert (again["task_id"], again["researcher"]) == (first["task_id"], "claude")


async def test_the_same_key_is_answered_with_what_was_found(
    core: Core, past: PastTasks, monkeypatch: pytest.MonkeyPatch, era: Any
) -> None:
    monkeypatch.setattr(Core, "choose", lambda self, model: "gemini")
    asked = {"query": QUESTION, "idempotency_key": "once"}
    task = (await ask(core, era, "start_deep_research", **asked))["task_id"]
    past.finish(task)

    def wake(self: Core) -> None:
        raise AssertionError("nothing is left to do")

    monkeypatch.setattr(Core, "wake_engine", wake)
    again = await ask(core, era, "start_deep_research", **asked)
    assert (again["task_id"], again["results"]["report"]) == (task, REPORT)


async def test_with_nothing_to_research_with_gemini_is_unavailable(core: Core, era: Any) -> None:
    reply = await ask(core, era, "start_deep_research", query=QUESTION)
    assert set(reply) == {"success", "error", "message", "suggestion"}
    assert (reply["success"], reply["error"]) == (False, "GEMINI_UNAVAILABLE")
    assert reply["message"] == (
        "Gemini API is not available: there is no key for it, no other provider has one, and the "
        "local corpus is empty"
    )
    assert reply["suggestion"] == (
        "Check GEMINI_API_KEY in .env file, or ingest documents first (ingest_documents, or "
        "research-agent ingest PATH) and ask again"
    )


async def test_who_names_the_corpus_is_not_given_a_researcher_that_costs(
    core: Core, era: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Core, "_keys", lambda self: ["gemini"])
    reply = await ask(core, era, "start_deep_research", query=QUESTION, model="corpus")
    assert reply["error"] == "GEMINI_UNAVAILABLE"
    assert reply["message"] == (
        "The model that was named answers from ingested documents, and there are none yet."
    )
    assert reply["suggestion"].startswith("Ingest documents first")
    job, _ = core.catalogue.enter_job("c", ["/tides.md"])
    reply = await ask(core, era, "start_deep_research", query=QUESTION, model="corpus")
    assert reply["error"] == "GEMINI_UNAVAILABLE"
    assert reply["message"].endswith("and the first ones are still being read.")
    assert reply["suggestion"].startswith(f"Ask again when job {job} has ended")
    assert [*core.catalogue.state().entries] == [job]


async def test_keys_that_others_can_read_are_said_to_be_why_gemini_is_unavailable(
    core: Core, era: Any
) -> None:
    path = core.home.root / ".env"
    path.write_text("GEMINI_API_KEY=a-key-of-some-length\n")
    path.chmod(0o644)
    reply = await ask(core, era, "start_deep_research", query=QUESTION)
    assert reply["error"] == "GEMINI_UNAVAILABLE"
    assert "others can read it (mode 0644); run chmod 600 on it" in reply["message"]
    reply = await ask(core, era, "start_deep_research", query=QUESTION, model="corpus")
    assert reply["message"].endswith("and there are none yet."), "no key would help"
    path.chmod(0o600)
    reply = await ask(core, era, "start_deep_research", query=QUESTION)
    assert (reply["success"], reply["researcher"]) == (True, "gemini")


async def test_a_key_that_is_refused_makes_gemini_unavailable(
    core: Core, past: PastTasks, era: Any
) -> None:
    task = past.failed(past.running(QUESTION), "key_refused", "Invalid API key")
    reply = await ask(core, era, "get_research_results", task_id=task)
    assert reply["error"] == "GEMINI_UNAVAILABLE"
    assert reply["message"] == "Gemini API is not available: Invalid API key"
    assert reply["suggestion"] == "Check GEMINI_API_KEY in .env file"


async def test_who_refused_a_key_is_named(core: Core, past: PastTasks, era: Any) -> None:
    past.kind = "claude"
    task = past.running(QUESTION)
    past.failed(task, "key_refused", "claude: invalid x-api-key")
    reply = await ask(core, era, "get_research_results", task_id=task)
    assert reply["error"] == "GEMINI_UNAVAILABLE"
    assert reply["message"] == "Anthropic API is not available: claude: invalid x-api-key"
    assert reply["suggestion"] == "Check ANTHROPIC_API_KEY in .env file"


SECRET = "a-key-of-some-length-0123456789"
KEYS = [
    ("claude", "ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"),
    ("tavily", "TAVILY_API_KEY", "TAVILY_API_KEY"),
    ("gemini", "GEMINI_API_KEY", "GEMINI_API_KEY"),
    ("gemini", "GOOGLE_API_KEY", "GOOGLE_API_KEY"),
    ("gemini", "", "GEMINI_API_KEY"),
]


@pytest.mark.parametrize(("kind", "variable", "named"), KEYS)
async def test_every_door_names_the_key_that_was_refused_and_not_what_is_in_it(
    kind: str,
    variable: str,
    named: str,
    core: Core,
    past: PastTasks,
    monkeypatch: pytest.MonkeyPatch,
    era: Any,
) -> None:
    past.kind = researcher = "claude" if kind == "tavily" else kind
    task = past.failed(past.running(QUESTION), "key_refused", f"{kind}: the key is not valid")
    if variable:
        monkeypatch.setenv(variable, SECRET)
    monkeypatch.setattr(Core, "choose_grounded", lambda self: researcher)
    monkeypatch.setattr(Core, "start_research", lambda *_: (task, None))
    reply = await ask(core, era, "get_research_results", task_id=task)
    assert reply["suggestion"] == f"Check {named} in .env file"
    async with Client(build_server(core), mode=era) as client:
        with pytest.raises(ToolError) as raised:
            await client.call_tool("research", {"question": QUESTION})
    said = str(raised.value)
    assert f"does not accept the key in {named} ({kind}: the key is not valid)." in said
    assert f"Set {named} to a valid key" in said and said.endswith("[key_refused]")
    assert SECRET not in said and "trace" not in said


async def test_the_days_cap_refuses_before_anything_is_accepted(
    core: Core, monkeypatch: pytest.MonkeyPatch, era: Any
) -> None:
    monkeypatch.setattr(Core, "choose", lambda self, model: "gemini")
    monkeypatch.setattr("projections.spent.Spent.today", lambda self: 5.0)
    core.settings = replace(core.settings, daily_cap_usd=5.0)
    reply = await ask(core, era, "start_deep_research", query=QUESTION)
    assert reply["error"] == "GEMINI_UNAVAILABLE"
    reached = SpendingCapReached("daily", 5.0, 5.0)
    assert (reply["message"], reply["suggestion"]) == (reached.sentence, reached.advice)
    assert reached.sentence.startswith("The daily spending cap of $5.00 is reached: $5.0000")
    assert core.catalogue.state().entries == {}


async def test_the_days_cap_refuses_a_research_that_is_waited_for_as_well(
    core: Core, monkeypatch: pytest.MonkeyPatch, era: Any
) -> None:
    monkeypatch.setattr(Core, "choose_grounded", lambda self: "claude")
    monkeypatch.setattr("projections.spent.Spent.today", lambda self: 5.0)
    core.settings = replace(core.settings, daily_cap_usd=5.0)
    async with Client(build_server(core), mode=era) as client:
        with pytest.raises(ToolError, match="daily spending cap of") as raised:
            await client.call_tool("research", {"question": QUESTION})
    assert str(raised.value).endswith("[spending_cap_reached]")
    assert core.catalogue.state().entries == {}


@pytest.mark.parametrize(
    "arguments",
    [
        {"query": "ab"},
        {"query": "  a  "},
        {"query": "x" * 10_001},
        {"query": "\0\0\0"},
        {"query": "\u200b\u200b\u200b"},
        {"query": QUESTION, "max_wait_hours": 0},
        {"query": QUESTION, "max_wait_hours": 25},
        {"query": QUESTION, "model": " "},
        {"query": QUESTION, "idempotency_key": ""},
        {"query": QUESTION, "idempotency_key": " "},
    ],
    ids=ascii,
)
async def test_words_that_are_off_are_an_invalid_query(
    core: Core, monkeypatch: pytest.MonkeyPatch, era: Any, arguments: dict[str, Any]
) -> None:
    monkeypatch.setattr(Core, "choose", lambda self, model: "gemini")
    reply = await ask(core, era, "start_deep_research", **arguments)
    assert (reply["success"], reply["error"]) == (False, "INVALID_QUERY")
    assert core.catalogue.state().entries == {}


def test_what_is_wrong_with_a_query_is_said() -> None:
    wrong = {
        "Why \ud800?": ("Query is not valid text", "Remove the broken characters"),
        "\0\0\0": ("Nothing of the query can be seen", "Ask it in letters"),
        "\u200b\u2800\u3164": ("Nothing of the query can be seen", "Ask it in letters"),
        "ab": ("Query must have 3 to 10000 characters", "Rephrase the question"),
    }
    for query, (message, suggestion) in wrong.items():
        assert wrong_query(query) == {
            "success": False,
            "error": "INVALID_QUERY",
            "message": message,
            "suggestion": suggestion,
        }
    assert wrong_query("Why?\u200b") is None


def test_a_question_that_nobody_sees_comes_in_by_no_door(
    core: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Core, "choose", lambda self, model: "gemini")
    with pytest.raises(BadRequest, match="Nothing of the question can be seen"):
        deep_research.brief_for(core, "\u200b\u200b\u200b", "page")


MALFORMED: list[tuple[str, dict[str, Any], str]] = [
    ("start_deep_research", {}, "query"),
    ("start_deep_research", {"query": None}, "query"),
    ("start_deep_research", {"query": ["a", "b"]}, "query"),
    ("start_deep_research", {"query": QUESTION, "max_wait_hours": "soon"}, "max_wait_hours"),
    ("check_research_status", {}, "task_id"),
    ("get_research_results", {"task_id": NOBODY, "include_sources": "maybe"}, "include_sources"),
    ("cancel_research", {"task_id": {}}, "task_id"),
    ("estimate_research_cost", {"query": 7}, "query"),
    ("save_research_to_markdown", {"task_id": NOBODY, "format": "pdf"}, "format"),
    ("list_research_tasks", {"limit": "many"}, "limit"),
    ("list_research_tasks", {"surprise": 1}, "surprise"),
]


async def test_malformed_arguments_are_refused_in_the_contracts_shape(core: Core, era: Any) -> None:
    async with Client(build_server(core), mode=era) as client:
        for tool, arguments, wrong in MALFORMED:
            reply = (await client.call_tool(tool, arguments)).structured_content
            assert reply and set(reply) == {"success", "error", "message", "suggestion"}
            assert (reply["success"], reply["error"]) == (False, "INVALID_QUERY")
            assert (
                reply["message"].startswith("Malformed arguments: ") and wrong in reply["message"]
            )
        assert {tool for tool, _, _ in MALFORMED} == TOOLS
    assert core.catalogue.state().entries == {}
