-- What could not be resolved, by kind of gap, and in which tasks?
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
gaps as (
    select split_part(stream, '.', 1) as task,
           from_json(event, '{"category": "VARCHAR", "topic": "VARCHAR"}') as gap
    from records
    where kind = 'gap_found'
)
select gap.category as category, count(*) as gaps, list(distinct gap.topic order by gap.topic) as topics,
       list(distinct task order by task) as tasks
from gaps
group by gap.category
order by gaps desc, category;
