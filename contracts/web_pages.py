"""Contract 03: a web page, fetched by its job and brought into the knowledge base as it was served."""

from contracts.core import Core
from contracts.knowledge import expect_open
from contracts.websites_fetching import fetch_order, normal_url


def start_page(core: Core, url: str, collection: str, *, title: str | None = None) -> str:
    """Accept the job of fetching a page and bringing it in; the job's id.

    What cannot be fetched at all is refused here; what is in the way of the rest, the job says.
    """
    from actors.ingest_state import document_id
    from actors.website_orders import entry_for, with_held

    expect_open(core, collection)
    place = normal_url(url, core.settings)
    core.home.prepare()
    known = core.catalogue.state().published.get((collection, document_id(place)))
    order = fetch_order(core.settings)
    if known:
        order = with_held(order, known.source.original, known.source.metadata)
    job, _ = core.catalogue.enter_job(collection, [entry_for(place, order, title=title)])
    core.wake_engine()
    return job
