"""The audit as an MCP client meets it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastmcp import Client, FastMCP
from fastmcp.exceptions import ToolError

from contracts.audit import tools as audit_tools
from contracts.audit.asking import shown
from contracts.core import Core
from contracts.settings import Settings
from projections.audit import Audit
from tests.homes import BuiltHome, build_home

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuiltHome:
    return build_home(tmp_path_factory.mktemp("tools") / "home", tasks=2)


@pytest.fixture
def server(built: BuiltHome, monkeypatch: pytest.MonkeyPatch) -> Iterator[FastMCP]:
    opened: list[Audit] = []
    ordinary = Audit.__init__

    def noted(self: Audit, *given: object, **named: object) -> None:
        ordinary(self, *given, **named)  # type: ignore[arg-type]
        opened.append(self)

    monkeypatch.setattr(Audit, "__init__", noted)
    mcp: FastMCP = FastMCP("audit")
    audit_tools.declare(mcp, Core(Settings(home=built.root)))
    yield mcp
    for each in opened:
        each.close()


async def test_the_tool_only_reads_and_names_its_tables_and_questions(server: FastMCP) -> None:
    async with Client(server) as client:
        (tool,) = await client.list_tools()
    assert tool.name == "audit_traces" and tool.annotations
    assert tool.annotations.read_only_hint
    properties = tool.input_schema["properties"]
    assert "cost_by_task" in properties["name"]["description"]
    for table in ("events", "calls", "faults"):
        assert table in properties["sql"]["description"]


async def test_an_answer_is_a_table_for_people_and_structure_for_programs(
    server: FastMCP, built: BuiltHome
) -> None:
    async with Client(server) as client:
        reply = await client.call_tool("audit_traces", {"name": "cost_by_task"})
        assert reply.structured_content
        assert reply.structured_content["row_count"] == 3
        assert reply.structured_content["columns"][0] == "task"
        assert reply.structured_content["question"].startswith("What did each task cost")
        text = reply.content[0].text
        assert text.startswith("| task | question |")
        assert built.tasks[0] in text and "3 rows" in text
        past = {"sql": "SELECT count(*) AS n FROM tasks", "as_of": "2026-11-15"}
        reply = await client.call_tool("audit_traces", past)
        assert reply.structured_content and reply.structured_content["rows"] == [[0]]
        odd = "SELECT 'a|b' AS x, [1, 2] AS y, 'two\nlines' AS z, 1e400 AS inf, 1::hugeint << 100 AS h"
        reply = await client.call_tool("audit_traces", {"sql": odd})
        assert "a\\|b" in reply.content[0].text
        assert "two lines" in reply.content[0].text


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "bad_request"),
        ({"sql": "select 1", "name": "chain"}, "bad_request"),
        ({"sql": "SELECT '\ud800'"}, "bad_request"),
        ({"name": "\ud800"}, "bad_request"),
        ({"sql": "SELEC 1"}, "bad_sql"),
        ({"sql": "SELECT * FROM read_text('/etc/hostname')"}, "sql_refused"),
        ({"name": "no_such"}, "bad_request"),
        ({"sql": "select 1", "limit": 0}, "bad_request"),
        ({"sql": "select 1", "as_of": "whenever"}, "bad_request"),
    ],
)
async def test_a_refusal_has_its_code_and_a_way_out(
    arguments: dict[str, object], code: str, server: FastMCP
) -> None:
    async with Client(server) as client:
        with pytest.raises(ToolError) as refused:
            await client.call_tool("audit_traces", arguments)
    assert f"[{code}]" in str(refused.value)
    if code == "bad_sql":
        assert "Parser Error" in str(refused.value) and "Tables: calls" in str(refused.value)


def test_the_server_declares_without_loading_duckdb_or_arrow(tmp_path: Path) -> None:
    import subprocess
    import sys

    script = (
        "import sys\nfrom fastmcp import FastMCP\nfrom pathlib import Path\n"
        "from contracts.audit import tools\nfrom contracts.core import Core\n"
        "from contracts.settings import Settings\n"
        f"tools.declare(FastMCP('a'), Core(Settings(home=Path({str(tmp_path)!r}))))\n"
        "assert not {'duckdb', 'pyarrow', 'prompt_toolkit'} & set(sys.modules)\n"
    )
    root = Path(__file__).resolve().parent.parent
    subprocess.run([sys.executable, "-c", script], check=True, cwd=root)


def test_of_a_long_list_a_cell_shows_the_beginning() -> None:
    assert shown([1, {"a": None}]) == '[ 1, { "a": null } ]'
    for long in (
        list(range(1_000_000)),
        [[[0] * 1000] * 1000] * 1000,
        {str(number): number for number in range(100_000)},
        [{"a": "x" * 1_000_000}],
    ):
        assert len(shown(long)) == 200
        assert shown(long).endswith("…")
