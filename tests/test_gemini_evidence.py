"""A Gemini report held against its sources: by words and meaning, for contradictions, by the rules of its time."""

import threading
from collections.abc import Sequence
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.kinds import claude_rules
from actors.kinds.claude_sites import Sites
from actors.outside import Page
from actors.ports import Corpus
from actors.replay import replay
from actors.reports.cited_sources import Reach, read_sources
from actors.reports.interaction import Cited, Draft
from actors.reports.report_rules import FIRST, FOURTH, PRESENT, SECOND, THIRD, report_rules_called
from actors.reports.support import combined
from actors.researcher import Researcher
from contracts.evidence.verifying import verify_research
from events.base import Blob, Fact
from events.catalogue import Constraints
from events.codec import decode, digest
from events.errors import BadRequest, ModelUnavailable
from events.home import Home
from projections.views import Views
from tests.gemini_emulator import LOOSE, REPORT, GeminiEmulator
from tests.gemini_tasks import (
    BRISK,
    QUESTION,
    NoCorpus,
    emulator,
    enter,
    facts,
    provider,
    run,
    world,
)

__all__ = ["emulator", "provider"]

CUT = "Heat pumps cut emissions of old houses in cold climates by 60% a year"
OTHER = "Heat pumps cut emissions of old houses in cold climates by 35% a year"


def found(home: Home, task: str) -> dict[str, Any]:
    return Views(home).result(task).result


class Meaning(NoCorpus):
    """A model that finds everything alike, and counts what it is asked."""

    def __init__(self, alike: float | None) -> None:
        self.alike, self.asked = alike, list[tuple[str, list[str]]]()

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        self.asked.append((question, list(texts)))
        return [self.alike] * len(texts)


class Broken(NoCorpus):
    """A model that cannot be loaded."""

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        raise ModelUnavailable("letters", "its file is gone")


# -- marks -----------------------------------------------------------------------------------------


def test_a_report_that_annotates_its_marks_alone_is_checked_like_any_other(
    home: Home, provider: GeminiEmulator
) -> None:
    addresses = [provider.cited_url(page) for page in provider.cited]
    listed = "".join(f"{n}. [site{n}.example]({url})\n" for n, url in enumerate(addresses, 1))
    provider.marks_only = True
    provider.report = REPORT.replace(" [cite: 2].", ". [cite: 2]") + f"\n**Sources:**\n{listed}"
    task = enter(home)
    run(home, task, world(provider))
    told = found(home, task)
    assert told["grounding"]["outcomes"] == ["supported", "supported", "not_found", "unreachable"]
    assert [each["text"] for each in told["sentences"]][1] == f"{LOOSE}."
    named = [each["title"] for each in told["grounding"]["sources"]]
    assert named == ["The study", "The review", "The opinion", "site4.example"]
    assert "site4.example" in {each["topic"] for each in told["gaps"]}
    assert replay(home, task).differences == []


# -- meaning ---------------------------------------------------------------------------------------


def test_each_cited_sentence_is_compared_by_meaning_too_and_the_record_has_it(
    home: Home, provider: GeminiEmulator
) -> None:
    task, model = enter(home), Meaning(0.91)
    run(home, task, world(provider), model)
    checked = facts(home, task, "sentence_checked")
    assert [each["similarity"] for each in checked] == [0.91, 0.91, 0.91, None]
    assert found(home, task)["grounding"]["similarities"] == [0.91, 0.91, 0.91, None]
    assert [sentence for sentence, _ in model.asked] == [each["sentence"] for each in checked[:3]]
    excerpts = [each["raw_excerpt"] for each in found(home, task)["citations"]]
    assert [texts for _, texts in model.asked] == [[each] for each in excerpts]
    asked = [each for each in facts(home, task, "call_asked") if each["port"] == "corpus"]
    assert len(asked) == 1, "however many sentences there are"


def test_a_replay_reads_from_the_record_what_a_model_thought(
    home: Home, provider: GeminiEmulator
) -> None:
    task = enter(home)
    run(home, task, world(provider), Meaning(0.66))
    again = replay(home, task)
    assert (again.differences, again.citations) == ([], 3)


NEAR = "# Heat pumps\n\nOld radiators rarely trouble anybody who wants a pump in cold winters [cite: 1].\n"


@pytest.mark.parametrize(("alike", "counted"), [(0.95, 1), (0.2, 0), (None, 0)])
def test_meaning_decides_where_words_leave_it_open(
    home: Home, provider: GeminiEmulator, alike: float | None, counted: int
) -> None:
    provider.report, provider.cited = NEAR, ["opinion"]
    task = enter(home)
    run(home, task, world(provider), Meaning(alike))
    tally = found(home, task)["grounding"]
    [words] = tally["supports"]
    assert 0.4 < words < 0.5, "a case that words alone leave open"
    assert tally["in_other_words"] == counted
    assert (combined(words, alike) >= 0.5) is bool(counted)
    shown = "in the source in other words" if counted else "not in the source"
    assert f"({shown}, [1])" in Views(home).result(task).report
    [checked] = verify_research(home, task).sentences
    assert (checked.outcome == "supported") is bool(counted)
    assert checked.support == combined(words, alike)


def test_a_model_that_fails_costs_no_report(home: Home, provider: GeminiEmulator) -> None:
    task = enter(home)
    assert run(home, task, world(provider), Broken()).phase == "completed"
    assert found(home, task)["grounding"]["similarities"] == [None] * 4
    assert [each["code"] for each in facts(home, task, "call_failed")][-1] == "model_unavailable"
    assert replay(home, task).differences == []


def test_what_cannot_be_seen_in_a_sentence_does_not_part_it_from_its_check(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.report = NEAR.replace("rarely", "rare\u202ely")
    provider.cited = ["opinion"]
    task = enter(home)
    run(home, task, world(provider), Meaning(0.95))
    assert (
        facts(home, task, "sentence_checked")[0]["sentence"]
        == (found(home, task)["sentences"][0]["text"])
    )
    assert verify_research(home, task).sentences[0].outcome == "supported"


class Interrupted(NoCorpus):
    """A model that is still at work when the research is told to stop."""

    def __init__(self) -> None:
        self.stop, self.over = threading.Event(), threading.Event()

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        self.stop.set()
        self.over.wait(30)
        return [1.0] * len(texts)


def researcher(home: Home, task: str, model: Corpus, provider: GeminiEmulator) -> Researcher:
    archive = LocalArchive(home)
    brief = archive.brief(task)
    return Researcher(
        archive, model, f"{task}.r1", "gemini", QUESTION, brief, world(provider), BRISK
    )


def test_a_report_survives_a_stop_while_its_sentences_are_compared(
    home: Home, provider: GeminiEmulator
) -> None:
    task, model = enter(home), Interrupted()
    made = researcher(home, task, model, provider)
    model.stop = made.stop
    report = made.run()
    model.over.set()
    assert report.findings
    kept = decode(home.blobs.get(report.findings.hash))
    assert kept["answer"] == REPORT.strip()
    assert kept["grounding"]["similarities"] == [None] * 4
    assert kept["grounding"]["supported"] == 2
    run(home, task, world(provider))
    assert replay(home, task).differences == []


def test_a_comparison_that_was_cut_is_not_made_by_who_goes_on_after_a_crash(
    home: Home, provider: GeminiEmulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(**_: Any) -> None:
        raise KeyboardInterrupt

    task, model = enter(home), Interrupted()
    made = researcher(home, task, model, provider)
    model.stop = made.stop
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("actors.researcher.ResearchFinished", killed)
        made.run()
    model.over.set()
    report = researcher(home, task, Meaning(0.9), provider).run()
    assert (report.failure, report.message) == (None, None)
    assert report.findings
    kept = decode(home.blobs.get(report.findings.hash))
    assert kept["grounding"]["similarities"] == [None] * 4


# -- contradictions --------------------------------------------------------------------------------


def opposed(provider: GeminiEmulator) -> None:
    """A report that cites two pages which give different figures for the same thing."""
    provider.report = f"# Heat pumps\n\n{CUT} [cite: 1]. {OTHER} [cite: 2].\n"
    provider.cited = ["yes", "no"]
    provider.pages = {
        "yes": f"<p>A study from Oslo.</p><p>{CUT}.</p><p>It was paid for by the city.</p>",
        "no": f"<p>Measured in Turku.</p><p>{OTHER}.</p><p>Nobody paid for this one.</p>",
    }


def test_sources_that_contradict_each_other_are_found_out(
    home: Home, provider: GeminiEmulator
) -> None:
    opposed(provider)
    task = enter(home)
    run(home, task, world(provider))
    told = found(home, task)
    assert told["confidence_factors"]["contradiction_detected"]
    [gap] = [each for each in told["gaps"] if each["category"] == "contradictory_sources"]
    assert "60% or 35%" in gap["topic"]
    pages = [f"{provider.url}/pages/{name}" for name in ("yes", "no")]
    assert gap["detail"] == f"[1] {pages[0]} says 60%, [2] {pages[1]} says 35%."
    [event] = told["discovery_events"]
    assert (event["type"], event["source_locator"]) == ("contradiction", pages[1])
    [question] = told["open_questions"]
    assert (question["priority"], "60% or 35%?" in question["question"]) == ("high", True)
    assert [each["disputes"] for each in told["sentences"]] == [[2], [1]]
    assert "(in the source, [1], but see [2])" in Views(home).result(task).report
    kinds = {"gap_found": 1, "discovery_made": 1, "question_opened": 1}
    assert {kind: len(facts(home, task, kind)) for kind in kinds} == kinds
    assert replay(home, task).differences == []


def test_a_contradiction_lowers_what_the_report_and_its_citations_are_worth(
    home: Home, provider: GeminiEmulator
) -> None:
    opposed(provider)
    against = enter(home)
    run(home, against, world(provider))
    provider.pages["no"] = provider.pages["no"].replace("35%", "60%")
    provider.report = provider.report.replace("35%", "60%")
    agreed = enter(home)
    run(home, agreed, world(provider))
    one, other = found(home, against), found(home, agreed)
    assert not other["confidence_factors"]["contradiction_detected"]
    assert other["confidence"] - one["confidence"] == pytest.approx(0.1, abs=0.011)
    lost = [
        a["confidence"] - b["confidence"]
        for a, b in zip(other["citations"], one["citations"], strict=True)
    ]
    assert lost == pytest.approx([0.2, 0.2])


def test_a_copy_of_a_page_contradicts_nobody(home: Home, provider: GeminiEmulator) -> None:
    opposed(provider)
    both = f"<p>A study from Oslo.</p><p>{CUT}.</p><p>{OTHER}.</p><p>Paid for by the city.</p>"
    provider.pages = {"yes": both, "no": f"{both} "}
    task = enter(home)
    run(home, task, world(provider))
    assert not found(home, task)["confidence_factors"]["contradiction_detected"]


def test_a_figure_that_its_own_source_contradicts_is_told_with_both_figures(
    home: Home, provider: GeminiEmulator
) -> None:
    opposed(provider)
    provider.report = f"# Heat pumps\n\n{CUT.replace('60%', '90%')} [cite: 1].\n"
    task = enter(home)
    run(home, task, world(provider), Meaning(0.99))
    told = found(home, task)
    assert told["grounding"]["in_other_words"] == 0, "another figure is no other wording"
    assert told["confidence_factors"]["contradiction_detected"]
    [gap] = [each for each in told["gaps"] if each["category"] == "contradictory_sources"]
    assert gap["topic"] == f"{CUT.replace('60%', '90%')}."
    assert gap["detail"] == f"The report says 90%, [1] {provider.url}/pages/yes says 60%."
    assert told["discovery_events"] == []


def test_each_sentence_that_its_sources_do_not_say_is_a_gap(
    home: Home, provider: GeminiEmulator
) -> None:
    task = enter(home)
    run(home, task, world(provider))
    gaps = {each["topic"]: each for each in found(home, task)["gaps"]}
    unsaid = gaps["Étude à part, old radiators are seldom a problem."]
    assert unsaid["category"] == "source_not_found"
    [value] = [
        each["support"]
        for each in facts(home, task, "sentence_checked")
        if each["outcome"] == "not_found"
    ]
    assert unsaid["detail"] == f"Not supported: The passages cited for it say {value:.0%} of it."


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


# -- the rules of a record -------------------------------------------------------------------------


def test_a_record_without_rules_is_run_again_by_the_first_ones(
    home: Home, provider: GeminiEmulator
) -> None:
    opposed(provider)
    task, model = enter(home), Meaning(0.9)
    run(home, task, world(provider), model, rules=FIRST.name)
    [taken] = facts(home, task, "assignment_taken")
    assert "rules" not in taken, "spelled as it always was"
    told = found(home, task)
    assert not told["confidence_factors"]["contradiction_detected"]
    assert (model.asked, "similarities" in told["grounding"]) == ([], False)
    assert replay(home, task).differences == []


def test_sources_that_are_named_for_no_part_of_a_report_are_its_sources_all_the_same(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.placeless = True
    task, before = enter(home), enter(home)
    run(home, task, world(provider))
    run(home, before, world(provider), rules=SECOND.name)
    tally = found(home, task)["grounding"]
    named = [each["title"] for each in tally["sources"]]
    assert named == ["The study", "The review", "The opinion", "gone"]
    assert tally["outcomes"] == [], "nobody knows which sentence cites which"
    assert found(home, before)["grounding"]["sources"] == []
    assert replay(home, task).differences == replay(home, before).differences == []


def test_a_new_record_names_the_rules_of_today(home: Home, provider: GeminiEmulator) -> None:
    task = enter(home)
    run(home, task, world(provider))
    [taken] = facts(home, task, "assignment_taken")
    assert taken["rules"] == PRESENT.name
    with pytest.raises(BadRequest, match="gemini-report-99"):
        report_rules_called("gemini-report-99")
