"""Which language a text is written in."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.detection import language_of, languages_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The tide rises and falls twice a day at Saint-Malo.", "en"),
        ("The tide rises.", "en"),
        ("electricity generation", "en"),
        ("Die Flut steigt und fällt zweimal am Tag.", "de"),
        ("La marée monte et descend deux fois par jour dans le port.", "fr"),
        ("La marea sube y baja dos veces al día en el puerto.", "es"),
        ("La marea sale e scende due volte al giorno nel porto.", "it"),
        ("A maré sobe e desce duas vezes por dia no porto.", "pt"),
        ("Het getij stijgt en daalt twee keer per dag in de haven.", "nl"),
        ("To jest zdanie po polsku o morzu i przypływach.", "pl"),
        ("Прилив поднимается и опускается дважды в день.", "ru"),
        ("Це речення написане українською мовою.", "uk"),
        ("潮が満ちる。", "ja"),
        ("Pythonで書いたコード", "ja"),
        ("人口減少対策", "ja"),
        ("中国人民银行", "zh"),
        ("조수는 하루에 두 번 오르내린다.", "ko"),
        ("น้ำขึ้นน้ำลงวันละสองครั้ง", "th"),
        ("παλίρροια της θάλασσας", "el"),
        ("يرتفع المد والجزر مرتين في اليوم", "ar"),
        ("ＴＨＥ ＴＩＤＥ ＯＦ ＴＨＥ ＳＥＡ", "en"),  # noqa: RUF001
    ],
)
def test_a_sentence_is_told(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize("text", ["", " \n", "123 456", "|---|---|", "🎉🎉🎉", "tide", "La mer"])
def test_what_nobody_can_tell_is_undetermined(text: str) -> None:
    assert language_of(text) == "und"


def test_a_page_in_two_languages_has_both_the_most_written_first() -> None:
    english, japanese = "The tide rises and falls. ", "潮は一日に二回満ちて引く。"
    assert languages_of(english * 8 + japanese) == ("en", "ja")
    assert languages_of(japanese * 4 + english) == ("ja", "en")
    assert languages_of(english * 40 + "潮") == ("en",)
    assert languages_of("123") == ()


def test_only_the_beginning_is_read() -> None:
    assert language_of("The tide of the sea. " * 1000 + "潮が満ちる。" * 100_000) == "en"


def test_common_languages_need_no_model() -> None:
    code = (
        "import sys; from language.detection import language_of;"
        "language_of('The tide rises and falls.'); language_of('潮が満ちる。');"
        "sys.exit('py3langid' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@given(st.text())
def test_any_text_has_an_answer_and_always_the_same(text: str) -> None:
    found = language_of(text)
    assert found == language_of(text)
    assert found == "und" or (len(found) == 2 and found in languages_of(text))
