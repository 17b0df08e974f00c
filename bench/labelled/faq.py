"""`faq_en`: questions that manuals answer, among the answers to other questions and other sections.

The heading is the question, and what stands under it the one right answer. Of the packages that
have more than a list of questions, the other pages are there to be told apart from the answers.
"""

import random
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from bench.labelled.layout import Document, Draft, Question
from bench.labelled.packages import Packages
from bench.labelled.texts import cut, in_order, read, sections, squeezed, words_of

DOCUMENTS, QUESTIONS, OF_ONE_MANUAL = 3500, 300, 70

MANUALS = {
    "debian-faq": ("debian/FAQ/*", "."),
    "python3.11-doc": ("python3.11/html/{faq,tutorial,howto,using}/*", "/faq/"),
    "zsh-doc": ("zsh-common/html/FAQ*", "."),
    "bogofilter-common": ("bogofilter-common/bogofilter-faq", "."),
    "r-doc-html": ("r-doc-html/manual/*", "FAQ|R-data"),
    "borgbackup-doc": ("borgbackup-doc/html/{*,usage/*,deployment/*}", "faq"),
    "python-sqlalchemy-doc": ("python3-sqlalchemy/html/faq/*", "."),
    "nut-doc": ("nut-doc/html/FAQ/*", "."),
    "snakemake-doc": ("snakemake/html/{project_info,snakefiles}/*", "faq"),
    "python-django-doc": ("python-django-doc/html/{faq,howto,intro}/*", "faq"),
    "fetchmail": ("fetchmail/fetchmail-FAQ", "."),
    "icewm-common": ("icewm-common/FAQ/*", "."),
    "xterm": ("xterm/xterm.faq", "."),
    "python-celery-doc": ("python-celery-doc/html/{*,userguide/*}", "faq"),
    "python-scrapy-doc": ("python-scrapy-doc/html/{faq,topics/*}", "faq"),
    "avr-libc": ("avr-libc/avr-libc-user-manual/FAQ", "."),
    "libfftw3-doc": ("libfftw3-dev/fftw-faq.html/*", "."),
    "nano": ("nano/faq", "."),
    "java-policy": ("java-policy/debian-java-faq/*", "."),
    "weechat-doc": ("weechat/html/weechat_{faq,user}.en", "faq"),
    "harden-doc": ("harden-doc/html/en-US/*", "."),
    "restic": ("restic/html/*", "faq"),
    "python-jinja2-doc": ("python-jinja2/html/faq", "."),
    "valgrind": ("valgrind/html/*", "FAQ"),
    "sqlite3-doc": ("sqlite3/faq", "."),
}
"""By package: its pages, and which of them ask."""

TERMS_ASK = frozenset({"valgrind", "sqlite3-doc", "bogofilter-common", "nut-doc"})
"""Manuals whose questions may be the terms of a list."""

PERL_PAGES = re.compile(
    r"perl(faq\d|intro|reftut|requick|retut|opentut|packtut|style|trap|sec|port|perf|cheat|data|sub|syn"
    r"|op|var|ipc|fork|debug|lol|dsc|boot|ootut|number|uniintro|unitut|form|mod|modstyle|newmod|embed"
    r"|call|thrtut|filter|cn)"
)

_NUMBER = re.compile(
    r"^(Question\s+)?"
    r"(\(?[A-Z]?\d+(\.\d+)*[.:)]?\s+|[A-Z]\d+[.:]\s*|Q:\s*|Chapter \d+\.?\s*)"
)
_LISTS = re.compile(r"/(genindex|search|index|py-modindex|contents|whatsnew|changes)[^/]*$")
_OTHER_LANGUAGE = re.compile(r"\.(?!en\b)[a-z]{2}\.html$")
_WAYS_ON = re.compile(r"\s*(Up: Contents|Prev Next|\[ ?(Contents|Index|Next|Previous)[^\]]*\])+.*$")


@dataclass
class _Gathered:
    """The answers so far, and the questions with the manuals they are from."""

    documents: list[Document] = field(default_factory=list)
    asked: list[tuple[str, Question]] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def add(self, manual: str, heading: str, text: str, *, asks: bool) -> None:
        """Keep a section if it says enough, and its heading if it asks something."""
        heading = squeezed(_NUMBER.sub("", squeezed(heading)))
        text = _answer(heading, squeezed(text))
        said = words_of(f"{heading} {text}")
        if len(text.split()) < 25 or said in self.seen:
            return
        self.seen.add(said)
        name = f"d{len(self.documents)}"
        self.documents.append(Document(name, "", cut(text, 2500)))
        plain = 4 <= len(heading.split()) <= 30 and len(words_of(heading)) > 15
        if asks and plain and heading.endswith("?"):
            question = Question(f"q{len(self.documents)}", heading, frozenset({name}))
            self.asked.append((manual, question))


def _answer(heading: str, text: str) -> str:
    """A section without its heading, should it say it again, and without the ways to other pages."""
    if heading and words_of(text).startswith(words_of(heading)):
        start = text.lower().find(heading.lower())
        text = text[start + len(heading) :].strip() if 0 <= start < 20 else text
    text = re.sub(r"^(A:|Answer:?)\s+", "", text)
    return _WAYS_ON.sub("", text) if len(text) > 300 else text


def faq_en(packages: Packages) -> Draft:
    """Draw questions, not too many from one manual; all answers stay as documents."""
    chance = random.Random(1)
    gathered = _Gathered()
    _perl(packages.debian("perl-doc"), gathered)
    for manual, (pages, asks) in MANUALS.items():
        _manual(packages.debian(manual), manual, pages, asks, gathered)
    times = Counter(words_of(one.text) for _, one in gathered.asked)
    asked = [pair for pair in gathered.asked if times[words_of(pair[1].text)] == 1]
    chance.shuffle(asked)
    chosen: list[Question] = []
    of_manual: Counter[str] = Counter()
    for manual, one in asked:
        of_manual[manual] += 1
        if of_manual[manual] <= OF_ONE_MANUAL:
            chosen.append(one)
    needed = frozenset[str]().union(*(one.answers for _, one in asked))
    others = [each for each in gathered.documents if each.id not in needed]
    chance.shuffle(others)
    documents = [each for each in gathered.documents if each.id in needed]
    documents += others[: max(0, DOCUMENTS - len(needed))]
    chance.shuffle(documents)
    return Draft(documents, chosen[:QUESTIONS])


def _manual(folder: Path, manual: str, pages: str, asks: str, gathered: _Gathered) -> None:
    for pattern in _patterns(f"usr/share/doc/{pages}.html"):
        for path in in_order(folder.glob(pattern)):
            place = f"/{path.relative_to(folder)}"
            listing = _LISTS.search(place) and manual != "java-policy"
            if listing or _OTHER_LANGUAGE.search(place):
                continue
            for heading, text in sections(path, terms=manual in TERMS_ASK):
                gathered.add(manual, heading, text, asks=bool(re.search(asks, place)))


def _patterns(pattern: str) -> list[str]:
    """Those that {one,another} stands for."""
    before, brace, rest = pattern.partition("{")
    inside, _, after = rest.partition("}")
    return [f"{before}{each}{after}" for each in inside.split(",")] if brace else [pattern]


def _perl(folder: Path, gathered: _Gathered) -> None:
    for path in in_order(folder.glob("usr/share/perl/*/pod/*.pod")):
        if not PERL_PAGES.match(path.name):
            continue
        for section in re.split(r"(?m)^=head(?=[12] )", read(path))[1:]:
            first, _, text = section.partition("\n")
            heading = _unmarked(first[2:])
            if heading.isupper() and re.match("NAME|AUTHOR|COPYRIGHT|SEE ALSO|VERSION", heading):
                continue
            text = re.sub(r"(?m)^=(begin|for)\b[^\n]*", "", text)
            text = re.sub(r"(?m)^=(over|back|item|cut|encoding|end)\b *([^\n]*)", r"\2", text)
            text = re.sub(r"\(contributed by [^)]*\)", "", _unmarked(text))
            asks = path.name.startswith("perlfaq")
            gathered.add("perl-doc", heading, text, asks=asks)


def _unmarked(pod: str) -> str:
    """What a reader reads of Perl's plain old documentation, two marks deep."""
    pod = re.sub(r"[A-Z]<<+ (.*?) >>+", r"\1", pod)
    for _ in range(2):
        pod = re.sub(r"L<([^|<>]*)\|([^<>]*)>", r"\1", pod)
        pod = re.sub(r"(?!E<[lg]t>)[A-Z]<([^<>]*)>", r"\1", pod)
    pod = re.sub(r"L<([^|<>]*)\|([^<>]*)>", r"\1", pod)
    return pod.replace("E<lt>", "<").replace("E<gt>", ">")
