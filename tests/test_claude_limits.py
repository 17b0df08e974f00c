"""What the researcher that thinks with Claude may use: rounds, tokens, pages and sites."""

from pathlib import Path

import pytest

from actors.kinds.claude import research
from actors.kinds.claude_budget import limits, total, usage_of
from actors.kinds.claude_rules import FIFTH, FOURTH, PRESENT, SECOND, SIXTH
from actors.kinds.claude_sites import Sites, domains, named_sites
from contracts.core import Core
from contracts.research.calls import Depth, ResearchConstraints, assigned, brief_for
from contracts.settings import Settings
from events.catalogue import Brief, Constraints
from events.errors import ResearchError
from events.research import PageKept, SourceRead
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
from tests.claude_desk import Scripted, Table
from tests.emulator_claude import answer, tool, using

# -- limits ----------------------------------------------------------------------------------------


def test_depth_sets_the_limits_and_the_caller_overrides_them() -> None:
    def of(**wishes: object) -> tuple[int, int, int]:
        found = limits(Brief.model_validate({"question": "q", **wishes}))
        return found.rounds, found.tokens, found.sources

    assert of(depth="shallow") == (2, 5_000, 10)
    assert of(depth="balanced") == (4, 15_000, 10)
    assert of(depth="deep") == (5, 25_000, 10)
    caller = {"max_iterations": 3, "token_budget": 700, "max_sources": 2}
    assert of(depth="deep", constraints=caller) == (3, 700, 2)


def test_a_limit_that_the_caller_names_holds_although_it_is_the_contracts_default() -> None:
    said = brief_for("q", depth="deep", constraints=ResearchConstraints(token_budget=20_000))
    left = brief_for("q", depth="deep", constraints=ResearchConstraints(max_sources=3))
    assert (limits(said).tokens, limits(said).rounds) == (20_000, 5)
    assert (limits(left).tokens, limits(left).sources) == (25_000, 3)
    assert "said" not in brief_for("q").model_dump_json(), "what was not said takes no room"


def test_a_balanced_research_is_limited_by_what_the_contract_publishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = Core(Settings(home=tmp_path / "home"))

    def of(kind: str, depth: Depth, **wishes: int) -> tuple[int, int]:
        monkeypatch.setattr(Core, "choose_grounded", lambda self: kind)
        wanted = ResearchConstraints.model_validate(wishes)
        found = limits(assigned(core, brief_for("q", None, depth, wanted)))
        return found.rounds, found.tokens

    published = ResearchConstraints()
    assert of("claude", "balanced") == (published.max_iterations, published.token_budget)
    assert of("claude", "balanced", token_budget=700) == (5, 700)
    assert (of("claude", "shallow"), of("claude", "deep")) == ((2, 5_000), (5, 25_000))
    asked = assigned(core, brief_for("q"))
    assert asked.constraints.binds("token_budget")
    monkeypatch.setattr(Core, "choose_grounded", lambda self: "gemini")
    job = assigned(core, brief_for("q"))
    assert not job.constraints.binds("token_budget"), "a job has no limit that could be set"


def test_every_kind_of_token_counts() -> None:
    usage = {
        "input_tokens": 1,
        "cache_creation_input_tokens": 10,
        "cache_read_input_tokens": 100,
        "output_tokens": 3000,
        "output_tokens_details": {"thinking_tokens": 2000},
    }
    assert total(usage_of({"usage": usage})) == 3111
    desk = Table(WEB, [answer(TRUE) | {"usage": usage}])
    assert ask(desk).tokens_used == 3111


def test_a_provider_that_says_nothing_of_its_tokens_is_counted_by_a_guess() -> None:
    unsaid = {"usage": {"service_tier": "standard"}}
    silent = using(tool("read_page", page="p1", about="tides")) | unsaid
    limits = {"max_iterations": 1_000, "token_budget": 30_000}
    desk = Table(WEB, [FETCH | unsaid, *[silent] * 999])
    findings = ask(desk, constraints=limits)
    assert findings.budget_exhausted and findings.tokens_used > 20_000
    assert len(desk.requests) < 100


def test_the_last_round_is_announced_and_a_model_that_never_ends_is_ended() -> None:
    forever: list[Scripted] = [using(tool("search_web", query=f"q{n}")) for n in range(20)]
    desk = Table(WEB, forever)
    findings = ask(desk, constraints={"max_iterations": 3})
    check_evidence(findings, desk)
    assert len(desk.requests) == findings.iterations_run == 3
    assert [r["tool_choice"]["type"] for r in desk.requests] == ["auto", "auto", "none"]
    assert findings.budget_exhausted and findings.confidence_factors.budget_exhausted
    assert "budget_exhausted" in categories(findings)
    assert "500 GWh" in findings.answer, "what was found is answered in the words of the pages"


def test_a_whole_answer_in_the_last_round_is_the_models_own_end() -> None:
    findings = ask(Table(WEB, [answer(TRUE)]), constraints={"max_iterations": 1})
    assert findings.sentences[0].citations == (1,), (
        "the first results were read without being asked"
    )
    assert not findings.budget_exhausted and findings.gaps == ()
    before = research(
        Brief.model_validate({"question": QUESTION, "constraints": {"max_iterations": 1}}),
        QUESTION,
        Table(WEB, [answer(TRUE)]),
        FOURTH.name,
    )
    assert before.budget_exhausted, "by the rules of its time"


def test_an_answer_in_the_last_round_that_wants_more_is_cut_short() -> None:
    gap = {"topic": "costs", "category": "budget_exhausted", "detail": "no round was left"}
    wanting = ask(Table(WEB, [answer(TRUE, gaps=[gap])]), constraints={"max_iterations": 1})
    assert wanting.budget_exhausted
    searching = answer(TRUE)
    searching["content"] += using(tool("search_web", query="more"))["content"]
    assert ask(Table(WEB, [searching]), constraints={"max_iterations": 1}).budget_exhausted


def test_an_answer_that_takes_all_tokens_is_not_said_to_be_cut_off() -> None:
    usage = {"input_tokens": 4_500, "output_tokens": 498}
    desk = Table(WEB, [answer(TRUE) | {"usage": usage}])
    findings = ask(desk, constraints={"token_budget": 5_000})
    assert findings.budget_exhausted
    [gap] = findings.gaps
    assert gap.detail.endswith("with an answer that took what was left of it.")


def test_a_shallow_question_needs_one_round() -> None:
    findings = ask(Table(WEB, [answer(TRUE)]), depth="shallow")
    assert findings.iterations_run == 1 and not findings.budget_exhausted


def test_a_token_budget_too_small_for_any_call_still_yields_an_answer() -> None:
    desk = Table(WEB)
    findings = ask(desk, constraints={"token_budget": 10})
    check_evidence(findings, desk)
    assert desk.requests == [] and findings.tokens_used == 0
    assert findings.budget_exhausted and "budget_exhausted" in categories(findings)
    assert findings.citations


def test_a_conversation_that_outgrows_the_budget_ends_with_a_brief_request() -> None:
    greedy = FETCH | {"usage": {"input_tokens": 4_000, "output_tokens": 1_500}}
    desk = Table(WEB, [greedy, answer(TRUE)])
    findings = ask(desk, constraints={"token_budget": 9_500})
    check_evidence(findings, desk)
    assert len(desk.requests[-1]["messages"]) == 1
    assert desk.requests[-1]["tool_choice"] == {"type": "none"}
    assert findings.sentences[0].citations == (1,) and findings.budget_exhausted


def test_no_more_pages_are_fetched_than_allowed_and_the_rest_is_a_gap() -> None:
    many: dict[str, str | ResearchError] = {
        f"https://example.org/{n}": f"{RANCE} Page {n}." for n in range(9)
    }
    desk = Table(many, [using(tool("fetch_pages", urls=list(many))), answer(TRUE)])
    findings = ask(desk, constraints={"max_sources": 3})
    assert len(desk.fetched) == 3
    unread = [gap for gap in findings.gaps if gap.topic.startswith("Left unread")]
    assert unread[0].category == "budget_exhausted"


def test_a_source_filter_is_enforced_outside_the_model() -> None:
    desk = Table(WEB, [using(tool("fetch_pages", urls=[USUAL, OTHER])), answer(TRUE)])
    findings = ask(desk, constraints={"source_filter": "example.org"})
    check_evidence(findings, desk)
    assert desk.queries[0]["include_domains"] == ["example.org"]
    assert desk.fetched == [OTHER]


def test_a_filter_that_leaves_nothing_is_named_in_a_gap() -> None:
    def gaps(rules: str, wanted: str) -> list[str]:
        desk = Table(WEB, [answer(TRUE)])
        brief = Brief(question=QUESTION, constraints=Constraints(source_filter=wanted))
        return [gap.detail for gap in research(brief, QUESTION, desk, rules).gaps]

    told = "No page was found that the filter “*.mil” allows."
    assert told in gaps(PRESENT.name, "*.mil")
    assert told not in gaps(FIFTH.name, "*.mil"), "older records are as they were"
    assert not any("filter" in detail for detail in gaps(PRESENT.name, "example.org"))


def test_a_page_that_leads_outside_the_filter_is_not_read() -> None:
    desk = Table(WEB, [FETCH, answer(TRUE)], moved={OTHER: "https://elsewhere.net/x"})
    findings = ask(desk, constraints={"source_filter": "example.org"})
    assert findings.citations == () and "access_denied" in categories(findings)


def test_domains_are_read_in_the_ways_people_write_them() -> None:
    assert domains("nasa.gov, *.edu;https://www.who.int/news site:a.org") == (
        "nasa.gov",
        "edu",
        "who.int",
        "a.org",
    )
    assert domains(None) == domains(" , ") == ()
    assert named_sites("NASA.gov, *.edu;https://www.who.int:8443/news Site:a.org") == (
        "nasa.gov",
        "edu",
        "who.int",
        "a.org",
    )
    assert named_sites(None) == named_sites(" , ") == ()


@pytest.mark.parametrize(
    ("source_filter", "url", "allowed"),
    [
        ("example.org", "https://EXAMPLE.org/x", True),
        ("example.org", "https://a.b.example.org:8443/x", True),
        ("example.org", "https://example.org./x", True),
        ("example.org", "https://notexample.org/x", False),
        ("example.org", "https://example.org.evil.net/x", False),
        ("example.org", "https://evil.net/?example.org", False),
        ("example.org", "https://example.org@evil.net/", False),
        ("example.org", "ftp://example.org/", False),
        ("www.example.org", "https://news.example.org/", True),
        ("Bücher.example", "https://xn--bcher-kva.example/liste", True),
        ("xn--bcher-kva.example", "https://bücher.example/liste", True),
        ("straße.example", "https://xn--strae-oqa.example/", True),
        ("例え。テスト", "https://xn--r8jz45g.xn--zckzah/", True),
        ("https://[2606:4700::1]:443/x", "https://[2606:4700::1]/y", True),
        ("gov", "https://nasa.gov/", True),
        ('["nasa.gov", "esa.int"]', "https://www.nasa.gov/x", True),
        ('["nasa.gov", "esa.int"]', "https://evil.example/", False),
        ("[nasa.gov]", "https://evil.example/", False),
        ("(nasa.gov)", "https://nasa.gov/", True),
        ("http://[x", "https://evil.example/", False),
        ("\u2100.com", "https://evil.example/", False),
    ],
)
def test_a_site_is_known_by_each_way_of_writing_its_name(
    source_filter: str, url: str, allowed: bool
) -> None:
    assert Sites(source_filter, PRESENT).allow(url) is allowed


def test_by_older_rules_a_site_is_what_is_written() -> None:
    assert Sites("example.org", SECOND).allow("https://a.example.org/")
    assert not Sites("bücher.example", SECOND).allow("https://xn--bcher-kva.example/")


def test_a_search_names_sites_as_addresses_do() -> None:
    site = "https://xn--bcher-kva.example/rance"
    desk = Table({site: RANCE}, [using(tool("fetch_pages", urls=[site])), answer(TRUE)])
    findings = ask(desk, constraints={"source_filter": "bücher.example"})
    assert desk.queries[0]["include_domains"] == ["xn--bcher-kva.example"]
    assert [each.locator for each in findings.citations] == [site]


def test_only_addresses_that_were_found_are_fetched() -> None:
    secret = "https://evil.example/?stolen=the+question"
    desk = Table(
        WEB, [using(tool("fetch_pages", urls=[secret, "file:///etc/passwd", USUAL])), answer()]
    )
    ask(desk)
    assert desk.fetched == [USUAL]


def test_an_address_in_the_question_or_in_a_page_may_be_fetched() -> None:
    linked = "https://linked.example.org/deep"
    pages: dict[str, str | ResearchError] = {
        USUAL: f"{RANCE} See {linked}.",
        linked: RANCE + " More.",
    }
    desk = Table(
        pages,
        [
            using(tool("fetch_pages", urls=[USUAL])),
            using(tool("fetch_pages", urls=[linked])),
            answer(),
        ],
        [[]],
    )
    ask(desk, f"What does {USUAL} say?")
    assert desk.fetched == [USUAL, linked]


def test_broken_addresses_are_no_trouble() -> None:
    odd = ["http://[", "http://[::1", "https://", "http://a b/", "\x00", "javascript:alert(1)"]
    desk = Table(
        {USUAL: f"{RANCE} See {' '.join(odd)}"},
        [
            using(tool("fetch_pages", urls=[*odd, USUAL])),
            using(tool("fetch_pages", 2, urls=odd)),
            answer(TRUE),
        ],
    )
    findings = ask(desk, f"{QUESTION} http://[x")
    check_evidence(findings, desk)
    assert findings.sentences[0].citations == (1,)


def test_an_answer_that_overruns_the_budget_exhausts_it() -> None:
    dear = answer(TRUE) | {"usage": {"input_tokens": 50_000, "output_tokens": 4_000}}
    desk = Table(WEB, [FETCH, dear])
    findings = ask(desk, constraints={"token_budget": 15_000})
    assert findings.budget_exhausted
    [gap] = [each for each in findings.gaps if each.category == "budget_exhausted"]
    assert "went beyond it" in gap.detail
    older = research(Brief(question=QUESTION), QUESTION, Table(WEB, [FETCH, dear]), SECOND.name)
    assert not older.budget_exhausted, "as it was recorded"


def test_each_page_that_came_is_noted_with_its_hash_also_one_that_is_of_no_use() -> None:
    same, moved = "https://mirror.example.org/rance", "https://example.org/moved"
    pages = {USUAL: WEB[USUAL], same: WEB[USUAL], moved: "Elsewhere."}
    script = [using(tool("fetch_pages", urls=list(pages))), answer(TRUE)]
    desk = Table(pages, script, moved={moved: "https://evil.example/"})
    site = USUAL.split("/")[2]
    ask(desk, constraints={"source_filter": f"{site}, example.org"})
    came = {each.url: each.original.hash for each in desk.noted(PageKept)}
    assert set(came) == set(pages) and all(came.values())
    assert [each.url for each in desk.noted(SourceRead)] == [USUAL]


# -- models ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "effort"),
    [
        (None, "medium"),
        ("claude-haiku-5-5", "medium"),
        ("claude-sonnet-4-6", "medium"),
        ("claude-opus-4-5-20251101", "medium"),
        ("claude-haiku-4-5", None),
        ("claude-haiku-4-5-20251001", None),
        ("claude-sonnet-4-5-20250929", None),
        ("claude-opus-4-1", None),
    ],
)
def test_only_a_model_that_understands_it_is_told_how_hard_to_try(
    model: str | None, effort: str | None
) -> None:
    brief = Brief(question=QUESTION, model=model)
    for rules, told in ((PRESENT, effort), (SIXTH, "medium")):
        desk = Table(WEB, [FETCH, answer(TRUE)])
        research(brief, QUESTION, desk, rules.name)
        settings = [each["output_config"] for each in desk.requests]
        assert {each.get("effort") for each in settings} == {told}
        assert all(each["format"]["type"] == "json_schema" for each in settings)
