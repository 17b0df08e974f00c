-- Which sealed streams do not end where their parent says?
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
           "at": "TIMESTAMP", "left": "UBIGINT", "event": "JSON", "hash": "VARCHAR"}') as record
    from lines
),
records as (  -- Of whole decisions only: an unfinished write at the end does not count.
    select record.stream as stream, record.seq as seq, record."at" as written,
           record.event ->> 'kind' as kind, record.event as event, record.hash as hash
    from parsed
    where record.event is not null
    qualify record.seq <= max(record.seq) filter (record."left" = 0) over (partition by record.stream)
),
ends as (
    select stream, max(seq) as seq, arg_max(hash, seq) as head
    from records
    group by stream
),
anchors as (
    select stream as parent, seq as line, event ->> 'head' as head,
           try_cast(event ->> 'seq' as ubigint) as seq,
           coalesce(event ->> 'target', event ->> 'researcher') as child
    from records
    where kind in ('stream_sealed', 'researcher_reported')
)
select child as stream, parent, line as parent_line, anchors.seq as anchored_seq,
       coalesce(ends.seq, 0) as actual_seq, anchors.head as anchored_head, ends.head as actual_head
from anchors
left join ends on ends.stream = child
where coalesce(ends.seq, 0) is distinct from anchors.seq
   or (anchors.seq > 0 and ends.head is distinct from anchors.head)
order by parent, parent_line;
