"""Contract 05: passages are found as they can be cited: by section, page and filter."""

import dataclasses
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from contracts.cited_passages import trimmed_text
from contracts.core import Core
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
        assert {each["section"] for each in narrow["items"]} <= {
            *("Details", "Part II: Streams", "Part II")
        }


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
        for strange in (0, "two", True, [1, 2, 3], {"from": 1}):
            filters = {"page": strange}
            refused = await error(client, "query", project=project, text="x", filters=filters)
            assert refused["code"] == "BAD_REQUEST"
