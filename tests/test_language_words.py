"""The terms that texts and questions are found by."""

import subprocess
import sys
import threading

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from language import forms, words
from language.folding import normalised
from language.forms import shared_stem
from language.scripts import script_of, scripts
from language.stems import stem
from language.words import JAPANESE_WORD, QUERY_TERMS, query_terms, terms
from tests.former_words import former_terms

WRITTEN_IN_TWO_WAYS = """
    e mail email data base IL 6 19 COVID women women's mice analyses analyse colour centre organize
    l'eau cœur U.S. v3.11 3.5 the tide elec tric don't Café книги 한국어 ٢٠٢٦
""".split()  # noqa: SIM905 - a list of words reads better as words


def score(query: str, text: str) -> float:
    """What of a question is in a text, by weight."""
    found = terms(text)
    return sum(weight for term, weight in query_terms(query).items() if term in found)


def test_english_words_come_as_stems_without_stop_words() -> None:
    assert terms("The tides were rising, and the tide rises.") == {"tide": 2, "rise": 2}


def test_width_case_accents_and_soft_hyphens_do_not_matter() -> None:
    assert terms("Café ＭＡＬＯ CO₂ elec\u00adtric") == terms("cafe malo co2 electric")  # noqa: RUF001


@pytest.mark.parametrize(("written", "term"), [("1,000", "1000"), ("3.5", "3.5"), ("12", "12")])
def test_a_number_is_one_term(written: str, term: str) -> None:
    assert terms(f"about {written} m") == {term: 1, "m": 1}


def test_half_of_a_character_is_left_as_it_is() -> None:
    assert stem("running\ud800") == "running\ud800"


def test_possessives_and_contractions_lose_their_endings() -> None:
    assert set(terms("the Moon's pull; the Moon’s pull")) == {"moon", "pull"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ヴァイオリン", "バイオリン"),
        ("ｻｰﾊﾞｰ", "サーバ"),
        ("サーバー", "サーバ"),
        ("コンピューター", "コンピュータ"),
        ("キャノン", "キヤノン"),
        ("髙﨑市", "高崎市"),
        ("ＡＢＣ１２３", "abc123"),  # noqa: RUF001
    ],
)
def test_two_spellings_of_a_word_have_the_same_terms(one: str, other: str) -> None:
    assert query_terms(one) == query_terms(other)
    assert terms(one) == terms(other)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("東京", "東京都の人口"),
        ("東京都", "東京の人口"),
        ("二〇二四年", "2024年の報告"),
        ("引越し", "引っ越しの手続きをする"),
        ("食べた", "魚を食べる"),
        ("デジタル", "ディジタル信号の処理"),
        ("潮", "潮汐の周期"),
        ("ツイッター", "Twitterで話題になった"),
    ],
)
def test_japanese_is_found_in_another_spelling_or_form(query: str, text: str) -> None:
    assert score(query, text) > 0


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("énergie", "L'énergie marémotrice"),
        ("eau", "le niveau de l’eau"),
        ("isola", "su un'isola"),
        ("acqua", "dell'acqua"),
        ("loreal", "L'Oréal"),
        ("ndjamena", "N'Djamena"),
        ("coeur", "le cœur"),
        ("Œuvres", "oeuvre"),
        ("Lodz", "Łódź"),
        ("Orsted", "Ørsted"),
        ("2026", "٢٠٢٦"),
        ("2026", "सन् २०२६"),
        ("๒๐๒๖", "2026"),
        ("हिंदी", "हिन्दी"),
        ("जमीन", "ज़मीन"),
        ("UK", "the U.K. economy"),
        ("U.S.A.", "USA"),
        ("3.11", "since v3.11"),
        ("Python3.11", "Python 3.11"),
        ("python 3.11", "python3.11"),
    ],
)
def test_a_word_is_found_in_the_other_way_to_write_it(query: str, text: str) -> None:
    assert score(query, text) > 0


@pytest.mark.parametrize(
    "text",
    ["example.com", "3.11", "1.5 km", "the end.So", "a.bc", "e.g. it", "Moon's", "rock'n'roll"],
)
def test_what_is_written_in_one_way_has_no_further_terms(text: str) -> None:
    assert sum(terms(text).values()) <= len(words._tokens(text.casefold()))


@pytest.mark.parametrize(
    ("text", "same", "since_2"),
    [
        ("The Moon's tide doesn't rise at 3.5 m.", True, True),
        ("潮汐の周期は約12時間25分である。", True, True),
        ("Café ＭＡＬＯ, Straße, ελληνική, книги", True, True),  # noqa: RUF001
        ("L'énergie", False, True),
        ("le cœur", False, True),
        ("٢٠٢٦", False, True),
        ("the U.K. economy", False, True),
        ("since v3.11", False, True),
        ("an e-mail", False, False),
        ("dose-dependent", True, True),
        ("elec-\ntric", False, False),
        ("elec\u00ad\ntric", False, False),
        ("three mice", False, False),
        ("the colours", False, False),
        ("mice3.11", False, False),
        ("women2.0 is out", False, False),
        ("o.x.e.n", False, False),
    ],
)
def test_terms_that_were_found_before_are_told_from_those_to_find_anew(
    text: str, *, same: bool, since_2: bool
) -> None:
    assert words.has_terms_of(1, text) is same
    assert words.has_terms_of(2, text) is since_2
    assert words.has_terms_of(words.ANALYSER, text)
    assert not words.has_terms_of(0, text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("email", "e-mail"),
        ("database", "data-base"),
        ("decisionmaking", "decision-making"),
        ("wellbeing", "well-being"),
        ("covid19", "COVID-19"),
        ("covid19", "post-COVID-19"),
        ("covid19", "新型COVID-19の感染"),
        ("sarscov2", "SARS-CoV-2"),
        ("GPT4", "GPT\u20114"),
        ("IL6", "IL-6-dependent"),
        ("wifi", "Wi-Fi"),
        ("realtime", "real-time"),
        ("nonlinear", "non-linear"),
        ("electric", "elec-\n  tric"),
        ("electric", "elec\u00ad\r\ntric"),
        ("mouse", "mice"),
        ("child", "the children’s"),
        ("woman", "women's"),
        ("criterion", "criteria"),
        ("analysis", "analyses"),
        ("hypothesis", "hypotheses"),
        ("index", "indices"),
        ("matrix", "matrices"),
        ("wife", "wives"),
        ("colour", "colored"),
        ("centre", "centers"),
        ("behavioural", "behavioral"),
        ("organisation", "organizations"),
        ("optimise", "optimization"),
        ("random", "a randomised trial"),
        ("randomised", "at random"),
        ("precise", "of precision"),
        ("promises", "promising"),
        ("analyse", "analyzing"),
        ("aluminium", "aluminum"),
        ("oestrogen", "estrogen"),
        ("anaemia", "anemia"),
        ("catalogue", "catalogs"),
        ("gastroesophageal", "gastro-oesophageal"),
        ("phytoestrogen", "phyto-oestrogens"),
        ("tracheoesophageal", "tracheo-oesophageal"),
        ("angioedema", "angio-oedema"),
    ],
)
def test_two_spellings_or_forms_find_each_other(one: str, other: str) -> None:
    assert score(one, other) > 0
    assert score(other, one) > 0


@pytest.mark.parametrize(
    "spelled",
    [
        "centre centres centred centring center centers centered centering",
        "theatre theatres theater theaters",
        "fibre fibres fibred fiber fibers fibered",
        "litre litres liter liters",
        "calibre calibres caliber calibers",
        "manoeuvre manoeuvres manoeuvred manoeuvring maneuver maneuvers maneuvered maneuvering",
        "manoeuvrable maneuverable",
        "catalogue catalogues catalogued cataloguing catalog catalogs cataloged cataloging",
        "dialogue dialogues dialogued dialog dialogs",
        "analogue analogues analog analogs",
        "analyse analyses analysed analysing analyze analyzes analyzed analyzing analysis",
        "diagnose diagnoses diagnosed diagnosis",
        "catalyses catalyzes catalysis",
        "randomise randomised randomized random",
        "hospitalised hospitalized hospital",
        "organisation organization organise organize",
        "ionise ionize ionising ionization",
        "amortise amortize",
        "parametrised parametrized",
        "vaporised vaporized",
        "disincentivise disincentivize disincentivised",
        "imprecise imprecision imprecisely",
        "enfranchise enfranchised enfranchisement",
        "inadvisable inadvisably",
        "immunocompromise immunocompromised",
        "gastroesophageal gastrooesophageal",
        "proestrus prooestrus",
        "oestrus estrus",
        "anoestrus anestrus",
        "lymphoedema lymphedema",
        "apnoeic apneic",
        "mould moulds moulded moulding mold molds molded molding",
        "smouldering smoldering",
        "licence licences licenced licencing license licenses licensed licensing",
        "plough ploughs ploughed ploughing plow plows plowed plowing",
        "sceptic sceptics sceptical scepticism skeptic skeptics skeptical skepticism",
        "artefact artefacts artifact artifacts",
        "artefactual artifactual",
        "pyjama pyjamas pajama pajamas",
        "judgemental judgmental",
    ],
)
def test_all_spellings_and_forms_of_a_word_share_its_term(spelled: str) -> None:
    assert len({shared_stem(word) for word in spelled.split()}) == 1


@pytest.mark.parametrize(
    "word",
    """
    denise elise louise anise cerise valise clockwise likewise stepwise otherwise rise sunrise
    moonrise uprising surprising enterprises comprised exercise despised supervised merchandise
    advertising compromises premises treatise expertise revised improvisation paradise televised
    gastroesophageal tracheoesophageal phytoestrogen proestrus angioedema retroesophageal
    timbre acre string spring hundred illustre monologue
    """.split(),  # noqa: SIM905 - a list of words reads better as words
)
def test_a_word_that_has_one_spelling_keeps_its_stem(word: str) -> None:
    assert shared_stem(word) == stem(word)


def test_each_word_of_the_table_needs_its_place_there() -> None:
    taken_for = forms._TAKEN_FOR
    assert not {form for form, base in taken_for.items() if shared_stem(form) != shared_stem(base)}
    assert not {
        form
        for form, base in taken_for.items()
        if stem(forms._respelled(form)) == shared_stem(base)
    }


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("leaf", "he leaves"),
        ("life", "she lives"),
        ("index", "this indicates"),
        ("base", "the basis"),
        ("timber", "timbre"),
        ("prize", "prise"),
        ("precise", "preciz"),
        ("gpt3", "GPT-3.5"),
        ("20192020", "2019-2020"),
        ("howtowrite", "how-to-write-it"),
    ],
)
def test_what_only_looks_alike_is_kept_apart(query: str, text: str) -> None:
    assert score(query, text) == 0


def test_a_compound_that_is_never_one_word_has_no_further_term() -> None:
    assert terms("dose-dependent") == terms("dose dependent")


@example(["mice", "3.5"], ["", ""])
@example(["o", "x", "e", "n"], [".", ".", ".", ""])
@given(
    # Few words: the more there are, the likelier have the terms of one changed, and nothing is claimed.
    st.lists(st.sampled_from(WRITTEN_IN_TWO_WAYS) | st.text(max_size=6), max_size=4),
    st.lists(
        st.sampled_from(
            ["", " ", ".", "-", "\u2010", "-\n", "\u00ad", "\u00ad\n", ". ", "’", ", ", "2.0 "]
        ),
        min_size=4,
    ),
)
def test_terms_said_to_be_as_before_are_as_before(written: list[str], between: list[str]) -> None:
    text = "".join(word + sign for word, sign in zip(written, between, strict=False))
    if words._may_be_japanese(text):
        return
    for analyser in (1, 2):
        if words.has_terms_of(analyser, text):
            assert terms(text) == former_terms(analyser, text)


def test_japanese_has_words_and_pairs_and_they_do_not_collide() -> None:
    found = terms("潮汐の周期")
    assert {f"{JAPANESE_WORD}潮汐", f"{JAPANESE_WORD}周期", "潮汐", "汐の", "の周", "周期"} <= set(
        found
    )
    assert f"{JAPANESE_WORD}の" not in found


def test_a_word_that_is_meant_counts_more_than_a_pair_that_happens() -> None:
    # 東京都 is Tokyo; 京都 is only a pair of its characters.
    assert score("京都", "京都の寺") > score("京都", "東京都の寺") > 0


def test_kana_words_count_more_than_the_pairs_of_their_endings() -> None:
    weights = query_terms("潮汐はどのくらいですか")
    assert weights["です"] < weights["潮汐"] < weights[f"{JAPANESE_WORD}潮汐"]


def test_a_single_ideograph_is_looked_for_only_where_it_stands_alone() -> None:
    assert "潮" in query_terms("潮") and "潮" not in query_terms("潮汐の周期")


def test_chinese_korean_and_thai_are_found_by_pairs() -> None:
    assert set(terms("한국어 문장")) == {"한국", "국어", "문장"}
    assert score("人民银行", "中国人民银行的政策在最近几年发生了很大的变化" * 4) > 0
    assert score("ภาษา", "ภาษาไทย") > 0


def test_other_alphabets_have_words_by_their_own_rules() -> None:
    assert terms("московские книги") == terms("московский книга")
    assert terms("ΕΛΛΗΝΙΚΉ") == terms("ελληνική")
    assert set(terms("हिन्दी में")) & set(terms("हिन्दी"))
    assert len(terms("العربية")) == 1


def test_a_question_of_stop_words_or_signs_has_no_terms() -> None:
    assert query_terms("what is the") == query_terms("?!… 🎉") == query_terms("") == {}


def test_a_text_without_japanese_never_loads_the_dictionary() -> None:
    code = (
        "import sys; from language.words import terms; terms('The tide. Прилив. 한국어');"
        "sys.exit('sudachipy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_threads_agree_with_each_other() -> None:
    text = "潮汐の周期は約12時間25分である。" * 20
    found: list[dict[str, int]] = []
    workers = [
        threading.Thread(target=lambda: found.extend(terms(text) for _ in range(5)))
        for _ in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 20 and all(each == found[0] for each in found)


def test_a_question_as_long_as_a_book_has_a_bounded_number_of_terms() -> None:
    assert len(query_terms(" ".join(f"word{number}" for number in range(50_000)))) <= QUERY_TERMS


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "潮",
        "あ",
        "\u0301\u0316",
        "1,",
        "アー",
        "a'",
        "！",  # noqa: RUF001
        "\ud800",
        "🇯🇵",
        "\x00",
        "ﾞ",
        "a.",
        "v1.",
        "a-",
        "covid-19-",
        "e-\n",
    ],
)
def test_hostile_text_has_few_short_terms(unit: str) -> None:
    found = terms(unit * 30_000)
    assert len(found) < 20 and all(len(term) <= 70 for term in found)


def test_a_text_in_parts_has_the_terms_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "The tide rises. 潮が満ちる。 " * 50
    whole = terms(text)
    monkeypatch.setattr(words, "_AT_ONCE", 64)
    assert terms(text) == whole


@given(st.text())
def test_a_text_is_found_by_its_own_terms(text: str) -> None:
    found = terms(text)
    assert all(times > 0 for times in found.values())
    assert set(query_terms(text)) <= set(found)
    assert terms(text) == found


@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalised(text)
    assert normalised(once) == once


def test_each_letter_has_its_script() -> None:
    letters = {
        "a": "latin",
        "я": "cyrillic",
        "あ": "kana",
        "ア": "kana",
        "潮": "han",
        "한": "hangul",
    }
    assert {letter: script_of(letter) for letter in letters} == letters
    assert scripts("ab 潮が1") == {"latin": 2, "han": 1, "kana": 1}
    assert script_of("1") == script_of("。") == "other"
