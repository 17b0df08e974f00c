"""How the settings of a process say that pages are fetched, and under which name a page is known."""

from contracts.settings import Settings
from events.errors import AddressRefused
from events.websites import FetchOrder
from projections.websites import one_spelling


def fetch_order(settings: Settings) -> FetchOrder:
    """An order without a page yet."""
    return FetchOrder(
        contact=settings.fetch_contact,
        obey_robots=settings.obey_robots,
        delay_s=settings.fetch_delay_s,
        allow_hosts=settings.fetch_allow_hosts,
        render=settings.render == "chromium",
        render_sandbox=settings.render_sandbox,
    )


def normal_url(url: str, settings: Settings) -> str:
    """A URL as it is known by; refuses what cannot be one, and addresses that are not public.

    What a name stands for is looked up when it is fetched. Percents have their one spelling.
    """
    from actors.adapters.addresses import read_url, shown, why_not_public

    target = read_url(one_spelling(url.strip()), settings.fetch_allow_hosts)
    why = why_not_public(target.host, loopback=target.allowed)
    if why and (":" in target.host or target.host.rpartition(".")[2].isdecimal()):
        raise AddressRefused(shown(target.url), f"{target.host} is {why}", {"reason": why})
    return target.url
