"""Contract 05 from a Zotero library, against a server that speaks its API: what the library holds."""

import dataclasses
import io
from pathlib import Path
from typing import Any

import pytest

from actors.adapters import scans
from actors.adapters.annotations import parse_annotations
from actors.adapters.page_lines import Seen
from actors.adapters.scans import Reading
from actors.ingesting.readers import VERSIONS
from actors.ingesting.scan_languages import scan_languages
from contracts.core import Core
from tests import citation_desk, zotero_desk
from tests.citation_desk import call, connect
from tests.paper_files import paper
from tests.pdf_files import column, make_pdf
from tests.zotero_desk import fetched, held, ingest
from tests.zotero_server import ZoteroServer

pytestmark = pytest.mark.anyio

patient, core, engine = citation_desk.patient, citation_desk.core, citation_desk.engine
library, project = zotero_desk.library, zotero_desk.project


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


async def test_two_items_of_a_zotero_library_may_share_a_key(
    core: Core, project: str, library: ZoteroServer
) -> None:
    library.change("ITEM0002", extra="Citation Key: severn2010")
    async with connect(core) as client:
        said = await ingest(client)
        again = await ingest(client, force_rebuild=True)
    documents = core.catalogue.state().published
    keys = {
        each.metadata["zotero_item"]: (each.metadata["citekey"], each.title)
        for each in (held.source for held in documents.values())
        if each.metadata.get("kind") is None
    }
    assert keys == {
        "ITEM0001": ("severn2010", "Tidal power in the Severn estuary"),
        "ITEM0002": ("severn2010-2", "Another book about turbines"),
    }
    assert said["warnings"] == again["warnings"]
    assert said["warnings"] == [
        "Duplicate citekey 'severn2010': a different work is called 'severn2010-2'"
    ]


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


async def test_what_newer_readers_read_is_not_fetched_for_that(
    core: Core, project: str, library: ZoteroServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with connect(core) as client:
        await ingest(client)
        monkeypatch.setitem(VERSIONS, "annotations", VERSIONS["annotations"] + 1)
        library.requests.clear()
        anew = await ingest(client)
        assert (fetched(library), anew["job_id"] is None) == ([], False)
        assert core.catalogue.state().outdated() == []
        library.requests.clear()
        again = await ingest(client)
    assert (again["job_id"], len(library.requests)) == (None, 1)


async def test_a_file_whose_bytes_are_gone_is_fetched_again_to_be_read_anew(
    core: Core, project: str, library: ZoteroServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with connect(core) as client:
        await ingest(client)
        monkeypatch.setitem(VERSIONS, "pdf", VERSIONS["pdf"] + 1)
        _erase(core, "ATTA0001")
        library.requests.clear()
        anew = await ingest(client)
    assert [path.rpartition("/items/")[2] for path in fetched(library)] == ["ATTA0001/file"]
    assert (anew["warnings"], core.catalogue.state().outdated()) == ([], [])


async def test_what_cannot_be_read_anew_is_tried_once_by_each_reader(
    core: Core, project: str, library: ZoteroServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with connect(core) as client:
        await ingest(client)
        monkeypatch.setitem(VERSIONS, "pdf", VERSIONS["pdf"] + 1)
        _erase(core, "ATTA0001")
        library.files["ATTA0001"] = b"no paper"
        tried = await ingest(client)
        assert any("was not ingested" in each for each in tried["warnings"])
        library.requests.clear()
        again = await ingest(client)
        assert (again["job_id"], len(library.requests)) == (None, 1)
        assert core.catalogue.state().outdated()
        monkeypatch.setitem(VERSIONS, "pdf", VERSIONS["pdf"] + 2)
        assert (await ingest(client))["job_id"]


async def test_a_library_is_not_looked_at_for_what_came_from_another_one(
    core: Core, project: str, library: ZoteroServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with connect(core) as client:
        await ingest(client)
        mine = next(iter(core.catalogue.state().published.values())).source
        said = mine.metadata | {"zotero_source": "users/43"}
        theirs = {"document": "doc-theirs", "metadata": said, "reader": None}
        core.catalogue.decide(lambda _: [mine.model_copy(update=theirs)])
        monkeypatch.setitem(VERSIONS, "code", VERSIONS["code"] + 1)
        assert core.catalogue.state().outdated()
        library.requests.clear()
        again = await ingest(client)
    assert (again["job_id"], len(library.requests)) == (None, 1)


def _erase(core: Core, attachment: str) -> None:
    for each in core.catalogue.state().published.values():
        if each.source.locator.endswith(attachment):
            core.home.blobs.path(each.source.original.hash).unlink()


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
    _make_local(core, library, tmp_path)
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


async def test_what_cannot_be_read_anew_of_the_programs_own_library_is_not_tried_each_time_either(
    core: Core,
    project: str,
    library: ZoteroServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = _make_local(core, library, tmp_path)
    async with connect(core) as client:
        await ingest(client)
        monkeypatch.setitem(VERSIONS, "pdf", VERSIONS["pdf"] + 1)
        _erase(core, "ATTA0001")
        (folder / "ATTA0001.pdf").write_bytes(b"no paper")
        assert (await ingest(client))["job_id"]
        assert core.catalogue.state().outdated()
        assert (await ingest(client))["job_id"] is None


def _make_local(core: Core, library: ZoteroServer, tmp_path: Path) -> Path:
    library.local = tmp_path / "storage"
    library.local.mkdir()
    for key, raw in library.files.items():
        (library.local / f"{key}.pdf").write_bytes(raw)
    core.settings = dataclasses.replace(
        core.settings, zotero_library="local", zotero_url=library.url, zotero_key=None
    )
    return library.local


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


async def test_an_image_of_a_page_is_read_like_one_in_a_folder(
    core: Core, project: str, library: ZoteroServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from PIL import Image

    seen = [Seen("The harbour was photographed at low tide.", 100, 100, 700, 130)]
    monkeypatch.setattr(scans, "engines_for", lambda languages: ("rapidocr",))
    monkeypatch.setattr(scans, "read_page", lambda *_: Reading(seen, "rapidocr"))
    library.add(
        "ATTA0003",
        itemType="attachment",
        parentItem="ITEM0002",
        linkMode="imported_file",
        contentType="image/png",
        filename="photo.png",
    )
    picture = io.BytesIO()
    Image.new("RGB", (800, 1000), "white").save(picture, "PNG")
    library.files["ATTA0003"] = picture.getvalue()
    async with connect(core) as client:
        done = await ingest(client)
        asked = {"project": project, "text": "photographed harbour"}
        found = await call(client, "query_hybrid", **asked)
    assert (done["documents_processed"], done["warnings"]) == (4, [])
    assert found["items"][0]["source_path"].endswith("/ATTA0003")


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


async def test_an_annotation_is_cited_by_the_page_in_print_of_its_file(
    core: Core,
    project: str,
    library: ZoteroServer,
) -> None:
    sheets = [[*column(72, 600, [f"The words of sheet {number}."])] for number in range(1, 4)]
    library.files["ATTA0001"] = make_pdf(sheets, labels="0 << /S /D /St 120 >>")
    async with connect(core) as client:
        await ingest(client)
        noted = await call(client, "query_hybrid", project=project, text="remember the herons")
        first = noted["items"][0]
        cited = await call(client, "cite", project=project, chunk_ids=[first["chunk_id"]])
    assert (first["page_span"], first["page_labels"]) == ([2, 2], ["121", "121"])
    assert first["links"]["zotero"].endswith("?page=2")
    assert cited["citations"][0]["citation"] == "(Müller, 2010, p. 121)"


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
