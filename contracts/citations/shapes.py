"""What the tools of contract 05 answer: output schemas."""

from contracts.answer_shapes import (
    COLUMN_HEADS,
    MAPPING,
    NUMBER,
    SPAN,
    STAGES,
    TALLY,
    TEXT,
    TEXTS,
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

_PAGES = told(
    or_null(listed(WHOLE)), "First and last, of the file; null where a document has no pages"
)
_LABELS = told(or_null(TEXTS), "What these are called in print, such as xii; null where unknown")
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
        warnings=TEXTS,
        status=word("completed", "pending", "running", "failed", "cancelled", "quarantined"),
        continues=told(TRUTH, "It goes on by itself"),
        job_id=told(or_null(TEXT), "Null while it is being prepared: ask again then"),
        documents_removed=WHOLE,
    ),
    collection=TEXT,
    documents=having(**TALLY),
    references=having(read=WHOLE, matched=WHOLE),
    warnings_left_off=WHOLE,
    message=TEXT,
    rebuild=told(
        having(job_id=TEXT, scope=TEXT, status=TEXT),
        "The job that embeds the whole corpus with another model",
    ),
)

_ITEM = perhaps(
    having(
        render_text=told(TEXT, "The passage, cut to what is shown"),
        score=NUMBER,
        citekey=or_null(TEXT),
        section=or_null(TEXT),
        page_span=_PAGES,
        page_labels=_LABELS,
        section_path=TEXTS,
        doi=or_null(TEXT),
        full_text=or_null(TEXT),
        score_scale=TEXT,
        relevance=NUMBER,
        stages=STAGES,
        trimmed=TRUTH,
        heading_chain=TEXTS,
        chunk_id=TEXT,
        doc_id=TEXT,
        title=TEXT,
        authors=TEXTS,
        year=or_null(WHOLE),
        tags=TEXTS,
        source_path=TEXT,
        collection=TEXT,
        place=having(version=TEXT, text_hash=TEXT, **SPAN),
        links=_LINKS,
    ),
    **COLUMN_HEADS,
)
_ASKED = {
    "items": listed(_ITEM),
    "count": WHOLE,
    "project": TEXT,
    "top_k": WHOLE,
    "vectors_compared": TRUTH,
    "ignored_filters": TEXTS,
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
        named_vectors=TEXTS,
        payload_keys=TEXTS,
        indexes=having(keyword=TEXTS, fulltext=TEXTS),
        storage=MAPPING,
        sample_payloads=listed(MAPPING),
        collections=TEXTS,
        documents=WHOLE,
        coverage=having(
            pages=WHOLE,
            pages_with_text=WHOLE,
            pages_ocr=WHOLE,
            pages_empty=WHOLE,
            not_covered=listed(having(source_path=TEXT, empty_pages=TEXT)),
        ),
        unfinished_jobs=TEXTS,
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
                collections=TEXTS,
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
        citations=listed(
            perhaps(
                having(citekey=TEXT, citation=TEXT),
                pages=_PAGES,
                page_labels=_LABELS,
                links=_LINKS,
            )
        ),
        bibliography=TEXTS,
        count=told(WHOLE, "Works; one may be cited at several places"),
    )
)

EXPORTED = _answers(
    having(
        project=TEXT,
        format=word("csl-json", "bibtex", "ris"),
        content=TEXT,
        citekeys=TEXTS,
        count=WHOLE,
        without_reference=told(TEXTS, "Cited sources that the project has no reference of"),
    )
)
