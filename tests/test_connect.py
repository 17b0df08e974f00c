"""The lines that a person pastes to connect a client."""

import json
import shlex
from pathlib import Path

from contracts.connect import client_lines, server_command


def test_what_is_pasted_survives_a_home_with_blanks_and_quotes_in_its_name() -> None:
    home = Path('/home/a person/it\'s "mine" 研究 $HOME')
    lines = client_lines(home)
    entry, _ = json.JSONDecoder().raw_decode(lines, lines.index("{"))
    assert entry["mcpServers"]["research-agent"]["env"] == {"RESEARCH_AGENT_HOME": str(home)}
    typed = shlex.split(lines.splitlines()[-1])
    assert typed[:4] == ["claude", "mcp", "add", "research-agent"]
    assert typed[4:6] == ["--env", f"RESEARCH_AGENT_HOME={home}"]
    assert typed[6:] == ["--", *server_command()]
