"""The house rules that a machine can check."""

import ast
import importlib.metadata
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
OURS = ("events", "actors", "projections", "contracts", "traces", "mcp_entry", "cli")

MAY_IMPORT = {
    "events": {"events"},
    "actors": {"actors", "events"},
    "projections": {"projections", "events"},
    "contracts": {"contracts", "actors", "projections", "events", "traces"},
    "traces": {"traces"},
    "mcp_entry": {"contracts", "events"},
    "cli": {"contracts", "actors", "events", "traces", "mcp_entry"},
}

DOORS = {
    "ray": {"actors/runtime.py"},
    "duckdb": {"projections/store.py"},
    "pyarrow": {"projections/store.py"},
    "zstandard": {"events/blobs.py", "traces/verify.py"},
    "fastmcp": {"mcp_entry.py", "contracts/demo.py"},
    "mcp": {"mcp_entry.py"},
    "structlog": {"events/logs.py"},
    "snowballstemmer": {"projections/lexical.py", "actors/terms.py"},
    "trafilatura": {"actors/adapters/text.py"},
    "rich": {"contracts/terminal.py"},
}
"""One third-party library, one module that imports it."""


def sources() -> Iterator[Path]:
    for package in OURS:
        path = ROOT / package
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def label(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", list(sources()), ids=label)
def test_imports_follow_the_arrows(path: Path) -> None:
    part = label(path).partition("/")[0].removesuffix(".py")
    reached = {name.partition(".")[0] for name in imported(path)} & set(OURS)
    assert reached <= MAY_IMPORT[part]


@pytest.mark.parametrize("path", list(sources()), ids=label)
def test_each_library_has_its_door(path: Path) -> None:
    libraries = {name.partition(".")[0] for name in imported(path)}
    assert {name for name in libraries & set(DOORS) if label(path) not in DOORS[name]} == set()


@pytest.mark.parametrize("path", list(sources()), ids=label)
def test_nothing_prints(path: Path) -> None:
    calls = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
    named = {call.func.id for call in calls if isinstance(call.func, ast.Name)}
    assert "print" not in named


def test_the_verifier_needs_only_the_standard_library() -> None:
    needed = {name.partition(".")[0] for name in imported(ROOT / "traces" / "verify.py")}
    assert needed - {"zstandard", "compression"} <= set(sys.stdlib_module_names)


def test_no_installed_package_ships_our_names() -> None:
    shipped = importlib.metadata.packages_distributions()
    rivals = {name: shipped[name] for name in OURS if name in shipped}
    assert all(set(owners) <= {"research-agent"} for owners in rivals.values()), rivals


@pytest.mark.parametrize("path", [p for p in sources() if p.name == "__init__.py"], ids=label)
def test_packages_are_only_a_docstring(path: Path) -> None:
    body = ast.parse(path.read_text()).body
    assert len(body) == 1 and isinstance(body[0], ast.Expr)
