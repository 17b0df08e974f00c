"""Contract 04's performance table, against a site on loopback, with the real models.

    python bench/websites.py [--sites N]

Tools are called as a client calls them, in one process; the engine is a thread. Times are medians,
in milliseconds; what is fetched first includes loading the models.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from fastmcp import Client, FastMCP  # noqa: E402

from actors.archive import LocalArchive  # noqa: E402
from actors.ingesting.parsing import AnyParser  # noqa: E402
from actors.jobs import open_job  # noqa: E402
from contracts.core import Core  # noqa: E402
from contracts.settings import Settings  # noqa: E402
from contracts.websites import tools as websites_tools  # noqa: E402
from contracts.websites.pages import WebsiteShelf  # noqa: E402
from projections.encoders.opened import open_embedder  # noqa: E402
from tests.web_pages import COMPANY_JA, JOB, Board, board  # noqa: E402

QUERIES = (
    "What are the requirements for backend engineers?",
    "visa sponsorship and relocation",
    "灌漑システムを開発している会社",
    "育児休暇はどのくらい取れますか",
)
ROUNDS = 20


class Engine:
    """Works on every accepted job, in a thread."""

    def __init__(self, core: Core) -> None:
        self._archive = LocalArchive(core.home)
        self._embedder = open_embedder()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._end.wait(0.002):
            for name in self._archive.catalogue.state().unfinished():
                open_job(self._archive, AnyParser(), lambda _: self._embedder, name).run()

    def close(self) -> None:
        """Let it finish what it has begun."""
        self._end.set()
        self._thread.join()


async def timed(times: int, call: Callable[[int], Awaitable[Any]]) -> float:
    """Median milliseconds of a call."""
    taken = []
    for number in range(times):
        began = time.perf_counter()
        await call(number)
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken)


async def measure(core: Core, site: Board, sites: int) -> list[tuple[str, float, float]]:
    """Tool, target and what it took."""
    server: FastMCP[Any] = FastMCP("websites")
    websites_tools.declare(server, core)
    numbers: list[int] = []

    async with Client(server) as client:

        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            reply = await client.call_tool(tool, arguments)
            return dict(reply.structured_content or {})

        async def process(number: int) -> None:
            page = COMPANY_JA.replace("{meta}", "") if number % 2 else JOB
            kind = "company_page" if number % 2 else "job_posting"
            url = site.put(f"/new/{number}", page.replace("Acme", f"Acme {number}"))
            reply = await call("rag_process_website", url=url, content_type=kind)
            numbers.append(reply["source_id"])
            while reply["status"] == "processing":  # It took longer than a call waits.
                await asyncio.sleep(0.02)
                told = await call("rag_get_website_status", source_id=numbers[-1])
                waits = told["processing_status"] in {"pending", "processing"}
                reply = {**told, "status": "processing" if waits else told["processing_status"]}
            assert reply["status"] == "completed", reply

        async def change(number: int) -> None:
            site.put(f"/new/{number}", JOB.replace("Three days", f"{number + 4} days"))
            reply = await call("rag_refresh_website", source_id=numbers[number])
            assert reply["changed"], reply

        first = await timed(1, process)
        rows = [("rag_process_website (first, models loaded)", 15_000.0, first)]
        shelf = WebsiteShelf(core)
        urls = [site.put(f"/many/{n}", JOB.replace("robots", f"robots {n}")) for n in range(sites)]
        many = shelf.accept(
            [shelf.normal(url) for url in urls], "job_posting", "bench", force=False
        )
        while not all(each.ended for each in shelf.view.all()):
            await asyncio.sleep(0.2)
        await call("rag_query_websites", query="warm up")
        count = min(ROUNDS, sites)
        rows += [
            ("rag_process_website", 15_000, await timed(6, lambda n: process(n + 1))),
            (
                "rag_process_website (cached)",
                1_000,
                await timed(count, lambda n: call("rag_process_website", url=urls[n])),
            ),
            (
                "rag_query_websites",
                3_000,
                await timed(
                    ROUNDS,
                    lambda n: call("rag_query_websites", query=f"{QUERIES[n % 4]} {n}"),
                ),
            ),
            (
                "rag_query_websites (with synthesis)",
                8_000,
                await timed(
                    ROUNDS,
                    lambda n: call(
                        "rag_query_websites", query=f"{QUERIES[n % 4]} {n}", include_synthesis=True
                    ),
                ),
            ),
            ("rag_list_websites", 500, await timed(count, lambda n: call("rag_list_websites"))),
            (
                "rag_refresh_website (unchanged)",
                15_000,
                await timed(6, lambda n: call("rag_refresh_website", source_id=many[n])),
            ),
            ("rag_refresh_website (changed)", 15_000, await timed(6, change)),
            (
                "rag_get_website_status",
                50,
                await timed(count, lambda n: call("rag_get_website_status", source_id=many[n])),
            ),
            (
                "rag_delete_website",
                100,
                await timed(count, lambda n: call("rag_delete_website", source_id=many[n])),
            ),
        ]
        return rows


def main() -> int:
    """Measure and print; 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sites", type=int, default=200)
    options = parser.parse_args()
    Core.wake_engine = lambda self: self.home.prepare()  # type: ignore[method-assign]
    with tempfile.TemporaryDirectory() as place, board() as site:
        settings = Settings(
            home=Path(place) / "home", fetch_delay_s=0.0, fetch_allow_hosts=(site.host,)
        )
        core = Core(settings)
        core.home.prepare()
        engine = Engine(core)
        try:
            rows = asyncio.run(measure(core, site, options.sites))
        finally:
            engine.close()
    sys.stdout.write(f"{'tool':45} {'target ms':>10} {'took ms':>10} {'times better':>13}\n")
    for tool, target, took in rows:
        sys.stdout.write(f"{tool:45} {target:10.0f} {took:10.1f} {target / took:13.0f}\n")
    return int(any(took > target for _, target, took in rows))


if __name__ == "__main__":
    sys.exit(main())
