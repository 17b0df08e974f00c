"""Facts, and references to content kept by its hash."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

Hash = Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
"""A digest with the name of its algorithm, so that a future change of either is detectable."""


_WHOLE = range(-(1 << 63), 1 << 64)
"""Whole numbers that every reader of a line takes for the same."""


def _within(number: int) -> int:
    return max(_WHOLE[0], min(number, _WHOLE[-1]))


def _spelled(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _spelled(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_spelled(each) for each in value]
    return str(value) if isinstance(value, int) and value not in _WHOLE else value


# Both mend instead of refusing: what others count or tell is no reason to lose the fact.
Count = Annotated[int, AfterValidator(_within)]
"""How many somebody else says they were; what no line can hold becomes the most that one can."""

Details = Annotated[dict[str, Any], AfterValidator(_spelled)]
"""Whatever is known, as a line can hold it: members with one name each, and no number that readers disagree about."""


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
