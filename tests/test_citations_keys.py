"""Contract 05: one key, one work, however often a key comes, and a citation is that of its passage."""

from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from actors.ingesting.references import Reference
from contracts.citations.citekeys import told_apart
from contracts.core import Core
from tests import citation_desk
from tests.citation_desk import PROJECT, call, connect, error, ingest

patient, core, engine = citation_desk.patient, citation_desk.core, citation_desk.engine
files, project = citation_desk.files, citation_desk.project

OYSTERS = ("oysters", "Oyster beds of the Fal", "Oysters lay in nine fathoms.")
HERRING = ("herring", "The price of herring", "A barrel of herring cost two pounds.")


def folder(files: Path, name: str, paper: tuple[str, str, str], key: str = "smith1999") -> Path:
    """A paper with a list of its own that has it under a key."""
    made = files / name
    made.mkdir()
    stem, title, sentence = paper
    (made / f"{stem}.md").write_text(f"# {title}\n\n{sentence}\n")
    entry = f"@article{{{key}, title={{{title}}}, author={{Smith, {stem.title()}}}, year=1999}}"
    (made / f"{name}.bib").write_text(entry)
    return made


async def cited(client: Client[Any], text: str) -> dict[str, Any]:
    found = await call(client, "query_hybrid", project=PROJECT, text=text, top_k=1)
    chunk = found["items"][0]["chunk_id"]
    said = await call(client, "cite", project=PROJECT, chunk_ids=[chunk])
    return said | {"found": found["items"][0]}


@pytest.mark.anyio
async def test_a_key_that_the_project_holds_for_another_work_gets_a_number_and_a_warning(
    core: Core, files: Path, project: str
) -> None:
    first, second = folder(files, "a", OYSTERS), folder(files, "b", HERRING)
    async with connect(core) as client:
        assert (await ingest(client, first))["warnings"] == []
        for _ in range(2):
            said = await ingest(client, second)
            assert said["warnings"] == [
                "Duplicate citekey 'smith1999': a different work is called 'smith1999-2'"
            ]
        assert said["documents"]["unchanged"] == 1
        assert (await ingest(client, first))["documents"]["unchanged"] == 1
        herring, oysters = await cited(client, "barrel herring"), await cited(client, "oysters")
        every = await call(client, "export_references", project=project)
    assert herring["found"]["citekey"] == herring["citations"][0]["citekey"] == "smith1999-2"
    assert "The price of herring" in herring["bibliography"][0]
    assert oysters["citations"][0]["citekey"] == "smith1999"
    assert "Oyster beds" in oysters["bibliography"][0]
    assert every["citekeys"] == ["smith1999", "smith1999-2"]


@pytest.mark.anyio
async def test_works_of_two_lists_in_one_folder_may_share_a_key(
    core: Core, files: Path, project: str
) -> None:
    there = folder(files, "a", OYSTERS)
    for each in folder(files, "b", HERRING).iterdir():
        each.rename(there / each.name)
    async with connect(core) as client:
        said = await ingest(client, there)
        herring = await cited(client, "barrel herring")
    assert said["references"] == {"read": 2, "matched": 2}
    assert said["warnings"] == [
        "Duplicate citekey 'smith1999': a different work is called 'smith1999-2'"
    ]
    assert "The price of herring" in herring["bibliography"][0]


@pytest.mark.anyio
async def test_a_file_is_found_by_the_key_that_its_list_has(
    core: Core, files: Path, project: str
) -> None:
    first = folder(files, "a", OYSTERS)
    second = folder(files, "b", ("smith1999", "Notes", "A barrel of herring cost two pounds."))
    (second / "b.bib").write_text("@book{smith1999, title={The price of herring}, year=1999}")
    async with connect(core) as client:
        await ingest(client, first)
        assert (await ingest(client, second))["references"] == {"read": 1, "matched": 1}
        assert (await cited(client, "barrel herring"))["found"]["citekey"] == "smith1999-2"


def reference(key: str, title: str) -> Reference:
    return Reference(citekey=key, item={"id": key, "title": title})


def test_a_work_keeps_the_key_that_it_was_given() -> None:
    one, other = reference("k", "One work"), reference("k", "Another work")
    first = told_apart([one, other])
    assert [each.citekey for each in first] == ["k", "k-2"]
    assert [each.citekey for each in told_apart([other, one], former=first)] == ["k-2", "k"]
    assert told_apart([other], held=first[1:])[0].citekey == "k-2"
    third = reference("k", "A third work")
    assert told_apart([third], held=first[1:])[0].citekey == "k"
    mended = reference("k", "One work, and its title mended")
    assert told_apart([mended], former=[one])[0].citekey == "k"
    assert told_apart([mended], held=[one])[0].citekey == "k-2"


@pytest.mark.anyio
async def test_works_that_came_in_under_one_key_before_it_was_looked_at_are_each_cited_as_themselves(
    core: Core, files: Path, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = folder(files, "a", OYSTERS), folder(files, "b", HERRING)
    async with connect(core) as client:
        with monkeypatch.context() as before:
            before.setattr("contracts.citations.orders._tell_apart", lambda *_: None)
            await ingest(client, first)
            await ingest(client, second)
        herring = await cited(client, "barrel herring")
        every = await call(client, "export_references", project=project)
    # Whoever cites by the key that was found cites what was found.
    assert herring["found"]["citekey"] == herring["citations"][0]["citekey"] == "smith1999-2"
    assert "The price of herring" in herring["bibliography"][0]
    assert every["citekeys"] == ["smith1999", "smith1999-2"]


@pytest.mark.anyio
async def test_a_chunk_that_cannot_be_cited_is_told_apart_from_one_that_there_is_not(
    core: Core, files: Path, project: str
) -> None:
    (files / "loose.md").write_text("# A loose sheet\n\nHerons stand on one leg.\n")
    async with connect(core) as client:
        await ingest(client, files)
        found = await call(client, "query_hybrid", project=project, text="herons leg", top_k=1)
        chunk = found["items"][0]["chunk_id"]
        loose = await error(client, "cite", project=project, chunk_ids=[chunk])
        none = await error(client, "cite", project=project, chunk_ids=["chk-none"])
    assert loose["code"] == none["code"] == "UNKNOWN_REFERENCE"
    assert "is of 'A loose sheet', a document without a reference" in loose["message"]
    assert "references_path" in loose["details"]["suggestion"]
    assert "has no chunk 'chk-none'" in none["message"]
    assert "chunk_id of an item" in none["details"]["suggestion"]
    assert "severn2010" not in f"{loose}{none}"
