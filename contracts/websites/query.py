"""Contract 04: asking the websites, with the scores that the contract speaks in.

Scores are distances: 0 is best. Words and meaning are found and ranked by the corpus as for every
other door; here what it found is brought to the contract's scale.
"""

import time
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal

from actors.query_log import QueryLog
from contracts.column_heads import ColumnHeads
from contracts.core import Core
from contracts.websites.errors import WebsitesDeleted
from contracts.websites.foreign import language_note
from contracts.websites.headings import HeaderNames
from contracts.websites.pages import WebsiteShelf
from contracts.websites.unsearched import sources_note
from contracts.websites.wording import languages_of, moved_to
from events.codec import digest
from events.errors import BadRequest
from events.stream import utc_now
from events.websites import COLLECTION, SemanticQueryCompleted, SemanticQueryStarted
from projections.websites import Website

if TYPE_CHECKING:
    from contracts.websites.composing import Composed
    from projections.search import LocalCorpus

Reply = dict[str, Any]

LONGEST_QUERY = 8_000
MOST_RESULTS = 20
CANDIDATES = 50
"""Passages that count as found, of which the first are shown. By meaning every passage is found, so a count of
all would tell how much is held, and nothing of the question."""

VECTOR_SHARE, WORDS_SHARE = 0.7, 0.3
NEARNESS = 0.6
"""Exponent between relevance and distance. On small labelled sets in both languages, right answers
are then rarely called low, and answers to questions about something else rarely high."""

HIGH, MEDIUM = 0.3, 0.6
"""Combined scores below which an answer is held for sure, or for possible."""

_QUERY_KEPT = 500
_SAFE_IN_JSON = 52
"""Bits of an integer that every JSON reader keeps."""


class WebsiteQuestions:
    """Answers questions from the websites of a data home. For any number of threads."""

    def __init__(
        self, core: Core, shelf: WebsiteShelf, corpus: "LocalCorpus | None" = None
    ) -> None:
        self._core, self._shelf, self._given = core, shelf, corpus
        self._log = QueryLog(core.home)
        self._headers = HeaderNames(core.home.blobs)

    @property
    def corpus(self) -> "LocalCorpus":
        """The corpus, opened when it is first asked."""
        return self._given or self._core.corpus

    def answer(
        self,
        query: str,
        max_results: int = 10,
        content_type_filter: str | None = None,
        source_ids: list[int] | None = None,
        *,
        include_synthesis: bool = False,
        paid: bool = True,
    ) -> Reply:
        """The contract's answer to a question; not `paid`, it costs nothing."""
        _check(query, max_results)
        began = time.perf_counter()
        chosen = self._chosen(source_ids)
        sites = {
            site.document: site
            for site in chosen
            if site.held and content_type_filter in (None, site.content_type)
        }
        filters = {"content_type": content_type_filter, "source_ids": source_ids}
        self._record(
            SemanticQueryStarted(query=query[:_QUERY_KEPT], filters=filters, timestamp=utc_now())
        )
        found = self._found(query, sites)
        heads = ColumnHeads(self._core.home.blobs)
        shown = [self._result(each, sites, heads) for each in _scored(found)[:max_results]]
        told = self._told(query, shown, paid=paid) if include_synthesis else None
        took = round((time.perf_counter() - began) * 1000)
        self._record(
            SemanticQueryCompleted(
                query_hash=digest(query.encode()),
                results_count=len(shown),
                processing_time_ms=took,
                timestamp=utc_now(),
                composer=told.composer if told else "",
                cost_usd=told.cost_usd if told else 0.0,
            )
        )
        return {
            "query": query,
            "results": shown,
            "total_results": len(found),
            "more_results": len(found) >= CANDIDATES,
            "synthesis": told.text if told else None,
            "confidence_level": confidence(shown),
            "processing_time_ms": took,
            "language_note": self._language_note(query, shown, sites),
            "sources_note": sources_note(chosen, content_type_filter, named=source_ids is not None),
            **(_how_told(told) if told else {}),
        }

    def _chosen(self, source_ids: list[int] | None) -> list[Website]:
        """The pages that are asked, whether or not anything is held of them."""
        if COLLECTION in self._core.catalogue.state().deleted:
            raise WebsitesDeleted
        if source_ids is None:
            return self._shelf.view.all()
        return [self._shelf.known(number) for number in dict.fromkeys(source_ids)]

    def _found(self, query: str, sites: dict[str, Website]) -> list[Reply]:
        if not sites:
            return []
        from projections.index.filters import Filters

        corpus = self.corpus
        filters = Filters(collections=(COLLECTION,), documents=tuple(sites))
        found = corpus.search(query, CANDIDATES, filters=filters, explain=True)
        # One may have been published since the sites were looked at.
        return [each for each in found if each["document"] in sites]

    def _result(self, found: Reply, sites: dict[str, Website], heads: ColumnHeads) -> Reply:
        site, titles = sites[found["document"]], found["headings"]
        headings = self._headers.above(site, found["version"], found["start"], titles)
        return {
            "chunk_id": chunk_number(found["chunk"]),
            "source_id": site.source_id,
            "source_url": site.url,
            "final_url": site.final_url,
            "content": found["text"],
            "vector_score": round(found["vector"], 4),
            "fts_score": None if found["fts"] is None else round(found["fts"], 4),
            "combined_score": round(found["combined"], 4),
            "metadata": headings
            | {
                "title": found["title"],
                "section": " > ".join(titles),
                "content_type": site.content_type,
                "language": found["language"],
                "fetch_timestamp": site.fetched_at or site.started_at,
                "citation": _citation(moved_to(site) or site.url, titles),
                "chunk": found["chunk"],
                "version": found["version"],
                "start": found["start"],
                "end": found["end"],
                "stages": found["stages"],
            }
            | heads.of_passage(found),
        }

    def _language_note(
        self, query: str, shown: list[Reply], sites: dict[str, Website]
    ) -> str | None:
        """Of the pages that were found, or where none was, of those that were searched for nothing."""
        if not sites:
            return None
        found = {each["source_id"] for each in shown}
        return language_note(
            query,
            [languages_of(site) for site in sites.values() if not found or site.source_id in found],
            self.corpus.compares,
            shares_words=any(each["fts_score"] is not None for each in shown),
        )

    def _told(self, query: str, results: list[Reply], *, paid: bool) -> "Composed":
        # Here and not above: it brings the word lists of every language along.
        from contracts.websites.composing import Composer

        return Composer(self._core, self._log).compose(query, results, paid=paid)

    def _record(self, fact: SemanticQueryStarted | SemanticQueryCompleted) -> None:
        if self._core.settings.record_queries and self._core.home.traces.is_dir():
            self._log.record(fact)

    def flush(self) -> None:
        """Wait until what was asked so far is in the record."""
        self._log.flush()


def _how_told(told: "Composed") -> Reply:
    return {
        "synthesis_by": told.composer if told.text else None,
        "synthesis_cost_usd": told.cost_usd,
        "synthesis_note": told.note,
    }


def _check(query: str, max_results: int) -> None:
    if not query.strip():
        raise BadRequest("The query is empty.", "Ask in a few words or a sentence.")
    if len(query) > LONGEST_QUERY:
        raise BadRequest(f"The query has {len(query)} characters.", f"Use at most {LONGEST_QUERY}.")
    if not 1 <= max_results <= MOST_RESULTS:
        raise BadRequest(
            f"max_results is {str(max_results)[:20]}.", f"Use a number from 1 to {MOST_RESULTS}."
        )
    try:
        query.encode()
    except UnicodeEncodeError:
        raise BadRequest("The query is not valid text.", "Send it as UTF-8.") from None


# -- scores ----------------------------------------------------------------------------------------


def _scored(found: list[Reply]) -> list[Reply]:
    """What was found, best first, with the contract's scores.

    The order and the combined distance are the corpus's own: from its calibrated relevance, and
    never less than that of a better rank. The distance by words is measured against the best
    match of them; that of meaning is what the contract's formula leaves for it. A passage that
    has none of the words is judged by meaning alone.
    """
    best = max((_words(each) or 0.0 for each in found), default=0.0)
    scored: list[Reply] = []
    combined = 0.0
    for each in found:
        combined = max(combined, 1.0 - min(max(each["score"], 0.0), 1.0) ** NEARNESS)
        words = _words(each)
        if words is None:
            vector, fts = combined, None
        else:
            least, most = (combined - VECTOR_SHARE) / WORDS_SHARE, combined / WORDS_SHARE
            fts = min(max(1.0 - words / best, least, 0.0), most, 1.0)
            vector = min(max((combined - WORDS_SHARE * fts) / VECTOR_SHARE, 0.0), 1.0)
        scored.append(each | {"vector": vector, "fts": fts, "combined": combined})
    return scored


def _words(found: Reply) -> float | None:
    """How well the words match, if any do."""
    scores = [each["score"] for each in found["stages"].values() if each["scale"] == "bm25"]
    return scores[0] if scores and scores[0] > 0 else None


def confidence(results: list[Reply]) -> Literal["high", "medium", "low"]:
    """How far the best result is to be trusted to answer."""
    if not results or results[0]["combined_score"] > MEDIUM:
        return "low"
    return "high" if results[0]["combined_score"] < HIGH else "medium"


def _citation(url: str, headings: list[str]) -> str:
    section = f" (Section: '{' > '.join(headings)}')" if headings else ""
    return f"Source: {url}{section}"


def chunk_number(chunk: str) -> int:
    """A chunk's identity as the integer that the contract asks for."""
    return int.from_bytes(sha256(chunk.encode()).digest()[:8]) >> (64 - _SAFE_IN_JSON)
