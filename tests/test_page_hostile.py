"""Hostile reports and facts reach the page as JSON that holds no markup, bounded in size."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from starlette.testclient import TestClient

from contracts.bundles import bundling
from contracts.core import Core
from contracts.page import tasks as page_tasks
from contracts.page.answers import Asked
from contracts.page.facts import LONGEST, bounded
from contracts.page.report import DEEPEST, report_tree
from contracts.settings import Settings
from tests.homes import build_home
from tests.page_client import client, got, world
from tests.page_world import (
    HOSTILE_QUESTION,
    HOSTILE_REPORT,
    SCRIPT,
    World,
)
from tests.past_tasks import PastTasks

__all__ = ["client", "world"]


def nodes(tree: Any) -> Iterator[dict[str, Any]]:
    for node in tree:
        if isinstance(node, dict):
            yield node
            yield from nodes(node["kids"])


def words(tree: Any) -> str:
    return "".join(node if isinstance(node, str) else words(node["kids"]) for node in tree)


def test_a_hostile_report_is_a_tree_of_known_elements(client: TestClient, world: World) -> None:
    told = got(client, f"/api/tasks/{world.tasks['hostile']}/result")
    found = list(nodes(told["report"]))
    assert {node["tag"] for node in found} <= {
        *("h2", "p", "a", "table", "thead", "tbody", "tr", "th", "td")
    }
    assert {node["href"] for node in found if "href" in node} == {"https://example.org/a"}
    assert {node["cite"] for node in found if "cite" in node} == {1}
    assert all(set(node) <= {"tag", "kids", "href", "cite"} for node in found)
    assert SCRIPT in words(told["report"])
    assert "javascript:window.hit=3" in words(told["report"])


def test_a_providers_own_marks_open_the_excerpts_of_their_sentence(tmp_path: Path) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    task = past.completed(
        "Why blue?",
        report="# Sky\n\nAir scatters blue light [cite: 7].\n",
        sentences=[{"text": "Air scatters blue light.", "citations": [2], "support": 1.0}],
    )
    core = Core(Settings(home=past.built.root, prewarm=False))
    told = page_tasks.result(core, Asked({"task": task}, {}, frozenset()))
    assert [node["cite"] for node in nodes(told["report"]) if "cite" in node] == [2]
    bundled = cast(bytes, bundling.contents(core, task)["index.html"])
    assert bundled.count(b'<a class="cite" href="#cite-2">') == 1


def test_what_is_hostile_travels_as_json_and_is_never_html(
    client: TestClient, world: World
) -> None:
    task = world.tasks["hostile"]
    for path in ("", "/result", "/citations/1", "/facts", "/events", "/researchers"):
        reply = client.get(f"/api/tasks/{task}{path}")
        assert reply.status_code == 200
        assert reply.headers["content-type"].split(";")[0] in {
            "application/json",
            "text/event-stream",
        }
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["content-security-policy"].startswith("default-src 'none'")
    assert got(client, f"/api/tasks/{task}")["question"] == HOSTILE_QUESTION
    assert got(client, f"/api/tasks/{task}/citations/1")["excerpt"] == SCRIPT


def test_a_report_cannot_be_too_deep_or_too_long() -> None:
    deep, cut = report_tree("> " * 500 + "deep", set())
    assert not cut

    def depth(tree: Any) -> int:
        return 1 + max((depth(n["kids"]) for n in tree if isinstance(n, dict)), default=0)

    assert depth(deep) <= DEEPEST + 1
    assert report_tree("word " * 200_000, set())[1] is True
    assert report_tree("", set()) == ([], False)
    assert words(report_tree(HOSTILE_REPORT, {1})[0]).count("1. none") == 0


def test_facts_are_bounded() -> None:
    huge = {"a": "x" * 10_000, "b": list(range(1000)), "c": {"d": {"e": {"f": {"g": {"h": {}}}}}}}
    shown = bounded(huge)
    assert len(json.dumps(shown)) < 4 * LONGEST
    assert shown["a"].endswith("(10000 characters)")
    deep: list[object] = []
    for _ in range(100):
        deep = [deep]
    assert json.dumps(bounded(deep)).count("[") < 10
