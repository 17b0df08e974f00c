"""The options of `research-agent serve`: for the server itself, which reads them, and for the help and the shell."""

import argparse

HOST, PORT = "127.0.0.1", 8765


def add_serve_options(parser: argparse.ArgumentParser) -> None:
    """Add them to a parser."""
    parser.add_argument("--http", action="store_true", help="serve over HTTP instead of stdio")
    parser.add_argument("--host", help=f"address to listen on ({HOST})")
    parser.add_argument("--port", type=int, help=f"port to listen on ({PORT}); 0 picks a free one")
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="another host name of this server, e.g. behind a proxy; may be repeated",
    )
