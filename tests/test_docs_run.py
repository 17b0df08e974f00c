"""Every command that the documentation shows, run in its order with a real engine."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from actors.waking import shut_down
from tests.doc_pages import README, ROOT, blocks, shell_commands

SHOWN = re.compile(r"^(?:- “.*?\[1\]$|Confidence .*?(?=\n\S))", re.M | re.S)
"""What the README's example shows of an answer, besides places, times and names."""


@pytest.mark.ray
@pytest.mark.timeout(600)
def test_every_command_shown_works(tmp_path: Path) -> None:
    home = tmp_path / "home"
    here = Path(sys.executable).parent
    environment = dict(os.environ) | {
        "RESEARCH_AGENT_HOME": str(home),
        "PATH": f"{here}:{os.environ['PATH']}",
    }
    task, ran = "", 0
    [example] = [each for each in blocks(README, "text") if "Confidence" in each]
    shown = [" ".join(each.split()) for each in SHOWN.findall(example)]
    try:
        for page, words in shell_commands():
            if words[0] != "research-agent":
                continue  # Looked at in test_docs.py.
            done = subprocess.run(
                [task if word == "TASK" else word for word in words],
                cwd=ROOT,
                env=environment,
                capture_output=True,
                text=True,
                timeout=240,
                check=False,
            )
            assert done.returncode == 0, (page, words, done.stderr)
            assert done.stdout, (page, words)
            if words[1] == "research":
                found = re.search(r"^Task ([0-9a-f-]{36})$", done.stdout, re.M)
                assert found, "`research` prints the id of its task"
                task = found[1]
            if page == README.name and words[1] == "research" and shown:
                printed = " ".join(done.stdout.split())
                assert [each for each in shown if each not in printed] == []
                shown = []
            ran += 1
    finally:
        shut_down(home, 60)
    assert ran >= 9 and not shown
