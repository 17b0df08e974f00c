"""Findings of several researchers put together, claim by claim."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.budgeting import Member
from actors.conclusion import conclude, of_the_work, together
from actors.findings import Citation, DiscoveryEvent, Findings, Gap, OpenQuestion, Statement
from actors.merging.claims import merge
from actors.merging.contributions import EARLIER, Contribution
from actors.merging.same_claims import KnownClaims
from actors.reports.excerpts import is_verbatim
from events.catalogue import Brief
from events.codec import canonical
from events.task import StopReason
from tests.made_findings import FACTORS, Library, made, member

QUESTION = "How much electricity does the La Rance station generate each year?"
YIELD = "The La Rance station generates about 500 GWh of electricity each year."
MORE = "The La Rance station generates about 600 GWh of electricity each year."
AGAIN = "Each year about 500 GWh of electricity is what the La Rance station generates."
DIVERS = "Forty divers maintain the turbines of the barrage."


@pytest.fixture
def library() -> Library:
    return Library()


def page(words: str, about: str) -> str:
    return f"{words} This is a page on {about}, written by its makers for its readers in the year."


def first(library: Library, **members: Any) -> Contribution:
    cited = library.citation(1, "http://a.example/rance", page(YIELD, "power"), YIELD)
    return Contribution("claude", QUESTION, made(QUESTION, (YIELD, cited), **members))


def further(
    library: Library, words: str, locator: str = "http://b.example/x", **members: Any
) -> Contribution:
    cited = library.citation(1, locator, page(words, "upkeep of machines"), words)
    asked = "Who maintains the turbines?"
    return Contribution("claude", asked, made(asked, (words, cited), **members))


def test_what_another_found_follows_the_leading_answer_under_its_question(library: Library) -> None:
    whole = merge(QUESTION, [first(library), further(library, DIVERS)], library)
    assert whole.answer == f"{YIELD} [1]\n\n**Who maintains the turbines?**\n\n{DIVERS} [2]"
    assert [each.citations for each in whole.sentences] == [(1,), (2,)]
    assert [each.number for each in whole.citations] == [1, 2]
    assert whole.parts == (QUESTION, "Who maintains the turbines?")
    assert (whole.tokens_used, whole.iterations_run) == (2_000, 2)


def test_the_same_claim_joins_its_citations_and_counts_as_corroborated(library: Library) -> None:
    alone = merge(QUESTION, [first(library), further(library, DIVERS)], library)
    whole = merge(QUESTION, [first(library), further(library, AGAIN)], library)
    assert [each.citations for each in whole.sentences] == [(1, 2)]
    assert whole.answer == f"{YIELD} [1][2]"
    assert whole.confidence_factors.num_corroborating_sources == 2
    assert whole.confidence > alone.confidence


def test_the_same_passage_is_one_citation(library: Library) -> None:
    lead = first(library)
    same = Contribution("claude", "What does it yield?", lead.findings)
    whole = merge(QUESTION, [lead, same], library)
    assert len(whole.citations) == 1 and len(whole.sentences) == 1
    assert whole.confidence == lead.findings.confidence, "nothing was added"
    assert whole.answer == lead.findings.answer


def test_excerpts_that_disagree_become_a_gap_and_lower_the_confidence(library: Library) -> None:
    whole = merge(QUESTION, [first(library), further(library, MORE)], library)
    [gap] = whole.gaps
    assert gap.category == "contradictory_sources"
    assert "500 GWh or 600 GWh" in gap.topic
    assert gap.detail == (
        "[1] http://a.example/rance says 500 GWh, [2] http://b.example/x says 600 GWh."
    )
    assert [each.disputes for each in whole.sentences] == [(2,), (1,)]
    assert whole.confidence_factors.contradiction_detected
    assert "(but see [2])" in whole.answer


def test_a_copy_of_the_same_page_elsewhere_contradicts_nobody(library: Library) -> None:
    text = page(f"{YIELD} {MORE}", "power")
    one = library.citation(1, "http://a.example/1", text, YIELD)
    other = library.citation(1, "http://b.example/2", text + " ", MORE)
    whole = merge(
        QUESTION,
        [
            Contribution("claude", QUESTION, made(QUESTION, (YIELD, one))),
            Contribution("claude", "And now?", made("And now?", (MORE, other))),
        ],
        library,
    )
    assert whole.gaps == ()


def test_a_gap_that_a_later_one_closed_is_gone_and_others_stay(library: Library) -> None:
    gaps = (
        Gap(
            topic="who maintains the turbines", category="source_not_found", detail="No page says."
        ),
        Gap(topic="the price of the lock gates", category="source_not_found", detail="Nothing."),
        Gap(topic="http://c.example/", category="access_denied", detail="A wall."),
    )
    whole = merge(QUESTION, [first(library, gaps=gaps), further(library, DIVERS)], library)
    assert [gap.topic for gap in whole.gaps] == ["the price of the lock gates", "http://c.example/"]


def test_a_sentence_that_nothing_supported_stays_a_gap_until_something_does(
    library: Library,
) -> None:
    bare = Statement(text=DIVERS, citations=(), about=QUESTION)
    gap = Gap(topic=DIVERS, category="source_not_found", detail="Not supported: no page says it.")
    lead = first(library, gaps=(gap,))
    found = lead.findings.model_copy(update={"sentences": (*lead.findings.sentences, bare)})
    doubtful = Contribution("claude", QUESTION, found)
    assert merge(QUESTION, [doubtful, further(library, AGAIN)], library).gaps == (gap,)
    proven = merge(QUESTION, [doubtful, further(library, DIVERS)], library)
    assert proven.gaps == ()
    assert proven.sentences[1].citations == (2,)


def test_remarks_are_renumbered_with_the_citations_they_speak_of(library: Library) -> None:
    odd = DiscoveryEvent(
        type="contradiction",
        suggested_researcher=None,
        query="the yield",
        reason="[1] gives 40, [9] nobody knows.",
        source_locator=None,
    )
    asked = OpenQuestion(
        question="Which is right?", context="[1] disagrees.", priority="high", source_locator=None
    )
    other = further(library, DIVERS, discovery_events=(odd,), open_questions=(asked,))
    whole = merge(QUESTION, [first(library), other], library)
    assert whole.discovery_events[0].reason == "[2] gives 40, [9] nobody knows."
    assert whole.open_questions[0].context == "[2] disagrees."


def test_what_follows_from_nothing_that_was_read_is_not_added(library: Library) -> None:
    bare = Statement(text="Pigs fly there.", citations=(), about="Who?")
    other = Contribution("claude", "Who?", made("Who?").model_copy(update={"sentences": (bare,)}))
    assert merge(QUESTION, [first(library), other], library).answer == f"{YIELD} [1]"


def test_a_lead_that_found_nothing_leaves_the_word_to_others(library: Library) -> None:
    empty = Contribution("corpus", QUESTION, made(QUESTION))
    whole = merge(QUESTION, [empty, further(library, DIVERS)], library)
    assert whole.answer == f"**Who maintains the turbines?**\n\n{DIVERS} [1]"


def test_a_providers_report_leads_as_it_is(library: Library) -> None:
    from actors.findings import Grounding

    grounding = Grounding(
        supported=1, not_found=0, unreachable=0, outcomes=("supported",), sources=()
    )
    lead = first(library, answer="# A report\n\nAll of it.", grounding=grounding)
    whole = merge(
        QUESTION,
        [Contribution("gemini", QUESTION, lead.findings), further(library, DIVERS)],
        library,
    )
    assert whole.answer.startswith("# A report\n\nAll of it.\n\n**Who maintains")
    assert whole.grounding == grounding


def test_leads_that_were_followed_are_marked_and_the_crew_is_listed(library: Library) -> None:
    event = DiscoveryEvent(
        type="new_source", suggested_researcher="web", query="q", reason="r", source_locator=None
    )
    lead = member("t.r1", "claude", first(library, discovery_events=(event, event)).findings)
    sent = member("t.r2", "claude", further(library, DIVERS).findings, generation=1)
    assert sent.assigned.dispatch
    dispatch = sent.assigned.dispatch.model_copy(update={"place": 0})
    assigned = sent.assigned.model_copy(update={"dispatch": dispatch})
    lost = member("t.r3", "corpus", None, generation=1)
    crew = [
        lead,
        type(sent)(assigned, sent.findings, 1),
        type(lost)(lost.assigned, None, 0, 0.0, "internal", "It broke."),
    ]
    found = together(QUESTION, crew, library)
    assert found.discovery_events[0].dispatched_to == "t.r2"
    assert (
        found.gaps[-1].detail == "A further researcher (corpus) ended without findings: It broke."
    )
    concluded = conclude("t", Brief(question=QUESTION, researcher="claude"), crew, library)
    assert concluded
    result, report = concluded
    assert [each["researcher"] for each in result["researchers"]] == ["t.r1", "t.r2", "t.r3"]
    assert "- **r3** (corpus)" in report and "Ended without findings (`internal`)" in report


@pytest.mark.parametrize("stopped", ["cancelled", "timed_out"])
def test_of_a_task_that_was_stopped_it_is_said_once_that_it_was(
    library: Library, stopped: StopReason
) -> None:
    lost = member("t.r2", "claude", None, generation=1)
    cut = replace(lost, failure="call_cut", message="Stopped while waiting for claude.message:9#1.")
    crew = [member("t.r1", "claude", first(library).findings), cut]
    brief = Brief(question=QUESTION, researcher="claude")
    before = conclude("t", brief, crew[:1], library)
    concluded = conclude("t", brief, crew, library, stopped=stopped)
    assert before and concluded
    (result, report), late = concluded, stopped == "timed_out"
    (gap,) = result["gaps"]
    assert (gap["category"], gap.get("cancelled", False)) == (
        ("budget_exhausted", False) if late else ("scope_exceeded", True)
    )
    assert gap["detail"] in report and "claude.message" not in report
    assert result["cost_metadata"]["budget_exhausted"] is late
    assert result["confidence_factors"]["budget_exhausted"] is late
    assert (result["confidence"] < before[0]["confidence"]) is late


def test_a_search_for_a_work_brings_in_only_what_the_work_says(library: Library) -> None:
    lead = member("t.r1", "corpus", first(library).findings)
    asked = "Harcourt 1988: Who maintains the turbines?"
    own = library.citation(1, "/shelf/harcourt.md", page(DIVERS, "upkeep by Harcourt"), DIVERS)
    other = library.citation(2, "/shelf/else.md", page(AGAIN, "power"), AGAIN)
    sent = member("t.r2", "corpus", made(asked, (DIVERS, own), (AGAIN, other)), generation=1)
    assert sent.findings
    kept = of_the_work(sent, [lead, sent], sent.findings, library)
    assert [each.text for each in kept.sentences] == [DIVERS]
    strangers = made(
        asked, (AGAIN, other), gaps=(Gap(topic="x", category="source_not_found", detail="y"),)
    )
    nothing = of_the_work(
        member("t.r2", "corpus", strangers, generation=1), [lead, sent], strangers, library
    )
    assert (nothing.sentences, nothing.citations, nothing.gaps) == ((), (), ())


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (YIELD, AGAIN, True),
        (YIELD, MORE, False),
        (YIELD, YIELD.replace("generates", "does not generate"), False),
        (DIVERS, YIELD, False),
        ("…", "!", False),
    ],
)
def test_sentences_say_the_same_when_each_says_the_other(one: str, other: str, same: bool) -> None:
    assert (KnownClaims([one]).first_same(other) == 0) is same


CLASH = Gap(topic="the yield", category="contradictory_sources", detail="Two pages disagree.")


def test_a_contradiction_that_a_further_researcher_reports_counts(library: Library) -> None:
    lead = first(library)
    same = lead.findings.model_copy(update={"gaps": (CLASH,)})
    whole = merge(QUESTION, [lead, Contribution("claude", "What does it yield?", same)], library)
    assert whole.gaps == (CLASH,), "it added nothing else"
    assert whole.confidence_factors.contradiction_detected
    calm = merge(QUESTION, [lead, Contribution("claude", "What is it?", lead.findings)], library)
    assert not calm.confidence_factors.contradiction_detected


def test_a_report_shows_no_numbers_that_mean_other_citations(library: Library) -> None:
    def sent(name: str, origin: str, reason: str) -> Member:
        made_up = member(name, "claude", further(library, DIVERS).findings, generation=1)
        assert made_up.assigned.dispatch
        told = {"origin": origin, "reason": reason}
        dispatch = made_up.assigned.dispatch.model_copy(update=told)
        assigned = made_up.assigned.model_copy(update={"dispatch": dispatch})
        return replace(made_up, assigned=assigned)

    crew = [
        member("t.r1", "claude", first(library).findings),
        sent("t.r2", "t.r1", "[1] names nobody."),
        sent("t.r3", "t.r2", "[1] gives forty, [12] gives fifty."),
    ]
    concluded = conclude("t", Brief(question=QUESTION, researcher="claude"), crew, library)
    assert concluded
    report = concluded[1]
    assert "Sent after the discovery of r1: [1] names nobody." in report
    assert "Sent after the discovery of r2: […] gives forty, […] gives fifty." in report


# -- going on from an earlier task -----------------------------------------------------------------


def earlier(library: Library, **members: Any) -> Contribution:
    found = first(library, **{"tokens_used": 0, "iterations_run": 0} | members).findings
    return Contribution(EARLIER, QUESTION, found)


def continued(library: Library, *said: tuple[str, str], **members: Any) -> Contribution:
    """What a researcher found that was asked for several open points at once."""
    found = made(
        QUESTION,
        *(
            (words, library.citation(n, f"/shelf/{n}.md", page(words, f"upkeep {n}"), words))
            for n, (_, words) in enumerate(said, 1)
        ),
        parts=tuple(dict.fromkeys(part for part, _ in said)) or (QUESTION,),
        **members,
    )
    told = tuple(
        each.model_copy(update={"about": part})
        for each, (part, _) in zip(found.sentences, said, strict=True)
    )
    asked = "; ".join(found.parts)
    return Contribution("corpus", asked, found.model_copy(update={"sentences": told}))


def test_what_is_new_stands_under_the_open_points_it_answers(library: Library) -> None:
    gates = "Six sluices let the tide in."
    new = continued(library, ("Who maintains it?", DIVERS), ("How does water get in?", gates))
    whole = merge(QUESTION, [earlier(library), new], library)
    assert whole.answer == (
        f"- “{YIELD}” [1]\n\n**Who maintains it?**\n\n- “{DIVERS}” [2]\n\n"
        f"**How does water get in?**\n\n- “{gates}” [3]"
    )
    assert whole.parts == (QUESTION, "Who maintains it?", "How does water get in?")


def test_what_is_asked_again_stays_where_it_was(library: Library) -> None:
    new = continued(library, (QUESTION, DIVERS))
    whole = merge(QUESTION, [earlier(library), new], library)
    assert whole.answer == f"- “{YIELD}” [1]\n- “{DIVERS}” [2]"


@pytest.mark.parametrize("found", [True, False])
@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("now", [True, False])
def test_a_budget_is_exhausted_when_that_of_the_continuation_is(
    library: Library, found: bool, before: bool, now: bool
) -> None:
    factors = FACTORS.model_copy(update={"budget_exhausted": before})
    said = [("Who maintains it?", DIVERS)] if found else []
    whole = merge(
        QUESTION,
        [
            earlier(library, confidence_factors=factors),
            continued(library, *said, budget_exhausted=now),
        ],
        library,
    )
    assert whole.budget_exhausted is now
    assert whole.confidence_factors.budget_exhausted is now


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("now", [True, False])
def test_a_continuation_that_found_nothing_makes_nobody_surer(
    library: Library, before: bool, now: bool
) -> None:
    factors = FACTORS.model_copy(update={"budget_exhausted": before})
    lead = earlier(library, confidence_factors=factors, confidence=0.31)
    whole = merge(QUESTION, [lead, continued(library, budget_exhausted=now)], library)
    assert whole.confidence == 0.31
    assert whole.confidence_factors == factors.model_copy(update={"budget_exhausted": now})


# -- whatever is put together ----------------------------------------------------------------------

WORDS = [
    YIELD,
    MORE,
    AGAIN,
    DIVERS,
    "潮力発電所は年間500GWhを発電する。",
    "Six sluices let the tide in.",
]


@st.composite
def contributions(draw: st.DrawFn) -> tuple[Library, list[Contribution]]:
    library, given_ = Library(), list[Contribution]()
    for place in range(draw(st.integers(1, 4))):
        asked = QUESTION if not place else f"Question {place}?"
        said: list[tuple[str, Citation]] = []
        for number in range(1, 1 + draw(st.integers(0, 5))):
            words = draw(st.sampled_from(WORDS))
            site = draw(st.integers(0, 3))
            text = f"Site {site} has this. " + " ".join(draw(st.permutations(WORDS)))
            cited = library.citation(number, f"http://s{site}.example/", text, words)
            said.append((draw(st.sampled_from([words, draw(st.sampled_from(WORDS))])), cited))
        loose: dict[str, Any] = {
            "gaps": [
                {"topic": t, "category": c, "detail": f"[{n}] says so."}
                for t, c, n in draw(
                    st.lists(
                        st.tuples(
                            st.sampled_from(["the turbines of the barrage", "price of gates"]),
                            st.sampled_from(["source_not_found", "budget_exhausted"]),
                            st.integers(1, 9),
                        ),
                        max_size=3,
                    )
                )
            ],
            "tokens_used": draw(st.integers(0, 9_999)),
            "budget_exhausted": draw(st.booleans()),
        }
        kind = draw(st.sampled_from(["claude", "corpus", "earlier", "gemini"]))
        given_.append(Contribution(kind, asked, made(asked, *said, **loose)))
    return library, given_


@given(contributions())
@settings(max_examples=50, deadline=None)
def test_whatever_is_merged_every_citation_is_verbatim_and_every_number_means_one(
    built: tuple[Library, list[Contribution]],
) -> None:
    library, given_ = built
    whole = merge(QUESTION, given_, library)
    numbers = [each.number for each in whole.citations]
    assert numbers == list(range(1, len(numbers) + 1))
    places = [(each.text_hash, each.start, each.end) for each in whole.citations]
    assert len(set(places)) == len(places)
    for each in whole.citations:
        assert is_verbatim(each.raw_excerpt, library(each.text_hash), each.start, each.end)
    for said in whole.sentences:
        assert set(said.citations) <= set(numbers) and len(set(said.citations)) == len(
            said.citations
        )
        assert set(said.disputes) <= set(numbers) - set(said.citations)
    lead = given_[0].findings
    assert [each.text for each in whole.sentences[: len(lead.sentences)]] == [
        each.text for each in lead.sentences
    ]
    assert whole.tokens_used == sum(each.findings.tokens_used for each in given_)
    counted = given_ if whole.answer != lead.answer else given_[:1]
    if given_[0].kind == EARLIER:
        counted = given_[1:]
    assert whole.budget_exhausted is any(each.findings.budget_exhausted for each in counted)
    if whole.confidence_factors != lead.confidence_factors:
        assert whole.confidence_factors.budget_exhausted is whole.budget_exhausted
    assert 0.05 <= whole.confidence <= 0.95
    assert Findings.model_validate_json(canonical(whole)) == whole
    assert canonical(merge(QUESTION, given_, library)) == canonical(whole)
