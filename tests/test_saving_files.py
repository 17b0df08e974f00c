"""Where a research that is kept as a file goes, and what is said where it cannot."""

import errno
import json
import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.core import Core
from contracts.deep_research import saving
from tests.past_tasks import PastTasks, citation
from tests.saved_reports import QUESTION, core, past, save, saved

__all__ = ["core", "past"]


# -- where it is ----------------------------------------------------------------------------------


def test_nothing_is_ever_overwritten(core: Core, past: PastTasks, tmp_path: Path) -> None:
    task = past.completed(QUESTION)
    paths = [save(core, task, tmp_path)["file_path"] for _ in range(5)]
    assert len(set(paths)) == 5
    assert all(Path(path).read_text().startswith("# Why") for path in paths)
    assert sorted(map(str, (tmp_path / Path(paths[0]).parent.name).iterdir())) == sorted(paths)


def test_a_name_that_is_taken_stays_with_its_owner(tmp_path: Path) -> None:
    (tmp_path / "2026-11").mkdir()
    taken = tmp_path / "2026-11" / "n.md"
    taken.write_text("mine")
    path = saving.write_new(tmp_path, "2026-11", "n", "md", b"new")
    assert (taken.read_text(), path.name, path.read_text()) == ("mine", "n_2.md", "new")


@pytest.mark.parametrize(
    "folder", ["../out", "a/../../b", "..", "a\\..\\b", "{home}/traces", "{home}", "{link}"]
)
def test_a_folder_that_leads_elsewhere_is_refused(
    core: Core, past: PastTasks, tmp_path: Path, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to(core.home.root)
    task = past.completed(QUESTION)
    place = folder.format(home=core.home.root, link=tmp_path / "link")
    reply = save(core, task, place)
    assert (reply["success"], reply["error"]) == (False, "PERMISSION_DENIED")
    assert not list(tmp_path.rglob("research_*"))


def test_a_month_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "2026-11").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(saving.NotAllowed):
        saving.write_new(tmp_path / "out", "2026-11", "n", "md", b"x")
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("prefix", ["../x", "a/b", "a\\b", ".hidden", "..", "/etc/x"])
def test_a_prefix_is_no_path(core: Core, past: PastTasks, tmp_path: Path, prefix: str) -> None:
    reply = save(core, past.completed(QUESTION), tmp_path / "out", prefix=prefix)
    assert reply["error"] == "PERMISSION_DENIED"
    assert reply["suggestion"].startswith("Use a filename_prefix without slashes")
    assert reply["message"].endswith(" has a slash or begins with a dot")
    assert not (tmp_path / "out").exists()


def test_a_folder_with_a_null_character_is_said_to_have_one(
    core: Core, past: PastTasks, tmp_path: Path
) -> None:
    reply = save(core, past.completed(QUESTION), f"{tmp_path}/a\0b")
    assert (reply["error"], reply["message"]) == (
        "INVALID_QUERY",
        "The output_dir has a null character.",
    )


@pytest.mark.parametrize("prefix", ["", "x" * 101, "a\0b", "a\nb", "a:b", "a*b"])
def test_a_prefix_that_is_no_name_is_invalid(
    core: Core, past: PastTasks, tmp_path: Path, prefix: str
) -> None:
    reply = save(core, past.completed(QUESTION), tmp_path / "out", prefix=prefix)
    assert reply["error"] == "INVALID_QUERY"


def test_a_prefix_is_counted_in_characters_as_far_as_a_file_can_have_its_name(
    core: Core, past: PastTasks, tmp_path: Path
) -> None:
    task = past.completed(QUESTION)
    assert save(core, task, tmp_path, prefix="研" * 66)["success"]
    reply = save(core, task, tmp_path, prefix="研" * 67)
    assert (reply["error"], "201 bytes" in reply["message"]) == ("INVALID_QUERY", True)
    assert "about 66" in reply["suggestion"]


def test_without_sources_a_saved_report_sends_nobody_to_them(
    core: Core, past: PastTasks, tmp_path: Path
) -> None:
    said = "Confidence 0.80. Every excerpt under Sources is verbatim, at the place that is given there."
    report = f"# The sky\n\n## Answer\n\nAir. [1]\n\n{said}\n\n## Sources\n\nNone.\n"
    task = past.completed(QUESTION, report=report)
    assert "under Sources" in saved(core, task, tmp_path)
    without = saved(core, task, tmp_path, include_sources=False)
    assert "Sources" not in without and "Confidence 0.80." in without


def test_markup_in_an_excerpt_is_shown_as_words_in_saved_markdown(
    core: Core, past: PastTasks, tmp_path: Path
) -> None:
    hostile = "![p](http://evil.example/p.png) and [log in](http://evil.example)"
    task = past.completed(QUESTION, citations=[citation(1, 0, 47, raw_excerpt=hostile)])
    text = saved(core, task, tmp_path)
    assert r"> !\[p](http://evil.example/p.png) and \[log in](http" in text


@pytest.mark.parametrize("broken", ["\ud800", "\udc80", "../\ud800", "a/\udfff"])
def test_half_signs_in_a_name_are_refused_in_words_that_can_be_sent(
    core: Core, past: PastTasks, tmp_path: Path, broken: str
) -> None:
    task = past.completed(QUESTION)
    replies = {
        "output_dir": save(core, task, f"{tmp_path}/{broken}"),
        "filename_prefix": save(core, task, tmp_path / "out", prefix=broken),
    }
    for name, reply in replies.items():
        json.dumps(reply, ensure_ascii=False).encode()
        assert reply == {
            "success": False,
            "error": "INVALID_QUERY",
            "message": f"The {name} is not valid text.",
            "suggestion": "Remove the broken characters.",
        }


def test_a_prefix_may_be_in_any_language(core: Core, past: PastTasks, tmp_path: Path) -> None:
    reply = save(core, past.completed(QUESTION), tmp_path, prefix="研究 Überblick")
    assert Path(reply["file_path"]).name.startswith("研究 Überblick_")


# -- when it cannot be written --------------------------------------------------------------------


def test_a_folder_that_is_a_file_is_refused(core: Core, past: PastTasks, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    reply = save(core, past.completed(QUESTION), tmp_path / "file")
    assert (reply["error"], (tmp_path / "file").read_text()) == ("PERMISSION_DENIED", "x")
    assert reply["file_path"].startswith(str(tmp_path / "file"))


def test_a_folder_without_permission_is_refused(
    core: Core, past: PastTasks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shut = tmp_path / "shut"
    shut.mkdir(mode=stat.S_IRUSR | stat.S_IXUSR)
    if os.access(shut, os.W_OK):  # The superuser may write anywhere.

        def refuse(path: Path, content: bytes) -> None:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))

        monkeypatch.setattr(saving, "_write", refuse)
    reply = save(core, past.completed(QUESTION), shut)
    assert (reply["success"], reply["error"]) == (False, "PERMISSION_DENIED")
    assert "Permission denied" in reply["message"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_that_fills_up_leaves_nothing_behind(
    core: Core, past: PastTasks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fail(path: Path, content: bytes) -> None:
        path.write_bytes(content[:10])
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(saving, "_write", fail)
    reply = save(core, past.completed(QUESTION), tmp_path / "out")
    assert (reply["success"], reply["error"]) == (False, "DISK_FULL")
    assert reply["required_kb"] > 0 and reply["available_kb"] >= 0
    assert [path for path in (tmp_path / "out").rglob("*") if path.is_file()] == []


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system with next to no room."""
    place = tmp_path / "tiny"
    place.mkdir()
    size = ["-o", "size=128k"]
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", *size, "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("nothing can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_disk_that_is_really_full_is_said_to_be(
    core: Core, past: PastTasks, tiny_disk: Path
) -> None:
    report = "## Findings\n\n" + "word " * 40_000
    reply = save(core, past.completed(QUESTION, report=report), tiny_disk)
    assert (reply["error"], reply["available_kb"] < 150) == ("DISK_FULL", True)
    assert reply["required_kb"] > reply["available_kb"]
    assert [path for path in tiny_disk.rglob("*") if path.is_file()] == []


def test_a_file_system_without_links_is_written_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, target: Path) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    paths = [saving.write_new(tmp_path, "2026-11", "n", "md", b"x") for _ in range(2)]
    assert [path.name for path in paths] == ["n.md", "n_2.md"]
    assert [path.read_bytes() for path in paths] == [b"x", b"x"]
    assert len(list((tmp_path / "2026-11").iterdir())) == 2
