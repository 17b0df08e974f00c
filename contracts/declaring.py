"""How tools and prompts are put on a server.

FastMCP looks through a docstring for sections about parameters, with a parser that takes a tenth of the time in which
a server starts. Ours have no such sections: parameters are described where they are declared. So the docstring is
handed over as the description it is.
"""

import inspect
import json
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastmcp import FastMCP
from fastmcp.prompts import Prompt
from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError


def _no_truth(value: Any) -> Any:
    if isinstance(value, bool):
        raise PydanticCustomError("int_type", "Input should be a valid integer")
    return value


Number = Annotated[int, BeforeValidator(_no_truth)]
"""A whole number of a tool's arguments; without this, `true` would be taken for 1."""


def _unpacked(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        meant = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return meant if isinstance(meant, dict | list | None) else value


PERHAPS_PACKED = BeforeValidator(_unpacked)
"""Marks an argument that is a list or an object: Claude Desktop, among others, sends these as JSON in a text."""

F = TypeVar("F", bound=Callable[..., Any])


def tool(mcp: FastMCP[Any], **options: Any) -> Callable[[F], F]:
    """Declare a function as a tool that is described by its docstring, word for word."""
    return _declaring(mcp.tool, options)


def prompt(mcp: FastMCP[Any]) -> Callable[[F], F]:
    """Declare a function as a prompt, likewise; its arguments are texts."""

    def declare(function: F, description: str | None) -> None:
        made = Prompt.from_function(function, description=description)
        for each in made.arguments or ():
            # FastMCP tells people who fill in a form how to write JSON that fits a schema.
            each.description = (each.description or "").partition("\n\nProvide a value matching")[0]
        mcp.add_prompt(made)

    return _declaring(declare, {})


def _declaring(declare: Callable[..., Any], options: dict[str, Any]) -> Callable[[F], F]:
    def declared(function: F) -> F:
        description = inspect.getdoc(function)
        function.__doc__ = None
        declare(function, description=description, **options)
        return function

    return declared
