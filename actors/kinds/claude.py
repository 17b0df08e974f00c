"""The researcher that thinks with Claude and reads the web: plan, search, fetch, read, decide.

The model proposes; rules decide. Rounds, tokens, pages and sites are limited before each call and not
by asking the model; what it writes is held against the stored pages before it counts. Without search it
goes on with what there is; without the model it answers in the words of the pages. It has no clock and no
randomness: the same brief over the same recorded answers gives the same findings, to the byte.
"""

from dataclasses import replace
from typing import Any

from actors.earlier import earlier_of
from actors.findings import Findings, Gap
from actors.kinds.claude_blocks import blocks_of, decision_in, said_in
from actors.kinds.claude_budget import (
    LEAST_ANSWER,
    NEXT_ROUND,
    Budget,
    estimate,
    limits,
    total,
    usage_of,
)
from actors.kinds.claude_desk import PERHAPS_CHARGED, REFUSALS, WebDesk, tried
from actors.kinds.claude_draft import Draft, read_draft
from actors.kinds.claude_earlier import earlier_draft, earlier_notes
from actors.kinds.claude_endings import REFUSALS_BORNE, cut_off, declined
from actors.kinds.claude_findings import Composition
from actors.kinds.claude_prompt import (
    LAST_ROUND,
    NOT_JSON,
    assignment,
    request,
    text_block,
)
from actors.kinds.claude_quoting import by_rule
from actors.kinds.claude_rules import PRESENT, claude_rules_called
from actors.kinds.claude_web import AT_ONCE, Web
from actors.recorded import code_of
from actors.reports.wording import short
from actors.webpages.injection import visible
from events.catalogue import Brief
from events.codec import decode
from events.errors import KeyRefused, ResearchError
from events.research import GapCategory, StepTaken
from events.secrets import redact_text
from events.words import count

MODEL = "claude-sonnet-5-5"
"""Used where the caller names none."""

_ATTEMPTS = 5
"""So often a message is sent at the most, while its failures pass."""

_MOST_TOOLS = 8
"""Tools that are used in one round."""

_WIDEST, _NARROWEST = 6_000, 500
"""Characters of a page that are shown at once."""

_CHARS = 3
"""Characters of a token, about."""


def research(brief: Brief, question: str, desk: WebDesk, rules: str = PRESENT.name) -> Findings:
    """Answer a question from the web, noting each step at the desk.

    Notes steps, searches, pages, checks, quotations, gaps, discoveries and open questions; the beginning and the end
    of the assignment are its caller's to record. `CallCut` passes through, and so does a key that is refused at once,
    or for which nothing could be read.
    """
    return _Research(brief, question, desk, rules).run()


class _Research:
    def __init__(self, brief: Brief, question: str, desk: WebDesk, rules: str) -> None:
        self._brief, self._question, self._desk = brief, question, desk
        self._model = brief.model or MODEL
        self._limits = limits(brief)
        self._budget = Budget(self._limits)
        self._rules = claude_rules_called(rules)
        self._web = Web(brief, question, self._limits, desk, self._rules)
        self._gaps: list[Gap] = []
        self._earlier = earlier_of(brief, desk.text)
        self._focus = brief.continues.focus if brief.continues else None
        self._cut = False
        """Whether the last message was cut off at a limit."""

        self._declined: list[str] = []
        """Why the model would not answer, each time that it would not."""

        self._used_up = False
        """Whether the model answered as it chose to, and nothing is left to go on with."""

        self._quoted = False
        """Whether the answer is put together from the words of the pages."""

    def run(self) -> Findings:
        opening, addresses = self._open()
        # What can neither be searched nor read need not be talked about.
        draft = None if self._web.is_out_of_reach else self._converse(opening)
        if not self._web.pages and (said := self._web.search_key_refused):
            # Nothing could be read: only a person with another key can help.
            raise KeyRefused("tavily", said.removeprefix("tavily: "))
        if draft is None and self._declined:
            why = self._declined[-1]
            self._add_gap("access_denied", f"{self._model} declined to answer: {why}")
        if self._rules.names_filter and self._web.is_filtered_out:
            wanted = visible(self._brief.constraints.source_filter or "")
            self._add_gap(
                "source_not_found", f"No page was found that the filter “{wanted}” allows."
            )
        if draft is None or not draft.sentences:
            draft = self._without_model(addresses, draft)
        self._desk.checkpoint()
        self._step("compose", "Checks every sentence against the pages that were read.")
        if self._rules.accounts_fully and self._budget.tokens > self._limits.tokens:
            self._budget.ended_by_limit = True
        self._gaps += self._beyond_limits()
        composition = self._composed(draft)
        if self._rules.keeps_to_sources and composition.is_empty and not self._quoted:
            # Nothing of what the model wrote holds: what the pages say themselves does.
            self._gaps += composition.give_up(self._desk)
            composition = self._composed(self._in_words_of_pages(draft))
        return composition.findings(
            self._desk,
            noted=self._web.gaps,
            further=self._gaps,
            noticed=self._web.discoveries,
            exhausted=self._budget.ended_by_limit or bool(self._web.left_unread),
            rounds=self._budget.rounds,
            tokens=self._budget.tokens,
            model=self._model,
        )

    def _composed(self, draft: Draft) -> Composition:
        return Composition(
            self._question,
            self._web.by_names(draft),
            self._web.pages,
            self._desk.likeness,
            self._rules,
            quoted=self._quoted,
        )

    # -- the conversation ------------------------------------------------------------------------

    def _open(self) -> tuple[str, list[str]]:
        """Search for the question itself; where the first round may be the last, read pages at once."""
        self._step("plan", f"Searches for the question, then lets {self._model} decide.")
        notes = []
        if self._earlier:
            self._web.carry(self._earlier)
            notes = [earlier_notes(self._earlier, self._web.pages, self._limits.tokens)]
        found, addresses = self._web.search(self._focus or self._question)
        said = [self._assignment(), *notes, found]
        first = {"role": "user", "content": [text_block("\n\n".join(said))]}
        few = self._limits.rounds <= 2 or self._budget.is_last(self._request([first], last=False))
        if few and addresses:
            self._step("fetch", f"Reads the first {count(2, 'result')} at once: rounds are few.")
            said.append(self._web.fetch(addresses[:2], self._room(2, 0), self._budget.rounds))
        return "\n\n".join(said), addresses

    def _assignment(self) -> str:
        focus = f"In focus now: {self._focus}" if self._focus else ""
        return assignment(
            self._question,
            " ".join(each for each in (self._brief.context, focus) if each) or None,
            self._limits.rounds,
            self._limits.tokens,
            self._limits.sources,
            ", ".join(self._web.sites.names),
        )

    def _converse(self, opening: str) -> Draft | None:
        """Let the model work until it answers, or a limit or a failure ends it."""
        messages: list[dict[str, Any]] = [{"role": "user", "content": [text_block(opening)]}]
        while self._budget.rounds < self._limits.rounds:
            last = self._budget.is_last(self._request(messages, last=False))
            if last:
                messages[-1]["content"].append(text_block(LAST_ROUND))
            asked = self._request(messages, last=last)
            if not self._budget.fits(asked):
                self._budget.ended_by_limit = True
                return self._briefly()
            blocks = self._ask(asked)
            if blocks is None or (last and not blocks) or self._web.is_out_of_reach:
                return None
            if not blocks:
                continue  # What it declined must not stand in what it is asked next.
            draft = self._read(blocks)
            calls = [each for each in blocks if each["type"] == "tool_use"]
            if last:
                self._budget.ended_by_limit = self._is_cut_short(draft, calls)
            if last or (draft is not None and not calls):
                self._budget.ended_by_limit |= self._cut
                return draft
            self._step(visible(calls[0]["name"]) if calls else "decide", decision_in(blocks))
            messages.append({"role": "assistant", "content": blocks})
            messages.append({"role": "user", "content": self._results(calls, messages)})
        return None

    def _is_cut_short(self, draft: Draft | None, calls: list[dict[str, Any]]) -> bool:
        """Whether a limit was reached, or the model would have gone on."""
        spent = self._budget.left < LEAST_ANSWER
        if self._rules.ends_when_done and draft and draft.sentences and not calls:
            self._used_up = spent
            return spent or any(gap.category == "budget_exhausted" for gap in draft.gaps)
        if self._budget.rounds >= self._limits.rounds or spent:
            return True
        if draft is None or calls:
            return True
        return any(gap.category == "budget_exhausted" for gap in draft.gaps)

    def _briefly(self) -> Draft | None:
        """Ask for an answer from a few passages, where the whole conversation does not fit any more."""
        pages = list(self._web.pages.values())
        bare = self._request([self._passages(0)], last=True)
        spare = self._budget.left - estimate(bare) - 2 * LEAST_ANSWER
        if not pages or spare < 150 * len(pages):
            return None
        room = min(_WIDEST, spare * _CHARS // len(pages))
        self._budget.forget_size()
        asked = self._request([self._passages(room)], last=True)
        if not self._budget.fits(asked):
            return None
        blocks = self._ask(asked)
        return self._read(blocks) if blocks else None

    def _read(self, blocks: list[dict[str, Any]]) -> Draft | None:
        """What a message says as an answer; none where it is none."""
        closely = self._rules.reads_closely
        # One answer may stand in several blocks.
        text = said_in(blocks, between="" if closely else "\n")
        grounded = self._rules.grounds_leads
        draft = read_draft(text, self._web.locators(), closely=closely, grounded=grounded)
        if draft and grounded and not self._web.has_evidence:
            # What is to be followed must have come up somewhere.
            return replace(draft, discoveries=(), questions=())
        return draft

    def _passages(self, room: int) -> dict[str, Any]:
        shown = [self._web.read(name, self._question, room) for name in self._web.pages if room]
        text = "\n\n".join((self._assignment(), *shown, LAST_ROUND))
        return {"role": "user", "content": [text_block(text)]}

    def _request(self, messages: list[dict[str, Any]], *, last: bool) -> dict[str, Any]:
        draft = request(
            self._model,
            self._brief.depth,
            messages,
            LEAST_ANSWER,
            last=last,
            heeds_models=self._rules.heeds_models,
        )
        return draft | {"max_tokens": self._budget.answer_room(draft)}

    def _ask(self, asked: dict[str, Any]) -> list[dict[str, Any]] | None:
        """The blocks of the model's next message, empty where it may be asked once more; none where it does not
        answer."""
        number = self._budget.rounds + 1
        self._step("decide", f"Asks {self._model}, round {number} of {self._limits.rounds}.")

        def affordable(code: str) -> bool:
            if code in PERHAPS_CHARGED:
                self._budget.count_unknown(asked)
            return self._budget.fits(asked)

        try:
            raw = tried(self._desk, "claude", "message", asked, "try", _ATTEMPTS, affordable)
        except REFUSALS as failure:
            self._model_failed(failure)
            return None
        message = decode(raw)
        self._budget.rounds += 1
        used = usage_of(message)
        if self._rules.accounts_fully and not total(used):
            self._budget.count_unknown(asked)
        self._budget.count(asked, used)
        if self._rules.heeds_endings:
            self._cut = cut_off(message)
            if why := declined(message):
                self._declined.append(why)
                return [] if len(self._declined) <= REFUSALS_BORNE else None
        return blocks_of(message["content"])

    def _model_failed(self, failure: ResearchError) -> None:
        said = redact_text(failure.sentence)
        if code_of(failure) == KeyRefused.code and not self._budget.rounds:
            raise KeyRefused("claude", said.removeprefix("claude: ")) from failure
        over = code_of(failure) == "spending_cap_reached" or not self._budget.left
        if over:
            self._budget.ended_by_limit = True
        category: GapCategory = "budget_exhausted" if over else "access_denied"
        self._add_gap(category, f"{self._model} did not answer: {said}")

    def _add_gap(self, category: GapCategory, detail: str) -> None:
        topic = short(self._question, 200)
        self._gaps.append(Gap(topic=topic, category=category, detail=short(detail, 400)))

    # -- tools -----------------------------------------------------------------------------------

    def _results(
        self, calls: list[dict[str, Any]], messages: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """What the model's tools brought: an answer to each, because the provider wants one."""
        wanted = sum(len(_strings(each["input"], "urls")) for each in calls[:_MOST_TOOLS])
        reads = sum(each["name"] == "read_page" for each in calls[:_MOST_TOOLS])
        room = self._room(max(1, min(AT_ONCE, wanted) + reads), estimate(messages[-1]))
        results = []
        for place, call in enumerate(calls):
            self._desk.checkpoint()
            said = (
                self._use(call["name"], call["input"], room)
                if place < _MOST_TOOLS
                else f"Not done: {_MOST_TOOLS} tools in one round are the most."
            )
            results.append({"type": "tool_result", "tool_use_id": call["id"], "content": said})
        hint = "" if calls else f"{NOT_JSON} "
        left = count(self._limits.rounds - self._budget.rounds, "round")
        return [*results, text_block(f"{hint}{left} and {self._budget.left} tokens are left.")]

    def _use(self, name: str, given: dict[str, Any], room: int) -> str:
        if name == "search_web":
            return self._web.search(_string(given, "query"))[0]
        if name == "fetch_pages":
            return self._web.fetch(_strings(given, "urls"), room, self._budget.rounds)
        if name == "read_page":
            return self._web.read(_string(given, "page"), _string(given, "about"), room)
        return f"There is no tool {short(name, 60)!r}."

    def _room(self, pages: int, more: int) -> int:
        """Characters of each page that the next rounds can bear."""
        here = self._budget.expected_next() + more
        spare = (self._budget.left - here - NEXT_ROUND - LEAST_ANSWER) // 2
        return max(_NARROWEST, min(_WIDEST, spare * _CHARS // pages))

    # -- ends ------------------------------------------------------------------------------------

    def _without_model(self, addresses: list[str], draft: Draft | None) -> Draft:
        """An answer in the words of the pages, after reading some if none were."""
        if not self._web.pages and addresses:
            self._step("fetch", "Reads the first results: the model gave no answer.")
            self._web.fetch(addresses[:3], _NARROWEST, self._budget.rounds)
        if (
            self._earlier
            and (known := earlier_draft(self._earlier, self._focus, self._web.pages)).sentences
        ):
            return known
        return self._in_words_of_pages(draft)

    def _in_words_of_pages(self, draft: Draft | None) -> Draft:
        """An answer that quotes, with what else there is of a draft."""
        self._quoted = True
        quoted = by_rule(self._question, self._web.pages, self._rules)
        if draft is None:
            return quoted
        return Draft(
            quoted.sentences, draft.gaps, draft.discoveries, draft.questions, draft.confidence
        )

    def _beyond_limits(self) -> list[Gap]:
        gaps = []
        if self._budget.ended_by_limit:
            rounds = f"{self._budget.rounds} of {count(self._limits.rounds, 'round')}"
            tokens = f"{self._budget.tokens} of {self._limits.tokens} tokens"
            detail = f"The research ended at its limit ({rounds}, {tokens}) {self._how_it_ended()}."
            topic = short(self._question, 200)
            gaps.append(Gap(topic=topic, category="budget_exhausted", detail=detail))
        if unread := list(dict.fromkeys(self._web.left_unread)):
            gaps.append(
                Gap(
                    topic=short(f"Left unread: {', '.join(unread[:3])}", 200),
                    category="budget_exhausted",
                    detail=f"The limit of {count(self._limits.sources, 'source')} was reached.",
                )
            )
        return gaps

    def _how_it_ended(self) -> str:
        if self._rules.accounts_fully and self._budget.tokens > self._limits.tokens:
            return "with an answer that went beyond it"
        return (
            "with an answer that took what was left of it"
            if self._used_up
            else "before the model did"
        )

    def _step(self, action: str, decision: str) -> None:
        taken = StepTaken(
            step=min(self._budget.rounds + 1, self._limits.rounds),
            of=self._limits.rounds,
            action=short(action, 60),
            decision=short(decision, 300),
        )
        self._desk.note(taken)


def _string(given: dict[str, Any], name: str) -> str:
    value = given.get(name)
    return value if isinstance(value, str) else ""


def _strings(given: dict[str, Any], name: str) -> list[str]:
    value = given.get(name)
    listed = value if isinstance(value, list) else [value]
    return [each for each in listed[:20] if isinstance(each, str)]
