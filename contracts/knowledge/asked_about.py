"""What a question is about: its words, without those that only ask."""

import re

from language.scripts import HIRAGANA, KATAKANA, UNSPACED
from language.words import JAPANESE_WORD, query_terms

_ASKING = re.compile(
    r"\b(?:please|kindly|(?:can|could|would|will) you|do you know"
    r"|(?:tell|show|teach|give|explain to)\s+(?:me|us)(?:\s+(?:more|something|everything))?(?:\s+about)?"
    r"|i(?:['’]d|\s+would)?\s+(?:want|need|like)\s+to\s+(?:know|learn|understand)(?:\s+(?:more\s+)?about)?)\b"
    r"|(?:を|について|に関して|のこと)?(?:詳しく|くわしく|簡単に|わかりやすく|分かりやすく)?"
    r"(?:教え|おしえ|説明し|解説し|紹介し)て"
    r"(?:ください(?:ますか|ませんか)?|下さい|(?:欲しい|ほしい)(?:です)?|くれ(?:ますか|ませんか)?"
    r"|もらえ(?:ますか|ませんか)|(?:いただけ|頂け)(?:ますか|ませんか))?"
    r"|(?:を|について|に関して)?知りたい(?:[のん]?です)?が?"
    r"|(?:には)?どう(?:すれば|したら)(?:いい|よい|良い)?|について|に関して|に関する|とは(?=何|なに|なん|どう|[?\uff1f]|$)",
    re.I,
)
_KANA = re.compile(f"[{HIRAGANA}{KATAKANA}]")
_PAIR = re.compile(f"[{UNSPACED}]")
_WAY = f"{JAPANESE_WORD}方"
"""Of 作り方, which is how something is made: texts seldom say it so."""


def asked_about(query: str) -> dict[str, float]:
    """The terms that tell what a question is about, with what each counts; of one that only asks, all of them.

    Of Japanese these are its words: the pairs of its letters help to find, and say nothing of what was found.
    """
    found = query_terms(_ASKING.sub(" ", query)) or query_terms(query)
    if not _KANA.search(query):
        return found
    words = {
        term: weight for term, weight in found.items() if not _PAIR.match(term) and term != _WAY
    }
    return words if any(term.startswith(JAPANESE_WORD) for term in words) else found
