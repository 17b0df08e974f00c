"""Learns the weights that choose what the corpus researcher quotes (`actors/answering/weights/`).

    .venv/bin/python bench/learn.py              # learn from all sets, and write them down
    .venv/bin/python bench/learn.py --leave-out  # learn without each group of sets, and measure on that group

Examples are the questions in English about one thing, of all sets with labelled sentences but what is kept
aside (`HELD`), with the signs that the researcher itself reads from its sentences. Two figures are learned by gradient
and by Newton's method, from the same start and without chance:

    ORDERS   of all sentences and of none, the share that falls to those that answer (a conditional logit)
    ANSWERS  whether the first sentence in that order answers (a logistic regression), over orders that were learned
             without the question

For the second, each question is asked once more without the sentences that answer it: then nothing does.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from actors.answering.candidates import Candidate  # noqa: E402
from actors.answering.likely import LEARNED, Learned, Likely, Weighed, standing  # noqa: E402
from actors.answering.rules import PRESENT  # noqa: E402
from actors.answering.signs import Setting, place_of, signs_of  # noqa: E402
from actors.kinds import corpus  # noqa: E402
from bench.answers import (  # noqa: E402
    COLUMNS,
    PlainDesk,
    Questions,
    measure,
    plainly_put,
    samples,
    take_in,
)
from events.catalogue import Brief  # noqa: E402
from events.home import Home  # noqa: E402
from tests.asked_by_hand import FILES, Asked, by_hand  # noqa: E402

WEIGHTS = ROOT / "actors" / "answering" / "weights" / f"{PRESENT.learned}.py"
HELD = ("everyday further, second", "mixed, last")
GROUPS = (
    ("everyday_en",),
    ("everyday_en_further",),
    ("everyday_lists",),
    ("everyday_en_more",),
    ("workplace_en",),
    ("articles_en",),
    ("knowledge_en",),
    ("technical_en",),
    ("papers_en",),
    ("encyclopedia", "encyclopedia_final"),
    ("samples", "encyclopedia_fresh", "encyclopedia_wide", "encyclopedia_untold"),
)
"""Sets that have pages in common are in one group."""

FOLDS = 3
DAMPING = 10.0
STEPS, STRIDE = 200, 0.1
IN_VAIN = 0.25
"""What a question counts that is asked without the sentences that answer it."""

ONLY_ANSWERS = frozenset({"quoted"})
"""Signs that order no sentences: what the rules quote is not always best; where they quote nothing, little answers."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Example:
    """A question over the sentences that were read for it."""

    question: str
    signs: Floats
    right: npt.NDArray[np.bool_]
    """Which sentences answer it."""

    counts: float = 1.0

    @property
    def fold(self) -> int:
        """Examples of one question are in one fold."""
        return sha256(self.question.encode()).digest()[0] % FOLDS


# -- examples --------------------------------------------------------------------------------------


class _Looking(Likely):
    """Keeps what would be weighed, and leaves all to the rules."""

    seen: ClassVar[list[Setting]] = []

    def weighed(self, number: int) -> Weighed | None:
        """Look, and weigh nothing."""
        if (setting := self.setting(number)) is not None:
            self.seen.append(setting)
        return None


def examples(
    asked: Sequence[Asked], desk: Any, titles: dict[str, str]
) -> Iterator[tuple[list[str], Example]]:
    """The names of the signs and an example for each question about one thing, and one where nothing answers it."""
    with patch.object(corpus, "Likely", _Looking):
        for one in asked:
            _Looking.seen = []
            found = corpus.research(Brief(question=one.question), one.question, desk, PRESENT.model)
            if len(found.parts) == 1 and len(_Looking.seen) == 1:
                yield from _of_one(one, _Looking.seen[0], titles)


def _of_one(
    one: Asked, setting: Setting, titles: dict[str, str]
) -> Iterator[tuple[list[str], Example]]:
    right = [_answers(one, each, titles) for each in setting.pool]
    if one.gold and not any(right):
        return  # What answers it was not found: that teaches nothing about sentences.
    yield _example(one.question, setting, right, 1.0)
    left = [each for each, answers in zip(setting.pool, right, strict=True) if not answers]
    if any(right) and len(left) > 1:
        places = {place_of(each) for each in left}
        without = replace(
            setting,
            pool=left,
            ranked=[each for each in setting.ranked if place_of(each.candidate) in places],
            quoted=setting.quoted & places,
        )
        yield _example(one.question, without, [False] * len(left), IN_VAIN)


def _example(
    question: str, setting: Setting, right: list[bool], counts: float
) -> tuple[list[str], Example]:
    signs = signs_of(setting)
    values = np.array([list(each.values()) for each in signs])
    return list(signs[0]), Example(question, values, np.array(right), counts)


def _answers(one: Asked, candidate: Candidate, titles: dict[str, str]) -> bool:
    title = titles.get(candidate.passage.locator, candidate.passage.locator)
    sentence = candidate.sentence
    said = " ".join(candidate.source.text[sentence.start : sentence.end].split())
    return any(
        title == page and (told in said or said in told) for page, told in (*one.gold, *one.also)
    )


# -- learning --------------------------------------------------------------------------------------


def learn(names: list[str], shown: Sequence[Example]) -> Learned:
    """Both figures, from some examples."""
    ordering = [place for place, name in enumerate(names) if name not in ONLY_ANSWERS]
    signs: list[Floats] = []
    answered: list[float] = []
    counts: list[float] = []
    for fold in range(FOLDS):
        orders = _orders([each for each in shown if each.fold != fold], ordering)
        for each in (one for one in shown if one.fold == fold):
            scores = each.signs[:, ordering] @ orders[:-1] + orders[-1]
            order = np.argsort(-scores, kind="stable")
            stands = standing([float(scores[place]) for place in order])
            signs.append(np.append(each.signs[order[0]], list(stands.values())))
            answered.append(float(each.right[order[0]]))
            counts.append(each.counts)
    answers = _logistic(np.array(signs), np.array(answered), np.array(counts))
    further = [*names, *standing([0.0])]
    ordered = [names[place] for place in ordering]
    return Learned(_named(ordered, _orders(shown, ordering)), _named(further, answers))


def _named(names: Sequence[str], weights: Floats) -> dict[str, float]:
    return dict(zip((*names, "always"), (round(float(each), 4) for each in weights), strict=True))


def _scaled(signs: Floats) -> tuple[Floats, Floats, Floats]:
    middle, spread = signs.mean(axis=0), signs.std(axis=0) + 1e-6
    return (signs - middle) / spread, middle, spread


def _unscaled(weights: Floats, always: float, middle: Floats, spread: Floats) -> Floats:
    own = weights / spread
    return np.append(own, always - own @ middle)


def _orders(shown: Sequence[Example], ordering: Sequence[int]) -> Floats:
    """By Adam: of all sentences and of none, those that answer are given their share."""
    shown = [each for each in shown if each.counts == 1.0]
    signs, middle, spread = _scaled(np.concatenate([each.signs[:, ordering] for each in shown]))
    sizes = [len(each.signs) for each in shown]
    begins, owner = np.cumsum([0, *sizes[:-1]]), np.repeat(np.arange(len(shown)), sizes)
    right = np.concatenate([each.right for each in shown])
    vain = ~np.array([each.right.any() for each in shown])
    weights = np.zeros(signs.shape[1] + 1)  # The last one is what speaks for none.
    slow, steep = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        scores, none = signs @ weights[:-1], weights[-1]
        most = np.maximum(np.maximum.reduceat(scores, begins), none)
        each, nothing = np.exp(scores - most[owner]), np.exp(none - most)
        whole = np.add.reduceat(each, begins) + nothing
        wanted = np.add.reduceat(each * right, begins) + vain * nothing
        off = each / whole[owner] - right * each / wanted[owner]
        damped = DAMPING * weights[:-1]
        slope = np.append(signs.T @ off + damped, (nothing / whole - vain).sum()) / len(shown)
        slow, steep = 0.9 * slow + 0.1 * slope, 0.99 * steep + 0.01 * slope**2
        stride = STRIDE * (1 - step / STEPS) / (1 - 0.9**step)
        weights -= stride * slow / (np.sqrt(steep / (1 - 0.99**step)) + 1e-8)
    return _unscaled(weights[:-1], -weights[-1], middle, spread)


def _logistic(signs: Floats, answered: Floats, counts: Floats) -> Floats:
    """By Newton's method."""
    scaled, middle, spread = _scaled(signs)
    held = np.append(scaled, np.ones((len(scaled), 1)), axis=1)
    damping = np.diag([DAMPING] * scaled.shape[1] + [0.0])
    weights = np.zeros(held.shape[1])
    for _ in range(30):
        sure = 1 / (1 + np.exp(-held @ weights))
        curve = held.T @ (held * (counts * sure * (1 - sure) + 1e-6)[:, None]) + damping
        weights -= np.linalg.solve(curve, held.T @ (counts * (sure - answered)) + damping @ weights)
    return _unscaled(weights[:-1], float(weights[-1]), middle, spread)


def written(learned: Learned) -> str:
    """The weights as a module."""
    lines = [
        '"""What each sign counts, as `bench/learn.py` learned it from labelled questions. Not to be changed by hand: '
        "records",
        'that were made with these weights are run again with them."""',
    ]
    for name, told, weights in zip(
        ("ORDERS", "ANSWERS"),
        (
            "Which sentence answers best.",
            "Whether the best sentence answers at all; above 0 it rather does.",
        ),
        learned,
        strict=True,
    ):
        lines += ["", f"{name}: dict[str, float] = {{"]
        lines += [f'    "{sign}": {value!r},' for sign, value in weights.items()]
        lines += ["}", f'"""{told}"""']
    return "\n".join(lines) + "\n"


# -- sets ------------------------------------------------------------------------------------------


def english_sets() -> dict[str, list[Questions]]:
    """The sets in English, by the file that has their pages."""
    found = {"samples": [samples(), *plainly_put()]}
    for file in (each for each in FILES if not each.startswith("everyday_ja")):
        pages, asked = by_hand(file)
        halves = dict.fromkeys(half for half, _ in asked)
        found[file] = [
            Questions(f"{file}, {half}", pages, [one for mine, one in asked if mine == half])
            for half in halves
        ]
    return found


def main() -> None:
    """Learn."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--leave-out", action="store_true")
    told = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="learn-") as place:
        desks = {}
        for file, sets in english_sets().items():
            home = Home(Path(place) / file / "home")
            titles = take_in(home, sets[0].pages, Path(place) / file, whole=sets[0].whole)
            desks[file] = PlainDesk(home), titles, sets
        study(desks, leave_out=told.leave_out)


def study(
    desks: dict[str, tuple[Any, dict[str, str], list[Questions]]], *, leave_out: bool
) -> None:
    """Learn from all sets and write it down, or learn without each group and measure on that."""
    names: list[str] = []
    shown: dict[str, list[Example]] = {}
    for file, (desk, titles, sets) in desks.items():
        shown[file] = []
        for each in sets:
            if not each.name.endswith(HELD):
                for names, example in examples(each.asked, desk, titles):  # noqa: B007
                    shown[file].append(example)
    if not leave_out:
        learned = learn(names, [each for told in shown.values() for each in told])
        WEIGHTS.write_text(written(learned))
        return
    for group in GROUPS:
        learned = learn(
            names, [each for file, told in shown.items() if file not in group for each in told]
        )
        with patch.dict(LEARNED, {PRESENT.learned: learned}):
            for file in group:
                measured(*desks[file])


def measured(desk: Any, titles: dict[str, str], sets: Sequence[Questions]) -> None:
    """Print the figures of some sets, but for what is kept aside."""
    for each in (one for one in sets if not one.name.endswith(HELD)):
        figures = measure(each.asked, desk, titles, PRESENT.model, "balanced")
        number, *values = figures["all"]
        named = zip(COLUMNS, values, strict=True)
        print(f"{each.name:48} {number:4}  " + "  ".join(f"{n} {v:.3f}" for n, v in named))


if __name__ == "__main__":
    main()
