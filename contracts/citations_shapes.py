"""What the tools of contract 05 answer: output schemas."""

from contracts.answer_shapes import (
    MAPPING,
    NUMBER,
    TEXT,
    TRUTH,
    WHOLE,
    Shape,
    answers,
    having,
    listed,
    or_null,
    perhaps,
    told,
    word,
)
from contracts.knowledge_shapes import STAGES

_NAMES = listed(TEXT)
_PAGES = told(or_null(listed(WHOLE)), "First and last; null where a document has no pages")
_LINKS = told(
    perhaps(having(), file=TEXT, doi=TEXT, zotero=TEXT), "Where it opens, at its page if it can"
)
_CALL = {"correlation_id": told(TEXT, "Of this call; the record has it, too")}

_REFUSED = told(
    having(
        error=having(code=told(TEXT, "Such as INVALID_PROJECT"), message=TEXT, details=MAPPING),
        **_CALL,
    ),
    "A refusal",
)


def _answers(always: Shape, **sometimes: Shape) -> Shape:
    whole = having(**always["properties"], **_CALL)
    return answers(perhaps(whole, **sometimes), _REFUSED)


_MODELS = {"dense_model": TEXT, "sparse_model": TEXT}

INGESTED = _answers(
    having(
        chunks_written=WHOLE,
        documents_processed=WHOLE,
        project=TEXT,
        **_MODELS,
        duration_seconds=NUMBER,
        warnings=_NAMES,
        status=word("completed", "pending", "running", "failed", "cancelled", "quarantined"),
        continues=told(TRUTH, "The job goes on by itself"),
        job_id=or_null(TEXT),
        documents_removed=WHOLE,
    ),
    collection=TEXT,
    documents=having(
        files=WHOLE,
        done=WHOLE,
        added=WHOLE,
        updated=WHOLE,
        unchanged=WHOLE,
        empty=WHOLE,
        failed=WHOLE,
    ),
    references=having(read=WHOLE, matched=WHOLE),
    warnings_left_off=WHOLE,
    message=TEXT,
)

_ITEM = having(
    render_text=told(TEXT, "The passage, cut to what is shown"),
    score=NUMBER,
    citekey=or_null(TEXT),
    section=or_null(TEXT),
    page_span=_PAGES,
    section_path=_NAMES,
    doi=or_null(TEXT),
    full_text=or_null(TEXT),
    score_scale=TEXT,
    relevance=NUMBER,
    stages=STAGES,
    trimmed=TRUTH,
    heading_chain=_NAMES,
    chunk_id=TEXT,
    doc_id=TEXT,
    title=TEXT,
    authors=_NAMES,
    year=or_null(WHOLE),
    tags=_NAMES,
    source_path=TEXT,
    collection=TEXT,
    place=having(version=TEXT, text_hash=TEXT, start=WHOLE, end=WHOLE),
    links=_LINKS,
)
_ASKED = {
    "items": listed(_ITEM),
    "count": WHOLE,
    "project": TEXT,
    "top_k": WHOLE,
    "vectors_compared": TRUTH,
    "ignored_filters": _NAMES,
    "took_ms": NUMBER,
}

DENSE = _answers(having(**_ASKED, model=TEXT))
HYBRID = _answers(having(**_ASKED, hybrid_enabled=TRUTH, **_MODELS, fusion=TEXT))

INSPECTED = _answers(
    having(
        project=TEXT,
        collection=or_null(TEXT),
        size=told(WHOLE, "Chunks"),
        **_MODELS,
        named_vectors=_NAMES,
        payload_keys=_NAMES,
        indexes=having(keyword=_NAMES, fulltext=_NAMES),
        storage=MAPPING,
        sample_payloads=listed(MAPPING),
        collections=_NAMES,
        documents=WHOLE,
        coverage=having(
            pages=WHOLE,
            pages_with_text=WHOLE,
            pages_ocr=WHOLE,
            pages_empty=WHOLE,
            not_covered=listed(having(source_path=TEXT, empty_pages=TEXT)),
        ),
        unfinished_jobs=_NAMES,
    )
)

PROJECTS = _answers(
    having(
        projects=listed(
            having(
                id=TEXT,
                collection=or_null(TEXT),
                **_MODELS,
                hybrid_enabled=TRUTH,
                collections=_NAMES,
                documents=WHOLE,
                chunks=WHOLE,
            )
        ),
        count=WHOLE,
    )
)

CITED = _answers(
    having(
        project=TEXT,
        style=TEXT,
        citations=listed(perhaps(having(citekey=TEXT, citation=TEXT), pages=_PAGES, links=_LINKS)),
        bibliography=_NAMES,
        count=WHOLE,
    )
)

EXPORTED = _answers(
    having(
        project=TEXT,
        format=word("csl-json", "bibtex", "ris"),
        content=TEXT,
        citekeys=_NAMES,
        count=WHOLE,
        without_reference=told(_NAMES, "Cited sources that the project has no reference of"),
    )
)
