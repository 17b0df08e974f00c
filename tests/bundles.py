"""A research that is handed on, and what becomes of a home that is given a bundle."""

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from contracts.bundles import bundling, importing
from contracts.bundles import packing as bundle_zip
from contracts.core import Core
from contracts.settings import Settings
from events.errors import BundleRefused
from tests.make_golden import EXPECTED, HOME

Files = dict[str, bytes]
RANCE = "http://tides.example.gov/rance"
GOLDEN_TASK = str(json.loads(EXPECTED.read_bytes())["tasks"][0]["task"])


def core_at(root: Path) -> Core:
    return Core(Settings(home=root))


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The research of the golden home, handed on."""
    place = tmp_path_factory.mktemp("golden")
    shutil.copytree(HOME, place / "home")
    target = place / "golden.zip"
    bundling.export(core_at(place / "home"), GOLDEN_TASK, str(target))
    return target


@pytest.fixture(scope="module")
def files(bundle: Path) -> Files:
    with zipfile.ZipFile(bundle) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def there(tmp_path: Path) -> Core:
    """Another home."""
    return core_at(tmp_path / "there")


def packed(files: Files, at: Path) -> Path:
    with at.open("wb") as out:
        bundle_zip.write(dict(files), out)
    return at


def with_manifest(files: Files) -> Files:
    """The files under a manifest that was made for them, as a forger would make it."""
    others = {name: raw for name, raw in files.items() if name != "manifest.json"}
    return others | {"manifest.json": bundling.manifest(GOLDEN_TASK, dict(others))}


def everything(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.relative_to(root).as_posix().startswith("run/")
    }


def refused(core: Core, path: Path) -> str:
    """Why a bundle is refused; nothing is changed by it."""
    core.home.prepare()
    before = everything(core.home.root)
    with pytest.raises(BundleRefused) as refusal:
        importing.import_bundle(core, path)
    assert everything(core.home.root) == before
    assert not (core.home.run / "imports").exists()
    return refusal.value.sentence
