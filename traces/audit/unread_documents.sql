-- Which documents of the corpus has no research read and no query found?
with seen as (
    select content_hash as version from sources
    union
    select unnest(hits).version from queries
)
select collection, locator, title, chunks, published_at, version
from documents
where searchable and version not in (select version from seen where version is not null)
order by collection, locator;
