-- What was asked of the outside world, and what came of it, attempt by attempt?
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
said as (
    select stream, seq, written, kind, from_json(event, '{"call": "VARCHAR",
           "port": "VARCHAR", "operation": "VARCHAR", "attempt": "BIGINT", "model": "VARCHAR",
           "code": "VARCHAR", "cost_usd": "DOUBLE", "took_ms": "DOUBLE", "usage": {
           "input_tokens": "BIGINT", "output_tokens": "BIGINT", "searches": "BIGINT"}}') as told
    from records
    where kind in ('call_asked', 'call_answered', 'call_failed')
),
calls as (  -- Each question with the next thing that was said about it.
    select stream, seq, written as asked_at, kind, told as asked, lead(kind) over later as answer,
           lead(told) over later as answered, lead(written) over later as answered_at
    from said
    window later as (partition by stream, told.call order by seq)
    qualify kind = 'call_asked'
)
select asked_at, stream, seq as line, asked.call, asked.port, asked.operation, asked.attempt,
       case answer
           when 'call_answered' then 'answered'
           when 'call_failed' then 'failed'
           when 'call_asked' then 'asked again'
           else 'open'
       end as outcome,
       answered.code, answered.model, if(answer = 'call_asked', null, answered.took_ms) as took_ms,
       if(answer = 'call_asked', null, answered.cost_usd) as cost_usd
from calls
order by asked_at, stream, line;
