# ruff: noqa: E501, RUF001 - pages as they are written
"""A second handful of pages of the web at large, written after the rules to see whether they hold elsewhere."""

from tests.extraction_pages import GoldPage, _page
from tests.page_words import ASIDES, EN, JA, REMARKS, html, links, paragraphs

ES = (
    "El ayuntamiento decidió el martes por la noche reabrir el camino del canal después de nueve años de obras.",
    "Los ingenieros comprobaron en primavera que el muro apenas se había movido el ancho de un dedo.",
    "«Pensábamos cambiar un tercio y al final cambiamos once metros», dijo la responsable de las obras.",
    "El dinero que queda se gastará en farolas, en bancos y en una rampa junto a la esclusa.",
    "Los vecinos se habían quejado varias veces del ruido de las máquinas durante la noche.",
    "No habrá más cierres antes de 2027, según asegura el consistorio.",
    "Los peces han vuelto en gran número, y los biólogos lo atribuyen al nuevo azud.",
    "El ministerio promete un estudio y espera las primeras cifras a finales del próximo año.",
)


def _medium() -> str:
    more = "".join(
        f'<div class="cd ce"><a href="/p/{n}"><h2 class="be">{title}</h2><h3 class="bf">{EN[n + 3][:60]}…</h3></a><span>{n + 3} min read</span><span>{n * 17} claps</span></div>'
        for n, title in enumerate(ASIDES[:6])
    )
    body = f"""<div id="root"><div class="a b c"><div class="d"><a href="/">Medium-sized</a><button>Sign up</button><button>Sign in</button></div><article><div class="l"><div class="m"><section><div><div class="n"><gold><h1 class="pw-post-title o">What a lock teaches about queues</h1><h2 class="pw-subtitle-paragraph p">Boats wait, and so do packets</h2></gold><div class="q"><a href="/@ada">Ada Keeper</a><button>Follow</button><span>6 min read</span><span>Mar 3, 2022</span></div><div class="r"><button>Listen</button><button>Share</button></div><gold>{paragraphs(EN, 0, 2, 2, '<p class="pw-post-body-paragraph s">')}<h1 class="t">The first wait</h1>{paragraphs(EN, 4, 3, 2, '<p class="pw-post-body-paragraph s">')}<blockquote class="u"><p class="v">{EN[16]}</p></blockquote>{paragraphs(EN, 10, 2, 2, '<p class="pw-post-body-paragraph s">')}</gold></div></div></section></div></div></article><div class="w"><div><a href="/tag/x">Queues</a><a href="/tag/y">Canals</a></div></div><div class="x"><h2>Written by Ada Keeper</h2><div>1.2K Followers</div><p>Keeps locks, writes about waiting.</p><button>Follow</button></div><div class="y"><h2>More from Ada Keeper</h2>{more}</div><div><a href="/help">Help</a><a href="/status">Status</a><a href="/about">About</a></div></div></div>"""
    return html("en", "What a lock teaches about queues | by Ada Keeper | Medium-sized", body)


def _appeal() -> str:
    body = f"""<header><a href="/">The Keeper</a><nav><ul>{links(("News", "Opinion", "Sport"))}</ul></nav></header><main><article><gold><h1>Towpath open again</h1><div data-gu-name="standfirst"><p>{EN[3]}</p></div></gold><address aria-label="Contributor info"><a href="/p/x">Jo Brand</a></address><div data-gu-name="body"><div class="article-body-commercial-selector"><gold>{paragraphs(EN, 4, 2)}</gold><figure><gu-island><a href="/x"><div>{ASIDES[1]}</div><span>Read more</span></a></gu-island></figure><gold>{paragraphs(EN, 8, 4)}</gold></div></div><div class="dcr-submeta"><div>Explore more on these topics</div><ul>{links(("Canals", "Rivers", "News"))}</ul><button>Reuse this content</button></div></article><section class="contributions-epic"><h2>… we have a small favour to ask</h2><p>Tens of millions have placed their trust in our fearless journalism since we started publishing 200 years ago. We have no billionaire owner, and every contribution counts. Support us today from as little as one pound.</p><button>Support us</button></section></main><footer><p>© 2024 The Keeper. All rights reserved.</p></footer>"""
    return html("en", "Towpath open again | The Keeper", body)


def _letters_by_mail() -> str:
    body = f"""<div id="entry"><div class="main-menu"><a href="/">Silt Weekly</a><button>Subscribe</button><button>Sign in</button></div><div class="single-post-container"><div class="single-post"><article class="typography newsletter-post post"><div class="post-header"><gold><h1 class="post-title published">On silt</h1><h3 class="subtitle">And what it carries</h3></gold><div class="byline-wrapper"><a href="#">Ada</a><div>Mar 03, 2023</div></div></div><div class="available-content"><div class="body markup"><gold>{paragraphs(EN, 0, 3)}</gold><div class="subscription-widget-wrap"><div class="subscription-widget"><p class="cta-caption">Silt Weekly is a reader-supported publication. To receive new posts and support my work, consider becoming a free or paid subscriber.</p><form><input><button>Subscribe</button></form></div></div><gold><h2>Where it goes</h2>{paragraphs(EN, 8, 4)}</gold><p class="button-wrapper"><a class="button" href="#">Share</a></p></div></div><div class="post-footer"><a href="#">Like</a></div></article></div><div class="comments-section"><h4>Discussion about this post</h4>{"".join(f"<div class='c'><div>{t}</div></div>" for t in REMARKS[:4])}</div></div><div class="footer"><div>© 2023 Ada · Privacy · Terms</div></div></div>"""
    return html("en", "On silt - by Ada - Silt Weekly", body)


def _agency() -> str:
    parts = "".join(
        f'<div data-testid="paragraph-{n}" class="text__text__1FZLe text__dark-grey__3Ml43 body__full_width__ekUdw">{EN[n]}</div>'
        for n in range(12)
    )
    body = f"""<div class="site-header"><a href="/">Wire</a>{links(("World", "Business", "Markets"), "span")}</div><div class="article__main__33WV2"><article><div class="article-header__heading__15OpQ"><gold><h1 data-testid="Heading">Canal path reopens</h1></gold><div class="info"><span>By Jo Brand</span><time>March 3, 2023 9:14 AM UTC</time></div></div><ul class="summary"><li>Companies</li></ul><div class="article-body__content__17Yit"><gold>{parts}</gold><p class="sign-off">Reporting by Jo Brand; Editing by Kim Lee</p><p class="trust">Our Standards: <a href="#">The Wire Trust Principles.</a></p></div></article></div><div class="read-next"><h2>Read Next</h2>{"".join(f"<div><a href='/{n}'><h3>{t}</h3></a><p>{EN[n]}</p></div>" for n, t in enumerate(ASIDES[:5]))}</div><footer>All quotes delayed a minimum of 15 minutes.</footer>"""
    return html("en", "Canal path reopens | Wire", body)


def _sections_apart() -> str:
    """A long report: each part in a container of its own."""
    parts = "".join(
        f'<div class="block block-{n}"><div class="inner"><gold><h2>{title}</h2>{paragraphs(EN, 4 * n, 2)}</gold></div></div><div class="block block-image"><img src="{n}.jpg"></div>'
        for n, title in enumerate(ASIDES[:5])
    )
    body = f"""<div class="top"><ul>{links(("Work", "People", "Contact"))}</ul></div><div class="hero"><gold><h1>Nine years under water</h1><p>{EN[19]}</p></gold></div>{parts}<div class="bottom"><p>Studio Weir, 4 Lock Lane. Registered in the county.</p></div>"""
    return html("en", "Nine years under water", body)


def _split_by_advert() -> str:
    body = f"""<div class="hd">{links(ASIDES[:5], "span")}</div><div class="art"><gold><h1>The path, the weir, the fish</h1></gold><div class="copy-a"><gold>{paragraphs(EN, 0, 4)}</gold></div><div class="slot"><span>Advertisement</span></div><div class="copy-b"><gold>{paragraphs(EN, 8, 3)}</gold></div></div><div class="ft">Imprint and terms of use</div>"""
    return html("en", "The path, the weir, the fish", body)


def _news_es() -> str:
    body = f"""<div class="cabecera"><ul>{"".join(f"<li><a href='/{n}'>{t[:25]}</a></li>" for n, t in enumerate(ES))}</ul></div><div class="noticia"><div class="noticia__titular"><gold><h1>Reabre el camino del canal</h1><h2 class="entradilla">{ES[7]}</h2></gold></div><div class="noticia__firma">Redacción · 12/03/2021 · 09:14h</div><div class="noticia__texto"><gold>{paragraphs(ES, 0, 2)}</gold><p><strong>Te puede interesar: <a href="/x">Los secretos del nuevo azud que nadie conoce</a></strong></p><gold>{paragraphs(ES, 4, 3, 1)}</gold></div><div class="noticia__temas">Temas: <a href="#">Canal</a> <a href="#">Obras</a></div></div><div class="opiniones"><h3>Comentarios (2)</h3><div class="opinion"><p>Ya era hora, nueve años son muchos años para un muro.</p></div><div class="opinion"><p>Espero que las farolas funcionen mejor que las de la plaza.</p></div></div><div class="pie">Aviso legal, política de privacidad y de cookies</div>"""
    return html("es", "Reabre el camino del canal", body)


def _board_tables() -> str:
    posts = "".join(
        f'<table id="post{n}" class="tborder"><tr><td class="thead">#{n + 1} <span>03-0{n + 1}-2011, 09:14 AM</span></td></tr><tr><td class="alt2"><a class="bigusername" href="#">rower{n}</a><div class="smallfont">Registered User</div><div class="smallfont">Join Date: Jan 2009<br>Location: East lock<br>Posts: {n * 31 + 4}</div></td></tr><tr><td class="alt1"><div class="smallfont"><strong>Re: Speed limit</strong></div><hr><div id="post_message_{n}"><gold>{text}<br><br>{EN[(3 * n + 1) % 20]}</gold></div></td></tr></table>'
        for n, text in enumerate(REMARKS[:6])
    )
    body = f"""<div align="center"><table class="nav"><tr><td><a href="/">Boats forum</a> &gt; <a href="/g">General</a></td><td><a href="/faq">FAQ</a> <a href="/register">Register</a></td></tr></table><gold><h1>Speed limit</h1></gold><div id="posts">{posts}</div><table><tr><td class="thead">Posting Rules</td></tr><tr><td>You may not post new threads. You may not post replies. You may not post attachments. HTML code is Off</td></tr></table></div><div>All times are GMT. The time now is 10:00 AM.</div>"""
    return html("en", "Speed limit - Boats forum", body)


def _issue_thread() -> str:
    posts = "".join(
        f'<div class="timeline-comment-group"><div class="timeline-comment-header"><a class="author" href="/u{n}">user{n}</a> commented <a href="#i{n}">on Mar {n + 1}, 2022</a></div><table><tbody><tr><td class="comment-body markdown-body js-comment-body"><gold><p>{text}</p><p>{EN[n + 6]}</p></gold></td></tr></tbody></table><div class="comment-reactions"><button>👍 {n}</button></div></div>'
        for n, text in enumerate(REMARKS[:5])
    )
    body = f"""<header><a href="/">Forge</a><a href="/pulls">Pull requests</a><a href="/issues">Issues</a></header><div id="repo-content"><gold><h1><bdi class="js-issue-title">Weir closes too early</bdi></h1></gold><div>Open · user0 opened this issue on Mar 1, 2022 · 4 comments</div><div class="js-discussion">{posts}</div><div class="sidebar"><div>Assignees</div><div>No one assigned</div><div>Labels</div><div>bug</div><div>Milestone</div><div>No milestone</div></div></div><footer>© 2022 Forge, Inc. Terms Privacy Security</footer>"""
    return html("en", "Weir closes too early · Issue #12 · canal/sluice · Forge", body)


def _government() -> str:
    body = f"""<a href="#content" class="skip-link">Skip to main content</a><div class="cookie-banner-wrapper"><h2>Cookies on this site</h2><p>We use some essential cookies to make this website work.</p><button>Accept additional cookies</button></div><header><a href="/">Office of Waterways</a></header><div id="wrapper"><main id="content"><div class="title"><gold><h1>Get a permit to moor</h1></gold></div><div class="guide"><nav aria-label="Pages in this guide"><ol>{links(("Overview", "Who can apply", "Fees"))}</ol></nav><div class="govspeak"><gold><h2>Overview</h2><p>You need a permit to moor for longer than fourteen days in one place.</p><p>The permit costs 38 a month. It is free for boats under five metres.</p><ul><li>apply at least ten working days before you arrive</li><li>have your boat's number ready</li><li>pay by card or by post</li></ul><div class="call-to-action"><p>You cannot apply if your last permit was withdrawn.</p></div><h2>If your permit is refused</h2><p>Write to the office within 28 days and say why you think the decision is wrong.</p></gold></div></div><div class="metadata">Last updated 3 March 2024</div></main><div class="related-navigation"><h2>Related content</h2><ul>{links(("Boat licences", "Winter closures"))}</ul></div></div><div class="feedback"><h2>Is this page useful?</h2><button>Yes</button><button>No</button><button>Report a problem with this page</button></div><footer><p>All content is available under the Open Licence, except where otherwise stated</p></footer>"""
    return html("en", "Get a permit to moor: Overview", body)


def _press_release() -> str:
    body = f"""<div id="nav"><a href="/">Weirworks</a>{links(("Products", "Investors", "Newsroom"), "span")}</div><div class="news-release"><gold><h1>Weirworks opens plant at the eastern lock</h1><p><strong>EASTLOCK, March 3, 2023</strong> – {EN[0]}</p>{paragraphs(EN, 1, 3)}<p><strong>About Weirworks</strong></p><p>Weirworks builds gates, paddles and weirs for inland waterways in eleven countries. It was founded in 1911 and employs 420 people.</p><p><strong>Contact</strong></p><p>Kim Lee, press office, press@weirworks.example</p></gold></div><div class="tools"><a href="#">Print</a><a href="#">RSS</a></div><div class="foot">© 2023 Weirworks SE</div>"""
    return html("en", "Weirworks opens plant at the eastern lock", body)


def _wiki_ja() -> str:
    body = f"""<div id="mw-page-base"></div><div id="content" class="mw-body" role="main"><gold><h1 id="firstHeading">東水門運河</h1></gold><div id="bodyContent"><div id="siteSub">出典: フリー百科事典</div><div id="mw-content-text"><div class="mw-parser-output"><table class="infobox"><tbody><tr><th>全長</th><td>12 km</td></tr><tr><th>開通</th><td>1834年</td></tr></tbody></table><gold><p>{JA[0]}</p></gold><div id="toc" class="toc"><h2>目次</h2><ul><li><a href="#a">歴史</a></li><li><a href="#b">自然</a></li></ul></div><gold><h2><span class="mw-headline" id="a">歴史</span></h2></gold><span class="mw-editsection">[<a href="#">編集</a>]</span><gold><p>{JA[1]}{JA[2]}</p><p>{JA[8]}</p><h2><span class="mw-headline" id="b">自然</span></h2><p>{JA[6]}{JA[7]}</p></gold><h2><span class="mw-headline">関連項目</span></h2><ul><li><a href="#">運河</a></li><li><a href="#">水門</a></li></ul><h2><span class="mw-headline">脚注</span></h2><ol class="references"><li>^ <a href="#">港新聞 1911年3月3日</a></li></ol><div class="navbox"><a href="#">日本の運河</a></div></div></div><div id="catlinks" class="catlinks">カテゴリ: <a href="#">運河</a></div></div></div><div id="mw-navigation"><h2>案内メニュー</h2><ul><li><a href="#">メインページ</a></li><li><a href="#">最近の更新</a></li></ul></div><div id="footer"><p>最終更新 2024年3月3日 (日) 09:14</p></div>"""
    return html("ja", "東水門運河 - フリー百科事典", body)


def _column_ja() -> str:
    """A business column: a lead, headings, a banner for members, the writer at the end."""
    body = f"""<header class="g-header"><a href="/">経済の窓</a><ul><li><a href="#">ログイン</a></li><li><a href="#">有料会員登録</a></li></ul></header><div class="breadcrumb"><a href="/">トップ</a>＞<a href="#">コラム</a></div><div class="l-main"><div class="p-article"><gold><h1 class="p-article__title">運河が町を変えるとき</h1></gold><p class="p-article__date">2024.03.12</p><div class="p-article__sns"><a href="#">ツイート</a><a href="#">シェア</a></div><div class="p-article__body"><gold><p>{JA[0]}</p><h2>工事が教えたこと</h2><p>{JA[1]}{JA[2]}</p><p>{JA[3]}</p></gold><div class="banner"><a href="#">無料メルマガに登録すると毎朝記事が届きます</a></div><gold><h2>水と暮らす</h2><p>{JA[4]}</p><p>{JA[6]}{JA[7]}</p></gold></div><div class="p-author"><p class="p-author__name">水野 渡</p><p>水辺の経済を二十年取材している記者。著書に「運河の値段」がある。</p></div></div><div class="p-recommend"><p class="p-recommend__title">あわせて読みたい</p><ul><li><a href="#">古い地図の値段はなぜ上がるのか</a></li><li><a href="#">水門を守る人々の一日</a></li></ul></div></div><footer><p>本サイトに掲載の記事・写真の無断転載を禁じます。</p></footer>"""
    return html("ja", "運河が町を変えるとき｜経済の窓", body)


def _index_of_teasers() -> str:
    """A list of stories is what the page is."""
    cards = "".join(
        f'<article class="card"><h2><a href="/s/{n}">{title}</a></h2><p>{EN[n]}</p><a href="/s/{n}">Continue reading</a></article>'
        for n, title in enumerate(ASIDES)
    )
    body = f"""<header><a href="/">Lock Keeper's Notes</a></header><main><gold><h1>Archive: March</h1>{cards}</gold></main><footer><p>© Keeper</p></footer>"""
    return html("en", "Archive: March", body)


_HELP = """<div id="help-popup"><p>Press the left or the right arrow to navigate between chapters</p><p>Press S or / to search in the book</p><p>Press ? to show this help and Esc to hide it</p></div>"""


def _short_chapter() -> str:
    """A chapter of two lines in a book with a long help: the page says which part is its main one."""
    body = f"""<div id="body-container">{_HELP}<div class="page"><div class="menu-bar"><h2 class="menu-title">The Canal Book</h2></div><div id="content"><main><gold><h1>abort_filling</h1><p>The tracking issue for this feature is: <a href="https://x.example/130338">#130338</a></p></gold></main></div></div></div>"""
    return html("en", "abort_filling - The Canal Book", body)


def _chapter_of_links() -> str:
    """A chapter that only lists its parts."""
    body = f"""{_HELP}<div class="page"><div id="content"><main><gold><h1>Lock commands</h1><ul>{links(("lock open", "lock close", "lock fill", "lock drain", "lock report"))}</ul></gold></main></div></div>"""
    return html("en", "Lock commands - The Canal Book", body)


LATER: tuple[GoldPage, ...] = tuple(
    _page(make.__name__.strip("_"), make())
    for make in (
        _medium, _appeal, _letters_by_mail, _agency, _sections_apart, _split_by_advert, _news_es,
        _board_tables, _issue_thread, _government, _press_release, _wiki_ja, _column_ja, _index_of_teasers,
        _short_chapter, _chapter_of_links,
    )
)  # fmt: skip
