"""A finished research is checked again: what holds is said to hold, and what was tampered with is found."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.inline import run_task
from actors.outside import Page
from contracts.verifying import CheckedCitation, Verification, verify_research
from events.base import Blob
from events.catalogue import Brief
from events.errors import AccessDenied, PageNotFound, ResearchError, TaskNotFinished, UnknownTask
from events.home import Home
from tests.claude_world import AT_ONCE, EmptyCorpus, Indoors, teach
from tests.emulator_claude import answer, sentence, tool, using

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
    run_task(LocalArchive(home), EmptyCorpus(), task, Indoors({RANCE: TEXT}, SCRIPT), AT_ONCE)
    yield home, task


def test_everything_that_is_cited_is_found_again(done: tuple[Home, str]) -> None:
    checked = verify_research(*done)
    assert checked.verified and len(checked.citations) == 2
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
