-- Which streams does no parent name, and which calls were asked and then neither answered nor failed?
with named as (
    select coalesce(event ->> 'task', event ->> 'job', event ->> 'researcher') as stream
    from events
    where kind in ('task_entered', 'task_imported', 'job_entered', 'researcher_assigned')
)
select 'a stream without a parent' as orphan, stream, min(seq) as line, min(written_at) as since, null as call
from events
where stream not in ('catalogue', 'queries') and stream not in (select stream from named where stream is not null)
group by stream
union all
select 'a call without an answer', stream, seq, asked_at, call
from calls
where outcome = 'open'
order by orphan, stream, line;
