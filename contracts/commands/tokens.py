"""The tokens of the HTTP server on the command line."""

import argparse
import sys
from typing import Any

from contracts.commands.commanding import Command, Register, add_json, out
from contracts.settings import Settings
from events.errors import AlreadyThere, BadRequest

_SCOPES = ("read", "write", "admin")


class _TokenThere(AlreadyThere):
    """A token of that name exists: (what, name)."""

    suggestion = "Choose another name, or remove it first: research-agent token remove {1}"


def register(command: Register) -> None:
    """Add `token` with its actions."""
    sub = command("token", _no_action, "Create, list and remove tokens for serve --http.")
    actions = sub.add_subparsers(title="actions", metavar="ACTION")

    def action(name: str, act: Command, says: str) -> argparse.ArgumentParser:
        made = actions.add_parser(name, help=says, description=says)
        made.set_defaults(command=act)
        return made

    made = action("add", add, "Create a token and print it, only this once.")
    made.add_argument("name", help="name of the token, such as laptop")
    made.add_argument("--scope", choices=_SCOPES, default="read", help="what it allows (read)")
    made.add_argument("--expires", type=float, metavar="DAYS", help="days until it expires (never)")

    made = action("list", list_tokens, "List the tokens.")
    add_json(made)

    made = action("remove", remove, "Remove a token; it stops working at once.")
    made.add_argument("name", help="name as token list shows it")


def _no_action(options: argparse.Namespace, settings: Settings) -> int:
    raise BadRequest(
        "The ACTION is missing.",
        "Use add, list or remove; research-agent token --help describes each.",
    )


def add(options: argparse.Namespace, settings: Settings) -> int:
    """Make a token. It alone goes to stdout, so that it can be piped to where it belongs."""
    from contracts.http.tokens import TokenStore

    try:
        spelled = TokenStore(settings.home).add(options.name, [options.scope], options.expires)
    except AlreadyThere as there:
        raise _TokenThere(*there.args) from None
    out(spelled)
    sys.stderr.write("Keep it now: it is not shown again, and only its hash is stored.\n")
    if options.scope == "read":
        sys.stderr.write("It may only read; --scope write lets it research and ingest.\n")
    return 0


def list_tokens(options: argparse.Namespace, settings: Settings) -> int:
    """Show what is known of each token."""
    from contracts.commands import terminal
    from contracts.http.tokens import TokenStore

    found: list[dict[str, Any]] = [
        token.model_dump(mode="json", exclude={"digest"})
        for token in TokenStore(settings.home).listed()
    ]
    if options.json:
        text = terminal.as_json(found)
    elif found:
        text = terminal.table(["name", "scope", "last four", "since", "expires"], map(_row, found))
    else:
        text = "There are no tokens. Make one with research-agent token add NAME."
    out(text)
    return 0


def _row(token: dict[str, Any]) -> list[str]:
    until = (token["expires"] or "")[:10] or "never"
    return [
        token["name"],
        ",".join(token["scopes"]),
        token["ends_with"],
        token["created"][:10],
        until,
    ]


def remove(options: argparse.Namespace, settings: Settings) -> int:
    """Take a token away."""
    from contracts.http.tokens import TokenStore

    gone = TokenStore(settings.home).remove(options.name)
    out(f"{gone.name} is removed; nobody gets in with it any more.")
    return 0
