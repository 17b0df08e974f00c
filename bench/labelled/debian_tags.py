"""`many_en`: what Debian's packages are for, by the tags that people gave them.

A question is what a tag, or two together, stand for; the packages that have them are right. That is
many for one question, and hardly ever all of them: people tag what they know.
"""

import itertools
import random
import re
from collections import Counter
from dataclasses import dataclass

from bench.labelled.layout import Document, Draft, Question
from bench.labelled.packages import Packages
from bench.labelled.texts import cut, read, sentences, squeezed, words_of

DOCUMENTS, QUESTIONS, PAIRS, PAIRS_OF_ONE = 4000, 260, 120, 4

TOLD = frozenset(
    {
        *("admin", "biology", "field", "game", "hardware", "mail", "network", "office"),
        *("protocol", "science", "security", "sound", "use", "web", "works-with"),
        *("works-with-format", "accessibility", "culture", "devel", "junior"),
        *("filetransfer", "database", "educational"),
    }
)
"""Facets that say what a package is for."""

ASKED = TOLD - {"junior"}
PAIRED = ASKED - {"accessibility", "culture", "filetransfer", "database", "educational"}

VAGUE = frozenset(
    {
        *("protocol::tcp", "protocol::udp", "protocol::ip", "network::service"),
        *("network::server", "network::client", "use::TODO", "devel::library"),
        *("web::application", "protocol::TODO", "works-with::file", "works-with::unicode"),
        *("use::browsing", "admin::kernel", "devel::packaging"),
    }
)
"""Tags that half of the packages might have had as well."""

ALONE = {
    "works-with": "software that works with {}",
    "works-with-format": "programs that read or write {} files",
    "protocol": "programs that speak the {} protocol",
    "field": "software for the field of {}",
    "use": "programs for {}",
    "culture": "support for the {} language or culture",
    "sound": "sound software: {}",
    "web": "web: {}",
    "mail": "mail: {}",
    "network": "network {}",
    "hardware": "hardware support: {}",
    "security": "security: {}",
    "science": "scientific software for {}",
    "biology": "biology software: {}",
    "office": "office software: {}",
    "admin": "system administration: {}",
    "devel": "software development: {}",
}
TOGETHER = {
    "works-with": "working with {}",
    "works-with-format": "in the format {}",
    "field": "in the field of {}",
    "protocol": "over the {} protocol",
    "admin": "for the administrator: {}",
    "hardware": "hardware: {}",
    "devel": "for software developers: {}",
}
SAID_LATER = {"use": 0, "works-with": 2, "field": 3, "works-with-format": 4, "protocol": 5}

Found = dict[str, frozenset[str]]
"""The packages that have a tag."""


@dataclass(frozen=True)
class Program:
    """A package with its tags and what it says of itself."""

    name: str
    tags: frozenset[str]
    text: str


def many_en(packages: Packages) -> Draft:
    """Draw packages, one of each source, and ask for what some of them have in common."""
    chance = random.Random(3)
    words = _vocabulary(read(packages.debian("debtags") / "usr/share/debtags/vocabulary"))
    programs = _programs(packages.indexes())
    chance.shuffle(programs)
    programs = programs[:DOCUMENTS]
    tags = sorted(frozenset[str]().union(*(each.tags for each in programs)) & set(words) - VAGUE)
    found = {
        tag: frozenset(each.name for each in programs if tag in each.tags)
        for tag in tags
        if _facet(tag) in ASKED
    }
    asked = [*_alone(found, words), *_together(found, words, chance)]
    chance.shuffle(asked)
    return Draft(
        [Document(each.name, "", each.text) for each in programs],
        [
            Question(f"t{number}", text[:1].upper() + text[1:], answers)
            for number, (text, answers) in enumerate(asked[:QUESTIONS])
        ],
    )


def _alone(found: Found, words: dict[str, tuple[str, str]]) -> list[tuple[str, frozenset[str]]]:
    """Questions for one tag, with the first sentence that explains it."""
    asked = []
    for tag, answers in found.items():
        name, explained = words[tag]
        if not 5 <= len(answers) <= 60 or tag.startswith("devel::lang"):
            continue
        if "TODO" in tag or "TODO" in name or not words_of(name):
            continue
        text = ALONE.get(_facet(tag), "{}").format(name)
        if _facet(tag) == "game":
            text = name if "game" in name.lower() else f"{name} games"
        if explained and len(explained.split()) < 60:
            text = f"{text}. {sentences(explained)[0]}"
        asked.append((text, answers))
    return asked


def _together(
    found: Found, words: dict[str, tuple[str, str]], chance: random.Random
) -> list[tuple[str, frozenset[str]]]:
    """Questions for two tags of different facets, where neither nearly implies the other."""
    often = [tag for tag in found if _facet(tag) in PAIRED and len(found[tag]) >= 15]
    pairs = []
    for one, other in itertools.combinations(often, 2):
        both = found[one] & found[other]
        fewer = min(len(found[one]), len(found[other]))
        if _facet(one) != _facet(other) and 6 <= len(both) <= 50 and len(both) <= 0.7 * fewer:
            pairs.append((one, other))
    chance.shuffle(pairs)
    used: Counter[str] = Counter()
    asked: list[tuple[str, frozenset[str]]] = []
    for pair in pairs:
        if max(used[tag] for tag in pair) >= PAIRS_OF_ONE or len(asked) >= PAIRS:
            continue
        if any(tag.startswith("devel::lang") for tag in pair):
            continue
        used.update(pair)
        said = sorted(pair, key=lambda tag: SAID_LATER.get(_facet(tag), 1))
        text = " ".join(TOGETHER.get(_facet(tag), "{}").format(words[tag][0]) for tag in said)
        asked.append((text, found[pair[0]] & found[pair[1]]))
    return asked


def _facet(tag: str) -> str:
    return tag.partition("::")[0]


def _vocabulary(text: str) -> dict[str, tuple[str, str]]:
    """What each tag is called and how it is explained."""
    found = {}
    for block in text.split("\n\n"):
        fields = dict(re.findall(r"(?ms)^(Tag|Description): ?(.*?)(?=^\S|\Z)", block))
        if len(fields) == 2:
            name, _, explained = fields["Description"].strip().partition("\n")
            found[fields["Tag"].strip()] = (name, _unfolded(explained))
    return found


def _programs(indexes: dict[str, str]) -> list[Program]:
    """Programs that are tagged and described at some length; of one source, the one of its name."""
    described = {}
    for block in indexes["Translations"].split("\n\n"):
        name = _field(block, "Package")
        told = re.search(r"(?ms)^Description-en: (.*?)\n(.*)", block)
        if name and told:
            described[name] = (told[1], _unfolded(told[2]))
    found: dict[str, Program] = {}
    for block in indexes["Packages"].split("\n\n"):
        name = _field(block, "Package")
        tags = _tags(block)
        if name not in described or "role::program" not in tags:
            continue
        short, long = described[name]
        if len(long.split()) < 25 or sum(_facet(tag) in TOLD for tag in tags) < 2:
            continue
        source = _field(block, "Source") or name
        if source not in found or name == source:
            found[source] = Program(name, tags, cut(f"{short}. {long}", 3000))
    return list(found.values())


def _tags(block: str) -> frozenset[str]:
    """The tags of a package, where `use::{playing,viewing}` is two of them."""
    told = re.search(r"(?m)^Tag: (.*(?:\n .*)*)", block)
    found: set[str] = set()
    for tag in re.split(r",\s+", told[1]) if told else ():
        several = re.match(r"(.*)\{(.*)\}$", tag.strip())
        found |= {several[1] + each for each in several[2].split(",")} if several else {tag.strip()}
    return frozenset(found - {""})


def _field(block: str, name: str) -> str:
    found = re.search(rf"(?m)^{name}: (\S+)", block)
    return found[1] if found else ""


def _unfolded(description: str) -> str:
    return squeezed(re.sub(r"(?m)^ \.$", "", description))
