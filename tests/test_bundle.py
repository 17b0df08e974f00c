"""A research handed on as one file: it proves itself, and a page in it shows what it says."""

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import cli
from contracts.bundles import bundling, importing
from contracts.bundles.page import pieces
from contracts.core import Core
from contracts.deep_research import calls as deep_research
from events.codec import canonical, digest
from events.errors import BadRequest, TaskNotFinished, UnknownTask
from events.home import Home
from tests.bundles import GOLDEN_TASK, Files, bundle, core_at, files, there
from tests.cli_homes import run
from tests.commands import Run
from tests.homes import DOCUMENT, build_home
from tests.make_golden import HOME
from tests.past_tasks import PastTasks, citation
from traces.verify import verify_bundle, verify_home

__all__ = ["bundle", "files", "run", "there"]


def test_a_bundle_is_proven_by_plain_python_alone(bundle: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(tmp_path / "unpacked")
    done = subprocess.run(
        [sys.executable, "-I", "-S", "verify.py", "."],
        cwd=tmp_path / "unpacked",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout.splitlines()[-1][:7]) == (0, "proven:"), done
    assert verify_bundle(tmp_path / "unpacked").faults == []


def test_the_same_research_makes_the_same_bytes(bundle: Path, tmp_path: Path) -> None:
    shutil.copytree(HOME, tmp_path / "home")
    again = core_at(tmp_path / "home")
    bundling.export(again, GOLDEN_TASK, str(tmp_path / "again.zip"))
    assert (tmp_path / "again.zip").read_bytes() == bundle.read_bytes()


def test_what_was_imported_is_exported_as_the_same_bytes(
    bundle: Path, there: Core, tmp_path: Path
) -> None:
    importing.import_bundle(there, bundle)
    bundling.export(there, GOLDEN_TASK, str(tmp_path / "again.zip"))
    assert (tmp_path / "again.zip").read_bytes() == bundle.read_bytes()


def test_nothing_is_overwritten_and_nothing_is_left_beside(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(HOME, tmp_path / "home")
    core = core_at(tmp_path / "home")
    target = tmp_path / "mine.zip"
    target.write_text("mine")
    with pytest.raises(BadRequest, match="exists already"):
        bundling.export(core, GOLDEN_TASK, str(target))
    assert target.read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["mine.zip"]
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    bundling.export(core, GOLDEN_TASK, "../beside.zip")
    assert (tmp_path / "beside.zip").is_file()
    (tmp_path / "beside.zip").unlink()
    with pytest.raises(BadRequest, match="in the data home"):
        bundling.export(core, GOLDEN_TASK, "../home/in.zip")
    for wrong in ("", "bundle", "no/such/folder.zip", str(core.home.root / "in.zip"), ".zip"):
        with pytest.raises(Exception, match=r".") as refusal:
            bundling.export(core, GOLDEN_TASK, str(tmp_path / wrong) if "no/" in wrong else wrong)
        assert getattr(refusal.value, "code", None) in {"bad_request", "not_allowed"}


def test_only_what_has_ended_is_handed_on(tmp_path: Path) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    core = core_at(past.built.root)
    running = past.running("Why is the sea salt?", steps=2)
    with pytest.raises(TaskNotFinished):
        bundling.export(core, running, str(tmp_path / "b.zip"))
    with pytest.raises(UnknownTask):
        bundling.export(core, "0b0e7a52-0000-4000-8000-000000000000", str(tmp_path / "b.zip"))
    done = past.completed("Why is the sky blue?")
    trace = past.built.stream(done)
    trace.write_bytes(trace.read_bytes().replace(b"sky blue", b"sky pink"))
    with pytest.raises(Exception, match=r"not one to hand on|does not match"):
        bundling.export(core, done, str(tmp_path / "b.zip"))
    assert not (tmp_path / "b.zip").exists()


@pytest.mark.parametrize("how", ["cancelled", "discarded", "failed", "timed out"])
def test_a_research_that_ended_otherwise_is_handed_on_too(how: str, tmp_path: Path) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    task = past.running("Why is the sea salt?", steps=2)
    past.read_and_quote(task)
    match how:
        case "failed":
            past.failed(task, "key_refused", "No.")
        case _:
            past.stopped(task, save_partial=how != "discarded", timed_out=how == "timed out")
    here, there = core_at(past.built.root), core_at(tmp_path / "there")
    bundling.export(here, task, str(tmp_path / "b.zip"))
    importing.import_bundle(there, tmp_path / "b.zip")
    assert there.views.status(task) == here.views.status(task)
    same = [deep_research.get_results(core, task, include_sources=True) for core in (here, there)]
    assert same[0]["success"] == same[1]["success"]
    assert same[0].get("report") == same[1].get("report")
    assert verify_home(there.home.root).faults == []


# -- verified by the command -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tides.zip", "TIDES.ZIP", "tides"])
def test_a_bundle_is_held_against_a_head_that_was_kept(
    name: str, bundle: Path, run: Run, tmp_path: Path
) -> None:
    shutil.copy(bundle, given := tmp_path / name)
    known = run("verify", str(given), "--json").json
    kept = f"{known['task']}:{known['seq']}:{known['head']}"
    assert run("verify", str(given), "--head", kept).code == 0
    assert run("verify", str(given), "--head", known["head"]).code == 0
    done = run("verify", str(given), "--head", f"{kept[:-4]}0000")
    assert (done.code, done.out.splitlines()[-1]) == (1, "NOT PROVEN")
    assert f"fault: {name}: traces/{known['task']}.jsonl, line {known['seq']}: " in done.out
    assert run("verify", str(given), "--head", "a head").code == 2


def test_a_bundle_that_was_changed_is_a_fault_and_no_refusal(
    bundle: Path, run: Run, tmp_path: Path
) -> None:
    raw = bytearray(bundle.read_bytes())
    raw[5_000] ^= 1
    (tmp_path / "changed.zip").write_bytes(raw)
    done = run("verify", str(tmp_path / "changed.zip"))
    assert (done.code, done.err) == (1, "")
    assert re.fullmatch(r"fault: changed\.zip: .+\nNOT PROVEN\n", done.out)
    told = run("verify", str(tmp_path / "changed.zip"), "--json")
    assert (told.code, told.json["proven"], len(told.json["faults"])) == (1, False, 1)


# -- the page --------------------------------------------------------------------------------------


def test_the_page_shows_each_citation_in_its_source_and_runs_nothing(files: Files) -> None:
    page = files["index.html"].decode()
    result = json.loads(files["report.json"])
    for each in result["sources"]:
        assert page.count(f'id="cite-{each["number"]}"') == 1
        assert each["content_hash"] in page
    assert "<script" not in page and "default-src 'none'" in page
    assert 'href="#cite-1"' in page and "<mark>" in page


def test_hostile_words_stay_words_on_the_page(tmp_path: Path) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    evil = '<script>alert(1)</script><img src=x onerror="alert(1)">'
    cited = [citation(1, 0, 47, title=evil, locator="javascript:alert(1)")]
    task = past.completed(f"Why {evil}?", report=f"# {evil}\n\n{evil} [1]\n", citations=cited)
    made = bundling.contents(core_at(past.built.root), task)
    for name in ("index.html", "report.html"):
        page = made[name]
        assert isinstance(page, bytes)
        assert b"<script" not in page and b"<img" not in page and b'href="javascript' not in page


def test_an_excerpt_that_says_it_goes_on_is_word_for_word(tmp_path: Path) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    cited = [
        citation(1, 0, 3, raw_excerpt=f"{DOCUMENT[:3]} [...]"),
        citation(2, 0, 3, raw_excerpt="Ail"),
    ]
    task = past.completed("Why is the sky blue?", citations=cited)
    page = bundling.contents(core_at(past.built.root), task)["index.html"]
    assert isinstance(page, bytes)
    assert page.count("✓ Word for word".encode()) == 1
    assert page.count("✕ Not word for word".encode()) == 1


def test_a_text_is_cut_where_citations_begin_and_end() -> None:
    cut = pieces("abcdefghij", [(1, 2, 6), (2, 4, 8), (3, 20, 30)])
    assert "".join(each.text for each in cut) == "abcdefghij"
    assert "".join(each.text for each in cut if each.marked) == "cdefgh"
    assert [each.begins for each in cut if each.begins] == [(1,), (2,)]
    long = "x" * 300_000 + "HERE" + "y" * 300_000
    shown = "".join(each.text for each in pieces(long, [(1, 300_000, 300_004)]))
    assert "HERE" in shown and len(shown) < 10_000


# -- the documentation -----------------------------------------------------------------------------


def test_the_commands_on_the_page_about_bundles_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).resolve().parent.parent / "docs" / "evidence.md").read_text()
    lines = [
        line.removeprefix("$ ")
        for block in re.findall(r"^```console\n(.*?)^```$", page, re.M | re.S)
        for line in block.splitlines()
        if line.startswith("$ research-agent")
    ]
    assert {line.split()[1] for line in lines} >= {"export", "import", "calibration", "verify"}
    shutil.copytree(HOME, tmp_path / "home")
    monkeypatch.chdir(tmp_path)
    for line in lines:
        words = line.replace("TASK", GOLDEN_TASK).split()[1:]
        home = "other" if "import" in words else "home"
        monkeypatch.setenv("RESEARCH_AGENT_HOME", str(tmp_path / home))
        assert cli.main(words) == 0, line
        assert capsys.readouterr().out
    assert verify_home(tmp_path / "other").faults == []


def test_the_manifest_is_sealed_like_a_line(files: Files) -> None:
    raw = files["manifest.json"]
    body, _, rest = raw.rpartition(b',"seal":')
    assert json.loads(rest.removesuffix(b"}\n")) == digest(body + b"}")
    said = json.loads(raw)["files"]
    assert set(said) == set(files) - {"manifest.json"}
    assert canonical(said)


def test_a_home_is_left_as_it_is_by_looking_at_a_bundle(bundle: Path) -> None:
    staged = importing.check(bundle)
    assert staged.fact.task == GOLDEN_TASK
    assert not staged.home.root.exists()
    assert isinstance(staged.home, Home)
