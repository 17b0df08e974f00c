"""Questions in words for the subjects under which papers are filed, and the papers filed there."""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from bench.labelled.layout import Document, Draft, Question

DOCUMENTS, QUESTIONS, OF_ONE_ASPECT = 4000, 160, 14

ASPECTS = {
    "metabolism": "metabolism of {}",
    "pharmacology": "pharmacological actions of {}",
    "drug effects": "effects of drugs on {}",
    "drug therapy": "drug treatment of {}",
    "immunology": "immunological aspects of {}",
    "enzymology": "enzymes of {}",
    "blood": "{} in the blood",
    "therapeutic use": "therapeutic use of {}",
    "analysis": "measurement and determination of {}",
    "physiology": "normal function and physiology of {}",
    "etiology": "causes of {}",
    "genetics": "genetics of {}",
    "therapy": "treatment of {}",
    "pathology": "pathological changes of {}",
    "methods": "methods of {}",
    "isolation & purification": "isolation and purification of {}",
    "complications": "complications of {}",
    "diagnosis": "diagnosis of {}",
    "surgery": "surgical treatment of {}",
    "toxicity": "toxicity of {}",
    "adverse effects": "adverse effects of {}",
    "physiopathology": "disturbed function in {}",
    "cytology": "cell structure of {}",
    "urine": "excretion of {} in the urine",
    "microbiology": "microorganisms in {}",
    "growth & development": "growth and development of {}",
    "radiation effects": "effects of radiation on {}",
    "biosynthesis": "synthesis of {} in the cell",
    "administration & dosage": "dosage and administration of {}",
    "epidemiology": "how often {} occurs",
    "prevention & control": "prevention of {}",
    "veterinary": "{} in animals",
    "antagonists & inhibitors": "inhibitors of {}",
    "innervation": "nerve supply of {}",
    "blood supply": "blood supply of {}",
    "ultrastructure": "electron microscopic structure of {}",
    "secretion": "secretion of {}",
    "embryology": "embryonic development of {}",
    "anatomy & histology": "anatomy and histology of {}",
    "psychology": "psychological aspects of {}",
    "mortality": "mortality from {}",
    "transmission": "transmission of {}",
    "poisoning": "poisoning by {}",
    "diagnostic imaging": "imaging of {}",
    "classification": "classification of {}",
    "chemically induced": "{} induced by chemicals",
    "familial & hereditary": "inheritance of {}",
    "parasitology": "parasites of {}",
    "rehabilitation": "rehabilitation in {}",
    "injuries": "injuries of {}",
    "abnormalities": "malformations of {}",
    "pathogenicity": "virulence of {}",
    "cerebrospinal fluid": "{} in the cerebrospinal fluid",
    "radiotherapy": "radiation treatment of {}",
    "standards": "standards for {}",
    "chemical synthesis": "chemical synthesis of {}",
    "organization & administration": "organization of {}",
}
"""How an aspect of a subject is asked for."""

WAYS = ("{}", "what is known about {}?", "{}", "papers that deal with {}")

Headings = Sequence[tuple[str, bool, Sequence[tuple[str, bool]]]]
"""Of one paper: subjects with their aspects, and whether it is mainly about each."""

Subject = tuple[str, str | None]


def by_subject(
    filed: Mapping[str, Headings], written: Mapping[str, Document], chance: random.Random
) -> Draft:
    """Subjects that some papers are filed under, most of them mainly, each asked for in words."""
    papers, mainly = _papers_of(filed)
    subjects = [
        subject
        for subject, found in papers.items()
        if 8 <= len(found) <= 60
        and mainly[subject] >= 0.6 * len(found)
        and (subject[1] is None or subject[1] in ASPECTS)
    ]
    chance.shuffle(subjects)
    chosen = _varied(subjects)
    needed = set[str]().union(*(papers[subject] for subject in chosen))
    others = [paper for paper in filed if paper not in needed]
    chance.shuffle(others)
    documents = sorted(needed) + others[: max(0, DOCUMENTS - len(needed))]
    chance.shuffle(documents)
    return Draft(
        [written[paper] for paper in documents],
        [
            Question(f"m{number}", _asked(number, subject), frozenset(papers[subject]))
            for number, subject in enumerate(chosen)
        ],
    )


def _papers_of(
    filed: Mapping[str, Headings],
) -> tuple[dict[Subject, set[str]], Counter[Subject]]:
    """The papers filed under each subject, and how many of them mainly."""
    papers: defaultdict[Subject, set[str]] = defaultdict(set)
    mainly: Counter[Subject] = Counter()
    for paper, headings in filed.items():
        for name, main, aspects in headings:
            for aspect, main_aspect in aspects:
                papers[name, aspect].add(paper)
                mainly[name, aspect] += main_aspect
            if main and not aspects:
                papers[name, None].add(paper)
                mainly[name, None] += 1
    return papers, mainly


def _varied(subjects: Sequence[Subject]) -> list[Subject]:
    """No subject twice, and no aspect too often."""
    chosen: list[Subject] = []
    names: set[str] = set()
    aspects: Counter[str | None] = Counter()
    for name, aspect in subjects:
        if len(chosen) < QUESTIONS and name not in names and aspects[aspect] < OF_ONE_ASPECT:
            names.add(name)
            aspects[aspect] += 1
            chosen.append((name, aspect))
    return chosen


def _asked(number: int, subject: Subject) -> str:
    name, aspect = subject
    said = (ASPECTS[aspect] if aspect else "{}").format(_spoken(name))
    said = WAYS[number % len(WAYS)].format(said)
    return said[:1].upper() + said[1:]


def _spoken(name: str) -> str:
    """A heading as one would say it: `Lungs, Iron` is iron lungs, and abbreviations keep their letters."""
    if name.count(", ") == 1:
        name = " ".join(reversed(name.split(", ")))
    capitals = re.compile(r"[A-Z0-9].*[A-Z0-9]")
    return " ".join(word if capitals.search(word) else word.lower() for word in name.split())
