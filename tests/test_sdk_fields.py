"""What we send to providers and read from them has these names in the SDKs that are installed.

Providers cannot be asked here. Their SDKs are generated from what they publish, so a name that an SDK does not know is
one that no provider would understand, or would ever send.
"""

import inspect
from typing import Any, get_args, get_type_hints

import pytest

from actors.kinds import claude_endings
from actors.kinds.claude_prompt import request, text_block
from tests.emulator_claude import tool


def names(model: Any) -> set[str]:
    return set(model.model_fields)


def literals(kind: Any) -> set[str]:
    """Every word that a type allows, however deep it stands."""
    found = {each for each in get_args(kind) if isinstance(each, str)}
    return found.union(*(literals(each) for each in get_args(kind)))


# -- Claude ----------------------------------------------------------------------------------------


def test_every_part_of_a_request_to_claude_is_known() -> None:
    from anthropic import types
    from anthropic.types import message_create_params as params

    whole = request("m", "deep", [{"role": "user", "content": [text_block("x")]}], 9, last=False)
    assert set(whole) <= set(params.MessageCreateParamsBase.__annotations__)
    config = get_type_hints(types.OutputConfigParam)
    assert set(whole["output_config"]) <= set(config)
    assert whole["output_config"]["effort"] in literals(config["effort"])
    assert set(whole["output_config"]["format"]) == set(types.JSONOutputFormatParam.__annotations__)
    known = set(types.ToolParam.__annotations__)
    assert all(set(each) <= known for each in whole["tools"])
    assert {"text", "type", "cache_control"} <= set(types.TextBlockParam.__annotations__)
    assert {"type", "tool_use_id", "content"} <= set(types.ToolResultBlockParam.__annotations__)


def test_every_part_of_an_answer_of_claude_is_known() -> None:
    from anthropic import types

    assert {"content", "stop_reason", "stop_details", "usage", "model"} <= names(types.Message)
    counted = {"input_tokens", "output_tokens", "output_tokens_details", "server_tool_use"}
    assert counted | {"cache_creation_input_tokens", "cache_read_input_tokens"} <= names(
        types.Usage
    )
    assert "thinking_tokens" in names(types.OutputTokensDetails)
    assert "web_search_requests" in names(types.ServerToolUsage)
    assert {"category", "explanation"} <= names(types.RefusalStopDetails)
    assert set(tool("x")) <= names(types.ToolUseBlock)
    assert {"thinking", "signature"} <= names(types.ThinkingBlock)
    assert "data" in names(types.RedactedThinkingBlock)


def test_every_way_in_which_a_message_of_claude_can_end_is_thought_of() -> None:
    from anthropic.types import StopReason

    ordinary = {"end_turn", "stop_sequence", "tool_use", "pause_turn"}
    heeded = {
        each
        for each in get_args(StopReason)
        if claude_endings.cut_off({"stop_reason": each})
        or claude_endings.declined({"stop_reason": each})
    }
    assert heeded == {"refusal", "max_tokens", "model_context_window_exceeded"}
    assert heeded | ordinary == set(get_args(StopReason))


@pytest.mark.parametrize("ending", [[], {}, None, 3])
def test_an_ending_of_claude_that_is_no_word_says_nothing(ending: object) -> None:
    message = {"stop_reason": ending}
    assert (claude_endings.cut_off(message), claude_endings.declined(message)) == (False, None)


def test_errors_of_claude_carry_what_we_read_of_them() -> None:
    from anthropic import APIStatusError

    told = {"response", "status_code", "request_id", "api_message", "type"}
    assert told <= set(APIStatusError.__annotations__)


# -- Gemini ----------------------------------------------------------------------------------------


def test_every_part_of_an_order_to_gemini_is_known() -> None:
    from google.genai._gaos.types import interactions as types

    sent = {"agent", "input", "background", "agent_config", "previous_interaction_id"}
    assert sent <= names(types.CreateAgentInteraction)
    assert {"type", "thinking_summaries"} <= names(types.DeepResearchAgentConfig)


def test_every_part_of_a_job_at_gemini_is_known() -> None:
    from google.genai._gaos.types import interactions as types

    read = {"id", "status", "agent", "steps", "errors", "usage", "output_text"}
    assert read <= names(types.Interaction)
    assert {"code", "message"} <= names(types.Error)
    tokens = {f"total_{kind}_tokens" for kind in ("input", "cached", "output", "thought")}
    assert tokens | {"total_tool_use_tokens", "grounding_tool_count"} <= names(types.Usage)
    assert {"type", "count"} <= names(types.GroundingToolCount)
    assert "summary" in names(types.ThoughtStep)
    assert "queries" in names(types.GoogleSearchCallArguments)
    assert "urls" in names(types.URLContextCallArguments)
    assert {"text", "annotations"} <= names(types.TextContent)
    assert {"url", "title", "start_index", "end_index"} <= names(types.URLCitation)


def test_every_state_of_a_job_at_gemini_is_thought_of() -> None:
    from google.genai._gaos.types.interactions.interaction import InteractionStatus

    from actors.kinds.gemini import _SHORTFALLS
    from actors.reports.interaction import RUNNING

    assert literals(InteractionStatus) == {*RUNNING, *_SHORTFALLS, "completed", "failed"}


@pytest.mark.parametrize(
    ("event", "read"),
    [
        ("InteractionStatusUpdate", {"event_type", "event_id", "status"}),
        ("InteractionCompletedEvent", {"event_type", "interaction"}),
        ("StepStart", {"event_type", "step"}),
        ("StepDelta", {"event_type", "delta"}),
        ("StepStop", {"event_type", "event_id", "index"}),
        ("ErrorEvent", {"event_type", "error"}),
    ],
)
def test_every_part_of_an_event_from_gemini_is_known(event: str, read: set[str]) -> None:
    from google.genai._gaos.types import interactions as types

    assert read <= names(getattr(types, event))


# -- Tavily ----------------------------------------------------------------------------------------


def test_every_part_of_a_search_is_known() -> None:
    from tavily import TavilyClient

    from actors.adapters.web_search import _ASKED

    known = set(inspect.signature(TavilyClient.search).parameters)
    assert _ASKED | {"include_usage", "timeout"} <= known
