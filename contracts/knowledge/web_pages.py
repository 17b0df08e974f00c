"""Contract 03: a web page, fetched by its job and brought into the knowledge base as it was served."""

from contracts.core import Core
from contracts.knowledge.ingesting import expect_open
from contracts.websites.fetching import fetch_order, normal_url
from events.catalogue import SourcePublished
from projections.websites import one_spelling


def start_page(core: Core, url: str, collection: str, *, title: str | None = None) -> str:
    """Accept the job of fetching a page and bringing it in; the job's id.

    What cannot be fetched at all is refused here; what is in the way of the rest, the job says.
    """
    from actors.webpages.website_orders import entry_for, with_held

    collection = expect_open(core, collection)
    place = normal_url(url, core.settings)
    core.home.prepare()
    order = fetch_order(core.settings)
    if known := _held(core, collection, place):
        place = known.locator
        order = with_held(order, known)
    job, _ = core.catalogue.enter_job(collection, [entry_for(place, order, title=title)])
    core.wake_engine()
    return job


def _held(core: Core, collection: str, place: str) -> SourcePublished | None:
    """What a collection holds of a page; those of before have either spelling of percents, and keep it."""
    from actors.ingesting.ingest_state import document_id

    published = core.catalogue.state().published
    if known := published.get((collection, document_id(place))):
        return known.source
    if "%" not in place:
        return None
    sources = (held.source for (name, _), held in [*published.items()] if name == collection)
    return next((each for each in sources if one_spelling(each.locator) == place), None)
