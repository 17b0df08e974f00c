"""Which language a text is written in.

The script settles most of it. Among the languages that share an alphabet, the small words that no
sentence does without vote first; where they do not settle it, a statistical model is asked, which
is loaded only then.
"""

import re
import threading
from typing import Any

from language.folding import normalised
from language.scripts import Script, script_of, scripts

UNKNOWN = "und"

READ = 2000
"""Characters that are looked at."""

FEWEST_LETTERS = 12
"""Of an alphabet that several languages share; with fewer nobody can tell."""

CERTAIN = 0.6
"""What the model must think of its answer, unless it is the common language of the alphabet."""

LIKELY = 0.1
"""What it must think of that one: most short texts that nothing else claims are in it."""

LONGEST_WORD = 50
"""Letters; what is longer is data, and in no language."""

FEWEST_VOTES = 0.12
"""Share of its words that must be small words of a language."""

SHORT = 40
"""Ideographs that may stand in a Japanese text without kana between them."""

MINORITY = 0.1
"""Share of the letters from which a second language makes a text mixed."""

_BY_SCRIPT: dict[Script, str] = {
    "hangul": "ko",
    "thai": "th",
    "lao": "lo",
    "tibetan": "bo",
    "burmese": "my",
    "khmer": "km",
    "greek": "el",
    "armenian": "hy",
    "georgian": "ka",
    "tamil": "ta",
    "hebrew": "he",
}
"""Scripts that one language alone is commonly written in."""

_COMMON: dict[Script, str] = {"latin": "en", "cyrillic": "ru", "arabic": "ar", "devanagari": "hi"}

_FUNCTION_WORDS = {
    "en": """
        the of and to in is that it was for on are with as his they at be this from have or by
        had not but what all were when we there can an your which their if will each about how
        then them she these some would him into has more two than been its who did may over only
        our
    """,
    "de": """
        der die und das den von zu mit sich des auf für ist im dem nicht ein eine als auch es an
        werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so
        zum war haben nur oder aber vor zur bis mehr durch man sein wurde ich wir
    """,
    "fr": """
        le la les de des du et est une que dans qui pour pas sur au ce il par ne se plus avec
        sont son cette mais ont aux elle nous comme ou leur été être fait sans ses je vous tout
        aussi après deux entre même ces où
    """,
    "es": """
        el la de que y en los del se las por un para con no una su al lo como más pero sus le ya
        o este sí porque esta entre cuando muy sin sobre también me hasta hay donde quien desde
        todo nos durante fue son es está era ha
    """,
    "it": """
        il di che la e un a per non in una sono mi ho ma lo ha le si con come da ci questo qui
        del della dei delle nel alla al più anche gli dal stato essere suo sua loro molto tra
        fra dalla nella alle era è
    """,
    "pt": """
        o de a que e do da em um para é com não uma os no se na por mais as dos como mas foi ao
        ele das tem à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso
        ela entre era depois sem mesmo aos são
    """,
    "nl": """
        de het een en van in is dat op te zijn met voor niet aan er om ook als dan maar bij nog
        uit door over naar heeft hebben worden wordt deze die dit was werd ze zich tot meer wel
        kan zo hij geen of haar
    """,
    "da": """
        og i at det er en til af på for den som med de ikke der var har et han om fra vi jeg hun
        sig men ved ud kan
    """,
    "no": """
        og i at det er en til av på for den som med de ikke der var har et han om fra vi jeg hun
        seg men ved ut kan
    """,
    "sv": """
        och i att det är en till av på för den som med de inte där var har ett han om från vi
        jag hon sig men vid ut kan
    """,
}


def _voters() -> dict[str, tuple[str, ...]]:
    """By word: the languages it is one of the small words of."""
    found: dict[str, tuple[str, ...]] = {}
    for language, words in _FUNCTION_WORDS.items():
        for word in words.split():
            found[word] = (*found.get(word, ()), language)
    return found


_VOTERS = _voters()
_WORD = re.compile(r"[^\W\d_]+")


def language_of(text: str) -> str:
    """The language of most of a text, by ISO 639-1; `und` where nobody can tell."""
    found = _languages(text)
    return max(found, key=found.__getitem__) if found else UNKNOWN


def languages_of(text: str) -> tuple[str, ...]:
    """The languages of a text, the most written first: more than one where it is mixed."""
    found = _languages(text)
    every = sum(found.values())
    kept = [language for language, letters in found.items() if letters >= MINORITY * every]
    return tuple(sorted(kept, key=lambda language: -found[language]))


def _languages(text: str) -> dict[str, float]:
    """By language: how much is said in it, in letters of an alphabet."""
    sample = normalised(text[:READ])
    letters = scripts(sample)
    found: dict[str, float] = {}
    for script, count in letters.items():
        if script in {"kana", "han", "other"}:
            continue
        language = _BY_SCRIPT.get(script) or _among(sample, script, count, len(letters) == 1)
        if language != UNKNOWN:
            found[language] = found.get(language, 0.0) + count
    if letters["kana"] or letters["han"]:
        # One says as much as two or three letters.
        east_asian = "ja" if letters["kana"] else _of_ideographs(sample)
        found[east_asian] = 2.5 * (letters["kana"] + letters["han"])
    return found


def _of_ideographs(sample: str) -> str:
    """Chinese or Japanese, of a text without kana.

    A long one is Chinese. A short one, such as a title, is whatever has all its characters: the
    national standards tell the simplified and the Japanese forms apart. What both have is taken
    for Japanese, where ideographs alone make up whole phrases.
    """
    own = "".join(character for character in sample if character >= "\u3005")
    return "ja" if len(own) <= SHORT and _encodes(own, "shift_jis") else "zh"


def _encodes(text: str, charset: str) -> bool:
    try:
        text.encode(charset)
    except UnicodeEncodeError:
        return False
    return True


def _among(sample: str, script: Script, count: int, only: bool) -> str:
    """Which of the languages of an alphabet it is."""
    if count < FEWEST_LETTERS:
        return UNKNOWN
    own = [word for word in _WORD.findall(sample.casefold()) if len(word) <= LONGEST_WORD]
    if not only:
        own = [word for word in own if script_of(word[0]) == script]
    if not own:
        return UNKNOWN
    if script == "latin" and (voted := _vote(own)):
        return voted
    return _asked(" ".join(own), _COMMON.get(script, UNKNOWN))


def _vote(words: list[str]) -> str:
    """The language whose small words are clearly the most; else none."""
    votes: dict[str, float] = {}
    for word in words:
        spoken = _VOTERS.get(word)
        if spoken is None:
            continue
        # One or two letters are a word of many languages that are not on the list.
        worth = 1.0 if len(word) > 2 else 0.5
        for language in spoken:
            votes[language] = votes.get(language, 0.0) + worth / len(spoken)
    first, second = sorted((*votes.values(), 0.0, 0.0), reverse=True)[:2]
    if first < max(1.0, FEWEST_VOTES * len(words)) or first < 1.5 * second + 0.5:
        return ""
    return max(votes, key=votes.__getitem__)


# -- the model -----------------------------------------------------------------------------------

_loading = threading.Lock()
_model: Any = None


def _asked(text: str, common: str) -> str:
    language, certainty = _loaded().classify(text)
    enough = LIKELY if language == common else CERTAIN
    return str(language) if certainty >= enough and len(language) == 2 else UNKNOWN


def _loaded() -> Any:
    global _model
    with _loading:
        if _model is None:
            # Here and not above: the model takes most of a second to load.
            from py3langid.langid import MODEL_FILE, LanguageIdentifier

            _model = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    return _model
