"""The researcher that needs no key and no network: it answers in the words of the corpus.

It takes the question apart, searches for each part, picks the sentences that bear on it, and
quotes them with their places. What it could not find, where sources disagree and what the evidence
leaves open it reports as such. It has no clock and no randomness: the same brief over the same
search answers gives the same findings, to the byte.
"""

import math
from collections.abc import Iterator

from actors.answering.chain_links import Chain
from actors.answering.following import chains_of
from actors.answering.japanese.judging import JapaneseJudge
from actors.answering.japanese.questions import plan as plan_in_japanese
from actors.answering.japanese.terms import JapaneseTerms
from actors.answering.likely import Likely
from actors.answering.parts import Part
from actors.answering.questions import plan, plan_overview
from actors.answering.quoted_account import account
from actors.answering.quoting import Quote, choose, find_disputes
from actors.answering.reading import EFFORT, Reading, in_japanese
from actors.answering.relevance import Judge, Ranked
from actors.answering.rules import PRESENT, Rules, rules_called
from actors.answering.signs import place_of
from actors.answering.sufficing import Sufficing
from actors.answering.surveying import Survey, compared
from actors.answering.terms import Terms
from actors.answering.unspoken import speaks
from actors.answering.wishes import is_a_topic, wishes_of
from actors.desk import Desk
from actors.earlier import carried, earlier_of, settled, wanted
from actors.findings import Findings
from actors.merging.claims import merge
from actors.merging.contributions import Contribution
from actors.reports.support import support
from actors.reports.wording import short
from events.base import Fact
from events.catalogue import Brief
from events.research import (
    ConfidenceWeighed,
    DiscoveryMade,
    GapFound,
    PassageQuoted,
    QuestionOpened,
    SentenceChecked,
)
from events.words import count

MOST_WANTED = 4
"""Open points of an earlier research that are looked for when it is continued."""

NEXT_BEST = 24
"""Sentences that are tried one by one where the best of them do not answer."""

LEAST_OF_A_TOPIC = 2
"""Sentences that are quoted of each of several things that are to be told of a topic, if there are so many."""

PRESENT_RULES = PRESENT.model
"""By which rules it works today; a record says by which it was made."""


def research(brief: Brief, question: str, desk: Desk, model: str = PRESENT_RULES) -> Findings:
    """Answer a question from the corpus, noting each step at the desk.

    Notes steps, sources, quotations, gaps, discoveries and open questions; the beginning and the
    end of the assignment are its caller's to record. `CallCut` passes through. Where it continues an earlier
    research, it looks for what that left open, and what that found stays.
    """
    earlier, asked = earlier_of(brief, desk.text), question
    if earlier and brief.continues:
        desk.note(*carried(earlier))
        asked = "; ".join(wanted(earlier, brief.continues.focus, MOST_WANTED)) or question
    rules = rules_called(model)
    terms, parts = _planned(brief, asked, rules)
    known = earlier.texts if earlier else frozenset[str]()
    reading = Reading(brief, parts, desk, terms, rules, known)
    reading.step(1, "plan", _plan_in_words(parts))
    reading.search_for_parts()
    chains = _to_the_point(chains_of(reading), reading)
    told = {number: chain.told for number, chain in chains.items()}
    reading.follow_up(frozenset(chains))
    reading.compare(frozenset(chains))
    desk.checkpoint()
    judge, ranked = reading.judged()
    effort = EFFORT[brief.depth]
    quotes = choose(judge, reading.parts, ranked, effort.quotes, brief.depth, told, rules)
    by_rules = ranked
    # What is taken back for one part may bring others of another forward, which are held against that, too.
    while reading.exacting and (lacking := _unanswered(quotes, reading, judge)):
        reading.lacking |= lacking
        ranked = _sufficient(ranked, frozenset(lacking), reading, judge)
        chains = {number: each for number, each in chains.items() if number not in reading.lacking}
        told = {number: chain.told for number, chain in chains.items()}
        quotes = choose(judge, reading.parts, ranked, effort.quotes, brief.depth, told, rules)
    bearing = ranked
    if rules.learned and reading.exacting and not reading.japanese:
        likely = Likely(reading, judge, by_rules, quotes)
        ranked, chosen = _by_weights(likely, ranked, frozenset(chains), reading)
        if rules.surveys:
            surveyed = _surveyed(reading, judge, chosen, effort.quotes)
            ranked = [surveyed.get(number, found) for number, found in enumerate(ranked)]
            chosen |= surveyed
        told |= chosen
        quotes = choose(judge, reading.parts, ranked, effort.quotes, brief.depth, told, rules)
        bearing = _bearing(by_rules, ranked, chosen) if rules.disputes_widely else ranked
    disputes = find_disputes(bearing, quotes, terms, rules)
    reading.step(reading.steps - 1, "select", _choice_in_words(quotes, reading))
    desk.checkpoint()
    findings = account(question, reading, judge, quotes, disputes, chains)
    if earlier and brief.continues:
        before = Contribution("earlier", question, settled(earlier, brief.continues.focus))
        further = Contribution("corpus", short(asked, 200), findings)
        findings = merge(question, [before, further], desk.text)
    _note(findings, desk)
    if rules.pointed:
        desk.note(*_checks(findings))
    reading.step(reading.steps, "compose", _result_in_words(findings, rules))
    return findings


def _result_in_words(findings: Findings, rules: Rules) -> str:
    if rules.owns_up and not findings.citations:
        return "Found nothing that answers the question."
    return f"Answered with confidence {findings.confidence:.2f}."


def _to_the_point(chains: dict[int, Chain], reading: Reading) -> dict[int, Chain]:
    """Chains without those of sentences that leave unspoken what is asked about."""
    return {
        number: chain
        for number, chain in chains.items()
        if not reading.rules.pointed or not _leaves_unspoken(reading.parts[number], chain, reading)
    }


def _unanswered(quotes: list[Quote], reading: Reading, judge: Judge) -> dict[int, list[str]]:
    """Parts that their quotations do not answer, with what is missing; but for those of which that is known.

    One side of a comparison is worth telling without the other.
    """
    sufficing = _sufficing(reading, judge)
    unanswered = {}
    for number, part in enumerate(reading.parts):
        said = [reading.said_by(quote) for quote in quotes if quote.part == number]
        if not said or part.side or number in reading.lacking:
            continue
        if lacking := sufficing.lacking(part, said):
            unanswered[number] = lacking
    return unanswered


def _sufficient(
    ranked: list[list[Ranked]], unanswered: frozenset[int], reading: Reading, judge: Judge
) -> list[list[Ranked]]:
    """Sentences without those that do not answer their parts."""
    sufficing = _sufficing(reading, judge)
    kept = list(ranked)
    for number in sorted(unanswered):
        part, next_best = reading.parts[number], ranked[number][:NEXT_BEST]
        reading.compare_with(part, [each.candidate for each in next_best], NEXT_BEST)
        kept[number] = [each for each in next_best if not sufficing.lacking(part, [each.candidate])]
    return kept


def _by_weights(
    likely: Likely, ranked: list[list[Ranked]], answered: frozenset[int], reading: Reading
) -> tuple[list[list[Ranked]], dict[int, list[Ranked]]]:
    """Sentences as the learned weights rank them, and those that they choose, but for parts that a chain answers."""
    kept, chosen = list(ranked), dict[int, list[Ranked]]()
    for number, _ in enumerate(reading.parts):
        weighed = None if number in answered else likely.weighed(number)
        if weighed is None:
            continue
        kept[number] = weighed.ranked if weighed.chosen else []
        if weighed.chosen:
            chosen[number] = weighed.chosen
            reading.likely[number] = weighed.likely
            reading.lacking.pop(number, None)
        else:
            reading.lacking.setdefault(number, [reading.parts[number].text])
    return kept, chosen


def _surveyed(
    reading: Reading, judge: Judge, chosen: dict[int, list[Ranked]], most: int
) -> dict[int, list[Ranked]]:
    """What is quoted of topics that an overview is wanted of, or of one that is named and the weights pass over."""
    told: dict[int, list[Ranked]] = {}
    several = len(reading.parts) > 1
    share = max(LEAST_OF_A_TOPIC, math.ceil(most / len(reading.parts))) if several else most
    for number, part in enumerate(reading.parts):
        plain = not (several or chosen or part.steps or part.side)
        if not part.topic and not (plain and is_a_topic(part.text)):
            continue
        taken = {place_of(each.candidate) for quoted in told.values() for each in quoted}
        pool = [each for each in reading.candidates() if place_of(each) not in taken]
        reading.compare_pairs(pair for each in pool for pair in compared(part, each))
        survey = Survey(part, pool, judge, reading.alike, reading.terms)
        if (part.topic or survey.certain) and (found := survey.chosen(share)):
            told[number] = found
            reading.lacking.pop(number, None)
    return told


def _bearing(
    by_rules: list[list[Ranked]], ranked: list[list[Ranked]], chosen: dict[int, list[Ranked]]
) -> list[list[Ranked]]:
    """What bears on the parts: where weights chose, they put far behind what says the same with another figure."""
    all_chosen = ([each] for told in chosen.values() for each in told)
    return [*ranked, *(by_rules[number] for number in chosen), *all_chosen]


def _leaves_unspoken(part: Part, chain: Chain, reading: Reading) -> bool:
    told = [each.candidate for each in chain.told]
    if reading.exacting and not part.steps:
        reading.compare_with(part, told, len(told))
    judge, _ = reading.judged_for(part)
    unspoken = () if part.steps else judge.unspoken(part)
    if not any(speaks(unspoken, each.matches, 0.5) for each in chain.told):
        return True
    if part.side or not reading.exacting:
        return False
    return bool(_sufficing(reading, judge).lacking(part, told))


def _planned(brief: Brief, asked: str, rules: Rules) -> tuple[Terms, list[Part]]:
    """What words are compared by, and the parts of a question."""
    if in_japanese(brief.question, rules):
        terms = JapaneseTerms()
        return terms, plan_in_japanese(asked, terms, rules)
    context = brief.context or ""
    wishes = wishes_of(asked) if rules.surveys else None
    parts = plan_overview(wishes, asked, context, Terms(), rules) if wishes else []
    return Terms(), parts or plan(asked, context, Terms(), rules)


def _sufficing(reading: Reading, judge: Judge) -> Sufficing | JapaneseJudge:
    """Who holds quotations against a part."""
    if isinstance(judge, JapaneseJudge):
        return judge
    return Sufficing(judge, reading.terms, reading.rules)


def _plan_in_words(parts: list[Part]) -> str:
    if len(parts) == 1 and parts[0].steps:
        steps = " → ".join(parts[0].steps)
        return f"One question in {len(parts[0].steps)} steps: {steps}"
    if len(parts) == 1:
        return "One question; looking for sentences that answer it as it stands."
    return f"{len(parts)} questions: " + " / ".join(part.text for part in parts)


def _choice_in_words(quotes: list[Quote], reading: Reading) -> str:
    sources = {quote.source.order for quote in quotes}
    return (
        f"{count(len(quotes), 'passage')} of {count(len(sources), 'source')} quoted, "
        f"out of {count(len(reading.candidates()), 'sentence')} read."
    )


def _note(findings: Findings, desk: Desk) -> None:
    for each in findings.citations:
        place = each.model_dump(include={"content_hash", "text_hash", "start", "end"})
        desk.note(PassageQuoted(citation=each.number, **place))
    desk.note(
        *(GapFound(**each.model_dump()) for each in findings.gaps),
        *(DiscoveryMade(**each.model_dump()) for each in findings.discovery_events),
        *(QuestionOpened(**each.model_dump()) for each in findings.open_questions),
    )


def _checks(findings: Findings) -> Iterator[Fact]:
    """What each sentence of the answer rests on, as for the other researchers; a quotation says all of itself."""
    shown = {each.number: each.raw_excerpt for each in findings.citations}
    for said in findings.sentences:
        share = support(said.text, "\n\n".join(shown[number] for number in said.citations))
        whole = share == 1.0
        yield SentenceChecked(
            sentence=said.text,
            outcome="supported" if whole else "inference",
            match="exact" if whole else "none",
            citations=said.citations,
            support=share,
            similarity=1.0 if whole else None,
        )
    yield ConfidenceWeighed(computed=findings.confidence, claimed=None)
