"""Contract 05: names whose particles are apart, as citation styles and BibTeX want them.

Zotero, RIS and many lists keep them in the family name: `van der Berg`. Some styles sort and print
such a name under its last word, so the same work would be cited in two ways.
"""

from collections.abc import Mapping
from typing import Any

from actors.ingesting.references import UNPARTED, is_unparted, text_of

_ROLES = ("author", "editor", "translator", "container-author", "collection-editor", "director")
_PARTICLES = ("non-dropping-particle", "dropping-particle")
_BEHIND_GIVEN = frozenset(
    {
        *("'t", "af", "av", "da", "das", "de", "dei", "del", "della", "den", "der", "di", "do"),
        *("dos", "du", "la", "las", "los", "ten", "ter", "van", "vom", "von", "zu", "zum", "zur"),
    }
)
"""Small words that end a given name, and are no second given name, as in `Ludwig van`."""


def with_particles(item: Mapping[str, Any]) -> dict[str, Any]:
    """An item whose names have their particles apart."""
    return dict(item) | {
        role: [_parted(each) for each in item[role]]
        for role in _ROLES
        if isinstance(item.get(role), list)
    }


def _parted(person: Any) -> Any:
    """A name with its particles apart; as it is where somebody parted it, or said that it is one word."""
    if not isinstance(person, Mapping) or is_unparted(person):
        return person
    if any(person.get(name) for name in _PARTICLES):
        return person
    family, given = text_of(person.get("family")), text_of(person.get("given"))
    if not family or not given:
        return person
    if len(family) > 2 and family[0] == family[-1] == '"':
        # How CSL says that a family name is not to be parted.
        return dict(person) | {"family": family[1:-1]} | UNPARTED
    before, family = _led_by(family.split())
    given, behind = _ended_by(given.split())
    said = {"family": family, "given": given, _PARTICLES[0]: before, _PARTICLES[1]: behind}
    return dict(person) | {name: text for name, text in said.items() if text}


def _led_by(words: list[str]) -> tuple[str, str]:
    """The small words that a family name begins with, and the rest of it; a name all in small letters is none."""
    small = next((at for at, word in enumerate(words) if not word.islower()), 0)
    return " ".join(words[:small]), " ".join(words[small:])


def _ended_by(words: list[str]) -> tuple[str, str]:
    """A given name, and the particles that it ends with."""
    first = len(words)
    while first > 1 and words[first - 1] in _BEHIND_GIVEN:
        first -= 1
    return " ".join(words[:first]), " ".join(words[first:])
