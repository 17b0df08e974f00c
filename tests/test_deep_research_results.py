"""Contract 01, what a research found, page by page: through a client in both eras."""

import json
import logging
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from mcp import MCPError
from mcp.types import INVALID_PARAMS

from actors.findings import CitedSource, Grounding
from contracts.core import Core
from contracts.evidence.verifying import verify_research
from contracts.research.calls import result_of
from contracts.seen_letters import seen
from events.codec import digest
from events.research import PassageQuoted, SourceRead, StepTaken
from mcp_entry import build_server
from tests.deep_research_client import NOBODY, QUESTION, ask, core, era, past
from tests.homes import LOCATOR
from tests.past_tasks import MODEL, REPORT, PastTasks, citation

__all__ = ["core", "era", "past"]
pytestmark = pytest.mark.anyio


# -- 3: get_research_results ----------------------------------------------------------------------


async def test_results_have_every_field(core: Core, past: PastTasks, era: Any) -> None:
    task = past.completed(QUESTION)
    reply = await ask(core, era, "get_research_results", task_id=task)
    assert (reply["success"], reply["task_id"], reply["query"]) == (True, task, QUESTION)
    assert reply["report"] == REPORT
    for source in reply["sources"]:
        assert set(source) >= {"title", "url", "snippet", "relevance_score"}
        assert 0 <= source["relevance_score"] <= 1
    metadata = reply["metadata"]
    assert metadata["duration_minutes"] == 18.5
    assert metadata["tokens_used"] == {"input": 450_000, "output": 120_000}
    assert (metadata["cost_usd"], metadata["mode"]) == (3.24, "async")
    assert (metadata["model"], metadata["source_count"]) == (MODEL, 1)
    began, ended = (datetime.fromisoformat(metadata[at]) for at in ("started_at", "completed_at"))
    assert (ended - began).total_seconds() / 60 == pytest.approx(18.5, abs=0.01)
    bare = await ask(core, era, "get_research_results", task_id=task, include_sources=False)
    assert "sources" not in bare


async def test_the_time_that_it_waited_to_start_is_part_of_its_time(
    core: Core, past: PastTasks, era: Any
) -> None:
    core.settings = replace(core.settings, sync_window_s=30.0)
    task = past.entered(QUESTION)
    past.clock.pass_minutes(60)
    past._take_up(task)
    past.conclude(task)
    metadata = (await ask(core, era, "get_research_results", task_id=task))["metadata"]
    status = await ask(core, era, "check_research_status", task_id=task)
    assert metadata["duration_minutes"] == status["elapsed_minutes"] == 60
    assert metadata["mode"] == "async", "nobody waited an hour for it"


async def test_sources_that_could_not_be_read_count_as_sources(
    core: Core, past: PastTasks, era: Any
) -> None:
    gone = CitedSource(url="https://a.example/", title="A", content_hash=None, reason="It is gone")
    tally = Grounding(outcomes=(), sources=(gone,), supported=0, not_found=0, unreachable=0)
    task = past.completed(QUESTION, grounding=tally.model_dump(mode="json"), citations=[])
    reply = await ask(core, era, "get_research_results", task_id=task)
    assert reply["metadata"]["source_count"] == 1 + 1, "one was read"
    [named] = reply["sources"]
    assert (named["url"], named["note"]) == ("https://a.example/", "It is gone")


@pytest.mark.parametrize(("length", "told"), [(49, False), (50, True), (200, True)])
async def test_a_snippet_is_as_long_as_the_contract_says_or_there_is_none(
    core: Core, past: PastTasks, era: Any, length: int, told: bool
) -> None:
    snippet = "x" * length
    task = past.completed(QUESTION, citations=[citation(1, 0, 47, snippet=snippet)])
    reply = await ask(core, era, "get_research_results", task_id=task)
    for cited in (reply["evidence"]["citations"], result_of(core, task)["citations"]):
        assert [each["snippet"] for each in cited] == [snippet if told else None]
    assert reply["sources"][0]["snippet"] == snippet


async def test_results_that_are_asked_for_too_early(core: Core, past: PastTasks, era: Any) -> None:
    task = past.running(QUESTION, StepTaken(step=13, of=20, action="read", decision="Reading"))
    reply = await ask(core, era, "get_research_results", task_id=task)
    assert reply == {
        "success": False,
        "error": "RESEARCH_NOT_COMPLETED",
        "task_id": task,
        "status": "running_async",
        "progress": 65,
        "message": "Research is still in progress. Current progress: 65%",
        "suggestion": "Wait for completion or use check_research_status to monitor",
    }


async def test_a_failed_research_says_why(core: Core, past: PastTasks, era: Any) -> None:
    task = past.failed(past.running(QUESTION), "job_failed", "The model is on strike.")
    reply = await ask(core, era, "get_research_results", task_id=task)
    assert (reply["success"], reply["error"]) == (False, "RESEARCH_FAILED")
    assert (reply["status"], reply["message"]) == ("failed", "The model is on strike.")


async def test_a_long_report_comes_in_pages_that_add_up_to_it(
    core: Core, past: PastTasks, era: Any
) -> None:
    report = "# Long\n\n" + "\n\n".join(f"Paragraph {n}. " + "word " * 40 for n in range(50))
    task = past.completed(QUESTION, report=report)
    first = await ask(core, era, "get_research_results", task_id=task, page_size=2000)
    pages = first["page"]["pages"]
    assert pages > 2 and "sources" in first
    assert first["page"] == {
        "number": 1,
        "pages": pages,
        "characters": len(report),
        "next": 2,
    }
    rest = [
        await ask(core, era, "get_research_results", task_id=task, page_size=2000, page=number)
        for number in range(2, pages + 1)
    ]
    assert "".join(each["report"] for each in (first, *rest)) == report
    assert all(len(each["report"]) <= 2000 for each in (first, *rest))
    assert rest[-1]["page"]["next"] is None
    beyond = await ask(
        core, era, "get_research_results", task_id=task, page_size=2000, page=pages + 1
    )
    assert beyond["error"] == "INVALID_QUERY"
    assert beyond["message"] == f"There is no page {pages + 1}: the result has {pages}."


@pytest.mark.parametrize("size", [0, -1, 499, 1_000_001])
async def test_a_page_of_no_size_is_refused(
    core: Core, past: PastTasks, era: Any, size: int
) -> None:
    task = past.completed(QUESTION)
    reply = await ask(core, era, "get_research_results", task_id=task, page_size=size)
    assert reply == {
        "success": False,
        "error": "INVALID_QUERY",
        "message": f"The page_size is {size}.",
        "suggestion": "Use 500 to 1000000 characters, or leave it out.",
    }


MANY = 40


def of_many_sources(past: PastTasks) -> str:
    """A research whose sources and evidence are longer than its report."""
    cited = [citation(n, 0, 47, locator=f"https://e.example/{n}") for n in range(1, MANY + 1)]
    named = {"url": "https://a.example/", "title": "A", "content_hash": None, "reason": "Gone"}
    outcomes = ["supported"] * MANY
    counts = {"supported": MANY, "not_found": 0, "unreachable": 0}
    return past.completed(
        QUESTION,
        citations=cited,
        grounding=counts | {"outcomes": outcomes, "sources": [named]},
        sentences=[{"text": f"Sentence {n}.", "citations": [n], "about": ""} for n in range(MANY)],
    )


async def test_no_page_is_longer_than_it_should_be(core: Core, past: PastTasks, era: Any) -> None:
    task = of_many_sources(past)
    whole = await ask(core, era, "get_research_results", task_id=task)
    assert "page" not in whole and len(whole["sources"]) == MANY + 1
    pages, following = list[dict[str, Any]](), 1
    async with Client(build_server(core), mode=era) as client:
        while following:
            asked = {"task_id": task, "page_size": 1000, "page": following}
            reply = (await client.call_tool("get_research_results", asked)).structured_content
            assert reply
            pages.append(reply)
            following = reply["page"]["next"]
    listed = ("sources", "evidence")
    for page in pages:
        told = json.dumps({name: page[name] for name in listed if name in page})
        assert len(page["report"]) <= 1000 and len(told) <= 2000
        assert page["page"]["pages"] == len(pages)

    assert "".join(page["report"] for page in pages) == REPORT
    assert [each for page in pages for each in page.get("sources", [])] == whole["sources"]
    evidence = [page["evidence"] for page in pages if "evidence" in page]
    for name in ("citations", "sentences", "gaps"):
        assert [each for part in evidence for each in part.get(name, [])] == whole["evidence"][name]
    grounding = [part["grounding"] for part in evidence if "grounding" in part]
    for name in ("outcomes", "sources"):
        said = [each for part in grounding for each in part[name]]
        assert said == whole["evidence"]["grounding"][name]
    assert {part["supported"] for part in grounding} == {MANY}, "the counts are those of all"
    assert [part["confidence"] for part in evidence if "confidence" in part] == [0.8]


async def test_without_sources_nothing_of_them_is_on_any_page(
    core: Core, past: PastTasks, era: Any
) -> None:
    task = of_many_sources(past)
    asked = {"task_id": task, "page_size": 1000, "include_sources": False}
    reply = await ask(core, era, "get_research_results", **asked)
    assert "sources" not in reply
    assert "citations" not in reply["evidence"]
    assert reply["evidence"]["grounding"]["sources"] == []
    assert reply["evidence"]["confidence"] == 0.8


LISTING = """# The sky

## Answer

Air scatters. [1]

Confidence 0.80. Every excerpt under Sources is verbatim, at the place that is given there.

## Gaps

- **red skies** (`source_not_found`): Nothing on sunsets.

## Sources

1. **The sky** · https://sky.example/

   > It is the air.

## Confidence

| Factor | Value |
| --- | --- |
"""


async def test_without_sources_the_report_lists_none_and_what_is_missing_stays(
    core: Core, past: PastTasks, era: Any
) -> None:
    gap = {"topic": "red skies", "category": "source_not_found", "detail": "Nothing on sunsets."}
    task = past.completed(QUESTION, report=LISTING, gaps=[gap], confidence=0.8)
    reply = await ask(core, era, "get_research_results", task_id=task, include_sources=False)
    assert "Sources" not in reply["report"] and "sky.example" not in reply["report"]
    assert reply["report"].startswith("# The sky\n\n## Answer\n\nAir scatters. [1]\n")
    assert "## Confidence" in reply["report"]
    assert (reply["evidence"]["gaps"], reply["evidence"]["confidence"]) == ([gap], 0.8)
    whole = await ask(core, era, "get_research_results", task_id=task)
    assert whole["report"] == LISTING


async def test_one_page_at_several_addresses_is_one_source(
    core: Core, past: PastTasks, era: Any
) -> None:
    task = past.running(QUESTION)
    for url in ("https://a.example/", "https://a.example/", "https://mirror.example/"):
        content = digest(b"The sky is blue.")
        past.note(
            task,
            SourceRead(
                step=1,
                action="fetch_url",
                url=url,
                title=None,
                content_hash=content,
                content_length=16,
                text_hash=content,
                decision="It looks right.",
            ),
        )
    past.conclude(task)
    reply = await ask(core, era, "get_research_results", task_id=task)
    assert reply["metadata"]["source_count"] == 2, "this one, and that of every such task"


async def test_an_entry_that_fits_no_page_has_one_to_itself(
    core: Core, past: PastTasks, era: Any
) -> None:
    long = [citation(n, 0, 47, raw_excerpt="word " * 300) for n in (1, 2)]
    task = past.completed(QUESTION, citations=long)
    cited = list[int]()
    for number in range(1, 4):
        asked = {"task_id": task, "page_size": 500, "page": number}
        reply = await ask(core, era, "get_research_results", **asked)
        cited += [each["number"] for each in reply.get("evidence", {}).get("citations", [])]
    assert (cited, reply["page"]["next"]) == ([1, 2], None)


# -- letters that nobody sees ----------------------------------------------------------------------

HOSTILE = "Installers say\u202e that old \U000e0041\U000e0042radiators\x07 are a problem."
SHOWN = "Installers say that old radiators are a problem."


class HostilePage(PastTasks):
    """Tasks that read a page with letters in it that nobody sees."""

    def read_and_quote(self, task: str, *, start: int = 0, end: int = len(HOSTILE)) -> None:
        """The researcher reads that page and quotes it."""
        blob = self.built.home.blobs.put(HOSTILE.encode()).hash
        self.note(
            task,
            SourceRead(
                step=1, action="fetch_url", url=LOCATOR, title="Old \u202eradiators",
                content_hash=blob, content_length=len(HOSTILE.encode()), text_hash=blob,
                decision="It looks right.",
            ),
            PassageQuoted(citation=1, content_hash=blob, text_hash=blob, start=start, end=end),
        )  # fmt: skip


async def test_letters_that_nobody_sees_are_kept_and_not_handed_out(
    core: Core, past: PastTasks, tmp_path: Path, era: Any
) -> None:
    hash_ = digest(HOSTILE.encode())
    cited = citation(
        1, 0, len(HOSTILE), raw_excerpt=HOSTILE, snippet=HOSTILE, title="Old \u202eradiators",
        content_hash=hash_, text_hash=hash_,
    )  # fmt: skip
    report = f"## Findings\n\n{HOSTILE} [1]\n"
    task = HostilePage(past.built).completed(QUESTION, report=report, citations=[cited])
    reply = await ask(core, era, "get_research_results", task_id=task)
    assert seen(reply) == reply
    assert reply["report"] == f"## Findings\n\n{SHOWN} [1]\n"
    assert reply["sources"][0]["snippet"] == SHOWN
    [shown] = reply["evidence"]["citations"]
    assert (shown["raw_excerpt"], shown["title"]) == (SHOWN, "Old radiators")
    async with Client(build_server(core), mode=era) as client:
        (resource,) = await client.read_resource(f"research://tasks/{task}/report.md")
    assert resource.text == reply["report"]
    for form in ("markdown", "html", "json"):
        asked = {"task_id": task, "output_dir": str(tmp_path / "out"), "format": form}
        saved = await ask(core, era, "save_research_to_markdown", **asked)
        text = Path(saved["file_path"]).read_text()
        assert seen(text) == text and text.count(SHOWN) >= 2, form
    # What is verified is the record, and there it stands word for word.
    assert core.views.result(task).result["citations"][0]["raw_excerpt"] == HOSTILE
    [checked] = verify_research(core.home, task).citations
    assert checked.excerpt_verbatim and checked.holds


async def test_report_and_trace_are_resources(core: Core, past: PastTasks, era: Any) -> None:
    task = past.completed(QUESTION)
    async with Client(build_server(core), mode=era) as client:
        templates = {each.uri_template for each in await client.list_resource_templates()}
        (report,) = await client.read_resource(f"research://tasks/{task}/report.md")
        (trace,) = await client.read_resource(f"research://tasks/{task}/trace.jsonl")
        (crew,) = await client.read_resource(f"research://tasks/{task}/trace.jsonl?stream=r1")
    assert any(each.startswith("research://tasks/{task_id}/report.md") for each in templates)
    assert (report.text, report.mime_type) == (REPORT, "text/markdown")
    assert trace.text == past.built.stream(task).read_text()
    assert crew.text == past.built.stream(f"{task}.r1").read_text()


@pytest.mark.parametrize("task", [NOBODY, "..%2Fcatalogue", "catalogue"])
@pytest.mark.parametrize("name", ["report.md", "trace.jsonl"])
async def test_a_resource_that_is_not_there_is_refused(
    core: Core,
    past: PastTasks,
    era: Any,
    task: str,
    name: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    logging.getLogger("fastmcp").addHandler(caplog.handler)
    try:
        async with Client(build_server(core), mode=era) as client:
            with pytest.raises(MCPError) as refusal:
                await client.read_resource(f"research://tasks/{task}/{name}")
    finally:
        logging.getLogger("fastmcp").removeHandler(caplog.handler)
    assert refusal.value.error.code == INVALID_PARAMS
    if task == NOBODY:
        assert refusal.value.error.data["error"] == "TASK_NOT_FOUND"
    errors = [each for each in caplog.records if each.levelno >= logging.ERROR]
    assert errors == [], "a refusal is no crash"
