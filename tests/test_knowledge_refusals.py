"""Bad input of contract 03: each has the contract's error, nothing is half ingested, the server stays."""

import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from mcp import MCPError
from mcp.types import Root
from pydantic import FileUrl

from actors.shelves import create_collection
from contracts.allowed_paths import allowed_roots
from contracts.core import Core
from contracts.settings import Settings
from events.errors import BadRequest, PathRefused
from tests.inline_engine import InlineEngine
from tests.knowledge_base import SAMPLES, call, connect, core, engine, files, refused
from tests.pdf_files import Put, make_pdf
from traces.verify import verify_home

pytestmark = pytest.mark.anyio
__all__ = ["core", "engine", "files"]


def held(core: Core) -> int:
    return len(core.catalogue.state().published)


# -- queries --------------------------------------------------------------------------------------

BAD_QUERIES: dict[str, dict[str, Any]] = {
    "empty": {"query": ""},
    "blank": {"query": " \n\t"},
    "a megabyte": {"query": "x" * (1 << 20)},
    "no results": {"query": "tides", "top_k": 0},
    "less than none": {"query": "tides", "top_k": -1},
    "a billion": {"query": "tides", "top_k": 10**9},
    "beyond numbers": {"query": "tides", "top_k": 10**30},
    "not a number": {"query": "tides", "top_k": "many"},
    "a truth": {"query": "tides", "top_k": True},
    "not a text": {"query": ["tides"]},
    "no query": {},
    "another argument": {"query": "tides", "surprise": 1},
    "only commas": {"query": "tides", "collections": ", ,"},
}


@pytest.mark.parametrize("case", BAD_QUERIES)
async def test_a_bad_query_is_a_query_error(core: Core, case: str) -> None:
    async with connect(core) as client:
        number, data = await refused(client, "query_knowledge_base", **BAD_QUERIES[case])
        assert (number, data["code"]) == (-32004, "bad_request")
        assert "validation error" not in data["details"] and len(data["details"]) < 300
        assert (await call(client, "query_knowledge_base", query="tides"))["results"] == []
    assert not core.home.root.exists()


async def test_an_unknown_collection_is_a_collection_error(core: Core) -> None:
    async with connect(core) as client:
        await call(client, "manage_collections", action="create", collection_name="known")
        for tool, arguments in (
            ("query_knowledge_base", {"query": "q", "collections": "known,unknown"}),
            ("manage_collections", {"action": "info", "collection_name": "unknown"}),
            ("manage_collections", {"action": "delete", "collection_name": "unknown"}),
            ("manage_collections", {"action": "restore", "collection_name": "known"}),
        ):
            number, data = await refused(client, tool, **arguments)
            assert (number, data["code"]) == (-32002, "unknown_collection")
        number, data = await refused(
            client, "manage_collections", action="create", collection_name="known"
        )
        assert (number, data["code"]) == (-32002, "already_there")


async def test_a_refusal_names_some_of_many_collections(core: Core) -> None:
    core.home.prepare()
    for number in range(30):
        create_collection(core.catalogue, f"c{number:02}")
    async with connect(core) as client:
        for tool, arguments in (
            ("query_knowledge_base", {"query": "q", "collections": "d" * 10_000}),
            ("manage_collections", {"action": "info", "collection_name": "d"}),
        ):
            _, data = await refused(client, tool, **arguments)
            assert data["suggestion"].endswith(" c18, c19 and 10 more.")
            assert len(data["details"]) < 500
        await call(client, "manage_projects", action="create", project_name="p", collections="c00")
        strange = {"project_name": "p", "collections": "d" * 10_000}
        _, data = await refused(client, "manage_projects", action="unlink", **strange)
        assert len(data["details"]) < 500


async def test_projects_have_errors_of_their_own(core: Core) -> None:
    async with connect(core) as client:
        await call(client, "manage_projects", action="create", project_name="p")
        for arguments, expected in (
            ({"action": "create", "project_name": "p"}, (-32001, "already_there")),
            ({"action": "info", "project_name": "q"}, (-32001, "unknown_project")),
            ({"action": "create"}, (-32001, "bad_request")),
            ({"action": "link", "project_name": "p"}, (-32001, "bad_request")),
            (
                {"action": "set-defaults", "project_name": "p", "collections": " ,"},
                (-32001, "bad_request"),
            ),
            ({"action": "destroy", "project_name": "p"}, (-32001, "bad_request")),
            (
                {"action": "link", "project_name": "p", "collections": "c"},
                (-32002, "unknown_collection"),
            ),
            (
                {"action": "link", "project_name": "q", "collections": "c"},
                (-32001, "unknown_project"),
            ),
        ):
            number, data = await refused(client, "manage_projects", **arguments)
            assert (number, data["code"]) == expected
        object.__setattr__(core.settings, "project", "gone")
        number, data = await refused(client, "query_knowledge_base", query="q")
        assert (number, data["code"]) == (-32001, "unknown_project")


@pytest.mark.parametrize("action", ["info", "delete", "restore"])
async def test_a_collection_of_another_project_is_neither_told_nor_touched(
    core: Core, action: str
) -> None:
    async with connect(core) as client:
        for project in ("p", "q"):
            made = {"action": "create", "collection_name": f"of {project}"}
            await call(client, "manage_collections", **made, project_name=project)
        if action == "restore":
            await call(client, "manage_collections", action="delete", collection_name="of q")
        before = core.catalogue.state()
        held = {*before.collections}, {*before.deleted}
        of_q = {"action": action, "collection_name": "of q"}
        for name, project, expected in (
            ("of q", "p", (-32002, "unknown_collection")),
            ("of q", "nobody", (-32001, "unknown_project")),
            ("of nobody", "p", (-32002, "unknown_collection")),
        ):
            asked = of_q | {"collection_name": name, "project_name": project}
            number, data = await refused(client, "manage_collections", **asked)
            assert (number, data["code"]) == expected
        after = core.catalogue.state()
        assert ({*after.collections}, {*after.deleted}) == held
        done = await call(client, "manage_collections", **of_q, project_name="q")
        assert done["collection"]["projects"] == ["q"]


@pytest.mark.parametrize("action", ["info", "delete"])
async def test_a_deleted_collection_is_not_said_to_have_never_been(core: Core, action: str) -> None:
    about = {"collection_name": "c"}
    async with connect(core) as client:
        await call(client, "manage_collections", action="create", **about)
        await call(client, "manage_collections", action="delete", **about)
        for tool, arguments in (
            ("manage_collections", about | {"action": action}),
            ("query_knowledge_base", {"query": "q", "collections": "c"}),
            (
                "manage_projects",
                {"action": "create", "project_name": "p", "collections": "c"},
            ),
        ):
            number, data = await refused(client, tool, **arguments)
            assert (number, data["code"]) == (-32002, "unknown_collection")
            assert "is deleted" in data["details"]
            assert "action='restore', collection_name='c'" in data["suggestion"]
            assert "research-agent collections restore 'c'" in data["suggestion"]
        for tool, arguments in (
            ("manage_collections", about | {"action": "create"}),
            ("ingest_documents", {"path": str(SAMPLES), "collection": "c"}),
            ("augment_knowledge", {"content": "Tides.", "source": "s", "collection": "c"}),
        ):
            number, data = await refused(client, tool, **arguments)
            assert (number, data["code"]) == (-32002, "already_there")
            assert data["details"] == "The collection 'c' is deleted."
            assert "action='restore', collection_name='c'" in data["suggestion"]
            assert "research-agent collections restore 'c'" in data["suggestion"]


async def test_a_file_may_be_named_by_its_uri(
    core: Core, engine: InlineEngine, files: Path
) -> None:
    named = files / "the tide of 春.md"
    named.write_text("# Tide\n\nIt rises in spring.\n")
    async with connect(core) as client:
        for uri in (named.as_uri(), f"file://localhost{quote(str(named))}"):
            about = {"path": uri, "collection": "c"}
            reply = await call(client, "ingest_documents", **about)
            assert reply["report"][0]["path"] == str(named)
        for uri in (
            "file:///etc/passwd",
            "file://elsewhere/x",
            f"file://{files}/../../etc",
            "file://[",
        ):
            _, data = await refused(client, "ingest_documents", path=uri, collection="c")
            assert data["code"] == "path_refused"


async def test_a_uri_never_names_another_file_than_it_says(
    core: Core, engine: InlineEngine, files: Path
) -> None:
    for name in ("C", "C#", "what", "what?.md"):
        (files / name).write_text(f"# {name}\n\nThe tide rises in spring.\n")
    async with connect(core) as client:
        for name in ("C#", "what?.md"):
            about = {"path": f"file://{files}/{name}", "collection": "c"}
            reply = await call(client, "ingest_documents", **about)
            assert reply["report"][0]["path"] == str(files / name)
    settings = Settings(home=core.home.root)
    assert allowed_roots(settings, [f"file://{files}/C#"]) == (files / "C#",)


async def test_the_address_of_a_page_is_sent_to_the_tool_for_pages(core: Core) -> None:
    async with connect(core) as client:
        about = {"path": "HTTPS://example.org/tides", "collection": "c"}
        _, data = await refused(client, "ingest_documents", **about)
    assert data["code"] == "path_refused" and "a web page" in data["details"]
    assert "rag_process_website" in data["suggestion"]
    with pytest.raises(PathRefused, match="web page"):
        core.start_ingest("http://example.org", "c", recursive=False)


BAD_NAMES = {
    "empty": "",
    "blank": "  ",
    "traversal": "../../etc",
    "separator": "a/b",
    "control": "a\x07b",
    "newline": "a\nb",
    "right to left": "abc\u202efdp",
    "zero width": "a\u200bb",
    "long": "x" * 10_000,
    "comma": "a,b",
    "edge": " a",
}


@pytest.mark.parametrize("case", BAD_NAMES)
async def test_a_name_that_cannot_be_typed_again_is_refused(core: Core, case: str) -> None:
    name = BAD_NAMES[case]
    async with connect(core) as client:
        for tool, arguments in (
            ("manage_collections", {"action": "create", "collection_name": name}),
            ("ingest_documents", {"path": str(SAMPLES), "collection": name}),
            ("augment_knowledge", {"content": "c", "source": "s", "collection": name}),
        ):
            number, data = await refused(client, tool, **arguments)
            assert (number, data["code"]) == (-32002, "bad_request")
            assert len(data["details"]) < 500
        if case != "separator":  # A project may be called `group/name`.
            number, _ = await refused(client, "manage_projects", action="create", project_name=name)
            assert number == -32001
    assert not core.catalogue.state().collections


# -- paths ----------------------------------------------------------------------------------------


async def test_paths_that_lead_nowhere_are_refused(core: Core, files: Path) -> None:
    (files / "folder").mkdir()
    (files / "loop").symlink_to(files / "loop")
    os.mkfifo(files / "pipe")
    paths = {
        "missing": files / "nothing.md",
        "no files": files / "folder",
        "loop": files / "loop",
        "pipe": files / "pipe",
    }
    async with connect(core) as client:
        for name, path in paths.items():
            number, data = await refused(client, "ingest_documents", path=str(path), collection="c")
            assert (number, data["code"]) == (-32003, "path_refused"), name
        for text in ("", "\0", "a\nb", "x" * 100_000, "\u202e", str(files / ("y" * 300))):
            number, data = await refused(client, "ingest_documents", path=text, collection="c")
            assert (number, data["code"]) == (-32003, "path_refused"), text[:20]
    assert core.catalogue.state().entries == {}


@pytest.mark.parametrize("blank", ["\u3000", "\u202f", "\u200d"])
@pytest.mark.usefixtures("engine")
async def test_a_path_may_have_any_blank_or_joiner_in_it(
    core: Core, files: Path, blank: str
) -> None:
    (files / f"潮汐{blank}入門.md").write_text("The sea rises twice a day.")
    async with connect(core) as client:
        path = str(files / f"潮汐{blank}入門.md")
        await client.call_tool("ingest_documents", {"path": path, "collection": "c"})
    assert len(core.catalogue.state().entries) == 1


async def test_what_is_outside_the_roots_is_refused_wherever_links_lead(
    core: Core, engine: InlineEngine, files: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "outside" / "secret.md"
    secret.parent.mkdir()
    secret.write_text("# Secret\n\nThe password is swordfish.\n")
    (files / "link.md").symlink_to(secret)
    (files / "folder").symlink_to(secret.parent)
    (files / "own.md").write_text("# Own\n\nNothing to hide.\n")
    async with connect(core) as client:
        for path in (
            secret,
            files / "link.md",
            files / "folder",
            files / "folder" / "secret.md",
            files / ".." / "outside" / "secret.md",
            files.with_name("files-not-really"),
            Path("/etc/passwd"),
        ):
            number, data = await refused(client, "ingest_documents", path=str(path), collection="c")
            assert (number, data["code"]) == (-32003, "path_refused")
            assert "RESEARCH_AGENT_ROOTS" in data["suggestion"]
        # A folder's links are passed over, not followed.
        report = await call(
            client, "ingest_documents", path=str(files), collection="c", recursive=True
        )
        assert [Path(each["path"]).name for each in report["report"]] == ["own.md"]
        found = await call(client, "query_knowledge_base", query="swordfish password")
    assert "swordfish" not in str(found["results"])


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_without_the_setting_the_roots_are_the_clients_own(
    core: Core, engine: InlineEngine, files: Path, tmp_path: Path, era: Any
) -> None:
    object.__setattr__(core.settings, "roots", None)
    (files / "a b.md").write_text("# A\n\nInside.\n")
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.md").write_text("# B\n\nOutside.\n")
    roots = [Root(uri=FileUrl(path.as_uri())) for path in (files, tmp_path / "none")]
    async with connect(core, mode=era, roots=roots) as client:
        report = await call(client, "ingest_documents", path=str(files / "a b.md"), collection="c")
        assert report["added"] == 1
        number, _ = await refused(client, "ingest_documents", path=str(other), collection="c")
        assert number == -32003
    async with connect(core, mode=era, roots=[]) as client:
        number, _ = await refused(
            client, "ingest_documents", path=str(files / "a b.md"), collection="c"
        )
        assert number == -32003


async def test_a_client_that_does_not_name_its_roots_in_time_has_the_usual_ones(
    core: Core, engine: InlineEngine, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import anyio

    async def never(*_: Any) -> list[Any]:
        await anyio.sleep(600)
        return []

    object.__setattr__(core.settings, "roots", None)
    monkeypatch.setattr("contracts.knowledge.tools.ROOTS_WITHIN", 0.05)
    monkeypatch.chdir(files)
    (files / "a.md").write_text("# A\n\nInside.\n")
    async with connect(core, mode="legacy", roots=never) as client:
        report = await call(client, "ingest_documents", path="a.md", collection="c")
    assert report["added"] == 1


def test_the_usual_roots_are_the_working_directory_and_the_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(home=tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert allowed_roots(settings, None) == (tmp_path, tmp_path / "Documents")
    assert allowed_roots(settings, ["https://example.org/", "file://host/x", "file:x"]) == ()
    assert allowed_roots(settings, []) == ()
    monkeypatch.chdir("/")
    assert allowed_roots(settings, None) == (tmp_path / "Documents",)


def test_roots_are_a_list_of_absolute_folders(tmp_path: Path) -> None:
    given = {"RESEARCH_AGENT_ROOTS": f"{tmp_path}{os.pathsep}~/notes"}
    roots = Settings.from_environment(given).roots
    assert roots == (tmp_path, Path("~/notes").expanduser())
    with pytest.raises(BadRequest, match="RESEARCH_AGENT_ROOTS"):
        Settings.from_environment({"RESEARCH_AGENT_ROOTS": "notes"})


# -- files ----------------------------------------------------------------------------------------


def _bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"0" * (300 << 20))


BAD_FILES: dict[str, Callable[[Path], object]] = {
    "zero.md": lambda path: path.write_bytes(b""),
    "blank.md": lambda path: path.write_text(" \n\n\t\n"),
    "binary.md": lambda path: path.write_bytes(bytes(range(256)) * 64),
    "image.txt": lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(2000)),
    "wrong.pdf": lambda path: path.write_text("This is plain text."),
    "corrupt.pdf": lambda path: path.write_bytes(b"%PDF-1.7\n" + os.urandom(3000)),
    "corrupt.docx": lambda path: path.write_bytes(b"PK\x03\x04" + os.urandom(3000)),
    "locked.pdf": lambda path: path.write_bytes(
        make_pdf([[Put(50, 700, "Words.")]], encrypted=True)
    ),
    "bomb.docx": _bomb,
    "archive.zip": lambda path: zipfile.ZipFile(path, "w").close(),
}


@pytest.mark.parametrize("name", BAD_FILES)
async def test_a_file_that_cannot_be_read_is_a_document_error(
    core: Core, engine: InlineEngine, files: Path, name: str
) -> None:
    BAD_FILES[name](files / name)
    (files / "good.md").write_text("# Good\n\nStill here.\n")
    async with connect(core) as client:
        number, data = await refused(
            client, "ingest_documents", path=str(files / name), collection="c"
        )
        assert (number, data["code"]) == (-32003, "not_ingested")
        assert data["details"]
        assert held(core) == 0
        report = await call(client, "ingest_documents", path=str(files), collection="c")
        assert (report["added"], report["empty"] + report["failed"]) == (1, 1)
        found = await call(client, "query_knowledge_base", query="still here")
        assert [each["source_document"] for each in found["results"]] == ["good.md"]
    assert verify_home(core.home.root).faults == []


async def test_two_gigabytes_are_refused_without_being_read(
    core: Core, engine: InlineEngine, files: Path
) -> None:
    with (files / "huge.md").open("wb") as file:
        file.truncate(2 << 30)
    async with connect(core) as client:
        number, data = await refused(
            client, "ingest_documents", path=str(files / "huge.md"), collection="c"
        )
    assert (number, data["code"]) == (-32003, "not_ingested")
    assert sum(path.stat().st_size for path in core.home.root.rglob("*") if path.is_file()) < 1e6


async def test_a_file_that_nobody_may_read_is_a_document_error(
    core: Core, engine: InlineEngine, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (files / "locked.md").write_text("# Locked\n\nWords.\n")

    def denied(path: Path) -> bytes:
        from events.errors import PathRefused

        raise PathRefused(path.name, "Permission denied")

    # Whoever runs the tests may be allowed to read everything.
    monkeypatch.setattr("actors.archive.read_file", denied)
    async with connect(core) as client:
        number, data = await refused(
            client, "ingest_documents", path=str(files / "locked.md"), collection="c"
        )
    assert number == -32003
    assert "Permission denied" in data["details"]


BAD_TEXTS: dict[str, dict[str, Any]] = {
    "no content": {"content": "", "source": "s"},
    "nothing to be seen": {"content": " \u200b\ufeff\n", "source": "s"},
    "no source": {"content": "c", "source": " "},
    "a control character": {"content": "c", "source": "a\x00b"},
    "a reversal": {"content": "c", "source": "s", "title": "a\u202eb"},
    "an invisible blank": {"content": "c", "source": "a\u200bb"},
    "two lines": {"content": "c", "source": "s", "title": "a\u2028b"},
    "a long source": {"content": "c", "source": "x" * 10_000},
    "a long title": {"content": "c", "source": "s", "title": "x" * 10_000},
    "only markup": {"content": "<!-- nothing -->", "source": "s"},
}


@pytest.mark.parametrize("case", BAD_TEXTS)
async def test_a_text_that_cannot_be_added_is_a_document_error(
    core: Core, engine: InlineEngine, case: str
) -> None:
    async with connect(core) as client:
        number, _ = await refused(client, "augment_knowledge", collection="c", **BAD_TEXTS[case])
    assert number == -32003
    assert held(core) == 0


async def test_a_tool_that_breaks_says_so_without_its_insides(
    core: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("a secret path")

    monkeypatch.setattr("contracts.knowledge.shelving.list_collections", broken)
    async with connect(core) as client:
        number, data = await refused(client, "manage_collections", action="list")
        assert (number, data["code"]) == (-32000, "internal")
        assert "secret" not in str(data)
        with pytest.raises(MCPError) as caught:
            await client.call_tool("manage_collections", {"action": "list"})
    assert "secret" not in str(caught.value)
