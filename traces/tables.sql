-- The tables that audit questions are asked of, each made of `events` alone; docs/audit.md has every column.
-- Where a fact says something that cannot be, the column is null.
create or replace view calls as
with asked as (
    select stream, seq, written_at, told, lead(seq) over (partition by stream, told.call order by seq) as again
    from (
        select stream, seq, written_at, from_json(event, '{"call": "VARCHAR", "port": "VARCHAR",
               "operation": "VARCHAR", "attempt": "BIGINT", "request": {"hash": "VARCHAR"}}') as told
        from events
        where kind = 'call_asked'
    )
),
said as (
    select stream, seq, written_at, kind, from_json(event, '{"call": "VARCHAR", "reply": {"hash": "VARCHAR"},
           "model": "VARCHAR", "usage": {"input_tokens": "BIGINT", "cached_tokens": "BIGINT",
           "output_tokens": "BIGINT", "thought_tokens": "BIGINT", "searches": "BIGINT", "credits": "DOUBLE"},
           "cost_usd": "DOUBLE", "took_ms": "DOUBLE", "code": "VARCHAR", "message": "VARCHAR"}') as told
    from events
    where kind in ('call_answered', 'call_failed')
),
paired as (  -- Each question with the next thing that was said about it, unless it was asked again before.
    select asked.*, said.seq < coalesce(again, said.seq + 1) as in_time, if(in_time, said.kind, null) as answer_kind,
           if(in_time, said.told, null) as answer, if(in_time, said.written_at, null) as answered_at
    from asked
    asof left join said on said.stream = asked.stream and said.told.call = asked.told.call and asked.seq < said.seq
)
select split_part(stream, '.', 1) as task, stream, seq, told.call as call, told.port as port,
       told.operation as operation, told.attempt as attempt,
       case
           when answer_kind = 'call_answered' then 'answered'
           when answer_kind = 'call_failed' then 'failed'
           when again is not null then 'asked again'
           else 'open'
       end as outcome,
       answer.model as model, answer.usage.input_tokens as input_tokens,
       answer.usage.cached_tokens as cached_tokens, answer.usage.output_tokens as output_tokens,
       answer.usage.thought_tokens as thought_tokens, answer.usage.searches as searches,
       answer.usage.credits as credits, answer.cost_usd as cost_usd, answer.took_ms as took_ms,
       date_diff('millisecond', written_at, answered_at) as waited_ms, written_at as asked_at, answered_at,
       told.request.hash as request_hash, answer.reply.hash as reply_hash, answer.code as code,
       answer.message as message
from paired;

create or replace view costs as
select answered_at::date as day, task, coalesce(model, port) as model, count(*) as calls,
       count(*) filter (outcome = 'failed') as failed, sum(input_tokens)::bigint as input_tokens,
       sum(cached_tokens)::bigint as cached_tokens, sum(output_tokens)::bigint as output_tokens,
       sum(thought_tokens)::bigint as thought_tokens, sum(searches)::bigint as searches,
       round(sum(credits), 6) as credits, round(sum(cost_usd), 9) as cost_usd, round(sum(took_ms), 3) as took_ms
from calls
where outcome in ('answered', 'failed')
group by all;

create or replace view sources as
select split_part(stream, '.', 1) as task, stream, seq, written_at as read_at, told.step as step,
       told.action as action, told.url as url, told.title as title, told.content_hash as content_hash,
       told.content_length as content_length, told.text_hash as text_hash, told.decision as decision
from (
    select stream, seq, written_at, from_json(event, '{"step": "BIGINT", "action": "VARCHAR", "url": "VARCHAR",
           "title": "VARCHAR", "content_hash": "VARCHAR", "content_length": "BIGINT", "text_hash": "VARCHAR",
           "decision": "VARCHAR"}') as told
    from events
    where kind = 'source_read'
);

create or replace view citations as
with quoted as (
    select task, stream, seq, written_at, from_json(event, '{"citation": "BIGINT",
           "content_hash": "VARCHAR", "text_hash": "VARCHAR", "start": "BIGINT", "end": "BIGINT"}') as told
    from events
    where kind = 'passage_quoted'
),
checked as (
    select stream, told.citation as citation, max_by(told.outcome, seq) as outcome,
           max_by(told.claimed, seq) as claimed
    from (
        select stream, seq, from_json(event, '{"citation": "BIGINT", "outcome": "VARCHAR",
               "claimed": "VARCHAR"}') as told
        from events
        where kind = 'citation_checked'
    )
    group by all
),
read as (
    select task, content_hash, min_by(url, (read_at, url)) as url, min_by(title, (read_at, url, title)) as title
    from sources
    group by all
)
select quoted.task, quoted.stream, quoted.seq, quoted.written_at as quoted_at, quoted.told.citation as citation,
       read.url, read.title, quoted.told.content_hash as content_hash, quoted.told.text_hash as text_hash,
       quoted.told.start as span_start, quoted.told."end" as span_end, checked.outcome as match, checked.claimed
from quoted
left join read on read.task = quoted.task and read.content_hash = quoted.told.content_hash
left join checked on checked.stream = quoted.stream and checked.citation = quoted.told.citation;

create or replace view claims as
select split_part(stream, '.', 1) as task, stream, seq, written_at as checked_at, told.sentence as sentence,
       told.outcome as outcome, told."match" as match, told.citations as citations, told.support as support,
       told.similarity as similarity
from (
    select stream, seq, written_at, from_json(event, '{"sentence": "VARCHAR", "outcome": "VARCHAR",
           "match": "VARCHAR", "citations": ["BIGINT"], "support": "DOUBLE", "similarity": "DOUBLE"}') as told
    from events
    where kind = 'sentence_checked'
);

create or replace view gaps as
select split_part(stream, '.', 1) as task, stream, seq, written_at as found_at, told.topic as topic,
       told.category as category, told.detail as detail
from (
    select stream, seq, written_at, from_json(event, '{"topic": "VARCHAR", "category": "VARCHAR",
           "detail": "VARCHAR"}') as told
    from events
    where kind = 'gap_found'
);

create or replace view discoveries as
select split_part(stream, '.', 1) as task, stream, seq, written_at as made_at, told.type as type,
       told.suggested_researcher as suggested_researcher, told.query as query, told.reason as reason,
       told.source_locator as source_locator
from (
    select stream, seq, written_at, from_json(event, '{"type": "VARCHAR", "suggested_researcher": "VARCHAR",
           "query": "VARCHAR", "reason": "VARCHAR", "source_locator": "VARCHAR"}') as told
    from events
    where kind = 'discovery_made'
);

create or replace view questions as
select split_part(stream, '.', 1) as task, stream, seq, written_at as opened_at, told.question as question,
       told.context as context, told.priority as priority, told.source_locator as source_locator
from (
    select stream, seq, written_at, from_json(event, '{"question": "VARCHAR", "context": "VARCHAR",
           "priority": "VARCHAR", "source_locator": "VARCHAR"}') as told
    from events
    where kind = 'question_opened'
);

create or replace view researchers as
with sent as (
    select stream as task, written_at, told.researcher as researcher, told.researcher_kind as kind,
           told.question as question
    from (
        select stream, seq, written_at, from_json(event, '{"researcher": "VARCHAR", "researcher_kind": "VARCHAR",
               "question": "VARCHAR"}') as told
        from events
        where kind = 'researcher_assigned'
    )
    qualify row_number() over (partition by told.researcher order by stream, seq) = 1
),
reported as (
    select stream as task, told.researcher as researcher, min_by(told, seq) as told, min(written_at) as written_at
    from (
        select stream, seq, written_at, from_json(event, '{"researcher": "VARCHAR", "seq": "BIGINT",
               "head": "VARCHAR", "findings": {"hash": "VARCHAR"}, "failure": "VARCHAR",
               "message": "VARCHAR"}') as told
        from events
        where kind = 'researcher_reported'
    )
    group by all
),
did as (
    select stream, min(written_at) filter (kind = 'assignment_taken') as started_at,
           count(*) filter (kind = 'step_taken') as steps, count(*) filter (kind = 'source_read') as sources,
           count(*) filter (kind = 'passage_quoted') as citations, count(*) filter (kind = 'gap_found') as gaps,
           count(*) filter (kind = 'call_asked') as calls,
           sum(try_cast(event ->> '$.cost_usd' as double)) filter (kind in ('call_answered', 'call_failed')) as cost_usd,
           max_by(try_cast(event ->> '$.computed' as double), seq) filter (kind = 'confidence_weighed') as confidence
    from events
    where kind in ('assignment_taken', 'step_taken', 'source_read', 'passage_quoted', 'gap_found', 'call_asked',
                   'call_answered', 'call_failed', 'confidence_weighed')
    group by stream
)
select sent.task, sent.researcher, sent.kind, sent.question,
       case
           when reported.task is null then if(did.started_at is null, 'pending', 'running')
           when reported.told.failure is not null then 'failed'
           else 'reported'
       end as status,
       sent.written_at as assigned_at, did.started_at, reported.written_at as ended_at,
       coalesce(did.steps, 0) as steps, coalesce(did.calls, 0) as calls, coalesce(did.sources, 0) as sources,
       coalesce(did.citations, 0) as citations, coalesce(did.gaps, 0) as gaps, did.confidence,
       round(coalesce(did.cost_usd, 0), 9) as cost_usd, reported.told.findings.hash as findings_hash,
       reported.told.failure as failure_code, reported.told.message as failure_message
from sent
left join reported on reported.task = sent.task and reported.researcher = sent.researcher
left join did on did.stream = sent.researcher;

create or replace view tasks as
with entered as (
    select written_at, told
    from (
        select seq, coalesce(try_cast(event ->> 'entered_at' as timestamp), written_at) as written_at,
               from_json(event, '{"task": "VARCHAR", "question": "VARCHAR", "researcher": "VARCHAR"}') as told
        from events
        where kind in ('task_entered', 'task_imported') and stream = 'catalogue'
    )
    qualify row_number() over (partition by told.task order by seq) = 1
),
ended as (
    select told.target as task, min_by(coalesce(told.outcome, 'quarantined'), seq) as outcome,
           min(written_at) as written_at, min_by(told.code, seq) as code, min_by(told.message, seq) as message
    from (
        select seq, written_at, from_json(event, '{"target": "VARCHAR", "outcome": "VARCHAR", "code": "VARCHAR",
               "message": "VARCHAR"}') as told
        from events
        where kind in ('stream_sealed', 'stream_quarantined') and stream = 'catalogue'
    )
    group by all
),
accepted as (
    select stream as task, min(written_at) as written_at, min_by(told.brief, seq) as brief
    from (
        select stream, seq, written_at, from_json(event, '{"brief": {"question": "VARCHAR", "depth": "VARCHAR",
               "model": "VARCHAR", "asked_through": "VARCHAR"}}') as told
        from events
        where kind = 'task_accepted'
    )
    group by all
),
concluded as (
    select stream as task, max(written_at) as written_at, max_by(kind, seq) as kind, max_by(told, seq) as told
    from (
        select stream, seq, written_at, kind, from_json(event, '{"result": {"hash": "VARCHAR"},
               "report": {"hash": "VARCHAR"}, "code": "VARCHAR", "message": "VARCHAR"}') as told
        from events
        where kind in ('task_concluded', 'task_cancelled', 'task_failed')
    )
    group by all
),
did as (
    select task, count(*) filter (kind = 'researcher_assigned') as researchers,
           count(*) filter (kind = 'call_asked') as calls, count(*) filter (kind = 'source_read') as sources,
           count(*) filter (kind = 'passage_quoted') as citations, count(*) filter (kind = 'gap_found') as gaps,
           sum(try_cast(event ->> '$.cost_usd' as double)) filter (kind in ('call_answered', 'call_failed')) as cost_usd,
           min(try_cast(event ->> '$.computed' as double)) filter (kind = 'confidence_weighed') as confidence
    from events
    where kind in ('researcher_assigned', 'source_read', 'passage_quoted', 'gap_found', 'call_asked',
                   'call_answered', 'call_failed', 'confidence_weighed')
    group by task
)
select entered.told.task as task, coalesce(accepted.brief.question, entered.told.question) as question,
       entered.told.researcher as researcher, accepted.brief.depth as depth, accepted.brief.model as model,
       accepted.brief.asked_through as asked_through,
       coalesce(ended.outcome, case concluded.kind
           when 'task_concluded' then 'completed'
           when 'task_cancelled' then 'cancelled'
           when 'task_failed' then 'failed'
       end, if(accepted.task is null, 'pending', 'running')) as status,
       entered.written_at as entered_at, accepted.written_at as started_at,
       coalesce(concluded.written_at, ended.written_at) as ended_at,
       date_diff('millisecond', entered_at, ended_at) / 1000 as took_s,
       coalesce(did.researchers, 0) as researchers, coalesce(did.calls, 0) as calls,
       coalesce(did.sources, 0) as sources, coalesce(did.citations, 0) as citations,
       coalesce(did.gaps, 0) as gaps, did.confidence, round(coalesce(did.cost_usd, 0), 9) as cost_usd,
       concluded.told.result.hash as result_hash, concluded.told.report.hash as report_hash,
       coalesce(concluded.told.code, ended.code) as failure_code,
       coalesce(concluded.told.message, ended.message) as failure_message
from entered
left join ended on ended.task = entered.told.task
left join accepted on accepted.task = entered.told.task
left join concluded on concluded.task = entered.told.task
left join did on did.task = entered.told.task;

create or replace view documents as
with said as (
    select seq, written_at, kind, from_json(event, '{"document": "VARCHAR", "version": "VARCHAR",
           "collection": "VARCHAR", "locator": "VARCHAR", "title": "VARCHAR", "media_type": "VARCHAR",
           "original": {"size": "BIGINT"}, "text": {"hash": "VARCHAR"}, "segment": {"hash": "VARCHAR"},
           "chunks": "BIGINT", "job": "VARCHAR", "generation": "VARCHAR", "language": "VARCHAR",
           "tags": ["VARCHAR"], "metadata": "JSON", "reader": "VARCHAR"}') as told
    from events
    where kind in ('source_published', 'source_removed') and stream = 'catalogue'
),
rebuilt as (
    select event ->> 'collection' as collection, event ->> 'document' as document, event ->> 'version' as version,
           event -> 'segment' ->> 'hash' as segment_hash, min(seq) as since
    from events
    where kind = 'segment_rebuilt' and stream = 'catalogue'
    group by all
),
turns as (  -- Who names a reader may tell again of chunks that were made for another model.
    select said.*, not coalesce(kind = 'source_published' and lag(kind) over past = kind
                                and lag(told.version) over past = told.version
                                and (lag(told.segment.hash) over past = told.segment.hash
                                     or (told.reader is not null and lag(told.text.hash) over past = told.text.hash
                                         and since < seq)), false) as is_new
    from said
    left join rebuilt on rebuilt.collection = told.collection and rebuilt.document = told.document
                         and rebuilt.version = told.version and rebuilt.segment_hash = told.segment.hash
    window past as (partition by told.collection, told.document order by seq)
),
numbered as (
    select *, count(*) filter (is_new) over (partition by told.collection, told.document order by seq) as turn
    from turns
),
news as (  -- What is published twice in a row is there once, since the first time and as it was told the last time.
    select min(seq) as seq, min_by(written_at, seq) as written_at, min_by(kind, seq) as kind,
           max_by(told, seq) as told, min_by(told.job, seq) as job
    from numbered
    group by told.collection, told.document, turn
),
lives as (
    select seq, written_at, kind, told, job, lead(kind) over later as next_kind,
           lead(written_at) over later as next_at
    from news
    window later as (partition by told.collection, told.document order by seq)
    qualify kind = 'source_published'
),
deleted as (
    select event ->> 'collection' as collection
    from events
    where kind in ('collection_deleted', 'collection_restored') and stream = 'catalogue'
    group by all
    having max_by(kind, seq) = 'collection_deleted'
)
select told.collection as collection, told.document as document, told.version as version, seq,
       told.locator as locator, told.title as title, told.media_type as media_type, told.language as language,
       told.tags as tags, told.metadata as metadata, told.original.size as size, told.chunks as chunks,
       coalesce(told.generation, '') as generation, told.text.hash as text_hash,
       told.segment.hash as segment_hash, told.reader as reader, job, written_at as published_at, next_at as ended_at,
       case next_kind when 'source_published' then 'replaced' when 'source_removed' then 'removed' end as ended_by,
       next_at is null and deleted.collection is null as searchable
from lives
left join deleted on deleted.collection = told.collection;

create or replace view chunks as
with cut as (
    select collection, document, version, generation, segment_hash, chunks, published_at, searchable
    from documents
    union all
    select told.collection, told.document, told.version, told.generation, told.segment.hash, told.chunks,
           written_at, false
    from (
        select written_at, from_json(event, '{"document": "VARCHAR", "version": "VARCHAR", "collection": "VARCHAR",
               "generation": "VARCHAR", "segment": {"hash": "VARCHAR"}, "chunks": "BIGINT"}') as told
        from events
        where kind = 'segment_rebuilt' and stream = 'catalogue'
    )
),
numbered as (
    select * exclude (chunks), unnest(range(1, least(chunks, 1000000) + 1)) as number
    from cut
)
select collection, document, version, generation, number, segments.chunk, segments.span_start,
       segments.span_end, segments.headings, segments.content_type, segments.first_page, segments.last_page,
       segments.language, segments.text, segment_hash, published_at as made_at
from numbered
left join segments using (segment_hash, number);

create or replace view ingests as
with entered as (
    select written_at, told
    from (
        select seq, written_at, from_json(event, '{"job": "VARCHAR", "collection": "VARCHAR", "files": "BIGINT",
               "purpose": "VARCHAR"}') as told
        from events
        where kind = 'job_entered' and stream = 'catalogue'
    )
    qualify row_number() over (partition by told.job order by seq) = 1
),
ended as (
    select told.target as job, min_by(coalesce(told.outcome, 'quarantined'), seq) as outcome,
           min(written_at) as written_at, min_by(told.code, seq) as code, min_by(told.message, seq) as message
    from (
        select seq, written_at, from_json(event, '{"target": "VARCHAR", "outcome": "VARCHAR", "code": "VARCHAR",
               "message": "VARCHAR"}') as told
        from events
        where kind in ('stream_sealed', 'stream_quarantined') and stream = 'catalogue'
    )
    group by all
),
stopped as (
    select stream as job, max_by(told.code, seq) as code, max_by(told.message, seq) as message
    from (
        select stream, seq, from_json(event, '{"code": "VARCHAR", "message": "VARCHAR"}') as told
        from events
        where kind = 'ingest_stopped'
    )
    group by all
),
did as (
    select stream as job, min(written_at) filter (kind = 'ingest_accepted') as started_at,
           count(told.outcome) as done, count(*) filter (told.outcome = 'added') as added,
           count(*) filter (told.outcome = 'updated') as updated,
           count(*) filter (told.outcome = 'unchanged') as unchanged,
           count(*) filter (told.outcome = 'empty') as empty, count(*) filter (told.outcome = 'failed') as failed,
           coalesce(sum(told.chunks), 0)::bigint as chunks, coalesce(sum(told.embedded), 0)::bigint as embedded
    from (
        select *
        from (
            select stream, seq, written_at, kind, from_json(event, '{"outcome": "VARCHAR", "chunks": "BIGINT",
                   "embedded": "BIGINT", "collection": "VARCHAR", "document": "VARCHAR", "instead_of": "VARCHAR"}') as told
            from events
            where kind in ('ingest_accepted', 'file_done')
        )
        -- Of what was told twice the last counts.
        qualify lead(told.instead_of) over (partition by stream, told.collection, told.document order by seq) is null
    )
    group by stream
)
select entered.told.job as job, entered.told.collection as collection,
       coalesce(entered.told.purpose, 'ingest') as purpose, entered.told.files as files,
       coalesce(ended.outcome, if(did.started_at is null, 'pending', 'running')) as status,
       entered.written_at as entered_at, did.started_at, ended.written_at as ended_at,
       coalesce(did.done, 0) as done, coalesce(did.added, 0) as added, coalesce(did.updated, 0) as updated,
       coalesce(did.unchanged, 0) as unchanged, coalesce(did.empty, 0) as empty, coalesce(did.failed, 0) as failed,
       coalesce(did.chunks, 0) as chunks, coalesce(did.embedded, 0) as embedded,
       coalesce(stopped.code, ended.code) as failure_code, coalesce(stopped.message, ended.message) as failure_message
from entered
left join ended on ended.job = entered.told.job
left join stopped on stopped.job = entered.told.job
left join did on did.job = entered.told.job;

create or replace view ingest_files as
select stream as job, seq, written_at as done_at, told.locator as locator, told.outcome as outcome,
       told.document as document, told.version as version, told.chunks as chunks, told.embedded as embedded,
       told.pages as pages, told.warnings as warnings, told.code as failure_code, told.reason as failure_message
from (
    select stream, seq, written_at, from_json(event, '{"locator": "VARCHAR", "outcome": "VARCHAR",
           "document": "VARCHAR", "version": "VARCHAR", "chunks": "BIGINT", "embedded": "BIGINT", "pages": "BIGINT",
           "warnings": ["VARCHAR"], "code": "VARCHAR", "reason": "VARCHAR", "collection": "VARCHAR",
           "instead_of": "VARCHAR"}') as told
    from events
    where kind = 'file_done'
)
-- Of what was told twice the last counts.
qualify lead(told.instead_of) over (partition by stream, told.collection, told.document order by seq) is null;

create or replace view queries as
select seq, written_at as asked_at, told.query as query, told.query_hash as query_hash, told.through as through,
       told.mode as mode, told.collections as collections, told."limit" as most, told.found as found,
       told.hits as hits, told.took_ms as took_ms, told.correlation_id as correlation_id
from (
    select seq, written_at, from_json(event, '{"query": "VARCHAR", "query_hash": "VARCHAR", "through": "VARCHAR",
           "mode": "VARCHAR", "collections": ["VARCHAR"], "limit": "BIGINT", "found": "BIGINT", "hits": [{
           "chunk": "VARCHAR", "document": "VARCHAR", "version": "VARCHAR", "score": "DOUBLE"}],
           "took_ms": "DOUBLE", "correlation_id": "VARCHAR"}') as told
    from events
    where kind = 'query_answered' and stream = 'queries'
);
