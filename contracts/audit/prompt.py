"""A prompt for SQL: complete what is typed, go on until a semicolon, remember what was asked."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

_SQL = """
SELECT FROM WHERE GROUP BY ORDER LIMIT OFFSET HAVING QUALIFY WITH RECURSIVE AS DISTINCT JOIN LEFT INNER USING ON
UNION ALL EXCEPT INTERSECT CASE WHEN THEN ELSE END AND OR NOT IN IS NULL LIKE ILIKE BETWEEN EXISTS DESC ASC OVER
PARTITION WINDOW FILTER DESCRIBE SUMMARIZE count sum avg min max median list unnest arg_max arg_min date_trunc
coalesce round
"""
WORDS = _SQL.split()
"""What is offered beside tables, columns and named questions."""

COMMANDS = {".help", ".list", ".quit", ".exit"}
_PLAIN = {"help", "quit", "exit"}
"""Commands that are understood without their dot as well; no table is called so."""

_ENDS = {".quit", ".exit"}
_AFTER_TABLES = re.compile(r"\b(?:from|join)\s+$", re.I)
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*|\.[a-z]*")
_QUOTES = {"'", '"'}


def is_whole(text: str) -> bool:
    """Whether a typed text can be asked: a command, a name, or SQL that ends with a semicolon."""
    text = text.strip()
    return (
        not text
        or text.startswith(".")
        or bool(re.fullmatch(r"[a-z][a-z0-9_]*", text))
        or (text.endswith(";") and len(split(text)[0]) > 0 and not split(text)[1].strip())
    )


def command_of(text: str) -> str | None:
    """The command that a typed text is, known or not; none where it is a question."""
    word = text.strip().rstrip(";").strip()
    if word in _PLAIN:
        return f".{word}"
    return word if text.strip().startswith(".") else None


def split(text: str) -> tuple[list[str], str]:
    """The statements before semicolons that are neither quoted nor in a comment, and the rest."""
    whole: list[str] = []
    start = place = 0
    while place < len(text):
        each = text[place]
        if each in _QUOTES:
            end = text.find(each, place + 1)
            place = len(text) if end < 0 else end + 1
        elif text.startswith("--", place):
            end = text.find("\n", place)
            place = len(text) if end < 0 else end + 1
        elif text.startswith("/*", place):
            end = text.find("*/", place + 2)
            place = len(text) if end < 0 else end + 2
        else:
            if each == ";":
                if statement := text[start:place].strip():
                    whole.append(statement)
                start = place + 1
            place += 1
    return whole, text[start:]


def statements(lines: Iterable[str]) -> Iterator[str]:
    """What a file or a pipe asks: statements with semicolons, and a name alone on its line."""
    rest = ""
    for line in lines:
        if not rest.strip() and re.fullmatch(r"[a-z][a-z0-9_]*", line.strip()):
            yield line.strip()
            continue
        whole, rest = split(rest + line)
        yield from whole
    if rest.strip():
        yield rest.strip()


def completions(
    before: str, tables: Mapping[str, Iterable[str]], names: Iterable[str]
) -> tuple[str, list[str]]:
    """The word that is being typed, and what it may become."""
    found = _WORD.search(before, max(0, _word_start(before)))
    word = found[0] if found else ""
    table, dot, part = word.rpartition(".")
    if dot and table:
        columns = tables.get(table.lower(), ())
        return part, sorted(each for each in columns if each.startswith(part.lower()))
    ahead = before[: len(before) - len(word)]
    if _AFTER_TABLES.search(ahead):
        return word, sorted(each for each in tables if each.startswith(word.lower()))
    alone = not ahead.strip()
    columns = {each for listed in tables.values() for each in listed}
    offered = {*tables, *columns, *(names if alone else ()), *(COMMANDS if alone else ())}
    small = word.lower()
    sql = [each for each in WORDS if each.lower().startswith(small)]
    fitting = sorted(each for each in offered if each.startswith(small))
    return word, [*fitting, *(each for each in sql if each not in offered)]


def _word_start(before: str) -> int:
    place = len(before)
    while place and re.match(r"[A-Za-z0-9_.]", before[place - 1]):
        place -= 1
    return place


def questions(
    tables: Mapping[str, Iterable[str]], names: list[str], history: Path
) -> Iterator[str]:
    """What somebody types, one question after the other, until they have had enough."""
    # Here and not above: only a terminal needs it.
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion
    from prompt_toolkit.document import Document
    from prompt_toolkit.filters import Condition
    from prompt_toolkit.history import FileHistory
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

    class Offering(Completer):
        def get_completions(self, document: Document, event: CompleteEvent) -> Iterator[Completion]:
            word, found = completions(document.text_before_cursor, tables, names)
            yield from (Completion(each, start_position=-len(word)) for each in found)

    keys = KeyBindings()
    session: PromptSession[str] = PromptSession(
        history=FileHistory(str(history)),
        completer=Offering(),
        complete_while_typing=False,
        multiline=True,
        key_bindings=keys,
        prompt_continuation=lambda width, number, soft: "...> ".rjust(width),
    )

    @keys.add("enter", filter=Condition(lambda: is_whole(session.default_buffer.text)))
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    while True:
        try:
            typed = session.prompt("audit> ").strip()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        command = command_of(typed)
        if command in _ENDS:
            return
        if command is not None:
            yield command
        else:
            whole, rest = split(typed)
            yield from [*whole, *([rest.strip()] if rest.strip() else [])]
