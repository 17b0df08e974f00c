"""Runs the research-agent command in the test's own process."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import cli


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Done]


def runner(capsys: pytest.CaptureFixture[str]) -> Run:
    """What runs a command and keeps what it says."""

    def run(*arguments: str) -> Done:
        try:
            code = cli.main(arguments)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        return Done(code, *capsys.readouterr())

    return run
