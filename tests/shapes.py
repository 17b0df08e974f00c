"""Holds answers against the shapes that tools publish."""

from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]


def check_schema(shape: dict[str, Any]) -> None:
    """Refuse what is no schema."""
    Draft202012Validator.check_schema(shape)


def check(answer: dict[str, Any], shape: dict[str, Any]) -> None:
    """Refuse an answer that is not as its tool says."""
    Draft202012Validator(shape).validate(answer)


def strangers(value: Any, shape: dict[str, Any], place: str = "") -> set[str]:
    """Members of an answer that its shape does not describe."""
    if "anyOf" in shape:
        fitting = [each for each in shape["anyOf"] if Draft202012Validator(each).is_valid(value)]
        return min((strangers(value, each, place) for each in fitting), key=len)
    if isinstance(value, list) and "items" in shape:
        return {one for each in value for one in strangers(each, shape["items"], f"{place}[]")}
    if not isinstance(value, dict) or not {"properties", "additionalProperties"} & set(shape):
        return set()
    known, others = shape.get("properties", {}), shape.get("additionalProperties")
    found: set[str] = set()
    for name, member in value.items():
        inner = known.get(name, others)
        found |= (
            {f"{place}.{name}"} if inner is None else strangers(member, inner, f"{place}.{name}")
        )
    return found
