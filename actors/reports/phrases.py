"""What a research that quotes says in words of its own, in the language of its question.

Words are part of what a record replays to: those of earlier rules stay as they are.
"""

from dataclasses import dataclass, replace
from typing import Literal

Wording = Literal["", "en", "ja"]
"""In which words an account is given; the empty one is that of records made before there was a choice."""


@dataclass(frozen=True)
class Phrases:
    """Sentences with places for what they speak of."""

    # Answers.
    nothing: str
    nothing_here: str
    quotation: str
    but_see: str

    # Reports.
    headings: dict[str, str]
    nothing_on_this: str
    unanswered: str
    between_unanswered: str
    rests_on: str
    no_gaps: str
    no_sources: str
    place: str
    columns: tuple[str, str]
    factors: tuple[str, ...]
    yes_or_no: tuple[str, str]
    unknown: str
    values: dict[str, str]
    """Words of the contract for degrees, where they are shown in others."""

    # How much there is: of one, and of several.
    counted: dict[str, tuple[str, str]]

    # Gaps.
    read: str
    unquoted: str
    lost: str
    nothing_named: str
    filtered_out: str
    does_not_speak: str
    between_missing: str
    gives_no: str
    kinds: dict[str, str]
    between_kinds: str
    nobody_speaks: str
    not_together: str
    not_clearly: str
    either: str
    one_says: str
    limit_before: str
    further_search: str
    first_search: str
    limit_reached: str
    left_unread: str
    more_promising: str
    breaks_off: str
    broken_off: str

    # What else is worth knowing.
    gives: str
    which_is_right: str
    disagree: str
    which_source: str
    covers: str
    says_itself: str
    stands_for: str
    unexplained: str
    refers: str

    def count(self, number: int, what: str) -> str:
        """A number of things."""
        one, many = self.counted[what]
        return (one if number == 1 else many).format(number)

    def heading(self, section: str) -> str:
        """The heading of a section of a report, by its English name."""
        return f"## {self.headings[section]}"

    def value(self, told: str) -> str:
        """A degree, as readers call it."""
        return self.values.get(told, told)


FIRST = Phrases(
    nothing="The corpus holds nothing that answers this.",
    nothing_here="The corpus holds nothing on this part.",
    quotation="“{}”",
    but_see=" (but see {})",
    headings={
        "summary": "Summary",
        "findings": "Findings",
        "contradictions": "Contradictions",
        "gaps": "Gaps",
        "open questions": "Open questions",
        "leads": "Leads",
        "sources": "Sources",
        "confidence": "Confidence",
    },
    nothing_on_this="The corpus holds nothing on this.",
    unanswered="Not answered: {}",
    between_unanswered="; ",
    rests_on="Confidence {:.2f}, from {} of {}. "
    "Every quotation is verbatim; its place is given under Sources.",
    no_gaps="None that this researcher noticed.",
    no_sources="None.",
    place="`{}`, characters {} to {} of its text",
    columns=("Factor", "Value"),
    factors=(
        "Confidence",
        "Independent sources behind each part",
        "Authority of the sources",
        "Contradiction found",
        "Share of the question covered",
        "Budget exhausted",
        "Recency",
        "Searches",
        "Researcher",
    ),
    yes_or_no=("yes", "no"),
    unknown="unknown",
    values={},
    counted={
        "citation": ("{} citation", "{} citations"),
        "source": ("{} source", "{} sources"),
        "search": ("{} search", "{} searches"),
    },
    read="{} read",
    unquoted="No quoted sentence speaks of “{}”; {}.",
    lost="The search found this source, but its stored text is missing or damaged.",
    nothing_named="The question names nothing that could be looked for.",
    filtered_out="No document has a path or address that matches the filter “{}”.",
    does_not_speak="What was found on this does not speak of “{}”; {}.",
    between_missing="”, “",
    gives_no="What was found on this gives no {} that would answer it; {}.",
    kinds={"number": "figure", "money": "sum", "date": "date"},
    between_kinds=" or ",
    nobody_speaks="Nothing that was found speaks of “{}”; {}.",
    not_together="The words occur, but no sentence brings them together; {}.",
    not_clearly="A sentence has all the words, but none clearly answers this; {}.",
    either="{} or {}",
    one_says="“{}” [{}] says {}, “{}” [{}] says {}.",
    limit_before="The limit of {} was reached before {}.",
    further_search="a further search was made",
    first_search="it was searched for",
    limit_reached="{}; the limit of {} was reached.",
    left_unread="Left unread: {}",
    more_promising="The limit of {} was reached; {} more looked promising.",
    breaks_off="Nothing that was read leads from “{}” on to “{}”",
    broken_off="{}; {}.",
    gives="[{}] gives {}, [{}] gives {}.",
    which_is_right="Which figure is right for “{}”: {}?",
    disagree="“{}” and “{}” disagree.",
    which_source="Which source speaks of “{}”: {}",
    covers="The quotations cover {:.0%} of this part of the question.",
    says_itself="The source says so itself: “{}”",
    stands_for="What does {} stand for here?",
    unexplained="Used without explanation: “{}”",
    refers="“{}”, which is quoted, refers to it.",
)

ENGLISH = replace(
    FIRST,
    nothing="Nothing in the documents answers this.",
    nothing_here="Nothing in the documents answers this part.",
    nothing_on_this="Nothing in the documents answers this.",
    no_gaps="None found.",
    unquoted="No quoted sentence mentions “{}”; {}.",
    nothing_named="The question names nothing to search for.",
    does_not_speak="The passages found do not mention “{}”; {}.",
    gives_no="The passages found give no {} that answers it; {}.",
    kinds={"number": "figure", "money": "amount", "date": "date"},
    nobody_speaks="No passage found mentions “{}”; {}.",
    not_together="The words occur, but in no one sentence; {}.",
    more_promising="The limit of {} was reached; {} more looked relevant.",
    breaks_off="No document read leads from “{}” to “{}”",
    which_source="Which source mentions “{}”: {}",
)

JAPANESE = Phrases(
    nothing="この質問に答える記述は、文書の中に見つかりませんでした。",
    nothing_here="この部分に答える記述は、文書の中に見つかりませんでした。",
    quotation="「{}」",
    but_see="（ただし {} も参照）",
    headings={
        "summary": "要約",
        "findings": "分かったこと",
        "contradictions": "矛盾",
        "gaps": "分からなかったこと",
        "open questions": "残る疑問",
        "leads": "手がかり",
        "sources": "出典",
        "confidence": "信頼度",
    },
    nothing_on_this="この点に答える記述は、文書の中に見つかりませんでした。",
    unanswered="答えが見つからなかった問い: {}",
    between_unanswered="、",
    rests_on="信頼度 {:.2f}（引用 {}、出典 {}）。"
    "引用はすべて原文のままです。原文での位置は「出典」にあります。",
    no_gaps="ありません。",
    no_sources="ありません。",
    place="`{}`、本文の {} 文字目から {} 文字目まで",
    columns=("項目", "値"),
    factors=(
        "信頼度",
        "各部分を裏付ける独立した出典の数",
        "出典の権威",
        "矛盾の有無",
        "質問に答えられた割合",
        "上限への到達",
        "新しさ",
        "検索回数",
        "調査担当",
    ),
    yes_or_no=("あり", "なし"),
    unknown="不明",
    values={
        "high": "高",
        "medium": "中",
        "low": "低",
        "current": "最新",
        "recent": "比較的新しい",
        "dated": "古い",
    },
    counted={
        "citation": ("{} 件", "{} 件"),
        "source": ("{} 件", "{} 件"),
        "search": ("{} 回", "{} 回"),
    },
    read="読んだ資料は {}",
    unquoted="引用した文に「{}」への言及はありません（{}）。",
    lost="検索で見つかりましたが、保存された本文が失われているか壊れています。",
    nothing_named="質問に検索できる言葉がありません。",
    filtered_out="絞り込み「{}」に合うパスやアドレスの資料はありません。",
    does_not_speak="見つかった箇所に「{}」への言及はありません（{}）。",
    between_missing="」「",
    gives_no="見つかった箇所に、答えとなる{}はありません（{}）。",
    kinds={"number": "数値", "money": "金額", "date": "日付"},
    between_kinds="や",
    nobody_speaks="見つかった資料に「{}」への言及はありません（{}）。",
    not_together="言葉は出てきますが、一つの文の中に揃っていません（{}）。",
    not_clearly="言葉の揃った文はありますが、はっきり答えるものはありません（{}）。",
    either="{} か {}",
    one_says="「{}」[{}] では {}、「{}」[{}] では {} です。",
    limit_before="{}の上限に達したため、{}。",
    further_search="追加の検索はできませんでした",
    first_search="検索できませんでした",
    limit_reached="{}（{}の上限に達しました）。",
    left_unread="読まなかった資料: {}",
    more_promising="{}の上限に達しました。関連のありそうな資料があと {} 件あります。",
    breaks_off="「{}」から「{}」へつながる記述は見つかりませんでした",
    broken_off="{}（{}）。",
    gives="[{}] では {}、[{}] では {} です。",
    which_is_right="「{}」はどちらが正しいですか: {}",
    disagree="「{}」と「{}」の記述が食い違っています。",
    which_source="「{}」について述べている資料はどれですか: {}",
    covers="引用で答えられたのは、この部分の {:.0%} です。",
    says_itself="資料自身がそう述べています:「{}」",
    stands_for="ここでの {} は何の略ですか。",
    unexplained="説明なしに使われています:「{}」",
    refers="引用した「{}」が参照しています。",
)

PHRASES: dict[Wording, Phrases] = {"": FIRST, "en": ENGLISH, "ja": JAPANESE}
