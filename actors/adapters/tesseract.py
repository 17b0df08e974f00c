"""Reads the text in the image of a page with the Tesseract program, where the system has it.

The program gets the image on its standard input and answers with a table of words at their places.
It never gets a file name, more than a page, or longer than `LONGEST`.
"""

import math
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby
from statistics import mean
from typing import Any

from actors.adapters.page_lines import Seen

LONGEST = 150.0
"""Seconds for one page; less than a step of the process that parses files may take."""

LEAST_SURE = 40.0
"""Below this confidence, of 100, the words of a line are guesses, and left out."""

_LOOK = 10.0
_CJK = re.compile("[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
_PAIRS = (
    "af:afr ar:ara be:bel bg:bul bn:ben ca:cat cs:ces da:dan de:deu el:ell en:eng es:spa "
    "et:est fa:fas fi:fin fr:fra he:heb hi:hin hr:hrv hu:hun it:ita ja:jpn ko:kor lt:lit "
    "lv:lav nl:nld no:nor pl:pol pt:por ro:ron ru:rus sk:slk sl:slv sr:srp sv:swe ta:tam "
    "th:tha tr:tur uk:ukr vi:vie zh:chi_sim"
)
_CODES = dict(pair.split(":") for pair in _PAIRS.split())


class ProgramFailed(Exception):
    """Tesseract ended with an error: (what it said,)."""


def program() -> str:
    """Where the program is; empty where it is not installed."""
    return shutil.which("tesseract") or ""


def readable(languages: Iterable[str]) -> tuple[str, ...]:
    """Those of some languages, as ISO 639-1 codes, that the program has the data for."""
    there = _installed(program())
    return tuple(each for each in languages if _CODES.get(each) in there)


@cache
def _installed(path: str) -> frozenset[str]:
    if not path:
        return frozenset()
    try:
        said = _run([path, "--list-langs"], b"", _LOOK)
    except (OSError, ProgramFailed, subprocess.TimeoutExpired):
        return frozenset()
    return frozenset(said.split("\n")[1:]) - {"osd", ""}


def read_image(image: Any, languages: Iterable[str], dpi: float) -> list[Seen]:
    """The words of an image of shape (height, width, 3), line by line."""
    known = "+".join(_CODES[each] for each in readable(languages))
    grey = image.mean(axis=2).astype("uint8")
    height, width = grey.shape
    picture = b"P5 %d %d 255\n" % (width, height) + grey.tobytes()
    command = [program(), "stdin", "stdout", "-l", known, "--dpi", str(round(dpi)), "tsv"]
    return list(_lines(_run(command, picture, LONGEST)))


def _run(command: list[str], given: bytes, seconds: float) -> str:
    passed = {name: os.environ[name] for name in ("PATH", "TESSDATA_PREFIX") if name in os.environ}
    ended = subprocess.run(
        command,
        input=given,
        capture_output=True,
        timeout=seconds,
        check=False,
        # More threads than one make it slower on pages of text.
        env=passed | {"LC_ALL": "C.UTF-8", "OMP_THREAD_LIMIT": "1"},
    )
    if ended.returncode:
        raise ProgramFailed(ended.stderr[-200:].decode(errors="replace").strip())
    return ended.stdout.decode(errors="replace")


def _lines(table: str) -> Iterator[Seen]:
    rows = [row.split("\t") for row in table.split("\n")[1:]]
    words = [row for row in rows if len(row) == 12 and row[0] == "5" and row[11].strip()]
    for _, line in groupby(words, key=lambda row: row[1:5]):
        found = list(filter(None, map(_word, line)))
        if found and mean(sure for _, sure in found) >= LEAST_SURE:
            sure = mean(sure for _, sure in found) / 100
            yield from _of_line([seen for seen, _ in found], sure)


def _word(row: list[str]) -> tuple[Seen, float] | None:
    try:
        left, top, width, height, sure = (float(cell) for cell in row[6:11])
    except ValueError:
        return None
    if not math.isfinite(left + top + width + height + sure):
        return None
    return Seen(row[11].strip(), left, top, left + width, top + height), sure


def _of_line(words: list[Seen], sure: float) -> Iterator[Seen]:
    """The words of a line, all of its height; Japanese ones are no words and run together."""
    top, bottom = min(each.top for each in words), max(each.bottom for each in words)
    held: Seen | None = None
    for each in words:
        word = Seen(each.text, each.left, top, each.right, bottom, sure)
        if held and _run_on(held, word):
            held = Seen(held.text + word.text, held.left, top, word.right, bottom, sure)
            continue
        if held:
            yield held
        held = word
    if held:
        yield held


def _run_on(before: Seen, word: Seen) -> bool:
    near = word.left - before.right < 0.8 * word.height
    return near and bool(_CJK.match(before.text[-1]) and _CJK.match(word.text[0]))
