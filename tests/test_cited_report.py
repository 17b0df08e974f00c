"""The report on an answer that a model wrote and rules checked."""

from actors.kinds.claude import research
from actors.reports.cited_report import render_cited_report
from events.catalogue import Brief
from events.errors import ResearchError
from tests.claude_desk import Table
from tests.emulator_claude import answer, sentence, tool, using

QUESTION = "How much does La Rance generate?"
PAGES: dict[str, str | ResearchError] = {
    "https://a.example.gov/x": "The La Rance station generates 500 GWh of \x1b[31melectricity each year.",
    "https://b.example.org/y": "The La Rance station generates 240 GWh of electricity each year.",
}


def report() -> str:
    claims = [
        sentence(
            f"The La Rance station generates {figure} GWh of electricity each year.",
            (page, str(text)),
        )
        for figure, page, text in zip((500, 240), ("p1", "p2"), PAGES.values(), strict=True)
    ]
    inferred = sentence("So it | may be large.", inference=True)
    gap = {"topic": "costs", "category": "scope_exceeded", "detail": "needs a database"}
    script = [using(tool("fetch_pages", urls=list(PAGES))), answer(*claims, inferred, gaps=[gap])]
    findings = research(Brief(question=QUESTION), QUESTION, Table(PAGES, script))
    return render_cited_report(QUESTION, findings)


def test_the_report_tells_the_models_words_from_the_sources() -> None:
    text = report()
    assert text.startswith(f"# {QUESTION}\n\n## Answer\n\nThe La Rance station generates 500 GWh")
    assert "may be large. [inference]" in text
    assert "3 sentences, 1 of them without a citation" in text
    assert "   > The La Rance station generates 240 GWh of electricity each year." in text
    assert "“The La Rance" not in text, "what a model wrote is not shown as a quotation"


def test_gaps_contradictions_and_factors_are_told() -> None:
    text = report()
    assert (
        "## Contradictions" in text and "- **costs** (`scope_exceeded`): needs a database" in text
    )
    assert "(but see [2])" in text and "| Contradiction found | yes |" in text
    assert "\x1b" not in text


def test_the_same_findings_give_the_same_bytes() -> None:
    assert report() == report()
