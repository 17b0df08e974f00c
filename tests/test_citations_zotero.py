"""Contract 05 from a Zotero library, against a server that speaks its API."""

import dataclasses
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from actors.adapters.annotations import parse_annotations
from actors.scan_languages import scan_languages
from contracts.core import Core
from contracts.shelving import manage_projects
from tests import citation_desk
from tests.citation_desk import PROJECT, call, connect, error
from tests.inline_engine import InlineEngine
from tests.paper_files import paper
from tests.zotero_server import KEY, ZoteroServer

pytestmark = pytest.mark.anyio

patient, core, engine = citation_desk.patient, citation_desk.core, citation_desk.engine


@pytest.fixture
def library() -> Iterator[ZoteroServer]:
    with ZoteroServer() as server:
        server.collections = {"COLL0001": "Tides", "COLL0002": "Other"}
        server.add(
            "ITEM0001",
            itemType="report",
            title="Tidal power in the Severn estuary",
            creators=[{"creatorType": "author", "firstName": "Jörg", "lastName": "Müller"}],
            date="October 2010",
            DOI="10.1000/severn.2010",
            extra="Citation Key: severn2010",
            language="en",
            tags=[{"tag": "tides"}, {"tag": "energy"}],
            collections=["COLL0001"],
        )
        server.add(
            "ATTA0001",
            itemType="attachment",
            parentItem="ITEM0001",
            linkMode="imported_file",
            contentType="application/pdf",
            filename="severn.pdf",
            md5="m1",
        )
        server.add(
            "NOTE0001",
            itemType="annotation",
            parentItem="ATTA0001",
            annotationText="Kinetic turbines stand in the stream",
            annotationComment="Remember the herons.",
            annotationPageLabel="ii",
            annotationPosition='{"pageIndex":1,"rects":[]}',
            annotationSortIndex="00001",
        )
        server.add(
            "ITEM0002",
            itemType="book",
            title="Another book about turbines",
            creators=[{"creatorType": "author", "name": "Somebody"}],
            date="2019",
            tags=[{"tag": "tides"}],
            collections=["COLL0002"],
        )
        server.add(
            "ATTA0002",
            itemType="attachment",
            parentItem="ITEM0002",
            linkMode="imported_url",
            contentType="application/pdf",
            filename="other.pdf",
            md5="m2",
        )
        server.add(
            "LINK0001", itemType="attachment", linkMode="linked_url", contentType="text/html"
        )
        server.files = {"ATTA0001": paper(), "ATTA0002": paper("Another book about turbines")}
        yield server


@pytest.fixture
def project(core: Core, engine: InlineEngine, library: ZoteroServer) -> str:
    core.settings = dataclasses.replace(
        core.settings, zotero_library="users/42", zotero_url=library.url, zotero_key=KEY
    )
    manage_projects(core, "create", PROJECT)
    return PROJECT


def fetched(library: ZoteroServer) -> list[str]:
    return [path.partition("?")[0] for path in library.requests if "/file" in path]


async def ingest(client: Any, source: str = "zotero", **options: Any) -> dict[str, Any]:
    arguments = {"project": PROJECT, "source": source, "options": options}
    return await call(client, "ingest_from_source", **arguments)


async def test_a_library_comes_in_page_by_page_with_its_keys_and_annotations(
    core: Core,
    project: str,
    library: ZoteroServer,
) -> None:
    async with connect(core) as client:
        done = await ingest(client)
        assert done["warnings"] == []
        assert done["documents_processed"] == 3
        assert sum("start=" in path for path in library.requests) >= 2
        found = await call(client, "query_hybrid", project=project, text="seventeen terawatt hours")
        first = next(each for each in found["items"] if each["citekey"] == "severn2010")
        assert (first["doi"], first["year"]) == ("10.1000/severn.2010", 2010)
        assert first["links"]["zotero"] == "zotero://open-pdf/library/items/ATTA0001?page=1"
        assert sorted(first["tags"]) == ["energy", "tides"]
        noted = await call(client, "query_hybrid", project=project, text="remember the herons")
        assert noted["items"][0]["section"] == "Page 2"
        cited = await call(client, "cite", project=project, citekeys=["severn2010"])
        assert cited["citations"][0]["citation"] == "(Müller, 2010)"


async def test_an_unchanged_library_costs_one_request(
    core: Core,
    project: str,
    library: ZoteroServer,
) -> None:
    async with connect(core) as client:
        await ingest(client)
        library.requests.clear()
        again = await ingest(client)
    assert (again["chunks_written"], again["job_id"]) == (0, None)
    assert len(library.requests) == 1


async def test_only_what_changed_is_fetched_again(
    core: Core,
    project: str,
    library: ZoteroServer,
) -> None:
    async with connect(core) as client:
        await ingest(client)
        library.requests.clear()
        changed = dict(library.items["ITEM0002"], date="2020")
        library.add("ITEM0002", **{k: v for k, v in changed.items() if k not in {"key", "version"}})
        done = await ingest(client)
        assert fetched(library) == []
        assert done["documents"]["updated"] == 1
        found = await call(
            client, "query", project=project, text="turbines", filters={"year": 2020}
        )
        assert found["count"]
        attachment = dict(library.items["ATTA0002"], md5="m3")
        library.files["ATTA0002"] = paper("Another book about turbines, second edition")
        library.add(
            "ATTA0002", **{k: v for k, v in attachment.items() if k not in {"key", "version"}}
        )
        await ingest(client)
    assert [path.rpartition("items/")[2] for path in fetched(library)] == ["ATTA0002/file"]


@pytest.mark.parametrize(
    ("source", "options", "expected"),
    [
        ("zotero?collection=Tides", {}, {"severn2010"}),
        ("zotero", {"zotero_collection": "COLL0002"}, {"somebody2019another"}),
        ("zotero?tag=energy", {}, {"severn2010"}),
        ("zotero", {"zotero_tags": ["tides", "energy"]}, {"severn2010"}),
    ],
)
async def test_collections_and_tags_narrow_a_library(
    core: Core,
    project: str,
    library: ZoteroServer,
    source: str,
    options: dict[str, Any],
    expected: set[str],
) -> None:
    async with connect(core) as client:
        await ingest(client, source, **options)
    published = core.catalogue.state().published.values()
    assert {each.source.metadata["citekey"] for each in published} == expected


async def test_a_library_that_asks_to_wait_is_waited_for_but_not_without_end(
    core: Core,
    project: str,
    library: ZoteroServer,
) -> None:
    async with connect(core) as client:
        library.refusals = [(429, {"Retry-After": "3600"})]
        refused = await error(client, "ingest_from_source", project=project, source="zotero")
        assert refused["code"] == "ZOTERO_BUSY"
        version = {"Content-Type": "application/json"}
        assert library.refusals == []
        library.refusals = [(200, version | {"Backoff": "0.1"})]
        assert (await ingest(client))["documents_processed"] == 3


@pytest.mark.parametrize(
    ("status", "headers", "sentence"),
    [
        (429, {}, "Zotero asks to come back later, and does not say when."),
        (429, {"Retry-After": "3600"}, "Zotero asks to wait 3600 seconds."),
        (429, {"Retry-After": "Sun, 06 Nov 2044 08:49:37 GMT"}, "Zotero asks to wait "),
        (503, {"Retry-After": "3600"}, "Zotero asks to wait 3600 seconds."),
        (200, {"Content-Type": "application/json", "Backoff": "90"}, "Zotero asks to wait 90 "),
    ],
)
async def test_a_busy_library_is_told_in_its_own_words_whatever_it_says(
    core: Core,
    project: str,
    library: ZoteroServer,
    status: int,
    headers: dict[str, str],
    sentence: str,
) -> None:
    library.refusals = [(status, headers)]
    async with connect(core) as client:
        refused = await error(client, "ingest_from_source", project=project, source="zotero")
        assert refused["code"] == "ZOTERO_BUSY"
        assert refused["message"].startswith(sentence)
        assert "Error" not in refused["message"]
        assert (await ingest(client))["documents_processed"] == 3


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (503, {}),
        (503, {"Retry-After": "0.1"}),
        (429, {"Retry-After": "0.1"}),
        (429, {"Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"}),
        (429, {"Retry-After": "soon"}),
        (200, {"Content-Type": "application/json", "Backoff": "nan"}),
    ],
)
async def test_a_library_that_is_away_for_a_moment_is_asked_once_more(
    core: Core, project: str, library: ZoteroServer, status: int, headers: dict[str, str]
) -> None:
    library.refusals = [(status, headers)]
    async with connect(core) as client:
        assert (await ingest(client))["documents_processed"] == 3
        library.version += 1
        library.refusals = [(503, {})] * 2
        refused = await error(client, "ingest_from_source", project=project, source="zotero")
    assert (refused["code"], refused["message"]) == (
        "ZOTERO_UNAVAILABLE",
        "Zotero could not be read: it answered 503.",
    )


async def test_a_wait_that_is_longer_than_the_call_is_told_at_once_while_nothing_is_listed(
    core: Core, project: str, library: ZoteroServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contracts.citations_ingest.PREPARED_WITHIN", 5.0)
    library.refusals = [(200, {"Content-Type": "application/json", "Backoff": "20"})]
    began = time.monotonic()
    async with connect(core) as client:
        refused = await error(client, "ingest_from_source", project=project, source="zotero")
    assert (refused["code"], refused["message"]) == (
        "ZOTERO_BUSY",
        "Zotero asks to wait 20 seconds.",
    )
    assert time.monotonic() - began < 4


async def test_a_listing_that_takes_longer_than_the_call_goes_on(
    core: Core, project: str, library: ZoteroServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contracts.citations_ingest.PREPARED_WITHIN", 1.0)
    pages = 0
    send = library._send_page

    def slowly(handler: Any, path: str, query: dict[str, str], found: list[Any]) -> None:
        nonlocal pages
        pages += 1
        if pages == 2:
            # Longer than the call, and what was listed before is not given up.
            library._send(handler, 429, b"no", {"Retry-After": "2"})
        else:
            send(handler, path, query, found)

    library._send_page = slowly  # type: ignore[method-assign]
    async with connect(core) as client:
        told = await ingest(client)
        assert (told["continues"], told["job_id"]) == (True, None)
        assert "being prepared" in told["message"]
        with anyio.fail_after(60):
            while (told := await ingest(client))["job_id"] is None:
                assert told["continues"]
        assert told["documents"]["files"] == 3
        list(core.follow_job(told["job_id"], 60))
    assert held(core) == {"ATTA0001", "ATTA0001#annotations", "ATTA0002"}
    assert sum("format=versions" in path for path in library.requests) == 1


@pytest.mark.parametrize("wait", ["3600", "2"])
async def test_a_library_that_is_busy_with_its_files_is_told_or_waited_for(
    core: Core, project: str, library: ZoteroServer, monkeypatch: pytest.MonkeyPatch, wait: str
) -> None:
    monkeypatch.setattr("contracts.citations_zotero.FETCH_FOR", 1.0)
    answer = library._answer
    turned_away: list[str] = []

    def busy(handler: Any, path: str, query: dict[str, str]) -> None:
        if path.endswith("ATTA0001/file") and (wait == "3600" or not turned_away):
            turned_away.append(path)
            library._send(handler, 429, b"no", {"Retry-After": wait})
        else:
            answer(handler, path, query)

    library._answer = busy  # type: ignore[method-assign]
    async with connect(core) as client:
        done = await ingest(client)
        if wait == "3600":
            assert done["warnings"][0] == (
                "Document 'severn.pdf' was not fetched: Zotero asks to wait 3600 seconds."
            )
            # It was asked to be left alone.
            assert len(fetched(library)) == 1
            return
        assert (done["continues"], done["warnings"], done["status"]) == (True, [], "running")
        assert "being fetched" in done["message"]
        with anyio.fail_after(60):
            while len(held(core)) < 3:
                await anyio.sleep(0.05)


async def test_a_library_that_cannot_be_read_is_a_refusal(
    core: Core,
    project: str,
    library: ZoteroServer,
) -> None:
    good = core.settings
    for settings in (
        dataclasses.replace(good, zotero_key="wrong"),
        dataclasses.replace(good, zotero_url="http://127.0.0.1:9"),
        dataclasses.replace(good, zotero_library="users/../etc"),
    ):
        core.settings = settings
        async with connect(core) as client:
            refused = await error(client, "ingest_from_source", project=project, source="zotero")
        assert refused["code"] == "ZOTERO_UNAVAILABLE"
        assert "Error" not in refused["message"]
    core.settings = good
    async with connect(core) as client:
        refused = await error(
            client, "ingest_from_source", project=project, source="zotero?collection=None"
        )
        assert "Other, Tides" in refused["message"]


async def test_a_file_that_is_missing_costs_only_itself(
    core: Core,
    project: str,
    library: ZoteroServer,
    tmp_path: Path,
) -> None:
    del library.files["ATTA0002"]
    async with connect(core) as client:
        done = await ingest(client)
        assert "'other.pdf' was not fetched" in done["warnings"][0]
        library.files["ATTA0002"] = paper("Another book about turbines")
        assert (await ingest(client))["documents_processed"] == 1


def held(core: Core) -> set[str]:
    published = core.catalogue.state().published.values()
    return {each.source.locator.rpartition("/")[2] for each in published}


async def test_what_is_deleted_in_the_library_leaves_the_project(
    core: Core,
    project: str,
    library: ZoteroServer,
) -> None:
    async with connect(core) as client:
        await ingest(client)
        assert held(core) == {"ATTA0001", "ATTA0001#annotations", "ATTA0002"}
        library.requests.clear()
        library.delete("ITEM0002")
        library.delete("ATTA0002")
        done = await ingest(client)
        assert (done["documents_removed"], done["chunks_written"]) == (1, 0)
        assert any("/deleted?" in path and "since=" in path for path in library.requests)
        assert held(core) == {"ATTA0001", "ATTA0001#annotations"}
        found = await call(client, "query_hybrid", project=project, text="another turbines book")
        assert {each["citekey"] for each in found["items"]} == {"severn2010"}
        library.delete("NOTE0001")
        assert (await ingest(client))["documents_removed"] == 1
        assert held(core) == {"ATTA0001"}
    removed = [each for each in core.home.read("catalogue")[0] if each.kind == "source_removed"]
    assert {each.cause for each in removed} >= {done["correlation_id"]}


async def test_what_is_put_into_the_bin_leaves_the_project_and_can_come_back(
    core: Core,
    project: str,
    library: ZoteroServer,
) -> None:
    async with connect(core) as client:
        await ingest(client)
        library.change("ITEM0001", deleted=1)
        assert (await ingest(client))["documents_removed"] == 2
        assert held(core) == {"ATTA0002"}
        library.change("ITEM0001", deleted=0)
        assert (await ingest(client))["documents"]["added"] == 2
    assert held(core) == {"ATTA0001", "ATTA0001#annotations", "ATTA0002"}


async def test_what_other_filters_brought_in_stays(
    core: Core,
    project: str,
    library: ZoteroServer,
) -> None:
    async with connect(core) as client:
        await ingest(client, "zotero?collection=Tides")
        done = await ingest(client, "zotero?collection=Other")
        assert done["documents_removed"] == 0
        assert held(core) == {"ATTA0001", "ATTA0001#annotations", "ATTA0002"}
        library.change("ITEM0001", collections=[])
        assert (await ingest(client, "zotero?collection=Tides"))["documents_removed"] == 0
        library.delete("ATTA0002")
        assert (await ingest(client, "zotero?collection=Tides"))["documents_removed"] == 1
    assert held(core) == {"ATTA0001", "ATTA0001#annotations"}


async def test_the_library_of_the_program_on_this_machine_is_read_without_a_key(
    core: Core,
    project: str,
    library: ZoteroServer,
    tmp_path: Path,
) -> None:
    library.local = tmp_path / "storage"
    library.local.mkdir()
    for key, raw in library.files.items():
        (library.local / f"{key}.pdf").write_bytes(raw)
    core.settings = dataclasses.replace(
        core.settings, zotero_library="local", zotero_url=library.url, zotero_key=None
    )
    async with connect(core) as client:
        done = await ingest(client)
        assert (done["warnings"], done["documents_processed"]) == ([], 3)
        library.requests.clear()
        assert (await ingest(client))["job_id"] is None
        assert fetched(library) == []
        # Edited here and not synchronised yet: the version stays, the date does not.
        library.items["ITEM0002"] |= {"date": "2021", "dateModified": "2026-01-02T03:04:05Z"}
        assert (await ingest(client))["documents"]["updated"] == 1
        library.delete("ATTA0002")
        assert (await ingest(client))["documents_removed"] == 1
        found = await call(client, "query", project=project, text="kinetic turbines")
    assert found["items"][0]["links"]["zotero"].startswith("zotero://open-pdf/library/items/ATTA")


async def test_a_library_on_the_web_cannot_name_files_of_this_machine(
    core: Core,
    project: str,
    library: ZoteroServer,
    tmp_path: Path,
) -> None:
    secret = tmp_path / "secret.pdf"
    secret.write_bytes(paper("Secret"))
    real = library._answer

    def lures(handler: Any, path: str, query: dict[str, str]) -> None:
        if path.endswith("/file"):
            library._send(handler, 302, b"", {"Location": secret.as_uri()})
        else:
            real(handler, path, query)

    library._answer = lures  # type: ignore[method-assign]
    async with connect(core) as client:
        done = await ingest(client)
    assert done["documents_processed"] == 0
    assert "was not fetched" in done["warnings"][0]
    assert held(core) == set()


async def test_the_language_of_an_item_is_that_of_its_scans(
    core: Core,
    project: str,
    library: ZoteroServer,
) -> None:
    library.change("ITEM0001", language="Japanese")
    async with connect(core) as client:
        await ingest(client, ocr_languages=["de"])
    said = {
        each.source.locator.rpartition("/")[2]: scan_languages(each.source.metadata)
        for each in core.catalogue.state().published.values()
    }
    assert (said["ATTA0001"], said["ATTA0002"]) == (("Japanese",), ("de",))


async def test_an_annotation_opens_at_its_page(
    core: Core,
    project: str,
    library: ZoteroServer,
) -> None:
    async with connect(core) as client:
        await ingest(client)
        noted = await call(client, "query_hybrid", project=project, text="remember the herons")
        first = noted["items"][0]
        assert first["page_span"] == [2, 2]
        assert first["links"]["zotero"] == "zotero://open-pdf/library/items/ATTA0001?page=2"
        cited = await call(client, "cite", project=project, chunk_ids=[first["chunk_id"]])
    assert cited["citations"][0]["citation"] == "(Müller, 2010, p. 2)"


async def test_an_annotation_is_found_by_the_page_it_stands_on(
    core: Core,
    project: str,
    library: ZoteroServer,
) -> None:
    async with connect(core) as client:
        await ingest(client)
        asked = {"project": project, "text": "remember the herons"}
        there = await call(client, "query_hybrid", **asked, filters={"page": 2})
        assert "Remember the herons." in " ".join(each["render_text"] for each in there["items"])
        elsewhere = await call(client, "query_hybrid", **asked, filters={"page": [3, 9]})
        assert "herons" not in " ".join(each["render_text"] for each in elsewhere["items"])


def test_notes_belong_to_the_page_of_their_heading_and_to_none_without_one() -> None:
    notes = b"# Annotations of a\n\n## Page 7\n\n> Tides\n\nHerons\n\n## Without a page\n\nMills"
    parsed = parse_annotations("a.pdf.annotations", notes)
    pages = {parsed.text[each.start : each.end]: each.page for each in parsed.blocks}
    assert pages["Herons"] == 7
    assert pages["Mills"] is None


async def test_a_file_that_is_only_linked_is_told_and_the_library_still_counts_as_read(
    core: Core,
    project: str,
    library: ZoteroServer,
) -> None:
    library.add(
        "ATTA0003",
        itemType="attachment",
        parentItem="ITEM0002",
        linkMode="linked_file",
        contentType="application/pdf",
        filename="elsewhere.pdf",
    )
    async with connect(core) as client:
        done = await ingest(client)
        assert "'elsewhere.pdf' is only linked" in " ".join(done["warnings"])
        assert done["documents_processed"] == 3
        library.requests.clear()
        await ingest(client)
    assert len(library.requests) == 1


async def test_what_came_from_the_library_of_somebody_else_is_not_missed_in_this_one(
    core: Core,
    project: str,
    library: ZoteroServer,
    tmp_path: Path,
) -> None:
    async with connect(core) as client:
        await ingest(client)
        with ZoteroServer(local=tmp_path) as own:
            core.settings = dataclasses.replace(
                core.settings, zotero_library="local", zotero_url=own.url
            )
            done = await ingest(client)
    assert done["documents_removed"] == 0
    assert held(core) == {"ATTA0001", "ATTA0001#annotations", "ATTA0002"}


async def test_a_library_that_answers_nonsense_is_a_refusal(
    core: Core,
    project: str,
    library: ZoteroServer,
) -> None:
    library.change("ATTA0001", version="many")
    async with connect(core) as client:
        refused = await error(client, "ingest_from_source", project=project, source="zotero")
    assert refused["code"] == "ZOTERO_UNAVAILABLE"
    assert refused["message"] == "Zotero could not be read: its answer cannot be understood."
