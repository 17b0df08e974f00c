"""Contract 05: passages are found as they can be cited: by section, page and filter."""

import dataclasses
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from actors.ingesting import chunking
from actors.shelves import create_collection
from contracts.citations.cited_passages import trimmed_text
from contracts.core import Core
from contracts.knowledge.shelving import manage_projects
from events.catalogue import Entry
from tests import citation_desk
from tests.citation_desk import PROJECT, call, connect, error, ingest
from tests.paper_files import PAGES

pytestmark = pytest.mark.anyio

patient, core, engine = citation_desk.patient, citation_desk.core, citation_desk.engine
files, project = citation_desk.files, citation_desk.project


@pytest.mark.parametrize("tool", ["query", "query_hybrid"])
async def test_a_query_answers_with_the_contracts_fields(
    core: Core, files: Path, project: str, tool: str
) -> None:
    async with connect(core) as client:
        await ingest(client, files)
        found = await call(client, tool, project=project, text="kinetic turbines need no dam")
    if tool == "query":
        assert found["model"] == "letters"
    else:
        assert found["hybrid_enabled"] is True
        assert found["fusion"] == "RRF"
        assert {"dense_model", "sparse_model"} <= set(found)
    assert found["count"] == len(found["items"]) >= 1
    assert found["correlation_id"]
    assert found["vectors_compared"]
    first = found["items"][0]
    assert first["citekey"] == "severn2010"
    assert first["doi"] == "10.1000/severn.2010"
    assert first["section"] == "Part II: Streams"
    assert first["page_span"] == [2, 2]
    assert isinstance(first["section_path"], list)
    assert first["full_text"] is None
    assert first["links"]["file"].endswith("severn.pdf#page=2")
    assert first["authors"] == ["Müller, Jörg", "Department of Energy"]
    assert first["year"] == 2010
    scores = [each["score"] for each in found["items"]]
    assert scores == sorted(scores, reverse=True)
    assert all(each["score_scale"] for each in found["items"])


async def test_a_section_has_its_path(core: Core, files: Path, project: str) -> None:
    async with connect(core) as client:
        await ingest(client, files)
        arguments = {"project": project, "text": "entities and value objects"}
        found = await call(client, "query_hybrid", **arguments)
        first = found["items"][0]
        assert first["citekey"] == "martin2017"
        assert (first["section"], first["section_path"]) == (
            "Entities",
            ["Clean Architecture", "Part I"],
        )
        assert first["page_span"] is None
        narrow = await call(
            client, "query_hybrid", **arguments, filters={"section_prefix": "Part II"}
        )
        assert {each["section"] for each in narrow["items"]} == {"Details", "Part II: Streams"}


async def test_each_hit_stands_on_its_pages(core: Core, files: Path, project: str) -> None:
    async with connect(core) as client:
        await ingest(client, files)
        for heading, sentence in PAGES:
            found = await call(
                client, "query_hybrid", project=project, text=sentence, include_full_text=True
            )
            for each in found["items"]:
                if not each["page_span"]:
                    continue
                stored = core.home.blobs.get(each["place"]["version"])
                first, last = each["page_span"]
                pdf = pypdfium2.PdfDocument(stored)
                there = "".join(
                    pdf[number - 1].get_textpage().get_text_bounded()
                    for number in range(first, last + 1)
                )
                pdf.close()
                assert "".join(each["full_text"].split()) in "".join(there.split()), heading


async def test_filters_narrow_and_all_tags_must_be_there(
    core: Core, files: Path, project: str
) -> None:
    async with connect(core) as client:
        await ingest(client, files)

        async def keys(**filters: Any) -> set[str]:
            text = "the database, the turbines and the estuary"
            found = await call(client, "query_hybrid", project=project, text=text, filters=filters)
            return {each["citekey"] for each in found["items"]}

        assert await keys() == {"severn2010", "martin2017"}
        assert await keys(tags=["tides", "energy"]) == {"severn2010"}
        assert await keys(tags=["tides", "architecture"]) == set()
        assert await keys(citekey="martin2017") == {"martin2017"}
        assert await keys(citekey=["nobody"]) == set()
        assert await keys(year=[2015, 2020]) == {"martin2017"}
        assert await keys(year_to=2012) == {"severn2010"}
        assert await keys(project="other", collection="x") == {"severn2010", "martin2017"}
        refused = await error(client, "query", project=project, text="x", filters={"colour": "red"})
        assert refused["code"] == "BAD_REQUEST"


@pytest.mark.parametrize("tool", ["query", "query_hybrid"])
async def test_filters_are_applied_or_refused_and_never_passed_over(
    core: Core, files: Path, project: str, tool: str
) -> None:
    async with connect(core) as client:
        await ingest(client, files)
        asked = {"project": project, "text": "the database, the turbines and the estuary"}
        strange: dict[str, Any]
        for strange in (
            {"year": {"min": 2015}},
            {"year": {"from": 2015, "max": 2020}},
            {"year": {"from": 2010, "gte": 2015}},
            {"year": {}},
            {"year": []},
            {"year": [2015]},
            {"year": [2015, 2010]},
            {"year_from": 2015, "year_to": 2010},
            {"year": ""},
            {"year": 2010, "year_from": 2015},
            {"years": [2010, 2011], "year_range": [2015, 2016]},
            {"tag": "tides", "tags": ["architecture"]},
            {"citekey": "severn2010", "citekeys": ["martin2017"]},
            {"doc_id": "a", "documents": ["b"]},
            {"page": []},
        ):
            refused = await error(client, tool, **asked, filters=strange)
            assert refused["code"] == "BAD_REQUEST", strange
            assert refused["details"]["suggestion"]
        empty: dict[str, Any]
        for empty in ({"doc_ids": []}, {"citekey": []}, {"language": []}, {"citekey": ""}):
            assert (await call(client, tool, **asked, filters=empty))["count"] == 0, empty
        whole = await call(client, tool, **asked)
        nothing: dict[str, Any]
        for nothing in ({"tags": []}, {"section_prefix": []}, {"section": ""}, {"year": None}):
            found = await call(client, tool, **asked, filters=nothing)
            assert found["items"] == whole["items"] != [], nothing
        later = await call(client, tool, **asked, filters={"year": {"gte": 2015}})
        assert {each["citekey"] for each in later["items"]} == {"martin2017"}


async def test_a_section_is_found_by_what_its_passages_call_it(
    core: Core, files: Path, project: str
) -> None:
    (files / "deep.md").write_text("# A\n\n## B\n\n### C > D\n\n#### E\n\nThe tide is deep.\n")
    async with connect(core) as client:
        await ingest(client, files)
        core.settings = dataclasses.replace(core.settings, top_k_limit=50)
        asked = {"project": project, "text": "the tide", "top_k": 50}
        every = (await call(client, "query_hybrid", **asked))["items"]
        assert {"Entities", "Part II: Streams", "E"} <= {each["section"] for each in every}
        for each in every:
            for section in (each["section"], [*each["section_path"][-1:], each["section"]]):
                found = await call(client, "query_hybrid", **asked, filters={"section": section})
                same = [other for other in every if other["heading_chain"] == each["heading_chain"]]
                assert {other["chunk_id"] for other in found["items"]} == {
                    other["chunk_id"] for other in same
                }

        async def chains(section: Any) -> list[list[str]]:
            found = await call(client, "query_hybrid", **asked, filters={"section": section})
            return [other["heading_chain"] for other in found["items"]]

        # What stands above a passage is a section that it is in, whatever signs are in its name.
        deep = [["A", "B", "C > D", "E"]]
        for section in ("C > D", "A > B", ["B", "C > D"]):
            assert await chains(section) == deep
        assert await chains("Nowhere") == []


async def test_a_heading_below_one_of_the_same_name_is_a_section_of_its_own(
    core: Core, files: Path, project: str
) -> None:
    (files / "same.md").write_text("# Same\n\nAbove.\n\n## Same\n\nBelow.\n\n## Other\n\nBeside.\n")
    async with connect(core) as client:
        await ingest(client, files)
        for name in ("section_prefix", "section"):
            for path in (["Same", "Same"], "Same > Same"):
                asked = {"project": project, "text": "same", "filters": {name: path}}
                found = await call(client, "query_hybrid", **asked)
                assert [each["render_text"] for each in found["items"]] == ["Below."]


@pytest.mark.parametrize("linked", ["aaa", "zzz"])
@pytest.mark.parametrize("tool", ["query", "query_hybrid"])
async def test_a_paper_that_another_collection_holds_without_a_key_is_found_by_its_key(
    core: Core, files: Path, project: str, tool: str, linked: str
) -> None:
    job, _ = core.start_ingest(str(files / "severn.pdf"), linked, recursive=False)
    list(core.follow_job(job, 60))
    manage_projects(core, "link", project, linked)
    async with connect(core) as client:
        await ingest(client, files)
        asked = {"project": project, "text": "kinetic turbines need no dam"}
        for more in ({}, {"top_k": 1}, {"filters": {"tags": ["tides"]}}):
            found = await call(client, tool, **asked, **more)
            assert found["items"][0]["citekey"] == "severn2010", more
            assert None not in {each["citekey"] for each in found["items"]}
        by_key = await call(client, tool, **asked, filters={"citekey": "severn2010"})
        assert by_key["items"][0]["page_span"] == [2, 2]
        assert {each["collection"] for each in by_key["items"]} == {"proj-citeloom-clean-arch"}
        places = [tuple(each["place"].values()) for each in by_key["items"]]
        assert len(places) == len(set(places)) >= 3
        chunk = by_key["items"][0]["chunk_id"]
        cited = await call(client, "cite", project=project, chunk_ids=[chunk])
        assert cited["citations"][0]["citekey"] == "severn2010"
        # Where nothing has a key, it is found without one.
        manage_projects(core, "create", "other")
        manage_projects(core, "link", "other", linked)
        other = await call(client, tool, project="other", text=asked["text"])
    assert {(each["citekey"], each["collection"]) for each in other["items"]} == {(None, linked)}


async def test_keys_of_one_collection_do_not_choose_the_documents_of_another(
    core: Core, files: Path, project: str
) -> None:
    """Documents are known alike wherever they are held; what they are cited by is not."""
    (files / "references.json").unlink()
    core.home.prepare()
    for collection, key in (("one", "left2001"), ("two", "right2002")):
        entry = Entry(locator=str(files / "severn.pdf"), metadata={"citekey": key})
        if collection not in core.catalogue.state().collections:
            create_collection(core.catalogue, collection)
        job, _ = core.catalogue.enter_job(collection, [entry])
        list(core.follow_job(job, 60))
        manage_projects(core, "link", project, collection)
    async with connect(core) as client:
        for collection, key in (("one", "left2001"), ("two", "right2002")):
            arguments = {"project": project, "text": "turbines", "filters": {"citekey": key}}
            found = await call(client, "query_hybrid", **arguments)
            assert {(each["citekey"], each["collection"]) for each in found["items"]} == {
                (key, collection)
            }


async def test_six_passages_of_eighteen_hundred_characters_are_shown_unless_more_is_set(
    core: Core, files: Path, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As texts are cut, none is as long as that.
    monkeypatch.setattr(chunking, "TARGET", 5_000)
    monkeypatch.setattr(chunking, "WHOLE", 5_000)
    for number in range(9):
        said = f"The tide of day {number} is high and the turbine turns in the estuary. " * 40
        (files / f"day{number}.md").write_text(f"# Day {number}\n\n{said}\n")
    async with connect(core) as client:
        await ingest(client, files)
        for asked in ({}, {"top_k": 100}):
            found = await call(
                client, "query", project=project, text="tide", include_full_text=True, **asked
            )
            assert found["count"] == found["top_k"] == 6
        longest = max(found["items"], key=lambda each: len(each["full_text"]))
        assert len(longest["full_text"]) > 1_800
        assert 1_700 < len(longest["render_text"]) <= 1_800
        assert all(len(each["render_text"]) <= 1_800 for each in found["items"])


async def test_results_are_capped_and_trimmed(core: Core, files: Path, project: str) -> None:
    settings = dataclasses.replace(
        core.settings, top_k_limit=2, top_k_limits=((PROJECT, 3),), max_chars_per_chunk=100
    )
    core.settings = settings
    async with connect(core) as client:
        await ingest(client, files)
        found = await call(client, "query", project=project, text="the survey", top_k=50)
        assert found["count"] == found["top_k"] == 3
        for each in found["items"]:
            assert len(each["render_text"]) <= 100
            assert not each["trimmed"] or each["render_text"].endswith((".", ","))
        whole = await call(
            client, "query", project=project, text="the survey", include_full_text=True
        )
        assert any(len(each["full_text"]) > 100 for each in whole["items"])


def test_a_passage_is_trimmed_at_the_end_of_a_sentence() -> None:
    text = "One sentence stands here. Another one follows it. " + "And this goes on " * 20
    assert trimmed_text(text, 60) == "One sentence stands here. Another one follows it."
    assert trimmed_text("short", 60) == "short"
    assert 0 < len(trimmed_text("x" * 500, 60)) <= 60


async def test_a_passage_is_found_again_by_citekey_and_page(
    core: Core, files: Path, project: str
) -> None:
    async with connect(core) as client:
        await ingest(client, files)

        async def pages(page: Any) -> list[tuple[int, ...]]:
            filters = {"citekey": "severn2010", "page": page}
            text = "what the survey says of the tides"
            found = await call(client, "query", project=project, text=text, filters=filters)
            return sorted({tuple(each["page_span"]) for each in found["items"]})

        assert await pages(2) == [(2, 2)]
        assert await pages([2, 3]) == [(2, 2), (3, 3)]
        assert await pages([4, 10**12]) == []
        for strange in (0, "two", True, [1, 2, 3], [3, 2], {"from": 1}):
            filters = {"page": strange}
            refused = await error(client, "query", project=project, text="x", filters=filters)
            assert refused["code"] == "BAD_REQUEST"
