-- Which sources were read, by the hash of their content, and in which tasks?
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
    select split_part(stream, '.', 1) as task, written, kind,
           from_json(event, '{"content_hash": "VARCHAR", "url": "VARCHAR", "title": "VARCHAR"}') as told
    from records
    where kind in ('source_read', 'passage_quoted')
)
select told.content_hash as content_hash, list(distinct told.url order by told.url)
           filter (told.url is not null) as urls,
       any_value(told.title) as title, count(*) filter (kind = 'source_read') as reads,
       count(*) filter (kind = 'passage_quoted') as quotes, list(distinct task order by task) as tasks,
       min(written) as first_read, max(written) as last_read
from said
group by told.content_hash
order by reads desc, content_hash;
