"""Contract 03 over real stdio with a real engine."""

from pathlib import Path

import pytest

from tests.engines import RealEngine
from tests.stdio_server import Server

pytestmark = pytest.mark.timeout(300)


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
