-- Which sources were read, by the hash of their content, and in which tasks?
with quotes as (
    select content_hash, count(*) as quotes
    from citations
    group by content_hash
)
select content_hash, list(distinct url order by url) filter (url is not null) as urls,
       any_value(title) as title, count(*) as reads, coalesce(any_value(quotes.quotes), 0) as quotes,
       list(distinct task order by task) as tasks, min(read_at) as first_read, max(read_at) as last_read
from sources
left join quotes using (content_hash)
group by content_hash
order by reads desc, content_hash;
