"""Contract 05: which projects there are, and what one of them holds."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from actors.ingesting.page_lists import as_ranges, pages_in, pages_told
from actors.shelves import own_names
from contracts.allowed_paths import shortened
from contracts.citations.asking import SPARSE_MODEL, Projects
from contracts.citations.cited_passages import authors_of, year_of
from contracts.citations.citekeys import Place
from contracts.job_reports import done_files
from events.catalogue import JobEntered, SourcePublished
from events.errors import BadRequest, ResearchError

if TYPE_CHECKING:
    from projections.index.scope import Scope

Reply = dict[str, Any]

MOST_SAMPLES = 5
PAYLOAD_KEYS = (
    *("project_id", "doc_id", "section_path", "page_start", "page_end", "citekey", "doi", "year"),
    *("authors", "title", "tags", "source_path", "chunk_text", "heading_chain", "embed_model"),
    "version",
)
INDEXED = ("project_id", "doc_id", "citekey", "year", "tags", "section_path", "language")


def list_projects(projects: Projects) -> Reply:
    """Every project with its collection and models; never fails for one of them."""
    chunks = {each.collection: each.chunks for each in projects.core.views.collections()}
    listed = [_listed(projects, name, chunks) for name in projects.names()]
    return {"projects": listed, "count": len(listed)}


def _listed(projects: Projects, name: str, chunks: Mapping[str, int]) -> Reply:
    collections = projects.collections(name)
    try:
        models = projects.models(name)
    except ResearchError:
        models = ()
    held = projects.documents(name)
    return {
        "id": name,
        "collection": own_collection(projects, name),
        "dense_model": ", ".join(models) or projects.default_model(),
        "sparse_model": SPARSE_MODEL,
        "hybrid_enabled": bool(models) or not held,
        "collections": list(collections),
        "documents": len(held),
        "chunks": sum(chunks.get(each, 0) for each in collections),
    }


def own_collection(projects: Projects, project: str) -> str | None:
    """The collection that a project's ingests go to; the only one, if it has one of another name."""
    collections = projects.collections(project)
    own = next((name for name in own_names(project) if name in collections), None)
    return own or (collections[0] if collections else own_names(project)[0])


def inspect_collection(projects: Projects, project: str, sample: int = 0) -> Reply:
    """How a project's chunks are kept, what they carry, and how much of the files they cover."""
    if not isinstance(sample, int) or sample < 0:
        raise BadRequest(f"sample is {shortened(str(sample), 20)}.", "Use a number from 0 to 5.")
    scope = projects.scope(project)
    models = scope.models()
    held = projects.documents(project)
    collections = projects.collections(project)
    return {
        "project": project,
        "collection": own_collection(projects, project),
        "size": scope.size,
        "dense_model": ", ".join(models) or projects.default_model(),
        "sparse_model": SPARSE_MODEL,
        "named_vectors": ["dense", "sparse"] if models or not scope.size else ["sparse"],
        "payload_keys": list(PAYLOAD_KEYS),
        "indexes": {"keyword": list(INDEXED), "fulltext": ["chunk_text"]},
        "storage": {"on_disk_vectors": True, "on_disk_hnsw": False},
        "sample_payloads": [
            _payload(project, scope, row) for row in scope.sample(min(sample, MOST_SAMPLES))
        ],
        "collections": list(collections),
        "documents": len(held),
        "coverage": coverage(held.values(), _unread(projects, collections, held)),
        "unfinished_jobs": [
            name
            for name, entry in list(projects.core.catalogue.state().entries.items())
            if entry.ended is None
            and isinstance(entry.entered, JobEntered)
            and entry.entered.collection in collections
        ],
    }


def _payload(project: str, scope: "Scope", row: int) -> Reply:
    chunk, version = scope.chunk(row), scope.version(row)
    said = version.metadata
    return {
        "project_id": project,
        "doc_id": chunk["document"],
        "section_path": chunk["headings"][:-1],
        "page_start": chunk["first_page"],
        "page_end": chunk["last_page"],
        "citekey": said.get("citekey"),
        "doi": said.get("doi"),
        "year": year_of(said, version.media_type),
        "authors": authors_of(said),
        "title": chunk["title"],
        "tags": list(version.tags),
        "source_path": chunk["locator"],
        "chunk_text": chunk["text"],
        "heading_chain": chunk["headings"],
        "embed_model": ", ".join(scope.models()),
        "version": chunk["version"],
    }


def _unread(
    projects: Projects, collections: Iterable[str], held: Mapping[Place, SourcePublished]
) -> dict[str, list[int]]:
    """The empty pages of files that came to nothing, because no page of them could be read."""
    core = projects.core
    since = {each.collection: each.created_at for each in core.views.collections()}
    there = {(collection, source.locator) for (collection, _), source in held.items()}
    found: dict[str, list[int]] = {}
    for job in core.views.jobs():
        where = job.collection
        # What was ingested into a collection of that name before it was deleted is not in this one.
        if not job.empty or where not in collections or job.asked_at < since.get(where, ""):
            continue
        for each in done_files(core, job.job):
            if each["outcome"] == "empty" and (where, each["locator"]) not in there:
                found[each["locator"]] = each["empty_pages"]
    return {locator: pages for locator, pages in found.items() if pages}


def coverage(sources: Iterable[SourcePublished], unread: Mapping[str, Sequence[int]]) -> Reply:
    """Of how many pages there is text, and where it comes from."""
    pages = empty = sum(map(len, unread.values()))
    read = 0
    lacking: list[Reply] = [
        {"source_path": locator, "empty_pages": as_ranges(numbers)}
        for locator, numbers in unread.items()
    ]
    for source in sources:
        said = source.metadata
        pages += pages_in(f"1-{said.get('pages') or 0}")
        read += pages_told(said, "ocr_pages")
        if missing := pages_told(said, "empty_pages"):
            empty += missing
            more = "" if pages_in(said["empty_pages"]) == missing else ", …"
            lacking.append(
                {"source_path": source.locator, "empty_pages": said["empty_pages"] + more}
            )
    return {
        "pages": pages,
        "pages_with_text": pages - read - empty,
        "pages_ocr": read,
        "pages_empty": empty,
        "not_covered": lacking[:50],
    }
