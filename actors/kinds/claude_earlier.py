"""What the model is told of the research that it continues, and what is left of that where it does not answer. Pure."""

from collections.abc import Mapping

from actors.earlier import Earlier, settled
from actors.findings import Statement
from actors.kinds.claude_draft import Claim, Draft, DraftSentence
from actors.kinds.claude_prompt import untrusted
from actors.reports.wording import short
from actors.webpages.webpage import WebPage
from events.words import count
from language.sentences import CUT

_CHARS = 3
"""Characters of a token, about."""

_SHARE = 4
"""The notes take so small a part of the tokens: one of so many."""

_LEAST = 600


def earlier_notes(earlier: Earlier, pages: Mapping[str, WebPage], tokens: int) -> str:
    """The earlier answer with its evidence, what it left open, and the pages that may be cited at once."""
    room = max(_LEAST, tokens * _CHARS // _SHARE)
    lines: list[str] = []
    for line in _lines(earlier, pages):
        room -= len(line)
        if room < 0:
            break
        lines.append(line)
    told = (
        f"This continues an earlier research. Its notes follow; its {count(len(pages), 'page')} "
        f"({', '.join(list(pages)[:1])} to {', '.join(list(pages)[-1:])}) are read: cite them at once, "
        "read more of them with read_page, and do not search for what they say. Answer the whole "
        "question anew, from them and from what you find now."
    )
    return f"{told}\n\n{untrusted('notes of the earlier research', chr(10).join(lines))}"


def _lines(earlier: Earlier, pages: Mapping[str, WebPage]) -> list[str]:
    found = earlier.findings
    said = []
    for each in found.sentences:
        claims = _claims(earlier, each, pages)
        proofs = "; ".join(f"{claim.page}: “{short(claim.excerpt, 300)}”" for claim in claims)
        said.append(f"- {each.text} ({proofs or 'inference'})")
    gaps = [f"- open: {gap.topic} ({gap.category})" for gap in found.gaps]
    asked = [f"- to be asked: {each.question}" for each in found.open_questions]
    listed = [
        f"- {name}: {page.locator} {short(page.page.title, 100)}" for name, page in pages.items()
    ]
    return [*said, *gaps, *asked, *listed]


def earlier_draft(earlier: Earlier, focus: str | None, pages: Mapping[str, WebPage]) -> Draft:
    """The earlier answer as a draft, to be held against the pages like any other."""
    found = earlier.findings
    return Draft(
        sentences=tuple(
            DraftSentence(each.text, claims, not claims)
            for each in found.sentences
            for claims in [_claims(earlier, each, pages)]
        ),
        gaps=settled(earlier, focus).gaps,
        discoveries=found.discovery_events,
        questions=found.open_questions,
    )


def _claims(
    earlier: Earlier, statement: Statement, pages: Mapping[str, WebPage]
) -> tuple[Claim, ...]:
    names = {page.page.text.hash: name for name, page in pages.items()}
    cited = {each.number: each for each in earlier.findings.citations}
    return tuple(
        Claim(names[each.text_hash], each.raw_excerpt.removesuffix(CUT))
        for number in statement.citations
        if (each := cited.get(number)) and each.text_hash in names
    )
