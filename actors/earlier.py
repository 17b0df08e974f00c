"""What an ended task had read, asked and found, packed for the task that continues it.

It is kept as one blob whose hash the new task's brief has: so the new task needs nothing else of the old one, on
whatever machine it runs, and runs the same when it is run again. An answer that is in it is never asked for again.
"""

import re
from collections.abc import Callable

from pydantic import BaseModel, ConfigDict

from actors.findings import Findings
from actors.outside import Page
from actors.reports.wording import short
from events.base import Blob, Fact, Hash
from events.catalogue import Brief
from events.codec import decode
from events.research import SourceRead
from language.detection import language_of

MOST_PAGES = 60
MOST_ANSWERS = 400


class Earlier(BaseModel):
    """The evidence of one task, and of all that it continued itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    researcher: str
    """Kind of its first researcher."""

    findings: Findings
    """What it had found, with nothing that it cost."""

    pages: tuple[Page, ...]
    """Every source that was read, of the web and of the corpus."""

    answers: dict[Hash, Blob]
    """What was answered, by the digest of what was asked."""

    interaction: str | None = None
    """The job that a provider did for it."""

    @property
    def texts(self) -> frozenset[str]:
        """The hashes of all texts that were read."""
        return frozenset(page.text.hash for page in self.pages)


def earlier_of(brief: Brief, text: Callable[[str], str]) -> Earlier | None:
    """The evidence that a brief starts from, if it does."""
    only_answers = brief.continues is not None and brief.continues.answers_only
    return None if only_answers else answered_before(brief, text)


def answered_before(brief: Brief, text: Callable[[str], str]) -> Earlier | None:
    """What a brief's worker need not ask again, because it was answered to the task that this one continues."""
    if brief.continues is None:
        return None
    return Earlier.model_validate(decode(text(brief.continues.evidence.hash).encode()))


def carried(earlier: Earlier) -> list[Fact]:
    """The sources of the earlier task as facts of this one: they may be cited, and were not read again."""
    return [
        SourceRead(
            step=0,
            action="carried",
            url=page.final_url,
            title=short(page.title, 300) or None,
            content_hash=page.original.hash,
            content_length=page.original.size,
            text_hash=page.text.hash,
            decision=f"Read by task {earlier.task}, which this one continues.",
        )
        for page in earlier.pages
    ]


def wanted(earlier: Earlier, focus: str | None, most: int) -> list[str]:
    """What is left to be found out: what the caller wants, else what was missing, then what was open."""
    if focus:
        return [focus]
    found = earlier.findings
    missing = [
        gap.topic for gap in found.gaps if gap.category in _MISSING and _is_phrase(gap.topic)
    ]
    unread = any(topic.startswith(_UNREAD) for topic in missing)
    named = [_question(topic) for topic in missing if not topic.startswith(_UNREAD)]
    urgent = [each for each in found.open_questions if each.priority == "high"]
    others = [each for each in found.open_questions if each.priority == "medium"]
    asked = [_question(each.question) for each in (*urgent, *others)]
    whole = [found.question] if unread else []
    return list(dict.fromkeys((*whole, *named, *asked)))[:most]


def _is_phrase(topic: str) -> bool:
    """Whether a gap is on something that can be asked about, and not on an address."""
    return " " in topic or language_of(topic) == "ja"


def _question(point: str) -> str:
    """An open point as it can be asked: the question alone, without the words of it that nobody spoke of."""
    wrapped = _MISSING_WORDS.fullmatch(point)
    return str(wrapped[wrapped.lastgroup or 0]) if wrapped else point


def settled(earlier: Earlier, focus: str | None) -> Findings:
    """What was found, without what was missing only for want of the budget that there is now.

    Where that is spent on something else, it is missing still.
    """
    found = earlier.findings
    if focus:
        return found
    gaps = tuple(gap for gap in found.gaps if gap.category != "budget_exhausted")
    return found.model_copy(update={"gaps": gaps})


UNREAD = "Left unread"
"""How the gap begins that speaks of sources beyond the limit."""

_UNREAD = (UNREAD, "読まなかった資料")
_MISSING_WORDS = re.compile(
    r"[^()]{1,200} \((?P<topic>.+[?\uff1f\u3002か])\)"
    r"|Which source (?:speaks of|mentions) “[^”]{1,200}”: (?P<asked>.+)"
    r"|「[^」]{1,200}」について述べている資料はどれですか: (?P<asked_in_japanese>.+)"
)
"""How gaps and open questions name the words of a question that no quotation speaks of."""

_MISSING = frozenset({"source_not_found", "budget_exhausted", "scope_exceeded"})
