"""What the tools of contract 03 answer: output schemas. Refusals are JSON-RPC errors."""

from contracts.answer_shapes import (
    COLUMN_HEADS,
    FAILURE,
    NUMBER,
    RECORD,
    SHARE,
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

_SUCCESS = word("success")

# -- queries ---------------------------------------------------------------------------------------

ANSWER = answers(
    having(
        status=_SUCCESS,
        results=told(
            listed(
                perhaps(
                    having(
                        content=told(TEXT, "The passage, word for word"),
                        relevance_score=told(
                            SHARE,
                            "Calibrated: means the same for any question. Never higher than that of a result above",
                        ),
                        relevance_label=TEXT,
                        source_document=TEXT,
                        header_path=told(TEXT, "Section > Subsection"),
                        metadata=having(
                            document_title=TEXT,
                            content_type=word("prose", "code_block", "table"),
                            chunk_sequence_id=WHOLE,
                            chunk_id=TEXT,
                            document_id=TEXT,
                            collection=TEXT,
                            language=TEXT,
                            media_type=TEXT,
                            published_at=TEXT,
                        ),
                        place=told(
                            having(
                                locator=told(TEXT, "Path or URL"),
                                version=told(TEXT, "Digest of the original bytes"),
                                text_hash=told(
                                    TEXT, "Digest of the text that start and end count in"
                                ),
                                **SPAN,
                                first_page=or_null(WHOLE),
                                last_page=or_null(WHOLE),
                            ),
                            "Where exactly the passage stands",
                        ),
                        stages=STAGES,
                        decided_by=told(TEXT, "The stage whose order holds"),
                    ),
                    own_relevance=told(
                        SHARE, "The relevance of the passage judged by itself, whatever its rank"
                    ),
                    **COLUMN_HEADS,
                )
            ),
            "Best first",
        ),
        query_refinement=having(
            status=word("optimal", "clarification_needed", "too_broad"),
            suggestions=told(TEXTS, "Words and headings of the corpus itself"),
            message=TEXT,
            signals=told(
                having(
                    coverage=NUMBER,
                    spread=NUMBER,
                    ambiguity=NUMBER,
                    groups=WHOLE,
                    missing=told(TEXTS, "Words of the question that no passage has"),
                ),
                "What the status was computed from",
            ),
        ),
        searched=having(
            query=TEXT,
            collections=TEXTS,
            chosen_by=word("named", "project", "everything"),
            top_k=WHOLE,
            document_context_characters=WHOLE,
            as_of=told(or_null(TEXT), "The moment asked about; null for now"),
            record=RECORD,
        ),
        took_ms=NUMBER,
    )
)

# -- collections and projects ----------------------------------------------------------------------

_COLLECTION = having(
    name=TEXT,
    type=word("fundamental", "project-specific"),
    created_at=TEXT,
    projects=TEXTS,
    documents=WHOLE,
    chunks=WHOLE,
)
_WHOLE_COLLECTION = perhaps(
    _COLLECTION,
    bytes=told(WHOLE, "Of the originals"),
    languages=TEXTS,
    media_types=TEXTS,
    models=told(TEXTS, "Embedding models that it is searched by"),
    last_ingest=told(
        or_null(having(at=TEXT, job_id=TEXT)), "When something last came in; null if nothing did"
    ),
    holds=listed(
        having(
            id=TEXT,
            title=TEXT,
            source=told(TEXT, "Path or URL"),
            media_type=TEXT,
            version=TEXT,
            bytes=WHOLE,
            chunks=WHOLE,
            published_at=TEXT,
        )
    ),
    left_off=told(WHOLE, "Documents that are not listed here"),
)


def _done(*actions: str, **found: Shape) -> Shape:
    return told(having(status=_SUCCESS, action=word(*actions), **found), ", ".join(actions))


COLLECTIONS = answers(
    _done("list", collections=listed(_COLLECTION), total=WHOLE),
    _done("create", "restore", collection=_COLLECTION),
    _done("info", collection=_WHOLE_COLLECTION),
    _done(
        "delete",
        collection=told(_COLLECTION, "As it was"),
        documents=WHOLE,
        undo=told(TEXT, "The call that brings it back"),
    ),
)

_PROJECT = having(
    name=TEXT,
    collections=TEXTS,
    defaults=told(TEXTS, "Where its questions go; all of its collections if empty"),
    deleted_collections=told(TEXTS, "Linked, and back when they are restored"),
    current=told(TRUTH, "Whether questions that name no collection go to it"),
)

PROJECTS = answers(
    _done("list", projects=listed(_PROJECT), total=WHOLE),
    _done("create", "link", "unlink", "set-defaults", "info", project=_PROJECT),
)

# -- bringing in -----------------------------------------------------------------------------------

INGESTED = answers(
    perhaps(
        having(
            status=told(
                word("success", "pending", "running", "failed", "cancelled", "quarantined"),
                "pending and running: the job goes on by itself",
            ),
            job_id=TEXT,
            collection=TEXT,
            **TALLY,
            chunks=WHOLE,
            failures=told(
                listed(having(path=TEXT, code=or_null(TEXT), reason=or_null(TEXT))),
                "The first few files that failed",
            ),
            report=told(
                listed(
                    perhaps(
                        having(
                            path=TEXT,
                            outcome=word("added", "updated", "unchanged", "empty", "failed"),
                            document_id=or_null(TEXT),
                            version=or_null(TEXT),
                            chunks=WHOLE,
                            code=or_null(TEXT),
                            reason=told(or_null(TEXT), "Why nothing came of it"),
                        ),
                        coverage=told(
                            perhaps(
                                having(),
                                pages=WHOLE,
                                empty_pages=listed(WHOLE),
                                warnings=TEXTS,
                            ),
                            "What of it did not come out as text",
                        ),
                    )
                ),
                "Each file that is done; those that came to nothing first",
            ),
            left_off=told(WHOLE, "Files that are done and not listed here"),
            record=RECORD,
        ),
        gone=told(
            listed(having(path=TEXT, document_id=TEXT)),
            "Of a folder: files that came in before, are there no more, and are still found",
        ),
        failure=told(FAILURE, "Why the job itself failed"),
        message=TEXT,
    )
)
