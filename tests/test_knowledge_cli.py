"""The knowledge base on the command line: every line of the contract, and what it prints."""

import io
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts import job_reports
from contracts.commands import terminal
from contracts.core import Core
from contracts.knowledge import ingesting as knowledge
from contracts.knowledge.web_pages import start_page
from contracts.settings import Settings
from events.home import Home
from tests.commands import Done, Run, runner
from tests.inline_engine import InlineEngine
from tests.webserver import serving

SAMPLES = Path(__file__).resolve().parent.parent / "docs" / "samples"
QUESTION = "How do tides generate electricity?"


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Run]:
    """Runs a command in this process, over an engine that is a thread."""
    monkeypatch.setattr(Core, "wake_engine", lambda self: self.home.prepare())
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(tmp_path / "home"))
    home = Home(tmp_path / "home")
    home.prepare()
    engine = InlineEngine(home)

    yield runner(capsys)
    engine.close()


def refused(done: Done, code: str) -> None:
    assert (done.code, done.out) == (2, "")
    assert f"[{code}]" in done.err.splitlines()[-1]


def test_the_commands_of_the_contract_work_as_they_are_written(run: Run) -> None:
    assert run("collections", "create", "tides", "--type=fundamental").out == "created tides\n"
    done = run("kb", "add-document", str(SAMPLES), "--collection=tides")
    assert done.code == 0
    assert done.out.startswith(f"tides: {len(list(SAMPLES.glob('*')))} added")
    found = run("query", QUESTION, "--collections=tides", "--top-k=2")
    assert found.code == 0
    assert found.out.startswith("1. ") and "\n2. " in found.out and "\n3. " not in found.out
    assert "Relevant, tides, " in found.out
    listed = run("collections", "list")
    assert listed.out.splitlines()[0].split() == [
        *("collection", "type", "documents", "chunks", "projects")
    ]
    made = run("projects", "create", "sea")
    assert (made.code, made.out.partition(";")[0]) == (0, "created sea")
    assert "research-agent projects link sea --collections" in made.out
    assert run("projects", "link", "sea", "--collections=tides").out.endswith("sea      tides\n")
    assert run("projects", "set-defaults", "sea", "--collections", "tides").code == 0
    assert run("projects", "unlink", "sea", "--collections", "tides").code == 0
    deleted = run("collections", "delete", "tides").out
    assert deleted.startswith("deleted tides (")
    assert deleted.endswith("; research-agent collections restore tides brings it back\n")
    assert run("query", QUESTION).out.startswith("Nothing was found. There are no documents here")
    assert run("collections", "restore", "tides").out == "restored tides\n"
    about = run("collections", "info", "tides").out
    assert "documents" in about and "letters" in about
    (document, *_) = re.findall(r"^doc-[0-9a-f]{32}(?=  )", about, re.M)
    assert f"\n    {SAMPLES / 'la-rance.md'}\n" in about
    refused(run("kb", "remove", document), "unknown_collection")
    assert "Say which with --collection." in run("kb", "remove", document).err
    gone = run("kb", "remove", document, "--collection", "tides")
    assert gone.out.startswith("removed ") and gone.out.endswith(" from tides\n")


def test_a_document_is_removed_by_the_path_that_it_was_added_by(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "neap.md").write_text("# Neap\n\nNeap tides are small.\n")
    (tmp_path / "link").symlink_to(tmp_path / "notes")
    monkeypatch.chdir(tmp_path)
    for path in ("notes/neap.md", "./link/neap.md"):
        assert run("kb", "add-document", path, "--collection", "c").code == 0
        assert run("kb", "remove", path, "--collection", "c").code == 0
        assert run("kb", "status", "--json").json["collections"][0]["documents"] == 0


def test_a_link_that_leads_to_itself_is_no_document(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "neap.md").write_text("# Neap\n\nNeap tides are small.\n")
    (tmp_path / "a").symlink_to("a")
    monkeypatch.chdir(tmp_path)
    assert run("kb", "add-document", "neap.md", "--collection", "c").code == 0
    refused(run("kb", "remove", "a", "--collection", "c"), "unknown_document")


@pytest.mark.parametrize("command", ["kb", "token"])
def test_a_command_of_several_actions_names_them(run: Run, command: str) -> None:
    said = run(command)
    assert said.code == 2
    listed = run(command, "--help").out
    for action in re.findall(r"^    ([a-z-]+) ", listed, re.M):
        assert action in said.err


def test_every_command_answers_programs_in_json(run: Run) -> None:
    assert run("collections", "create", "c", "--json").json["collection"]["name"] == "c"
    added = run("kb", "add-document", str(SAMPLES), "--collection", "c", "--json").json
    assert (added["status"], added["failed"]) == ("success", 0)
    found = run("query", QUESTION, "--json").json
    assert found["results"] and found["status"] == "success"
    assert run("collections", "list", "--json").json["total"] == 1
    assert run("collections", "info", "c", "--json").json["collection"]["holds"]
    assert run("projects", "create", "p", "--json").json["project"]["name"] == "p"
    assert run("projects", "list", "--json").json["total"] == 1
    status = run("kb", "status", "--json").json
    assert (status["collections"][0]["name"], status["running"]) == ("c", [])
    job = run("kb", "status", added["job_id"], "--json").json
    assert len(job["report"]) == added["files"]
    document = added["report"][0]["document_id"]
    gone = run("kb", "remove", document, "--collection", "c", "--json").json
    assert gone["removed"] == document
    left = run("collections", "info", "c", "--json").json["collection"]
    assert left["documents"] == added["files"] - 1
    text = ("kb", "add-text", "Neap tides are small.", "--source", "s", "--collection", "c")
    last = run(*text, "--json").json["job_id"]
    assert run("kb", "remove", "s", "--collection", "c").code == 0
    info = run("collections", "info", "c", "--json").json["collection"]
    assert info["last_ingest"]["job_id"] == last, "what has left again did come in"


def test_texts_come_from_the_command_line_or_from_a_pipe(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = run(
        *("kb", "add-text", "Basalt columns form when lava cools.", "--source", "a talk"),
        *("--collection", "geology", "--title", "Basalt"),
    )
    assert (done.code, done.out.partition(" (")[0]) == (0, "geology: 1 added")
    monkeypatch.setattr(sys, "stdin", io.StringIO("# Granite\n\nGranite is coarse.\n"))
    piped = ("kb", "add-text", "-", "--source", "https://example.org/granite")
    assert run(*piped, "--collection", "geology").code == 0
    results = run("query", "granite", "--json").json["results"]
    assert results[0]["place"]["locator"] == "https://example.org/granite"
    refused(run("kb", "add-text", " ", "--source", "s"), "bad_request")
    path = ("kb", "remove", "https://example.org/granite", "--collection", "geology")
    assert run(*path).code == 0
    assert "granite" not in run("query", "granite", "--json").out.casefold().partition('"query')[0]
    refused(run(*path), "unknown_document")


def test_a_report_is_added_with_its_sources(run: Run) -> None:
    assert run("kb", "add-document", str(SAMPLES), "--collection", "tides").code == 0
    trace = run("research", QUESTION, "--json").json["trace_id"]
    added = run("kb", "add-report", trace, "--collection", "own", "--json").json
    assert added["added"] == 1
    found = run("query", QUESTION, "--collections", "own", "--json").json["results"]
    assert found[0]["metadata"]["document_title"] == QUESTION
    refused(run("kb", "add-report", "nothing"), "unknown_task")


def test_a_page_is_fetched_and_added(run: Run, tmp_path: Path) -> None:
    with serving() as site:
        home = tmp_path / "home"
        core = Core(Settings(home=home, fetch_delay_s=0.0, fetch_allow_hosts=(site.host,)))
        job = start_page(core, site.url("/conditional"), "web")
        assert list(core.follow_job(job, 60))[-1].added == 1
        asked = [record.data for record in core.home.read(job)[0] if record.kind == "call_asked"]
        assert [each["operation"] for each in asked if each["port"] == "fetch"] == ["page"]
        again = start_page(core, site.url("/conditional"), "web")
        assert list(core.follow_job(again, 60))[-1].unchanged == 1
        missing = start_page(core, site.url("/missing"), "web")
        assert list(core.follow_job(missing, 60))[-1].failed == 1
        # Without a word from the test, this machine's own addresses are not asked.
        refused(run("kb", "add-url", site.url("/conditional")), "address_refused")
    found = run("query", "rise and fall of sea levels", "--json").json["results"]
    assert found[0]["place"]["locator"] == site.url("/conditional")
    assert found[0]["metadata"]["document_title"] == "Tides"
    refused(run("kb", "add-url", "file:///etc/passwd"), "address_refused")
    assert core.catalogue.state().collections == {"web"}


def test_a_person_may_read_from_anywhere(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RESEARCH_AGENT_ROOTS", str(SAMPLES))
    (tmp_path / "elsewhere.md").write_text("# Elsewhere\n\nWords.\n")
    assert run("kb", "add-document", str(tmp_path / "elsewhere.md")).code == 0


def test_files_that_fail_are_bad_news_and_named(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "mixed"
    (folder / "inner").mkdir(parents=True)
    (folder / "bad.pdf").write_text("no pdf")
    (folder / "empty.txt").write_text("")
    (folder / "inner" / "good.md").write_text("# Good\n\nWords.\n")
    done = run("kb", "add-document", str(folder), "--recursive")
    assert done.code == 1
    assert "1 added, 1 empty, 1 failed" in done.out
    assert "bad.pdf" in done.out and "named like a PDF" in done.out and "empty.txt" in done.out


def test_bad_requests_are_refused_with_their_codes(run: Run, tmp_path: Path) -> None:
    assert run("collections", "create", "c").code == 0
    refused(run("collections", "create", "c"), "already_there")
    refused(run("collections", "create", "../c"), "bad_request")
    refused(run("collections", "info"), "bad_request")
    assert "Name the collection: research-agent collections create NAME" in (
        run("collections", "create").err
    )
    assert "Name the project: research-agent projects link NAME" in run("projects", "link").err
    assert "--top-k is 0." in run("query", "q", "--top-k", "0").err
    refused(run("collections", "delete", "d"), "unknown_collection")
    refused(run("query", " "), "bad_request")
    refused(run("query", "q", "--top-k", "0"), "bad_request")
    refused(run("query", "q", "--top-k", "1000000000"), "bad_request")
    refused(run("query", "q", "--collections", "d"), "unknown_collection")
    refused(run("kb", "add-document", str(tmp_path / "none")), "path_refused")
    refused(run("kb", "status", "ingest-none"), "unknown_task")
    refused(run("projects", "link", "p", "--collections", "c"), "unknown_project")
    assert run("collections", "destroy").code == 2
    assert run("kb").code == 2


def test_a_table_is_drawn_for_a_terminal_and_plain_for_a_pipe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [("[bold]a[/bold]", 1)]
    assert terminal.pretty_table(["name", "n"], rows) == terminal.table(["name", "n"], rows)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    drawn = terminal.pretty_table(["name", "n"], rows)
    assert "[bold]a[/bold]" in drawn and "┃" in drawn


def test_columns_are_counted_as_a_terminal_shows_them() -> None:
    lines = terminal.table(["title", "n"], [("潮汐", 1), ("tide", 2)]).splitlines()
    assert lines == ["title  n", "潮汐   1", "tide   2"]


def test_what_is_too_wide_for_a_terminal_is_wrapped_or_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    rows = [("word " * 20, "x" * 20)]
    piped = terminal.fitting_table(["first", "second"], rows)
    assert piped == terminal.table(["first", "second"], rows)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    drawn = terminal.fitting_table(["first", "second"], rows)
    many = terminal.fitting_table([f"c{n}" for n in range(9)], [["word " * 20] * 9])
    for shown in (drawn, many, terminal.hanging("- ", 2, "言葉 " * 40)):
        assert len(shown.splitlines()) > 2
        lines = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
        assert all(terminal.cells(line) <= 60 for line in lines)
    assert drawn.count("word") == 20 and many.count("word") == 180
    assert many.startswith("c0  word") and "\n    word" in many


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_complete_the_commands(run: Run, shell: str) -> None:
    script = run("completion", shell)
    assert script.code == 0
    for word in ("research-agent", "collections", "add-document", "--top-k", "set-defaults"):
        assert word in script.out
    if shell == "bash":
        checked = subprocess.run(["bash", "-n"], input=script.out, text=True, check=False)
        assert checked.returncode == 0


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["coll"], ["collections"]),
        (["collections", "cr"], ["create"]),
        (["collections", "create", "x", "--type", "fun"], ["fundamental"]),
        (["kb", "add-"], ["add-document", "add-text", "add-url", "add-report"]),
        (["ingest", "{0}/so"], ["{0}/some.md", "{0}/somewhere"]),
        (["kb", "add-document", "{0}/some."], ["{0}/some.md"]),
        (["save", "x", "--output-dir", "{0}/so"], ["{0}/somewhere"]),
        (["serve", "--ht"], ["--http"]),
    ],
)
def test_a_shell_offers_what_fits(
    run: Run, tmp_path: Path, typed: list[str], offered: list[str]
) -> None:
    (tmp_path / "somewhere").mkdir()
    (tmp_path / "some.md").touch()
    words = " ".join(shlex.quote(word.format(tmp_path)) for word in ("research-agent", *typed))
    press_tab = f"""
        COMP_WORDS=({words}); COMP_CWORD={len(typed)}
        complete -p research-agent >/dev/null && _shtab_research_agent
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    script = run("completion", "bash").out + press_tab
    done = subprocess.run(["bash"], input=script, capture_output=True, text=True, check=True)
    found = [each.strip() for each in done.stdout.splitlines()]
    assert sorted(found) == sorted(each.format(tmp_path) for each in offered)


def test_reindexing_is_followed_to_its_end(run: Run, tmp_path: Path) -> None:
    added = run("kb", "add-document", str(SAMPLES), "--collection", "c", "--json").json
    done = run("reindex", "--model", "other letters", "--json")
    assert (done.code, done.json["status"], done.json["done"]) == (0, "success", added["files"])
    about = run("collections", "info", "c", "--json").json["collection"]
    assert about["models"] == ["other letters"]
    again = run("reindex", "--model", "other letters")
    said = f"{added['files']} documents are up to date; nothing to do.\n"
    assert (again.code, again.out) == (0, said)
    assert again.err.endswith(f"completed ({added['files']}/{added['files']})\n")
    assert f"  {added['files']}/{added['files']}  " in run("ps").out
    assert "  0/" not in run("ps").out
    job = next(line.split()[0] for line in run("ps").out.splitlines() if "reindex-" in line)
    assert run("kb", "status", job[:16]).out == run("status", job).out == said
    once = run("reindex", "--model", "third letters").out
    assert once == f"{added['files']} documents reindexed, {added['chunks']} chunks.\n"
    back = run("reindex", "--model", "other letters").out
    assert back == said.replace("nothing to do", "searches now use this index")
    assert run("kb", "status", job).out == said, "and that one had nothing to do"
    assert run("collections", "info", "c", "--json").json["collection"]["models"] == [
        "other letters"
    ]
    assert run("query", QUESTION, "--json").json["results"]


def test_retrieval_is_measured_on_a_labelled_set(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from contracts.knowledge import evaluating

    measured = evaluating.Evaluation(
        documents=2,
        chunks=2,
        queries=1,
        ingest_s=0.1,
        chunks_per_s=20.0,
        modes=(evaluating.Measured("best", 1.0, 1.0, 1.0, 2.0, 3.0),),
    )
    monkeypatch.setattr(evaluating, "evaluate", lambda *_, **__: measured)
    folder = tmp_path / "set"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text('{"_id": "d", "title": "T", "text": "Tides."}\n')
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "tides?"}\n')
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\td\t1\n")
    assert "best" in run("eval", "retrieval", str(folder)).out
    assert run("eval", "retrieval", str(folder), "--json").json["modes"][0]["ndcg_at_10"] == 1.0
    refused(run("eval", "retrieval", str(tmp_path)), "bad_request")


def test_what_a_job_did_is_told_also_while_it_runs(run: Run, tmp_path: Path) -> None:
    core = Core(Settings(home=tmp_path / "home"))
    job, _ = knowledge.start_ingest(core, str(SAMPLES), "c", recursive=False)
    told = job_reports.job_report(core, job)
    assert told["job_id"] == job
    list(core.follow_job(job, 60))
    assert run("kb", "status", job).code == 0
