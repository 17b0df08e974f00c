"""The words of Japanese that carry meaning, as a researcher compares them: those of the dictionary, in its forms."""

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from actors.answering.japanese.kin import GROUPS
from actors.answering.terms import Terms, Token
from language.folding import one_spelling
from language.japanese import Morpheme, morphemes
from language.scripts import HAN

_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_WRITTEN_IN_LATIN = re.compile(r"[A-Za-z0-9]+(?:[-.,:/][A-Za-z0-9]+)*")
_HAS_IDEOGRAPH = re.compile(f"[{HAN}]")
_COMPOUND = 3
"""Characters of a word that may be put together of others: 二字熟語 are words of their own."""

_SPACES = re.compile(r"\s+")
_THOUSANDS = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")

_MEANING = frozenset({"名詞", "動詞", "形容詞", "形状詞", "接尾辞"})
"""Adverbs only where another word for them is known."""

LITTLE = frozenset(
    """
    為る 居る 有る 成る 出来る 言う 下さる 呉れる 貰う 頂く 致す 御座る 遣る 行く 来る 見る 置く 仕舞う 因る 対する 於く
    関する 付く 掛かる かかる とる 事 こと 物 もの 者 為 ため 様 よう さん 氏 君 殿 御 的 等 など 時 際 場合 所 上 中
    内 間 後 前 他 外 方 訳 出る 入れる 良く もっと 全部 ご 様子 既に 全て 自分 私 うち 我が家 やつ 筈 何 何れ 幾つ
    幾ら いくら いくつ 何時 如何 どう 何故 何処 誰 どちら 教える 知る 分かる 願う 欲しい 良い 宜しい 大丈夫 可能 無い
    成る可く 凡そ 約 程 位 達 共 自体 本当 今 現在 其 此 毎 ごと 名前 名 名称 か月 ヶ月
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
"""Words that say hardly anything of what a sentence or question is about."""


def even(text: str) -> str:
    """A text with plain letters and digits for wide ones; every character stays at its place."""
    return text.translate(_WIDE)


def squeezed(text: str) -> str:
    """A text as names are looked for in it: one width, one spelling, no spaces, small letters."""
    return _SPACES.sub("", one_spelling(even(text)).casefold())


class JapaneseTerms(Terms):
    """Finds the terms of Japanese texts."""

    capitals = False

    def kins(self, terms: Iterable[str]) -> frozenset[int]:
        """The groups of like-minded terms that some terms belong to; one may be in several."""
        return frozenset[int]().union(*map(kin_of, terms))

    def of_beginning(self, text: str, length: int) -> frozenset[str]:
        """The terms of the beginning of a text."""
        return self.among(token for token in _tokens(text) if token.end <= length)

    def among(self, tokens: Iterable[Token]) -> frozenset[str]:
        """The terms of some words, and those of the parts that they are put together of."""
        found = frozenset(token.term for token in tokens)
        return found.union(*map(parts_of, found))

    def tokens(self, text: str) -> list[Token]:
        """The meaningful words of a text, in order."""
        return list(_tokens(text))


@lru_cache(maxsize=1 << 12)
def _tokens(text: str) -> tuple[Token, ...]:
    return tuple(sorted((*_latin(text), *_japanese(text)), key=lambda token: token.start))


def _latin(text: str) -> Iterator[Token]:
    """What is written in Latin letters or digits, as in other languages, but codes whole: X-200, E05, 3.2.0."""
    for match in _WRITTEN_IN_LATIN.finditer(even(text)):
        written = match.group()
        if written[0].isdigit() and not any(map(str.isalpha, written)):
            term = _THOUSANDS.sub("", written)
            yield Token(term, written, match.start(), match.end(), name=False, number=True)
        elif any(map(str.isdigit, written)):
            yield Token(
                written.casefold(), written, match.start(), match.end(), name=True, number=False
            )
        elif term := Terms().stem(written.casefold()):
            name = written[0].isupper()
            yield Token(term, written, match.start(), match.end(), name=name, number=False)


def _japanese(text: str) -> Iterator[Token]:
    plain = even(text)
    for each in morphemes(plain):
        written = plain[each.start : each.end]
        if _WRITTEN_IN_LATIN.search(written):
            continue
        if term := term_of(each):
            number = each.manner == "数詞"
            yield Token(term, written, each.start, each.end, name=is_name(each), number=number)


def term_of(each: Morpheme) -> str:
    """What makes a word the same as another one; empty for one that carries no meaning."""
    if each.form in LITTLE or (each.kind not in _MEANING and each.form not in _telling_adverbs()):
        return ""
    return one_spelling(each.form.casefold())


@cache
def _telling_adverbs() -> frozenset[str]:
    return frozenset(word for group in GROUPS for word in group)


def is_name(each: Morpheme) -> bool:
    """Whether the dictionary knows a word as a name, or does not know it at all."""
    return (
        each.kind == "名詞"
        and (each.manner == "固有名詞" or not each.known)
        and (each.manner != "数詞")
    )


@lru_cache(maxsize=1 << 14)
def parts_of(term: str) -> tuple[str, ...]:
    """The terms that a word is put together of, as 図書 and 館 of 図書館; none of one that cannot be taken apart."""
    if len(term) < _COMPOUND or not _HAS_IDEOGRAPH.search(term):
        return ()
    parts = tuple(filter(None, map(term_of, morphemes(term, short=True))))
    return () if parts == (term,) else parts


@lru_cache(maxsize=1 << 14)
def kin_of(term: str) -> frozenset[int]:
    """The groups that a word is in, or else those of the parts it is put together of."""
    groups = _groups()
    if term in groups:
        return groups[term]
    parts = (groups.get(each, frozenset[int]()) for each in parts_of(term) if len(each) > 1)
    return frozenset[int]().union(*parts)


@cache
def _groups() -> dict[str, frozenset[int]]:
    groups: dict[str, frozenset[int]] = {}
    for number, group in enumerate(GROUPS):
        for word in group:
            found = [token.term for token in _tokens(word)] or [one_spelling(word)]
            if len(found) == 1:
                groups[found[0]] = groups.get(found[0], frozenset()) | {number}
    return groups
