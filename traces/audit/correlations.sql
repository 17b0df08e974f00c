-- Which call led to each line: the correlation id of its answer, directly or through the task or job that it entered?
with entered as (
    select coalesce(event ->> 'job', event ->> 'task') as entry, min(cause) as correlation_id
    from events
    where kind in ('job_entered', 'task_entered') and cause is not null
    group by entry
),
told as (
    select stream, seq, written_at, kind,
           case when stream = 'catalogue' and cause not in (select entry from entered where entry is not null)
                then cause end as own,
           event ->> 'correlation_id' as said,
           coalesce(
               case when stream = 'catalogue' then cause else task end, event ->> 'job', event ->> 'target'
           ) as entry
    from events
)
select coalesce(said, own, entered.correlation_id) as correlation_id, stream, seq, written_at, kind,
       entered.entry as through
from told
left join entered on entered.entry = told.entry
where coalesce(said, own, entered.correlation_id) is not null
  and kind <> 'stream_claimed'  -- that a writer began, perhaps for the second time, is nobody's doing
order by written_at, stream, seq;
