"""Takes a question in Japanese apart, and says what each part is about."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from actors.answering.japanese.asking import Sought, sought, sought_of_a_side
from actors.answering.japanese.figures import figure_of
from actors.answering.japanese.ordering import COMPARES
from actors.answering.japanese.terms import JapaneseTerms, even, is_name, squeezed
from actors.answering.parts import Part, Wanted
from actors.answering.rules import PRESENT, Rules
from actors.answering.terms import Token
from language.japanese import morphemes

MOST = 5
"""Parts of a question; what goes beyond is left out."""

_END = re.compile(r"(?<=[。;?!\n])\s*")
_ASKS = re.compile(
    r"[?]|(?:か|の|て|ください|下さい|は)[。?]?\Z|何|誰|いつ|どこ|どれ|どう|どの|どちら|どっち|いくら|いくつ|なぜ"
)
_THING = r"[^、。はがをにでとのも,\s?]{1,24}"
_COMPARES = re.compile(
    rf"(?P<a>(?:{_THING}の)?{_THING})と(?:は)?(?P<b>{_THING}(?:の(?!どちら|どっち|うち|方|ほう|違い)[^、。はがを\s]{{1,12}})?)"
    r"(?:では|とでは|は|で|、|のうち|の中で|のどちら|のどっち|を比べ|の違い|\s|の方|のほう)"
)
_WHICH = re.compile(r"どちら|どっち|違い|比べ|のほうが|の方が|いのは\Z|るのは\Z")
_THE_CODE = re.compile(r"^.*の(?=[A-Za-z]+-?[0-9])")
"""The microwave X-20 is X-20."""

_BOTH_OF = re.compile(
    r"(?P<of>.+の)(?P<one>[^のとはがを、\s]{1,8})と(?P<two>[^のとはがを、\s]{1,8})(?P<rest>(?:は|を|、|が|って|\Z).*)"
)
LONGEST_CODE = 24
"""Characters of a code that are looked at."""

FOCUS = 1.5
"""What the last word of a question counts that is no name: what is asked of the others stands there."""

WEAK = 0.25
"""What a word counts that shapes a question more than it says what it is about."""

_PRICES = frozenset({"料金", "値段", "価格", "費用", "代金", "金額", "お金"})
_WEAK = frozenset(
    """
    年 月 日 年度 年間 月々 分 時間 台 人 個 本 回 冊 枚 匹 名 一度 一回 度 曜日 週 円 番 階 歳 段
    メートル センチ センチメートル キロ 理由 原因 方法 手順 場所 意味 違い 詳しい 時期 日時 最初 初めて 以上
    以下 未満 頃 先生 名前 お金 量 種類 全部 合計 毎月 普段 簡単 具体 内容 様子 ところ とき どちら 一 二
    三 人物 人々 日にち 日付 期間 必要 全体 一緒 以降 以前 時間帯 二つ まま 数 物 品物 ルート 種目 毎日
    普通 つもり 予定
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
"""Words that shape a question more than they say what it is about."""


def plan(question: str, terms: JapaneseTerms, rules: Rules = PRESENT) -> list[Part]:
    """The parts of a question, one to five."""
    parts: list[Part] = []
    for clause in _clauses(even(question)):
        sides = _sides(clause)
        for thing, aspect in sides:
            parts.append(_side(thing, aspect, terms, rules))
        if not sides:
            parts.append(_part(clause, parts, terms, sought(clause)))
    return [part for part in parts if part.wanted][:MOST] or [
        _part(even(question), [], terms, sought(even(question)))
    ]


def _clauses(question: str) -> Iterator[str]:
    """The questions that are strung together; what is only told before one belongs to it."""
    told = ""
    sentences = [each.strip() for each in _END.split(" ".join(question.split())) if each.strip()]
    asking = max(
        (number for number, each in enumerate(sentences) if _ASKS.search(each)), default=MOST
    )
    for number, sentence in enumerate(sentences[: asking + 1]):
        if number + 1 < len(sentences) and not _ASKS.search(sentence):
            told += sentence
            continue
        told = "".join([told, *_told_after(sentences[number + 1 :])])
        both = _BOTH_OF.match(sentence)
        if both and not _WHICH.search(sentence):
            for each in (both["one"], both["two"]):
                yield told + both["of"] + each + both["rest"]
        else:
            yield told + sentence
        told = ""


def _told_after(sentences: Sequence[str]) -> Iterator[str]:
    """What is only told at the end, as of which shop it is asked; it comes first, so that it is what is asked about."""
    if sentences and not any(map(_ASKS.search, sentences)):
        yield from sentences


def _sides(clause: str) -> list[tuple[str, str]]:
    """Two things that are compared, each with what it is about."""
    if not _WHICH.search(clause):
        return []
    found = _COMPARES.search(clause)
    if not found:
        return []
    rest = (clause[: found.start()] + " " + clause[found.end() :]).strip()
    return [
        (_THE_CODE.sub("", found[side]).strip("「」『』"), rest or clause) for side in ("a", "b")
    ]


def _side(thing: str, aspect: str, terms: JapaneseTerms, rules: Rules) -> Part:
    """What is asked of one of two things that are compared."""
    if rules.weighs_in_japanese:
        aspect = aspect.strip("、, ") or aspect
    part = _part(f"{thing}: {aspect}", [], terms, sought_of_a_side(aspect))
    if rules.weighs_in_japanese:
        wanted = (_unless_it_compares(each, part.text) for each in part.wanted)
        part = replace(part, wanted=tuple(wanted))
    return replace(part, side=True, thing=thing, aspect=aspect)


def _unless_it_compares(wanted: Wanted, text: str) -> Wanted:
    """A word that an answer should speak of; "more" and "cheaper" are never said of one thing alone."""
    compares = any(each.start() <= wanted.at < each.end() for each in COMPARES.finditer(text))
    return replace(wanted, weight=WEAK, strong=False) if compares and not wanted.entity else wanted


def _part(clause: str, before: Sequence[Part], terms: JapaneseTerms, asked: Sought) -> Part:
    named = list(_names(clause))
    wanted: dict[str, Wanted] = {}
    counters = [found.end() - 1 for found in re.finditer(r"何.", clause)]
    for token in terms.tokens(clause):
        if any(token.start <= at < token.end for at in counters):
            continue
        entity = next((number for number, (a, b) in enumerate(named, 1) if a <= token.start < b), 0)
        each = _wanted(token, entity, asked)
        known = wanted.setdefault(token.term, each)
        if each.strong and not known.strong:
            wanted[token.term] = each
    if focus := next(
        (each for each in reversed(wanted.values()) if each.strong and not each.entity), None
    ):
        wanted[focus.term] = replace(focus, weight=FOCUS * focus.weight)
        asked = replace(asked, focus=focus.term)
    names = [squeezed(clause[a:b]) for a, b in named]
    carried: list[Wanted] = []
    if before and not named:
        carried = [each for each in before[-1].wanted if each.entity and each.term not in wanted]
        for each in carried:
            wanted[each.term] = replace(each, weight=0.8 * each.weight, at=-1)
        names += before[-1].japanese.names if before[-1].japanese else ()
    return Part(
        text=clause,
        query=" ".join([clause, *(each.surface for each in carried)]),
        wanted=tuple(wanted.values()),
        seeks=asked.kinds,
        japanese=replace(asked, names=tuple(dict.fromkeys(names)), topic=_topic(clause)),
    )


def _wanted(token: Token, entity: int, asked: Sought) -> Wanted:
    weak = not entity and (token.term in _WEAK or (len(token.surface) == 1 and token.number))
    weak |= "money" in asked.kinds and token.term in _PRICES
    figure = figure_of(asked.dimensions) if asked.aspect and _is_measure(token) else None
    weight = WEAK if weak else 1.5 if entity else 1.2 if token.number else 1.0
    return Wanted(
        term=token.term,
        kin=None,
        surface=token.surface,
        weight=weight,
        strong=not weak,
        entity=entity,
        at=token.start,
        sense=figure,
    )


_BEHIND_A_NAME = re.compile(r"(?:さん|氏|様|先生|方|側|以降|以前|(?<=[ぁ-ヶー一-龥])[0-9]+)\Z")
_TOPIC = re.compile(r"(?:は|の|が|って|には|では|に|で|を)(?![かがさし])")


def _topic(clause: str) -> str:
    """The noun that a question begins with, if something is said of it."""
    words = list(morphemes(clause))
    last = 0
    for each in words:
        if each.kind not in {"名詞", "接尾辞", "接頭辞"} or each.start != last or each.form == "何":
            break
        last = each.end
    follows = _TOPIC.match(clause, last)
    return squeezed(clause[:last]) if last and follows else ""


def _is_measure(token: Token) -> bool:
    return bool(re.search(r"[さ幅高径]\Z|標高|全長|延長|距離|面積|重量|水深", token.surface))


def _names(clause: str) -> Iterator[tuple[int, int]]:
    """Where the names of a clause stand, each with the nouns that it is put together with: 早瀬川, X-200, 倉橋千鶴."""
    begin, last, named = -1, -1, False
    for each in [*morphemes(clause), None]:
        noun = each is not None and (
            (each.kind in {"名詞", "接尾辞", "接頭辞"} and each.form not in {"何", "何時"})
            or clause[each.start : each.end] in {"-", "ヶ", "ケ"}
        )
        if each is not None and noun and (begin < 0 or each.start == last):
            begin = each.start if begin < 0 else begin
            last = each.end
            named |= is_name(each) or _is_code(clause[max(begin, last - LONGEST_CODE) : last])
            continue
        if begin >= 0 and named:
            yield begin, begin + len(_BEHIND_A_NAME.sub("", clause[begin:last]))
        begin, last, named = -1, -1, False
        if each is not None and noun:
            begin, last = each.start, each.end
            named = is_name(each)


def _is_code(written: str) -> bool:
    return bool(re.search(r"[A-Za-z]-?[0-9]", written))
