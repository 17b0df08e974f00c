-- What failed, how often, and when last: outside calls, tasks and files?
select 'call' as what, code, any_value(message) as message, count(*) as times, max(answered_at) as last_at
from calls
where outcome = 'failed'
group by all
union all
select 'task', failure_code, any_value(failure_message), count(*), max(ended_at)
from tasks
where failure_code is not null
group by all
union all
select 'file', failure_code, any_value(failure_message), count(*), max(done_at)
from ingest_files
where outcome = 'failed'
group by all
order by times desc, what, code;
