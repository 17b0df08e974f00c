"""Contract 05: asking a project, and what is found as it can be cited.

A project is a name for collections. Which ones these are is looked up here, from the project that
the caller names, and nothing in a caller's filters can add to them.
"""

import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from actors.query_log import QueryLog
from actors.shelves import meant
from contracts.allowed_paths import shortened
from contracts.citations.cited_passages import (
    authors_of,
    file_of,
    links,
    pages_of,
    trimmed_text,
    year_of,
)
from contracts.citations.citekeys import citekey_of
from contracts.citations.locators import labels_of
from contracts.citations.project_filters import Asked, read_filters
from contracts.column_heads import ColumnHeads
from contracts.core import Core
from contracts.knowledge.querying import LONGEST_QUERY
from contracts.settings import BUNDLED
from events.base import Fact
from events.catalogue import SourcePublished
from events.codec import digest
from events.errors import BadRequest, ModelUnavailable, ResearchError
from events.queries import Hit, QueryAnswered, QueryRefused

if TYPE_CHECKING:
    from projections.index.scope import Scope
    from projections.search import LocalCorpus

Reply = dict[str, Any]

QUERY_WITHIN = 8.0
HYBRID_WITHIN = 15.0
INSPECT_WITHIN = 5.0
DEFAULT_TOP_K = 6
MODES = {"query": "dense", "query_hybrid": "rrf"}
"""The tools that put a question, and how each of them searches."""

SPARSE_MODEL = "local/bm25"
RRF_K = 60

_QUERY_KEPT = 500


class InvalidProject(ResearchError):
    """No such project: (name, those there are)."""

    code = "invalid_project"
    says = "Project {0!r} not found. Available projects: {1}"
    suggestion = "Create it with manage_projects (research-agent projects create NAME)."


class EmbeddingMismatch(ResearchError):
    """The collection is embedded with another model: (project, its model, the model asked for)."""

    code = "embedding_mismatch"
    says = "Project {0!r} is embedded with {1!r}, and the embedding model set is {2!r}."
    suggestion = "Pass force_rebuild to embed it anew, or take the setting back."


class HybridNotSupported(ResearchError):
    """There is nothing to fuse: (project, why)."""

    code = "hybrid_not_supported"
    says = "Project {0!r} has nothing to fuse with words: {1}."
    suggestion = "Ingest with force_rebuild, or install the embedding model's package."


class IndexUnavailable(ResearchError):
    """The index cannot be read: (project, why)."""

    code = "index_unavailable"
    says = "The index of project {0!r} is not available: {1}."
    suggestion = "Ask again in a moment; then run research-agent doctor."


class TookTooLong(ResearchError):
    """A tool's time was up: (tool, seconds, what was done by then, what to do now)."""

    code = "timeout"
    says = "{0} took longer than {1:g} seconds. {2}"
    suggestion = "{3}"


class UnexpectedFailure(ResearchError):
    """Something broke that should not have: (tool,)."""

    code = "internal_error"
    says = "{0} failed for a reason of its own."
    suggestion = "Try again; if it stays so, run research-agent doctor."


class Projects:
    """The projects of a data home, as they are asked. For any number of threads."""

    def __init__(self, core: Core, corpus: "LocalCorpus | None" = None) -> None:
        self.core = core
        self._given = corpus
        self._log = QueryLog(core.home)

    @property
    def corpus(self) -> "LocalCorpus":
        """The corpus, opened when it is first asked."""
        return self._given or self.core.corpus

    # -- which documents --------------------------------------------------------------------------

    def names(self) -> list[str]:
        """Every project, in order of its name."""
        return sorted(self.core.catalogue.state().projects)

    def collections(self, project: str) -> tuple[str, ...]:
        """The collections that a project is; those that were deleted are not among them."""
        state = self.core.catalogue.state()
        project = meant(project, state.projects)
        if project not in state.projects:
            known = ", ".join(sorted(state.projects)) or "none yet"
            raise InvalidProject(shortened(project), shortened(known, 2_000))
        linked = state.projects[project].collections
        return tuple(name for name in linked if name in state.collections)

    def documents(self, project: str) -> dict[tuple[str, str], SourcePublished]:
        """What a project holds, by collection and document."""
        collections = set(self.collections(project))
        held = list(self.core.catalogue.state().published.items())
        return {place: each.source for place, each in held if place[0] in collections}

    def scope(self, project: str, asked: Asked | None = None) -> "Scope":
        """The chunks of a project that the filters leave."""
        from projections.index.arrays import BadFile
        from projections.index.filters import Filters

        collections = self.collections(project)
        filters = asked.within(collections) if asked else Filters(collections=collections)
        try:
            return self.corpus.scope(filters)
        except (BadFile, OSError, ValueError) as broken:
            raise IndexUnavailable(project, str(broken)[:200]) from broken

    def models(self, project: str) -> tuple[str, ...]:
        """The embedding models of a project's chunks."""
        return self.scope(project).models() if self.core.home.root.is_dir() else ()

    def default_model(self) -> str:
        """What an empty project will be embedded with."""
        return self.core.catalogue.state().embedder or self.core.settings.embedder or BUNDLED

    def model_set(self) -> str | None:
        """The embedding model that is set, by the name that the catalogue would give it.

        Answers name the models themselves, and what an answer says may be set, too: it is no
        other model then.
        """
        wanted, known = self.core.settings.embedder, self.core.catalogue.state().embedder
        if not wanted or wanted == known:
            return wanted
        if _among(wanted, self._all_models()):
            return known
        from projections.encoders.opened import open_embedder

        return "" if _among(wanted, open_embedder().names) else wanted

    def _all_models(self) -> tuple[str, ...]:
        from projections.index.arrays import BadFile
        from projections.index.filters import Filters

        try:
            return self.corpus.scope(Filters()).models() if self.core.home.root.is_dir() else ()
        except (BadFile, OSError, ValueError):
            return ()

    # -- asking -----------------------------------------------------------------------------------

    def query(
        self,
        project: str,
        text: str,
        mode: str,
        *,
        correlation_id: str = "",
        recording: "Recording | None" = None,
        **options: Any,
    ) -> Reply:
        """The contract's answer by meaning (`dense`), or by meaning and words (`rrf`).

        It is recorded once, as answered or as refused. A caller who may give up before brings the
        recording along, because that is a refusal, too.
        """
        recording = recording or Recording(self, text, mode, correlation_id)
        try:
            return self._answer(project, text, mode, options, recording)
        except Exception as failure:
            recording.refuse(failure)
            raise

    def _answer(
        self, project: str, text: str, mode: str, options: Mapping[str, Any], recording: "Recording"
    ) -> Reply:
        asked = self._checked(project, text, options)
        began = time.perf_counter()
        models = self.models(project)
        if mode == "rrf" and not models and self.documents(project):
            raise HybridNotSupported(project, "no embedding model is bound")
        if mode == "dense" and not models and self.documents(project):
            raise IndexUnavailable(project, "none of its chunks has a vector")
        found = self._search(project, text, mode, asked) if models else []
        documents, heads = self.documents(project), ColumnHeads(self.core.home.blobs)
        items = [
            self._item(each, documents, mode, whole=asked.full_text) | heads.of_passage(each)
            for each in found
            if _may_be_shown(each, documents, asked)
        ]
        took = round((time.perf_counter() - began) * 1000, 2)
        recording.answer(self.collections(project), asked.top_k, found, took)
        reply: Reply = {"items": items, "count": len(items)}
        dense = ", ".join(models) or self.default_model()
        if mode == "dense":
            reply["model"] = dense
        else:
            reply |= {
                "hybrid_enabled": bool(models) or not documents,
                "dense_model": dense,
                "sparse_model": SPARSE_MODEL,
                "fusion": "RRF",
            }
        return reply | {
            "project": project,
            "top_k": asked.top_k,
            "vectors_compared": any("dense" in each["stages"] for each in items),
            "ignored_filters": list(asked.ignored),
            "took_ms": took,
        }

    def _checked(self, project: str, text: str, options: Mapping[str, Any]) -> Asked:
        self.collections(project)
        if not text.strip():
            raise BadRequest("The text is empty.", "Ask in a few words or a sentence.")
        if len(text) > LONGEST_QUERY:
            raise BadRequest(
                f"The text has {len(text)} characters.", f"Use at most {LONGEST_QUERY}."
            )
        try:
            text.encode()
        except UnicodeEncodeError:
            raise BadRequest("The text is not valid text.", "Send it as UTF-8.") from None
        top_k = options.get("top_k", DEFAULT_TOP_K)
        if not isinstance(top_k, int) or top_k < 1:
            raise BadRequest(f"top_k is {shortened(str(top_k), 20)}.", "Use a number from 1.")
        return read_filters(
            options.get("filters"),
            top_k=min(top_k, self.limit(project)),
            full_text=bool(options.get("full_text")),
        )

    def limit(self, project: str) -> int:
        """Passages that a query of a project shows at most."""
        settings = self.core.settings
        return dict(settings.top_k_limits).get(project, settings.top_k_limit)

    def _search(self, project: str, text: str, mode: str, asked: Asked) -> list[Reply]:
        from projections.index.arrays import BadFile

        filters = asked.within(self.collections(project))
        try:
            return self.corpus.search(
                text,
                asked.top_k,
                filters=filters,
                mode=mode,  # type: ignore[arg-type]
                citable=True,
                by_meaning=True,
            )
        except ModelUnavailable as failure:
            # Words alone would be an answer to another question than was asked.
            model, why = failure.args
            refusal = HybridNotSupported if mode == "rrf" else IndexUnavailable
            raise refusal(project, f"it is embedded with {model}, and {why}") from failure
        except (BadFile, OSError, IndexError, ValueError) as broken:
            raise IndexUnavailable(project, str(broken)[:200]) from broken

    def _item(
        self,
        found: Reply,
        documents: Mapping[tuple[str, str], SourcePublished],
        mode: str,
        *,
        whole: bool,
    ) -> Reply:
        at = found["collection"], found["document"]
        source = documents[at]
        said, pages = source.metadata, pages_of(found, source)
        shown = trimmed_text(found["text"], self.core.settings.max_chars_per_chunk)
        score, scale = _score(found, mode)
        headings = list(found["headings"])
        return {
            "render_text": shown,
            "score": score,
            "citekey": citekey_of(at, documents),
            "section": headings[-1] if headings else None,
            "page_span": pages,
            "page_labels": labels_of(file_of(source, documents), pages),
            "section_path": headings[:-1],
            "doi": said.get("doi"),
            "full_text": found["text"] if whole else None,
            "score_scale": scale,
            "relevance": round(found["score"], 4),
            "stages": found["stages"],
            "trimmed": len(shown) < len(found["text"].strip()),
            "heading_chain": headings,
            "chunk_id": found["chunk"],
            "doc_id": found["document"],
            "title": source.title,
            "authors": authors_of(said),
            "year": year_of(said, source.media_type),
            "tags": list(source.tags),
            "source_path": found["locator"],
            "collection": found["collection"],
            "place": {
                "version": found["version"],
                "text_hash": found["text_hash"],
                "start": found["start"],
                "end": found["end"],
            },
            "links": links(source, pages),
        }

    def record(self, fact: Fact) -> None:
        """Keep what was asked, where that is wanted."""
        if self.core.settings.record_queries and self.core.home.traces.is_dir():
            self._log.record(fact)

    def flush(self) -> None:
        """Wait until what was asked so far is in the record."""
        self._log.flush()


class Recording:
    """One question's line in the record: the first outcome is it, whoever comes with another."""

    def __init__(self, projects: Projects, text: str, mode: str, correlation_id: str) -> None:
        self._projects, self._mode, self._correlation_id = projects, mode, correlation_id
        # What is no valid text is refused, and that can be recorded all the same.
        said = text.encode(errors="backslashreplace")
        self._query, self._hash = said.decode()[:_QUERY_KEPT], digest(said)
        self._through = next(tool for tool in MODES if MODES[tool] == mode)
        self._began = time.perf_counter()
        self._taken = threading.Lock()

    def answer(
        self, collections: tuple[str, ...], limit: int, found: list[Reply], took_ms: float
    ) -> None:
        """It was answered."""
        if not self._taken.acquire(blocking=False):
            return
        self._projects.record(
            QueryAnswered(
                query=self._query,
                query_hash=self._hash,
                through=self._through,
                mode=self._mode,
                collections=collections,
                limit=limit,
                found=len(found),
                hits=tuple(
                    Hit(
                        chunk=each["chunk"],
                        document=each["document"],
                        version=each["version"],
                        score=each["score"],
                    )
                    for each in found
                ),
                took_ms=took_ms,
                correlation_id=self._correlation_id,
            )
        )

    def refuse(self, failure: Exception) -> None:
        """It was refused; why exactly is for the caller alone."""
        if not self._taken.acquire(blocking=False):
            return
        code = failure.code if isinstance(failure, ResearchError) else UnexpectedFailure.code
        self._projects.record(
            QueryRefused(
                query=self._query,
                query_hash=self._hash,
                through=self._through,
                mode=self._mode,
                code=code.upper(),
                took_ms=round((time.perf_counter() - self._began) * 1000, 2),
                correlation_id=self._correlation_id,
            )
        )


def _may_be_shown(
    found: Reply, documents: Mapping[tuple[str, str], SourcePublished], asked: Asked
) -> bool:
    """Whether a passage is of a document that the project holds and the filters mean.

    The index has seen to both. But a document may have left since, and one that two collections
    hold may have another key in each.
    """
    source = documents.get((found["collection"], found["document"]))
    return source is not None and asked.means(source)


def _among(wanted: str, models: tuple[str, ...]) -> bool:
    return wanted in models or wanted == ", ".join(models)


def _score(found: Reply, mode: str) -> tuple[float, str]:
    stages = found["stages"]
    if mode == "dense" and "dense" in stages:
        return round(stages["dense"]["score"], 4), stages["dense"]["scale"]
    if mode == "rrf" and "fused" in stages:
        best = 2 / (RRF_K + 1)
        return round(stages["fused"]["score"] / best, 4), "rrf, 1 is first in both"
    return round(found["score"], 4), "relevance, 0 to 1"
