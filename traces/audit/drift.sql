-- Which sources that were quoted read differently now, by the latest reading or the latest version in the corpus?
with readings as (
    select url, content_hash, read_at as seen_at from sources
    union all
    select locator, version, published_at from documents
),
latest as (
    select url, max_by(content_hash, (seen_at, content_hash)) as content_hash, max(seen_at) as seen_at
    from readings
    where url is not null
    group by url
)
select citations.task, citations.citation, citations.url, citations.content_hash as quoted_version,
       latest.content_hash as present_version, quoted_at, latest.seen_at as changed_by
from citations
join latest on latest.url = citations.url
where latest.content_hash <> citations.content_hash
order by citations.task, citations.citation, citations.url;
