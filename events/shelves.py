"""What the root stream records of collections and projects: the scopes over the corpus."""

from typing import Literal

from events.base import Fact

CollectionType = Literal["fundamental", "project-specific"]


class CollectionCreated(Fact):
    """A named scope over the corpus came to be."""

    kind: Literal["collection_created"] = "collection_created"

    collection: str
    collection_type: CollectionType = "fundamental"
    project: str | None = None


class CollectionDeleted(Fact):
    """A collection and what it holds left every search at once; it can be restored."""

    kind: Literal["collection_deleted"] = "collection_deleted"

    collection: str


class CollectionRestored(Fact):
    """A deleted collection is back, with what it held when it was deleted."""

    kind: Literal["collection_restored"] = "collection_restored"

    collection: str


class ProjectCreated(Fact):
    """A project came to be: a name for a choice of collections."""

    kind: Literal["project_created"] = "project_created"

    project: str


class ProjectLinked(Fact):
    """Collections became part of a project."""

    kind: Literal["project_linked"] = "project_linked"

    project: str
    collections: tuple[str, ...]


class ProjectUnlinked(Fact):
    """Collections are no longer part of a project."""

    kind: Literal["project_unlinked"] = "project_unlinked"

    project: str
    collections: tuple[str, ...]


class ProjectDefaultsSet(Fact):
    """The collections that a project's questions go to when none is named."""

    kind: Literal["project_defaults_set"] = "project_defaults_set"

    project: str
    collections: tuple[str, ...]
