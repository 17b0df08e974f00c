"""The terms that texts and questions are found by in a full-text index.

Three families that never collide: stems of words that are written with spaces between them;
pairs of characters where they are not; and, in Japanese, also the words of the dictionary, marked
by a prefix. Pairs find what no dictionary knows, words tell what belongs together: they find more
together than either does alone.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import chain

from language import japanese
from language.compounds import LATIN, compounds, in_one_word
from language.folding import is_marked, normalised, one_spelling, plain
from language.forms import shared_stem
from language.scripts import HAN, HIRAGANA, KATAKANA, UNSPACED, marks
from language.stems import LONGEST, stem

ANALYSER = 3
"""Changes when the same text would get other terms."""

JAPANESE_WORD = "j:"
"""What the terms of the dictionary begin with; no other term has a colon."""

WORD_WEIGHT = 1.0
PAIR_WEIGHT = 1.0
"""What a pair counts in a question of which no words are known."""

PAIR_BESIDE_WORDS_WEIGHT = 0.5
"""What a pair counts in a question of which the words are known, too."""

HIRAGANA_PAIR_WEIGHT = 0.25
"""The same for a pair of hiragana: mostly particles and endings."""

QUERY_READ = 1 << 15
"""Characters of a question that are read. Who pastes a book is asking by how it begins."""

QUERY_TERMS = 1024
"""Most terms of a question that are looked for; beyond, the most frequent ones."""

SHORT = 64
"""Characters up to which a text of ideographs alone may be Japanese: a title or a question."""

_AT_ONCE = 1 << 20

_KANA = re.compile(f"[{HIRAGANA}{KATAKANA}\uff66-\uff9d]")
_KATAKANA = re.compile(f"[{KATAKANA}]")
_HAN = re.compile(f"[{HAN}]")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_HIRAGANA_ONLY = re.compile(f"[{HIRAGANA}]+")
_SPACE = re.compile(r"\s")

_COMMON_WORDS = frozenset(
    """
    為る 居る 有る 成る 出来る 言う 事 こと 物 もの 者 為 ため 様 よう 其の 此の 其れ 此れ その この それ これ
    あの あれ 何 何れ どれ どの 何の 何処 どこ 誰 いつ 何時 どう 如何 なぜ 何故 幾つ いくつ どんな 何方 どちら
    そう 此処 ここ 其処 そこ 等 など 御 的
    """.split()  # noqa: SIM905 - a list of words reads better as words
)


def terms(text: str) -> dict[str, int]:
    """How often each term occurs in a text."""
    found: Counter[str] = Counter()
    japanese_text = _may_be_japanese(text)
    for piece in _pieces(text):
        _count(normalised(piece), found, japanese_text=japanese_text)
    return dict(found)


def has_terms_of(analyser: int, text: str) -> bool:
    """Whether a text has the terms that a version of this code found in it; sooner told than found again."""
    if analyser not in (1, 2):
        return analyser == ANALYSER
    if _SOFT_BREAK.search(text):
        return False
    text = normalised(text)
    folded = _folded(text)
    # Since the first, some letters are read as others, and further terms are found for some words.
    if analyser == 1 and (
        folded != text.casefold()
        or (_JOINED.search(folded) and _ELIDED.search(folded))
        or next(_further(folded), None) is not None
    ):
        return False
    written = {*_tokens(folded), *chain.from_iterable(map(_without_dots, folded.split()))}
    return not _may_be_one_word(folded) and not any(map(_is_respelled, written))


def _may_be_one_word(folded: str) -> bool:
    folded = folded.replace("\N{HYPHEN}", "-")
    return any(map(_joined_terms, compounds(folded))) or _LINE_END.search(folded) is not None


def query_terms(query: str) -> dict[str, float]:
    """The terms to look for, with what each counts.

    A single ideograph is only looked for by itself when it stands alone: its pairs say more.
    """
    query = query[:QUERY_READ]
    found = terms(query)
    alone = _alone(query)
    words_known = any(term.startswith(JAPANESE_WORD) for term in found)
    weights: dict[str, float] = {}
    # Most frequent first, and of equals the first: sorting keeps their order.
    for term in sorted(found, key=found.__getitem__, reverse=True):
        if len(weights) == QUERY_TERMS:
            break
        if weight := _weight(term, alone, words_known=words_known):
            weights[term] = weight
    return weights


def _weight(term: str, alone: set[str], *, words_known: bool) -> float:
    if term.startswith(JAPANESE_WORD) or not _UNSPACED.match(term):
        return WORD_WEIGHT
    if len(term) == 1 and term not in alone:
        return 0.0
    if not words_known:
        return PAIR_WEIGHT
    return HIRAGANA_PAIR_WEIGHT if _HIRAGANA_ONLY.fullmatch(term) else PAIR_BESIDE_WORDS_WEIGHT


def _alone(query: str) -> set[str]:
    """The characters without spaces between them that have no neighbour."""
    if query.isascii():
        return set()
    return {token for token in _tokens(_folded(normalised(query))) if len(token) == 1}


def _may_be_japanese(text: str) -> bool:
    if text.isascii():
        return False
    if _KANA.search(text):
        return True
    return len(text) <= SHORT and _HAN.search(text) is not None


def _pieces(text: str) -> Iterator[str]:
    """The text in parts that fit in memory several times over, cut at spaces where there are any."""
    start = 0
    while len(text) - start > _AT_ONCE:
        space = _SPACE.search(text, start + _AT_ONCE, start + _AT_ONCE + 4096)
        end = space.start() if space else start + _AT_ONCE
        yield text[start:end]
        start = end
    yield text[start:] if start else text


def _count(text: str, found: Counter[str], *, japanese_text: bool) -> None:
    folded = _folded(text)
    for token, times in Counter(_tokens(folded)).items():
        if _UNSPACED.match(token):
            for gram in _grams(token):
                found[gram] += times
        else:
            # What is longer than any word is not remembered.
            for term in _terms(token) if len(token) <= LONGEST else filter(None, (stem(token),)):
                found[term] += times
    for term in _further(folded):
        found[term] += 1
    if japanese_text:
        for term, _ in _japanese(text):
            found[term] += 1


def _japanese(text: str) -> Iterator[tuple[str, japanese.Word]]:
    """The terms of the dictionary, each with the word that it stands for."""
    for word in japanese.words(text):
        # What is written in Latin letters or digits is counted elsewhere.
        written = word.meaning and _UNSPACED.search(text, word.start, word.end)
        if written and (term := _japanese_term(word.form)):
            yield term, word


def japanese_words(text: str) -> dict[str, tuple[str, str]]:
    """The Japanese terms of a text: each as it is first written there, and as the dictionary writes it."""
    found: dict[str, tuple[str, str]] = {}
    if _may_be_japanese(text):
        text = normalised(text)
        for term, word in _japanese(text):
            found.setdefault(term, (text[word.start : word.end], word.form))
    return found


def _folded(text: str) -> str:
    folded = text.casefold()
    return folded if folded.isascii() else plain(folded)


def _tokens(folded: str) -> list[str]:
    if folded.isascii():
        return _ASCII_TOKEN.findall(folded)
    if _HAN.search(folded) or _KATAKANA.search(folded):
        folded = one_spelling(folded)
    pattern = _marked_token() if is_marked(folded) else _TOKEN
    return pattern.findall(folded)


def _pattern(letter: str, unspaced: str) -> str:
    words = rf"{letter}+(?:['’]{letter}+)?"
    return rf"{unspaced}[0-9]+(?:[.,][0-9]+)*(?!{letter})|{words}"


_ASCII_TOKEN = re.compile(_pattern("[a-z0-9]", ""))
_TOKEN = re.compile(_pattern(rf"[^\W_{UNSPACED}]", f"[{UNSPACED}]+|"))


@cache
def _marked_token() -> re.Pattern[str]:
    # A mark that no letter precedes is passed over; otherwise it belongs to the word.
    plain = rf"[^\W_{UNSPACED}]"
    letter = rf"(?:{plain}[{marks()}]*)"
    return re.compile(_pattern(letter, f"[{UNSPACED}]+|"))


@lru_cache(maxsize=1 << 17)
def _terms(token: str) -> tuple[str, ...]:
    """The term of a word; where French or Italian joins it to a shorter one, that of the word alone, too."""
    elided = _ELIDED.match(token)
    written = (token, token[elided.end() :]) if elided else (token,)
    return tuple(filter(None, map(shared_stem, written)))


@lru_cache(maxsize=1 << 17)
def _is_respelled(token: str) -> bool:
    """Whether a word has the term of another spelling or form of it."""
    elided = _ELIDED.match(token)
    written = (token, token[elided.end() :]) if elided else (token,)
    return len(token) <= LONGEST and any(shared_stem(each) != stem(each) for each in written)


_ELIDED = re.compile(
    r"(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|un|quest|quell|gl|d?all|dell|nell|sull)['’](?=[^\W\d_]{2})"
)

_JOINED = re.compile(r"['’][^\W\d_]{2}")
_DOTTED = re.compile(
    r"(?<![^\W_])(?:(?P<dotted>[a-z](?:\.[a-z]){1,9})"
    r"|(?P<name>[a-z]{1,20})(?P<number>[0-9]{1,8}(?:\.[0-9]{1,8}){1,4}))(?![^\W_])"
)

_ASIDES = frozenset({"", "eg", "ie"})

_LINE_END = re.compile(r"-[^\S\n]*\n")
_BROKEN = re.compile(
    rf"(?<![{LATIN}-])([{LATIN}]{{2,20}})-[^\S\n]*\n[^\S\n]*([{LATIN}]{{2,20}})(?![{LATIN}-])"
)
_SOFT_BREAK = re.compile(r"\u00ad\s*\n")


def _further(folded: str) -> Iterator[str]:
    """Terms of what others write without dots or hyphens, or with a space: U.K. as UK, e-mail as email,
    Python3.11 as Python 3.11."""
    folded = folded.replace("\N{HYPHEN}", "-")
    for word in folded.split():
        if "-" in word:
            for compound in compounds(word):
                yield from _joined_terms(compound)
        if "." in word:
            for written in _without_dots(word):
                yield from _terms(written)
    if _LINE_END.search(folded):
        for first, second in _BROKEN.findall(folded):
            yield from _terms(first + second)


def _without_dots(word: str) -> Iterator[str]:
    """What others write of a word with dots: UK of U.K., Python and 3.11 of Python3.11."""
    if "." in word[:-1]:
        for dotted, name, number in _DOTTED.findall(word):
            parts = (dotted.replace(".", ""), name, number)
            yield from (part for part in parts if part not in _ASIDES)


@lru_cache(maxsize=1 << 15)
def _joined_terms(compound: str) -> tuple[str, ...]:
    return tuple(term for written in in_one_word(compound) for term in _terms(written))


@lru_cache(maxsize=1 << 16)
def _japanese_term(form: str) -> str:
    if form in _COMMON_WORDS:
        return ""
    folded = normalised(form).casefold()
    # The dictionary writes numbers in digits, and some foreign words in Latin letters.
    return stem(folded) if folded.isascii() else JAPANESE_WORD + one_spelling(folded)[:LONGEST]


def _grams(run: str) -> Iterator[str]:
    """The pairs of a run of characters, and its single ideographs."""
    for place, character in enumerate(run):
        if "\u3400" <= character <= "\u9fff" or character >= "\U00020000" or len(run) == 1:
            yield character
        if place:
            yield run[place - 1 : place + 1]
