"""What every command shares: how it is registered, the options that recur, and how it prints.

Imported by each module of commands before any of them runs, so nothing heavy is imported here.
"""

import argparse
import codecs
import io
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


def say_all_letters() -> None:
    """Let results be printed also where the terminal's charset lacks their letters: escaped as in JSON."""
    codecs.register_error("as-in-json", _escaped)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="as-in-json")


def _escaped(failure: UnicodeError) -> tuple[str, int]:
    if not isinstance(failure, UnicodeEncodeError):
        raise failure
    units = failure.object[failure.start : failure.end].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)), failure.end


def out(text: str) -> None:
    """Print a result; everything else that is said goes to stderr."""
    sys.stdout.write(text.rstrip("\n") + "\n")


def say(text: str) -> None:
    """Tell whoever typed the command something that is no result."""
    from contracts.terminal import folded, harmless

    # A refusal may quote a document, which must not steer the terminal.
    said = "\n".join(map(harmless, f"research-agent: {text}".split("\n")))
    sys.stderr.write((folded(said, sys.stderr) if sys.stderr.isatty() else said) + "\n")


def out_as(options: argparse.Namespace, reply: Any, plain: Callable[[Any], str]) -> int:
    """Print a reply, as JSON if that was asked for, and end well."""
    from contracts import terminal

    out(terminal.as_json(reply) if options.json else terminal.folded(plain(reply)))
    return 0
