"""Numbers of pages as they are written in a line."""

from collections.abc import Mapping, Sequence

LONGEST_LIST = 190
"""Characters of a line that is kept with a document."""


def as_ranges(numbers: Sequence[int]) -> str:
    """Pages as `1-3, 7`; of very many scattered ones, the first."""
    found: list[list[int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    listed = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in found)
    return listed if len(listed) <= LONGEST_LIST else listed[:LONGEST_LIST].rpartition(",")[0]


def page_list(name: str, numbers: Sequence[int]) -> dict[str, str]:
    """What a document keeps of some of its pages: their list, and how many they are where it does not hold all."""
    listed = as_ranges(numbers)
    whole = pages_in(listed) == len(numbers)
    return {name: listed} | ({} if whole else {f"{name}_count": str(len(numbers))})


def pages_in(listed: str) -> int:
    """How many pages a list such as `1-3, 7` names."""
    count = 0
    for part in filter(None, (part.strip() for part in listed.split(","))):
        first, _, last = part.partition("-")
        if first.isdecimal() and (last or first).isdecimal():
            count += int(last or first) - int(first) + 1
    return count


def pages_told(said: Mapping[str, str], name: str) -> int:
    """How many pages a document keeps under a name, also where its list does not hold all."""
    count = said.get(f"{name}_count", "")
    return int(count) if count.isdecimal() else pages_in(said.get(name, ""))
