"""A completion script for a shell, made from the commands there are."""

import argparse
from typing import Literal, get_args

Shell = Literal["bash", "zsh", "tcsh"]
SHELLS: tuple[str, ...] = get_args(Shell)


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The script, to be sourced by the shell or put where it looks for completions."""
    import shtab

    return str(shtab.complete(parser, shell))
