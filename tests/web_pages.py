# ruff: noqa: E501, RUF001 - pages as they are written
"""Pages with the shapes that job boards, blogs and companies have, and a site that serves them."""

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.webserver import Site, _Handler, _Server

JOB = """<!doctype html><html lang="en"><head><title>Backend Engineer - Acme | Japan Dev</title>
<meta property="og:site_name" content="Acme Robotics">
<script type="application/ld+json">
{"@context": "https://schema.org", "@graph": [{"@type": "JobPosting", "title": "Backend Engineer",
 "hiringOrganization": {"@type": "Organization", "name": "Acme Robotics"},
 "jobLocation": {"@type": "Place", "address": {"addressLocality": "Tokyo", "addressCountry": "JP"}},
 "employmentType": "FULL_TIME", "datePosted": "2026-10-01",
 "baseSalary": {"currency": "JPY", "value": {"minValue": 7000000, "maxValue": 11000000, "unitText": "YEAR"}},
 "qualifications": "<ul><li>Five years of Python or Go</li><li>PostgreSQL at scale</li></ul>"}]}
</script></head><body>
<nav><a href="/jobs">Jobs</a> <a href="/about">About us</a> <a href="/login">Sign in</a></nav>
<main><h1>Backend Engineer</h1>
<p>Acme Robotics builds warehouse robots in Tokyo. You will design the services that tell four thousand robots where to drive.</p>
<h2>Requirements</h2>
<ul><li>Five years of experience with Python or Go in production systems</li>
<li>You have run PostgreSQL databases with more than a terabyte of data</li>
<li>Business level Japanese is welcome and not required</li></ul>
<h2>Benefits</h2>
<p>We pay for commuting, offer twenty days of paid leave and support relocation from abroad, including a visa sponsorship.</p>
<h3>Remote work</h3>
<p>Three days a week can be worked from home; the robots themselves have to be visited on the other two.</p>
<table><tr><th>Level</th><th>Yearly salary</th></tr><tr><td>Middle</td><td>7 million yen</td></tr>
<tr><td>Senior</td><td>11 million yen</td></tr></table></main>
<footer>Copyright Acme Robotics. Cookie settings. Terms of use.</footer></body></html>"""

BLOG = """<!doctype html><html lang="en"><head><title>How to interview at Japanese companies | Gaijin Careers</title>
<meta name="author" content="Mika Tanaka"><meta property="article:published_time" content="2026-03-14">
<meta name="description" content="What to expect in interviews in Japan."></head><body>
<header><a href="/">Home</a></header>
<article><h1>How to interview at Japanese companies</h1>
<p>Interviews at Japanese companies follow unwritten rules, and knowing them before the first meeting helps more than perfect grammar does.</p>
<h2>1. Arrive ten minutes early</h2>
<p>Being on time means being early. Wait in front of the building and enter the reception exactly ten minutes before the appointed hour.</p>
<h2>2. Prepare a self introduction</h2>
<p>The jikoshoukai is a one minute speech about your career, and nearly every interview begins with it. Practise it aloud until it sounds natural.</p>
<h2>What happens afterwards</h2>
<p>Most companies answer within two weeks. A second and a third interview with managers and executives are common.</p></article>
<aside>Subscribe to our newsletter</aside></body></html>"""

COMPANY_JA = """<!doctype html><html lang="ja"><head><title>会社概要 | 株式会社みらい農業</title>
<meta property="og:site_name" content="株式会社みらい農業">{meta}</head><body>
<nav><a href="/">ホーム</a><a href="/recruit">採用情報</a></nav>
<main><h1>会社概要</h1>
<p>株式会社みらい農業は、北海道の農家とともに、人工知能を使った灌漑システムを開発しています。水の使用量を三割減らしながら、収穫量を増やすことに成功しました。</p>
<h2>企業理念</h2>
<ul><li>土と水を次の世代に残す</li><li>農家の声を最初に聞く</li><li>失敗を隠さない</li></ul>
<h2>事業内容</h2>
<ul><li>灌漑制御システム「みずまもり」の開発と販売</li><li>土壌センサーのレンタル</li></ul>
<h2>所在地</h2>
<p>本社は札幌市中央区にあり、帯広市に研究所を置いています。</p>
<h2>福利厚生</h2>
<p>リモートワークは週四日まで認められ、育児休暇は男女ともに二年間取得できます。</p></main>
<footer>Copyright みらい農業</footer></body></html>"""

JOB_JA = """<!doctype html><html lang="ja"><head><title>データエンジニア募集 - 青空銀行</title></head><body>
<h1>データエンジニア</h1>
<p>会社名：青空銀行</p><p>勤務地：大阪市北区</p><p>雇用形態：正社員</p>
<p>青空銀行では、決済データの基盤を一緒に作るデータエンジニアを募集しています。毎日八千万件の取引を処理します。</p>
<h2>応募資格</h2><ul><li>ＰｏｓｔｇｒｅＳＱＬまたはＢｉｇＱｕｅｒｙの実務経験三年以上</li><li>データパイプラインの設計経験</li></ul>
<h2>選考の流れ</h2><p>書類選考のあと、面接を二回おこないます。結果は一週間以内にご連絡します。</p></body></html>"""

MIXED = """<!doctype html><html><head><title>Bilingual news</title></head><body><h1>Bilingual news</h1>
<h2>English</h2><p>The harbour of Yokohama opens a new terminal for cruise ships next spring. The city expects
two hundred thousand visitors in the first year, and the railway will run extra trains on the weekends.</p>
<h2>日本語</h2><p>横浜港は来年の春に新しい客船ターミナルを開業します。市は初年度に二十万人の来訪者を見込んでおり、
週末には鉄道の臨時列車も運行される予定です。港の周辺では新しい店の準備も進んでいます。</p></body></html>"""


@dataclass
class Board(Site):
    """A site whose pages a test puts there, and changes. Each is served with an ETag."""

    pages: dict[str, tuple[bytes, str]] = field(default_factory=dict)
    etags: bool = True

    def put(self, path: str, body: str | bytes, content_type: str = "text/html") -> str:
        self.pages[path] = (body.encode() if isinstance(body, str) else body), content_type
        return self.url(path)


class _BoardHandler(_Handler):
    def do_GET(self) -> None:  # noqa: N802 - the server's name for it
        board = self.site
        assert isinstance(board, Board)
        known = board.pages.get(self.path)
        if known is None:
            super().do_GET()
            return
        board.asked.append((self.path, dict(self.headers.items())))
        body, content_type = known
        stamp = {"ETag": f'"{hashlib.sha256(body).hexdigest()[:16]}"'} if board.etags else {}
        if stamp and self.headers.get("If-None-Match") == stamp["ETag"]:
            self.send_response(304)
            self.end_headers()
        else:
            self._send(200, body, content_type, **stamp)


@contextmanager
def board() -> Iterator[Board]:
    """A board on a free port of loopback; what is not on it is as on every test site."""

    class Handler(_BoardHandler):
        pass

    server = _Server(("127.0.0.1", 0), Handler)
    made = Board(server.server_address[1])
    Handler.site = server.site = made
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
