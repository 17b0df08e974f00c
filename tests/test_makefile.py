"""`make setup` where the folder, its `.venv` or the interpreter is not what it was when that ran last."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

PYTHON = """#!/bin/sh
# Notes what it is asked for. Makes environments of itself, and is of a version that suits unless it is told otherwise.
echo "$*" >>"{notes}"
case "$1 $2" in
    "-c import"*) test ! -e "{notes}.unsuited" ;;
    "-m venv") mkdir -p .venv/bin; cp "$0" .venv/bin/python.new; mv .venv/bin/python.new .venv/bin/python ;;
esac
"""


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return tmp_path / "notes"


@pytest.fixture
def python(tmp_path: Path, notes: Path) -> Path:
    python = tmp_path / "python"
    python.write_text(PYTHON.format(notes=notes))
    python.chmod(0o755)
    return python


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "somebody's checkout"
    folder.mkdir()
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy2(ROOT / name, folder)
    return folder


def setup(folder: Path, python: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "setup", f"PYTHON={python}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def installations(notes: Path) -> int:
    return notes.read_text().count("-m pip install -qq --requirement requirements.lock")


def test_what_is_installed_stays_until_the_folder_is_called_otherwise(
    checkout: Path, python: Path, notes: Path
) -> None:
    assert setup(checkout, python).returncode == 0
    assert setup(checkout, python).returncode == 0
    assert installations(notes) == 1
    assert "-m venv .venv" not in notes.read_text(), "an environment of one's own stays as it is"
    renamed = checkout.rename(checkout.with_name("another name"))
    assert setup(renamed, python).returncode == 0
    assert "-m venv .venv" in notes.read_text()
    assert installations(notes) == 2, "the commands in .venv name the folder they were installed in"
    assert setup(renamed, python).returncode == 0
    assert installations(notes) == 2


def test_an_interpreter_that_is_gone_is_replaced(checkout: Path, python: Path, notes: Path) -> None:
    assert setup(checkout, python).returncode == 0
    linked = checkout / ".venv/bin/python"
    linked.unlink()
    linked.symlink_to(python.with_name("python of last year"))
    assert setup(checkout, python).returncode == 0
    assert "-m venv --clear .venv" in notes.read_text()
    assert installations(notes) == 2


def test_an_environment_of_another_python_is_refused_before_anything_is_installed(
    checkout: Path, python: Path, notes: Path
) -> None:
    environment = checkout / ".venv/bin"
    environment.mkdir(parents=True)
    shutil.copy2(python, environment / "python")
    notes.with_name("notes.unsuited").touch()
    refused = setup(checkout, python)
    assert refused.returncode != 0
    assert ".venv was made with another" in refused.stderr
    assert installations(notes) == 0
