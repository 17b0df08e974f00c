"""What every command shares: how it is registered, the options that recur, and how it prints.

Imported by each module of commands before any of them runs, so nothing heavy is imported here.
"""

import argparse
import codecs
import io
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from contracts.settings import Settings
from events.errors import BadRequest

if TYPE_CHECKING:
    from contracts.core import Core

STDIN = "-"
"""Typed instead of a text that is to be read from standard input."""

Command = Callable[[argparse.Namespace, Settings], int]
"""Does what was asked for, and says with which code to end."""


class Register(Protocol):
    """Adds a command to a parser."""

    def __call__(self, name: str, act: Command, says: str) -> argparse.ArgumentParser:
        """A parser for the command's own arguments."""


def add_json(sub: argparse.ArgumentParser) -> None:
    """Let a command answer a program."""
    sub.add_argument("--json", action="store_true", help="print JSON")


def add_question(sub: argparse.ArgumentParser, name: str, says: str) -> None:
    """Let a command be asked something, with quotation marks or without."""
    sub.add_argument(
        *(name,),
        nargs="+",
        action=_Words,
        metavar=name.upper(),
        help=f"{says}, in quotation marks or not; - to read it from stdin",
    )


class _Words(argparse.Action):
    """Makes one text of several words: a question is none the worse for missing quotation marks."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Keep them as they were typed."""
        setattr(namespace, self.dest, " ".join(values))


def question_in(typed: str) -> str:
    """What was typed, or what stands on standard input where that was a hyphen."""
    if typed.strip() != STDIN:
        return typed
    try:
        return sys.stdin.read().strip()
    except UnicodeDecodeError:
        raise BadRequest("Standard input is not text.", "Send it as UTF-8.") from None


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
    try:
        sys.stdout.write(text.rstrip("\n") + "\n")
    except BrokenPipeError:
        # That a fault was found counts also for who does not read which.
        say_no_more()


def say_no_more() -> None:
    """Drop further results: nobody reads on, and the interpreter must not find that out again when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def say(text: str) -> None:
    """Tell whoever typed the command something that is no result."""
    from contracts.commands.terminal import folded, harmless

    # A refusal may quote a document, which must not steer the terminal.
    said = "\n".join(map(harmless, f"research-agent: {text}".split("\n")))
    sys.stderr.write((folded(said, sys.stderr) if sys.stderr.isatty() else said) + "\n")


def out_as(options: argparse.Namespace, reply: Any, plain: Callable[[Any], str]) -> int:
    """Print a reply, as JSON if that was asked for, and end well."""
    from contracts.commands import terminal

    out(terminal.as_json(reply) if options.json else terminal.folded(plain(reply)))
    return 0
