"""Contract 05 from a part of a Zotero library: by collection, by tags, and never more than was asked for."""

from pathlib import Path
from typing import Any

import pytest

from contracts.core import Core
from tests import citation_desk, zotero_desk
from tests.citation_desk import call, connect, error
from tests.paper_files import write_papers
from tests.zotero_desk import held, ingest
from tests.zotero_server import ZoteroServer

pytestmark = pytest.mark.anyio

patient, core, engine = citation_desk.patient, citation_desk.core, citation_desk.engine
library, project = zotero_desk.library, zotero_desk.project
files = citation_desk.files


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


@pytest.mark.parametrize(
    ("source", "options", "named"),
    [
        ("zotero?collections=Tides", {}, "'collections'"),
        ("zotero?COLL0001", {}, "'COLL0001'"),
        ("zotero?collection=", {}, "zotero_collection is empty"),
        ("zotero?tag=", {}, "zotero_tags is empty"),
        ("zotero?collection=Tides&tag=%20", {}, "zotero_tags is empty"),
        ("zotero?library=", {}, "zotero_library is empty"),
        ("zotero:collection=Tides", {}, "'zotero:collection=Tides'"),
        ("zotero://select/items/ITEM0001", {}, "not written as"),
        ("https://example.org/paper.pdf", {}, "is an address"),
        ("zotero?collection=Tides&collection=Other", {}, "zotero_collection is given 2 times"),
        ("zotero?collection=Tides", {"zotero_collection": "Other"}, "zotero_collection"),
        ("zotero", {"zotero_collection": ["Tides", "Other"]}, "zotero_collection"),
        ("zotero", {"references_path": "/references.bib"}, "references_path"),
        ("FILES", {"zotero_tags": ["energy"]}, "zotero_tags"),
        ("FILES", {"zotero_collection": "Tides"}, "zotero_collection"),
    ],
)
async def test_what_would_not_narrow_a_source_is_refused_and_nothing_is_read(
    core: Core,
    project: str,
    library: ZoteroServer,
    files: Path,
    source: str,
    options: dict[str, Any],
    named: str,
) -> None:
    write_papers(files)
    place = str(files) if source == "FILES" else source
    arguments = {"project": project, "source": place, "options": options}
    async with connect(core) as client:
        refused = await error(client, "ingest_from_source", **arguments)
    assert refused["code"] == "BAD_REQUEST"
    assert named in refused["message"]
    assert refused["details"]["suggestion"]
    assert library.requests == []
    assert held(core) == set()


@pytest.mark.parametrize("source", ["zotero?tags=energy", "zotero?tag=&zotero_tags=energy"])
async def test_a_source_is_narrowed_under_any_name_of_an_option(
    core: Core, project: str, library: ZoteroServer, source: str
) -> None:
    async with connect(core) as client:
        await ingest(client, f"{source}&library=users/42&collection=Tides")
    published = core.catalogue.state().published.values()
    assert {each.source.metadata["citekey"] for each in published} == {"severn2010"}


async def test_tags_and_collections_that_nothing_has_are_told_with_those_there_are(
    core: Core, project: str, library: ZoteroServer
) -> None:
    async with connect(core) as client:
        for _ in range(2):
            said = await ingest(client, "zotero?tag=Nonsense")
            assert said["warnings"] == [
                "No file in Zotero has the tag 'Nonsense'. Existing tags: energy, tides"
            ]
        library.change("ITEM0001", tags=[{"tag": "energy"}])
        both = await ingest(client, "zotero", zotero_tags=["energy", "tides"])
        assert both["warnings"] == ["No file in Zotero has all of these tags at once"]
        refused = await error(
            *(client, "ingest_from_source"), project=project, source="zotero?collection=Nonsense"
        )
    assert refused["code"] == "ZOTERO_UNAVAILABLE"
    assert "no collection 'Nonsense'. There are: Other, Tides" in refused["message"]
    assert "KEY" not in refused["details"]["suggestion"]


async def test_tags_and_collections_are_found_without_their_capitals(
    core: Core, project: str, library: ZoteroServer
) -> None:
    async with connect(core) as client:
        said = await ingest(client, "zotero?collection=tides", zotero_tags=["Energy"])
        assert said["warnings"] == []
        found = await call(
            *(client, "query_hybrid"),
            project=project,
            text="terawatt hours",
            filters={"tags": ["TIDES", "Energy"]},
        )
    assert {each["citekey"] for each in found["items"]} == {"severn2010"}
