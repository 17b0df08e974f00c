-- What did each task cost, and on how many calls and tokens?
select tasks.task, any_value(question) as question, any_value(status) as status,
       coalesce(sum(costs.calls), 0)::bigint as calls, coalesce(sum(costs.failed), 0)::bigint as failed,
       coalesce(sum(input_tokens + cached_tokens), 0)::bigint as tokens_in,
       coalesce(sum(output_tokens + thought_tokens), 0)::bigint as tokens_out,
       round(coalesce(sum(costs.cost_usd), 0), 6) as cost_usd, any_value(entered_at) as entered_at
from tasks
left join costs using (task)
group by tasks.task
order by cost_usd desc, entered_at, tasks.task;
