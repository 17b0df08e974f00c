"""What the tools of contract 02, and those that prove and rate a research, answer: output schemas."""

from contracts.answer_shapes import (
    COLUMN_HEADS,
    MAPPING,
    NUMBER,
    RECORD,
    SHARE,
    SPAN,
    TEXT,
    TEXTS,
    TRUTH,
    WHOLE,
    answers,
    having,
    listed,
    or_null,
    perhaps,
    refused,
    told,
    word,
)

_NUMBERS = listed(WHOLE)

_CITATION = perhaps(
    having(
        source=told(TEXT, "web or file"),
        locator=told(TEXT, "URL or path"),
        title=or_null(TEXT),
        snippet=or_null(TEXT),
        raw_excerpt=told(
            TEXT,
            "Characters start to end of the text of text_hash, word for word; where it is shown, without "
            "letters that nobody sees",
        ),
        confidence=told(SHARE, "How far the source is to be trusted on this"),
        number=told(WHOLE, "What the answer calls it: [n]"),
        content_hash=told(TEXT, "Digest of the source's original bytes"),
        text_hash=TEXT,
        **SPAN,
    ),
    **COLUMN_HEADS,
)
_FOUND = {
    "citations": listed(_CITATION),
    "gaps": listed(
        perhaps(
            having(topic=TEXT, category=TEXT, detail=TEXT),
            cancelled=told(TRUTH, "Somebody ended the research; its category says less than this"),
        )
    ),
    "discovery_events": listed(
        perhaps(
            having(
                type=TEXT,
                suggested_researcher=or_null(TEXT),
                query=TEXT,
                reason=TEXT,
                source_locator=or_null(TEXT),
            ),
            dispatched_to=told(TEXT, "The researcher that was sent after it"),
        )
    ),
    "open_questions": listed(
        perhaps(
            having(
                question=TEXT,
                context=TEXT,
                priority=word("high", "medium", "low"),
                source_locator=or_null(TEXT),
            ),
            dispatched_to=TEXT,
        )
    ),
    "confidence": SHARE,
    "confidence_factors": having(
        num_corroborating_sources=WHOLE,
        source_authority=word("high", "medium", "low"),
        contradiction_detected=TRUTH,
        query_specificity_match=SHARE,
        budget_exhausted=TRUTH,
        recency=or_null(word("current", "recent", "dated")),
    ),
    "sentences": listed(
        perhaps(
            having(text=TEXT, citations=_NUMBERS, about=TEXT),
            disputes=told(_NUMBERS, "Citations that say otherwise"),
        )
    ),
}
_SOMETIMES = {
    "grounding": told(
        perhaps(
            having(
                supported=WHOLE,
                not_found=WHOLE,
                unreachable=WHOLE,
                outcomes=TEXTS,
                sources=listed(
                    having(url=TEXT, title=TEXT, content_hash=or_null(TEXT), reason=or_null(TEXT))
                ),
            ),
            supports=told(listed(or_null(NUMBER)), "What the sources say of each, by its words"),
            similarities=told(listed(or_null(NUMBER)), "The same by meaning"),
            in_other_words=told(WHOLE, "Not found word for word, and said all the same"),
        ),
        "How a provider's own report compares with the sources it cites",
    ),
    "confidence_calibrated": told(SHARE, "What that confidence was worth so far, by the ratings"),
    "calibration": having(ratings=WHOLE, fitted_at_seq=WHOLE),
}

EVIDENCE = {"type": "object", "properties": _FOUND | _SOMETIMES}
"""Of a report: what of its findings there is."""

RESULT = answers(
    perhaps(
        having(
            question=TEXT,
            answer=told(TEXT, "With [n] where citation n is meant"),
            **_FOUND,
            cost_metadata=having(
                tokens_used=WHOLE,
                iterations_run=WHOLE,
                budget_exhausted=TRUTH,
                model_id=TEXT,
                wall_time_sec=NUMBER,
            ),
            trace_id=told(TEXT, "The task's id: its record, results and report"),
            record=RECORD,
        ),
        **_SOMETIMES,
        researchers=told(listed(MAPPING), "Those who worked on it, where there were several"),
        continues=told(having(task=TEXT, head=TEXT), "The research that this one goes on from"),
    )
)

# -- proof and ratings -----------------------------------------------------------------------------

_REFUSED = refused("Its code, such as unknown_task")

VERIFIED = answers(
    perhaps(
        having(
            task=TEXT,
            question=TEXT,
            verified=told(
                TRUTH,
                "The record is proven and every citation holds; whether the sentences say what they cite is "
                "claims_supported",
            ),
            claims_supported=told(
                or_null(TRUTH),
                "No sentence goes beyond what it cites; null where no sentence cites anything",
            ),
            proven=TRUTH,
            record=having(
                proven=TRUTH,
                faults=TEXTS,
                notes=TEXTS,
                streams=WHOLE,
                records=WHOLE,
                blobs=WHOLE,
            ),
            citations=listed(
                having(
                    number=WHOLE,
                    locator=TEXT,
                    source_read=TRUTH,
                    bytes_present=TRUTH,
                    hash_equal=TRUTH,
                    excerpt_verbatim=TRUTH,
                    claim_supported=told(or_null(TRUTH), "null where no sentence cites it"),
                    support=or_null(NUMBER),
                    detail=TEXT,
                    now=or_null(
                        having(
                            drift=word("unchanged", "moved", "changed", "gone", "unreachable"),
                            excerpt_still_there=TRUTH,
                            detail=TEXT,
                        )
                    ),
                )
            ),
            sentences=listed(
                having(
                    text=TEXT,
                    citations=_NUMBERS,
                    outcome=word("supported", "not_supported", "inference"),
                    support=NUMBER,
                )
            ),
        ),
        imported_at=TEXT,
    ),
    _REFUSED,
)

RATED = answers(
    having(
        task_id=TEXT,
        correct=SHARE,
        note=or_null(TEXT),
        confidence=told(SHARE, "What the research had said"),
        replaced=told(or_null(SHARE), "The former rating"),
        ratings=WHOLE,
        ratings_needed=told(WHOLE, "So many more, and confidences are calibrated"),
        record=having(stream=TEXT, seq=WHOLE),
    ),
    _REFUSED,
)

# -- audit -----------------------------------------------------------------------------------------

ROWS = answers(
    having(
        question=TEXT,
        columns=TEXTS,
        types=told(TEXTS, "Of each column, as DuckDB calls it"),
        rows=listed(told({"type": "array"}, "One value per column")),
        row_count=WHOLE,
        truncated=told(TRUTH, "There are more rows than the limit"),
        as_of=or_null(TEXT),
        took_ms=NUMBER,
    )
)
