"""Reads Jupyter notebooks with nbformat: prose as Markdown, code as code, results as code."""

import warnings
from typing import Any

from actors.adapters.decoding import decode_text
from actors.adapters.draft import Draft
from actors.adapters.markdown import markdown_blocks
from actors.ports import Parsed
from events.errors import Unreadable

MEDIA_TYPE = "application/x-ipynb+json"
_LONGEST_RESULT = 4000


def parse_notebook(name: str, raw: bytes) -> Parsed:
    """The cells of a notebook in their order, and what they printed."""
    text = decode_text(name, raw)
    draft = Draft(name)
    if not text.strip():
        return draft.parsed(MEDIA_TYPE)
    notebook = _notebook(name, text)
    for cell in notebook.get("cells", []):
        source = _joined(cell.get("source", ""))
        match cell.get("cell_type"):
            case "markdown":
                draft.passage(source, markdown_blocks(source))
            case "code":
                draft.code(source)
                for output in cell.get("outputs", []):
                    draft.code(_result(output)[:_LONGEST_RESULT])
            case _:
                draft.paragraph(source)
    said = notebook.get("metadata", {})
    language = said.get("language_info", {}).get("name") or said.get("kernelspec", {}).get("name")
    authors = said.get("authors") or []
    metadata = {
        "title": str(said.get("title") or ""),
        "programming_language": str(language or ""),
        "author": ", ".join(
            str(each.get("name", "")) for each in authors if isinstance(each, dict)
        ),
    }
    return draft.parsed(MEDIA_TYPE, metadata["title"], metadata)


def _notebook(name: str, text: str) -> dict[str, Any]:
    import nbformat

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # old notebooks lack ids, which nobody here needs
            notebook: dict[str, Any] = nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as broken:
        raise Unreadable(name, "it is not a notebook") from broken
    if not isinstance(notebook.get("cells"), list):
        raise Unreadable(name, "it is not a notebook")
    return notebook


def _result(output: Any) -> str:
    if output.get("output_type") == "stream":
        return _joined(output.get("text", ""))
    return _joined(output.get("data", {}).get("text/plain", ""))


def _joined(source: Any) -> str:
    return "".join(map(str, source)) if isinstance(source, list) else str(source)
