"""Reads source code and data files as the text they are.

Code is cut into blocks where something new begins at the margin, so that a definition stays with
its comments and its body; no comment is ever taken for a heading.
"""

import json
import re
from collections.abc import Iterator
from pathlib import PurePath

from actors.adapters.decoding import decode_text
from actors.adapters.draft import Span, bounded, document, lines_of
from actors.ports import Parsed

LANGUAGES = {
    **dict.fromkeys((".py", ".pyi", ".pyw"), "python"),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), "javascript"),
    **dict.fromkeys((".ts", ".tsx", ".mts"), "typescript"),
    **dict.fromkeys((".c", ".h"), "c"),
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".ino"), "c++"),
    **dict.fromkeys((".sh", ".bash", ".zsh", ".fish", ".ksh"), "shell"),
    **dict.fromkeys((".f", ".f90", ".f95", ".for"), "fortran"),
    **dict.fromkeys((".ex", ".exs"), "elixir"),
    **dict.fromkeys((".pl", ".pm"), "perl"),
    **dict.fromkeys((".clj", ".cljs", ".edn"), "clojure"),
    **dict.fromkeys((".ml", ".mli"), "ocaml"),
    **dict.fromkeys((".lisp", ".el", ".scm"), "lisp"),
    **dict.fromkeys((".vb", ".bas"), "basic"),
    **dict.fromkeys((".asm", ".s"), "assembly"),
    **dict.fromkeys((".ps1", ".psm1"), "powershell"),
    **dict.fromkeys((".scss", ".sass", ".less", ".css"), "css"),
    **dict.fromkeys((".vue", ".svelte"), "javascript"),
    **dict.fromkeys((".tf", ".hcl"), "hcl"),
    ".java": "java",
    ".kt": "kotlin",
    ".kts": "kotlin",
    ".scala": "scala",
    ".go": "go",
    ".rs": "rust",
    ".rb": "ruby",
    ".php": "php",
    ".cs": "c#",
    ".fs": "f#",
    ".swift": "swift",
    ".m": "objective-c",
    ".r": "r",
    ".jl": "julia",
    ".lua": "lua",
    ".dart": "dart",
    ".sql": "sql",
    ".hs": "haskell",
    ".erl": "erlang",
    ".zig": "zig",
    ".nim": "nim",
    ".groovy": "groovy",
    ".gradle": "groovy",
    ".proto": "protobuf",
    ".graphql": "graphql",
    ".cmake": "cmake",
    ".mk": "make",
    ".bat": "batch",
    ".sol": "solidity",
    ".v": "verilog",
    ".tcl": "tcl",
    ".d": "d",
    ".pas": "pascal",
    ".awk": "awk",
    ".vim": "vim",
}
FILES = {"makefile": "make", "dockerfile": "docker", "cmakelists.txt": "cmake", "rakefile": "ruby"}
DATA = {
    **dict.fromkeys((".json", ".geojson", ".topojson", ".jsonld"), "application/json"),
    **dict.fromkeys((".jsonl", ".ndjson"), "application/jsonl"),
    **dict.fromkeys((".yaml", ".yml"), "application/yaml"),
    **dict.fromkeys((".xml", ".xsd", ".xsl", ".rss", ".atom", ".opml", ".svg"), "application/xml"),
    **dict.fromkeys((".toml", ".ini", ".cfg", ".conf", ".properties", ".env"), "text/plain"),
}

_DEFINITION = re.compile(
    r"(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|pub"
    r"|unsafe|extern|inline|virtual|override|data|sealed|open|local)[ \t(]+(?:crate\)[ \t]+)?){0,5}"
    r"(?:def|class|func|fn|function|struct|enum|trait|impl|interface|type|module|namespace"
    r"|record|object|protocol|extension|package|sub|proc|procedure|macro_rules!|template"
    r"|create|alter|insert|select|with|resource|message|service|defmodule|defn|defun)\b",
    re.I,
)
_C_FUNCTION = re.compile(r"[A-Za-z_][\w:<>*&, \t]{0,200}\([^;]{0,500}\Z")
_CLOSING = re.compile(
    r"[)\]}>]|end\b|else\b|elif\b|except\b|finally\b|catch\b|rescue\b|fi\b|done\b"
)
_ENOUGH = 1200
"""Characters after which a block of code ends at the next margin."""

_LONG_LINE = 2000
_LAID_OUT_UP_TO = 16_000_000


def parse_code(name: str, raw: bytes) -> Parsed:
    """A source file, cut between its definitions."""
    text = decode_text(name, raw)
    path = PurePath(name)
    language = LANGUAGES.get(path.suffix.casefold()) or FILES.get(path.name.casefold(), "")
    return document(
        name,
        "text/x-source",
        text,
        bounded(list(_code_blocks(text))),
        title=path.name,
        metadata={"programming_language": language},
    )


def parse_data(name: str, raw: bytes) -> Parsed:
    """JSON, YAML, XML and the like, as lines of text."""
    text = decode_text(name, raw)
    media_type = DATA.get(PurePath(name).suffix.casefold(), "text/plain")
    if media_type == "application/json":
        text = _laid_out(text)
    return document(
        name, media_type, text, bounded(list(_code_blocks(text))), title=PurePath(name).name
    )


def _laid_out(text: str) -> str:
    """JSON that was written without line breaks, with them."""
    if len(text) > _LAID_OUT_UP_TO or max(map(len, text.split("\n"))) <= _LONG_LINE:
        return text
    try:
        return json.dumps(json.loads(text), indent=1, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


def _code_blocks(text: str) -> Iterator[Span]:
    start = end = -1
    defines = False
    for begin, finish, definition in _units(text):
        if start >= 0 and not (definition and defines) and finish - start <= _ENOUGH:
            end, defines = finish, defines or definition
            continue
        if start >= 0:
            yield "code", start, end, 0, "", None
        start, end, defines = begin, finish, definition
    if start >= 0:
        yield "code", start, end, 0, "", None


def _units(text: str) -> Iterator[tuple[int, int, bool]]:
    """Runs of lines that begin at the margin after a blank line, and whether they define something."""
    start = end = -1
    definition = blank = False
    for at, line in lines_of(text):
        bare = line.rstrip()
        if not bare:
            blank = True
            continue
        margin = not line[0].isspace()
        opens = margin and len(bare) < _LONG_LINE and _opens(bare)
        if start >= 0 and margin and blank and not _CLOSING.match(line):
            yield start, end, definition
            start, definition = -1, False
        if start < 0:
            start = at
        definition = definition or opens
        end, blank = at + len(bare), False
    if start >= 0:
        yield start, end, definition


def _opens(line: str) -> bool:
    return bool(_DEFINITION.match(line) or (line.endswith(("{", ")")) and _C_FUNCTION.match(line)))
