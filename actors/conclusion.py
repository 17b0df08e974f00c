"""From researchers' findings to the task's result and report. Pure, so that a replay is exact."""

from collections.abc import Sequence
from typing import Any

from actors.answering.terms import Terms
from actors.budgeting import Member
from actors.findings import EXHAUSTED, UNANSWERED, Citation, Findings, Gap
from actors.merging.claims import merge
from actors.merging.contributions import Contribution, Text
from actors.merging.meaning import WORDS_ALONE, Meaning
from actors.merging.report import render_merged_report
from actors.reports.cited_report import render_cited_report
from actors.reports.grounded_report import render_grounded_report
from actors.reports.report import render_report
from actors.reports.wording import short
from events.catalogue import Brief
from events.errors import CallCut
from events.stops import stop_gap
from events.task import StopReason

_OPENING = 600
"""Characters in which a work says who wrote it."""


def conclude(
    task: str,
    brief: Brief,
    members: Sequence[Member],
    text: Text,
    meaning: Meaning = WORDS_ALONE,
    stopped: StopReason | None = None,
) -> tuple[dict[str, Any], str] | None:
    """The research result and the report; none where nobody found anything.

    `meaning` is how near what several found comes to one another (`contributions_of` says what), `stopped` why the
    task ends early, where it does. The result has every field of the contract but the wall time: that is no part of
    what was found, readers take it from the record.
    """
    found = [member.findings for member in members if member.findings]
    if not found:
        return None
    alone = len(members) == 1
    findings = found[0] if alone else together(brief.question, members, text, meaning)
    if stopped:
        findings = cut_short(brief.question, findings, stopped)
    if alone:
        return _alone(task, brief, findings)
    crew = [_listed(member) for member in members]
    result = _result(task, brief, findings) | {"researchers": crew}
    return result, render_merged_report(brief.question, findings, crew)


def cut_short(question: str, findings: Findings, stopped: StopReason) -> Findings:
    """What was found by a task that was stopped: that it was is the first thing that is missing.

    Whoever cancels a research ends it; only where its time ran out is a budget exhausted.
    """
    cancelled = stopped == "cancelled"
    told = stop_gap(short(question, 200), "the research was done", cancelled=cancelled)
    ended: dict[str, Any] = {"gaps": (Gap.model_validate(told), *findings.gaps)}
    factors = findings.confidence_factors
    if not cancelled and not factors.budget_exhausted:
        ended |= {
            "confidence_factors": factors.model_copy(update={"budget_exhausted": True}),
            "confidence": max(UNANSWERED, round(findings.confidence - EXHAUSTED, 2)),
        }
    if not cancelled:
        ended["budget_exhausted"] = True
    return findings.model_copy(update=ended)


def contributions_of(members: Sequence[Member], text: Text) -> list[Contribution]:
    """What each researcher that found anything brings in."""
    return [
        Contribution(
            each.assigned.researcher_kind,
            each.assigned.question,
            of_the_work(each, members, marked(each, members), text),
        )
        for each in members
        if each.findings
    ]


def together(
    question: str, members: Sequence[Member], text: Text, meaning: Meaning = WORDS_ALONE
) -> Findings:
    """What all researchers found, and what became of those who found nothing.

    Of those who were told to stop there is nothing to say but that the task was.
    """
    findings = merge(question, contributions_of(members, text), text, meaning)
    ended = [each for each in members if each.findings is None and each.failure != CallCut.code]
    lost = tuple(map(_lost, ended))
    return findings.model_copy(update={"gaps": (*findings.gaps, *lost)})


def marked(member: Member, members: Sequence[Member]) -> Findings:
    """A member's findings, with the leads marked that others were sent after."""
    assert member.findings
    sent = {
        (each.assigned.dispatch.prompted_by, each.assigned.dispatch.place): each.name
        for each in members
        if each.assigned.dispatch and each.assigned.dispatch.origin == member.name
    }
    return member.findings.model_copy(
        update={
            "discovery_events": tuple(
                each.model_copy(update={"dispatched_to": sent.get(("discovery", place))})
                for place, each in enumerate(member.findings.discovery_events)
            ),
            "open_questions": tuple(
                each.model_copy(update={"dispatched_to": sent.get(("open_question", place))})
                for place, each in enumerate(member.findings.open_questions)
            ),
        }
    )


def of_the_work(
    member: Member, members: Sequence[Member], findings: Findings, text: Text
) -> Findings:
    """What a member found, without what is no answer to a search for a work by its name.

    A document of the corpus refers to a work, and the corpus is searched for it: then only what the work itself says
    counts. The rest is what others say about it, and that was found before.
    """
    dispatch = member.assigned.dispatch
    origin = next((each for each in members if dispatch and each.name == dispatch.origin), None)
    kinds = {each.assigned.researcher_kind for each in (member, origin) if each}
    if origin is None or kinds != {"corpus"}:
        return findings
    work = member.assigned.question.rpartition(": ")[0] or member.assigned.question
    assert origin.findings
    known = {each.text_hash for each in origin.findings.citations}
    own = {
        each.number
        for each in findings.citations
        if each.text_hash not in known and is_work(work, each, text)
    }
    kept = tuple(
        each for each in findings.sentences if each.citations and own.issuperset(each.citations)
    )
    told: dict[str, Any] = {"sentences": kept, "gaps": (), "open_questions": ()}
    if not kept:
        told |= {"citations": (), "discovery_events": (), "budget_exhausted": False}
    return findings.model_copy(update=told)


def is_work(work: str, citation: Citation, text: Text) -> bool:
    """Whether a source is the work that a reference names: by the names in its title, place or opening."""
    terms = Terms()
    named = {token.term for token in terms.tokens(work) if not token.number}
    opening = f"{citation.title} {citation.locator} {text(citation.text_hash)[:_OPENING]}"
    return bool(named) and named <= {token.term for token in terms.tokens(opening)}


def _lost(member: Member) -> Gap:
    capped = member.failure == "spending_cap_reached"
    return Gap(
        topic=short(member.assigned.question, 200),
        category="budget_exhausted" if capped else "access_denied",
        detail=short(
            f"A further researcher ({member.assigned.researcher_kind}) ended without findings: "
            f"{member.message or member.failure or 'it was stopped'}",
            400,
        ),
    )


def _listed(member: Member) -> dict[str, Any]:
    """One of several researchers, as the result lists them."""
    found, dispatch = member.findings, member.assigned.dispatch
    return {
        "researcher": member.name,
        "kind": member.assigned.researcher_kind,
        "question": member.assigned.question,
        "dispatch": dispatch.model_dump(mode="json") if dispatch else None,
        "confidence": found.confidence if found else None,
        "tokens_used": found.tokens_used if found else None,
        "iterations_run": found.iterations_run if found else None,
        "sources_read": member.sources_read,
        "failure": member.failure,
    }


def _alone(task: str, brief: Brief, findings: Findings) -> tuple[dict[str, Any], str]:
    result = _result(task, brief, findings)
    if brief.researcher == "claude":
        return result, render_cited_report(brief.question, findings)
    if brief.continues:
        return result, render_merged_report(brief.question, findings)
    if findings.grounding is None:
        return result, render_report(brief.question, findings)
    return result, render_grounded_report(brief.question, findings)


def _result(task: str, brief: Brief, findings: Findings) -> dict[str, Any]:
    found = findings.model_dump(mode="json")
    cost = ("tokens_used", "iterations_run", "budget_exhausted", "model_id")
    result = {
        "question": brief.question,
        "answer": found["answer"],
        "citations": found["citations"],
        "gaps": found["gaps"],
        "discovery_events": found["discovery_events"],
        "open_questions": found["open_questions"],
        "confidence": found["confidence"],
        "confidence_factors": found["confidence_factors"],
        "cost_metadata": {name: found[name] for name in cost},
        "sentences": found["sentences"],
        "trace_id": task,
    }
    if findings.grounding is not None and brief.researcher != "claude":
        result["grounding"] = found["grounding"]
    if brief.continues:
        result["continues"] = {"task": brief.continues.task, "head": brief.continues.head}
    return result
