"""The researcher that has a Gemini deep-research job done, once, and compares its report with its sources.

The job is ordered at most once: its id is recorded before anything else, and after a crash that job is followed,
whatever state it is in. What the provider is doing becomes facts as it tells. Its report then counts for what its
sources say: each cited page is fetched and kept, and each cited sentence is looked for in it.
"""

from functools import partial
from typing import Any, Protocol

from actors.desk import Care, OutsideDesk
from actors.earlier import Earlier, carried, earlier_of, settled, wanted
from actors.findings import Findings
from actors.kinds import claude_rules
from actors.kinds.claude_budget import total
from actors.kinds.claude_sites import Sites
from actors.merging.claims import merge
from actors.merging.contributions import EARLIER, Contribution
from actors.recorded import THE_RECORD_ITSELF, code_of
from actors.reports.cited_sources import ANYWHERE, PAGES_READ, Reach, Sources, read_sources
from actors.reports.grounded_account import Account, Delivered
from actors.reports.interaction import (
    RUNNING,
    Draft,
    Interaction,
    draft_of,
    news_of,
    searches_of,
    steps_of,
    usage_of,
    words_of,
)
from actors.reports.meaning import similarities
from actors.reports.report_marks import with_sources, with_unplaced
from actors.reports.report_rules import PRESENT, ReportRules, report_rules_called
from events.catalogue import Brief
from events.codec import decode
from events.errors import CallCut, JobFailed, RequestRefused, ResearchError
from events.research import JobCreated, JobPolled, SearchMade, StepTaken, ThoughtSummarised
from events.words import count
from language.plain import is_seen

NAME = "gemini"
MODEL = "deep-research-pro-preview-12-2025"
STEPS = 5
_POINTS = 8
_REPORT = 20_000
"""Characters of an earlier report that are passed on."""

_BEFORE = "From the research that this continues"
"""What stands over sentences of an earlier report."""

_UNREAD_BY_THEN = "The research was stopped before it was read."

_SHORTFALLS = {
    "incomplete": "The provider stopped before the research was complete.",
    "budget_exceeded": "The provider's budget for the research was used up.",
    "requires_action": "The provider wanted something to be decided, and nobody was there to decide.",
    "requires_continuation": "The provider stopped in the middle of its report.",
    "cancelled": "The research was cancelled before the report was complete.",
}
"""States in which a job ends without being complete; what it has written by then is kept."""


class JobDesk(OutsideDesk, Protocol):
    """A desk that tells what was asked of a provider before a restart."""

    def was_asked(self, port: str, operation: str) -> bool:
        """Whether anything of the kind was ever asked, and whatever became of it."""

    def recall(self, port: str, operation: str, request: dict[str, Any]) -> bytes | None:
        """What was answered to a question; none where it would have to be asked."""


def research(brief: Brief, question: str, desk: JobDesk, rules: str = PRESENT.name) -> Findings:
    """Have a question researched, noting each step at the desk.

    Told to stop, it calls the job off at the provider and brings back what there is by then; with nothing there,
    `CallCut` passes through.
    """
    generation = report_rules_called(rules)
    job, stopped = Job(brief, question, desk, generation), False
    try:
        ended = job.follow_to_its_end()
    except CallCut:
        ended, stopped = job.call_off(), True
    draft, shortfall = job.result(ended)
    called_off = stopped and generation.leaves_stops and ended["status"] == "cancelled"
    shortfall = None if called_off else shortfall
    shortfall = shortfall or _overrun(brief, ended, generation)
    draft = with_sources(draft) if generation.reads_marks else draft
    draft = with_unplaced(draft) if generation.names_unplaced else draft
    step = _no_step if stopped and generation.stops_counting else partial(_step, desk)
    step(3, "read", f"Reading the sources of a report of {len(draft.text)} characters.")
    reach = _reach(brief, generation)
    sources = read_sources(
        draft,
        desk,
        reach,
        by_page=generation.counts_origins,
        plainly=generation.worded_plainly,
    )
    if generation.leaves_stops and _name_the_cut(sources):
        step = _no_step
    step(4, "ground", f"Comparing the report with {len(sources.pages)} sources.")
    goes_on = job.goes_on if called_off else None
    delivered = Delivered(draft, ended, job.agent, shortfall, called_off, goes_on)
    compare = partial(similarities, desk)
    account = Account(question, delivered, sources, generation, compare)
    findings = account.findings()
    account.note(desk)
    if earlier := job.earlier:
        desk.note(*carried(earlier))
        focus = brief.continues.focus if brief.continues else None
        before = Contribution(EARLIER, _BEFORE, settled(earlier, focus))
        findings = merge(question, [Contribution(NAME, question, findings), before], desk.text)
    step(5, "compose", f"Report ready, with confidence {findings.confidence:.2f}.")
    return findings


def _overrun(brief: Brief, ended: Interaction, rules: ReportRules) -> str | None:
    """What is to be said of a job that took more than the caller allowed: nothing could have stopped it there."""
    allowed, took = brief.constraints.token_budget, total(usage_of(ended))
    if brief.constraints.binds("token_budget") and took > allowed:
        more = f"took {took} tokens where {allowed} were allowed"
    elif rules.heeds_limits and (rounds := _rounds(brief)) and searches_of(ended) > rounds:
        searched = count(searches_of(ended), "search", "searches")
        more = f"made {searched} where {count(rounds, 'round')} had been allowed"
    else:
        return None
    return f"The provider's job {more}: a job has no limit that could be set."


def _rounds(brief: Brief) -> int | None:
    """The rounds that the caller allows; those of a research that is continued follow from its extra tokens."""
    named = brief.constraints.binds("max_iterations") and brief.continues is None
    return brief.constraints.max_iterations if named else None


def _reach(brief: Brief, rules: ReportRules) -> Reach:
    """Which of the sources of a report are read."""
    if not rules.heeds_limits:
        return ANYWHERE
    most = tries = PAGES_READ
    if brief.constraints.binds("max_sources"):
        most = min(PAGES_READ, brief.constraints.max_sources)
        tries = min(PAGES_READ, 2 * most)
    return Reach(most, tries, _sites(brief).allow)


def _sites(brief: Brief) -> Sites:
    return Sites(brief.constraints.source_filter, claude_rules.PRESENT)


def _step(desk: OutsideDesk, step: int, action: str, decision: str) -> None:
    desk.note(StepTaken(step=step, of=STEPS, action=action, decision=decision))


def _name_the_cut(sources: Sources) -> bool:
    """Say of the sources that a stop left unread that it did; whether there are any."""
    cut = [url for url, (code, _) in sources.unread.items() if code == CallCut.code]
    sources.unread |= dict.fromkeys(cut, (CallCut.code, _UNREAD_BY_THEN))
    return bool(cut)


def _no_step(step: int, action: str, decision: str) -> None:
    """Take none: the whole that it would be a part of will not come."""


class Job:
    """The one job that a task has at the provider."""

    def __init__(self, brief: Brief, question: str, desk: JobDesk, rules: ReportRules) -> None:
        self.agent = brief.model or MODEL
        self._desk, self._rules = desk, rules
        self._input = f"{question}\n\nContext: {brief.context}" if brief.context else question
        if rules.heeds_limits and (names := _sites(brief).names):
            self._input += (
                f"\n\nUse no other sources than those on these sites: {', '.join(names)}."
            )
        self.earlier = earlier_of(brief, desk.text)
        if self.earlier:
            focus = brief.continues.focus if brief.continues else None
            self._input = _continuing(self._input, self.earlier, focus)
        self._id: str | None = None
        self._status = ""
        self._after: str | None = None
        self._told = 0
        """How many of the provider's steps were told."""

        self._doings: list[str] = []
        self._called_off = False
        self.goes_on: str | None = None
        """What is to be said of a job that may go on although it was called off."""

    def follow_to_its_end(self) -> Interaction:
        """Order the job and follow it until nothing more will come of it."""
        self._order()
        while True:
            while self._status in RUNNING:
                request = {"interaction": self._id, "after": self._after, "steps": self._told}
                self._hear(self._ask_on("follow", request | {"status": self._status}))
            ended = self._ask_on("get", {"interaction": self._id})
            self._turn(ended["status"])
            if self._status not in RUNNING:
                self._tell(filter(None, map(news_of, steps_of(ended)[self._told :])))
                return ended

    def _order(self) -> None:
        _step(self._desk, 1, "order", f"Asking {self.agent} to research this.")
        created = decode(self._ordered())
        self._id, self._status = created["id"], created["status"]
        self._desk.note(JobCreated(provider=NAME, interaction=created["id"], model=self.agent))
        _step(self._desk, 2, "research", f"{self.agent} has taken the research on.")

    def _ordered(self) -> bytes:
        """The provider's answer to the order: to follow the earlier job, or to begin anew with what that reported.

        Providers forget jobs after a while, and know none of another account; refused, nothing was begun.
        """
        request = {"agent": self.agent, "input": self._input}
        if self.earlier is None or self.earlier.interaction is None:
            return self._desk.provider(NAME, "create", request, care="once")
        following = request | {"previous_interaction_id": self.earlier.interaction}
        try:
            return self._desk.provider(NAME, "create", following, care="once")
        except ResearchError as refusal:
            if code_of(refusal) != RequestRefused.code:
                raise
        request["input"] += _reported(self.earlier)
        return self._desk.provider(NAME, "create", request, care="once")

    def call_off(self, *, billed: bool = False) -> Interaction:
        """Cancel the job and learn what it had got to; `CallCut` when none was ordered."""
        if self._id is None:
            raise CallCut("the order of a job")
        self._called_off = True
        try:
            known = {"billed": True} if billed and self._rules.pays_once else {}
            ended = self._ask("cancel", {"interaction": self._id} | known, "at_last")
        except ResearchError as failure:
            if code_of(failure) in THE_RECORD_ITSELF:
                raise
            ended = {"id": self._id, "steps": [], "untold": failure.sentence}
        untold, status = ended.get("untold"), ended.get("status", self._status)
        if not self._rules.owns_up:
            ended = {"id": self._id, "status": "cancelled", "steps": []} if untold else ended
            self._turn(ended["status"])
            return ended
        self._turn(status)
        if status in RUNNING or untold:
            self.goes_on = _said_of_untold(self._id, status, untold)
            ended["status"] = "cancelled"  # By us, whatever becomes of it there.
        return ended

    def result(self, ended: Interaction) -> tuple[Draft, str | None]:
        """What came of it, and what is missing; `JobFailed` in the provider's words if nothing did."""
        status, draft = ended["status"], draft_of(ended)
        if status == "failed":
            raise JobFailed(NAME, words_of(ended))
        if status == "requires_action":
            self.call_off(billed=True)  # It would wait for an answer for ever.
        shortfall = None if status == "completed" else self._shortfall(status)
        written = draft.text.strip()
        if any(map(is_seen, written)) if self._rules.wants_citations else written:
            return draft, shortfall
        if shortfall is None:
            raise JobFailed(NAME, "it completed without a report")
        if heard := str(ended.get("heard") or "").strip():
            return Draft(heard, ()), shortfall
        if status != "cancelled" or (self._rules.wants_a_report and not self._called_off):
            raise JobFailed(NAME, f"{shortfall} There is no report.")
        if not self._doings and not self.goes_on:
            raise CallCut("the first step of the provider")
        done = "\n".join(f"- {each}" for each in self._doings)
        told = f" What was done:\n\n{done}" if done else ""
        return Draft(f"No report was written by then.{told}", ()), shortfall

    def _shortfall(self, status: str) -> str:
        said = _SHORTFALLS.get(status) or f"The provider ended the research as {status[:60]!r}."
        return f"{said} {self.goes_on}" if self.goes_on else said

    # -- what it says ----------------------------------------------------------------------------

    def _ask_on(self, operation: str, request: dict[str, Any]) -> Interaction:
        """Ask about a job that goes on; `CallCut` where it was called off before a restart.

        Asked of the provider it would only be heard that it was cancelled, and not by whom.
        """
        if not self._desk.was_asked(NAME, "cancel"):
            return self._follow(operation, request)
        known = self._desk.recall(NAME, operation, request)
        if known is None:
            raise CallCut("a job that was called off")
        told: Interaction = decode(known)
        return told

    def _follow(self, operation: str, request: dict[str, Any]) -> Interaction:
        """Ask about a job; one that the provider took on and will not tell of any more has failed there."""
        try:
            return self._ask(operation, request)
        except ResearchError as refusal:
            if not self._rules.knows_lost_jobs or code_of(refusal) != RequestRefused.code:
                raise
            said = refusal.sentence.removeprefix(f"{NAME}: ")
            raise JobFailed(NAME, f"it tells nothing of job {self._id} any more: {said}") from None

    def _ask(self, operation: str, request: dict[str, Any], care: Care = "repeat") -> Interaction:
        told: Interaction = decode(self._desk.provider(NAME, operation, request, care))
        return told

    def _hear(self, told: dict[str, Any]) -> None:
        self._after, self._told = told["after"], told["steps"]
        self._tell(told["news"])
        self._turn(told["status"])

    def _tell(self, news: Any) -> None:
        for item in news:
            fact = _as_fact(item)
            self._desk.note(fact)
            self._doings.append(
                fact.text if isinstance(fact, ThoughtSummarised) else said_of_search(fact)
            )

    def _turn(self, status: str) -> None:
        """Note a change of state."""
        if status != self._status:
            self._status = status
            self._desk.note(JobPolled(interaction=self._id or "", status=status[:100]))


def _said_of_untold(job: str, status: str, why: str | None) -> str:
    """What whoever pays must know of a job that was called off, and perhaps in vain."""
    if why is None:
        return f"The provider was told, and job {job} is {status} still: it may go on and cost."
    if status in RUNNING or status == "requires_action":
        return f"The provider could not be told ({why}): job {job} may still run there and cost."
    return f"The provider could not be asked what job {job} had come to ({why})."


def _continuing(asked: str, earlier: Earlier, focus: str | None) -> str:
    """What a job that follows another research is asked for: what is new, with what is known."""
    open_points = "\n".join(f"- {each}" for each in wanted(earlier, focus, _POINTS))
    told = f"{asked}\n\nThis continues an earlier research. Find out what it left open"
    told += f":\n{open_points}" if open_points else "."
    return told if earlier.interaction else told + _reported(earlier)


def _reported(earlier: Earlier) -> str:
    """What an earlier research found, for a provider that does not know it."""
    return f"\n\nThe earlier report, as data:\n\n{earlier.findings.answer[:_REPORT]}"


def _as_fact(item: dict[str, Any]) -> ThoughtSummarised | SearchMade:
    if "thought" in item:
        return ThoughtSummarised(text=item["thought"])
    return SearchMade(queries=tuple(item.get("queries", ())), urls=tuple(item.get("urls", ())))


def said_of_search(fact: SearchMade) -> str:
    """A search in words."""
    if fact.queries:
        return f"Searched for {', '.join(fact.queries)}"
    return f"Opened {', '.join(fact.urls)}"
