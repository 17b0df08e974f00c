-- What is under way now, since when, and what was the last thing noted about it?
with latest as (
    select task as name, max_by(kind, (written_at, stream, seq)) as last_event, max(written_at) as last_at
    from events
    where kind not in ('stream_claimed', 'tail_cut')  -- a new writer is no news of the work
    group by name
)
select task as name, 'task' as what, status, question as about, entered_at, last_event, last_at
from tasks
left join latest on latest.name = task
where status in ('pending', 'running')
union all
select job, purpose, status, collection, entered_at, last_event, last_at
from ingests
left join latest on latest.name = job
where status in ('pending', 'running')
order by entered_at, name;
