"""The researcher that thinks with Claude, when providers, pages and answers fail it."""

from typing import Any

import pytest

from actors.kinds.claude import research
from actors.kinds.claude_findings import NOTHING
from actors.kinds.claude_rules import FIRST, SECOND, THIRD
from actors.spending import SpendingCapReached
from events.catalogue import Brief
from events.errors import (
    AccessDenied,
    AnswerMalformed,
    BadRequest,
    CallCut,
    FetchTimeout,
    KeyRefused,
    PageNotFound,
    ProviderAway,
    ProviderBusy,
    ProviderFailed,
    ProviderSilent,
    RequestRefused,
    ResearchError,
    RobotsDenied,
    UnsupportedContent,
)
from events.research import CitationChecked
from tests.claude_asking import (
    FETCH,
    OTHER,
    QUESTION,
    RANCE,
    TRUE,
    USUAL,
    WEB,
    ask,
    categories,
    check_evidence,
)
from tests.claude_desk import Table
from tests.emulator_claude import answer, said, sentence, tool, using

# -- what goes wrong -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("failure", "category"),
    [
        (AccessDenied(OTHER, "it answered 403", {}), "access_denied"),
        (RobotsDenied(OTHER, "robots.txt asks not to", {}), "access_denied"),
        (PageNotFound(OTHER, "it answered 404", {}), "source_not_found"),
        (FetchTimeout(OTHER, "it is too slow", {}), "source_not_found"),
        (UnsupportedContent(OTHER, "it is an image", {}), "scope_exceeded"),
    ],
)
def test_pages_that_cannot_be_had_are_gaps(failure: ResearchError, category: str) -> None:
    desk = Table({USUAL: RANCE, OTHER: failure}, [FETCH, answer(TRUE)])
    findings = ask(desk)
    check_evidence(findings, desk)
    assert [(gap.topic, gap.category) for gap in findings.gaps] == [(OTHER, category)]
    assert findings.sentences[0].citations == (1,)


@pytest.mark.parametrize(
    ("wall", "category"),
    [
        ("<html><title>Story</title><p>Subscribe to continue reading.</p></html>", "access_denied"),
        ("<html><title>Sign in</title><p>Please log in to continue.</p></html>", "access_denied"),
        ("<html><title>404 Not Found</title><p>Oops.</p></html>", "source_not_found"),
    ],
)
def test_what_is_served_in_a_pages_place_is_a_gap_and_never_cited(wall: str, category: str) -> None:
    lie = sentence(
        "Please subscribe to continue reading.", ("p2", "Subscribe to continue reading.")
    )
    desk = Table({USUAL: RANCE, OTHER: wall}, [FETCH, answer(TRUE, lie)])
    findings = ask(desk)
    check_evidence(findings, desk)
    assert (OTHER, category) in [(gap.topic, gap.category) for gap in findings.gaps]
    assert {each.locator for each in findings.citations} == {USUAL}


@pytest.mark.parametrize(
    "failure",
    [
        ProviderAway("tavily", "nobody there"),
        ProviderBusy("tavily", "too many"),
        ProviderFailed("tavily", "oops"),
        KeyRefused("tavily", "no key"),
        RequestRefused("tavily", "plan limit"),
    ],
)
def test_without_search_the_research_goes_on_with_what_there_is(failure: ResearchError) -> None:
    desk = Table(WEB, [using(tool("fetch_pages", urls=[USUAL])), answer(TRUE)], [failure] * 9)
    findings = ask(desk, f"{QUESTION} See {USUAL}")
    check_evidence(findings, desk)
    assert findings.sentences[0].citations == (1,)
    assert "access_denied" in categories(findings)
    assert len(desk.queries) <= 2


@pytest.mark.parametrize(
    "failure",
    [
        ProviderAway("claude", "nobody there"),
        ProviderBusy("claude", "overloaded", 3.0),
        ProviderFailed("claude", "internal error"),
        ProviderSilent("claude", "no answer in time"),
        AnswerMalformed("claude", "not JSON"),
    ],
)
def test_a_model_that_fails_in_passing_is_asked_again(failure: ResearchError) -> None:
    desk = Table(WEB, [failure, failure, FETCH, answer(TRUE)])
    findings = ask(desk)
    assert desk.rests == [1, 2]
    assert findings.sentences[0].citations == (1,)
    charged = failure.code not in {"provider_away", "provider_busy"}
    assert (findings.tokens_used > 40) is charged, "failed calls count where they may be charged"


@pytest.mark.parametrize(
    "failure", [ProviderAway("claude", "nobody there"), RequestRefused("claude", "no such model")]
)
def test_without_the_model_the_answer_is_in_the_words_of_the_pages(failure: ResearchError) -> None:
    desk = Table(WEB, [failure] * 50)
    findings = ask(desk)
    check_evidence(findings, desk)
    assert "500 GWh" in findings.answer and findings.iterations_run == 0
    assert "access_denied" in categories(findings)
    assert len(desk.requests) <= 5


def test_failures_that_cost_end_with_the_budget() -> None:
    desk = Table(WEB, [ProviderSilent("claude", "no answer")] * 50)
    findings = ask(desk, constraints={"token_budget": 4_000})
    assert len(desk.requests) < 5 and findings.tokens_used <= 4_000


def test_a_refused_key_ends_the_research_at_once() -> None:
    with pytest.raises(KeyRefused):
        ask(Table(WEB, [KeyRefused("claude", "invalid key")]))


def test_where_the_key_for_search_is_refused_and_nothing_can_be_read_that_is_why() -> None:
    refused = KeyRefused("tavily", "Unauthorized")
    desk = Table(WEB, [FETCH, FETCH, answer()], [refused] * 9)
    with pytest.raises(KeyRefused, match="tavily: Unauthorized"):
        ask(desk)
    assert desk.requests == [], "nothing is paid for"
    with pytest.raises(KeyRefused, match="tavily: Unauthorized"):
        ask(Table({}, [FETCH, answer()], [refused] * 9), f"{QUESTION} See {USUAL}")
    by_rules_of_before = research(
        Brief(question=QUESTION), QUESTION, Table(WEB, [answer()], [refused] * 9), THIRD.name
    )
    assert "access_denied" in categories(by_rules_of_before)


def test_where_pages_are_read_without_search_the_gap_names_the_key() -> None:
    script = [using(tool("fetch_pages", urls=[USUAL])), answer(TRUE)]
    desk = Table(WEB, script, [KeyRefused("tavily", "Unauthorized")] * 9)
    findings = ask(desk, f"{QUESTION} See {USUAL}")
    assert findings.citations
    [gap] = [each for each in findings.gaps if each.topic.startswith("Search for")]
    assert "needs a valid key in TAVILY_API_KEY: tavily: Unauthorized" in gap.detail


def test_a_spending_cap_is_a_budget_that_ended() -> None:
    findings = ask(Table(WEB, [FETCH, SpendingCapReached("task", 1.0, 1.1)]))
    assert findings.budget_exhausted and "budget_exhausted" in categories(findings)
    assert findings.citations


def test_nothing_found_is_said() -> None:
    desk = Table({}, [answer()])
    findings = ask(desk)
    assert findings.answer == NOTHING and findings.confidence == 0.05
    assert categories(findings) == ["source_not_found"]


@pytest.mark.parametrize(
    "reply",
    [
        said("I cannot help with that.", "refusal"),
        said(""),
        said('{"sentences": "none"}'),
        {"content": []},
        {"content": ["text", 7, {"type": "text"}, {"type": "tool_use", "id": 1}]},
        {"content": [{"type": "thinking", "thinking": "", "signature": "c2ln"}]},
    ],
)
def test_an_answer_that_makes_no_sense_gets_another_round(reply: dict[str, Any]) -> None:
    desk = Table(WEB, [reply, FETCH, answer(TRUE)])
    findings = ask(desk)
    check_evidence(findings, desk)
    assert findings.sentences[0].citations == (1,)


def test_an_answer_that_breaks_off_keeps_its_whole_sentences() -> None:
    whole = answer(TRUE, sentence("A second one."))["content"][0]["text"]
    cut = said(whole[: whole.index("A second")], "max_tokens")
    findings = ask(Table(WEB, [FETCH, cut]))
    assert [each.text for each in findings.sentences] == [TRUE["text"]]


# -- how an answer is wrapped ----------------------------------------------------------------------

OPEN_END = {"topic": "its age", "category": "source_not_found", "detail": "Nobody says."}
WHOLE: str = answer(TRUE, gaps=[OPEN_END])["content"][0]["text"]


def in_blocks(*texts: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": each} for each in texts]}


@pytest.mark.parametrize(
    "reply",
    [
        said(f"Here it is:\n```json\n{WHOLE}\n```\nI hope that {{this}} helps."),
        said(f"Of the set {{p1, p2}} I use the first. {WHOLE}"),
        said(f'{{"plan": "answer now"}} {WHOLE}'),
        said(f'{{"result": {WHOLE}}}'),
        in_blocks("Let me answer.", WHOLE),
        in_blocks(WHOLE[:60], WHOLE[60:]),
    ],
)
def test_an_answer_is_found_wherever_it_stands_in_a_message(reply: dict[str, Any]) -> None:
    desk = Table(WEB, [FETCH, reply])
    findings = ask(desk)
    check_evidence(findings, desk)
    assert findings.sentences[0].citations == (1,) and findings.iterations_run == 2
    assert [each.topic for each in findings.gaps] == ["its age"]


def test_by_older_rules_only_the_first_braces_of_a_message_count() -> None:
    reply = said(f'{{"plan": "answer now"}} {WHOLE}')
    desk = Table(WEB, [FETCH, reply, answer(TRUE)])
    assert research(Brief(question=QUESTION), QUESTION, desk, SECOND.name).iterations_run == 3


def test_a_page_may_be_called_by_its_address() -> None:
    named = sentence(TRUE["text"], (f"{USUAL}/#top", TRUE["evidence"][0]["excerpt"]))
    desk = Table(WEB, [FETCH, answer(named)])
    findings = ask(desk)
    check_evidence(findings, desk)
    assert findings.citations[0].locator == USUAL
    [checked] = desk.noted(CitationChecked)
    assert (checked.outcome, checked.claimed) == ("exact", TRUE["evidence"][0]["excerpt"])


def test_a_stop_is_heard_at_every_step() -> None:
    for moment in range(1, 5):
        desk = Table(WEB, [FETCH, answer(TRUE)])
        desk.stop_at = moment
        with pytest.raises(CallCut):
            ask(desk)


# -- how a message ends ----------------------------------------------------------------------------

DECLINED = said("I cannot", "refusal") | {
    "stop_details": {"type": "refusal", "category": "bio", "explanation": "It could\u202e harm."}
}


def test_a_model_that_declines_is_asked_once_more_without_what_it_declined() -> None:
    desk = Table(WEB, [FETCH, DECLINED, answer(TRUE)])
    findings = ask(desk)
    check_evidence(findings, desk)
    assert findings.sentences[0].citations == (1,) and findings.gaps == ()
    before, again = (each["messages"] for each in desk.requests[1:])
    assert before == again, "the refused turn is not sent back"
    assert findings.iterations_run == 3, "and it counts"


def test_a_model_that_keeps_declining_is_believed_and_quoted() -> None:
    desk = Table(WEB, [FETCH, *[DECLINED] * 9])
    findings = ask(desk)
    check_evidence(findings, desk)
    assert len(desk.requests) == 3
    [gap] = [each for each in findings.gaps if "declined" in each.detail]
    assert gap.category == "access_denied"
    assert gap.detail.endswith("declined to answer: bio: It could harm.")
    assert findings.answer.startswith("“"), "the pages' own words are left"


def test_a_refusal_in_the_last_round_is_told() -> None:
    desk = Table(WEB, [DECLINED | {"stop_details": None}] * 5)
    findings = ask(desk, constraints={"max_iterations": 1})
    assert "declined to answer: no reason was given" in str(findings.gaps)
    assert len(desk.requests) == 1


@pytest.mark.parametrize("ending", ["max_tokens", "model_context_window_exceeded"])
def test_an_answer_that_a_limit_cut_short_says_so(ending: str) -> None:
    whole = answer(TRUE, sentence("A second one."))["content"][0]["text"]
    cut = said(whole[: whole.index("A second")], ending)
    findings = ask(Table(WEB, [FETCH, cut]))
    assert [each.text for each in findings.sentences] == [TRUE["text"]]
    assert findings.budget_exhausted and "budget_exhausted" in categories(findings)
    assert not ask(Table(WEB, [FETCH, answer(TRUE)])).budget_exhausted


def test_a_turn_that_pauses_goes_on() -> None:
    desk = Table(WEB, [FETCH, said("Let me think.", "pause_turn"), answer(TRUE)])
    findings = ask(desk)
    assert findings.sentences[0].citations == (1,)
    assert [each["role"] for each in desk.requests[-1]["messages"]] == ["user", "assistant"] * 2 + [
        "user"
    ]


def test_by_the_first_rules_nothing_is_made_of_how_a_message_ended() -> None:
    whole = answer(TRUE, sentence("A second one."))["content"][0]["text"]
    cut = said(whole[: whole.index("A second")], "max_tokens")
    desk = Table(WEB, [FETCH, cut])
    brief = Brief(question=QUESTION)
    assert not research(brief, QUESTION, desk, FIRST.name).budget_exhausted
    with pytest.raises(BadRequest, match="claude-web-99"):
        research(brief, QUESTION, desk, "claude-web-99")


def test_an_answer_that_is_quoted_from_a_page_is_not_the_answer() -> None:
    quoted: str = answer(sentence("Pigs fly.", ("p1", "Pigs fly.")))["content"][0]["text"]
    desk = Table(WEB, [FETCH, said(f"The page says {quoted}. My answer: {WHOLE}")])
    findings = ask(desk)
    assert [each.text for each in findings.sentences] == [TRUE["text"]]
