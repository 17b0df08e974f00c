"""Collections and projects: made, linked, deleted and restored, each by a fact in the root stream."""

from collections.abc import Collection, Iterable, Sequence
from unicodedata import normalize

from actors.catalogue import Catalogue, DeletedThere
from actors.catalogue_state import CatalogueState
from events.base import Fact
from events.catalogue import SourceRemoved
from events.codec import digest
from events.errors import (
    AlreadyThere,
    BadRequest,
    UnknownCollection,
    UnknownDocument,
    UnknownProject,
)
from events.shelves import (
    CollectionCreated,
    CollectionDeleted,
    CollectionRestored,
    CollectionType,
    ProjectCreated,
    ProjectDefaultsSet,
    ProjectLinked,
    ProjectUnlinked,
)

LONGEST_NAME = 100
_WIDE_BLANK = "\u3000"

NAMED = 20
"""Names that a sentence has room for."""


class NotLinked(UnknownCollection):
    """A collection that there is, and that a project does not have: (name, project, what it has)."""

    says = "The collection {0!r} is not linked to the project {1!r}."
    suggestion = "Collections of the project: {2}."


def create_collection(
    catalogue: Catalogue,
    name: str,
    collection_type: CollectionType = "fundamental",
    project: str | None = None,
) -> None:
    """Make a collection, and link it where a project is named."""
    check_name(name, "collection")
    if project is not None:
        check_name(project, "project")

    def decide(state: CatalogueState) -> list[Fact]:
        if name in state.deleted:
            raise DeletedThere("a deleted collection", name)
        if name in state.collections:
            raise AlreadyThere("a collection", name)
        made: list[Fact] = [
            CollectionCreated(collection=name, collection_type=collection_type, project=project)
        ]
        if project is not None:
            if project not in state.projects:
                made.append(ProjectCreated(project=project))
            made.append(ProjectLinked(project=project, collections=(name,)))
        return made

    catalogue.decide(decide)


def delete_collection(catalogue: Catalogue, name: str) -> int:
    """Take a collection out of every search at once; how many documents went with it."""

    def decide(state: CatalogueState) -> list[Fact]:
        _known(state, [name])
        return [CollectionDeleted(collection=name)]

    catalogue.decide(decide)
    return sum(place[0] == name for place in catalogue.state().published)


def restore_collection(catalogue: Catalogue, name: str) -> None:
    """Bring a deleted collection back."""

    def decide(state: CatalogueState) -> list[Fact]:
        if name not in state.deleted:
            raise UnknownCollection(name, some_names(state.deleted))
        return [CollectionRestored(collection=name)]

    catalogue.decide(decide)


def remove_document(
    catalogue: Catalogue, collection: str, document: str, cause: str | None = None
) -> None:
    """Take one document out of a collection; its versions stay citable."""

    def decide(state: CatalogueState) -> list[Fact]:
        _known(state, [collection])
        if (collection, document) not in state.published:
            raise UnknownDocument(document, collection)
        return [SourceRemoved(collection=collection, document=document)]

    catalogue.decide(decide, cause)


def create_project(catalogue: Catalogue, name: str) -> None:
    """Make a project."""
    check_name(name, "project")

    def decide(state: CatalogueState) -> list[Fact]:
        if name in state.projects:
            raise AlreadyThere("a project", name)
        return [ProjectCreated(project=name)]

    catalogue.decide(decide)


def link(catalogue: Catalogue, project: str, collections: Sequence[str]) -> tuple[str, ...]:
    """Make collections part of a project; all that it has then."""

    def decide(state: CatalogueState) -> list[Fact]:
        linked = _project(state, project)
        _known(state, collections)
        new = tuple(name for name in dict.fromkeys(collections) if name not in linked)
        return [ProjectLinked(project=project, collections=new)] if new else []

    catalogue.decide(decide)
    return _project(catalogue.state(), project)


def unlink(catalogue: Catalogue, project: str, collections: Sequence[str]) -> tuple[str, ...]:
    """Take collections out of a project; all that it has then."""

    def decide(state: CatalogueState) -> list[Fact]:
        linked = _project(state, project)
        gone = tuple(name for name in dict.fromkeys(collections) if name in linked)
        strange = [name for name in collections if name not in linked]
        if strange:
            _known(state, strange)
            raise NotLinked(strange[0][:200], project, some_names(linked))
        return [ProjectUnlinked(project=project, collections=gone)] if gone else []

    catalogue.decide(decide)
    return _project(catalogue.state(), project)


def set_defaults(catalogue: Catalogue, project: str, collections: Sequence[str]) -> None:
    """The collections a project's questions go to when none is named; they are linked too."""
    chosen = tuple(dict.fromkeys(collections))

    def decide(state: CatalogueState) -> list[Fact]:
        linked = _project(state, project)
        _known(state, chosen)
        new = tuple(name for name in chosen if name not in linked)
        made: list[Fact] = [ProjectLinked(project=project, collections=new)] if new else []
        return [*made, ProjectDefaultsSet(project=project, collections=chosen)]

    catalogue.decide(decide)


def check_name(name: str, what: str) -> None:
    """Refuse a name that cannot be typed again or shown safely."""
    if not name.strip() or len(name) > LONGEST_NAME:
        raise BadRequest(
            f"The {what}'s name is empty or too long.", f"Use 1 to {LONGEST_NAME} letters."
        )
    # A project may be called `group/name`, as reference libraries call theirs.
    parts = name.split("/") if what == "project" else [name]
    if name != name.strip() or not all(map(_can_be_typed, parts)):
        raise BadRequest(
            f"The {what}'s name {name[:80]!r} cannot be used.",
            "Use letters, digits, spaces, dots and hyphens.",
        )


def _can_be_typed(part: str) -> bool:
    # Japanese words are parted by a wide blank, which every Japanese keyboard has.
    shown = part.replace(_WIDE_BLANK, " ")
    return shown.isprintable() and shown.strip(" .") != "" and not set(part) & set(",/\\")


def meant(given: str, there: Iterable[str]) -> str:
    """The name that is meant: one that there is, however its letters are put together, else in the usual spelling.

    Files of a Mac and some keyboards give letters and their marks one by one; nobody sees the difference.
    """
    there = set(there)
    if given in there:
        return given
    usual = normalize("NFC", given)
    return next((each for each in sorted(there) if normalize("NFC", each) == usual), usual)


def some_names(names: Collection[str], none: str = "none") -> str:
    """Names in a row for a sentence, the first few of many in order."""
    return first_names(sorted(names), none)


def first_names(names: Sequence[str], none: str) -> str:
    """The same, in the order that they have."""
    first = names[:NAMED]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(first)}{more}" if first else none


def project_collection(catalogue: Catalogue, project: str, cause: str | None = None) -> str:
    """The collection that a project's own documents go to; made and linked when there is none."""
    name = ""

    def decide(state: CatalogueState) -> list[Fact]:
        nonlocal name
        named = meant(project, state.projects)
        linked = _project(state, named)
        plain, unique = own_names(named)
        for name in (plain, unique):
            if name in linked and name in state.collections:
                return []
        # What another project was given must not become this one's by the likeness of a name.
        taken = state.collections | state.deleted
        name = unique if plain in taken else plain
        if name in taken:
            raise AlreadyThere("a deleted or unlinked collection", name)
        made = CollectionCreated(collection=name, collection_type="project-specific", project=named)
        return [made, ProjectLinked(project=named, collections=(name,))]

    catalogue.decide(decide, cause)
    return name


def own_names(project: str) -> tuple[str, str]:
    """What a project's own collection is called, and what if that name is somebody else's."""
    plain = f"proj-{project.replace('/', '-')}"
    return plain[
        :LONGEST_NAME
    ].strip(), f"{plain[: LONGEST_NAME - 9]}-{digest(project.encode())[7:15]}"


def _known(state: CatalogueState, names: Sequence[str]) -> None:
    for name in names:
        if name not in state.collections:
            raise UnknownCollection(name[:200], some_names(state.collections))


def _project(state: CatalogueState, name: str) -> tuple[str, ...]:
    if name not in state.projects:
        raise UnknownProject(name, some_names(state.projects))
    return state.projects[name].collections
