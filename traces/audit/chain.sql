-- Which lines are not what they claim to be?
-- A last line that is not JSON is an unfinished write, and a line that is not UTF-8 is skipped, so that the line after
-- it follows nothing; verify.py tells more.
with lines as (
    select null::varchar as line, null::varchar as filename where false  -- so that no file at all is no error
    union all by name
    select *, row_number() over () as place
    from read_csv(getvariable('traces'), columns = {'line': 'varchar'}, header = false,
                  auto_detect = false, delim = '\t', quote = '', escape = '', strict_mode = false,
                  ignore_errors = true, allow_empty = true, max_line_size = 16777216, filename = true)
),
claims as (
    select filename as file, line, place - min(place) over (partition by file) + 1 as number,
           number = count(*) over (partition by file) as is_last,
           from_json(try_cast(line as json), '{"v": "BIGINT", "stream": "VARCHAR", "seq": "BIGINT",
           "epoch": "BIGINT", "prev": "VARCHAR", "hash": "VARCHAR"}') as claim
    from lines
),
checked as (
    select file, number, claim.seq as seq,
           case
               when claim.hash is null
                   then if(is_last, null, 'it is not a record')
               when claim.hash <> 'sha256:' || sha256(
                   regexp_replace(line, ',"hash":"sha256:[0-9a-f]{64}"}$', '}'))
                   then 'it does not match its hash'
               when claim.prev is distinct from if(number = 1, 'sha256:' || repeat('0', 64),
                   lag(claim.hash) over (partition by file order by number))
                   then 'it does not follow the line before it'
               when claim.v <> 1
                   then 'it has a later format'
               when claim.seq is distinct from number
                   then 'it has the wrong number'
               when claim.stream is distinct from parse_filename(file, true)
                   then 'it belongs to another stream'
               when claim.epoch < lag(claim.epoch) over (partition by file order by number)
                   then 'an earlier writer wrote it after a later one'
           end as wrong
    from claims
)
select file, number as line, seq, wrong
from checked
where wrong is not null
order by file, line;
