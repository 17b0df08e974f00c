"""The document versions that parts of an index hold, by number, and which of them count."""

import threading
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

import numpy as np
import numpy.typing as npt

from language.naming import first_word, names_of
from projections.corpus import Place, Version
from projections.index.filters import Filters, is_among, year_of

Mask = npt.NDArray[np.bool_]

_NONE = np.zeros(0, np.int32)
NOBODY = 0
"""The number of no version: rows that must not be found belong to it."""


class Documents:
    """Versions by number. Numbers are given once; what is dropped can be held again."""

    def __init__(self) -> None:
        self._versions: list[Version | None] = [None]
        self._numbers: dict[int, int] = {}
        self._live = bytearray(1)
        self._collections = array("i", [-1])
        self._collection_numbers: dict[str, int] = {}
        self._years = array("i", [0])
        self._found: dict[str, dict[str, list[int]]] = {}
        self._unread: list[int] = []
        """Numbers that `_found` does not know of yet."""

        self._naming = threading.Lock()
        self._titled: dict[str, set[int]] = {}
        self._names: dict[int, frozenset[str]] = {}
        self._longest: dict[str, int] = {}
        """Words of the longest name that there ever was, by its first one."""

        self._unnamed: list[int] = []
        """Numbers whose titles were not read yet, or may have changed."""

    def __getitem__(self, number: int) -> Version:
        version = self._versions[number]
        assert version is not None
        return version

    def number(self, fingerprint: int) -> int:
        """The number of a version, held or not."""
        number = self._numbers.get(fingerprint)
        if number is None:
            number = self._numbers[fingerprint] = len(self._versions)
            self._versions.append(None)
            self._live.append(0)
            self._collections.append(-1)
            self._years.append(0)
        return number

    def hold(self, version: Version) -> int:
        """Let a version be found."""
        number = self.number(version.fingerprint)
        names = self._collection_numbers
        self._versions[number] = version
        self._live[number] = 1
        self._collections[number] = names.setdefault(version.collection, len(names))
        self._years[number] = year_of(version.metadata, version.media_type)
        self._unread.append(number)
        self._unnamed.append(number)
        return number

    def drop(self, fingerprint: int) -> None:
        """Let a version be found no longer."""
        self._live[self.number(fingerprint)] = 0

    def live(self) -> Mask:
        """Which versions count, by number; later changes do not show in it."""
        return np.frombuffer(bytes(self._live), np.bool_)

    def chosen(self, filters: Filters) -> Mask:
        """Which versions count and satisfy the conditions on documents."""
        chosen = self.live()
        if filters.collections is not None:
            names = self._collection_numbers
            wanted = [names[each] for each in filters.collections if each in names]
            chosen = chosen & np.isin(_copied(self._collections), wanted)
        if filters.years is not None:
            years = _copied(self._years)
            chosen = chosen & (years >= max(1, filters.years[0])) & (years <= filters.years[1])
        if filters.documents is not None:
            chosen = chosen & self._among("document", filters.documents, _document)
        if filters.places is not None:
            chosen = chosen & self._at(frozenset(filters.places))
        if filters.locators is not None:
            chosen = chosen & self._among("locator", filters.locators, _locator)
        if filters.among:
            chosen = chosen & self._called(filters.among, len(chosen))
        if filters.citekeys is not None:
            chosen = chosen & self._among("citekey", filters.citekeys, _citekey)
        for tag in filters.tags:
            chosen = chosen & self._among("tag", (tag.casefold(),), _tags)
        return chosen

    def titled(self, name: str) -> npt.NDArray[np.int32]:
        """The versions with this name in their titles, also those that count no longer."""
        with self._naming:
            self._name_all()
            numbers = self._titled.get(name)
            return np.fromiter(numbers, np.int32) if numbers else _NONE

    def longest_titled(self) -> Mapping[str, int]:
        """How many words titles have at most that begin with a word."""
        with self._naming:
            self._name_all()
            return self._longest

    def _name_all(self) -> None:
        # Searches ask without the lock of whoever holds versions, so that one may come at any time.
        while self._unnamed:
            self._name(self._unnamed.pop())

    def _name(self, number: int) -> None:
        before = self._names.get(number, frozenset())
        names = self._names[number] = names_of(self[number].title)
        for name in before - names:
            self._titled[name].discard(number)
        for name in names - before:
            self._titled.setdefault(name, set()).add(number)
            word, length = first_word(name)
            self._longest[word] = max(length, self._longest.get(word, 0))

    def _among(
        self, kind: str, wanted: Iterable[str], values: Callable[[Version], Iterable[str]]
    ) -> Mask:
        asked = set(wanted)
        mask = np.zeros(len(self._live), np.bool_)
        for each in asked:
            for number in self._by(kind).get(each, ()):
                # It may have been published again since, with other words about it.
                mask[number] = not asked.isdisjoint(values(self[number]))
        return mask

    def _called(self, words: tuple[str, ...], count: int) -> Mask:
        """Which of the first versions have one of the words in their path or URL."""
        held = self._versions[:count]
        named = (each is not None and is_among(each.locator, words) for each in held)
        return np.fromiter(named, np.bool_, count)

    def _at(self, places: frozenset[Place]) -> Mask:
        """Which versions are held in one of the places."""
        mask = np.zeros(len(self._live), np.bool_)
        for place in places:
            for number in self._by("document").get(place[1], ()):
                mask[number] |= self[number].place == place
        return mask

    def _by(self, kind: str) -> dict[str, list[int]]:
        """Numbers by what their versions say. Made only when somebody asks."""
        if not self._found or self._unread:
            for name in ("document", "locator", "citekey", "tag"):
                self._found.setdefault(name, defaultdict(list))
            for number in self._unread:
                version = self[number]
                self._found["document"][version.document].append(number)
                self._found["locator"][version.locator].append(number)
                for key in _citekey(version):
                    self._found["citekey"][key].append(number)
                for tag in _tags(version):
                    self._found["tag"][tag].append(number)
            self._unread.clear()
        return self._found[kind]


def _copied(numbers: "array[int]") -> npt.NDArray[np.int32]:
    return np.array(np.frombuffer(numbers, np.int32))  # An array that is looked at cannot grow.


def _document(version: Version) -> Iterable[str]:
    return (version.document,)


def _locator(version: Version) -> Iterable[str]:
    return (version.locator,)


def _citekey(version: Version) -> Iterable[str]:
    key = version.metadata.get("citekey")
    return () if key is None else (key,)


def _tags(version: Version) -> Iterable[str]:
    # One list writes them with capitals, another does not.
    return {tag.casefold() for tag in version.tags}
