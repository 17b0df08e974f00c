"""Contract 03: asking the knowledge base, by tool or command."""

import re
import threading
import time
from collections import deque
from collections.abc import Iterable
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from actors.ports import Passage
from actors.query_log import QueryLog
from contracts.allowed_paths import shortened
from contracts.column_heads import ColumnHeads
from contracts.core import Core
from contracts.knowledge.shelving import known, named_collections
from contracts.knowledge.shelving import project as project_named
from events.catalogue import JobEntered
from events.codec import digest
from events.errors import BadRequest, ResearchError
from events.home import CATALOGUE, QUERIES
from events.queries import Hit, QueryAnswered
from events.tail import Cursor, cursor_fits
from language.detection import language_of

if TYPE_CHECKING:
    from projections.index.filters import Filters
    from projections.search import LocalCorpus

Reply = dict[str, Any]

LONGEST_QUERY = 8_000
MOST_RESULTS = 100
LONGEST_CONTEXT = 20_000
"""Characters of a document's context that are looked at."""

PATIENCE = 30.0
"""Seconds that a query may take."""

REMEMBERED = 100
"""Questions that the history shows."""

_UNLINKED = (
    "The project {0!r} has no collections: link some to it (manage_projects, or research-agent "
    "projects link), or name the collections to search."
)
_READING = (
    "The first documents are still being read: ask again when job {0} has ended "
    "(research-agent kb status {0} shows how far it is)."
)
_NOT_YET = "Nothing of these collections was there yet as of {0}: ask of a later time, or of now."

_HITS_KEPT = 20
_QUERY_KEPT = 500


class QueryTooSlow(ResearchError):
    """An answer took longer than the contract allows: (seconds,)."""

    code = "query_too_slow"
    says = "The search took longer than {0:g} seconds."
    suggestion = "Ask again: models and index files are loaded by then. Or name fewer collections."


class Scope(NamedTuple):
    """Which collections a question goes to, and why these."""

    collections: tuple[str, ...] | None
    """None means all."""

    chosen_by: str


class Librarian:
    """Answers questions from the corpus of a data home. For any number of threads."""

    def __init__(self, core: Core, corpus: "LocalCorpus | None" = None) -> None:
        self._core = core
        self._given = corpus
        self._log = QueryLog(core.home)

    @property
    def corpus(self) -> "LocalCorpus":
        """The corpus, opened when it is first asked."""
        return self._given or self._core.corpus

    def answer(
        self,
        query: str,
        collections: str | None = None,
        top_k: int = 10,
        document_context: str | None = None,
        through: str = "query_knowledge_base",
        as_of: str | None = None,
    ) -> Reply:
        """The contract's answer to a question, from the corpus as it is or as it stood at a moment."""
        from contracts.knowledge.refinement import COVERED, across_languages, refine

        check_question(query, top_k)
        context = (document_context or "")[:LONGEST_CONTEXT]
        scope = self.scope(collections)
        began = time.perf_counter()
        head = self._core.views.head()
        explained = self._search(query, top_k, scope, context, as_of)
        found = [passage_of(each) for each in explained]
        titles, why = ([], "") if found else self._held(scope, as_of)
        refinement = refine(query, found, titles, why)
        if (
            not why
            and refinement.status == "clarification_needed"
            and refinement.coverage < COVERED
        ):
            held = self._languages(scope)
            if not self.corpus.compares(language_of(query), held):
                refinement = across_languages(refinement, query, held)
        heads = ColumnHeads(self._core.home.blobs)
        took = round((time.perf_counter() - began) * 1000, 2)
        self._record(query, top_k, scope, found, through, took)
        return {
            "status": "success",
            "results": [
                result(passage, each, relevance) | heads.of_passage(each)
                for passage, each, relevance in zip(
                    found, explained, accumulate((each.score for each in found), min), strict=True
                )
            ],
            "query_refinement": refinement.as_json(),
            "searched": {
                "query": query,
                "collections": list(self._names(scope)),
                "chosen_by": scope.chosen_by,
                "top_k": top_k,
                "document_context_characters": len(context),
                "as_of": as_of,
                "record": {"stream": head.stream, "seq": head.seq, "head": head.hash},
            },
            "took_ms": took,
        }

    def scope(self, collections: str | None) -> Scope:
        """The named collections; else those of the current project; else all."""
        if named := named_collections(self._core, collections):
            known(self._core, named)
            return Scope(tuple(named), "named")
        if collections is not None and collections.strip():
            raise BadRequest("No collection is named.", "Give names with commas between, or none.")
        if self._core.settings.project is None:
            return Scope(None, "everything")
        project = project_named(self._core, self._core.settings.project)
        chosen = project["defaults"] or project["collections"]
        return Scope(tuple(chosen), "project")

    def _search(
        self, query: str, top_k: int, scope: Scope, context: str, as_of: str | None
    ) -> list[Reply]:
        if not self._core.home.root.is_dir():
            return []
        if as_of is None:
            return self.corpus.search(
                query, top_k, scope.collections, explain=True, context=context
            )
        past = self._past(scope, as_of)
        return self.corpus.search(query, top_k, filters=past, explain=True, context=context)

    def _past(self, scope: Scope, as_of: str) -> "Filters":
        from projections.index.filters import Filters

        # What was deleted or removed since is gone from the past as well.
        names = set(self._names(scope))
        held = tuple(
            (source.collection, source.document)
            for source in self._core.views.sources()
            if source.collection in names
        )
        return Filters(as_of=_moment(as_of), places=held)

    def _names(self, scope: Scope) -> Iterable[str]:
        return (
            sorted(self._core.catalogue.state().collections)
            if scope.collections is None
            else scope.collections
        )

    def _held(self, scope: Scope, as_of: str | None) -> tuple[list[str], str]:
        """The titles that could be found, and why none is where it is not for want of the right words."""
        if scope.collections == ():
            return [], _UNLINKED.format(self._core.settings.project)
        titles = self._titles(scope)
        if not titles:
            job = self._under_way(scope)
            return [], _READING.format(job) if job else ""
        if as_of is not None and not self.corpus.scope(self._past(scope, as_of)).size:
            return [], _NOT_YET.format(as_of)
        return titles, ""

    def _titles(self, scope: Scope) -> list[str]:
        names = set(self._names(scope))
        sources = self._core.views.sources()
        return [source.title for source in sources if source.collection in names][:_HITS_KEPT]

    def _under_way(self, scope: Scope) -> str | None:
        """A job that brings something into the scope and has not ended; none where there is none."""
        names, state = set(self._names(scope)), self._core.catalogue.state()
        return next(
            (
                job
                for job in sorted(state.jobs)
                if isinstance(entered := state.entries[job].entered, JobEntered)
                and entered.collection in names
            ),
            None,
        )

    def _languages(self, scope: Scope) -> set[str]:
        names = set(self._names(scope))
        held = list(self._core.catalogue.state().published.items())
        return {each.source.language for place, each in held if place[0] in names}

    def _record(
        self,
        query: str,
        top_k: int,
        scope: Scope,
        found: list[Passage],
        through: str,
        took_ms: float,
    ) -> None:
        if not self._core.settings.record_queries or not self._core.home.traces.is_dir():
            return
        self._log.record(
            QueryAnswered(
                query=query[:_QUERY_KEPT],
                query_hash=digest(query.encode()),
                through=through,
                mode="best",
                collections=scope.collections,
                limit=top_k,
                found=len(found),
                hits=tuple(
                    Hit(
                        chunk=each.chunk,
                        document=each.document,
                        version=each.version,
                        score=each.score,
                    )
                    for each in found[:_HITS_KEPT]
                ),
                took_ms=took_ms,
            )
        )

    def flush(self) -> None:
        """Wait until what was asked so far is in the record."""
        self._log.flush()


_PLACE = re.compile(rf"{CATALOGUE}:([0-9]{{1,15}})")


def _moment(said: str) -> int | str:
    """A place in the catalogue, as answers name it, or a time."""
    found = _PLACE.fullmatch(said.strip())
    return int(found[1]) if found else said


def check_question(query: str, top_k: int) -> None:
    """Refuse what cannot be asked."""
    if not query.strip():
        raise BadRequest("The query is empty.", "Ask in a few words or a sentence.")
    if len(query) > LONGEST_QUERY:
        raise BadRequest(
            f"The query has {len(query)} characters.",
            f"Use at most {LONGEST_QUERY}; give longer text as document_context.",
        )
    if not 1 <= top_k <= MOST_RESULTS:
        shown = shortened(str(top_k), 20)
        raise BadRequest(f"top_k is {shown}.", f"Use a number from 1 to {MOST_RESULTS}.")
    try:
        query.encode()
    except UnicodeEncodeError:
        raise BadRequest("The query is not valid text.", "Send it as UTF-8.") from None


_EXPLAINED = {"sequence", "decided_by"}
"""What an explained search says of a passage beyond the passage itself."""


def passage_of(explained: Reply) -> Passage:
    """The passage alone."""
    bare = {name: value for name, value in explained.items() if name not in _EXPLAINED}
    return Passage.model_validate(bare)


def result(passage: Passage, explained: Reply, relevance: float) -> Reply:
    """One passage as the contract shows it, with its exact place and how it was found.

    Its relevance is never more than that of a better rank: the order takes more into account than
    what a passage says by itself, and is right more often.
    """
    from contracts.knowledge.refinement import label

    name = passage.locator.rstrip("/").rpartition("/")[2] or passage.locator
    return {
        "content": passage.text,
        "relevance_score": round(relevance, 4),
        "relevance_label": label(relevance),
        "own_relevance": round(passage.score, 4),
        "source_document": name,
        "header_path": " > ".join(passage.headings),
        "metadata": {
            "document_title": passage.title,
            "content_type": passage.content_type,
            "chunk_sequence_id": explained["sequence"],
            "chunk_id": passage.chunk,
            "document_id": passage.document,
            "collection": passage.collection,
            "language": passage.language,
            "media_type": passage.media_type,
            "published_at": passage.published_at,
        },
        "place": {
            "locator": passage.locator,
            "version": passage.version,
            "text_hash": passage.text_hash,
            "start": passage.start,
            "end": passage.end,
            "first_page": passage.first_page,
            "last_page": passage.last_page,
        },
        "stages": {name: stage.model_dump() for name, stage in passage.stages.items()},
        "decided_by": explained["decided_by"],
    }


class History:
    """The latest questions, read from the record as it grows."""

    def __init__(self, core: Core) -> None:
        self._home = core.home
        self._cursor = Cursor()
        self._latest: deque[Reply] = deque(maxlen=REMEMBERED)
        self._reading = threading.Lock()

    def latest(self) -> list[Reply]:
        """The latest questions, the newest first."""
        with self._reading:
            if not cursor_fits(self._home.path(QUERIES), self._cursor):
                # A writer whose sync failed has taken back what was read: what is there now counts.
                self._cursor = Cursor()
                self._latest.clear()
            records, self._cursor = self._home.read(QUERIES, self._cursor)
            for record in records:
                if record.kind == "query_answered":
                    self._latest.append({"at": record.at} | record.data)
            return list(self._latest)[::-1]
