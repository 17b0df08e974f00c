"""The page behind its login, in a real browser: what a session that begins or ends leaves of it."""

import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette

from contracts.http import login as http_login
from contracts.http.guard import Door, Guard
from contracts.http.server import config_of, open_door
from contracts.http.tokens import TokenStore
from contracts.page.routes import routes
from tests.browsers import browser, needs_chromium, page
from tests.page_world import World, world
from tests.waiting import until

__all__ = ["browser", "page", "world"]

pytestmark = needs_chromium


@dataclass
class Served:
    """The page where one has to sign in."""

    address: str
    token: str
    door: Door


@pytest.fixture(scope="module")
def served(world: World) -> Iterator[Served]:
    token = TokenStore(world.core.settings.home).add("laptop", ["write"])
    door = open_door(world.core.settings)
    app = Starlette(routes=[*http_login.routes(door), *routes(world.core, world.librarian)])
    config = config_of(Guard(app, door, http_login.login_form))
    server = uvicorn.Server(config)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            until(lambda: server.started)
            yield Served(f"http://127.0.0.1:{listener.getsockname()[1]}", token, door)
        finally:
            server.should_exit = True
            thread.join(20)


def sign_in(page: Any, token: str) -> None:
    page.locator("#token").fill(token)
    page.get_by_role("button", name="Sign in").click()


def test_a_shared_address_is_opened_after_signing_in(
    page: Any, served: Served, world: World
) -> None:
    place = f"{served.address}/#/tasks/{world.tasks['tides']}/evidence"
    page.goto(place)
    sign_in(page, "wrong")
    page.locator("[role=alert]", has_text="not known here").wait_for()
    sign_in(page, served.token)
    page.locator(".citations").wait_for()
    assert page.url == place


def test_a_task_says_that_the_session_has_ended_and_goes_on_with_the_next(
    page: Any, served: Served, world: World
) -> None:
    page.goto(served.address)
    sign_in(page, served.token)
    page.locator(".tasks li").first.wait_for()
    page.goto(f"{served.address}/#/tasks/{world.tasks['running']}/report")
    page.locator(".empty", has_text="Not yet").wait_for()
    for session in list(served.door.sessions._open):
        served.door.sessions._open.pop(session)
    page.locator(".task-head .error", has_text="Your session has ended").wait_for()
    other = page.context.new_page()
    other.goto(served.address)
    sign_in(other, served.token)
    other.locator(".tasks li").first.wait_for()
    world.past.conclude(world.tasks["running"])
    page.locator(".report .cite").first.wait_for()
    assert page.locator(".task-head .error").count() == 0
