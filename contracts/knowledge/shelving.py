"""Contract 03: collections and projects, as its tools and commands manage them."""

from collections.abc import Callable, Iterable
from typing import Any, cast, get_args

from actors import shelves
from actors.catalogue_state import CatalogueState, Project
from contracts.allowed_paths import shortened
from contracts.core import Core
from events.catalogue import SourcePublished
from events.errors import BadRequest, ResearchError, UnknownCollection, UnknownProject
from events.home import CATALOGUE
from events.shelves import CollectionType
from projections.catalogue import Collection, SourceVersion

Reply = dict[str, Any]

DOCUMENTS_SHOWN = 100
"""Documents that the description of a collection lists."""

COLLECTION_ACTIONS = ("create", "list", "delete", "info", "restore")
PROJECT_ACTIONS = ("create", "link", "unlink", "set-defaults", "list", "info")


class BadCollectionName(BadRequest):
    """A collection's name that cannot be used: (what, advice)."""


class NotDeleted(UnknownCollection):
    """There is nothing of that name to be restored: (name, what can be)."""

    says = "There is no deleted collection {0!r}."
    suggestion = "Deleted collections: {1}."


class IsDeleted(UnknownCollection):
    """The collection that is named is deleted: (name,)."""

    says = "The collection {0!r} is deleted."
    suggestion = (
        "Restore it with manage_collections(action='restore', collection_name={0!r}), or "
        "research-agent collections restore {0!r}."
    )


# -- collections -----------------------------------------------------------------------------------


def manage_collections(
    core: Core,
    action: str,
    name: str | None = None,
    collection_type: str | None = None,
    project: str | None = None,
) -> Reply:
    """One of the contract's actions on collections."""
    # Clients fill in what is optional with nothing.
    project = named_project(core, project) if project else None
    if action == "list":
        listed = list_collections(core, project)
        return _done(action, collections=listed, total=len(listed))
    acts: dict[str, Callable[[str], Reply]] = {
        "create": lambda name: _create(core, name, collection_type, project),
        "delete": lambda name: _delete(core, name),
        "restore": lambda name: _restore(core, name),
        "info": lambda name: _info(core, name),
    }
    act = acts.get(action)
    if act is None:
        raise _no_such_action(action, COLLECTION_ACTIONS)
    collection = named_collection(core, _required(name, "collection_name", action))
    if project is not None and action != "create":
        _expect_linked(core, collection, project)
    return act(collection)


def _expect_linked(core: Core, name: str, project: str) -> None:
    """Refuse a collection that a project does not have: who names both means no other project's."""
    state = core.catalogue.state()
    linked = known_project(state, project).collections
    if name in state.collections | state.deleted and name not in linked:
        raise shelves.NotLinked(shortened(name), project, shelves.some_names(linked))


def _create(core: Core, name: str, collection_type: str | None, project: str | None) -> Reply:
    checked_name(name)
    kinds = get_args(CollectionType)
    kind = collection_type or ("project-specific" if project else "fundamental")
    if kind not in kinds:
        raise BadRequest(
            f"There is no collection type {shortened(kind, 60)!r}.", f"Use {' or '.join(kinds)}."
        )
    core.home.prepare()
    shelves.create_collection(core.catalogue, name, cast("CollectionType", kind), project)
    return _done("create", collection=described(core, name))


def _delete(core: Core, name: str) -> Reply:
    was = described(core, name)
    gone = shelves.delete_collection(core.catalogue, name)
    again = f"manage_collections(action='restore', collection_name={name!r})"
    return _done("delete", collection=was, documents=gone, undo=again)


def _restore(core: Core, name: str) -> Reply:
    state = core.catalogue.state()
    if name not in state.deleted:
        raise NotDeleted(shortened(name), shelves.some_names(state.deleted))
    shelves.restore_collection(core.catalogue, name)
    return _done("restore", collection=described(core, name))


def _info(core: Core, name: str) -> Reply:
    return _done("info", collection=described(core, name, whole=True))


def list_collections(core: Core, project: str | None = None) -> list[Reply]:
    """What there is, in order of creation; those of one project where it is named."""
    state = core.catalogue.state()
    linked = None if project is None else known_project(state, project).collections
    return [
        _summary(core, each)
        for each in core.views.collections()
        if each.collection in state.collections and (linked is None or each.collection in linked)
    ]


def described(core: Core, name: str, *, whole: bool = False) -> Reply:
    """One collection; `whole` adds what it holds and how that was made searchable."""
    name = named_collection(core, name)
    known(core, [name])
    held = next(each for each in core.views.collections() if each.collection == name)
    found = _summary(core, held)
    if not whole:
        return found
    sources = core.views.sources(name)
    facts = _published(core, name)
    newest = core.views.last_published(name)
    return found | {
        "bytes": sum(source.size for source in sources),
        "languages": sorted({fact.language for fact in facts}),
        "media_types": sorted({source.media_type for source in sources}),
        "models": _models(core, name),
        "last_ingest": {"at": newest.published_at, "job_id": newest.job} if newest else None,
        "holds": [document_row(source) for source in sources[:DOCUMENTS_SHOWN]],
        "left_off": max(0, len(sources) - DOCUMENTS_SHOWN),
    }


def _summary(core: Core, held: Collection) -> Reply:
    projects = list(core.catalogue.state().projects.items())
    return {
        "name": held.collection,
        "type": held.collection_type,
        "created_at": held.created_at,
        "projects": [name for name, each in projects if held.collection in each.collections],
        "documents": held.documents,
        "chunks": held.chunks,
    }


def document_row(source: SourceVersion) -> Reply:
    """A document in a list."""
    return {
        "id": source.document,
        "title": source.title,
        "source": source.locator,
        "media_type": source.media_type,
        "version": source.version,
        "bytes": source.size,
        "chunks": source.chunks,
        "published_at": source.published_at,
    }


def _published(core: Core, name: str) -> list[SourcePublished]:
    held = list(core.catalogue.state().published.items())
    return [each.source for place, each in held if place[0] == name]


def _models(core: Core, name: str) -> list[str]:
    """The embedding models that a collection is searched by: those of one document of each generation."""
    from events.segment import BadSegment, decode
    from projections.corpus_snapshot import open_fold

    corpus, cursor = open_fold(core.home)
    corpus.feed(core.home.read(CATALOGUE, cursor)[0])
    held = (version for version in corpus.held.values() if version.collection == name)
    found: set[str] = set()
    for segment in {version.generation: version.segment_hash for version in held}.values():
        try:
            found.update(decode(core.home.blobs.get(segment)).models)
        except (ResearchError, BadSegment):
            continue  # What is lost or damaged is the verifier's to tell.
    return sorted(found)


# -- projects --------------------------------------------------------------------------------------


def manage_projects(
    core: Core, action: str, name: str | None = None, collections: str | None = None
) -> Reply:
    """One of the contract's actions on projects."""
    if action == "list":
        names = list(core.catalogue.state().projects)
        return _done(action, projects=[project(core, each) for each in names], total=len(names))
    if action not in PROJECT_ACTIONS:
        raise _no_such_action(action, PROJECT_ACTIONS)
    named = named_project(core, _required(name, "project_name", action))
    if action == "create":
        core.home.prepare()
        if chosen := named_collections(core, collections):
            known(core, chosen)
        shelves.create_project(core.catalogue, named)
        if chosen:
            shelves.link(core.catalogue, named, chosen)
    elif action != "info":
        project(core, named)
        chosen = named_collections(core, _required(collections, "collections", action))
        if not chosen:
            raise BadRequest("No collection is named.", "Give names with commas between.")
        if action != "unlink":
            known(core, chosen)
        act = {"link": shelves.link, "unlink": shelves.unlink, "set-defaults": shelves.set_defaults}
        act[action](core.catalogue, named, chosen)
    return _done(action, project=project(core, named))


def project(core: Core, name: str) -> Reply:
    """One project and what it links."""
    state = core.catalogue.state()
    name = shelves.meant(name, state.projects)
    here = known_project(state, name)
    return {
        "name": name,
        "collections": [each for each in here.collections if each in state.collections],
        "defaults": [each for each in here.defaults if each in state.collections],
        "deleted_collections": [each for each in here.collections if each in state.deleted],
        "current": core.settings.project is not None
        and name == shelves.meant(core.settings.project, state.projects),
    }


# -- names -----------------------------------------------------------------------------------------


def split_names(names: str | None) -> list[str]:
    """Names from a list with commas between, each once."""
    return list(dict.fromkeys(part.strip() for part in (names or "").split(",") if part.strip()))


def named_collections(core: Core, names: str | None) -> list[str]:
    """The collections that a list with commas between means, each once."""
    return list(dict.fromkeys(named_collection(core, each) for each in split_names(names)))


def named_collection(core: Core, name: str) -> str:
    """The collection that a name means, also a deleted one; else the name as a new one would have it."""
    state = core.catalogue.state()
    return shelves.meant(name, state.collections | state.deleted)


def named_project(core: Core, name: str) -> str:
    """The project that a name means; else the name as a new one would have it."""
    return shelves.meant(name, core.catalogue.state().projects)


def known(core: Core, names: Iterable[str]) -> None:
    """Refuse names that no collection has."""
    state = core.catalogue.state()
    there = state.collections
    for name in names:
        if name in state.deleted:
            raise IsDeleted(shortened(name))
        if name not in there:
            raise UnknownCollection(shortened(name), shelves.some_names(there, "none yet"))


def known_project(state: CatalogueState, name: str) -> Project:
    """The project of that name; refused if there is none."""
    if name not in state.projects:
        raise UnknownProject(shortened(name), shelves.some_names(state.projects))
    return state.projects[name]


def checked_name(name: str) -> str:
    """A name that a collection may have."""
    try:
        shelves.check_name(name, "collection")
    except BadRequest as refusal:
        raise BadCollectionName(*refusal.args) from None
    return name


def _required(value: str | None, name: str, action: str) -> str:
    if value is None or not value.strip():
        raise BadRequest(f"The action {action} needs {name}.", f"Call it again with {name}.")
    return value.strip() if name == "collections" else value


def _no_such_action(action: str, actions: tuple[str, ...]) -> BadRequest:
    return BadRequest(
        f"There is no action {shortened(action, 60)!r}.", f"Use one of {', '.join(actions)}."
    )


def _done(action: str, **found: Any) -> Reply:
    return {"status": "success", "action": action, **found}
