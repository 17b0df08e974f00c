"""What the tools of contract 04 answer: output schemas."""

from contracts.answer_shapes import (
    COLUMN_HEADS,
    MAPPING,
    NUMBER,
    SPAN,
    STAGES,
    TEXT,
    TEXTS,
    TRUTH,
    WHOLE,
    answers,
    having,
    listed,
    or_null,
    perhaps,
    told,
    word,
)

_KIND = word("job_posting", "blog_article", "company_page")
_PHASE = word("pending", "processing", "completed", "failed")

_ERROR = having(
    type=told(TEXT, "Such as URLFetchError"),
    message=TEXT,
    details=told(MAPPING, "With its stable code, and what is known of the cause"),
    suggestion=TEXT,
)
_REFUSED = told(having(error=_ERROR), "A refusal")

_MAIN_LANGUAGE = told(
    or_null(TEXT),
    "By ISO 639-1, what most of it is in: `language` is en, ja or mixed for any other",
)
_STANDS = told(
    or_null(TEXT), "Where what is held stands: the URL, or the one that it led to; null before"
)

_ABOUT = {
    "title": TEXT,
    "content_type": _KIND,
    "languages": TEXTS,
    "main_language": _MAIN_LANGUAGE,
    "extracted": told(MAPPING, "What such a page says of itself: company, role, author, …"),
    "warnings": TEXTS,
    "final_url": _STANDS,
    "failure": told(or_null(_ERROR), "Why the last try failed"),
    "job_id": TEXT,
}

PROCESSED = answers(
    having(
        source_id=WHOLE,
        url=TEXT,
        status=_PHASE,
        chunks_created=WHOLE,
        processing_time_ms=WHOLE,
        language=or_null(TEXT),
        message=TEXT,
        is_cached=TRUTH,
        error=or_null(TEXT),
        **_ABOUT,
    ),
    _REFUSED,
)

SITE = answers(
    having(
        url=TEXT,
        found_by=told(TEXT, "sitemap, feed, links, or feed and links"),
        pages=listed(having(source_id=WHOLE, url=TEXT, status=_PHASE, error=or_null(TEXT))),
        total_pages=WHOLE,
        left_out=told(
            listed(having(url=TEXT, reason=TEXT)),
            "Pages that take no place: forbidden to robots, not to be had, or the same as another",
        ),
        message=TEXT,
    ),
    _REFUSED,
)

REFRESHED = answers(
    having(
        source_id=WHOLE,
        url=TEXT,
        old_chunks_deleted=WHOLE,
        new_chunks_created=WHOLE,
        status=_PHASE,
        processing_time_ms=WHOLE,
        message=TEXT,
        changed=TRUTH,
        chunks_embedded=WHOLE,
        citations_affected=told(
            listed(
                having(
                    task_id=TEXT,
                    citation=WHOLE,
                    version=TEXT,
                    quote=TEXT,
                    changed_since=or_null(TEXT),
                )
            ),
            "Citations whose words are no longer on the page",
        ),
        **_ABOUT,
    ),
    _REFUSED,
)

DELETED = answers(having(source_id=WHOLE, url=TEXT, chunks_deleted=WHOLE, message=TEXT), _REFUSED)

STATUS = answers(
    having(
        source_id=WHOLE,
        url=TEXT,
        processing_status=_PHASE,
        chunks_created=WHOLE,
        fetch_timestamp=TEXT,
        error_message=or_null(TEXT),
        message=TEXT,
        is_stale=TRUTH,
        **_ABOUT,
        versions=listed(
            having(version=TEXT, published_at=TEXT, chunks=WHOLE, changed_since=or_null(TEXT))
        ),
    ),
    _REFUSED,
)

FOUND = answers(
    perhaps(
        having(
            query=TEXT,
            results=listed(
                having(
                    chunk_id=WHOLE,
                    source_id=WHOLE,
                    source_url=TEXT,
                    final_url=_STANDS,
                    content=TEXT,
                    vector_score=told(NUMBER, "A distance: 0 is best"),
                    fts_score=or_null(NUMBER),
                    combined_score=told(NUMBER, "A distance: 0 is best"),
                    metadata=perhaps(
                        having(
                            title=TEXT,
                            section=TEXT,
                            content_type=_KIND,
                            language=or_null(TEXT),
                            fetch_timestamp=TEXT,
                            citation=TEXT,
                            chunk=TEXT,
                            version=TEXT,
                            **SPAN,
                            stages=STAGES,
                        ),
                        **{f"Header {level}": TEXT for level in range(1, 7)},
                        **COLUMN_HEADS,
                    ),
                )
            ),
            total_results=told(WHOLE, "Passages that were compared and ranked: 50 at most"),
            more_results=told(TRUTH, "Whether there may be more than these"),
            synthesis=or_null(TEXT),
            confidence_level=word("high", "medium", "low"),
            processing_time_ms=WHOLE,
            language_note=told(
                or_null(TEXT), "If none of the pages is in the language of the question"
            ),
            sources_note=told(
                or_null(TEXT),
                "Which pages were not searched: still being processed, nothing held, another type",
            ),
        ),
        synthesis_by=or_null(TEXT),
        synthesis_cost_usd=NUMBER,
        synthesis_note=or_null(TEXT),
    ),
    _REFUSED,
)

LISTED = answers(
    having(
        websites=listed(
            having(
                id=WHOLE,
                url=TEXT,
                final_url=_STANDS,
                title=TEXT,
                content_type=_KIND,
                language=or_null(TEXT),
                main_language=_MAIN_LANGUAGE,
                fetch_timestamp=TEXT,
                processing_status=_PHASE,
                chunks_count=WHOLE,
                is_stale=TRUTH,
                error_message=or_null(TEXT),
            )
        ),
        total_count=WHOLE,
        limit=WHOLE,
        offset=WHOLE,
        has_more=TRUTH,
    ),
    _REFUSED,
)
