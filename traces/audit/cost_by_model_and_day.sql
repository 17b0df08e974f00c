-- What did each model or engine cost on each day, and what did it consume?
select day, model, sum(calls)::bigint as calls, sum(failed)::bigint as failed,
       sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens,
       sum(searches)::bigint as searches, round(sum(cost_usd), 6) as cost_usd
from costs
group by all
order by day, cost_usd desc, model;
