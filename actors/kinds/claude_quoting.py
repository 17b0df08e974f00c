"""An answer without a model: sentences of the pages that were read, held to what is asked. Pure.

As the corpus researcher does, and by its rules, it quotes what keeps to the names, the years and the things of the
question. Where the pages tell something like it, but of another thing, time or place, it quotes nothing.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from actors.answering.candidates import Candidate, candidate, quotable
from actors.answering.questions import plan
from actors.answering.quoting import choose
from actors.answering.relevance import Judge, Ranked
from actors.answering.rules import rules_called
from actors.answering.sufficing import Sufficing
from actors.answering.terms import Terms
from actors.kinds.claude_draft import Claim, Draft, DraftSentence
from actors.kinds.claude_rules import ClaudeRules
from actors.reports.support import SUPPORTED, coverage
from actors.reports.wording import display, short
from actors.webpages.injection import attempts, visible
from actors.webpages.webpage import WebPage
from language.detection import UNKNOWN, language_of
from language.plain import plainly
from language.sentences import sentences

QUOTED = 5
"""Sentences that are quoted at the most."""

_RULES = rules_called("corpus-extractive-6")
"""Named and not those of the day: a record of this researcher must not change with another's rules."""

_WORDED = frozenset({"en", UNKNOWN})
"""Languages whose small words tell the names and things of a question from what is asked of them."""

_LOOKED_AT = 40
"""Sentences of a page that are weighed."""

_READ = 600_000
"""Characters of a page that are looked through."""

_SHOWN = 400


def by_rule(question: str, pages: Mapping[str, WebPage], rules: ClaudeRules) -> Draft:
    """The sentences of the pages that bear most on the question, in quotation marks."""
    if not rules.keeps_to_sources:
        return _nearest(question, pages)
    if language_of(question) in _WORDED:
        return Draft(sentences=tuple(_answering(question, pages)))
    # Nobody can tell the names of a question in other languages: of those only what is plainly on it is quoted.
    near = _nearest(question, pages)
    kept = (each for each in near.sentences if _is_on(question, each, pages))
    return Draft(sentences=tuple(map(_plain, kept)))


def _nearest(question: str, pages: Mapping[str, WebPage]) -> Draft:
    """The sentences that share most words with the question, whatever they say of it."""
    picked: list[DraftSentence] = []
    said: set[str] = set()
    ranked = [(page, page.best(question, QUOTED)) for page in pages.values()]
    for place in range(QUOTED):
        for page, best in ranked:
            if place >= len(best) or len(picked) == QUOTED:
                continue
            span = page.passages.sentences[best[place]][0]
            words = page.text[span.start : span.end]
            text = short(display(visible(words)), _SHOWN)
            if text not in said and any(map(str.isalnum, text)):
                said.add(text)
                picked.append(DraftSentence(f"“{text}”", (Claim(page.name, words),), False))
    return Draft(sentences=tuple(picked))


def _is_on(question: str, picked: DraftSentence, pages: Mapping[str, WebPage]) -> bool:
    claim = picked.claims[0]
    told = coverage(question, [f"{pages[claim.page].page.title}\n{claim.excerpt}"])
    return told >= SUPPORTED and not _gives_orders(claim.excerpt)


def _plain(picked: DraftSentence) -> DraftSentence:
    return replace(picked, text=plainly(picked.text))


def _answering(question: str, pages: Mapping[str, WebPage]) -> Iterator[DraftSentence]:
    """What answers the parts of the question, each sentence by itself."""
    terms = Terms()
    parts = plan(question, "", terms, _RULES)
    pool = [each for page in pages.values() for each in _candidates(question, page, terms)]
    if not parts or not pool:
        return
    judge = Judge(pool, parts, rules=_RULES)
    sufficing = Sufficing(judge, terms, _RULES)
    ranked: list[list[Ranked]] = [
        [
            each
            for each in judge.rank(part, [])[:_LOOKED_AT]
            if not sufficing.lacking(part, [each.candidate])
        ]
        for part in parts
    ]
    names = {page.order: page.name for page in pages.values()}
    said: set[str] = set()
    for quote in choose(judge, parts, ranked, QUOTED, "balanced", rules=_RULES):
        text = plainly(short(display(visible(quote.text)), _SHOWN))
        if text not in said and not _gives_orders(quote.text):
            said.add(text)
            claim = Claim(names[quote.source.order], quote.text)
            yield DraftSentence(f"“{text}”", (claim,), False)


def _candidates(question: str, page: WebPage, terms: Terms) -> Iterator[Candidate]:
    """The sentences of a page that may be quoted, as the corpus researcher sees them."""
    whole = tuple(sentences(page.text[:_READ]))
    places = {each.start: place for place, each in enumerate(whole)}
    source = replace(page.source, sentences=whole)
    known = page.passages.sentences
    for best in page.best(question, _LOOKED_AT):
        span = known[best][0]
        place = places.get(span.start)
        if place is None or not quotable(source, place, _RULES):
            continue
        if not _gives_orders(page.text[span.start : span.end]):
            yield candidate(source, place, source.passage, terms, _RULES)


def _gives_orders(words: str) -> bool:
    return bool(attempts(words, widely=True))
