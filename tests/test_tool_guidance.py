"""What helps a model to choose among the tools, and to go on where one of them found nothing."""

import re
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from contracts.core import Core
from contracts.knowledge import markdown as knowledge_markdown
from contracts.settings import Settings
from mcp_entry import INSTRUCTIONS, build_server

pytestmark = pytest.mark.anyio

LIKE = {
    "query_knowledge_base": {"rag_query_websites", "query_hybrid"},
    "query_hybrid": {"query"},
    "research": {"start_deep_research"},
    "start_deep_research": {"research"},
    "list_research_tasks": {"research", "continue_research"},
    "ingest_documents": {"ingest_from_source"},
    "ingest_from_source": {"ingest_documents"},
}
"""Tools that are easily taken for each other: whoever reads of one of these is told of it."""


@pytest.fixture
def core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Core:
    monkeypatch.setattr(Core, "wake_engine", lambda self: self.home.prepare())
    return Core(Settings(home=tmp_path / "home", prewarm=False))


def named(text: str, tools: set[str]) -> set[str]:
    return set(re.findall(r"[a-z_]+", text)) & tools


async def test_tools_that_are_alike_say_which_is_for_what(core: Core) -> None:
    async with Client(build_server(core)) as client:
        told = {tool.name: tool.description or "" for tool in await client.list_tools()}
    tools = set(told)
    for name, others in LIKE.items():
        for other in others:
            assert name in named(told[other], tools), (name, other)
    assert len(named(INSTRUCTIONS, tools)) >= 10
    # Whatever looks like a tool is one: nobody is sent to what is not there.
    words = {
        word
        for text in (INSTRUCTIONS, *told.values())
        for word in re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", text)
    }
    assert words - tools == {"source_url", "chunk_id"}


async def test_where_no_website_is_held_it_is_said_how_to_bring_one_in(core: Core) -> None:
    async with Client(build_server(core)) as client:
        for tool, arguments in (
            ("rag_list_websites", {}),
            ("rag_query_websites", {"query": "tides"}),
        ):
            reply = await client.call_tool(tool, arguments)
            assert "rag_process_website brings a page in" in reply.content[0].text, tool
        refusal = await client.call_tool("rag_get_website_status", {}, raise_on_error=False)
    assert re.search(r"argument\. Read the tool's schema", refusal.content[0].text)


async def test_what_is_wrong_and_what_to_do_are_two_sentences(core: Core) -> None:
    async with Client(build_server(core)) as client:
        refusal = await client.call_tool(
            "verify_research", {"task_id": "abc"}, raise_on_error=False
        )
    assert "found with ID: abc. Verify the id" in refusal.content[0].text


def test_a_passage_and_its_file_are_told_apart() -> None:
    found: dict[str, Any] = {
        "content": "Words.",
        "relevance_score": 0.5,
        "relevance_label": "Relevant",
        "source_document": "a.md",
        "header_path": "Tides > Causes",
        "metadata": {"document_title": "Tides", "collection": "c", "content_type": "prose"},
        "place": {"locator": "/a.md", "first_page": None},
    }
    assert "(0.50) · Tides > Causes · `a.md` · c" in knowledge_markdown._result(1, found)
