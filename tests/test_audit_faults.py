"""Nothing that is stale, altered or broken is believed by the audit."""

import os
from pathlib import Path
from typing import Any

import pytest

from events.home import Home
from projections import audit_lines
from projections.audit_lines import Lines
from tests.audit_homes import ask_here
from tests.audit_tables import built, dump, fill, filled, plain_dump, small_pieces
from tests.homes import BuiltHome, lines_of

__all__ = ["built", "filled", "small_pieces"]


def pieces(home: Home) -> list[Path]:
    return sorted((home.views / "audit" / "lines").glob("*.parquet"))


@pytest.mark.usefixtures("small_pieces")
def test_altered_or_missing_parquet_and_manifests_are_never_used(built: BuiltHome) -> None:
    expected = plain_dump(built.home)["events"]

    def seen() -> Any:
        return ask_here(built.home, "from events order by all")

    assert seen() == expected
    manifest = built.home.views / "audit" / "lines" / "manifest.json"
    whole, kept = manifest.read_bytes(), {path: path.read_bytes() for path in pieces(built.home)}
    for path, raw in list(kept.items())[:2]:
        path.write_bytes(raw[:-50] + bytes([raw[-50] ^ 1]) + raw[-49:])
        assert seen() == expected
        for each, content in kept.items():
            each.write_bytes(content)
        manifest.write_bytes(whole)
        path.unlink()
        assert seen() == expected
        for each, content in kept.items():
            each.write_bytes(content)
        manifest.write_bytes(whole)
    for harmed in (b"", b"{}", whole[:-9], whole.replace(b'"rows":', b'"rows": 1', 1)):
        manifest.write_bytes(harmed)
        assert seen() == expected


@pytest.mark.usefixtures("small_pieces")
def test_a_stream_that_was_replaced_is_read_anew_and_one_that_was_touched_is_proven(
    built: BuiltHome, tmp_path: Path
) -> None:
    lines = Lines(built.home)
    lines.catch_up()
    before = lines.sealed
    path = built.stream(built.researchers[0])
    os.utime(path)
    lines.catch_up()
    assert lines.sealed == before, "the same lines at another time"
    other = fill(tmp_path / "other")
    path.write_bytes(other.stream(built.researchers[0]).read_bytes().replace(b"blue", b"blew"))
    lines.catch_up()
    assert lines.sealed != before
    (fault,) = ask_here(built.home, "from faults", lines=lines)
    assert fault["stream"] == built.researchers[0]
    path.unlink()
    assert ask_here(built.home, "from faults", lines=lines) == []
    assert dump(built.home, lines=lines) == plain_dump(built.home)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("number", [1, 2, 7])
def test_a_bad_line_ends_its_stream_and_is_told_as_a_fault(number: int, built: BuiltHome) -> None:
    path = built.stream(built.researchers[0])
    lines = lines_of(path)
    lines[number - 1] = lines[number - 1].replace(b'{"kind":"', b'{"kind":"x', 1)
    path.write_bytes(b"".join(lines))
    (fault,) = ask_here(built.home, "from faults")
    assert (fault["stream"], fault["line"]) == (path.stem, number)
    (row,) = ask_here(built.home, f"select count(*) as n from events where stream = '{path.stem}'")
    assert row["n"] < number
    (row,) = ask_here(built.home, "select count(*) as n from events")
    assert row["n"] > 100, "other streams are all there"


def test_a_cut_tail_of_a_running_stream_is_a_fault(built: BuiltHome) -> None:
    path = built.stream(built.researchers[-1])
    path.write_bytes(b"".join(lines_of(path)[:-1]))
    (fault,) = ask_here(built.home, "from faults")
    assert fault["wrong"] == "acknowledged lines are gone"


def test_an_unfinished_write_is_no_line_and_no_fault(built: BuiltHome) -> None:
    expected = dump(built.home)
    path = built.stream(built.researchers[-1])
    path.write_bytes(path.read_bytes() + b'{"v":1,"stream":"')
    assert dump(built.home) == expected


def test_a_home_that_cannot_be_written_is_still_answered(
    built: BuiltHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_lines, "SEAL_AT", 10)
    (built.home.views).mkdir(exist_ok=True)
    (built.home.views / "audit").write_text("in the way")
    lines = Lines(built.home)
    assert ask_here(built.home, "select count(*) as n from events", lines=lines)[0]["n"] > 100
    assert lines.sealed == []
