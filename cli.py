"""The research-agent command: the same core as the MCP server, for a terminal.

Results go to stdout, everything else to stderr. Exit code 0: done; 1: done, and something is wrong (a fault
was found, a replay differed, a research or a file failed); 2: refused, with the reason and what to do about it.
"""

import argparse
import errno
import sys
from collections.abc import Sequence

from contracts.commands.commanding import Command, out, say, say_all_letters, say_no_more
from contracts.commands.help_page import CommandParser, HelpPage
from contracts.commands.serve_options import add_serve_options
from contracts.settings import Settings
from contracts.standard_streams import hold_standard_streams
from events.errors import ResearchError

_SAYS = (
    "Deep research and a knowledge base in which every answer can be traced, verified and replayed. "
    "Start with research-agent demo, or with ingest PATH and then research QUESTION."
)
_CODES = (
    "Results go to stdout, everything else to stderr. Exit code 0: done, even if a question has no answer; 1: a "
    "fault was found, a replay differed, or a research task or file failed; 2: refused, with the reason and what to do."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command."""
    if arguments is None:
        hold_standard_streams()
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["serve"]:
        return _serve(given[1:])
    say_all_letters()
    try:
        parser = _parser()
        if not given:
            parser.print_help(sys.stderr)
            return 2
        if missing := parser.missing(given[0]):
            sys.stderr.write(f"usage: {parser.prog} COMMAND ...\n")
            say(missing)
            return 2
        return _act(parser.parse_args(given))
    except KeyboardInterrupt:
        say("interrupted; work that was accepted goes on by itself.")
        return 130
    except BrokenPipeError:
        say_no_more()
        return 0
    except OSError as failure:
        where = f"{failure.filename}: " if failure.filename else ""
        say(f"{where}{failure.strerror or failure}. Run research-agent doctor.")
        if failure.errno == errno.EBADF:
            say_no_more()
        return 2


def _act(options: argparse.Namespace) -> int:
    from events.logs import start_logging
    from events.secrets import learn_secrets

    learn_secrets()
    command: Command = options.command
    try:
        settings = Settings.from_environment()
        start_logging(settings.log_level)
        code = command(options, settings)
    except ResearchError as refusal:
        from contracts.commands.terminal_refusals import as_reply, told

        if getattr(options, "json", False):
            from contracts.commands.terminal import as_json

            out(as_json(as_reply(refusal)))
        say(told(refusal))
        code = 2
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        say_no_more()
    return code


def _serve(arguments: list[str]) -> int:
    try:
        import mcp_entry

        return mcp_entry.main(arguments)
    except KeyboardInterrupt:
        return 130


def _parser() -> HelpPage:
    # Here, for a server that is started by this command must not wait for all the others.
    from contracts.commands import audit as commands_audit
    from contracts.commands import continuing as commands_continue
    from contracts.commands import engine as commands_engine
    from contracts.commands import evidence as commands_evidence
    from contracts.commands import knowledge as commands_knowledge
    from contracts.commands import record as commands_record
    from contracts.commands import research as commands_research
    from contracts.commands import tokens as commands_tokens
    from contracts.commands import watch as commands_watch

    parser = HelpPage(prog="research-agent", description=_SAYS, epilog=_CODES)
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=CommandParser)

    def command(name: str, act: Command, says: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=says, description=says)
        sub.set_defaults(command=act)
        return sub

    says = "Serve MCP on stdio or, with --http, MCP and the web page over HTTP."
    add_serve_options(commands.add_parser("serve", help=says))

    commands_research.register(command)
    commands_engine.register(command)
    commands_record.register(command)
    commands_knowledge.register(command, parser)
    commands_continue.register(command)
    commands_evidence.register(command)
    commands_audit.register(command)
    commands_watch.register(command)
    commands_tokens.register(command)
    return parser


class _Version(argparse.Action):
    """Looks the version up only when it is asked for: that takes a while."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print it and end."""
        from importlib.metadata import version

        out(f"research-agent {version('research-agent')}")
        parser.exit()


if __name__ == "__main__":
    sys.exit(main())
