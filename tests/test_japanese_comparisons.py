"""Two things compared in Japanese: what follows from the figures and years that are quoted for them."""
# ruff: noqa: RUF001 - wide signs are what people type

import pytest

from actors.answering.japanese.amounts import amounts
from actors.answering.rules import SEVENTH
from actors.findings import Findings
from actors.kinds.corpus import research
from events.catalogue import Brief
from tests.corpus_shelf import Shelf

PAGES = {
    "city.md": "# 市立図書館\n\n市立図書館は1998年に開館しました。貸出は10冊まで、期間は2週間です。"
    "駐車場は30台分あります。閲覧席は百二十席です。",
    "county.md": "# 県立図書館\n\n県立図書館は昭和63年に開館しました。貸出は5冊まで、期間は3週間です。"
    "駐車場は20台から40台分あります。閲覧席は80席です。",
    "bridges.md": "# 浅川の橋\n\n月見橋は長さ42m、幅3.5mの石橋です。\n\n花見大橋は長さ1.2km、幅12mの吊り橋です。\n\n"
    "バスで渡ると、月見橋からが1時間20分、花見大橋からが約50分かかります。",
}


def asked(question: str, rules: str | None = None) -> Findings:
    chosen = {"model": rules} if rules else {}
    return research(Brief(question=question), question, Shelf(PAGES), **chosen)


@pytest.mark.parametrize(
    ("question", "follows"),
    [
        (
            "市立図書館と県立図書館では、どちらが多く本を借りられますか",
            "市立図書館です(市立図書館は10冊、県立図書館は5冊)。",
        ),
        (
            "市立図書館と県立図書館、貸出期間が長いのはどっち？",
            "県立図書館です(市立図書館は2週間、県立図書館は3週間)。",
        ),
        (
            "市立図書館と県立図書館ではどちらが古いですか",
            "県立図書館です(市立図書館は1998年、県立図書館は昭和63年)。",
        ),
        (
            "閲覧席が少ないのは市立図書館と県立図書館のどちらですか",
            "県立図書館です(市立図書館は百二十席、県立図書館は80席)。",
        ),
        (
            "月見橋と花見大橋ではどちらのほうが長いですか。",
            "花見大橋です(月見橋は42m、花見大橋は1.2km)。",
        ),
    ],
)
def test_what_two_figures_come_to_is_said_before_them(question: str, follows: str) -> None:
    found = asked(question)
    assert found.answer.startswith(f"{follows} [inference]\n\n")
    assert found.sentences[0].text == follows
    assert found.sentences[0].citations == ()
    assert found.gaps == (), "no text says of one thing alone that it is more"


def test_a_range_settles_nothing() -> None:
    found = asked("市立図書館と県立図書館、駐車場が広いのはどちらですか")
    assert "[inference]" not in found.answer


def test_what_is_not_so_is_not_concluded() -> None:
    found = asked("市立図書館と県立図書館では、貸出期間が長くないのはどちらですか")
    assert "[inference]" not in found.answer


def test_what_is_told_of_one_side_only_settles_nothing() -> None:
    found = asked("市立図書館と町立図書館、貸出期間が長いのはどっち？")
    assert "[inference]" not in found.answer


def test_records_of_the_rules_before_are_read_as_they_were_made() -> None:
    found = asked("市立図書館と県立図書館では、どちらが多く本を借りられますか", SEVENTH.model)
    assert "[inference]" not in found.answer
    assert found.parts[0] == "市立図書館: 、どちらが多く本を借りられますか"


@pytest.mark.parametrize(
    ("text", "dimension", "value", "shown"),
    [
        ("料金は１万２千円です", "money", 12_000, "１万２千円"),
        ("3,800円", "money", 3_800, "3,800円"),
        ("登りは4時間半かかる", "time", 270, "4時間半"),
        ("登りは1時間20分かかる", "time", 80, "1時間20分"),
        ("全長は1.2kmです", "length", 1_200, "1.2km"),
        ("定員は百二十名", "人", 120, "百二十名"),
        ("人口は二〇万人", "人", 200_000, "二〇万人"),
    ],
)
def test_figures_are_read_as_they_are_written(
    text: str, dimension: str, value: float, shown: str
) -> None:
    [found] = amounts(text, dimension)
    assert found.value == pytest.approx(value)
    assert found.shown == shown


@pytest.mark.parametrize("text", ["20〜30人", "20人から30人", "数百人", "30匹", ""])
def test_what_is_no_certain_figure_is_none(text: str) -> None:
    assert amounts(text, "人") == []


def test_a_page_of_nothing_but_figures_is_read_in_time_that_grows_with_it() -> None:
    assert len(amounts("3人、" * 20_000, "人")) == 20_000
