"""A completion script for a shell, made from the commands there are."""

import argparse
from collections.abc import Iterator
from typing import Literal, get_args

Shell = Literal["bash", "zsh", "fish", "tcsh"]
SHELLS: tuple[str, ...] = get_args(Shell)

_FILES = ("PATH", "FILE", "FILE.zip")
_FOLDERS = ("DIR",)


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The script, to be sourced by the shell or put where it looks for completions."""
    import shtab

    for action in _arguments(parser):
        if action.metavar in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.metavar in _FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    return str(shtab.complete(parser, shell))


def _arguments(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The arguments of a parser and of all below it."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _arguments(below)
        else:
            yield action
