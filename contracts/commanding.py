"""What every command shares: how it is registered, the options that recur, and how it prints.

Imported by each module of commands before any of them runs, so nothing heavy is imported here.
"""

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from contracts.settings import Settings

if TYPE_CHECKING:
    from contracts.core import Core

Command = Callable[[argparse.Namespace, Settings], int]
"""Does what was asked for, and says with which code to end."""


class Register(Protocol):
    """Adds a command to a parser."""

    def __call__(self, name: str, act: Command, says: str) -> argparse.ArgumentParser:
        """A parser for the command's own arguments."""


def add_json(sub: argparse.ArgumentParser) -> None:
    """Let a command answer a program."""
    sub.add_argument("--json", action="store_true", help="print JSON")


def core_of(settings: Settings) -> "Core":
    """What the command works on."""
    from contracts.core import Core

    return Core(settings)


def out(text: str) -> None:
    """Print a result; everything else that is said goes to stderr."""
    sys.stdout.write(text.rstrip("\n") + "\n")


def say(text: str) -> None:
    """Tell whoever typed the command something that is no result."""
    sys.stderr.write(f"research-agent: {text}\n")


def out_as(options: argparse.Namespace, reply: Any, plain: Callable[[Any], str]) -> int:
    """Print a reply, as JSON if that was asked for, and end well."""
    from contracts import terminal

    out(terminal.as_json(reply) if options.json else plain(reply))
    return 0
