"""What a researcher searches for and reads in the corpus, within the limits of its brief."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from actors.answering.candidates import Candidate, Source, candidate, quotable
from actors.answering.figures import is_unit
from actors.answering.japanese.judging import JapaneseJudge
from actors.answering.parts import Part
from actors.answering.quoting import Quote
from actors.answering.relevance import Judge, Ranked, is_known, unmatched
from actors.answering.rules import Rules
from actors.answering.telling import in_its_place
from actors.answering.terms import Terms, Token
from actors.caller_context import known_already
from actors.desk import Desk
from actors.ports import Passage
from actors.reports.wording import one_line, short
from events.catalogue import Brief
from events.errors import DamagedBlob, MissingBlob
from events.research import SourceRead, StepTaken
from language.detection import UNKNOWN, language_of
from language.sentences import sentences


@dataclass(frozen=True, slots=True)
class Effort:
    """How much a depth is worth."""

    searches: int
    passages: int
    """Asked for in one search."""

    quotes: int
    """At most this many, but one for each part and whole chains; fewer where fewer bear on the question."""


EFFORT = {
    "shallow": Effort(searches=2, passages=8, quotes=3),
    "balanced": Effort(searches=4, passages=12, quotes=6),
    "deep": Effort(searches=5, passages=20, quotes=12),
}

COMPARED = 48
"""Sentences that are compared in meaning with each part."""

CAPITAL_NOUNS = frozenset({"de", "lb"})
"""Languages that write every noun with a capital."""

WORDED = frozenset({"en", UNKNOWN})
"""Languages whose small words tell the names and things of a question from what is asked of them."""

PROMISING = 0.5
"""Relevance from which a passage is read even if it shares no word with the question."""

_BETWEEN_NAMES = re.compile(r"[\s,;|]+")
"""What stands between the words of a caller's filter."""


def in_japanese(question: str, rules: Rules) -> bool:
    """Whether a question is read as Japanese."""
    return rules.japanese and language_of(question) == "ja"


class Reading:
    """What was searched for and read, within the limits of the brief."""

    def __init__(
        self,
        brief: Brief,
        parts: list[Part],
        desk: Desk,
        terms: Terms,
        rules: Rules,
        carried: frozenset[str] = frozenset(),
    ) -> None:
        self.brief, self.parts, self.terms, self.rules = brief, parts, terms, rules
        self._desk = desk
        language = language_of(brief.question) if rules.chained else UNKNOWN
        self._nouns = language in CAPITAL_NOUNS
        self.japanese = in_japanese(brief.question, rules)
        self.exacting = rules.exacting and (language in WORDED or self.japanese)
        self._telling = rules.telling and language in WORDED
        self._effort = EFFORT[brief.depth]
        limit = max(0, brief.constraints.max_iterations)
        self.searches = 0
        self.allowed = min(limit, max(self._effort.searches, len(parts)))
        self.steps = self.allowed + 3
        """Plan, searches, selection, composition; a search that is not needed is skipped."""

        self._carried = carried
        """Texts that an earlier research had read: they are noted, and take no room of this one's."""

        self.found: dict[tuple[str, int], Passage] = {}
        """All passages that any search gave, by text and place."""

        self._kept_free = min(
            2 * sum(len(part.steps[1:]) for part in parts), brief.constraints.max_sources // 2
        )
        """Room for the sources of later steps."""

        self._put_off: list[tuple[Part, Passage, int]] = []
        self.sources: dict[str, Source] = {}
        self.unsearched: list[int] = []
        """Parts that the limit on searches left without one."""

        self.left_unread: dict[str, str] = {}
        """Titles of promising sources beyond the limit, by the hash of their text."""

        self.lost: dict[str, str] = {}
        """Locators of sources whose text is not there any more, by its hash."""

        self.lacking: dict[int, list[str]] = {}
        """What is missing for the parts that something was found for which does not answer them."""

        self.likely: dict[int, float] = {}
        """How likely the parts that weights chose quotations for are answered by them."""

        self._known = known_already(brief.context or "", terms)
        self._pool: dict[tuple[str, int], Candidate] = {}
        self._alike: dict[tuple[str, str], float] = {}
        """By a part's query and a sentence, or by two words: how near they are in meaning."""

    def step(self, step: int, action: str, decision: str) -> None:
        """Say what is done now, unless it is time to stop."""
        self._desk.checkpoint()
        decision = short(decision, 300)
        self._desk.note(StepTaken(step=step, of=self.steps, action=action, decision=decision))

    def candidates(self) -> list[Candidate]:
        """Every sentence that was read and could be quoted, in order."""
        return sorted(self._pool.values(), key=lambda each: (each.source.order, each.start))

    def judged(self) -> tuple[Judge, list[list[Ranked]]]:
        """What was read, weighed against each part."""
        judge = self._judge(self.parts)
        return judge, [judge.rank(part, self._known) for part in self.parts]

    def judged_for(self, part: Part) -> tuple[Judge, list[Ranked]]:
        """What was read, weighed against a step of a part."""
        judge = self._judge([part])
        return judge, judge.rank(part, self._known)

    def _judge(self, parts: list[Part]) -> Judge:
        if self.japanese:
            return JapaneseJudge(self.candidates(), parts, self._alike, rules=self.rules)
        return Judge(
            self.candidates(),
            parts,
            self._alike,
            self.rules,
            nouns=self._nouns,
            telling=self._telling,
        )

    @property
    def may_search(self) -> bool:
        """Whether another search is left."""
        return self.searches < min(self.allowed, self._effort.searches)

    def search_for_parts(self) -> None:
        """One search for each part; then read, the best passages of every part first."""
        found: list[tuple[Part, list[Passage]]] = []
        for number, part in enumerate(self.parts):
            if self.searches == self.allowed:
                self.unsearched.append(number)
            elif part.wanted:
                found.append((part, self._search(part.steps[0] if part.steps else part.query)))
        self._read(found)

    def search_whole(self, part: Part) -> None:
        """Search for a part as it stands, where its steps led nowhere."""
        self._read([(part, self._search(part.query, "The steps lead nowhere. "))])

    def compare(self, answered: frozenset[int] = frozenset()) -> None:
        """Find out which sentences are near to a part in meaning, the most promising of them first."""
        judge, ranked = self.judged()
        for number, (part, found) in enumerate(zip(self.parts, ranked, strict=True)):
            if number in answered:
                continue
            by_words = [each.candidate for each in found[:COMPARED]]
            others = sorted(self.candidates(), key=lambda each: -each.passage.score)
            placed = judge.asks_to_tell(part)
            self.compare_with(part, [*by_words, *others], COMPARED, placed=placed)
            if isinstance(judge, JapaneseJudge):
                for asked, said in judge.to_compare(part):
                    self._compare(asked, said)

    def compare_with(
        self, part: Part, candidates: list[Candidate], most: int, *, placed: bool = False
    ) -> None:
        """Find out how near the first of some sentences are to a part in meaning; also as they are placed, if asked."""
        texts = list(dict.fromkeys(each.compared for each in candidates))[:most]
        if placed:
            near = {each.compared: in_its_place(each) for each in reversed(candidates)}
            texts = list(dict.fromkeys([*texts, *(near[text] for text in texts)]))
        if texts and part.query.strip():
            self._compare(part.query, texts)

    def compare_pairs(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Find out how near some texts are in meaning to what each is held against, where that is not known yet."""
        texts: dict[str, dict[str, None]] = {}
        for asked, text in pairs:
            if asked.strip() and (asked, text) not in self._alike:
                texts.setdefault(asked, {})[text] = None
        for asked, held in texts.items():
            self._compare(asked, list(held))

    @property
    def alike(self) -> Mapping[tuple[str, str], float]:
        """How near in meaning a text is to what it was held against."""
        return self._alike

    def knows(self, candidate: Candidate) -> bool:
        """Whether the caller said to know what a sentence says."""
        return is_known(candidate, self._known)

    def _compare(self, asked: str, texts: list[str]) -> None:
        for text, likeness in zip(texts, self._desk.likeness(asked, texts), strict=True):
            if likeness is not None:
                self._alike[asked, text] = likeness

    def follow_up(self, answered: frozenset[int] = frozenset()) -> None:
        """Search again for what is still missing, by the names met in the best sentences."""
        for number, part in enumerate(self.parts):
            if number in answered:
                continue
            if self.searches >= self._effort.searches:
                return
            _, ranked = self.judged()
            names = self._new_names(ranked[number][:2])
            missing = unmatched(part, ranked[number][:3])
            if not names or not missing or number in self.unsearched:
                continue
            if self.searches == self.allowed:
                self.unsearched.append(number)
                continue
            words = [*(token.surface for token in names), *(each.surface for each in missing)]
            part = replace(part, bridge=frozenset(token.term for token in names))
            self.parts[number] = part
            self._read([(part, self._search(" ".join(words)))])

    def search_on(self, query: str, reason: str) -> list[Passage]:
        """A search that follows from what was read."""
        return self._search(query, f"{reason} ")

    def take_in(self, part: Part, passages: Iterable[Passage]) -> None:
        """Read passages that a step led to; the room that was kept free is for them."""
        kept, self._kept_free = self._kept_free, 0
        for passage in passages:
            self._take_in(part, passage, 0)
        self._kept_free = kept

    def catch_up(self) -> None:
        """Read what was put off, now that no later step needs the room."""
        self._kept_free = 0
        for part, passage, rank in self._put_off:
            self._take_in(part, passage, rank)
        self._put_off = []

    def _search(self, query: str, reason: str = "") -> list[Passage]:
        self.searches += 1
        self.step(1 + self.searches, "search_corpus", f"{reason}Looking for: {query}")
        found = self._within_filter(query)[: self._effort.passages]
        for each in found:
            self.found.setdefault((each.text_hash, each.start), each)
        return found

    def _within_filter(self, query: str) -> list[Passage]:
        """What is found among the sources that the caller wants."""
        wanted, limit = self.brief.constraints.source_filter, self._effort.passages
        if self.rules.searches_within:
            words = tuple(each for each in _BETWEEN_NAMES.split(wanted or "") if each)
            return self._desk.search(query, limit, self.brief.collections, words)
        passages = self._desk.search(query, limit * (4 if wanted else 1), self.brief.collections)
        return [each for each in passages if _admitted(each.locator, wanted)]

    def _read(self, found: list[tuple[Part, list[Passage]]]) -> None:
        for rank in range(max((len(passages) for _, passages in found), default=0)):
            for part, passages in found:
                if rank < len(passages) and self._promising(part, passages[rank]):
                    self._take_in(part, passages[rank], rank)

    def _promising(self, part: Part, passage: Passage) -> bool:
        """Whether a passage speaks of anything that a part is about, or means the same."""
        if passage.score >= PROMISING:
            return True
        terms = self.terms.of(" ".join((passage.title, *passage.headings, passage.text)))
        kin = self.terms.kins(terms)
        strong = [each for each in part.wanted if each.strong]
        return any(each.term in terms or each.kin in kin for each in strong or part.wanted)

    def _take_in(self, part: Part, passage: Passage, rank: int) -> None:
        source = self.sources.get(passage.text_hash) or self._open(part, passage, rank)
        if source is None:
            return
        for place, sentence in enumerate(source.sentences):
            if sentence.start >= passage.end:
                break
            key = passage.text_hash, sentence.start
            if (
                sentence.end > passage.start
                and key not in self._pool
                and quotable(source, place, self.rules)
            ):
                self._pool[key] = candidate(source, place, passage, self.terms, self.rules)

    def _open(self, part: Part, passage: Passage, rank: int) -> Source | None:
        """Read a source, within the limit; what is read is noted once."""
        text_hash = passage.text_hash
        if text_hash in self.lost:
            return None
        known = text_hash in self._carried
        new = sum(each not in self._carried for each in self.sources)
        if not known and self._full(new) and self._kept_free:
            self._put_off.append((part, passage, rank))
            return None
        if not known and self._full(new):
            # What stands far down the list would hardly have been quoted.
            if rank < self._effort.quotes:
                self.left_unread.setdefault(text_hash, passage.title)
            return None
        self._desk.checkpoint()
        try:
            text = self._desk.text(text_hash)
        except (MissingBlob, DamagedBlob):
            self.lost[text_hash] = passage.locator
            return None
        if not known:
            self._desk.note(_read(passage, 1 + self.searches, part))
        source = Source(passage, text, tuple(sentences(text)), len(self.sources) + 1)
        self.sources[text_hash] = source
        return source

    def _full(self, read: int) -> bool:
        return read >= self.brief.constraints.max_sources - self._kept_free

    def _new_names(self, ranked: list[Ranked]) -> list[Token]:
        """Names in the best sentences that the question does not have."""
        asked = {each.term for part in self.parts for each in part.wanted}
        names: dict[str, Token] = {}
        for each in ranked:
            for token in each.candidate.tokens:
                if token.name and token.term not in asked and not is_unit(token):
                    names.setdefault(token.term, token)
        return list(names.values())[:4]

    def said_by(self, quote: Quote) -> Candidate:
        """A quotation as if it were one sentence."""
        tokens = tuple(self.terms.tokens(one_line(quote.text)))
        terms = self.terms.among(tokens)
        return replace(quote.lead, tokens=tokens, terms=terms, kin=self.terms.kins(terms))


def _read(passage: Passage, step: int, part: Part) -> SourceRead:
    under = f"under “{passage.headings[-1]}” " if passage.headings else ""
    return SourceRead(
        step=step,
        action="read_corpus",
        url=passage.locator,
        title=passage.title,
        content_hash=passage.version,
        content_length=passage.size,
        text_hash=passage.text_hash,
        decision=short(f"A passage {under}speaks of: {part.text}", 300),
    )


def _admitted(locator: str, wanted: str | None) -> bool:
    """Whether a source passes the caller's filter: one of its words is in the locator."""
    words = [word for word in re.split(r"[,\s]+", (wanted or "").casefold()) if word]
    return not words or any(word in locator.casefold() for word in words)
