-- How long do tasks take and what do they cost, by kind of researcher and outcome?
select researcher, status, count(*) as tasks, round(median(took_s), 3) as median_s, round(max(took_s), 3) as longest_s,
       round(avg(cost_usd), 6) as average_usd, round(sum(cost_usd), 6) as total_usd
from tasks
where ended_at is not null
group by all
order by tasks desc, researcher, status;
