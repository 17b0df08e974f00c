"""The help of research-agent: its commands under headings, in the order in which one meets them."""

import argparse
from difflib import get_close_matches
from typing import Any

GROUPS = (
    ("getting started", ("demo", "doctor", "connect", "serve")),
    ("documents", ("ingest", "kb", "collections", "projects", "query")),
    (
        "research",
        (
            *("research", "estimate", "ps", "status", "watch"),
            *("results", "save", "continue", "cancel"),
        ),
    ),
    ("proof", ("verify", "replay", "rate", "calibration", "export", "import", "audit")),
    ("upkeep", ("up", "down", "rebuild", "reindex", "eval", "token", "completion")),
)
"""Every command there is, by what it is for."""


class CommandParser(argparse.ArgumentParser):
    """The parser of one command, which itself refuses what it does not know."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse; left to the parser of all commands, a refusal would show the usage of none."""
        known, unknown = super().parse_known_args(args, namespace)
        if unknown:
            like = get_close_matches(unknown[0].partition("=")[0], self._option_string_actions, 1)
            meant = f". Did you mean {like[0]}?" if like else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)[:200]}{meant}")
        return known, unknown


class HelpPage(argparse.ArgumentParser):
    """A parser that lists its commands in groups."""

    def format_help(self) -> str:
        """The page that --help shows."""
        # argparse lists all commands of a parser as one, and offers no other way to say it.
        page = self._get_formatter()
        page.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        page.add_text(self.description)
        commands = self._commands()
        for heading, names in GROUPS:
            page.start_section(heading)
            page.add_arguments(commands[name] for name in names)
            page.end_section()
        page.start_section("options")
        page.add_arguments(action for action in self._actions if action.option_strings)
        page.end_section()
        page.add_text(self.epilog)
        return page.format_help()

    def missing(self, name: str) -> str | None:
        """What to say of a command that there is not; nothing where there is one."""
        commands = self._commands()
        if name.startswith("-"):
            if name == "-" or any(known.startswith(name) for known in self._option_string_actions):
                return None
            return f"there is no option {name[:80]!r} here. Options go after the command: {self.prog} ps --json"
        if name in commands:
            return None
        like = get_close_matches(name, commands, 1)
        meant = f"Did you mean {like[0]}? " if like else ""
        return f"there is no command {name[:80]!r}. {meant}{self.prog} --help lists them all."

    def _commands(self) -> dict[str, argparse.Action]:
        return {
            listed.dest: listed
            for action in self._actions
            if isinstance(action, argparse._SubParsersAction)
            for listed in action._choices_actions
        }
