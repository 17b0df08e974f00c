"""Questions in Japanese, as people put them to guides, manuals, price lists and articles."""
# ruff: noqa: RUF001 - wide signs are what people type

from collections.abc import Sequence
from pathlib import Path

import pytest

from actors.answering.japanese.asking import sought
from actors.answering.japanese.figures import measures
from actors.answering.japanese.questions import plan
from actors.answering.japanese.terms import JapaneseTerms
from actors.archive import LocalArchive
from actors.findings import Findings
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from actors.inline import run_task
from actors.kinds.corpus import research
from actors.opened import OpenedCorpus
from actors.replay import replay
from events.catalogue import Brief
from events.home import Home
from projections.views import Views
from tests.asking_letters import open_letters_corpus
from tests.corpus_shelf import Shelf, ask
from tests.embedders import open_letters

PAGES = {
    "bridge.md": "# 月見橋\n\n月見橋は、浅川に架かる石橋である。長さは42m、幅は3.5mである。"
    "1851年に石工の原田源助が完成させた。"
    "大水のたびに木の橋が流されたため、石で造り直された。",
    "other.md": "# 花見大橋\n\n花見大橋は、浅川の河口に架かる吊り橋である。1987年11月3日に開通した。",
    "a.md": "# 炊飯器 コメタR-10 取扱説明書\n\n保証期間はお買い上げの日から1年です。\n\n"
    "| 表示 | 原因 | 対処 |\n|---|---|---|\n| E01 | ふたが開いている | ふたを閉める |\n"
    "| E02 | 内釜がない | 内釜を入れる |\n",
    "b.md": "# 炊飯器 コメタR-20 取扱説明書\n\n容量は1.0リットルです。\n\n| 表示 | 原因 | 対処 |\n|---|---|---|\n"
    "| E02 | 水が多い | 水を減らす |\n",
    "museum.md": "# 浅川町立資料館 利用案内\n\n開館時間は午前9時から午後5時までです。毎週火曜日は休館します。"
    "入館料は大人400円、中学生以下は無料です。館長は水野香です。",
    "old.md": "# 写真店さくら 料金表（2022年度）\n\n| 品目 | 料金 |\n|---|---|\n| 証明写真 | 1,500円 |\n",
    "new.md": "# 写真店さくら 料金表（2024年度）\n\n| 品目 | 料金 |\n|---|---|\n| 証明写真 | 1,800円 |\n",
    "club.md": "# 浅川歩く会\n\n会員は52名です。2001年に藤田和子さんが始めました。今の代表は江本勝さんです。",
    "housing.md": "# 社宅の手引き\n\n住宅手当は月額2万円を上限として支給する。",
    "bath.md": "# 町の公衆浴場\n\n公衆浴場は午前6時から午後9時まで営業しています。毎週水曜日は清掃のため休みです。",
}
ANSWERED = {
    "月見橋の長さはどれくらいですか？": "42m",
    "月見橋は幅何メートル？": "3.5m",
    "月見橋を造ったのは誰ですか": "原田源助",
    "月見橋って何年にできたの？": "1851年",
    "月見橋が石で造られた理由を教えてください": "流されたため",
    "花見大橋が開通したのはいつ？": "1987年11月3日",
    "Ｒ－１０の保証は何年ですか": "1年",
    "R-20にE02と表示されたときの対処法": "水を減らす",
    "資料館が休みなのは何曜日ですか？": "火曜日",
    "資料館の入館料はいくらですか": "400円",
    "資料館の館長さんは誰？": "水野香",
    "写真店さくら ２０２２年度 証明写真の値段": "1,500円",
    "浅川歩く会の会員は何人ですか。": "52名",
    "浅川歩く会を立ち上げたのはどなたですか": "藤田和子",
    "住宅手当の上限はいくらですか?": "2万円",
    "公衆浴場の休みはいつですか?": "水曜日",
}
IN_VAIN = (
    "月見橋の高さは何メートルですか",
    "花見大橋の長さはどれくらい？",
    "花見大橋を設計したのは誰ですか",
    "新花見大橋はいつ架けられたの？",
    "R-10にE05と表示されたときの対処法",
    "R-20のE01は何のエラーですか",
    "R-20の値段を教えて",
    "資料館は何年に開館しましたか？",
    "写真店さくら 2019年度 証明写真の値段",
    "江本勝さんはいつ代表になったのですか",
    "浅川歩く会の年会費はいくら？",
    "ヒルガオの花はいつ咲きますか",
)


@pytest.mark.parametrize("question", ANSWERED)
def test_what_the_pages_tell_is_quoted(question: str) -> None:
    assert ANSWERED[question] in ask(Shelf(PAGES), question).answer


@pytest.mark.parametrize("question", IN_VAIN)
def test_what_they_tell_of_something_else_is_not(question: str) -> None:
    found = ask(Shelf(PAGES), question)
    assert found.citations == ()
    assert found.gaps[0].category == "source_not_found"


def test_the_row_of_another_model_is_not_quoted() -> None:
    found = ask(Shelf(PAGES), "R-10のE02って何のエラー？")
    assert "内釜がない" in found.answer and "水が多い" not in found.answer


def test_two_things_that_are_asked_of_one_are_two_parts() -> None:
    parts = plan("月見橋の長さと幅を教えてください", JapaneseTerms())
    assert [part.text for part in parts] == [
        "月見橋の長さを教えてください",
        "月見橋の幅を教えてください",
    ]


def test_two_things_that_are_compared_are_looked_for_one_by_one() -> None:
    parts = plan("月見橋と花見大橋ではどちらが長いですか", JapaneseTerms())
    assert [(part.side, part.thing) for part in parts] == [(True, "月見橋"), (True, "花見大橋")]


def test_what_is_told_before_or_after_a_question_belongs_to_it() -> None:
    for question in (
        "R-10でE02が出ました。どうすればよいですか？",
        "どうすればよいですか？R-10でE02が出ました。",
    ):
        (part,) = plan(question, JapaneseTerms())
        assert part.japanese is not None and {"r-10", "e02"} <= set(part.japanese.names)


@pytest.mark.parametrize(
    ("question", "kinds", "unit"),
    [
        ("一度に何冊まで借りられますか", {"number"}, "冊"),
        ("何色ありますか", {"number"}, "色"),
        ("何色ですか", set(), ""),
        ("何時に開きますか", {"date"}, ""),
        ("何時間かかりますか", {"number"}, "時間"),
        ("何曜日が休みですか", {"date"}, ""),
        ("何年に一度ですか", {"number"}, "年"),
        ("どこで買えますか", {"place"}, ""),
        ("なぜ閉まったのですか", {"reason"}, ""),
        ("入館料は", {"money"}, ""),
        ("どうやって作りますか", {"manner"}, ""),
    ],
)
def test_what_is_asked_for_is_told_by_its_words(question: str, kinds: set[str], unit: str) -> None:
    asked = sought(question)
    assert (sorted(asked.kinds), asked.unit) == (sorted(kinds), unit)


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("1994年10月8日の午前9時30分に開通した。", []),
        ("約4時間半、10年ごとに2万円", ["時間半", "年", "円"]),
        ("十二名の職人が三か月かけた。", ["名", "か月"]),
        ("第18条 駅は13ある。", ["条", ""]),
    ],
)
def test_figures_are_told_from_dates_and_hours(text: str, units: list[str]) -> None:
    assert [each.unit for each in measures(text)] == units


def test_a_question_in_a_list_that_is_marked_by_a_letter_is_not_quoted() -> None:
    page = "# 口座のQ&A\n\nQ. 暗証番号のロックを解除したい。\n\nA. 暗証番号のロックは、窓口で解除できます。\n"
    found = ask(Shelf({"qa.md": page}), "暗証番号のロックはどうやって解除しますか")
    assert [each.raw_excerpt for each in found.citations] == [
        "A. 暗証番号のロックは、窓口で解除できます。"
    ]


class Knowing(Shelf):
    """A desk that knows two words which mean the same."""

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        same = {"放流", "放す"}
        return [0.9 if {question, text} == same else 0.1 for text in texts]


def test_other_words_for_the_same_are_known_by_their_meaning() -> None:
    pages = {"lake.md": "# 青湖\n\n1905年に須藤弥平がヒメマスの稚魚を放した。"}
    question = "青湖にヒメマスを放流したのは誰ですか"
    assert "須藤弥平" in ask(Knowing(pages), question).answer
    assert ask(Shelf(pages), question).citations == ()


def test_a_record_in_japanese_is_replayed_without_the_corpus(tmp_path: Path) -> None:
    page = tmp_path / "bridge.md"
    page.write_text(PAGES["bridge.md"])
    home = Home(tmp_path / "home")
    home.prepare()
    archive = LocalArchive(home)
    job, _ = archive.catalogue.enter_job("pages", [str(page)])
    IngestJob(archive, AnyParser(), open_letters, job).run()
    task, _ = archive.catalogue.enter_task(Brief(question="月見橋の長さはどれくらいですか？"))
    run_task(archive, OpenedCorpus(open_letters_corpus(str(home.root))), task)
    assert Views(home).result(task) is not None
    assert replay(home, task).differences == []


def test_a_long_page_without_paragraphs_is_read_in_time_that_grows_with_it() -> None:
    page = "# 川の記録\n\n" + "".join(f"{number}番目の日は水が多かった。" for number in range(3000))
    assert ask(Shelf({"long.md": page}), "2000番目の日はどうでしたか").question


@pytest.mark.parametrize(
    "piece",
    ["漢", "月見橋の", "数", "一", "ア", "と", "何", "X-1", "月見橋と花見大橋では", "。", "た"],
)
def test_a_question_without_end_is_read_in_time_that_grows_with_it(piece: str) -> None:
    question = piece * (9_000 // len(piece)) + "は何人ですか"
    assert ask(Shelf(PAGES), question).question == question


def test_records_of_earlier_rules_are_read_by_those() -> None:
    def earlier(question: str) -> Findings:
        return research(Brief(question=question), question, Shelf(PAGES), "corpus-extractive-6")

    assert "2万円" not in earlier("住宅手当の上限はいくらですか?").answer
    assert earlier("花見大橋の長さはどれくらい？") != ask(
        Shelf(PAGES), "花見大橋の長さはどれくらい？"
    )
