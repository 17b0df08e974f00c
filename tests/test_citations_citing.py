"""Contract 05, beyond it: references are cited in styles and exported."""

import json
from pathlib import Path

import pytest

from contracts.core import Core
from events.catalogue import Brief
from tests import citation_desk
from tests.citation_desk import call, connect, error, ingest

pytestmark = pytest.mark.anyio

patient, core, engine = citation_desk.patient, citation_desk.core, citation_desk.engine
files, project = citation_desk.files, citation_desk.project


async def test_references_are_cited_in_any_style(core: Core, files: Path, project: str) -> None:
    async with connect(core) as client:
        await ingest(client, files)
        apa = await call(client, "cite", project=project, citekeys=["martin2017", "severn2010"])
        assert apa["citations"][0]["citation"] == "(Martin, 2017)"
        assert "Clean Architecture" in " ".join(apa["bibliography"])
        ieee = await call(client, "cite", project=project, citekeys=["martin2017"], style="ieee")
        assert ieee["citations"][0]["citation"] == "[1]"
        found = await call(client, "query", project=project, text="kinetic turbines need no dam")
        chunk = found["items"][0]["chunk_id"]
        one = await call(client, "cite", project=project, chunk_ids=[chunk])
        assert one["citations"][0]["citekey"] == "severn2010"
        assert "p. 2" in one["citations"][0]["citation"]
        assert one["citations"][0]["links"]["file"].endswith("#page=2")
        assert (await error(client, "cite", project=project, citekeys=["x"]))["code"] == (
            "UNKNOWN_REFERENCE"
        )
        for style in ("../../etc/passwd", "no-such-style"):
            refused = await error(
                client, "cite", project=project, citekeys=["martin2017"], style=style
            )
            assert refused["code"] == "UNKNOWN_STYLE"


async def test_each_passage_of_a_work_is_cited_with_its_own_page(
    core: Core, files: Path, project: str
) -> None:
    async with connect(core) as client:
        await ingest(client, files)
        asked = {"project": project, "text": "barrage", "filters": {"citekey": "severn2010"}}
        found = (await call(client, "query_hybrid", **asked))["items"]
        chunks = [each["chunk_id"] for each in found]
        said = await call(client, "cite", project=project, chunk_ids=[*chunks, *chunks])
    pages = list(dict.fromkeys(each["page_span"][0] for each in found))
    assert len(pages) == 3
    assert [each["pages"] for each in said["citations"]] == [[page, page] for page in pages]
    for page, each in zip(pages, said["citations"], strict=True):
        assert f"p. {page})" in each["citation"]
        assert each["links"]["file"].endswith(f"#page={page}")
    assert len(said["bibliography"]) == said["count"] == 1


@pytest.mark.parametrize(
    ("written", "style"),
    [
        ("APA", "apa"),
        (" apa", "apa"),
        ("IEEE", "ieee"),
        ("Nature", "nature"),
        ("Chicago-Author-Date", "chicago-author-date"),
        ("Chicago author-date", "chicago-author-date"),
        ("Modern Language Association", "modern-language-association"),
        ("ieee.csl", "ieee"),
    ],
)
async def test_a_style_is_known_however_its_name_is_written(
    core: Core, files: Path, project: str, written: str, style: str
) -> None:
    async with connect(core) as client:
        await ingest(client, files)
        said = await call(client, "cite", project=project, citekeys=["martin2017"], style=written)
    assert said["style"] == style
    assert said["bibliography"]


@pytest.mark.parametrize("form", ["csl-json", "bibtex", "ris"])
async def test_references_are_exported(core: Core, files: Path, project: str, form: str) -> None:
    from actors.adapters.bibliography.references import read_references

    async with connect(core) as client:
        await ingest(client, files)
        said = await call(client, "export_references", project=project, format=form)
    again = read_references("again", said["content"].encode())
    assert {each.citekey for each in again.references} == {"severn2010", "martin2017"}
    assert said["count"] == 2
    if form == "csl-json":
        assert json.loads(said["content"])[0]["id"] in {"severn2010", "martin2017"}


@pytest.mark.parametrize("form", ["csl-json", "bibtex", "ris"])
async def test_what_a_report_cites_is_exported(
    core: Core, files: Path, project: str, form: str
) -> None:
    from actors.adapters.bibliography.references import read_references

    (files / "loose.md").write_text("# Loose\n\nKinetic turbines are also told of here.\n")
    async with connect(core) as client:
        await ingest(client, files)
        asked = Brief(question="Do kinetic turbines in the stream need a dam?")
        task, _ = core.start_research(asked)
        refused = await error(client, "export_references", project=project, task_id="task-none")
        assert refused["code"]
        list(core.follow(task, 60))
        said = await call(client, "export_references", project=project, task_id=task, format=form)
    cited = {each["locator"] for each in core.views.result(task).result["citations"]}
    assert str(files / "severn.pdf") in cited
    again = read_references("again", said["content"].encode())
    assert "severn2010" in {each.citekey for each in again.references}
    assert said["citekeys"] == [each.citekey for each in again.references]
    assert set(said["without_reference"]) == cited & {str(files / "loose.md")}


@pytest.mark.parametrize(
    ("style", "citation"),
    [
        ("apa", "(Müller & Department of Energy, 2010)"),
        ("ieee", "[1]"),
        ("nature", "1"),
        ("chicago-author-date", "(Müller and Department of Energy 2010)"),
        ("modern-language-association", "(Müller and Department of Energy)"),
        ("harvard-cite-them-right", "(Müller and Department of Energy, 2010)"),
    ],
)
async def test_a_citation_is_written_as_its_style_has_it(
    core: Core, files: Path, project: str, style: str, citation: str
) -> None:
    async with connect(core) as client:
        await ingest(client, files)
        said = await call(client, "cite", project=project, citekeys=["severn2010"], style=style)
    assert said["citations"][0]["citation"] == citation
    assert "tidal power in the severn estuary" in said["bibliography"][0].casefold()


async def test_a_citation_is_in_the_language_that_is_asked_for_or_refused(
    core: Core, files: Path, project: str
) -> None:
    asked = {"project": project, "citekeys": ["severn2010"], "style": "harvard"}
    async with connect(core) as client:
        await ingest(client, files)
        for locale, says in (("de-AT", "und"), ("DE-de", "und"), ("fr", "et"), ("en-GB", "and")):
            cited = (await call(client, "cite", **asked, locale=locale))["citations"]
            assert cited[0]["citation"] == f"(Müller {says} Department of Energy, 2010)"
        ways = [
            ("zh-Hant-HK", "zh-TW"),
            ("zh-Hans", "zh-CN"),
            ("no", "nb-NO"),
            ("sr-cyrl-rs", "sr-Cyrl-RS"),
        ]
        for locale, same in ways:
            one, other = [
                (await call(client, "cite", **asked, locale=each))["bibliography"]
                for each in (locale, same)
            ]
            assert one == other
        for locale in ("zz-ZZ", "German", "de_DE"):
            refused = await error(client, "cite", **asked, locale=locale)
            assert refused["code"] == "BAD_REQUEST"
            assert repr(locale) in refused["message"]


async def test_a_style_is_not_what_is_called_so_in_the_working_directory(
    core: Core, files: Path, project: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "apa").mkdir()
    (tmp_path / "ieee").write_text("<no style/>")
    monkeypatch.chdir(tmp_path)
    async with connect(core) as client:
        await ingest(client, files)
        for style, says in (("apa", "(Martin, 2017)"), ("ieee", "[1]")):
            said = await call(client, "cite", project=project, citekeys=["martin2017"], style=style)
            assert said["citations"][0]["citation"] == says


NAMED = """[
  {"id": "berg2001", "type": "book", "title": "Dikes of the north", "issued": {"date-parts": [[2001]]},
   "author": [{"family": "van der Berg", "given": "Piet"}, {"family": "de la Cruz", "given": "Ana"},
              {"family": "van der meer", "given": "jan"}, {"family": "al-Khwarizmi", "given": "M."}]},
  {"id": "beet1808", "type": "book", "title": "Letters on water", "issued": {"date-parts": [[1808]]},
   "author": [{"family": "Beethoven", "given": "Ludwig van"}],
   "editor": [{"family": "\\"von Neumann\\"", "given": "John"}]}
]"""


async def test_the_particles_of_names_are_apart_in_citations_and_exports(
    core: Core, files: Path, project: str
) -> None:
    (files / "names.csljson").write_text(NAMED)
    (files / "berg2001.md").write_text("# Dikes of the north\n\nThey are high.\n")
    (files / "beet1808.md").write_text("# Letters on water\n\nIt is wet.\n")
    asked = {"project": project, "citekeys": ["berg2001", "beet1808"]}
    async with connect(core) as client:
        await ingest(client, files)
        chicago = await call(client, "cite", **asked, style="chicago")
        written = {
            form: (await call(client, "export_references", **asked, format=form))["content"]
            for form in ("csl-json", "bibtex", "ris")
        }
    assert [each["citation"] for each in chicago["citations"]] == [
        "(van der Berg et al. 2001)",
        "(Beethoven 1808)",
    ]
    berg = next(each for each in chicago["bibliography"] if "Dikes" in each)
    assert berg.startswith("Berg, Piet van der, Ana de la Cruz, ")
    assert '"non-dropping-particle": "van der"' in written["csl-json"]
    assert '"dropping-particle": "van"' in written["csl-json"]
    assert '"family": "von Neumann"' in written["csl-json"]
    names = "van der Berg, Piet and de la Cruz, Ana and van der meer, jan and al-Khwarizmi, M."
    assert f"author = {{{names}}}" in written["bibtex"]
    assert "author = {Beethoven, Ludwig van}" in written["bibtex"]
    assert "editor = {{von Neumann}, John}" in written["bibtex"]
    assert "AU  - van der Berg, Piet" in written["ris"]
    assert "AU  - Beethoven, Ludwig van" in written["ris"]


async def test_a_family_name_in_braces_is_not_parted(core: Core, files: Path, project: str) -> None:
    (files / "names.bib").write_text(
        "@book{neumann1958, author={{von Neumann}, John}, title={The computer}, year=1958}\n"
        "@book{neumann1959, author={von Neumann, Jane}, title={The brain}, year=1959}\n"
    )
    for key in ("neumann1958", "neumann1959"):
        (files / f"{key}.md").write_text("# A book\n\nIt is about tides.\n")
    asked = {"project": project, "citekeys": ["neumann1958", "neumann1959"]}
    async with connect(core) as client:
        await ingest(client, files)
        cited = (await call(client, "cite", **asked, style="chicago"))["bibliography"]
        written = await call(client, "export_references", **asked, format="bibtex")
        stored = await call(client, "export_references", **asked, format="csl-json")
    assert any(each.startswith("von Neumann, John. ") for each in cited)
    assert any(each.startswith("Neumann, Jane von. ") for each in cited)
    assert "author = {{von Neumann}, John}" in written["content"]
    assert "author = {von Neumann, Jane}" in written["content"]
    assert '"parse-names": false' in stored["content"]
