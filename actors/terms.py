"""The words of a text that carry meaning, as a researcher compares them.

Two words are the same term when they share a stem, and kin when they mean nearly the same thing in
a question: "How long …?" is answered by a length, and what is generated is also produced.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache

from snowballstemmer.english_stemmer import EnglishStemmer

_KANA = "\u3041-\u309f"
_KATAKANA = "\u30a1-\u30ff"
_IDEOGRAPHS = "\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_WIDE = _KANA + _KATAKANA + _IDEOGRAPHS
_TOKEN = re.compile(
    rf"[{_IDEOGRAPHS}]+|[{_KATAKANA}]+|[{_KANA}]+"
    rf"|[0-9]+(?:[.,][0-9]+)*(?![^\W_{_WIDE}])"
    rf"|[^\W_{_WIDE}]+(?:['’][^\W_{_WIDE}]+)?"
)
_IS_IDEOGRAPHS = re.compile(rf"[{_IDEOGRAPHS}]+\Z")
_IS_KATAKANA = re.compile(rf"[{_KATAKANA}]+\Z")
_IS_KANA = re.compile(rf"[{_KANA}]+\Z")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?\Z")
_ENDINGS = frozenset({"s", "t", "d", "m", "ll", "re", "ve"})


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


STOP_WORDS = _listed(
    """
    a about above after again against all along already also although am among an and another any
    anyone anything are around as at away be became because become been before being below between
    both but by came can cannot come could did do does doing done down due during each either else
    ever every few for from further had has have having he hence her here hers herself him himself
    his how however i if in indeed instead into is it its itself just last less let like likely made
    make makes making many may me might more most mostly much must my near nearly neither never no
    nor not now of off often on once one only onto or other others our ours out over own per perhaps
    quite rather really same seem seems several shall she should since so some something sometimes
    soon still such than that the their theirs them themselves then there therefore these they this
    those though through thus to together too toward towards under until up upon us use used uses
    using usually very via was we well were what whatever when where whether which while who whom
    whose why will with within without would yes yet you your yours
    何 何年 何度 何時 何人 何月 何日 誰 方 的 以上 以下 場合
    """
)

WEAK_WORDS = _listed(
    """
    affect affects affected answer article best better big brief cause causes caused compare compared
    comparison consequence consequences contrast corpus define describe detail details difference
    differences different discuss document documents effect effects example examples exist exists
    explain fact facts find give good great happen happened happens help impact impacts important
    influence information interesting key kind kinds know known list main major mean meaning means
    name new number overview people place please possible question reason reasons related relevant
    role say says show sort source sources summarise summarize summary tell thing things topic type
    types various versus way ways work works world
    """
)
"""Words that shape a question more than they say what it is about."""

_KIN = tuple(
    _listed(group)
    for group in (
        "year years annual annually yearly",
        "month months monthly",
        "day days daily",
        "produce produces produced production generate generates generated output yield yields "
        "deliver delivered",
        "cost costs price prices expense expensive priced cheap dear",
        "build built builds building construct construction constructed erect erected",
        "open opened opening inaugurate inaugurated commission commissioned start started begin "
        "began begun establish established founded launch launched",
        "close closed closure shut retire retired decommissioned ended end",
        "big large larger largest size great greatest biggest huge",
        "tall height high higher highest",
        "long length longest duration lasts last",
        "deep depth deepest",
        "wide width broad across diameter",
        "old age oldest earliest",
        "first earliest pioneer",
        "heavy weight weigh weighs mass",
        "fast speed quick velocity quickly rapid",
        "hot temperature warm warmth",
        "far distance away",
        "cause causes caused causing reason reasons",
        "effect effects affect affects affected impact impacts influence consequence consequences",
        "harm damage hurt injury harmful",
        "benefit benefits advantage advantages",
        "problem problems disadvantage disadvantages drawback drawbacks limitation limitations "
        "challenge challenges difficulty difficult obstacle obstacles",
        "invent invented inventor invention devise devised create created develop developed design "
        "designed",
        "discover discovered discovery",
        "write writes wrote written author authored",
        "born birth birthplace",
        "die died death dead",
        "locate located location situated lies stands",
        "increase increases increased rise rises risen grow grows growth",
        "decrease decreases decreased fall falls decline declines drop drops reduce reduces reduced "
        "reduction shrink",
        "predict predicts predicted prediction predictions forecast forecasts",
        "measure measured measurement measurements gauge",
        "purpose aim goal",
        "definition defined called",
        "animal animals wildlife fauna",
        "movie film",
        "car vehicle vehicles cars",
        "illness disease",
        "country nation",
        "firm company",
        "accurate accuracy precise precision exact error errors",
        "refuse refused refusal reject rejected rejection decline declined",
        "coast coasts coastal shore shores",
        # Adjectives that do not look like their nouns.
        "tide tides tidal",
        "sun solar",
        "moon lunar",
        "sea seas marine maritime",
        "water aquatic",
        "heat thermal",
        "sound acoustic",
        "law legal",
        "city urban",
        "star stellar",
        "ship naval",
        "death deaths mortality",
    )
)


@dataclass(frozen=True, slots=True)
class Token:
    """A meaningful word where it stands."""

    term: str
    """What makes it the same as another word."""

    surface: str
    start: int
    end: int
    name: bool
    """Capitalised where an ordinary word would not be."""

    number: bool


class Terms:
    """Finds the terms of texts. Costs nothing to make: what it learns, the process remembers."""

    def stem(self, word: str) -> str:
        """The term of a single word; empty for one that carries no meaning."""
        return _stem(word)

    def kin(self, term: str) -> int | None:
        """The group of like-minded terms it belongs to, if any."""
        return _kin().get(term)

    def tokens(self, text: str) -> list[Token]:
        """The meaningful words of a text, in order; ideographs come as overlapping pairs."""
        found: list[Token] = []
        opening = True
        for match in _TOKEN.finditer(text):
            surface = match.group()
            opening = opening or _opens(text, match.start())
            if _IS_KANA.match(surface):
                pass
            elif _IS_IDEOGRAPHS.match(surface):
                found += _pairs(surface, match.start())
            elif term := _meaning(surface):
                name = not _IS_KATAKANA.match(surface) and _is_name(text, match, opening=opening)
                number = surface[0].isdigit()
                found.append(Token(term, surface, match.start(), match.end(), name, number))
            opening = False
        return found


@lru_cache(maxsize=1 << 16)
def _meaning(surface: str) -> str:
    folded = unicodedata.normalize("NFKC", surface).casefold()
    return "" if folded in STOP_WORDS else _stem(folded)


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    if _THOUSANDS.match(word):
        return word.replace(",", "")
    head, _, ending = word.replace("’", "'").partition("'")
    word = head if ending in _ENDINGS else head + ending
    if word in STOP_WORDS:
        return ""
    if not word.isascii() and not _IS_KATAKANA.match(word):
        decomposed = unicodedata.normalize("NFD", word)
        word = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    # A stemmer has state, and threads may share this cache: each word gets a stemmer of its own.
    stem: str = EnglishStemmer().stemWord(word)
    return stem


@cache
def _kin() -> dict[str, int]:
    groups: dict[str, int] = {}
    for number, group in enumerate(_KIN):
        for word in sorted(group):
            groups.setdefault(_stem(word), number)
    return groups


def is_weak(surface: str) -> bool:
    """Whether a word of a question says little about its topic; so does a lone ideograph."""
    return surface.casefold() in WEAK_WORDS or (len(surface) == 1 and surface >= "\u3005")


def _opens(text: str, at: int) -> bool:
    """Whether a word begins a sentence, where a capital means nothing."""
    before = text[max(0, at - 4) : at].rstrip(" \t\n\"'“(*_")
    return not before or before[-1] in ".!?:;。"


def _is_name(text: str, match: re.Match[str], *, opening: bool) -> bool:
    word = match.group()
    if not word[0].isupper():
        return any(letter.isupper() for letter in word[1:]) and not word[0].isdigit()
    if not opening or (len(word) > 1 and any(letter.isupper() for letter in word[1:])):
        return True
    # At the beginning a capital counts when the next word has one too: La Rance, Lord Kelvin.
    after = text[match.end() : match.end() + 2]
    return len(after) == 2 and after[0] in " -" and after[1].isupper()


def _pairs(run: str, start: int) -> list[Token]:
    if len(run) == 1:
        return [] if run in STOP_WORDS else [Token(run, run, start, start + 1, False, False)]
    return [
        Token(run[at : at + 2], run[at : at + 2], start + at, start + at + 2, False, False)
        for at in range(len(run) - 1)
        if run[at : at + 2] not in STOP_WORDS
    ]
