"""Which researcher works on a question, by what there is to work with."""

from collections.abc import Collection
from typing import Literal

from events.errors import NothingToSearch

Kind = Literal["gemini", "claude", "corpus"]
_KINDS: tuple[Kind, ...] = ("gemini", "claude", "corpus")


class StillReading(NothingToSearch):
    """No provider is configured, and the first documents are not read yet: (job,)."""

    says = "No research provider is configured, and the first documents are still being read."
    suggestion = (
        "Ask again when job {0} has ended (research-agent kb status {0} shows how far it is), "
        "or set a provider's API key."
    )


class NoDocuments(NothingToSearch):
    """The researcher over documents was named, and there are none: ()."""

    says = "The model that was named answers from ingested documents, and there are none yet."
    suggestion = (
        "Ingest documents first (ingest_documents, or research-agent ingest PATH) and wait until "
        "they are read, or name another model."
    )


class DocumentsUnderWay(NoDocuments):
    """Likewise, and the first ones are not read yet: (job,)."""

    says = (
        "The model that was named answers from ingested documents, and the first ones are still "
        "being read."
    )
    suggestion = (
        "Ask again when job {0} has ended (research-agent kb status {0} shows how far it is), "
        "or name another model."
    )


def choose_researcher(model: str, keys: Collection[str], *, has_corpus: bool) -> Kind:
    """The kind of researcher for a requested model, given the providers whose keys are there.

    The provider of the model comes first where it can be told, then Gemini, then Claude (which searches through
    Tavily, so it needs both keys), then the corpus. With none of them there is `NothingToSearch`.
    Who names the corpus, which costs nothing, never gets one that is paid for: without documents that is
    `NoDocuments`.
    """
    able = _able(keys, has_corpus=has_corpus)
    if names_corpus(model) and not has_corpus:
        raise NoDocuments
    wanted = [kind for kind in able if _provides(kind, model)]
    for kind in (*wanted, *able):
        if able[kind]:
            return kind
    raise NothingToSearch


def choose_grounded(keys: Collection[str], *, has_corpus: bool) -> Kind:
    """The kind of researcher whose every sentence rests on what it read, for a question that is waited for.

    Claude where both of its keys are there, otherwise the corpus; Gemini takes long, and is the last resort.
    """
    able = _able(keys, has_corpus=has_corpus)
    order: tuple[Kind, ...] = ("claude", "corpus", "gemini")
    for kind in order:
        if able[kind]:
            return kind
    raise NothingToSearch


def names_corpus(model: str | None) -> bool:
    """Whether the model that was named is the researcher over documents, which costs nothing."""
    return model is not None and _provides("corpus", model)


def able(keys: Collection[str], *, has_corpus: bool) -> tuple[Kind, ...]:
    """The kinds of researchers that could work now."""
    return tuple(kind for kind, can in _able(keys, has_corpus=has_corpus).items() if can)


def _able(keys: Collection[str], *, has_corpus: bool) -> dict[Kind, bool]:
    return {
        "gemini": "gemini" in keys,
        "claude": {"claude", "tavily"} <= set(keys),
        "corpus": has_corpus,
    }


def model_for(kind: Kind, model: str) -> str | None:
    """The model that a researcher of a kind is told to use; none, where the one named is another provider's."""
    others = any(_provides(other, model) for other in _KINDS if other != kind)
    return None if others and not _provides(kind, model) else model


def _provides(kind: Kind, model: str) -> bool:
    beginnings = {
        "gemini": ("deep-research", "gemini"),
        "claude": ("claude",),
        "corpus": ("corpus",),
    }
    return model.strip().lower().startswith(beginnings[kind])
