"""What the evidence itself leaves open or points to: doubts, abbreviations, references."""

import re
from collections.abc import Iterator

from actors.answering.candidates import Candidate, Source
from actors.answering.figures import UNITS
from actors.answering.parts import Part
from actors.answering.quoting import Quote
from actors.findings import DiscoveryEvent, OpenQuestion
from actors.reports.phrases import Phrases
from actors.reports.wording import display, short

MOST_DOUBTS = 3
MOST_ABBREVIATIONS = 2
MOST_REFERENCES = 5

_UNCERTAIN = (
    r"(?:understood|unknown|unclear|uncertain|debated|disputed|unresolved|an open question)"
)
_DOUBTS = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        r"\b(?:it is|it remains) (?:still )?(?:not known|not clear|unknown|unclear|uncertain)"
        r" (?P<what>(?:whether|how|why|if) [^.;]+)",
        rf"^(?P<what>[^.;]+?)\s+(?:is|are|remains?)\s+(?:still\s+|yet\s+|largely\s+|an\s+)*"
        rf"(?:poorly\s+|not (?:well|fully|yet)\s+|little\s+|barely\s+)?{_UNCERTAIN}\b",
        r"\b(?:further|more) (?:research|study|studies|work) (?:is|are) needed"
        r" (?:on|into|about) (?P<what>[^,.;]+)",
    )
)


def doubts(
    candidates: list[Candidate], quotes: list[Quote], phrases: Phrases
) -> Iterator[OpenQuestion]:
    """Questions that the quoted passages say are open."""
    asked: set[str] = set()
    for candidate in candidates:
        doubt = doubted(candidate.text) if any(_nearby(q, candidate) for q in quotes) else None
        if doubt and doubt not in asked and len(asked) < MOST_DOUBTS:
            asked.add(doubt)
            yield OpenQuestion(
                question=short(doubt, 300),
                context=short(phrases.says_itself.format(candidate.text), 400),
                priority="medium",
                source_locator=candidate.source.passage.locator,
            )


def doubted(text: str) -> str | None:
    """The question that a sentence leaves open, if it does."""
    for pattern in _DOUBTS:
        match = pattern.search(text)
        what = match["what"].strip(" ,:") if match else ""
        if not what or re.match(r"(?:it|this|that|they|these)\b", what, re.I):
            continue
        if re.match(r"(?:whether|if|how|why|who|what|when|where)\b", what, re.I):
            return f"Can it be settled {what[:1].lower()}{what[1:]}?"
        lowered = what[:1].lower() + what[1:] if re.match(r"(?:The|An?)\b", what) else what
        return f"What is known about {lowered}?"
    return None


_COMMON = re.compile(
    "[IVXLC]+|AD|AM|API|BC|BCE|CE|CEO|CSV|EU|GPS|HTML|HTTP|ID|JSON|OK|PDF|PM|TV|UK|UN|URL|US|USA|UTC"
)


def abbreviations(
    sources: list[Source], quotes: list[Quote], phrases: Phrases
) -> Iterator[OpenQuestion]:
    """Abbreviations that the quotations use and no source that was read explains."""
    seen: set[str] = set()
    for quote in quotes:
        for word in re.findall(r"\b[A-Z][A-Z0-9]{1,5}\b", quote.text):
            known = word.casefold() in UNITS or word in seen or _COMMON.fullmatch(word)
            if known or any(_explains(source.text, word) for source in sources):
                continue
            seen.add(word)
            if len(seen) <= MOST_ABBREVIATIONS:
                yield OpenQuestion(
                    question=phrases.stands_for.format(word),
                    context=short(phrases.unexplained.format(display(quote.text)), 400),
                    priority="low",
                    source_locator=quote.source.passage.locator,
                )


def _nearby(quote: Quote, candidate: Candidate) -> bool:
    """Whether a sentence stands in the passage that a quotation is from."""
    passage = quote.lead.passage
    return quote.source is candidate.source and passage.start <= candidate.start < passage.end


def _explains(text: str, word: str) -> bool:
    """Whether a text says what an abbreviation stands for."""
    pattern = (
        rf"[a-z]\s+\({word}\)|\b{word}\s+\([A-Za-z]|\b{word},?\s+(?:is|are|was)\s+(?:an?|the)\b"
    )
    return bool(re.search(pattern, text))


# -- references ------------------------------------------------------------------------------------

_URL = re.compile(r"https?://[^\s<>()\[\]\"'”»、。]+[^\s<>()\[\]\"'”».,;:!?、。]")
_DOI = re.compile(r"\b10\.[0-9]{4,9}/[^\s\"<>()]+[^\s\"<>().,;:]")
_ARXIV = re.compile(r"\barXiv:\s?([0-9]{4}\.[0-9]{4,5})", re.I)
_AUTHOR_YEAR = re.compile(
    r"\b([A-Z][\w’'-]+(?:(?:,? and | & )[A-Z][\w’'-]+| et al\.)?),? \(?((?:1[89]|20)[0-9]{2})\)"
)


def references(
    parts: list[Part], sources: list[Source], quotes: list[Quote], phrases: Phrases
) -> Iterator[DiscoveryEvent]:
    """Works that the quoted passages point to and that were not among what was read."""
    seen = {source.passage.locator for source in sources}
    made = 0
    for quote in quotes:
        passage = quote.lead.passage
        for target, researcher, kind in pointers(quote.source.text[passage.start : passage.end]):
            if target in seen or made == MOST_REFERENCES:
                continue
            seen.add(target)
            made += 1
            yield DiscoveryEvent(
                type=kind,
                suggested_researcher=researcher,
                query=short(f"{target}: {parts[quote.part].text}", 300),
                reason=short(phrases.refers.format(passage.title), 300),
                source_locator=passage.locator,
            )


def pointers(text: str) -> Iterator[tuple[str, str, str]]:
    """References in a text: to what, who might follow it, and which kind of discovery it is."""
    for match in _DOI.finditer(text):
        yield f"doi:{match.group()}", "academic", "new_source"
    for match in _ARXIV.finditer(text):
        yield f"arXiv:{match.group(1)}", "arxiv", "new_source"
    for match in _URL.finditer(text):
        if "doi.org/" not in match.group():
            yield match.group(), "web", "new_source"
    for match in _AUTHOR_YEAR.finditer(text):
        if not _DOI.search(text[match.end() : match.end() + 60]):
            yield f"{match.group(1)} {match.group(2)}", "academic", "related_research"
