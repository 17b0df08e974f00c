"""Contract 03 over real stdio: a server process, two pipes, raw JSON-RPC lines."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engines import RealEngine
from tests.test_stdio import Server

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
    read = bare.ask("resources/read", uri="kb://collections")["result"]["contents"][0]
    assert json.loads(read["text"])["collections"][0]["name"] == "tides"
    missing = bare.ask("resources/read", uri="kb://collections/none")["error"]
    assert missing["data"]["code"] == "unknown_collection"
    assert bare.close() == 0
    bare.check()


@pytest.mark.ray
def test_documents_go_in_and_passages_come_out_through_a_real_engine(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    files = tmp_path / "files"
    files.mkdir()
    (files / "buoy.md").write_text("# Buoys\n\n## Colours\n\nRed buoys mark the port side.\n")
    (files / "broken.pdf").write_text("no pdf")
    engine = RealEngine(tmp_path / "home")
    engine.up()
    try:
        server = Server(engine.home.root, tmp_path / "logs", roots=str(files)).hello()
        report = server.call("ingest_documents", path=str(files), collection="sea")
        list(engine.core.follow_job(report["job_id"], 120))
        reply = server.answer(
            server.begin_call("query_knowledge_base", query="Which side do red buoys mark?")
        )["result"]
        found = reply["structuredContent"]["results"][0]
        assert (found["source_document"], found["header_path"]) == ("buoy.md", "Buoys > Colours")
        assert reply["content"][0]["type"] == "text"
        assert "> Red buoys mark the port side." in reply["content"][0]["text"]
        assert found["relevance_score"] > 0
        again = server.call("ingest_documents", path=str(files), collection="sea")
        list(engine.core.follow_job(again["job_id"], 120))
        seen = engine.core.views.job(again["job_id"])
        assert (seen.unchanged, seen.failed) == (1, 1)
        server.call("manage_collections", action="delete", collection_name="sea")
        assert server.call("query_knowledge_base", query="red buoys")["results"] == []
        assert server.close() == 0
        server.check()
        engine.check_record()
    finally:
        engine.down()
