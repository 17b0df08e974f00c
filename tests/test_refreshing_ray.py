"""Websites that grow old, fetched again by a real engine."""

from dataclasses import replace
from pathlib import Path

import pytest

from contracts.websites.pages import WebsiteShelf
from tests.engines import RealEngine
from tests.test_refreshing import decided, site
from tests.waiting import until
from tests.web_pages import JOB, Board

__all__ = ["site"]


@pytest.mark.ray
def test_an_engine_fetches_again_by_itself(tmp_path: Path, site: Board) -> None:
    hours = 1.0 / 3600
    engine = RealEngine(tmp_path / "home", refresh_hours=hours)
    engine.core.settings = replace(
        engine.core.settings, fetch_delay_s=0.0, fetch_allow_hosts=(site.host,)
    )
    try:
        shelf = WebsiteShelf(engine.core)
        shelf.accept([site.put("/job", JOB)], "job_posting", "rag_process_website", force=False)
        until(lambda: len(decided(engine.core)) > 0)
        until(lambda: site.paths().count("/job") > 1)
    finally:
        engine.down()
    engine.check_record()
