"""The figures in Japanese sentences, by what they measure or count."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from actors.answering.japanese.terms import even
from language.scripts import HAN, KATAKANA

_MEASURES = {
    "time": "秒間 秒 分間 分 時間半 時間 営業日 日間 泊 晩 週間 か月間 か月半 か月 ヶ月 カ月 ヵ月 ケ月 箇月 年間"
    " 年半 年 日 月",
    "money": "円 ドル ユーロ ポンド 銭 両",
    "length": "ミリメートル ミリ センチメートル センチ キロメートル キロ メートル インチ 海里 里 尺 mm cm km m ㎜ ㎝"
    " ㎞",
    "area": "平方メートル 平方キロメートル 平方キロ ヘクタール アール 坪 畳 ㎡ m2 ha",
    "volume": "ミリリットル リットル デシリットル 立方メートル カップ 大さじ 小さじ 合 升 ml cc l m3",
    "weight": "ミリグラム キログラム キロ グラム トン mg kg g t 貫 斤",
    "temperature": "度 ℃ °c",
    "share": "パーセント % 割",
    "electricity": "キロワット ワット ボルト アンペア ヘルツ kwh mah wh kw w v ah a hz db",
    "memory": "ギガバイト メガバイト ギガ メガ gb mb tb kb",
    "age": "歳 才",
}
_COUNTERS = (
    *("人 名", "回 度", "匹 頭 羽 尾", "台 台分 基 機", "階建て 階", "か所 箇所 ヶ所 カ所 ヵ所"),
    *(
        "店舗 店 軒",
        "戸 軒 棟 世帯",
        "室 部屋",
        "個 つ 点 品",
        "種類 種 品種",
        "冊 巻",
        "ページ 頁",
    ),
    *(
        "文字 字",
        "本",
        "枚",
        "錠",
        "単位",
        "編",
        "票",
        "株",
        "鉢",
        "輪",
        "着",
        "足",
        "杯",
        "膳",
        "皿",
    ),
    *("箱", "袋", "缶", "束", "玉", "切れ", "曲", "話", "章", "号", "通", "通り", "句", "首", "行"),
    *("段", "面", "倍", "語", "問", "口", "人前", "位", "等", "番", "科目", "試合", "組", "セット"),
    *(
        "種目",
        "項目",
        "議席",
        "世代",
        "代目",
        "代",
        "往復",
        "便",
        "両",
        "隻",
        "艘",
        "駅",
        "校",
        "社",
    ),
    *("席", "区画", "サイト", "館", "件", "色", "家族", "文", "粒", "滴", "合目", "コース", "路線"),
)
"""What things are counted with; those in one group count the same things."""

_UNITS = _MEASURES | {words.split()[0]: words for words in _COUNTERS}
_DIMENSIONS: dict[str, frozenset[str]] = {}
for _dimension, _words in _UNITS.items():
    for _unit in _words.split():
        _DIMENSIONS[_unit] = _DIMENSIONS.get(_unit, frozenset()) | {_dimension}

_LATIN = sorted((unit for unit in _DIMENSIONS if unit.isascii()), key=len, reverse=True)
_OTHERS = sorted((unit for unit in _DIMENSIONS if not unit.isascii()), key=len, reverse=True)
UNIT = rf"(?:{'|'.join(map(re.escape, _OTHERS))}|(?:{'|'.join(_LATIN)})(?![A-Za-z]))"
_DIGITS = r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?"
_NUMERALS = "[一二三四五六七八九十百千〇]+"
_FIGURE = re.compile(
    rf"(?<![A-Za-z0-9.,-])(?P<amount>(?:{_DIGITS}|{_NUMERALS}|数)[十百千]?(?:[万億兆][0-9,]*千?)*)"
    rf"\s?(?P<unit>{UNIT})?",
    re.I,
)
_IDEOGRAPH = re.compile(rf"\s?[{HAN}{KATAKANA}A-Za-z]")
_IN_A_DATE = frozenset({"年", "月", "日"})
_YEAR = re.compile(r"[12][0-9]{3}\Z")
_ERA = re.compile(r"(?:明治|大正|昭和|平成|令和|第|午前|午後|[前後])\Z")


class Measure(NamedTuple):
    """A figure, and what it may be of."""

    start: int
    end: int
    unit: str
    dimensions: frozenset[str]
    """None for a bare number."""


def measures(text: str) -> Iterator[Measure]:
    """The figures of a text; no dates and no hours of a day."""
    plain = even(text)
    for each in _FIGURE.finditer(plain):
        unit = (each["unit"] or "").casefold()
        amount = each["amount"]
        if unit in _IN_A_DATE and (_YEAR.match(amount) or _is_dated(plain, each)):
            continue
        if unit == "分" and plain[max(0, each.start() - 1) : each.start()] == "時":
            continue
        if not unit and (
            plain[each.end() : each.end() + 1] in {":", "時"} or not amount[0].isdigit()
        ):
            continue
        if not unit and (other := _IDEOGRAPH.match(plain, each.end())):
            unit = other.group()
        yield Measure(each.start(), each.end(), unit, _DIMENSIONS.get(unit, frozenset()))


def _is_dated(text: str, each: re.Match[str]) -> bool:
    """Whether a year, month or day is that of a date, and no length of time."""
    unit, before, after = each["unit"], text[: each.start()], text[each.end() :]
    if _ERA.search(before[-4:]):
        return True
    if unit == "月":
        return True
    if unit == "日":
        return before.endswith("月") or bool(re.match(r"[(（]?[月火水木金土日][曜)）]", after))  # noqa: RUF001
    return bool(re.match(r"[0-9]{1,2}月", after))


PHYSICAL = frozenset(_MEASURES)
"""What is measured, and so never told by a bare number."""


def dimensions_of(unit: str) -> frozenset[str]:
    """What figures with a unit may be of."""
    return _DIMENSIONS.get(unit.casefold(), frozenset())


@cache
def figure_of(dimensions: frozenset[str]) -> re.Pattern[str] | None:
    """What a figure of some dimensions looks like; none for none."""
    units = [unit for unit, of in _DIMENSIONS.items() if of & dimensions]
    if not units:
        return None
    units.sort(key=len, reverse=True)
    either = "|".join(map(re.escape, units))
    return re.compile(rf"[0-9０-９一二三四五六七八九十百千万億数]\s?(?:{either})", re.I)  # noqa: RUF001


# -- what of a thing is measured -------------------------------------------------------------------

ASPECTS = {
    "height": "高さ 標高 海抜 身長 背丈 高い",
    "length": "長さ 全長 延長 総延長 体長 長い 路線長",
    "width": "幅 幅員 横幅 車幅",
    "depth": "深さ 水深 奥行 深い",
    "diameter": "直径 口径 径",
    "thickness": "厚さ 厚み 厚い",
    "distance": "距離 離れ 遠い 先",
}
_ASPECT = {word: aspect for aspect, words in ASPECTS.items() for word in words.split()}
_WORD = re.compile("|".join(sorted(_ASPECT, key=len, reverse=True)))
_CLAUSE = re.compile(r"[、。,;|(（]")  # noqa: RUF001


def aspect_in(text: str) -> str:
    """What of a thing a question asks for, if a length of it."""
    found = _WORD.search(text)
    return _ASPECT[found.group()] if found else ""


def aspects_told(text: str) -> list[str]:
    """What each length in a text is the length of; empty where no word beside it says so."""
    told, plain = [], even(text)
    for each in measures(plain):
        if "length" in each.dimensions:
            begin = max((cut.end() for cut in _CLAUSE.finditer(plain, 0, each.start)), default=0)
            words = _WORD.findall(plain[begin : each.start])
            behind = re.match(r"の?(高さ|長さ|幅|深さ|厚さ)", plain[each.end :])
            word = behind.group(1) if behind else words[-1] if words else ""
            told.append(_ASPECT.get(word, ""))
    return told
