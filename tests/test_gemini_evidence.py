"""A Gemini report held against its sources: by words and meaning, for contradictions, by the rules of its time."""

import threading
from collections.abc import Sequence
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.ports import Corpus
from actors.replay import replay
from actors.reports.report_rules import FIRST, PRESENT, SECOND, SIXTH, report_rules_called
from actors.reports.support import combined
from actors.researcher import Researcher
from contracts.evidence.verifying import verify_research
from events.catalogue import Constraints
from events.codec import decode
from events.errors import BadRequest, ModelUnavailable
from events.home import Home
from projections.views import Views
from tests.gemini_emulator import EXACT, LOOSE, REPORT, GeminiEmulator
from tests.gemini_tasks import (
    BRISK,
    QUESTION,
    NoCorpus,
    emulator,
    enter,
    facts,
    found,
    provider,
    run,
    world,
)

__all__ = ["emulator", "provider"]

CUT = "Heat pumps cut emissions of old houses in cold climates by 60% a year"
OTHER = "Heat pumps cut emissions of old houses in cold climates by 35% a year"


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


# -- words -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("report", "told"),
    [
        (
            f"{EXACT} [cite: 1].\n",
            "Of 1 sentence that cites a source, 1 stands there word for word.",
        ),
        (
            f"{EXACT} [cite: 1]. {LOOSE} [cite: 2].\n",
            "Of 2 sentences that cite a source, 2 stand there word for word.",
        ),
        (
            "The Moon is made of green cheese [cite: 1]. Subsidies doubled in a year [cite: 4].\n",
            "Of 2 sentences that cite a source, none stands there word for word, 1 does not and of 1 no "
            "source could be read.",
        ),
        (
            "Subsidies doubled in a year [cite: 4].\n",
            "1 sentence cites a source; none of its sources could be read.",
        ),
        (f"{EXACT}.\n", "No sentence of it cites a source."),
    ],
)
def test_a_report_counts_its_sentences_as_a_person_would(
    home: Home, provider: GeminiEmulator, report: str, told: str
) -> None:
    provider.report = report
    task, before = enter(home), enter(home)
    run(home, task, world(provider))
    run(home, before, world(provider), rules=SIXTH.name)
    assert f". {told}\n" in Views(home).result(task).report
    assert "that cite a source, " in Views(home).result(before).report
    assert replay(home, task).differences == replay(home, before).differences == []


def test_where_nothing_comes_near_a_sentence_no_passage_is_said_to(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.report = "The Moon is made of green cheese [cite: 1].\n"
    task = enter(home)
    run(home, task, world(provider))
    assert [each["detail"] for each in found(home, task)["gaps"]] == [
        "1 cited sentence of 1 could not be found in the cited pages.",
        "Not supported: No passage of its sources comes near it.",
    ]


def test_a_report_whose_sources_are_of_no_sentence_says_so_in_plain_words(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.placeless = True
    task, single = enter(home), enter(home)
    run(home, task, world(provider))
    provider.report = f"{EXACT} [cite: 1].\n"
    run(home, single, world(provider))
    assert found(home, task)["gaps"][0]["detail"] == (
        "None of the 4 sentences of the report cites a source: they could not be checked."
    )
    assert found(home, single)["gaps"][0]["detail"] == (
        "The one sentence of the report cites no source: it could not be checked."
    )


def test_the_list_of_sources_of_a_report_does_not_make_it_less_sure(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.report = f"{EXACT} [cite: 1].\n"
    bare, listing = enter(home), enter(home)
    run(home, bare, world(provider))
    titles = "".join(
        f"{n}. [What study number {n} says of heat pumps]({provider.cited_url('study')})\n"
        for n in range(1, 20)
    )
    provider.report += f"\n**Sources:**\n{titles}"
    run(home, listing, world(provider))
    assert found(home, listing)["confidence"] == found(home, bare)["confidence"]
    assert found(home, listing)["gaps"] == []


def test_no_blank_stands_before_a_japanese_full_stop(home: Home, provider: GeminiEmulator) -> None:
    said = "ヒートポンプは寒冷地で排出量を六割減らします"
    provider.pages["study"] = f"<p>{said}。</p>"
    provider.report = f"{said} [cite: 1]。\n"
    task = enter(home)
    run(home, task, world(provider))
    assert found(home, task)["sentences"][0]["text"] == f"{said}。"
    assert facts(home, task, "sentence_checked")[0]["match"] == "exact"


def test_an_address_that_is_none_of_the_web_is_called_that(
    home: Home, provider: GeminiEmulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider, "cited_url", lambda page: f"ftp://x.example/{page}")
    task, narrowed = enter(home), enter(home, constraints=Constraints(source_filter="nasa.gov"))
    run(home, task, world(provider))
    monkeypatch.setattr(provider, "cited_url", lambda page: f"https://x.example/{page}")
    run(home, narrowed, world(provider))
    told = {each["reason"] for each in found(home, task)["grounding"]["sources"]}
    assert told == {"Its address is none of the web: only http and https are read."}
    told = {each["reason"] for each in found(home, narrowed)["grounding"]["sources"]}
    assert told == {"It is outside the sites that may be read."}
