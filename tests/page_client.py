"""A world with a page over it, and what its answers are held against."""

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.page_world import (
    World,
    guarded,
    world,
)

__all__ = ["world"]

NOBODY = "550e8400-e29b-41d4-a716-446655440000"
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def client(world: World) -> Iterator[TestClient]:
    with TestClient(guarded(world, frozenset({"read", "write"}))) as client:
        yield client


def got(client: TestClient, path: str, **params: Any) -> dict[str, Any]:
    reply = client.get(path, params=params)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


def refusal(reply: Any, number: int) -> dict[str, Any]:
    """A refusal as ours: a code, a sentence, and what to do next."""
    assert reply.status_code == number, reply.text
    assert reply.headers["content-type"] == "application/json"
    told: dict[str, Any] = reply.json()
    assert set(told) == {"success", "error", "message", "suggestion"}
    assert told["success"] is False and told["message"] and told["suggestion"]
    return told
