"""The pages of the documentation, and what they show."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]
ALL_PAGES = [
    *PAGES,
    *sorted((ROOT / "docs" / "decisions").glob("*.md")),
    *(ROOT / "traces" / "README.md", ROOT / "CHANGELOG.md"),
]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.M | re.S)


def shell_commands() -> Iterator[tuple[str, list[str]]]:
    """Every command line shown, in order, with the page it is on."""
    for page in PAGES:
        for block in blocks(page, "sh"):
            for line in block.replace("\\\n", " ").splitlines():
                if words := shlex.split(line, comments=True):
                    yield page.name, words


def label(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()
