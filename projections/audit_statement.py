"""Which statements may be asked: one SELECT, over the audit tables, without a function that reaches further.

Judged by DuckDB's own parse of the statement, so that no spelling hides anything. It is the first of
several walls: the process that runs the statement has no files, no environment and little memory.
"""

from collections.abc import Iterator
from typing import Any

NODES = {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"}
"""What a query may consist of: nothing that writes."""

TABLE_FUNCTIONS = {"unnest", "range", "generate_series", "repeat_row", "json_each", "json_tree"}
"""Functions that make rows out of nothing but their arguments."""

REFUSED = {
    "getenv",
    "getvariable",
    "current_setting",
    "pg_sleep",
    "json_execute_serialized_sql",
    "json_deserialize_sql",
    "json_serialize_plan",
    "json_serialize_sql",
    "in_search_path",
    "obj_description",
    "col_description",
    "shobj_description",
    "pg_get_viewdef",
    "pg_get_constraintdef",
}
"""Functions that tell of the process or the database, and not of the record."""

VOLATILE = {"random", "uuid", "gen_random_uuid", "uuidv4", "uuidv7", "error"}
"""Of the functions that answer differently each time, those that do nothing else."""

_HERE = {"memory", "main"}


def refusal(
    parsed: dict[str, Any], tables: set[str], others: set[str], volatile: set[str]
) -> str | None:
    """Why a parsed statement is not to be run, or none.

    `others` are the tables that DuckDB has beside ours, `volatile` its functions that may have effects.
    """
    refused = REFUSED | (volatile - VOLATILE)
    for node in _nodes(parsed):
        kind = node.get("type")
        if not isinstance(kind, str):
            continue
        if kind.endswith("_NODE") and kind not in NODES:
            return f"{kind.removesuffix('_NODE').removesuffix('_QUERY')} inside a query"
        if kind == "SHOW_REF" and node.get("show_type") == "SHOW_SPECIAL":
            return "SHOW; ask for research-agent audit --list instead"
        if kind == "TABLE_FUNCTION":
            name = str(node.get("function", {}).get("function_name", "")).lower()
            if name not in TABLE_FUNCTIONS:
                return f"the table function {name}"
        if kind == "BASE_TABLE" and (why := _table(node, tables, others)):
            return why
        name = str(node.get("function_name", "")).lower()
        if name in refused:
            return f"the function {name}"
    return None


def _table(node: dict[str, Any], tables: set[str], others: set[str]) -> str | None:
    *above, name = (str(part).lower() for part in node["qualified_name"]["path"])
    if set(above) <= _HERE and (name in tables or name not in others):
        return None  # A table that is nowhere is DuckDB's to name.
    return f"the table {'.'.join([*above, name])}"


def _nodes(parsed: Any) -> Iterator[dict[str, Any]]:
    waiting = [parsed]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            yield each
            waiting.extend(each.values())
        elif isinstance(each, list):
            waiting.extend(each)
