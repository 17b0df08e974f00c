"""The blocks of a message from the model: what of them can be sent back, what they say, and what they decide."""

from typing import Any

from actors.kinds.claude_prompt import text_block
from actors.webpages.injection import visible

_LONGEST_BLOCK = 40_000


def blocks_of(content: list[Any]) -> list[dict[str, Any]]:
    """The blocks of a message that can be sent back; whatever else came is left out."""
    kept: list[dict[str, Any]] = []
    calls: set[str] = set()
    for block in content[:100]:
        if not isinstance(block, dict):
            continue
        match block.get("type"):
            case "text" if isinstance(block.get("text"), str) and block["text"].strip():
                kept.append(text_block(block["text"][:_LONGEST_BLOCK]))
            case "tool_use" if _is_call(block) and block["id"] not in calls:
                calls.add(block["id"])
                kept.append({name: block[name] for name in ("type", "id", "name", "input")})
            case "thinking" if isinstance(block.get("signature"), str):
                thought = block.get("thinking")
                words = thought if isinstance(thought, str) else ""
                kept.append(
                    {"type": "thinking", "thinking": words, "signature": block["signature"]}
                )
            case "redacted_thinking" if isinstance(block.get("data"), str):
                kept.append({"type": "redacted_thinking", "data": block["data"]})
    said = any(block["type"] in ("text", "tool_use") for block in kept)
    return kept if said else [*kept, text_block("(no answer)")]


def _is_call(block: dict[str, Any]) -> bool:
    named = isinstance(block.get("id"), str) and isinstance(block.get("name"), str)
    return named and isinstance(block.get("input"), dict)


def said_in(blocks: list[dict[str, Any]], between: str = "\n") -> str:
    """The text in a message, with something between its blocks."""
    return between.join(block["text"] for block in blocks if block["type"] == "text")


def decision_in(blocks: list[dict[str, Any]]) -> str:
    """What the model says it is about to do, or what it does."""
    words = visible(said_in(blocks))
    calls = [visible(block["name"]) for block in blocks if block["type"] == "tool_use"]
    return words or f"Uses {', '.join(calls[:5])}."
