"""What a question in Japanese asks for: a date, a number of something, a person, a place, a reason."""

import re
from dataclasses import dataclass

from actors.answering.japanese.figures import UNIT, aspect_in, dimensions_of
from actors.answering.seeking import Seeks


@dataclass(frozen=True, slots=True)
class Sought:
    """What would answer a question."""

    kinds: frozenset[Seeks]
    dimensions: frozenset[str] = frozenset()
    """What a figure must be of, where one is asked for; none where any would do."""

    unit: str = ""
    """What is counted with, where the question says so: 冊 of 何冊."""

    aspect: str = ""
    """What of a thing is measured: its height, not its length."""

    point: str = ""
    """How exactly a time is asked for: by its year, month, weekday or hour."""

    names: tuple[str, ...] = ()
    """The names that the question has, as they are looked for in texts."""

    topic: str = ""
    """What the question begins with, and is about."""

    focus: str = ""
    """The term of what is asked of the rest: the last word of the question that is no name."""

    past: bool = False
    """It is asked when something happened."""


_END = (
    r"(?:(?:は|が|を|って|とは|について|の)?"
    r"(?:何|なに|なん|どれ|いくつ|教|知り|お?聞|わか|分か|どう|どの|どんな|[?。、]|です|でしょう|\Z))"
)
"""What follows where the word before it is what is asked for."""

_POINTS = {
    "clock": re.compile(r"何時(?!間)|時刻|時間帯"),
    "weekday": re.compile(r"何曜|曜日"),
    "year": re.compile(
        r"何年(?!間|おき|ごと|に[一1]|くらい|ぐらい|ほど|保証|も)|年は|創業年|設立年|何世紀|年号|何時代|た年"
    ),
    "month": re.compile(r"何月"),
    "day": re.compile(
        r"何日(?!間|くらい|ぐらい|ほど|まで|以内|前|もつ|もち|かか|後|分|おき)|何月何日|日付|日にち|生年月日"
    ),
}
_WHEN = re.compile(
    r"いつ(?!も|か)|時期|日時|日程|期日|期限|締め?切り?"
    r"|(?:開催|収集|休館|定休|休診|休業|営業|回収|発売|公開|締切|集荷|誕生|提出)日|(?:開館|営業|診療|受付|開店|閉館|閉店|開園|始業|終業|開演|開場|発車|出発|集合|開始|終了)時[間刻]"
)
_MONEY = re.compile(
    rf"いくら|何円|(?:料金|値段|価格|費用|代金|運賃|会費|入場料|入館料|参加費|手数料|家賃|月額|年会費|保険料|利用料|受講料|使用料|拝観料|総工費|工費|売上高?|予算|時給|給料|月給|賃金|学費|授業料|送料|定価){_END}"
)
_COUNTED = re.compile(rf"何\s?({UNIT}|[一-龥])")
_NOT_COUNTED = frozenset(
    {"故", "処", "者", "物", "事", "方", "曜", "曜日", "時", "世", "様", "卒", "気"}
)
_A_COLOUR = re.compile(r"何色(?!あ|展開|[のもかが]?選べ)")
_HOW_MUCH = re.compile(
    r"どれ(?:くらい|ぐらい|ほど|だけ)|どの(?:くらい|ぐらい|程度)|いくつ|幾つ|何割|何倍|の数(?:は|を|が|って|[?。]|\Z)"
)
_BY_WORD: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "time",
        re.compile(
            r"時間|かか[りるっ]|期間|寿命|日持ち|も[つちっ]|保[つちっ]|続[くいき]|待[つちっ]|生き|何年間|留学|滞在|長く"
        ),
    ),
    ("money", re.compile(r"お金|費用|料金|値段|価格|払[うえいっ]|円")),
    ("weight", re.compile(r"重[さい量]|体重")),
    ("area", re.compile(r"面積|広[さい]")),
    ("volume", re.compile(r"広い|入[るり]")),
    ("temperature", re.compile(r"温度|気温|水温|体温|暑|寒|熱")),
    ("人", re.compile(r"人口|人数|定員|人が|来場|入場者|参加者|社員|従業員|児童|生徒|客")),
    ("volume", re.compile(r"容量|容積|(?<!重)量")),
    ("share", re.compile(r"割合|率|何割|パーセント")),
    ("electricity", re.compile(r"電力|電圧|出力")),
    ("age", re.compile(r"年齢|何歳|おいくつ")),
    (
        "length",
        re.compile(
            r"長[さい]|全長|高[さい]|標高|幅|深[さい]|距離|離れ|遠[いく]|直径|厚[さみ]|大き[さい]|身長|体長"
        ),
    ),
)
_MEASURED = re.compile(
    rf"(?:長さ|全長|総?延長|高さ|標高|海抜|幅|幅員|深さ|水深|距離|直径|厚[さみ]|身長|体長|重[さ量]|重量|体重|面積|広さ|容量|容積|人口|人数|定員|温度|気温|水温|体温|速度|速さ|年齢|所要時間|期間|寿命|割合|率|電圧|消費電力|出力|充電時間|日持ち|大きさ|[一-龥]{{1,8}}数){_END}"
)
_PERSON = re.compile(
    r"誰|だれ|どなた|何者|何という人|どういう人"
    rf"|(?:創業者|設立者|創設者|作者|著者|監督|社長|館長|院長|校長|会長|代表|店長|担当者|責任者|指揮者|講師|先生|司会|委員長|町長|市長|設計者|発見者|城主|初代|作曲者|作詞者)(?:さん|先生)?(?:の?お?名前)?{_END}"
)
_PLACE = re.compile(
    rf"どこ|何処|どちらに(?:あ|い|お)|(?:場所|所在地|住所|会場|出身地|集合場所|生息地|水源|産地|行き先){_END}|何(?:県|市|町|国|階)|どの(?:町|県|国|市|街|駅|辺|あたり)"
)
_REASON = re.compile(
    r"なぜ|何故|どうして(?!も)|なんで|何で(?=す?.{0,20}(?:の|ん)[?で])|理由|原因|わけ|何のため"
)
_MANNER = re.compile(
    r"どうやって|どのように|どう(?:すれ|した|やれ|いう)|どうやれ|方法|手順|やり方|仕方|対処|[えけせてねめれ]?[いきしちにみり]方(?!向|面|々)|かけ方|直し方|どう(?:なり|使|作|捨|洗)"
)
_DEFINITION = re.compile(
    r"とは(?:何|なん|どんな|どういう|[?]|\Z)|って(?:何|なん)(?:です|だ|[?]|\Z|でしょ)"
)
_WHETHER = re.compile(
    r"(?:ます|です|でしょう|ません|ました|のか|れる|できる|ある|いる|大丈夫|可能|いい|よい|良い|ない)(?:か|の|んですか|のですか|でしょうか)?[。?]?\Z"
)
_LASTING = re.compile(r"保証|期間|任期|寿命|有効|契約|年数|持つ|もつ|続")
_SPAN_OF_TIME = re.compile(r"期間")
_HAPPENED = re.compile(r"た(?:の|ん)?(?:は|です|でしょう|か|年|日)|[?。]?\Z(?<=たの[?。])")
_ASKING = re.compile(
    r"何|なに|なん|誰|だれ|どなた|いつ|どこ|どれ|どの|どう|どちら|どっち|どんな|いく[らつ]|なぜ|教えて"
)


def sought(clause: str) -> Sought:
    """What a question asks for; `clause` is in plain letters and digits."""
    kinds: set[Seeks] = set()
    point = next((name for name, each in _POINTS.items() if each.search(clause)), "")
    if point == "year" and _LASTING.search(clause):
        return Sought(frozenset({"number"}), frozenset({"time"}), "年")
    if point or _WHEN.search(clause):
        kinds.add("date")
    if _REASON.search(clause):
        return Sought(frozenset({"reason"}))
    money = _MONEY.search(clause) is not None
    unit, counted = "", _COUNTED.search(clause)
    if counted and not _A_COLOUR.search(clause) and not _dated(counted, point):
        unit = "" if counted.group(1) in _NOT_COUNTED else counted.group(1)
    if unit == "円":
        unit, money = "", True
    measured = _HOW_MUCH.search(clause) or (_MEASURED.search(clause) and not kinds)
    if money:
        kinds.add("money")
    elif unit or (measured and not (_WHEN.search(clause) and "時間" in clause)):
        kinds.discard("date")
        kinds.add("number")
    if _PERSON.search(clause) and not kinds:
        kinds.add("person")
    if _PLACE.search(clause) and not kinds:
        kinds.add("place")
    if not kinds and _MANNER.search(clause):
        kinds.add("manner")
    if not kinds and _DEFINITION.search(clause):
        kinds.add("definition")
    if (
        not kinds
        and len(clause) <= 30
        and not _ASKING.search(clause)
        and not _WHETHER.search(clause)
    ):
        kinds.add("topic")
    if "number" in kinds and _SPAN_OF_TIME.search(clause):
        kinds.add("date")
    number = "number" in kinds
    return Sought(
        kinds=frozenset(kinds),
        dimensions=_dimensions(clause, unit) if number else frozenset(),
        unit=unit if number else "",
        aspect=aspect_in(clause) if number else "",
        point=point if "date" in kinds else "",
        past="date" in kinds and bool(_HAPPENED.search(clause)),
    )


def _dated(counted: re.Match[str], point: str) -> bool:
    """Whether 何年, 何月 and 何日 ask for a date."""
    return counted.group(1) in {"年", "月", "日"} and bool(point)


def _dimensions(clause: str, unit: str) -> frozenset[str]:
    if unit:
        return dimensions_of(unit)
    return frozenset(name for name, pattern in _BY_WORD if pattern.search(clause))


def sought_of_a_side(aspect: str) -> Sought:
    """What must be known of one of several things to compare it with the others with regard to something."""
    if re.search(r"料金|値段|価格|費用|安[いく]|高くつ", aspect):
        return Sought(frozenset({"money"}))
    if re.search(r"古い|新しい|先に|後に|最初|早く(?:でき|開|始)|生まれ|創業|開業", aspect):
        return Sought(frozenset({"date"}))
    dimensions = frozenset(name for name, pattern in _BY_WORD if pattern.search(aspect))
    if re.search(r"早[くい]|速[くい]", aspect):
        dimensions |= {"time"}
    if not dimensions:
        return Sought(frozenset())
    return Sought(frozenset({"number"}), dimensions, aspect=aspect_in(aspect))
