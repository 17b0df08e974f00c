-- What could not be resolved, by kind of gap, and in which tasks?
select category, count(*) as gaps, list(distinct topic order by topic) as topics,
       list(distinct task order by task) as tasks
from gaps
group by category
order by gaps desc, category;
