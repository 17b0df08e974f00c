"""Files from before Unicode that do not say what they are written in: tables and lists, with hardly a sentence."""

import time

import pytest

from actors.adapters.decoding import decode_page, decode_text
from events.errors import Unreadable

# ruff: noqa: RUF001 - letters of other alphabets are what is tested

PRODUCTS = "鉛筆、消印、定規、封筒、紙袋、電卓、机、椅子、棚、時計、電球、電池、毛布、枕、布団、茶碗、皿、箸、鍋、包丁"

JAPANESE = {
    "branches": "支店,金額\n札幌支店,12345\n福岡支店,67890\n",
    "people": "氏名,部署\n田中太郎,営業部\n鈴木花子,総務部\n",
    "products": "商品,数量,単価\n" + PRODUCTS.replace("、", ",1,100\n"),
    "prefectures": "都道府県,人口\n北海道,1\n青森県,2\n岩手県,3\n神奈川県,4\n新潟県,5\n",
    "accounts": "勘定科目,借方,貸方\n現金,100,0\n売掛金,0,100\n買掛金,50,0\n",
    "schools": "学校名,生徒数\n第一小学校,300\n中央中学校,400\n",
    "stations": "駅名\n新宿\n渋谷\n池袋\n上野\n品川\n",
    "shares": "銘柄,株価\n任天堂,8000\n三菱商事,3000\n野村証券,900\n",
    "offices": "Name,Branch\nJohn Smith,東京本社\nMary Jones,大阪支社\n",
    "a title": "議事録",
    "katakana": "品名,価格\nノート,100\nペン,50\n",
    "narrow kana": "ﾃｽﾄ,ﾃﾞｰﾀ\n東京,1\n",
    "a bank's kana": "ｶﾌﾞｼｷｶﾞｲｼｬ,100\nﾔﾏﾀﾞ ﾀﾛｳ,200\n",
    "parts": "品名\nﾎﾞﾙﾄ\nﾅｯﾄ\nﾜｯｼｬｰ\n",
}

OTHERS = {
    "gbk": (
        "城市,人口\n北京,100\n上海,200\n广州,300\n深圳,400\n成都,500\n",
        "姓名,部门\n王小明,销售部\n李丽,财务部\n张伟,技术部\n",
        "商品,数量,单价\n铅笔,10,5\n桌子,3,100\n电脑,2,5000\n",
        "医院,科室\n人民医院,内科\n中心医院,外科\n",
        "今天天气很好我们去公园玩\n他说明天要来\n",
    ),
    "big5": (
        "城市,人口\n臺北,100\n高雄,200\n臺中,300\n新竹,500\n",
        "姓名,部門\n王小明,業務部\n李麗,財務部\n張偉,技術部\n",
        "會議記錄",
    ),
    "euc_kr": (
        "도시,인구\n서울,100\n부산,200\n대구,300\n인천,400\n",
        "이름,부서\n김철수,영업부\n이영희,총무부\n박민수,개발부\n",
        "상품,수량,단가\n연필,10,5\n책상,3,100\n컴퓨터,2,5000\n",
        "회의록",
    ),
    "cp1252": (
        "It’s the firm’s policy; we don’t and can’t.\nThey’re sure they’ll.\n",
        "He said “Hello” and didn’t go – it’s “fine”… we’ll see.",
        "Straße;Größe\nMüllerstraße;5\nKöln;7\n",
        "FRANÇAIS; ÉTÉ; «À LA PLAGE»\n",
    ),
    "koi8_r": ("город,население\nмосква,100\nказань,200\n", "МОСКВА\nКАЗАНЬ\n"),
    "cp1251": ("Город,Население\nМосква,100\nКазань,200\n", "МОСКВА\nКАЗАНЬ\n"),
}


@pytest.mark.parametrize("charset", ["cp932", "euc_jp"])
@pytest.mark.parametrize("case", JAPANESE)
def test_japanese_tables_without_a_sentence_are_read(charset: str, case: str) -> None:
    text = JAPANESE[case]
    assert decode_text("table.csv", text.encode(charset)) == text


@pytest.mark.parametrize(
    ("charset", "text"), [(name, each) for name, texts in OTHERS.items() for each in texts]
)
def test_what_is_no_japanese_is_not_taken_for_it(charset: str, text: str) -> None:
    raw = text.encode(charset)
    read = decode_text("table.csv", raw)
    assert read not in {raw.decode(each, "replace") for each in ("cp932", "euc_jp")}


def test_a_large_table_is_decided_by_its_beginning() -> None:
    raw = JAPANESE["branches"].encode("cp932") * 200_000
    began = time.process_time()
    assert decode_text("table.csv", raw).startswith("支店")
    assert time.process_time() - began < 10


# -- zero bytes ------------------------------------------------------------------------------------

SEA = "Tides rise and fall twice a day. 潮は一日に二回満ちて引く。"


@pytest.mark.parametrize("charset", ["utf-8", "shift_jis", "euc_jp"])
def test_a_page_is_read_without_the_few_zero_bytes_in_it(charset: str) -> None:
    page = f"<html><head><meta charset={charset}></head><body><p>{SEA}</p></body></html>"
    raw = page.encode(charset)
    strewn = raw.replace(b"Tides", b"Ti\0des") + b"\n\0\0"
    assert decode_page("page.html", strewn).rstrip() == page


@pytest.mark.parametrize(
    "raw",
    [
        bytes(5000),
        b"Tides" + bytes(5) + b" rise and fall.",
        b"\x89\xfe\0 no text \xff\xfd",
        (SEA[33:] * 300).encode("utf-16-le") + "\n".encode("utf-16-le"),
    ],
)
def test_what_is_no_text_without_its_zero_bytes_is_refused(raw: bytes) -> None:
    for decode in (decode_text, decode_page):
        with pytest.raises(Unreadable, match="zero bytes"):
            decode("a.html", raw)


def test_wide_text_without_a_mark_is_read_as_before() -> None:
    assert decode_page("a.html", "<p>Tides rise.".encode("utf-16-be")) == "<p>Tides rise."
