"""Facts, and references to content kept by its hash."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Hash = Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
"""A digest with the name of its algorithm, so that a future change of either is detectable."""


class Fact(BaseModel):
    """Something that happened. Frozen, and meaningful without its neighbours."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    """The fact's name on disk; never renamed, only superseded."""


class UnknownFact(Fact):
    """A fact of a kind this version does not know; carried along, never dropped."""

    model_config = ConfigDict(frozen=True, extra="allow")


class Blob(BaseModel):
    """Content kept apart from the record, referred to by what it is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    hash: Hash
    """Digest of the content itself: the blob's name."""

    size: int
    """Length of the content in bytes."""

    stored: Hash
    """Digest of the compressed file, so that it can be checked without a decompressor."""
