"""What the tools of contract 01 answer: output schemas."""

from contracts.answer_shapes import (
    FAILURE,
    NUMBER,
    RECORD,
    SHARE,
    TEXT,
    TEXTS,
    TRUTH,
    WHOLE,
    answers,
    having,
    listed,
    only,
    or_null,
    perhaps,
    refused,
    told,
    word,
)
from contracts.research.shapes import EVIDENCE

_TRUE = only(True)
_STATUS = word("pending", "running_async", "completed", "failed", "cancelled")
_TOKENS = having(input=WHOLE, output=WHOLE)

_NOT_KNOWN = refused("The contract's code, such as TASK_NOT_FOUND")
"""The refusal of a tool that clients call over and over: they go through the whole shape at each answer."""

_REFUSED = perhaps(
    _NOT_KNOWN,
    task_id=TEXT,
    status=_STATUS,
    progress=told(WHOLE, "Percent"),
    file_path=TEXT,
    required_kb=NUMBER,
    available_kb=NUMBER,
)

_SOURCE = perhaps(
    having(
        title=or_null(TEXT),
        url=told(TEXT, "URL or path"),
        snippet=TEXT,
        relevance_score=SHARE,
        content_hash=told(or_null(TEXT), "Digest of its original bytes; null if it was not read"),
    ),
    note=told(TEXT, "Why nothing is cited of it"),
)
_METADATA = perhaps(
    having(
        duration_minutes=NUMBER,
        tokens_used=_TOKENS,
        cost_usd=NUMBER,
        mode=word("sync", "async"),
        model=TEXT,
        source_count=WHOLE,
        started_at=TEXT,
        completed_at=or_null(TEXT),
        status=_STATUS,
        researcher=TEXT,
        partial=told(TRUTH, "Whether it was stopped before its end"),
    ),
    imported_at=TEXT,
)

_PAGE = told(
    having(
        number=WHOLE,
        pages=WHOLE,
        characters=told(WHOLE, "Of the whole report"),
        next=or_null(WHOLE),
    ),
    "Report, sources and each list of the evidence of all pages add up to the whole",
)

START = answers(
    told(
        perhaps(
            having(
                success=_TRUE,
                task_id=TEXT,
                status=_STATUS,
                mode=only("sync"),
                results=perhaps(
                    having(report=TEXT, sources=listed(_SOURCE), metadata=_METADATA), page=_PAGE
                ),
                record=RECORD,
            ),
            message=told(TEXT, "Where the further pages are"),
        ),
        "It ended while the call waited",
    ),
    told(
        having(
            success=_TRUE,
            task_id=TEXT,
            status=only("running_async"),
            mode=only("async"),
            message=TEXT,
            check_status_command=TEXT,
            researcher=TEXT,
            record=RECORD,
        ),
        "It goes on in the background",
    ),
    _REFUSED,
)

STATUS = answers(
    perhaps(
        having(
            task_id=TEXT,
            status=_STATUS,
            progress=told(WHOLE, "Percent; 100 means completed"),
            current_action=TEXT,
            elapsed_minutes=NUMBER,
            tokens_used=_TOKENS,
            cost_so_far=NUMBER,
            sources_read=WHOLE,
            restarts=WHOLE,
            researcher=TEXT,
            record=RECORD,
        ),
        estimated_completion_minutes=NUMBER,
        estimate_rests_on=word("past_tasks", "published_figures", "wait_limit"),
        message=TEXT,
        failure=FAILURE,
        imported_at=TEXT,
    ),
    _NOT_KNOWN,
)

RESULTS = answers(
    perhaps(
        having(
            success=_TRUE,
            task_id=TEXT,
            query=TEXT,
            report=told(TEXT, "Markdown"),
            metadata=_METADATA,
            record=RECORD,
        ),
        sources=listed(_SOURCE),
        evidence=EVIDENCE,
        page=_PAGE,
    ),
    _REFUSED,
)

CANCELLED = answers(
    having(
        success=_TRUE,
        task_id=TEXT,
        status=told(
            word("pending", "running_async", "cancelled"),
            "Before cancelled: the cancel is recorded, and it has not stopped yet",
        ),
        partial_results_saved=TRUTH,
        progress_at_cancellation=WHOLE,
        cost_usd=NUMBER,
        message=TEXT,
        record=RECORD,
    ),
    _REFUSED,
)

ESTIMATE = answers(
    having(
        query=TEXT,
        query_complexity=word("simple", "moderate", "complex"),
        estimated_duration=having(min_minutes=NUMBER, max_minutes=NUMBER, likely_minutes=NUMBER),
        estimated_cost=having(min_usd=NUMBER, max_usd=NUMBER, likely_usd=NUMBER),
        will_likely_go_async=TRUTH,
        recommendation=TEXT,
        researcher=TEXT,
        based_on_tasks=told(WHOLE, "Past tasks it rests on; 0 means published figures"),
        price_table=TEXT,
        researcher_available=TRUTH,
    ),
    _REFUSED,
)

SAVED = answers(
    having(
        success=_TRUE,
        task_id=TEXT,
        file_path=TEXT,
        filename=TEXT,
        file_size_kb=NUMBER,
        created_at=TEXT,
        sections_included=TEXTS,
        format=word("markdown", "html", "json"),
        record=RECORD,
    ),
    _REFUSED,
)

TASKS = answers(
    having(
        success=_TRUE,
        tasks=listed(
            perhaps(
                having(
                    task_id=TEXT,
                    query=TEXT,
                    status=_STATUS,
                    progress=WHOLE,
                    started_at=TEXT,
                    completed_at=or_null(TEXT),
                    cost_usd=NUMBER,
                    researcher=TEXT,
                ),
                imported_at=TEXT,
            )
        ),
        next_cursor=told(or_null(TEXT), "Give it as cursor for the next page; null at the end"),
        record=RECORD,
    ),
    _REFUSED,
)
