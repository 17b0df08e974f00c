"""A question to the researcher that thinks with Claude, over a small web, and what every answer must keep to."""

from actors.findings import Findings
from actors.kinds.claude import research
from actors.reports.excerpts import is_verbatim
from events.catalogue import Brief
from events.errors import (
    ResearchError,
)
from events.research import (
    GapFound,
    PassageQuoted,
    SourceRead,
)
from tests.claude_desk import Table
from tests.emulator_claude import sentence, tool, using

QUESTION = "How much electricity does the La Rance tidal power station generate each year?"
USUAL = "https://tides.example.gov/rance"
OTHER = "https://energy.example.org/tidal"
COPY = "https://news.example.com/rance"
RANCE = (
    "The La Rance tidal power station stands in Brittany. It was opened in 1966. "
    "The station generates about 500 GWh of electricity each year. "
    "Its barrage is 750 metres long and carries a road."
)
WEB: dict[str, str | ResearchError] = {
    USUAL: RANCE,
    OTHER: "Tidal power is rare. La Rance in France generates about 500 GWh each year, "
    "as its operator reports. Few other stations of its size exist.",
}
FETCH = using(tool("fetch_pages", urls=[USUAL, OTHER]))
TRUE = sentence(
    "The La Rance station generates about 500 GWh of electricity each year.",
    ("p1", "The station generates about 500 GWh of electricity each year."),
)


def ask(desk: Table, question: str = QUESTION, **wishes: object) -> Findings:
    return research(Brief.model_validate({"question": question, **wishes}), question, desk)


def categories(findings: Findings) -> list[str]:
    return [gap.category for gap in findings.gaps]


def check_evidence(findings: Findings, desk: Table) -> None:
    """Nothing is cited that does not stand in a page that was read, and nothing stands alone."""
    read = {fact.text_hash: fact for fact in desk.noted(SourceRead)}
    for citation in findings.citations:
        text = desk.texts[citation.text_hash]
        assert is_verbatim(citation.raw_excerpt, text, citation.start, citation.end)
        assert len(citation.raw_excerpt) <= 500
        assert read[citation.text_hash].content_hash == citation.content_hash
        assert read[citation.text_hash].url == citation.locator
        assert citation.snippet is None or 50 <= len(citation.snippet) <= 200
    numbers = {citation.number for citation in findings.citations}
    for each in findings.sentences:
        assert set(each.citations) <= numbers
        marks = "".join(f"[{number}]" for number in each.citations) or "[inference]"
        assert f"{each.text} {marks}" in findings.answer
    quoted = {(q.citation, q.text_hash, q.start, q.end) for q in desk.noted(PassageQuoted)}
    assert quoted == {(c.number, c.text_hash, c.start, c.end) for c in findings.citations}
    assert [gap.model_dump() for gap in findings.gaps] == [
        gap.model_dump(exclude={"kind"}) for gap in desk.noted(GapFound)
    ]
    assert Findings.model_validate_json(findings.model_dump_json()) == findings
