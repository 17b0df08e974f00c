-- Which streams does no parent name, and which calls were asked and then neither answered nor failed?
with lines as (
    select null::varchar as line where false  -- so that no file at all is no error
    union all by name
    select *
    from read_csv(getvariable('traces'), columns = {'line': 'varchar'}, header = false,
                  auto_detect = false, delim = '\t', quote = '', escape = '', strict_mode = false,
                  ignore_errors = true, allow_empty = true, max_line_size = 16777216)
),
parsed as (
    select from_json(try_cast(line as json), '{"stream": "VARCHAR", "seq": "UBIGINT",
           "at": "TIMESTAMP", "left": "UBIGINT", "event": "JSON"}') as record
    from lines
),
records as (  -- Of whole decisions only: an unfinished write at the end does not count.
    select record.stream as stream, record.seq as seq, record."at" as written,
           record.event ->> 'kind' as kind, record.event as event
    from parsed
    where record.event is not null
    qualify record.seq <= max(record.seq) filter (record."left" = 0) over (partition by record.stream)
),
named as (
    select coalesce(event ->> 'task', event ->> 'job', event ->> 'researcher') as stream
    from records
    where kind in ('task_entered', 'job_entered', 'researcher_assigned')
),
said as (
    select stream, seq, written, kind, event ->> 'call' as call
    from records
    where kind in ('call_asked', 'call_answered', 'call_failed')
    qualify seq = max(seq) over (partition by stream, call)
)
select 'a stream without a parent' as orphan, stream, min(seq) as line, min(written) as since, null as call
from records
where stream <> 'catalogue' and stream not in (select stream from named where stream is not null)
group by stream
union all
select 'a call without an answer', stream, seq, written, call
from said
where kind = 'call_asked'
order by orphan, stream, line;
