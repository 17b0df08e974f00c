"""What the documentation says is true: its commands and settings exist, its links lead somewhere."""

import argparse
import json
import re
import shutil
import sys
from dataclasses import MISSING, fields
from pathlib import Path

import duckdb
import pytest

import cli
from contracts.connect import client_lines, entry
from contracts.settings import Settings
from events.codec import FACTS
from mcp_entry import create_server
from tests.doc_pages import ALL_PAGES, PAGES, README, ROOT, blocks, label, shell_commands
from tests.make_golden import HOME


def subcommands() -> dict[str, argparse.ArgumentParser]:
    (action,) = (
        each for each in cli._parser()._actions if isinstance(each, argparse._SubParsersAction)
    )
    return dict(action.choices)


# -- commands -------------------------------------------------------------------------------------


def test_every_other_command_shown_is_one_of_make_or_enters_the_environment() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    others = [words for _, words in shell_commands() if words[0] != "research-agent"]
    for words in others:
        match words:
            case ["make", target]:
                assert target in targets
            case [".", script]:
                assert script == ".venv/bin/activate"
            case _:
                pytest.fail(f"nobody checks {words}")
    assert ["make", "demo"] in others and ["make", "test"] in others


def test_every_command_there_is_can_be_found_in_the_documentation() -> None:
    said = "\n".join(page.read_text() for page in PAGES)
    missing = [name for name in subcommands() if f"research-agent {name}" not in said]
    assert missing == []


def test_the_commands_that_answer_a_program_are_named() -> None:
    (sentence,) = re.findall(r"`--json` makes (.*?) answer", README.read_text(), re.S)
    able = {
        name
        for name, parser in subcommands().items()
        if any("--json" in action.option_strings for action in parser._actions)
    }
    assert set(re.findall(r"`([a-z]+)`", sentence)) == able


# -- SQL ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [page for page in ALL_PAGES if blocks(page, "sql")], ids=label)
def test_every_query_shown_is_answered(page: Path, tmp_path: Path) -> None:
    shutil.copytree(HOME, tmp_path / "home")
    for block in blocks(page, "sql"):
        with duckdb.connect() as shell:
            for line in block.replace(
                "/home/you/.research-agent", str(tmp_path / "home")
            ).splitlines():
                if line.startswith(".read "):
                    line = (ROOT / line.split()[1]).read_text()
                shell.execute(line)
            shell.fetchall()


# -- settings, tools, folders ---------------------------------------------------------------------


def table(page: Path, *headings: str) -> list[list[str]]:
    """The rows of the table with these headings."""
    head = "| " + " | ".join(headings) + " |\n"
    rows = page.read_text().partition(head)[2].partition("\n\n")[0].splitlines()[1:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_every_setting_is_in_the_table_with_its_default() -> None:
    shown = {
        name.strip("`"): default.strip("`")
        for name, default, _ in table(README, "name", "default", "meaning")
    }
    spelled = {True: "1", False: "0", None: "none", (): "none", MISSING: "~/.research-agent"}
    real = {}
    for each in fields(Settings):
        default = each.default
        plain = (default or "none") if isinstance(default, str) else None
        if isinstance(default, int | float) and not isinstance(default, bool):
            plain = f"{default:g}"
        real[each.name.upper()] = plain if plain is not None else spelled[default]
    assert shown == real


def test_every_setting_is_read_from_the_environment() -> None:
    source = (ROOT / "contracts" / "settings.py").read_text()
    for each in fields(Settings):
        name = each.name.upper()
        assert f'"{name}"' in source or f'"RESEARCH_AGENT_{name}"' in source


@pytest.mark.anyio
async def test_every_tool_is_in_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(tmp_path / "home"))
    tools = {tool.name for tool in await create_server().list_tools()}
    rows = table(README, "tool", "what it does")
    shown = [name for row in rows for name in re.findall(r"`([a-z_]+)`", row[0])]
    assert sorted(shown) == sorted(tools)


def test_every_folder_in_the_table_exists() -> None:
    rows = table(README, "folder", "what is in it")
    names = [name for row in rows for name in re.findall(r"`([^`]+)`", row[0])]
    assert names
    assert [name for name in names if not (ROOT / name).exists()] == []


def test_the_line_shown_is_spelled_as_lines_are() -> None:
    (block,) = blocks(README, "json")
    (real, *_) = (HOME / "traces" / "catalogue.jsonl").read_text().splitlines()
    shown = json.loads(block)
    assert list(shown) == list(json.loads(real))
    event = dict(shown["event"])
    assert list(FACTS[event["kind"]].model_validate(event).model_dump()) == list(event)


def test_what_clients_are_told_is_what_connect_prints() -> None:
    (block,) = blocks(README, "jsonc")
    (line,) = re.findall(r"^claude mcp add .*$", README.read_text(), re.M)
    shown = f"{block}{line}".replace("/home/you/research-agent/.venv/bin/python", sys.executable)
    config, _, line = shown.replace("/home/you/research-agent", str(ROOT)).rpartition("\n")
    assert json.loads(config) == entry(None)
    assert line == client_lines(None).splitlines()[-1]


# -- pages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ALL_PAGES, ids=label)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", page.read_text())
    local = [link.partition("#")[0] for link in links if not re.match(r"[a-z]+:|#", link)]
    assert [link for link in local if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", ALL_PAGES, ids=label)
def test_no_page_knows_the_machine_it_was_written_on(page: Path) -> None:
    paths = re.findall(r"(?<![\w.])/(?:work|root|home|Users|tmp|var)/[\w./-]*", page.read_text())
    assert [path for path in paths if not path.startswith("/home/you/")] == []


@pytest.mark.parametrize("page", ALL_PAGES, ids=label)
def test_names_of_our_files_on_a_page_are_names_of_files(page: Path) -> None:
    named = re.findall(
        r"`((?:actors|bench|contracts|docs|events|projections|tests|traces)/[\w./-]+)`",
        page.read_text(),
    )
    # `traces/…` also names a part of a data home.
    ours = [name for name in named if not name.startswith(("traces/heads", "traces/<"))]
    assert [name for name in ours if not (ROOT / name).exists()] == []
