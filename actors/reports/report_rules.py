"""By which rules a provider's report is held against its sources: those of today, and those of older records.

As with the rules of the corpus researcher, a record replays only by those that made it: rules are never changed, only
followed by others with another name.
"""

from dataclasses import dataclass, replace

from events.errors import BadRequest


@dataclass(frozen=True, slots=True)
class ReportRules:
    """What differs from one generation to the next."""

    name: str
    """What the record calls them."""

    weighs_meaning: bool
    """Whether sentences are compared with their passages by meaning, beside the words."""

    reads_marks: bool
    """Whether marks belong to the sentence that they follow, and the list of sources says what they mean."""

    looks_for_contradictions: bool
    """Whether the figures of the passages are held against one another and against the report's; and whether each
    sentence that its sources do not say is a gap of its own."""

    names_unplaced: bool
    """Whether sources count that the provider names without saying for what part of its report."""

    wants_a_report: bool
    """Whether a job has failed that was cancelled at the provider, by nobody here, before it had written anything."""

    owns_up: bool
    """Whether a job that could not be called off is said to go on perhaps, and not to be cancelled: its state is what
    the provider said."""

    stops_counting: bool
    """Whether a research that is called off takes no more steps of the whole that will not come."""

    heeds_limits: bool = False
    """Whether the caller's sites and number of sources bind what is read of the sources, the provider is told of the
    sites, and a job that searched oftener than was allowed is said to have."""

    pays_once: bool = False
    """Whether the cancel of a job that has told its bill is told so."""

    counts_origins: bool = False
    """Whether a page that several addresses lead to is read once and one witness, and copies of it are no others."""

    wants_citations: bool = False
    """Whether a report that cites nothing is said to, and one in which nothing can be seen is none."""

    weighs_quotations: bool = False
    """Whether words in quotation marks that stand in a source count for their sentence only as far as the source says
    that sentence."""

    shows_nothing_live: bool = False
    """Whether pictures and HTML of every form are shown as what was written, and so is all markup of the sources."""

    weighs_uncited: bool = False
    """Whether sentences without a source lower the confidence, and are a gap where they are most of the report."""

    marks_cuts: bool = False
    """Whether an excerpt that is shorter than its passage says so at its end."""

    knows_its_list: bool = False
    """Whether entries of the report's own list of sources are no sentences of it that cite nothing."""

    worded_plainly: bool = False
    """Whether the account counts one as one, speaks of no passage where there is none and of no filter where an address
    is none of the web, and puts no blank before the full stop of a Japanese sentence."""

    keeps_code: bool = False
    """Whether code within a line is shown as it is, as blocks of code are."""

    knows_lost_jobs: bool = False
    """Whether a job that the provider took on and tells nothing of any more has failed: its order was not refused."""

    leaves_stops: bool = False
    """Whether why a research stopped is for its task to say, which knows who wanted that: a stop exhausts no budget,
    is followed by no further step, and of a source that it left unread it is said that it is that."""


FIRST = ReportRules(
    "gemini-report-1",
    weighs_meaning=False,
    reads_marks=False,
    looks_for_contradictions=False,
    names_unplaced=False,
    wants_a_report=False,
    owns_up=False,
    stops_counting=False,
)
SECOND = ReportRules(
    "gemini-report-2",
    weighs_meaning=True,
    reads_marks=True,
    looks_for_contradictions=True,
    names_unplaced=False,
    wants_a_report=False,
    owns_up=False,
    stops_counting=False,
)
THIRD = ReportRules(
    "gemini-report-3",
    weighs_meaning=True,
    reads_marks=True,
    looks_for_contradictions=True,
    names_unplaced=True,
    wants_a_report=True,
    owns_up=True,
    stops_counting=True,
)
FOURTH = replace(THIRD, name="gemini-report-4", heeds_limits=True, pays_once=True)
FIFTH = replace(FOURTH, name="gemini-report-5", counts_origins=True, wants_citations=True)
SIXTH = replace(
    FIFTH,
    name="gemini-report-6",
    weighs_quotations=True,
    shows_nothing_live=True,
    weighs_uncited=True,
    marks_cuts=True,
)
SEVENTH = replace(
    SIXTH,
    name="gemini-report-7",
    knows_its_list=True,
    worded_plainly=True,
    keeps_code=True,
    knows_lost_jobs=True,
)
PRESENT = replace(SEVENTH, name="gemini-report-8", leaves_stops=True)

_ALL = {each.name: each for each in (FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH, SEVENTH, PRESENT)}


def report_rules_called(name: str) -> ReportRules:
    """The rules that a record names."""
    if name not in _ALL:
        raise BadRequest(
            f"This version does not know the rules {name!r}.", "Use the version that recorded it."
        )
    return _ALL[name]
