-- The traces of a data home as tables, in any DuckDB. First say where they are, then read this file and `tables.sql`:
--     SET VARIABLE traces = '/home/you/.research-agent/traces/*.jsonl';
--     .read traces/files.sql
--     .read traces/tables.sql
create or replace view lines as
select null::varchar as line, null::varchar as filename where false  -- so that no file at all is no error
union all by name
select *
from read_csv(getvariable('traces'), columns = {'line': 'varchar'}, header = false, auto_detect = false,
              delim = '\t', quote = '', escape = '', strict_mode = false, ignore_errors = true,
              allow_empty = true, max_line_size = 16777216, filename = true);

create or replace view events as
with parsed as (
    select from_json(try_cast(line as json), '{"stream": "VARCHAR", "seq": "BIGINT", "at": "TIMESTAMP",
           "epoch": "BIGINT", "cause": "VARCHAR", "left": "UBIGINT", "event": "JSON", "hash": "VARCHAR"}') as record
    from lines
)
select split_part(record.stream, '.', 1) as task, record.stream as stream, record.seq as seq, record."at" as written_at, record.epoch as epoch,
       record.cause as cause, record.event ->> 'kind' as kind, record.event as event, record.hash as hash
from parsed
where record.event is not null
-- Of whole decisions only: an unfinished write at the end does not count.
qualify record.seq <= max(record.seq) filter (record."left" = 0) over (partition by record.stream);

-- A last line that is not JSON is an unfinished write, and a line that is not UTF-8 is skipped, so that the line after
-- it follows nothing; verify.py tells more.
create or replace view faults as
with numbered as (
    select filename, line, row_number() over () as place from lines
),
claims as (
    select filename, line, place - min(place) over (partition by filename) + 1 as number,
           number = count(*) over (partition by filename) as is_last,
           from_json(try_cast(line as json), '{"v": "BIGINT", "stream": "VARCHAR", "seq": "BIGINT",
           "epoch": "BIGINT", "prev": "VARCHAR", "hash": "VARCHAR"}') as claim
    from numbered
),
checked as (
    select parse_filename(filename, true) as stream, number as line,
           case
               when claim.hash is null
                   then if(is_last, null, 'it is not a record')
               when claim.hash <> 'sha256:' || sha256(
                   regexp_replace(claims.line, ',"hash":"sha256:[0-9a-f]{64}"}$', '}'))
                   then 'it does not match its hash'
               when claim.prev is distinct from if(number = 1, 'sha256:' || repeat('0', 64),
                   lag(claim.hash) over (partition by filename order by number))
                   then 'it does not follow the line before it'
               when claim.v <> 1
                   then 'it has a later format'
               when claim.seq is distinct from number
                   then 'it has the wrong number'
               when claim.stream is distinct from parse_filename(filename, true)
                   then 'it belongs to another stream'
               when claim.epoch < lag(claim.epoch) over (partition by filename order by number)
                   then 'an earlier writer wrote it after a later one'
           end as wrong
    from claims
)
select stream, line, wrong
from checked
where wrong is not null;

-- What is in the chunks lies packed in the blobs: `research-agent audit` unpacks it, a plain DuckDB knows none of it.
create or replace view segments as
select null::varchar as segment_hash, null::bigint as number, null::varchar as chunk, null::bigint as span_start,
       null::bigint as span_end, null::varchar[] as headings, null::varchar as content_type,
       null::bigint as first_page, null::bigint as last_page, null::varchar as language, null::varchar as text
where false;
