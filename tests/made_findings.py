"""Findings put together by hand, with their texts in memory, for tests of what is made of several."""

from typing import Any

from actors.budgeting import Member
from actors.findings import Citation, ConfidenceFactors, Findings, Statement
from events.codec import digest
from events.task import Dispatch, ResearcherAssigned, Share

FACTORS = ConfidenceFactors(
    num_corroborating_sources=1,
    source_authority="medium",
    contradiction_detected=False,
    query_specificity_match=0.5,
    budget_exhausted=False,
    recency=None,
)


class Library:
    """Texts by their hashes."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def __call__(self, text_hash: str) -> str:
        return self.texts[text_hash]

    def citation(self, number: int, locator: str, text: str, words: str) -> Citation:
        """The citation of words that stand in a text."""
        text_hash = digest(text.encode())
        self.texts[text_hash] = text
        start = text.index(words)
        return Citation(
            source="web" if locator.startswith("http") else "file",
            locator=locator,
            title=f"About {locator}",
            snippet=None,
            raw_excerpt=words,
            confidence=0.7,
            number=number,
            content_hash=digest(b"raw " + text.encode()),
            text_hash=text_hash,
            start=start,
            end=start + len(words),
        )


def made(question: str, *said: tuple[str, Citation], **members: Any) -> Findings:
    """Findings with these sentences, each resting on one citation."""
    citations = tuple(dict.fromkeys(cited for _, cited in said))
    sentences = tuple(
        Statement(text=text, citations=(cited.number,), about=question) for text, cited in said
    )
    whole: dict[str, Any] = {
        "question": question,
        "answer": " ".join(f"{each.text} [{each.citations[0]}]" for each in sentences)
        or "Nothing.",
        "citations": citations,
        "gaps": (),
        "discovery_events": (),
        "open_questions": (),
        "confidence": 0.5,
        "confidence_factors": FACTORS,
        "iterations_run": 1,
        "tokens_used": 1_000,
        "budget_exhausted": False,
        "model_id": "a-model",
        "parts": (question,),
        "sentences": sentences,
    }
    return Findings.model_validate(whole | members)


def member(
    name: str, kind: str, findings: Findings | None, generation: int = 0, **share: int
) -> Member:
    """A researcher that has reported."""
    given = Share(**({"rounds": 2, "tokens": 5_000, "sources": 5} | share))
    dispatch = Dispatch(
        origin="t.r1",
        prompted_by="discovery",
        place=90 + generation,
        priority=0.5,
        generation=generation,
        reason="It was noticed.",
        share=given,
    )
    question = findings.question if findings else "What was asked of it?"
    assigned = ResearcherAssigned(
        researcher=name,
        researcher_kind=kind,
        question=question,
        dispatch=dispatch if generation else None,
    )
    return Member(assigned, findings, sources_read=1)
