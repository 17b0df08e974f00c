"""Tesseract, where the system has it; and a program of its name, which tells how it is called."""

import contextlib
import os
import stat
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from actors.adapters import ocr, scans, tesseract
from actors.adapters.pdf.reader import parse_pdf
from actors.adapters.sandbox import Limits, SandboxedParser
from actors.processes import alive
from events.errors import Unreadable
from tests.pdf_files import Put, column
from tests.test_ocr import LINES, scan
from tests.waiting import until

THERE = tesseract.program() and "eng" in tesseract._installed(tesseract.program())

HEADER = "level page_num block_num par_num line_num word_num left top width height conf text"
ROWS = [
    "5 1 1 1 1 1 100 100 90 20 96.1 Words",
    "5 1 1 1 1 2 200 98 60 22 95.0 from",
    "5 1 1 1 1 3 270 101 20 18 91.0 a",
    "5 1 1 1 1 4 300 100 90 20 93.0 program.",
    "5 1 1 1 2 1 100 200 90 20 12.0 smudge",
    "5 1 1 1 3 1 100 300 40 20 90.0 日本",
    "5 1 1 1 3 2 142 300 40 20 90.0 語の本",
    "5 1 1 1 3 3 x y z w nan broken",
]

PROGRAM = """#!/bin/sh
echo "$@" >> {told}
case "$1" in
--list-langs) printf 'List of available languages:\\neng\\nrus\\njpn\\nosd\\n' ;;
*) cat > /dev/null; printf '{table}' ;;
esac
"""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A program called tesseract, alone on the path with the shell's own; returns what it heard."""
    table = "\\n".join("\\t".join(row.split(" ")) for row in (HEADER, *ROWS))
    told = tmp_path / "told"
    _write(tmp_path / "bin", PROGRAM.format(told=told, table=table))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    yield told


def _write(folder: Path, script: str) -> None:
    folder.mkdir()
    path = folder / "tesseract"
    path.write_text(script)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def blank() -> "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]":
    return np.full((50, 60, 3), 255, dtype=np.uint8)


def test_the_program_is_asked_only_for_languages_it_has(fake: Path) -> None:
    assert tesseract.readable(["en", "de", "ja", "ru"]) == ("en", "ja", "ru")
    tesseract.read_image(blank(), ["de", "ja", "en"], 144.4)
    assert fake.read_text().splitlines()[-1] == "stdin stdout -l jpn+eng --dpi 144 tsv"


def test_words_are_taken_at_their_places_and_guesses_left_out(fake: Path) -> None:
    seen = tesseract.read_image(blank(), ["en"], 100)
    assert [each.text for each in seen] == ["Words", "from", "a", "program.", "日本語の本"]
    assert {(each.top, each.bottom) for each in seen[:4]} == {(98.0, 120.0)}
    assert (seen[4].left, seen[4].right) == (100.0, 182.0)


def test_scripts_that_one_engine_does_not_know_are_read_by_the_other(
    fake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ocr, "is_there", lambda: True)
    assert scans.engines_for(["ja"]) == ("rapidocr", "tesseract")
    assert scans.engines_for(["ru"]) == ("tesseract",)
    assert scans.engines_for([]) == ("rapidocr", "tesseract")
    assert scans.engines_for(["ko"]) == ()
    assert scans.unreadable_languages(["en", "German", "ru-RU", "ko", "??"]) == ("ko", "??")


@pytest.mark.parametrize(
    ("named", "code"),
    [
        ("en-US", "en"),
        ("Deutsch", "de"),
        ("jpn", "ja"),
        ("日本語", "ja"),
        ("jp", "ja"),
        ("cz", "cs"),
        ("", ""),
        ("klingon", ""),
    ],
)
def test_a_language_is_known_however_it_is_called(named: str, code: str) -> None:
    assert scans.code_of(named) == code


def test_an_engine_that_breaks_is_replaced_by_the_other(
    fake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(image: object) -> list[object]:
        raise RuntimeError("no")

    monkeypatch.setattr(ocr, "is_there", lambda: True)
    monkeypatch.setattr(ocr, "read_image", breaks)
    parsed = parse_pdf("scan.pdf", scan([column(72, 740, LINES)]), ["en"])
    assert parsed.text.startswith("Words from a program.")
    assert parsed.metadata["ocr_engines"] == "tesseract: 1"


def test_the_sandbox_lets_the_program_run_and_nothing_else(fake: Path) -> None:
    # A parser may write nothing, and so may the programs it starts: this one cannot tell.
    script = (fake.parent / "bin" / "tesseract").read_text().replace(f">> {fake}", "> /dev/null")
    (fake.parent / "bin" / "tesseract").write_text(script)
    with SandboxedParser(limits=Limits(seconds=60)) as parser:
        parsed = parser.parse_in("scan.pdf", scan([column(72, 740, LINES)]), ["ru"])
    assert parsed.metadata["ocr_engines"] == "tesseract: 1"
    assert parsed.metadata["ocr_pages"] == "1"


def test_a_program_that_hangs_or_fails_costs_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listing = "[ \"$1\" = --list-langs ] && { printf 'x\\nrus\\n'; exit; }\n"
    _write(tmp_path / "bin", f"#!/bin/sh\n{listing}exec sleep 600\n")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setattr(tesseract, "LONGEST", 0.3)
    parsed = parse_pdf("scan.pdf", scan([column(72, 740, LINES)]), ["ru"])
    assert parsed.coverage.empty_pages == (1,)
    assert "page 1 could not be read by OCR: TimeoutExpired" in parsed.coverage.warnings
    (tmp_path / "bin" / "tesseract").write_text(f"#!/bin/sh\n{listing}exit 3\n")
    parsed = parse_pdf("scan.pdf", scan([column(72, 740, LINES)]), ["ru"])
    assert "page 1 could not be read by OCR: ProgramFailed" in parsed.coverage.warnings


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_a_program_that_still_runs_ends_with_the_sandbox_that_started_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(told := tmp_path / "told")
    listing = "[ \"$1\" = --list-langs ] && { printf 'x\\nrus\\n'; exit; }\n"
    # A pipe may be written to where files may not.
    _write(tmp_path / "bin", f"#!/bin/sh\n{listing}echo $$ > {told}\nexec sleep 600\n")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    pipe = os.open(told, os.O_RDONLY | os.O_NONBLOCK)
    said = b""

    def has_told() -> bool:
        nonlocal said
        with contextlib.suppress(BlockingIOError):
            said += os.read(pipe, 100)
        return said.endswith(b"\n")

    def parse(parser: SandboxedParser) -> None:
        with pytest.raises((Unreadable, OSError, ValueError)):
            parser.parse_in("scan.pdf", scan([column(72, 740, LINES)]), ["ru"])

    with SandboxedParser(
        limits=Limits(seconds=60), parser="tests.only_tesseract:OnlyTesseract"
    ) as parser:
        parsing = threading.Thread(target=parse, args=(parser,))
        parsing.start()
        until(has_told)
        assert alive(int(said))
    os.close(pipe)
    until(lambda: not alive(int(said)))
    parsing.join()


@pytest.mark.skipif(not THERE, reason="Tesseract with English data is not installed")
def test_the_real_program_reads_a_page_in_the_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = scan([[Put(72, 780, "Tidal power in the estuary", 20), *column(72, 740, LINES, 14)]], 150)
    with SandboxedParser(
        limits=Limits(seconds=100), parser="tests.only_tesseract:OnlyTesseract"
    ) as parser:
        parsed = parser.parse_in("scan.pdf", raw, ["en"])
    assert " ".join(LINES) in " ".join(parsed.text.split())
    assert parsed.metadata["ocr_engines"] == "tesseract: 1"
    assert {block.page for block in parsed.blocks} == {1}
