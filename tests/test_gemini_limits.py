"""What a Gemini research may read and count as a source: the limits of its caller, and no page twice."""

from collections.abc import Sequence
from typing import Any

import pytest

from actors.kinds import claude_rules
from actors.kinds.claude_sites import Sites
from actors.outside import Page
from actors.replay import replay
from actors.reports.cited_sources import Reach, read_sources
from actors.reports.interaction import Cited, Draft
from actors.reports.report_rules import FOURTH, THIRD
from events.base import Blob, Fact
from events.catalogue import Constraints
from events.codec import digest
from events.home import Home
from tests.gemini_emulator import GeminiEmulator
from tests.gemini_tasks import (
    QUESTION,
    emulator,
    enter,
    facts,
    found,
    provider,
    run,
    world,
)

__all__ = ["emulator", "provider"]


# -- the caller's limits ---------------------------------------------------------------------------


def limited(**limits: Any) -> dict[str, Any]:
    return {"constraints": Constraints(**limits, said=tuple(sorted(limits)))}


def test_no_more_sources_are_read_than_the_caller_allows(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.cited = ["gone", "study", "review", "opinion"]
    task = enter(home, **limited(max_sources=2))
    run(home, task, world(provider))
    read = [each["title"] for each in facts(home, task, "source_read")]
    assert read == ["The study", "The review"], "what cannot be read takes no place"
    told = found(home, task)
    assert {each["title"] for each in told["citations"]} <= set(read)
    (gap,) = [each for each in told["gaps"] if each["category"] == "budget_exhausted"]
    assert gap["topic"] == "Left unread: opinion"
    assert gap["detail"] == "The limit of 2 sources was reached."
    assert told["cost_metadata"]["budget_exhausted"]
    assert told["grounding"]["sources"][-1]["reason"] == gap["detail"]
    assert replay(home, task).differences == []


def test_no_more_than_twice_as_many_are_tried(home: Home, provider: GeminiEmulator) -> None:
    provider.cited = ["gone", "away", "study", "review"]
    task = enter(home, **limited(max_sources=1))
    run(home, task, world(provider))
    assert facts(home, task, "source_read") == []
    assert [request.path for request in provider.asked("GET", "/redirect/")] == [
        "/redirect/gone",
        "/redirect/away",
    ]


def test_only_sites_that_the_caller_names_are_read(home: Home, provider: GeminiEmulator) -> None:
    elsewhere, here, before = (
        enter(home, **limited(source_filter=sites)) for sites in ("nasa.gov", "127.0.0.1", "x.org")
    )
    run(home, elsewhere, world(provider))
    assert provider.asked("GET", "/redirect/") == []
    order = provider.asked("POST", "interactions")[0].json
    assert order["input"].endswith("Use no other sources than those on these sites: nasa.gov.")
    told = found(home, elsewhere)
    assert told["citations"] == []
    assert {(each["category"], each["detail"]) for each in told["gaps"]} == {
        ("access_denied", "It is outside the sites that may be read.")
    }
    run(home, here, world(provider))
    assert len(facts(home, here, "source_read")) == 3
    run(home, before, world(provider), rules=THIRD.name)
    assert len(facts(home, before, "source_read")) == 3, "by the rules of its time"
    assert provider.created[-1] == QUESTION
    for task in (elsewhere, here, before):
        assert replay(home, task).differences == []


class Led:
    """A desk whose pages lie elsewhere than at their addresses."""

    def __init__(self, **leads: str) -> None:
        self._leads, self.noted = leads, list[Fact]()

    def fetch(self, urls: Sequence[str]) -> list[Page]:
        blob = Blob(hash=digest(b"text"), size=4, stored=digest(b"text"))
        return [
            Page(
                url=url, final_url=self._leads[url[-1]], title="", media_type="text/plain",
                original=blob, text=blob, fetched_at="2026-11-16T00:00:00+00:00",
            )
            for url in urls
        ]  # fmt: skip

    def text(self, text_hash: str) -> str:
        return "text"

    def note(self, *facts: Fact) -> None:
        self.noted += facts


def test_where_an_address_leads_decides_whether_it_may_be_read() -> None:
    given = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/"
    urls = f"{given}a", f"{given}b", "https://b.example/b"
    draft = Draft("Text.", tuple(Cited(url, None, 0, 4) for url in urls))
    desk = Led(a="https://a.example/", b="https://b.example/")
    allows = Sites("a.example", claude_rules.PRESENT).allow
    sources = read_sources(draft, desk, Reach(allows=allows))  # type: ignore[arg-type]
    assert list(sources.pages) == [f"{given}a"]
    assert {url: why for url, (_, why) in sources.unread.items()} == {
        urls[1]: "It leads to https://b.example/, outside the sites that may be read.",
        urls[2]: "It is outside the sites that may be read.",
    }
    assert [fact.kind for fact in desk.noted] == ["page_kept", "source_read", "page_kept"]


def test_a_job_that_searched_oftener_than_allowed_is_said_to_have(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.steps = lambda: [  # type: ignore[method-assign]
        each
        for each in GeminiEmulator.steps(provider)
        if not each["type"].startswith("google_search")
    ]
    try:
        tight, wide = (enter(home, **limited(max_iterations=rounds)) for rounds in (3, 12))
        for task in (tight, wide):
            run(home, task, world(provider))
    finally:
        del provider.steps
    told = found(home, tight)
    assert told["gaps"][0]["detail"] == (
        "The provider's job made 12 searches where 3 rounds had been allowed: a job has no limit "
        "that could be set."
    )
    assert told["cost_metadata"]["budget_exhausted"]
    assert not found(home, wide)["cost_metadata"]["budget_exhausted"]


def test_one_page_behind_several_addresses_is_one_witness(
    home: Home, provider: GeminiEmulator
) -> None:
    text = "Heat pumps cut emissions by 60% in cold climates."
    addresses = [provider.cited_url("study"), f"{provider.url}/pages/study"]
    marks = [
        {"type": "url_citation", "url": url, "start_index": 0, "end_index": len(text)}
        for url in addresses
    ]
    output = {"type": "text", "text": text, "annotations": marks}
    steps = [{"type": "model_output", "content": [output]}]
    provider.pages["study"] = f"<p>A study from Oslo.</p><p>{text}</p>"

    def trusted(rules: str | None = None) -> tuple[float, int]:
        task = enter(home)
        run(home, task, world(provider), rules=rules)
        return found(home, task)["citations"][0]["confidence"], len(
            facts(home, task, "source_read")
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(provider, "steps", lambda: steps)
        now, before = trusted(), trusted(FOURTH.name)
        marks.pop()
        alone = trusted()
    assert now == alone and alone[1] == 1
    assert before[0] == pytest.approx(alone[0] + 0.1) and before[1] == 2, "by the rules of its time"


def test_a_report_that_cites_nothing_says_so(home: Home, provider: GeminiEmulator) -> None:
    output = {"type": "text", "text": "Heat pumps cut emissions.", "annotations": []}
    steps = [{"type": "model_output", "content": [output]}]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(provider, "steps", lambda: steps)
        now, before = enter(home), enter(home)
        run(home, now, world(provider))
        run(home, before, world(provider), rules=FOURTH.name)
    [gap] = found(home, now)["gaps"]
    assert gap["category"] == "source_not_found" and "cites no source" in gap["detail"]
    assert found(home, before)["gaps"] == []


@pytest.mark.parametrize("unseen", ["\u200b", " \u2800\n", "\u3164\u200d"])
def test_a_report_in_which_nothing_can_be_seen_is_none(
    home: Home, provider: GeminiEmulator, unseen: str
) -> None:
    output = {"type": "text", "text": unseen, "annotations": []}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(provider, "steps", lambda: [{"type": "model_output", "content": [output]}])
        seen = run(home, enter(home), world(provider))
    assert (seen.phase, seen.failure_code) == ("failed", "job_failed")
    assert "without a report" in (seen.failure_message or "")
