"""Many files and many hands: every good file is found, every bad one explained, nothing is seen by half."""

import threading
from collections import Counter
from pathlib import Path
from typing import Any

import anyio
import pytest

from contracts.core import Core
from contracts.knowledge.querying import Librarian
from tests.inline_engine import InlineEngine
from tests.knowledge_base import call, connect, core, engine, files

pytestmark = pytest.mark.anyio
__all__ = ["core", "engine", "files"]

BROKEN = {
    ".pdf": b"%PDF-1.4\nnothing more",
    ".docx": b"PK\x03\x04 broken",
    ".png": b"\x89PNG\r\n\x1a\n" + bytes(200),
    ".md": b"",
    ".xlsx": b"not a workbook",
}
GOOD = {
    ".md": "# Buoy {0}\n\nThe buoy named marker{0} lies in bay {0}.\n",
    ".txt": "The buoy named marker{0} lies in bay {0}.\n",
    ".html": "<html><body><h1>Buoy {0}</h1><p>The buoy named marker{0} lies there.</p></body></html>",
    ".csv": "buoy,bay\nmarker{0},{0}\n",
    ".py": '"""Buoy marker{0}."""\n\n\ndef lies() -> int:\n    return {0}\n',
    ".json": '{{"buoy": "marker{0}", "bay": {0}}}',
}


def fill(folder: Path, count: int) -> tuple[set[str], set[str]]:
    """Files of every kind, every twentieth of them broken; the names of good and bad ones."""
    good, bad = set(), set()
    endings, broken = list(GOOD), list(BROKEN)
    for number in range(count):
        inner = folder / f"part{number % 7}"
        inner.mkdir(exist_ok=True)
        if number % 20 == 7:
            ending = broken[number // 20 % len(broken)]
            path = inner / f"broken{number}{ending}"
            path.write_bytes(BROKEN[ending])
            bad.add(path.name)
        else:
            ending = endings[number % len(endings)]
            path = inner / f"good{number}{ending}"
            path.write_text(GOOD[ending].format(number))
            good.add(path.name)
    return good, bad


async def ingest_folder(core: Core, folder: Path, count: int) -> None:
    good, bad = fill(folder, count)
    async with connect(core) as client:
        report = await call(
            client, "ingest_documents", path=str(folder), collection="bays", recursive=True
        )
        last = list(core.follow_job(report["job_id"], 600))[-1]
        assert (last.phase, last.files, last.added) == ("completed", count, len(good))
        assert last.empty + last.failed == len(bad)
        report = await call(
            client, "ingest_documents", path=str(folder), collection="bays", recursive=True
        )
        list(core.follow_job(report["job_id"], 600))
        from contracts.job_reports import job_report

        report = job_report(core, report["job_id"])
        assert report["unchanged"] == len(good)
        told = {Path(each["path"]).name: each for each in report["report"]}
        assert bad <= set(told), "what came to nothing is always in the report"
        for name in bad:
            assert told[name]["outcome"] in {"failed", "empty"}
            assert told[name]["outcome"] == "empty" or told[name]["reason"]
        for name in sorted(good)[:: max(1, len(good) // 40)]:
            number = "".join(filter(str.isdigit, name.partition(".")[0]))
            found = await call(client, "query_knowledge_base", query=f"marker{number}", top_k=3)
            assert found["results"][0]["source_document"] == name
        about = await call(client, "manage_collections", action="info", collection_name="bays")
        assert about["collection"]["documents"] == len(good)


async def test_a_mixed_folder_comes_in_but_for_what_is_broken(
    core: Core, engine: InlineEngine, files: Path
) -> None:
    await ingest_folder(core, files, 300)


@pytest.mark.full
@pytest.mark.timeout(900)
async def test_a_large_mixed_folder_comes_in_but_for_what_is_broken(
    core: Core, engine: InlineEngine, files: Path
) -> None:
    await ingest_folder(core, files, 2000)


SECTIONS = 12


def version(number: int) -> str:
    """A document whose every chunk says which version it is of."""
    parts = [
        f"## Section {n}\n\nThe ledger says edition{number} of the tale. " + f"word{n} " * 60
        for n in range(SECTIONS)
    ]
    return "# Ledger\n\n" + "\n\n".join(parts) + "\n"


async def test_a_query_never_sees_half_a_document(
    core: Core, engine: InlineEngine, files: Path
) -> None:
    path = files / "ledger.md"
    path.write_text(version(0))
    librarian = Librarian(core)
    over = threading.Event()
    seen: list[Counter[str]] = []
    failures: list[BaseException] = []

    def ask() -> None:
        try:
            while not over.is_set():
                reply = librarian.answer("ledger tale edition", top_k=100)
                seen.append(Counter(each["place"]["version"] for each in reply["results"]))
        except BaseException as failure:  # noqa: BLE001 - judged below
            failures.append(failure)

    askers = [threading.Thread(target=ask) for _ in range(3)]
    async with connect(core) as client:
        await call(client, "ingest_documents", path=str(path), collection="c")
        chunks = len((await ask_once(client))["results"])
        for asker in askers:
            asker.start()
        for number in range(1, 6):
            path.write_text(version(number))
            report = await call(client, "ingest_documents", path=str(path), collection="c")
            assert report["updated"] == 1
            # What was acknowledged is what the next question sees.
            found = await ask_once(client)
            assert all(f"edition{number} " in each["content"] for each in found["results"])
        over.set()
        for asker in askers:
            await anyio.to_thread.run_sync(asker.join)
    assert failures == []
    assert seen
    assert all(len(versions) == 1 for versions in seen), "two versions in one answer"
    assert {each.total() for each in seen} == {chunks}, "a part of a version in an answer"


async def ask_once(client: Any) -> dict[str, Any]:
    return await call(client, "query_knowledge_base", query="ledger tale edition", top_k=100)


async def test_many_calls_at_once_are_all_answered(
    core: Core, engine: InlineEngine, files: Path
) -> None:
    (files / "a.md").write_text("# A\n\nHerons nest in reeds.\n")
    async with connect(core) as client:
        await call(client, "ingest_documents", path=str(files), collection="c")
        answers: list[int] = []

        async def ask() -> None:
            reply = await call(client, "query_knowledge_base", query="herons")
            answers.append(len(reply["results"]))

        async def make(number: int) -> None:
            await call(
                client, "manage_collections", action="create", collection_name=f"new{number}"
            )

        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(ask)
                group.start_soon(make, number)
        assert answers == [1] * 20
        listed = await call(client, "manage_collections", action="list")
    assert listed["total"] == 21
