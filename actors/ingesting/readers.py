"""Which version each reader of files is at, so that texts which an older one read can be told from today's.

Raise a reader's number when it reads anything else out of the same bytes: text, structure, title or metadata. That may
come from a part which several share, as scans are read for `pdf` and `image`: raise each of them. Also raise the number
of a reader whose files `actors.ingesting.parsing` leaves to another one. What the other readers have read stays as it
is.
"""

from events.codec import canonical, digest

VERSIONS = {
    "annotations": 1,
    "book": 4,
    "code": 3,
    "data": 3,
    "feed": 3,
    "html": 7,
    "image": 2,
    "mail": 5,
    "markdown": 3,
    "notebook": 3,
    "pdf": 3,
    "plain": 5,
    "separated": 4,
    "slides": 3,
    "word": 4,
    "workbook": 3,
}


def present(name: str) -> str:
    """A reader as facts name it, such as `pdf-2`."""
    return f"{name}-{VERSIONS[name]}"


def all_present() -> str:
    """All readers by one name, which is another one as soon as any of them has a newer version."""
    return digest(canonical(VERSIONS))


def is_outdated(reader: str | None) -> bool:
    """Whether a text would be read by a newer version today; nobody's is from before they had any."""
    if reader is None:
        return True
    name, _, version = reader.rpartition("-")
    return version.isdecimal() and int(version) < VERSIONS.get(name, 0)
