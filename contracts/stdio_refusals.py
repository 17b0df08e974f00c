"""Answers to requests on stdio that the SDK's parser refuses: it drops such a line without a word.

A client that sent one would wait for ever, so whatever names itself by an id is answered by that id. What names
itself by none, and what is an answer itself, is left to the parser.
"""

import json
from typing import Any

from mcp.types import INVALID_PARAMS, INVALID_REQUEST, jsonrpc_message_adapter
from pydantic import ValidationError


def sorted_out(line: bytes) -> tuple[bytes, bytes]:
    """The lines of a line that can be read, and those that answer for the rest of it.

    Several requests in one line, as the protocol once allowed, become lines of their own.
    """
    if is_read(text := line.decode(errors="replace")):
        return line, b""
    try:
        sent = json.loads(text)
    except (ValueError, RecursionError):
        return line, b""
    if isinstance(sent, dict):
        answer = refusal(sent)
        return (b"", _line(answer)) if answer else (line, b"")
    if not isinstance(sent, list):
        return line, b""
    good, bad = list[bytes](), list[bytes]()
    for each in sent:
        if is_read(json.dumps(each)):
            good.append(_line(each))
        elif answer := refusal(each):
            bad.append(_line(answer))
    return b"".join(good), b"".join(bad)


def is_read(text: str) -> bool:
    """Whether the SDK reads a text as a message."""
    try:
        jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError:
        return False
    return True


def refusal(sent: Any) -> dict[str, Any] | None:
    """The answer to something that is no message; none where nobody could be waiting for one."""
    if not isinstance(sent, dict) or {"result", "error"} & sent.keys():
        return None
    number = sent.get("id")
    if not isinstance(number, int | str) or isinstance(number, bool):
        return None
    code, wrong, advice = _fault(sent)
    data = {"code": "bad_request", "details": wrong, "suggestion": advice}
    return {
        "jsonrpc": "2.0",
        "id": number,
        "error": {"code": code, "message": wrong, "data": data},
    }


def _fault(sent: dict[str, Any]) -> tuple[int, str, str]:
    if sent.get("jsonrpc") != "2.0":
        return INVALID_REQUEST, "The request is not JSON-RPC 2.0.", 'Send it with "jsonrpc": "2.0".'
    if not isinstance(sent.get("method"), str):
        return INVALID_REQUEST, "The request has no method.", 'Name one, such as "tools/list".'
    if not isinstance(sent.get("params"), dict | None):
        return (
            INVALID_PARAMS,
            "The parameters of the request have no names.",
            'Send "params" as an object with each parameter by its name.',
        )
    return INVALID_REQUEST, "The request cannot be read.", "Send it with less nested parameters."


def _line(message: Any) -> bytes:
    return json.dumps(message).encode() + b"\n"
