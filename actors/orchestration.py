"""Turns what researchers noticed into further researchers: one queue, one budget, rules only. Pure.

Discoveries and open questions of high priority are the leads. They stand in one queue by priority. As long as the
budget bears it, the best of them are given to further researchers, two at a time, and those who report may add leads
of their own. A lead is decided upon only when nobody is out any more: so what is decided depends on what was reported
and never on who was quicker, and a task that runs again decides the same.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from actors.answering.terms import Terms
from actors.budgeting import PAID, Member, affords, remaining, shares
from actors.reports.wording import short
from actors.webpages.injection import attempts, visible
from events.base import Fact
from events.catalogue import Brief
from events.task import Dispatch, LeadLeft, Prompt, ResearcherAssigned, Share

MOST_RESEARCHERS = 5
"""Researchers of one task, the first included."""

GENERATIONS = 2
"""So far from the question may a further researcher be: sent by the first, or by one whom the first sent."""

AT_ONCE = 2
"""Researchers of one task that work side by side."""

SAME = 0.6
"""Questions that share this much of their words are the same."""

_QUESTION = 300
_PRIORITY = {"contradiction": 0.8, "new_source": 0.7, "related_research": 0.6}
_OPEN_QUESTION = 0.9
_PER_GENERATION = 0.25
_LOCAL = frozenset({"corpus", "file", "files", "local", "database", "documents", "library"})
_DEEP = frozenset({"gemini", "deep-research", "deep_research"})
_ADDRESS = re.compile(r"https?://[^\s<>\"'\uff09」』、。]+", re.I)

Why = Literal["budget", "limit", "generation", "duplicate", "unavailable", "unsafe"]
_WHY: dict[Why, str] = {
    "budget": "What is left of the budget does not suffice for it.",
    "limit": f"No more than {MOST_RESEARCHERS} researchers work on one task.",
    "generation": "It came up too far from the question.",
    "duplicate": "The same was asked before, of those who could answer it.",
    "unavailable": "No researcher that could follow it was at hand when the task was accepted.",
    "unsafe": "It reads like an instruction to a machine; the page that it came from may be hostile.",
}


@dataclass(frozen=True)
class Lead:
    """Something that another researcher might follow."""

    origin: Member
    prompted_by: Prompt
    place: int
    type: str
    question: str
    suggested: str
    reason: str
    locator: str | None
    priority: float

    @property
    def generation(self) -> int:
        """Of the researcher that would follow it."""
        return self.origin.generation + 1

    @property
    def identity(self) -> tuple[str, str, int]:
        """Which lead it is, whatever becomes of it."""
        return self.origin.name, self.prompted_by, self.place


def orchestrated(brief: Brief) -> bool:
    """Whether further researchers may be sent out, and there are any."""
    return brief.wants_company and bool(brief.available)


def proceed(task: str, brief: Brief, members: Sequence[Member]) -> list[Fact]:
    """Whom to send out when everybody has reported; when nobody, why what is left over was left."""
    if not orchestrated(brief):
        return []
    queue = _Queue(brief, members)
    sent = queue.next_ones()
    if not sent:
        return list(queue.left)
    first = len(members) + 1
    budgets = shares([kind for _, kind in sent], queue.budget)
    return [
        _assignment(f"{task}.r{first + place}", kind, lead, share)
        for place, ((lead, kind), share) in enumerate(zip(sent, budgets, strict=True))
    ]


def _assignment(name: str, kind: str, lead: Lead, share: Share) -> ResearcherAssigned:
    return ResearcherAssigned(
        researcher=name,
        researcher_kind=kind,
        question=lead.question,
        dispatch=Dispatch(
            origin=lead.origin.name,
            prompted_by=lead.prompted_by,
            place=lead.place,
            priority=lead.priority,
            generation=lead.generation,
            reason=lead.reason,
            locator=lead.locator,
            share=share,
        ),
    )


class _Queue:
    def __init__(self, brief: Brief, members: Sequence[Member]) -> None:
        self._brief, self._members = brief, members
        self.budget = remaining(brief, members)
        self.left: list[LeadLeft] = []
        self._terms = Terms()
        self._asked = [
            (each.assigned.researcher_kind, self._words(each.assigned.question)) for each in members
        ]
        self._jobs = sum(each.assigned.researcher_kind == "gemini" for each in members)

    def next_ones(self) -> list[tuple[Lead, str]]:
        """The best leads that can be followed now, each with the kind of researcher that is to."""
        sent: list[tuple[Lead, str]] = []
        for lead in self._leads():
            kind, why = self._kind(lead)
            if kind is None:
                self._leave(lead, why)
            elif self._fits_beside(kind, sent):
                sent.append((lead, kind))
                self._asked.append((kind, self._words(lead.question)))
        return sent

    def _leads(self) -> list[Lead]:
        gone = {
            (
                each.assigned.dispatch.origin,
                each.assigned.dispatch.prompted_by,
                each.assigned.dispatch.place,
            )
            for each in self._members
            if each.assigned.dispatch
        }
        found = [lead for member in self._members for lead in leads_of(member)]
        waiting = [lead for lead in found if lead.identity not in gone]
        return sorted(waiting, key=lambda lead: -lead.priority)

    def _kind(self, lead: Lead) -> tuple[str | None, Why]:
        """Who is to follow a lead; if nobody, why."""
        if lead.generation > GENERATIONS:
            return None, "generation"
        if lead.type == "prompt_injection" or attempts(f"{lead.question} {lead.reason}"):
            return None, "unsafe"
        able = suitable(lead, self._brief.available)
        if not able:
            return None, "unavailable"
        new = [kind for kind in able if not self._repeats(kind, lead)]
        if not new:
            return None, "duplicate"
        if len(self._members) >= MOST_RESEARCHERS:
            return None, "limit"
        afforded = [kind for kind in new if affords(kind, self.budget) and self._orders(kind)]
        return (afforded[0], "budget") if afforded else (None, "budget")

    def _orders(self, kind: str) -> bool:
        """A provider's job has no limit that could be set, so there is one of them at the most."""
        return kind != "gemini" or not self._jobs

    def _fits_beside(self, kind: str, sent: list[tuple[Lead, str]]) -> bool:
        """Whether another one may work beside those; if not, it waits for its turn."""
        number = len(sent) + 1
        if number > AT_ONCE or len(self._members) + number > MOST_RESEARCHERS:
            return False
        if min(self.budget.rounds, self.budget.sources) < number:
            return False
        return kind not in PAID or all(other not in PAID for _, other in sent)

    def _repeats(self, kind: str, lead: Lead) -> bool:
        words = self._words(lead.question)
        local = kind == "corpus"
        # Claude and Gemini read the same web.
        alike = (asked for other, asked in self._asked if (other == "corpus") == local)
        return any(_same(words, asked) for asked in alike)

    def _words(self, text: str) -> frozenset[str]:
        return frozenset(token.term for token in self._terms.tokens(text))

    def _leave(self, lead: Lead, why: Why) -> None:
        self.left.append(
            LeadLeft(
                origin=lead.origin.name,
                prompted_by=lead.prompted_by,
                place=lead.place,
                question=lead.question,
                priority=lead.priority,
                generation=lead.generation,
                reason=why,
                detail=_WHY[why],
            )
        )


def _same(one: frozenset[str], other: frozenset[str]) -> bool:
    together = one | other
    return not one or len(one & other) / len(together) >= SAME


def leads_of(member: Member) -> Iterator[Lead]:
    """What a researcher's findings suggest to follow, in their order."""
    if member.findings is None:
        return
    for place, event in enumerate(member.findings.discovery_events):
        yield Lead(
            origin=member,
            prompted_by="discovery",
            place=place,
            type=event.type,
            question=_question(member, event.query, event.source_locator),
            suggested=(event.suggested_researcher or "").casefold().strip(),
            reason=short(visible(event.reason), 300),
            locator=event.source_locator,
            priority=_priority(_PRIORITY.get(event.type, 0.5), member),
        )
    for place, asked in enumerate(member.findings.open_questions):
        if asked.priority == "high":
            yield Lead(
                origin=member,
                prompted_by="open_question",
                place=place,
                type="open_question",
                question=_question(member, asked.question, asked.source_locator),
                suggested="",
                reason=short(visible(asked.context), 300),
                locator=asked.source_locator,
                priority=_priority(_OPEN_QUESTION, member),
            )


def _priority(base: float, member: Member) -> float:
    return round(base - _PER_GENERATION * member.generation, 2)


def _question(member: Member, text: str, locator: str | None) -> str:
    """A lead in words that may be passed on.

    What a model wrote may hold an address that some page made it write, and a researcher may fetch what stands in its
    question: so only the address that the lead was found at is left in it. What the rules of the corpus researcher
    take from a document stands there.
    """

    def kept(address: re.Match[str]) -> str:
        known = member.assigned.researcher_kind == "corpus" or address.group() == locator
        return address.group() if known else "…"

    return short(_ADDRESS.sub(kept, visible(text)), _QUESTION)


def suitable(lead: Lead, available: Sequence[str]) -> list[str]:
    """Kinds of researchers that could follow a lead, the best one first."""
    from_corpus = lead.origin.assigned.researcher_kind == "corpus"
    web, local = ["claude", "gemini"], ["corpus"]
    if lead.suggested in _DEEP:
        order = ["gemini", "claude", *local]
    elif lead.suggested in _LOCAL or (lead.type == "contradiction" and not from_corpus):
        order = [*local, *web]  # The other kind of source is a witness of its own.
    else:
        order = [*web, *local]
    if from_corpus and lead.type != "related_research":
        # It has looked there with all the words there are: only the name of an author is something new.
        order.remove("corpus")
    return [kind for kind in order if kind in available]
