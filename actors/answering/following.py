"""Follows a nested question from page to page: each step's sentence names what the next step is about."""

import re
from dataclasses import replace

from actors.answering.candidates import Candidate
from actors.answering.chain_links import (
    Chain,
    Lead,
    Link,
    distance,
    fit,
    leading_on,
    surest,
    told_of,
    unrepeated,
    worth,
)
from actors.answering.joining import joined_for
from actors.answering.linking import leads_to, names_in, plain, subject, surely_meant
from actors.answering.parts import Part
from actors.answering.questions import step_part
from actors.answering.reading import Reading
from actors.answering.relevance import Ranked, unmatched
from actors.ports import Passage

MOST_LEADS = 4
"""Names that a step may lead to."""

MOST_PAGES = 3
"""Pages that are read for one step."""

COMPARED = 16
"""Sentences that are compared in meaning with one step."""

MOST_READ = 20_000
"""Characters of a page in which a surname is looked for in full."""

ITS_PAGE = 0.6
"""How surely a name must mean a page to be followed there before any other."""

NEARLY = 0.85
"""How much of the best sentence's relevance another beginning of a chain must have."""

AT_ONCE = 0.9
"""How much of a nested question a sentence must cover to answer it alone."""

LIKE_IT = 0.35
"""Likeness in meaning from which a sentence on the right page answers a step without sharing its words…"""

MUCH_LIKE_IT = 0.45
"""…and where nothing tells what kind of thing is sought."""


class Following:
    """Builds the chain of one part."""

    def __init__(self, reading: Reading, part: Part) -> None:
        self._reading, self._part = reading, part
        self.stopped = False
        """Whether the last step would have been searched for, had a search been left."""

        self._asked = f" {plain(part.text)} "

    def chain(self) -> list[Link]:
        """A sentence for each step, as far as they lead; empty where the first step leads nowhere."""
        first = step_part(self._part.steps[0], "", self._reading.terms, self._reading.rules)
        links = [Link(first, each) for each in self._beginnings(first)]
        chains = [[link] for link in links]
        for words in self._part.steps[1:]:
            self.stopped = False
            further = self._further(chains, words)
            if not further:
                break
            chains = further
        best = max(chains, key=worth, default=[])
        return unrepeated(best) if len(best) > 1 else []

    def _beginnings(self, first: Part) -> list[Ranked]:
        """Sentences that may answer the first step: the best, and how the page that it names begins."""
        pool = self._reading.candidates()
        _, by_words = self._reading.judged_for(first)
        self._reading.compare_with(first, [*(each.candidate for each in by_words), *pool], COMPARED)
        judge, ranked = self._reading.judged_for(first)
        best = [each for each in ranked[:2] if each.relevance >= NEARLY * ranked[0].relevance]
        known = {id(each.candidate) for each in best}
        named = judge.about(first)
        if self._reading.rules.closer:
            # What is told on its own page needs no other.
            own = [each for each in best if each.candidate.passage.title in named]
            best = [each for each in own if told_of(first, each) == 1.0] or best
        opening = [each for each in pool if each.opens and each.passage.title in named]
        begun = [judge.taken(first, each) for each in opening[:1] if id(each) not in known]
        return best + [
            replace(each, relevance=each.relevance * told_of(first, each)) for each in begun
        ]

    # -- one step on -----------------------------------------------------------------------------

    def _further(self, chains: list[list[Link]], words: str) -> list[list[Link]]:
        """Each chain with the best sentence for the next step, where one is found."""
        leads = [(chain, lead) for chain in chains for lead in self._leads(chain)][: 2 * MOST_LEADS]
        if not leads:
            return []
        searched = not self._pages(leads[0][1]) and self._search(leads, words)
        found = self._answered(leads, words)
        if not leading_on(found) and not searched and self._search(leads, words):
            found = self._answered(leads, words)
        found = found or self._answered(leads, words, alike=True)
        return sorted(leading_on(found) or found, key=worth, reverse=True)[:2]

    def _search(self, leads: list[tuple[list[Link], Lead]], words: str) -> bool:
        """Look for the pages of the surest names, if a search is left."""
        if not self._reading.may_search:
            self.stopped = True
            return False
        names = list(dict.fromkeys(lead.name for _, lead in leads))[:2]
        title = leads[0][1].told.candidate.passage.title
        query = " ".join((*names, words))
        self._reading.search_on(query, f"“{title}” leads to {' or '.join(names)}.")
        return True

    def _answered(
        self, leads: list[tuple[list[Link], Lead]], words: str, *, alike: bool = False
    ) -> list[list[Link]]:
        """Chains with a sentence for the next step: by its words, or because its meaning is alike."""
        pages = [self._pages(lead) for _, lead in leads]
        sure = max((certainty for found in pages for certainty, _ in found), default=0.0)
        chains: list[list[Link]] = []
        for (chain, lead), found in zip(leads, pages, strict=True):
            if sure >= ITS_PAGE and not any(certainty >= ITS_PAGE for certainty, _ in found):
                continue  # Some other name has a page of its own.
            asked = _IN_SOME.sub("", words)
            step = step_part(asked, lead.name, self._reading.terms, self._reading.rules)
            about = [(how, page) for how, page in found if how >= min(sure, ITS_PAGE)][:MOST_PAGES]
            self._reading.take_in(step, (page for _, page in about))
            certain = {page.text_hash: how for how, page in about}
            told = (self._alike if alike else self._best)(step, lead, certain)
            if told:
                told = replace(told, relevance=round(told.relevance * fit(chain[-1], told), 6))
                chains.append([*chain, Link(step, told)])
        return chains

    def _best(self, step: Part, lead: Lead, pages: dict[str, float]) -> Ranked | None:
        """The sentence that answers a step best: on a page about the name, or naming it."""
        near = self._near(lead, pages)
        self._reading.compare_with(step, near, COMPARED)
        _, ranked = self._reading.judged_for(step)
        nearby = {id(each) for each in near}
        return surest([each for each in ranked if id(each.candidate) in nearby], lead, pages)

    def _alike(self, step: Part, lead: Lead, pages: dict[str, float]) -> Ranked | None:
        """The sentence on a page about the name whose meaning is nearest to a step, if it has what is sought."""
        judge, _ = self._reading.judged_for(step)
        told = [
            judge.taken(step, each)
            for each in self._near(lead, pages)
            if each.passage.text_hash in pages
            and each.source is not lead.told.candidate.source
            and (judge.likeness(step, each) or 0.0) >= (LIKE_IT if step.seeks else MUCH_LIKE_IT)
        ]
        return surest([each for each in told if each.gives == step.seeks], lead, pages)

    def _near(self, lead: Lead, pages: dict[str, float]) -> list[Candidate]:
        pool, name = self._reading.candidates(), plain(lead.name)
        return [
            each for each in pool if each.passage.text_hash in pages or name in plain(each.text)
        ]

    def _pages(self, lead: Lead) -> list[tuple[float, Passage]]:
        """Pages about a name, the surest first, and how sure that is."""
        found = self._reading.found.values()
        titles = {each.title for each in found}
        said = f"{lead.step.text} {lead.told.candidate.text}"
        sure = surely_meant(lead.name, titles, said)
        if self._reading.rules.closer and max(sure.values(), default=0.0) < ITS_PAGE:
            sure = surely_meant(_TITLED.sub("", lead.name, count=1), titles, said)
        known = [(sure[each.title], each) for each in found if each.title in sure]
        return sorted(known, key=lambda pair: -pair[0])

    def _leads(self, chain: list[Link]) -> list[Lead]:
        """What the last sentence of a chain may be about: its page, or a name in it that is new."""
        told = chain[-1].told
        candidate, step = told.candidate, chain[-1].part
        title = candidate.passage.title
        leads: list[Lead] = []
        first = candidate.tokens[0] if candidate.tokens else None
        names = names_in(candidate.text, candidate.tokens)
        if first and not first.start and first.surface[0].isupper() and not first.name:
            names.append((first.surface, 0))  # A capital at the beginning may be a name's.
        for name, at in _as_called(names, candidate) if self._reading.rules.closer else names:
            if f" {plain(name)} " in self._asked or leads_to(name, title) >= 0.7:
                continue
            trust = 1.0 - 0.05 * min(10, distance(step, candidate, at))
            leads.append(Lead(name, told, trust, step))
        if f" {subject(title)} " not in self._asked and len(chain) == 1:
            leads.append(Lead(title, told, 0.97, step))
        return sorted(leads, key=lambda lead: -lead.trust)[:MOST_LEADS]


_TITLED = re.compile(
    r"(?:King|Queen|Prince|Princess|Emperor|Empress|Tsar|Sultan|Pope|Saint|Archduke|Archduchess|Duke|Duchess|Count|Countess|Baron"
    r"|Baroness|Lord|Lady|Sir|Dame|President|Governor|Senator|General|Captain|Colonel|Admiral|Professor|Doctor|Dr\.?|Mr\.?"
    r"|Mrs\.?)\s+(?=[A-Z])"
)
_NUMERAL = re.compile(r"\s[IVX]+\b")


def _as_called(names: list[tuple[str, int]], candidate: Candidate) -> list[tuple[str, int]]:
    """Names with the numeral behind them, and a surname in full where the page gives it."""
    called: list[tuple[str, int]] = []
    for name, at in names:
        numeral = _NUMERAL.match(candidate.text, at + len(name))
        whole = candidate.text[at : numeral.end()] if numeral else name
        called.append((whole if " " in whole else _in_full(whole, candidate.source.text), at))
    return called


def _in_full(surname: str, text: str) -> str:
    given = r"(?<!\w)[A-Z][\w’'-]{1,40}+(?: [A-Z][\w.’'-]{0,40}+){0,2} "
    found = re.search(rf"{given}{re.escape(surname)}(?!\w)", text[:MOST_READ])
    return found.group() if found else surname


def chains_of(reading: Reading) -> dict[int, Chain]:
    """For each part that asks in steps and could be followed: a sentence for each step, as far as they lead."""
    chains: dict[int, Chain] = {}
    for number, part in enumerate(reading.parts):
        if number in reading.unsearched or not reading.rules.chained:
            continue
        stopped = False
        if not part.steps:
            links = [] if reading.rules.closer else _implied_chain(reading, part)
        elif _told_at_once(reading, part):
            links = []
        else:
            following = Following(reading, part)
            links, stopped = following.chain(), following.stopped
            if not links and reading.may_search:
                reading.search_whole(part)
        if not links and reading.rules.closer and (joined := joined_for(reading, part)):
            chains[number] = Chain(joined)
        if links:
            told = list({id(link.told.candidate): link.told for link in links}.values())
            missing = part.steps[len(links) :]
            reach = len(links) / (len(links) + len(missing))
            chains[number] = Chain(told, missing, bool(missing) and stopped, reach)
    if len(chains) < len(reading.parts):
        reading.catch_up()
    return chains


def _told_at_once(reading: Reading, part: Part) -> bool:
    """Whether a single sentence says, in the words of the question, all that its steps ask for."""
    worded = replace(part, wanted=tuple(replace(each, sense=None) for each in part.wanted))
    judge, ranked = reading.judged_for(worded)
    return any(
        each.gives == part.seeks and judge.coverage(worded, each.matches) >= AT_ONCE
        for each in ranked[:3]
    )


def _implied_chain(reading: Reading, part: Part) -> list[Link]:
    """The chain of a question whose steps its wording does not show: what its best sentence leaves open is asked of
    the names in it, and must be told there in the same words.
    """
    if part.side or not any(each.entity for each in part.wanted):
        return []
    _, ranked = reading.judged_for(part)
    missing = unmatched(part, ranked[:1])
    words = [each.surface for each in missing if not each.entity]
    if not ranked or len(words) < 2:
        return []
    links = Following(reading, replace(part, steps=(part.text, " ".join(words)))).chain()
    if not links or links[-1].told.candidate.source is links[0].told.candidate.source:
        return []
    first, last = links[0].told.candidate, links[-1].told.candidate
    names = [name for name, _ in names_in(first.text, first.tokens)]
    linked = any(leads_to(name, last.passage.title) >= ITS_PAGE for name in names)
    told = sum(each.term in last.terms for each in missing)
    return links if linked and 2 * told >= len(missing) else []


_IN_SOME = re.compile(
    r"^(?:in|at|from|on|of|by|to|with|for)\s+an?\s+[\w-]+\s+(?=\w+ (?:\w+ ){0,4}(?:what|which)\b)"
)
"""In a town in which country: that it is a town need not be told again."""
