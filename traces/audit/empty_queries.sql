-- Which queries of the corpus found nothing, and how often were they asked?
select query, count(*) as times, max(asked_at) as last_asked, list(distinct through order by through) as through
from queries
where found = 0
group by query
order by times desc, last_asked desc, query;
