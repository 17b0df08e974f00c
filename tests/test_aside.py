"""A second process that helps with a cold start changes nothing but how long it takes."""

import subprocess
from pathlib import Path

import pytest

from projections import aside, folds
from projections.views import Views
from tests.homes import BuiltHome, build_home


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuiltHome:
    return build_home(tmp_path_factory.mktemp("aside"), tasks=6, researchers=2, jobs=2)


def dump(built: BuiltHome) -> bytes:
    return Views(built.home).dump()


def test_what_two_processes_fold_is_what_one_folds(
    built: BuiltHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone, facts = dump(built), Views(built.home).refresh_all().facts
    helpers: list[int] = []
    collect = aside.Aside.collect

    def counted(self: aside.Aside) -> tuple[list[bytes], int]:
        states, number = collect(self)
        helpers.append(number)
        return states, number

    monkeypatch.setattr(aside.Aside, "collect", counted)
    monkeypatch.setattr(folds, "MANY", 0)
    assert dump(built) == alone
    assert Views(built.home).refresh_all().facts == facts
    assert all(0 < number < facts for number in helpers)
    assert len(helpers) == 2


def test_a_helper_that_dies_is_not_missed(
    built: BuiltHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = dump(built)
    popen = subprocess.Popen

    def doomed(*arguments: object, **options: object) -> "subprocess.Popen[bytes]":
        process: subprocess.Popen[bytes] = popen(*arguments, **options)  # type: ignore[call-overload]
        process.kill()
        return process

    monkeypatch.setattr(folds, "MANY", 0)
    monkeypatch.setattr("projections.aside.subprocess.Popen", doomed)
    assert dump(built) == alone


def test_a_fault_is_named_whoever_meets_it_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = build_home(tmp_path, tasks=4)
    monkeypatch.setattr(folds, "MANY", 0)
    for task in (built.tasks[0], built.tasks[-1]):
        path = built.stream(task)
        path.write_bytes(path.read_bytes().replace(b"task_accepted", b"task_adopted_"))
    broken = Views(built.home).refresh_all().broken
    assert sorted(broken) == sorted((built.tasks[0], built.tasks[-1]))
    assert all("does not match its hash" in why for why in broken.values())
