"""How well documents are matched with their references, on pairs whose match is known.

    python bench/references.py [--pairs N]

References are made at random, many of them alike, as the parts of a series are. A document knows of
itself what real ones do: sometimes a DOI, its title as a scan, a program or a file name has it, or a
file name as a reference manager gives it. A tenth of the documents is of no reference at all. Right
is a match with the one reference; wrong is a match with another; missed is none.
"""

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from actors.ingesting.references import Bibliography, Reference  # noqa: E402

NOUNS = (
    *("tides", "barrages", "estuaries", "turbines", "currents", "coasts", "harbours"),
    *("islands", "rivers", "sediments", "storms", "waves", "networks", "models", "markets"),
    *("languages", "cells", "proteins", "galaxies", "steels", "soils", "forests"),
    *("migrations", "cities"),
)
ADJECTIVES = (
    *("kinetic", "seasonal", "coastal", "stochastic", "rural", "neural", "global", "early"),
    *("quantum", "linear", "sparse", "deep", "optimal"),
)
FRAMES = (
    "On the {a} theory of {b}",
    "{A} {b}: a survey of {c}",
    "Measuring {a} {b} with {c}",
    "A study of {a} {b} and their {c}",
    "{A} {b} and {c} in the twentieth century",
    "Towards {a} {b}",
    "Proceedings of the {n}th workshop on {a} {b}",
)
FAMILIES = (
    *("Müller", "Smith", "García", "Nowak", "Sørensen", "Tanaka", "O'Neill", "Dupont"),
    *("Rossi", "Li", "van-der-Berg"),
)


@dataclass(frozen=True)
class Document:
    """What a file is called and says of itself."""

    name: str
    title: str
    metadata: dict[str, str]


def reference(number: int, chance: random.Random) -> Reference:
    """One of many."""
    frame = chance.choice(FRAMES)
    adjective = chance.choice(ADJECTIVES)
    title = frame.format(
        a=adjective,
        A=adjective.capitalize(),
        b=chance.choice(NOUNS),
        c=chance.choice(NOUNS),
        n=chance.randint(4, 20),
    )
    family, year = chance.choice(FAMILIES), chance.randint(1960, 2024)
    key = f"{family.casefold()}{year}n{number}"
    item = {
        "id": key,
        "type": "article-journal",
        "title": title,
        "author": [{"family": family, "given": "A."}],
        "issued": {"date-parts": [[year]]},
        "DOI": f"10.1000/test.{number}",
    }
    return Reference(citekey=key, item=item)


def typo(text: str, chance: random.Random) -> str:
    """A title as OCR has it: a letter is another one."""
    at = chance.randrange(len(text))
    return text[:at] + chance.choice("abcdefghijklmnop") + text[at + 1 :]


KINDS: dict[str, Callable[[Reference, random.Random], Document]] = {
    "doi": lambda each, chance: Document("scan.pdf", "untitled", {"doi": each.doi.upper()}),
    "title": lambda each, chance: Document("x1.pdf", each.title.upper(), {}),
    "title, one letter wrong": lambda each, chance: Document(
        "x2.pdf", typo(each.title, chance), {}
    ),
    "title and subtitle": lambda each, chance: Document(
        "x3.pdf", f"{each.title}: with an appendix on method", {}
    ),
    "file: citekey": lambda each, chance: Document(f"{each.citekey}.pdf", "", {}),
    "file: author - year - title": lambda each, chance: Document(
        f"{each.authors[0].split(',')[0]} - {each.year} - {each.title[:40]}.pdf", "", {}
    ),
    "none of them": lambda each, chance: Document(
        "other.pdf",
        f"{chance.choice(NOUNS).capitalize()} and the art of {chance.choice(NOUNS)}",
        {},
    ),
}


def main() -> int:
    """Print how many of each kind are matched rightly."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pairs", type=int, default=600)
    pairs = options.parse_args().pairs
    chance = random.Random("references")
    made = [reference(number, chance) for number in range(pairs)]
    # Two of the same title cannot be told apart by it.
    once = list({each.title: each for each in made}.values())
    known = Bibliography(once)
    out = sys.stdout.write
    out(f"{len(once)} references\n{'a document is known by':30} right wrong missed     ms\n")
    for kind, make in KINDS.items():
        tally: Counter[str] = Counter()
        began = time.perf_counter()
        for each in once:
            document = make(each, chance)
            found = known.match(document.name, document.title, document.metadata)
            wanted = None if kind == "none of them" else each.citekey
            got = found.citekey if found else None
            tally["right" if got == wanted else "wrong" if found else "missed"] += 1
        took = 1000 * (time.perf_counter() - began) / len(once)
        shares = [tally[name] / len(once) for name in ("right", "wrong", "missed")]
        out(f"{kind:30} " + " ".join(f"{share:5.3f}" for share in shares) + f" {took:8.2f}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
