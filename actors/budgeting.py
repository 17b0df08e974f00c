"""One budget for all researchers of a task: what there is, what was used, what is left. Pure.

Whoever reported is charged what it used; whoever ended without findings is charged all that it was given, because
nobody can tell. Of those who work side by side at most one spends tokens and dollars, and it is given all that is left
of them: so the whole task overruns its budget by one call at the most, as a single researcher does.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from actors.findings import Findings
from actors.kinds.claude_budget import limits
from events.catalogue import LIMITS, Brief, Constraints
from events.task import ResearcherAssigned, Share

PAID = frozenset({"claude", "gemini"})
"""Kinds that spend tokens and dollars."""

LEAST_TOKENS = 4_000
"""With fewer tokens a model can read nothing and say little about it."""


@dataclass(frozen=True)
class Member:
    """A researcher that has reported."""

    assigned: ResearcherAssigned
    findings: Findings | None
    sources_read: int = 0
    cost_usd: float = 0.0
    failure: str | None = None
    message: str | None = None

    @property
    def name(self) -> str:
        """Its stream."""
        return self.assigned.researcher

    @property
    def generation(self) -> int:
        """How many researchers stand between it and the question."""
        return self.assigned.dispatch.generation if self.assigned.dispatch else 0


def whole(brief: Brief) -> Share:
    """The budget of a task."""
    given = limits(brief)
    return Share(
        rounds=given.rounds, tokens=given.tokens, sources=given.sources, usd=brief.task_cap_usd
    )


def remaining(brief: Brief, members: Sequence[Member]) -> Share:
    """What is left of it when these have reported."""
    there = whole(brief)
    used = [_used(member, there) for member in members]
    spent = sum(each.usd or 0.0 for each in used)
    return Share(
        rounds=max(0, there.rounds - sum(each.rounds for each in used)),
        tokens=max(0, there.tokens - sum(each.tokens for each in used)),
        sources=max(0, there.sources - sum(each.sources for each in used)),
        usd=None if there.usd is None else round(max(0.0, there.usd - spent), 9),
    )


def _used(member: Member, there: Share) -> Share:
    given = member.assigned.dispatch.share if member.assigned.dispatch else there
    found = member.findings
    return Share(
        rounds=found.iterations_run if found else given.rounds,
        tokens=found.tokens_used if found else given.tokens,
        sources=max(member.sources_read, 0 if found else given.sources),
        usd=member.cost_usd,
    )


def affords(kind: str, left: Share) -> bool:
    """Whether a researcher of a kind could do anything with what is left."""
    if left.rounds < 1 or left.sources < 1:
        return False
    paid_for = left.usd is None or left.usd > 0
    return kind not in PAID or (left.tokens >= LEAST_TOKENS and paid_for)


def shares(kinds: Sequence[str], left: Share) -> list[Share]:
    """What is left, divided among researchers that work side by side."""
    return [
        Share(
            rounds=_part(left.rounds, place, len(kinds)),
            tokens=left.tokens if kind in PAID else 0,
            sources=_part(left.sources, place, len(kinds)),
            usd=left.usd if kind in PAID else None,
        )
        for place, kind in enumerate(kinds)
    ]


def _part(amount: int, place: int, among: int) -> int:
    """An even part; what cannot be divided goes to the first."""
    return amount // among + (place < amount % among)


def narrowed(brief: Brief, assigned: ResearcherAssigned) -> Brief:
    """What a further researcher is told: its own question, its own limits, and what it is for."""
    dispatch = assigned.dispatch
    if dispatch is None:
        return brief
    share = dispatch.share
    return brief.model_copy(
        update={
            "question": assigned.question,
            "context": _context(brief, assigned),
            "depth": "balanced",
            "constraints": Constraints(
                max_iterations=share.rounds,
                token_budget=share.tokens,
                max_sources=share.sources,
                source_filter=brief.constraints.source_filter,
                said=LIMITS,
            ),
            "model": brief.model if assigned.researcher_kind == brief.researcher else None,
            "researcher": assigned.researcher_kind,
            "task_cap_usd": share.usd,
            "orchestrate": None,
            "available": (),
            # The first one carries on what was found; what was answered is known to everybody.
            "continues": brief.continues
            and brief.continues.model_copy(update={"answers_only": True, "focus": None}),
        }
    )


def _context(brief: Brief, assigned: ResearcherAssigned) -> str | None:
    if assigned.researcher_kind == "corpus":
        return brief.context
    dispatch = assigned.dispatch
    found = f"It came up at {dispatch.locator}." if dispatch and dispatch.locator else ""
    said = (f"This is asked on the way to a larger question: {brief.question}", found)
    return " ".join(each for each in (*said, brief.context) if each)
