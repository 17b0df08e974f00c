"""`continue_research`: a new task that starts from what an ended one had read, and pays only for what is new.

What the ended task read, asked and found is packed once, here, and the new brief has the hash of it. The ended task
is left as it is, so a task can be continued more than once, and a continuation can be continued itself.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from actors.earlier import MOST_ANSWERS, MOST_PAGES, Earlier, earlier_of
from actors.findings import Citation, Findings, Statement
from actors.outside import Page
from actors.ports import Passage
from actors.reports.wording import display
from contracts.choosing import NoDocuments, names_corpus
from contracts.core import Core
from contracts.research.calls import QUESTION_LENGTH, result_of
from contracts.waiting import Progress, wait_to_end
from events.base import Blob, Fact
from events.calls import CallAnswered, CallAsked
from events.catalogue import Brief, Constraints, Continued
from events.codec import canonical, decode
from events.errors import BadRequest, RecordError, TaskNotFinished
from events.home import CATALOGUE, Home
from events.research import JobCreated, SourceRead
from language.plain import is_seen
from projections.results import NoResult

MOST_BUDGET = 1_000_000
_TOKENS_A_ROUND = 5_000
_MOST_ROUNDS = 12
_NOT_CARRIED = frozenset({"gemini"})
"""Ports whose answers belong to one job, and to nobody else."""


async def continue_research(
    core: Core, task: str, extra_budget: int, focus: str | None, progress: Progress
) -> dict[str, Any]:
    """Continue a research to its end and return the contract's `ResearchResult`."""
    new = start_continuation(core, task, extra_budget, focus)
    await wait_to_end(core, new, progress)
    return result_of(core, new)


def start_continuation(
    core: Core,
    task: str,
    extra_budget: int,
    focus: str | None = None,
    *,
    asked_through: str = "continue_research",
) -> str:
    """Accept a task that continues an ended one; its id is durable when this returns."""
    if not 1 <= extra_budget <= MOST_BUDGET:
        raise BadRequest(f"The extra budget is {extra_budget}.", f"Use 1 to {MOST_BUDGET} tokens.")
    focus = _checked(focus)
    seen = core.views.status(task.strip())
    if not seen.ended:
        raise TaskNotFinished(seen.task, seen.progress)
    before = core.catalogue.brief(seen.task)
    earlier = collect(core, seen.task, before, seen.researchers)
    if not earlier.pages:
        raise BadRequest(
            f"Task {seen.task} ended before it had read anything.",
            "There is nothing to continue from: start the research anew.",
        )
    continued = Continued(
        task=seen.task,
        head=seen.head_hash,
        evidence=core.home.blobs.put(canonical(earlier)),
        focus=focus,
    )
    return core.start_research(_brief(core, before, continued, extra_budget, asked_through))[0]


def _checked(focus: str | None) -> str | None:
    focus = " ".join((focus or "").split())
    if len(focus) > QUESTION_LENGTH:
        raise BadRequest(f"The focus has {len(focus)} characters.", f"Use up to {QUESTION_LENGTH}.")
    try:
        focus.encode()
    except UnicodeEncodeError:
        raise BadRequest("The focus is not valid text.", "Remove the broken characters.") from None
    if focus and not any(map(is_seen, focus)):
        raise BadRequest(
            "Nothing of the focus can be seen.", "Name it in letters, or leave it out."
        )
    return focus or None


def _brief(
    core: Core, before: Brief, continued: Continued, extra: int, asked_through: str
) -> Brief:
    kind = before.researcher
    able = core.able()
    free = names_corpus(before.model)
    if kind not in able and not before.collections:
        if free:
            raise NoDocuments
        kind = core.choose_grounded()  # Its key is gone, or its documents are.
    others = ("corpus",) if before.collections or free else able
    # Who was sent company has it again; a provider that researches deeply by itself needs none.
    company = before.wants_company and kind != "gemini"
    # The extra budget sets the others.
    sources = ("max_sources",) if before.constraints.binds("max_sources") else ()
    return before.model_copy(
        update={
            "researcher": kind,
            "model": before.model if kind == before.researcher else None,
            "depth": "deep",
            "constraints": Constraints(
                max_iterations=min(_MOST_ROUNDS, 1 + extra // _TOKENS_A_ROUND),
                token_budget=extra,
                max_sources=before.constraints.max_sources,
                source_filter=before.constraints.source_filter,
                said=("max_iterations", *sources, "token_budget"),
            ),
            "task_cap_usd": core.settings.task_cap_usd,
            "daily_cap_usd": core.settings.daily_cap_usd,
            "asked_through": asked_through,
            "orchestrate": company,
            "available": others if company else (),
            "continues": continued,
        }
    )


# -- packing ---------------------------------------------------------------------------------------


def collect(core: Core, task: str, brief: Brief, researchers: Sequence[str]) -> Earlier:
    """Everything that an ended task leaves to whoever continues it."""
    home = core.home
    known = earlier_of(brief, home.blobs.get_text)
    facts = [record.fact for name in researchers for record in home.read(name)[0]]
    answers = dict(_answers(facts))
    pages = _pages(home, facts, list(_known_pages(home, answers, known)))
    kept = (known.answers if known else {}) | {asked: blob for (_, asked), blob in answers.items()}
    if _corpus_moved(home, task):
        kept = {asked: reply for asked, reply in kept.items() if _port(home, asked) != "corpus"}
    jobs = [fact.interaction for fact in facts if isinstance(fact, JobCreated)]
    return Earlier(
        task=task,
        researcher=brief.researcher,
        findings=_findings(core, task, brief, {page.text.hash for page in pages}),
        pages=pages,
        answers=dict(list(kept.items())[-MOST_ANSWERS:]),
        interaction=jobs[0] if jobs else None,
    )


def _corpus_moved(home: Home, task: str) -> bool:
    """Whether a search of the corpus might find something else than when a task was entered here."""
    entered = False
    for record in home.read(CATALOGUE)[0]:
        if record.kind == "task_entered" and record.data["task"] == task:
            entered = True
        elif entered and record.kind in _MOVES:
            return True
    return not entered


def _port(home: Home, asked: str) -> str:
    try:
        return str(decode(home.blobs.get(asked))["port"])
    except RecordError:
        return ""


_MOVES = frozenset(
    {
        "source_published",
        "source_removed",
        "collection_deleted",
        "collection_restored",
        "generation_switched",
    }
)


def _answers(facts: Sequence[Fact]) -> Iterator[tuple[tuple[str, str], Blob]]:
    """What was answered, by port and the digest of what was asked."""
    asked: dict[str, tuple[str, str]] = {}
    for fact in facts:
        if isinstance(fact, CallAsked):
            asked[fact.call] = fact.port, fact.request.hash
        elif isinstance(fact, CallAnswered):
            question = asked.get(fact.call)
            if question and question[0] not in _NOT_CARRIED:
                yield question, fact.reply


def _known_pages(
    home: Home, answers: dict[tuple[str, str], Blob], known: Earlier | None
) -> Iterator[Page]:
    """Pages as they were fetched, or found in the corpus."""
    yield from known.pages if known else ()
    for (port, _), reply in answers.items():
        if port not in {"fetch", "corpus"}:
            continue
        try:
            told = decode(home.blobs.get(reply.hash))
        except RecordError:
            continue  # What is gone cannot be carried; it is fetched again if it is needed.
        if port == "fetch":
            yield Page.model_validate(told)
        elif told and isinstance(told[0], dict):
            yield from (_page(Passage.model_validate(each)) for each in told)


def _page(passage: Passage) -> Page:
    """A document of the corpus, as pages are described; its blobs are looked up when it is kept."""
    return Page(
        url=passage.locator,
        final_url=passage.locator,
        title=passage.title,
        media_type=passage.media_type,
        original=Blob(hash=passage.version, size=passage.size, stored=passage.version),
        text=Blob(hash=passage.text_hash, size=0, stored=passage.text_hash),
        fetched_at=passage.published_at,
    )


def _pages(home: Home, facts: Sequence[Fact], known: list[Page]) -> tuple[Page, ...]:
    """Every source that was read and whose bytes are still there, once."""
    described = {_place(page): page for page in known}
    kept: dict[tuple[str, str, str], Page] = {}
    for fact in facts:
        if not isinstance(fact, SourceRead) or len(kept) == MOST_PAGES:
            continue
        place = fact.url, fact.content_hash, fact.text_hash
        page = described.get(place)
        if page is None or place in kept:
            continue
        try:
            original, text = (
                home.blobs.put(home.blobs.get(each)) for each in (fact.content_hash, fact.text_hash)
            )
        except RecordError:
            continue
        kept[place] = page.model_copy(update={"original": original, "text": text})
    return tuple(kept.values())


def _place(page: Page) -> tuple[str, str, str]:
    return page.final_url, page.original.hash, page.text.hash


def _findings(core: Core, task: str, brief: Brief, texts: set[str]) -> Findings:
    """What the task had found, as far as its sources are carried, and at no cost."""
    try:
        found = core.views.result(task)
        # What nobody chose is no finding; it is read again with the pages that are carried.
        result = found.result if found.status.result or found.quotes else {}
    except NoResult:
        result = {}
    cited = [Citation.model_validate(each) for each in result.get("citations", ())]
    citations = tuple(each for each in cited if each.text_hash in texts)
    numbers = {each.number for each in citations}
    told = [Statement.model_validate(each) for each in result.get("sentences", ())]
    sentences = tuple(
        each.model_copy(
            update={
                "citations": tuple(n for n in each.citations if n in numbers),
                "disputes": tuple(n for n in each.disputes if n in numbers),
            }
        )
        for each in told
    )
    if len(citations) < len(cited):
        # The numbers that are left have holes, and the answer speaks of those that are gone.
        places = {each.number: place for place, each in enumerate(citations, 1)}
        citations = tuple(
            each.model_copy(update={"number": places[each.number]}) for each in citations
        )
        sentences = tuple(
            each.model_copy(
                update={
                    "citations": tuple(places[n] for n in each.citations),
                    "disputes": tuple(places[n] for n in each.disputes),
                }
            )
            for each in sentences
        )
        said = (
            each.text + " " + ("".join(f"[{n}]" for n in each.citations) or "[inference]")
            for each in sentences
        )
        result = result | {"answer": "\n".join(said)}
    if not told:  # It was stopped before it composed an answer: its quotations are what there is.
        sentences = tuple(
            Statement(
                text=display(each.raw_excerpt), citations=(each.number,), about=brief.question
            )
            for each in citations
        )
    whole = _NOTHING | {name: result[name] for name in _NOTHING if name in result}
    # That somebody ended it says nothing of what is missing.
    whole["gaps"] = [_without(each, "cancelled") for each in whole["gaps"]]
    for name in ("discovery_events", "open_questions"):
        whole[name] = still_open(whole[name], result.get("researchers", ()))
    return Findings.model_validate(
        whole
        | {
            "question": brief.question,
            "citations": citations,
            "sentences": sentences,
            "parts": tuple(dict.fromkeys(each.about for each in sentences)) or (brief.question,),
            "iterations_run": 0,
            "tokens_used": 0,
            "budget_exhausted": False,
            "model_id": result.get("cost_metadata", {}).get("model_id", "none"),
        }
    )


def still_open(
    leads: Sequence[dict[str, Any]], crew: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Leads that nobody has followed, or only somebody who never reported; the others need not be paid for again."""
    told = {each["researcher"] for each in crew if not each["failure"]}
    return [
        _without(each, "dispatched_to") for each in leads if each.get("dispatched_to") not in told
    ]


def _without(members: dict[str, Any], left_out: str) -> dict[str, Any]:
    return {name: value for name, value in members.items() if name != left_out}


_NOTHING: dict[str, Any] = {
    "answer": "Nothing was answered by then.",
    "gaps": [],
    "discovery_events": [],
    "open_questions": [],
    "confidence": 0.05,
    "confidence_factors": {
        "num_corroborating_sources": 0,
        "source_authority": "low",
        "contradiction_detected": False,
        "query_specificity_match": 0.0,
        "budget_exhausted": False,
        "recency": None,
    },
}
