"""Contract 05 from a Zotero library that is busy, away, or answers what nobody understands."""

import dataclasses
import time
from pathlib import Path
from typing import Any

import anyio
import pytest

from contracts.core import Core
from tests import citation_desk, zotero_desk
from tests.citation_desk import connect, error
from tests.inline_engine import InlineEngine
from tests.paper_files import paper
from tests.zotero_desk import fetched, held, ingest
from tests.zotero_server import ZoteroServer

pytestmark = pytest.mark.anyio

patient, core, engine = citation_desk.patient, citation_desk.core, citation_desk.engine
library, project, files = zotero_desk.library, zotero_desk.project, citation_desk.files


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


async def test_a_library_whose_files_were_refused_is_not_taken_for_read(
    core: Core, project: str, library: ZoteroServer, files: Path
) -> None:
    (files / "a.md").write_text("# Tides\n\nThe Moon pulls.\n")
    async with connect(core) as client:
        await ingest(client, str(files))
        embedder = core.settings.embedder
        core.settings = dataclasses.replace(core.settings, embedder="other")
        refused = await error(client, "ingest_from_source", project=project, source="zotero")
        assert refused["code"] == "EMBEDDING_MISMATCH"
        core.settings = dataclasses.replace(core.settings, embedder=embedder)
        assert (await ingest(client))["documents_processed"] == 3


async def test_what_cannot_be_remembered_of_a_library_only_costs_another_look(
    core: Core, project: str, library: ZoteroServer
) -> None:
    (core.home.views / "zotero.json").mkdir(parents=True)
    async with connect(core) as client:
        assert (await ingest(client))["documents_processed"] == 3
        assert (await ingest(client))["job_id"] is None


@pytest.mark.parametrize("in_time", [True, False])
async def test_a_library_whose_job_was_cancelled_is_not_taken_for_read(
    core: Core,
    project: str,
    engine: InlineEngine,
    library: ZoteroServer,
    monkeypatch: pytest.MonkeyPatch,
    in_time: bool,
) -> None:
    monkeypatch.setattr("contracts.citations.ingest.PATIENCE", 0.2)
    if not in_time:
        monkeypatch.setattr("contracts.citations.zotero.FETCH_FOR", 0.0)
    engine.paused.set()
    async with connect(core) as client:
        await ingest(client)
        while not (core.home.views / "zotero.json").exists():
            await anyio.sleep(0.02)
        jobs = core.catalogue.state().unfinished()
        library.requests.clear()
        await ingest(client)
        assert len(library.requests) == 1, "what is under way is on its way"
        for job in jobs:
            core.cancel(job)
            list(core.follow_job(job, 60))
        engine.paused.clear()
        monkeypatch.setattr("contracts.citations.ingest.PATIENCE", 60.0)
        monkeypatch.setattr("contracts.citations.zotero.FETCH_FOR", 8.0)
        assert (await ingest(client))["documents_processed"] == 3


async def test_a_library_whose_job_was_asked_to_stop_is_looked_at_again(
    core: Core,
    project: str,
    engine: InlineEngine,
    library: ZoteroServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("contracts.citations.ingest.PATIENCE", 0.2)
    engine.paused.set()
    async with connect(core) as client:
        await ingest(client)
        while not (core.home.views / "zotero.json").exists():
            await anyio.sleep(0.02)
        for job in core.catalogue.state().unfinished():
            core.catalogue.request_cancel(job, save_partial=False)
        library.requests.clear()
        await ingest(client)
        assert len(library.requests) > 1


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
    monkeypatch.setattr("contracts.citations.ingest.PREPARED_WITHIN", 5.0)
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
    monkeypatch.setattr("contracts.citations.ingest.PREPARED_WITHIN", 1.0)
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
    monkeypatch.setattr("contracts.citations.zotero.FETCH_FOR", 1.0)
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
