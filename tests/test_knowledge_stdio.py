"""Contract 03 over real stdio: a server process, two pipes, raw JSON-RPC lines."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from events.home import Home
from tests.embedders import open_letters
from tests.shapes import check
from tests.stdio_server import Server

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Server]:
    """A server over nothing, which starts no engine."""
    (tmp_path / "logs").mkdir()
    server = Server(tmp_path / "home", tmp_path / "logs", prewarm="0", roots=str(tmp_path)).hello()
    yield server
    if server.process.poll() is None:
        server.process.kill()
    server.close()


def error(server: Server, tool: str, **arguments: Any) -> dict[str, Any]:
    """The error object of a call, checked for its shape."""
    reply = server.answer(server.begin_call(tool, **arguments))
    assert "result" not in reply, reply
    found: dict[str, Any] = reply["error"]
    assert set(found) == {"code", "message", "data"}
    assert set(found["data"]) == {"code", "details", "suggestion"}
    return found


def test_errors_are_json_rpc_errors_on_the_wire(bare: Server, tmp_path: Path) -> None:
    cases: list[tuple[int, str, str, dict[str, Any]]] = [
        (-32004, "bad_request", "query_knowledge_base", {"query": ""}),
        (-32004, "bad_request", "query_knowledge_base", {"query": "x" * (1 << 20)}),
        (-32004, "bad_request", "query_knowledge_base", {"query": "q", "top_k": 0}),
        (-32002, "unknown_collection", "query_knowledge_base", {"query": "q", "collections": "c"}),
        (
            -32002,
            "unknown_collection",
            "manage_collections",
            {"action": "delete", "collection_name": "c"},
        ),
        (
            -32003,
            "path_refused",
            "ingest_documents",
            {"path": str(tmp_path / "none"), "collection": "c"},
        ),
        (-32003, "path_refused", "ingest_documents", {"path": "/etc/passwd", "collection": "c"}),
        (-32001, "unknown_project", "manage_projects", {"action": "info", "project_name": "p"}),
        (
            -32003,
            "bad_request",
            "augment_knowledge",
            {"content": "", "source": "s", "collection": "c"},
        ),
    ]
    for number, code, tool, arguments in cases:
        found = error(bare, tool, **arguments)
        assert (found["code"], found["data"]["code"]) == (number, code), arguments
    assert not (tmp_path / "home").exists(), "what was refused has left nothing behind"
    assert bare.close() == 0
    bare.check()
    assert "Traceback" not in bare.logs.read_text(), "a refusal is no crash"


def test_simple_calls_answer_without_an_engine(bare: Server) -> None:
    made = bare.call("manage_collections", action="create", collection_name="tides")
    assert made["status"] == "success"
    bare.call("manage_projects", action="create", project_name="sea", collections="tides")
    assert bare.call("manage_collections", action="list")["total"] == 1
    assert bare.call("query_knowledge_base", query="anything")["results"] == []
    uris = {each["uri"] for each in bare.ask("resources/list")["result"]["resources"]}
    assert {"kb://collections", "kb://history"} <= uris
    templates = bare.ask("resources/templates/list")["result"]["resourceTemplates"]
    assert {"kb://collections/{name}", "kb://documents/{id}"} <= {
        each["uriTemplate"] for each in templates
    }
    prompts = {each["name"] for each in bare.ask("prompts/list")["result"]["prompts"]}
    assert {"refine_query", "extract_context"} <= prompts
    wrong = bare.ask("prompts/get", name="refine_query", arguments={})["error"]
    assert (wrong["code"], wrong["data"]["details"]) == (
        *(-32602, "The prompt refine_query needs query."),
    )
    asked = bare.ask("prompts/get", name="refine_query", arguments={"query": "tides?"})
    assert "> tides?" in asked["result"]["messages"][0]["content"]["text"]
    read = bare.ask("resources/read", uri="kb://collections")["result"]["contents"][0]
    assert json.loads(read["text"])["collections"][0]["name"] == "tides"
    missing = bare.ask("resources/read", uri="kb://collections/none")["error"]
    assert (missing["code"], missing["data"]["code"]) == (-32002, "unknown_collection")
    missing = bare.ask("resources/read", uri="kb://documents/none")["error"]
    assert (missing["code"], missing["data"]["code"]) == (-32003, "unknown_document")
    assert "Traceback" not in bare.logs.read_text(), "a refusal is no crash"
    assert bare.close() == 0
    bare.check()


BUOYS = """# Buoys

## Colours

Red buoys mark the port side.

```python
side = "port"
```

| buoy | side |
| --- | --- |
| red | port |
"""


def ingested(root: Path, *files: Path) -> None:
    """A home with these files in it, made without a server."""
    home = Home(root)
    home.prepare()
    archive = LocalArchive(home)
    job, _ = archive.catalogue.enter_job("sea", [str(file) for file in files])
    IngestJob(archive, AnyParser(), open_letters, job).run()


def test_every_field_of_the_contract_is_on_the_wire(bare: Server, tmp_path: Path) -> None:
    (tmp_path / "buoy.md").write_text(BUOYS)
    ingested(tmp_path / "home", tmp_path / "buoy.md")
    tools = {each["name"]: each for each in bare.ask("tools/list")["result"]["tools"]}

    def called(tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a call; its text is Markdown for a person."""
        reply = bare.answer(bare.begin_call(tool, **arguments))["result"]
        [text] = reply["content"]
        assert text["type"] == "text" and text["text"].lstrip("#").strip()
        answer: dict[str, Any] = reply["structuredContent"]
        check(answer, tools[tool]["outputSchema"])
        return answer

    found = called("query_knowledge_base", query="red buoys", collections="sea", top_k=2)
    assert found["status"] == "success" and 1 <= len(found["results"]) <= 2
    for result in found["results"]:
        assert {
            *("content", "relevance_score", "relevance_label", "source_document"),
            *("header_path", "metadata"),
        } <= set(result)
        assert {"document_title", "content_type", "chunk_sequence_id"} <= set(result["metadata"])
        assert (result["source_document"], result["header_path"]) == ("buoy.md", "Buoys > Colours")
    assert {"status", "suggestions", "message"} <= set(found["query_refinement"])
    kinds = {
        each["metadata"]["content_type"]
        for query in ("red buoys mark", "side = port", "buoy side red port")
        for each in called("query_knowledge_base", query=query)["results"]
    }
    assert kinds <= {"prose", "code_block", "table"} and len(kinds) > 1
    made = called(
        "manage_collections",
        action="create",
        collection_name="land",
        collection_type="project-specific",
        project_name="p",
    )
    assert (made["collection"]["type"], made["collection"]["projects"]) == (
        *("project-specific", ["p"]),
    )
    about = called("manage_collections", action="info", collection_name="sea")["collection"]
    assert (about["documents"], about["bytes"]) == (1, len(BUOYS))
    assert about["models"] == ["letters"] and about["last_ingest"]["job_id"].startswith("ingest-")
    gone = called("manage_collections", action="delete", collection_name="sea")
    assert gone["documents"] == 1
    assert called("query_knowledge_base", query="red buoys")["results"] == []
    called("manage_collections", action="restore", collection_name="sea")
    assert called("manage_collections", action="list")["total"] == 2
    for action in ("link", "set-defaults", "unlink"):
        reply = called("manage_projects", action=action, project_name="p", collections="sea")
        assert (reply["action"], reply["project"]["name"]) == (action, "p")
    assert bare.close() == 0
    bare.check()
