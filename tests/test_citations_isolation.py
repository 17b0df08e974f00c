"""No question to one project ever finds what belongs to another, whatever its filters say."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from actors import shelves
from actors.archive import LocalArchive
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from contracts.citations.asking import Projects
from contracts.core import Core
from contracts.settings import Settings
from events.catalogue import Entry
from events.errors import BadRequest
from projections.search import LocalCorpus
from tests.asking_letters import open_asking
from tests.embedders import open_letters

NAMES = ("group/one", "group-one", "two", "empty")
"""The first two would have one collection if their names were all that counted."""

WORDS = ("tide", "turbine", "estuary", "barrage", "heron", "cost")


def write(core: Core, project: str, number: int) -> None:
    collection = shelves.project_collection(core.catalogue, project)
    entries = [
        Entry(
            locator=f"/papers/{project}/{number}-{part}.md",
            content=core.home.blobs.put(
                f"# Paper {part}\n\n## Part I\n\nThe {WORDS[part]} and the tide of {project}.".encode()
            ),
            name="paper.md",
            metadata={"citekey": f"key{part}", "year": str(2000 + part), "owner": project},
            tags=("shared", WORDS[part]),
        )
        for part in range(4)
    ]
    job, _ = core.catalogue.enter_job(collection, entries)
    IngestJob(LocalArchive(core.home), AnyParser(), open_letters, job).run()


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Projects:
    home: Path = tmp_path_factory.mktemp("isolated") / "home"
    core = Core(Settings(home=home, prewarm=False, top_k_limit=50, record_queries=False))
    core.home.prepare()
    for number, name in enumerate(NAMES):
        shelves.create_project(core.catalogue, name)
        if name != "empty":
            write(core, name, number)
    return Projects(core, LocalCorpus(core.home, opening=open_asking))


def test_projects_of_like_names_have_collections_of_their_own(projects: Projects) -> None:
    held = [projects.collections(name) for name in NAMES]
    assert held[0] == ("proj-group-one",)
    assert held[1][0].startswith("proj-group-one-")
    assert len({name for names in held for name in names}) == 3


values = st.sampled_from(
    [
        *NAMES,
        *(
            "proj-group-one",
            "proj-two",
            "shared",
            "tide",
            "key1",
            "key2",
            "Part I",
            "*",
            "",
            "2001",
        ),
    ]
)
documents = st.sampled_from([f"doc-{number:032x}" for number in range(3)])
filters = st.dictionaries(
    st.sampled_from(
        [
            *("tags", "section_prefix", "citekey", "year", "year_from", "doc_ids", "language"),
            *("project", "project_id", "collection", "collections", "must", "should"),
        ]
    ),
    st.one_of(values, st.lists(values | documents, max_size=3), st.integers(1990, 2010), st.none()),
    max_size=4,
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    name=st.sampled_from(NAMES),
    words=st.lists(st.sampled_from([*WORDS, *NAMES]), min_size=1, max_size=4),
    mode=st.sampled_from(["dense", "rrf"]),
    chosen=filters,
    others=st.booleans(),
)
def test_nothing_of_another_project_is_ever_found(
    projects: Projects,
    name: str,
    words: list[str],
    mode: str,
    chosen: dict[str, Any],
    others: bool,
) -> None:
    if others:
        # Even the true identities of other projects' documents open nothing.
        foreign = [
            place[1]
            for place, held in projects.core.catalogue.state().published.items()
            if held.source.metadata["owner"] != name
        ]
        chosen = chosen | {"doc_ids": foreign}
    try:
        found = projects.query(
            name, " ".join(words), mode, filters=chosen, top_k=50, correlation_id="c"
        )
    except BadRequest:
        return
    own = projects.documents(name)
    assert all(place[0] in projects.collections(name) for place in own)
    for each in found["items"]:
        source = own[each["collection"], each["doc_id"]]
        assert source.metadata["owner"] == name
        assert f"/papers/{name}/" in each["source_path"]
    if others or name == "empty":
        assert found["items"] == []


def test_each_project_finds_all_of_its_own(projects: Projects) -> None:
    for name in NAMES[:3]:
        found = projects.query(name, "the tide", "rrf", top_k=50, correlation_id="c")
        assert {
            each["source_path"].split("/papers/")[1].rpartition("/")[0] for each in found["items"]
        } == {name}
        assert len({each["doc_id"] for each in found["items"]}) == 4


def test_a_chunk_of_another_project_cannot_be_cited(projects: Projects) -> None:
    from contracts.citations.bibliography import UnknownReference, cite

    found = projects.query("two", "the tide", "rrf", correlation_id="c")
    chunk = found["items"][0]["chunk_id"]
    assert cite(projects, "two", None, [chunk])["count"] == 1
    with pytest.raises(UnknownReference):
        cite(projects, "group/one", None, [chunk])


def test_what_a_report_cites_of_other_projects_is_not_told(
    projects: Projects, monkeypatch: pytest.MonkeyPatch
) -> None:
    from types import SimpleNamespace

    from contracts.citations.bibliography import export

    published = projects.core.catalogue.state().published.values()
    cited = [{"locator": each.source.locator} for each in published]
    said = SimpleNamespace(ended=True, result={"citations": [*cited, {"locator": "https://x.org"}]})
    monkeypatch.setattr(type(projects.core.views), "status", lambda self, task: said)
    monkeypatch.setattr(type(projects.core.views), "result", lambda self, task: said)
    reply = export(projects, "two", None, None, "00000000-0000-4000-8000-000000000000", "csl-json")
    assert reply["count"] == 4
    assert reply["without_reference"] == ["https://x.org"]
    assert "group/one" not in str(reply)


def test_nor_is_what_other_projects_held_and_removed(
    projects: Projects, monkeypatch: pytest.MonkeyPatch
) -> None:
    from types import SimpleNamespace

    from contracts.citations.bibliography import export

    core = projects.core
    shelves.create_project(core.catalogue, "removed")
    write(core, "removed", 4)
    (collection,) = projects.collections("removed")
    cited = []
    for (_, document), held in projects.documents("removed").items():
        cited.append({"locator": held.locator})
        shelves.remove_document(core.catalogue, collection, document)
    said = SimpleNamespace(ended=True, result={"citations": [*cited, {"locator": "https://x.org"}]})
    monkeypatch.setattr(type(core.views), "status", lambda self, task: said)
    monkeypatch.setattr(type(core.views), "result", lambda self, task: said)
    asked = (None, None, "00000000-0000-4000-8000-000000000000", "csl-json")
    assert export(projects, "two", *asked)["without_reference"] == ["https://x.org"]
    own = export(projects, "removed", *asked)["without_reference"]
    assert own == [*(each["locator"] for each in cited), "https://x.org"]
