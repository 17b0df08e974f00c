"""A finished research is checked again: what holds is said to hold, and what was tampered with is found."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

import cli
from actors.archive import LocalArchive
from actors.inline import run_task
from actors.kinds.claude_rules import FOURTH
from actors.outside import Page
from contracts.core import Core
from contracts.evidence.checks import in_markdown
from contracts.evidence.verifying import CheckedCitation, Verification, verify_research
from contracts.settings import Settings
from events.base import Blob
from events.catalogue import Brief
from events.codec import digest
from events.errors import AccessDenied, PageNotFound, ResearchError, TaskNotFinished, UnknownTask
from events.home import Home
from mcp_entry import build_server
from tests.claude_world import AT_ONCE, EmptyCorpus, Indoors, teach
from tests.emulator_claude import answer, sentence, tool, using
from tests.homes import build_home
from tests.past_tasks import PastTasks, citation
from tests.webserver import PAGE, serving

RANCE = "http://tides.example.gov/rance"
TEXT = (
    "The La Rance station stands in Brittany. It generates about 500 GWh of electricity each year."
)
SCRIPT = (
    using(tool("fetch_pages", urls=[RANCE])),
    answer(
        sentence(
            "La Rance stands in Brittany.", ("p1", "The La Rance station stands in Brittany.")
        ),
        sentence(
            "La Rance generates 900 GWh each year.",
            ("p1", "It generates about 500 GWh of electricity each year."),
        ),
        sentence("So it may be large.", inference=True),
    ),
)


@pytest.fixture
def done(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Home, str]]:
    teach(monkeypatch)
    brief = Brief(question="How much does La Rance generate?", researcher="claude")
    task = LocalArchive(home).catalogue.enter_task(brief)[0]
    outside = Indoors({RANCE: TEXT}, SCRIPT)
    # By rules that let a sentence stand which its source does not say.
    run_task(LocalArchive(home), EmptyCorpus(), task, outside, AT_ONCE, lambda _: FOURTH.name)
    yield home, task


def test_everything_that_is_cited_is_found_again(done: tuple[Home, str]) -> None:
    checked = verify_research(*done)
    assert checked.verified and checked.claims_supported is False
    assert len(checked.citations) == 2
    first, second = checked.citations
    assert first.holds and first.claim_supported and first.now is None
    assert second.holds and second.claim_supported is False
    assert [each.outcome for each in checked.sentences] == [
        "supported",
        "not_supported",
        "inference",
    ]


@pytest.mark.parametrize("damage", ["remove", "flip"])
@pytest.mark.parametrize("what", ["content_hash", "text_hash"])
def test_bytes_that_are_gone_or_changed_are_found_out(
    done: tuple[Home, str], damage: str, what: str
) -> None:
    home, task = done
    blob = _blob(home, b"raw " + TEXT.encode() if what == "content_hash" else TEXT.encode())
    if damage == "remove":
        blob.unlink()
    else:
        blob.write_bytes(blob.read_bytes()[:-3] + b"xyz")
    checked = verify_research(home, task)
    assert not checked.verified
    assert all(each.bytes_present is (damage == "flip") for each in checked.citations)
    assert not any(each.hash_equal and each.excerpt_verbatim for each in checked.citations)


def _blob(home: Home, content: bytes) -> Path:
    return home.blobs.path(home.blobs.put(content).hash)


def test_a_task_that_is_unknown_or_runs_cannot_be_verified(home: Home) -> None:
    with pytest.raises(UnknownTask):
        verify_research(home, "0b0e7a52-0000-0000-0000-000000000000")
    task = LocalArchive(home).catalogue.enter_task(Brief(question="q"))[0]
    LocalArchive(home).claim(task, "test")
    with pytest.raises(TaskNotFinished):
        verify_research(home, task)


def reading(text: str | ResearchError, final_url: str = RANCE) -> Callable[..., Any]:
    def read(url: str, keep: Callable[[bytes], Blob]) -> Page:
        if isinstance(text, ResearchError):
            raise text
        return Page(
            url=url,
            final_url=final_url,
            title="A page",
            media_type="text/plain",
            original=keep(b"raw " + text.encode()),
            text=keep(text.encode()),
            fetched_at="2027-01-01T00:00:00+00:00",
        )

    return read


@pytest.mark.parametrize(
    ("read", "drift", "still_there"),
    [
        (reading(TEXT), "unchanged", True),
        (reading(TEXT, "http://new.example.gov/rance"), "moved", True),
        (reading(f"Updated. {TEXT}"), "changed", True),
        (reading("Something else entirely stands here now."), "changed", False),
        (reading(PageNotFound(RANCE, "it answered 404", {})), "gone", False),
        (reading(AccessDenied(RANCE, "it answered 403", {})), "unreachable", False),
    ],
)
def test_what_has_become_of_a_page_is_told_on_request(
    done: tuple[Home, str], read: Callable[..., Any], drift: str, still_there: bool
) -> None:
    checked: Verification = verify_research(*done, read)
    assert checked.verified, "what a page is now changes nothing about what it was"
    found: list[CheckedCitation] = list(checked.citations)
    assert [each.now and each.now.drift for each in found] == [drift, drift]
    assert [each.now and each.now.excerpt_still_there for each in found] == [still_there] * 2


def test_a_page_that_is_cited_twice_is_asked_for_once(done: tuple[Home, str]) -> None:
    asked: list[str] = []
    read = reading(TEXT)

    def counted(url: str, keep: Callable[[bytes], Blob]) -> Page:
        asked.append(url)
        page: Page = read(url, keep)
        return page

    assert len(verify_research(*done, counted).citations) == 2
    assert asked == [RANCE]


# -- the record -----------------------------------------------------------------------------------


def test_the_record_that_it_all_is_read_from_is_proven(done: tuple[Home, str]) -> None:
    record = verify_research(*done).record
    assert record.proven and record.faults == () and record.streams == 3


@pytest.mark.parametrize("which", ["catalogue", "{0}", "{0}.r1"])
def test_a_changed_line_is_told_and_nothing_is_verified(done: tuple[Home, str], which: str) -> None:
    home, task = done
    path = home.path(which.format(task))
    lines = path.read_bytes().splitlines(keepends=True)
    lines[0] = lines[0].replace(b'"v":1', b'"v": 1')
    path.write_bytes(b"".join(lines))
    checked = verify_research(home, task)
    assert not checked.verified and not checked.record.proven
    assert any(path.name in fault for fault in checked.record.faults)


def test_a_seal_that_was_cut_off_the_catalogue_is_missed(done: tuple[Home, str]) -> None:
    home, task = done
    path = home.path("catalogue")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    assert "acknowledged" in " ".join(verify_research(home, task).record.faults)


def test_other_tasks_are_left_out_of_it(done: tuple[Home, str]) -> None:
    home, task = done
    other = LocalArchive(home).catalogue.enter_task(Brief(question="q"))[0]
    LocalArchive(home).claim(other, "test")
    home.path(other).write_bytes(b"broken\n")
    assert verify_research(home, task).verified


def test_what_was_kept_of_a_stopped_research_is_checked_too(tmp_path: Path) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    task = past.running("Why is the sky blue?", steps=1)
    past.read_and_quote(task)
    past.stopped(task)
    checked = verify_research(past.built.home, task)
    assert checked.verified and [each.number for each in checked.citations] == [1]


# -- its doors ------------------------------------------------------------------------------------


@pytest.fixture
def core(done: tuple[Home, str]) -> Core:
    return Core(Settings(home=done[0].root, prewarm=False))


@pytest.mark.anyio
async def test_the_tool_answers_for_a_person_and_for_a_program(
    done: tuple[Home, str], core: Core
) -> None:
    async with Client(build_server(core)) as client:
        told = await client.call_tool("verify_research", {"task_id": done[1]})
        assert told.content[0].text.startswith("# Verified, but not every sentence is supported")
        assert told.structured_content and told.structured_content["verified"] is True
        assert told.structured_content["claims_supported"] is False
        first = told.structured_content["citations"][0]
        assert first["bytes_present"] and first["excerpt_verbatim"] and first["claim_supported"]
        for wrong in ("0b0e7a52-0000-4000-8000-000000000000", "../x", "catalogue"):
            refusal = await client.call_tool(
                "verify_research", {"task_id": wrong}, raise_on_error=False
            )
            assert refusal.is_error and refusal.structured_content["error"] == "unknown_task"


def test_the_command_tells_each_citation_and_ends_with_1_when_one_does_not_hold(
    done: tuple[Home, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home, task = done
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(home.root))
    assert cli.main(["verify", task]) == 0
    told = capsys.readouterr().out
    assert "excerpt verbatim yes, claim supported NO" in told and "2 of 2 citations hold" in told
    assert re.search(r"^\[1\] holds  http\S+\n\[2\] holds  http", told, re.M), (
        "no more of what is well"
    )
    _blob(home, TEXT.encode()).unlink()
    assert cli.main(["verify", task]) == 1
    assert "0 of 2 citations hold" in capsys.readouterr().out
    assert cli.main(["verify", task, "--json"]) == 1


def test_a_locator_stays_words_in_markdown(tmp_path: Path) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    evil = "/x|](javascript:alert(1))\n# hello <b>"
    task = past.completed("Why?", citations=[citation(1, 0, 47, locator=evil)])
    reply = verify_research(past.built.home, task).model_dump(mode="json")
    told = in_markdown(reply)
    assert "NOT verified" in told and "\n# hello" not in told and "|](java" not in told


EVIL = "/x\x1b]0;title\x07\x1b[2J\u202ey\n[2] holds  /z"


def test_a_locator_steers_no_terminal_and_adds_no_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    task = past.completed("Why?", citations=[citation(1, 0, 47, locator=EVIL)])
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(past.built.root))
    assert cli.main(["verify", task]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert all(line.isprintable() for line in lines)
    assert sum(line.startswith("[") for line in lines) == 1


@pytest.mark.anyio
async def test_the_tool_tells_nothing_that_nobody_sees(tmp_path: Path) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    task = past.completed(
        "Why?",
        citations=[citation(1, 0, 47, locator=f"{EVIL}{hidden}")],
        sentences=[{"text": f"It is the air.{hidden}\x1b[2J", "citations": [1], "support": 1.0}],
    )
    core = Core(Settings(home=past.built.root, prewarm=False))
    async with Client(build_server(core)) as client:
        told = await client.call_tool("verify_research", {"task_id": task})
    said = told.content[0].text + json.dumps(told.structured_content, ensure_ascii=False)
    assert hidden not in said and "\x1b" not in said and "\\u001b" not in said
    assert "\u202e" not in said and "It is the air." in said


def test_pages_are_fetched_again_through_the_one_fetcher(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    with serving() as site:
        site.robots = b"User-agent: *\nDisallow: /private"
        kept = {"content_hash": digest(PAGE)}
        places: list[tuple[str, dict[str, str]]] = [
            ("/page", kept),
            ("/redirect/1", kept),
            ("/page", {}),
            ("/status/404", {}),
            ("/private/page", {}),
            ("/status/403", {}),
        ]
        cited = [
            citation(number, 0, 47, locator=site.url(path), **more)
            for number, (path, more) in enumerate(places, 1)
        ]
        task = past.completed("Why is the sky blue?", citations=cited)
        monkeypatch.setenv("RESEARCH_AGENT_HOME", str(past.built.root))
        monkeypatch.setenv("RESEARCH_AGENT_FETCH_ALLOW_HOSTS", site.host)
        monkeypatch.setenv("RESEARCH_AGENT_FETCH_DELAY_S", "0")
        code = cli.main(["verify", task, "--refetch", "--json"])
        asked = site.paths()
    assert code == 1, "the record does not say that these were read"
    drift = [each["now"]["drift"] for each in json.loads(capsys.readouterr().out)["citations"]]
    gone = ["gone", "unreachable", "unreachable"]
    assert drift == ["unchanged", "moved", "changed", *gone]
    assert "/private/page" not in asked and asked.count("/status/404") == 1


@pytest.mark.parametrize(
    ("holds", "told"),
    [
        ([True], "1 of 1 citation holds"),
        ([False], "0 of 1 citation holds"),
        ([True, False], "1 of 2 citations holds"),
    ],
)
def test_citations_are_counted_as_a_person_would(holds: list[bool], told: str) -> None:
    checks = ("source_read", "bytes_present", "hash_equal", "excerpt_verbatim")
    cited = [
        dict.fromkeys(checks, held)
        | {
            "number": 1,
            "locator": "a",
            "claim_supported": None,
            "support": None,
            "detail": "",
            "now": None,
        }
        for held in holds
    ]
    record = {"proven": True, "faults": [], "notes": [], "streams": 1, "records": 1, "blobs": 1}
    reply = {"task": "t", "verified": True, "claims_supported": None, "record": record}
    shown = in_markdown(reply | {"citations": cited, "sentences": []})
    assert f"- {told}." in shown
    assert "proven: 1 stream, 1 record, 1 blob." in shown
