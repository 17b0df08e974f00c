-- Which sealed streams do not end where their parent says?
with ends as (
    select stream, max(seq) as seq, arg_max(hash, seq) as head
    from events
    group by stream
),
anchors as (
    select stream as parent, seq as line, event ->> 'head' as head,
           try_cast(event ->> 'seq' as bigint) as seq,
           coalesce(event ->> 'target', event ->> 'task', event ->> 'researcher') as child
    from events
    where kind in ('stream_sealed', 'task_imported', 'researcher_reported')
)
select child as stream, parent, line as parent_line, anchors.seq as anchored_seq,
       coalesce(ends.seq, 0) as actual_seq, anchors.head as anchored_head, ends.head as actual_head
from anchors
left join ends on ends.stream = child
where coalesce(ends.seq, 0) is distinct from anchors.seq
   or (anchors.seq > 0 and ends.head is distinct from anchors.head)
order by parent, parent_line;
