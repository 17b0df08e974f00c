"""A Zotero library as the tests of contract 05 ask it, on a server that speaks its API."""

import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest

from contracts.core import Core
from contracts.knowledge.shelving import manage_projects
from tests.citation_desk import PROJECT, call
from tests.inline_engine import InlineEngine
from tests.paper_files import paper
from tests.zotero_server import KEY, ZoteroServer


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


def held(core: Core) -> set[str]:
    published = core.catalogue.state().published.values()
    return {each.source.locator.rpartition("/")[2] for each in published}
