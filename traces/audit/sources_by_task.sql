-- Which sources did each task read, and how often did it quote each of them?
with quotes as (
    select task, content_hash, count(*) as quotes
    from citations
    group by all
)
select sources.task, url, any_value(title) as title, content_hash, count(*) as reads,
       coalesce(any_value(quotes.quotes), 0) as quotes, min(read_at) as first_read
from sources
left join quotes using (task, content_hash)
group by sources.task, url, content_hash
order by sources.task, first_read, url;
