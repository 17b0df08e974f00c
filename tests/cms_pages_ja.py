# ruff: noqa: E501, RUF001 - pages as they are written
"""Pages as Japanese services write them; written like `cms_pages`, in one go before the rules were tried on them."""

from tests.cms_pages import _html
from tests.extraction_pages import _page


def _hatena() -> str:
    body = """<div id="globalheader-container"><iframe id="globalheader" src="//blog.hatena.ne.jp/"></iframe></div><div id="container"><div id="container-inner"><header id="blog-title"><div id="blog-title-content"><h1 id="title"><a href="/">机の上の天文台</a></h1><h2 id="blog-description">週末だけ星を見ています</h2></div></header><div id="content" class="hfeed"><div id="content-inner"><div id="wrapper"><div id="main"><div id="main-inner">
<article class="entry hentry test-hentry js-entry-article date-first autopagerize_page_element chars-1200" data-uuid="1"><div class="entry-inner"><header class="entry-header"><div class="date entry-date first"><a href="/archive/2024/11/03" rel="nofollow"><time datetime="2024-11-03T12:00:00Z"><span class="date-year">2024</span><span class="hyphen">-</span><span class="date-month">11</span><span class="hyphen">-</span><span class="date-day">03</span></time></a></div><gold><h1 class="entry-title"><a href="/entry/1" class="entry-title-link bookmark">古い双眼鏡を直して土星を見た話</a></h1></gold><div class="entry-categories categories"><a href="/archive/category/道具" class="entry-category-link">道具</a></div></header>
<div class="entry-content hatenablog-entry"><gold><p>祖父の押し入れから、昭和の双眼鏡が出てきた。レンズは曇り、片方の筒は固まって動かない。捨てるつもりだったが、分解してみることにした。</p></gold><ul class="table-of-contents"><li><a href="#曇りを取る">曇りを取る</a></li><li><a href="#光軸を合わせる">光軸を合わせる</a></li></ul><gold><h3 id="曇りを取る">曇りを取る</h3><p>曇りの正体は油だった。無水<a class="keyword" href="http://d.hatena.ne.jp/keyword/%A5%A8">エタノール</a>を綿棒につけて、中心から外へ向かって拭く。強くこすると膜がはがれるので、三回に分けた。</p><p><span itemscope itemtype="http://schema.org/Photograph"><img src="https://cdn.example/fotolife/a.jpg" alt="f:id:hoshi:20241103:plain" title="" class="hatena-fotolife" itemprop="image"></span></p><h3 id="光軸を合わせる">光軸を合わせる</h3><p>ここがいちばん難しい。遠くの鉄塔を見ながら、ねじを一回転の八分の一ずつ回していく。二時間かけて、ようやく像が一つになった。</p><blockquote><p>急がば回れ、回すなら少しずつ。</p></blockquote><p>その夜、土星を見た。輪は見えなかったが、丸くない形だけははっきり分かった。それで十分だと思った。</p></gold>
<p><iframe src="https://hatenablog-parts.com/embed?url=https%3A%2F%2Fexample.jp" title="双眼鏡の選び方" class="embed-card embed-blogcard" scrolling="no"></iframe><cite class="hatena-citation"><a href="https://example.jp">example.jp</a></cite></p></div>
<footer class="entry-footer"><div class="entry-tags-wrapper"></div><p class="entry-footer-section track-inview-by-gtm"><span class="author vcard"><span class="fn">hoshi</span></span> <span class="entry-footer-time"><a href="/entry/1"><time>2024-11-03 12:00</time></a></span></p><div class="hatena-star-container"></div><div class="social-buttons"><div class="social-button-item"><a href="https://b.hatena.ne.jp/entry/" class="hatena-bookmark-button">この記事をはてなブックマークに追加</a></div><div class="social-button-item"><a href="#">ポスト</a></div></div><div class="google-afc-image"></div><div class="customized-footer"><p>にほんブログ村のランキングに参加しています。応援クリックをお願いします。</p></div><div class="comment-box js-comment-box"><ul class="comment js-comment"><li class="entry-comment"><p class="comment-user-name">kasuga</p><div class="comment-content"><p>わたしも同じ型を持っています。ねじの回し方、とても参考になりました。</p></div></li></ul><a class="leave-comment-title js-leave-comment-title">コメントを書く</a></div></footer></div></article>
<div class="pager pager-permalink permalink"><span class="pager-prev"><a href="/entry/0" rel="prev">« 三脚を木で作る</a></span><span class="pager-next"><a href="/entry/2" rel="next">雨の夜の過ごし方 »</a></span></div></div></div></div>
<aside id="box2"><div id="box2-inner"><div class="hatena-module hatena-module-profile"><div class="hatena-module-title">プロフィール</div><div class="hatena-module-body"><a href="/about">hoshi</a><div class="profile-description"><p>東京の端で星を見る会社員です。望遠鏡は持っていません。</p></div></div></div><div class="hatena-module hatena-module-recent-entries"><div class="hatena-module-title">最新記事</div><ul class="recent-entries"><li><a href="/entry/9">月食の夜に電池が切れた</a></li><li><a href="/entry/8">流星群を数える方法</a></li></ul></div></div></aside></div></div></div></div><footer id="footer"><p class="services">Powered by <a href="https://hatenablog.com/">Hatena Blog</a></p><a href="#" class="blogger-detail">ブログを報告する</a></footer>"""
    return _html(
        "ja",
        "古い双眼鏡を直して土星を見た話 - 机の上の天文台",
        "",
        body,
        'class="page-entry category-道具 globalheader-ng-enabled"',
    )


def _note() -> str:
    body = """<div id="__nuxt"><div id="__layout"><div class="o-navbar"><a href="/" class="m-navbarLogo">note</a><form><input placeholder="キーワードやクリエイターで検索"></form><a href="/login">ログイン</a><a href="/signup">会員登録</a></div><main class="o-main p-article"><article class="o-noteContentText p-article__inner"><div class="o-noteEyecatch"><img data-src="e.png" class="lazyload" alt="見出し画像"></div><div class="p-article__content"><gold><h1 class="o-noteContentHeader__title">パン屋を閉めた日のこと</h1></gold><div class="o-noteContentHeader__titleAttachment"><button class="o-noteLikeV3"><span>214</span></button></div><div class="o-noteContentHeader__info"><a href="/mugi" class="o-noteContentHeader__name">むぎ</a><time datetime="2025-02-01">2025年2月1日 07:30</time></div>
<div class="p-article__body"><div class="o-noteToc o-noteContent__toc"><div class="o-noteToc__title">目次</div><button>すべて表示する</button><ol><li><a href="#h1">朝の三時</a></li><li><a href="#h2">最後のお客さん</a></li></ol></div><div data-name="body" class="note-common-styles__textnote-body"><gold><p name="a1" id="a1">二十三年続けた店を、先週の土曜日に閉めた。理由を聞かれるたびに違う答えをしてしまうので、ここに一度だけ書いておく。</p><h2 name="h1" id="h1">朝の三時</h2><p name="a2" id="a2">膝が先にやめたいと言い出した。粉の袋は二十五キロあり、それを毎朝六つ運ぶ。若いころは数えなかったが、去年から数えるようになった。<br><br>数え始めたら終わりだ、と父は言っていた。</p></gold><figure name="f1" id="f1"><img data-src="oven.jpg" class="lazyload" alt="窯"><figcaption>父の代からの窯</figcaption></figure><gold><h2 name="h2" id="h2">最後のお客さん</h2><p name="a3" id="a3">閉店の五分前に、近所の小学生が十円玉を七枚握ってきた。あんパンは百八十円である。わたしは七十円ちょうどだと言った。</p><blockquote><p>おつりはいらないよ、と彼は言った。</p></blockquote><p name="a4" id="a4">窯は隣町の若い夫婦が引き取ってくれた。春には煙がまた上がるはずだ。</p></gold></div></div>
<div class="o-noteSupport"><p>いただいたサポートは、次の小麦の研究に使わせていただきます。</p><button>チップで応援</button></div><div class="o-noteHashtags"><ul><li><a href="/hashtag/パン">#パン</a></li><li><a href="/hashtag/仕事">#仕事</a></li></ul></div><div class="o-noteStatus"><span>214</span></div></div></article><div class="o-creatorCard"><a href="/mugi">むぎ</a><button>フォロー</button><p>元パン職人。今は毎朝六時まで寝ています。</p></div><section class="o-magazinesArticleIsIncludedIn"><h2>この記事が含まれているマガジン</h2><a href="/m"><span>店をたたむ人たち</span></a></section><section class="o-noteComments"><h2>コメント</h2><div class="o-commentForm"><p>コメントを投稿するには、ログインまたは会員登録をする必要があります。</p></div><div class="o-comment"><p>朝の三時の匂いが好きで、よく遠回りしました。長い間ありがとうございました。</p></div></section></main><aside class="p-article__recommend"><h2>こちらもおすすめ</h2><div class="m-noteCard"><a href="/n1"><h3>豆腐屋の朝はもっと早い</h3></a><span>ゆき</span></div><div class="m-noteCard"><a href="/n2"><h3>看板を下ろす業者さんに聞いた話</h3></a></div></aside><footer class="o-footer"><ul><li><a href="/premium">noteプレミアム</a></li><li><a href="/terms">ご利用規約</a></li><li><a href="/privacy">プライバシー</a></li></ul></footer></div></div>"""
    return _html("ja", "パン屋を閉めた日のこと｜むぎ", "", body)


def _qiita() -> str:
    body = """<div class="allWrapper"><div id="GlobalHeader-react-component"><header class="style-1"><a href="/">Qiita</a><nav><a href="/trend">トレンド</a><a href="/question-feed">質問</a></nav><a href="/login">ログイン</a></header></div><div class="mainWrapper"><div class="p-items_wrapper"><div id="PersonalArticlePage-react-component-1"><div class="p-items_container"><aside class="p-items_options"><button aria-label="いいねする">いいねする</button><a href="/likers">128</a><button aria-label="ストックする">ストックする</button><a href="/stockers">96</a></aside><main class="p-items_main"><div class="style-3"><div class="style-4"><a href="/sora">@sora</a></div><gold><h1 class="style-5">SQLiteのWALが大きくなり続けるときに見るところ</h1></gold><div class="style-tags"><a href="/tags/sqlite">SQLite</a><a href="/tags/python">Python</a></div><p>最終更新日 <time>2024年05月19日</time> 投稿日 <time>2024年05月18日</time></p></div>
<div id="article-body-wrapper" class="mdContent-inner"><section class="it-MdContent"><div id="personal-public-article-body"><div class="mdContent-inner"><gold><h2 data-sourcepos="1:1-1:12"><span id="はじめに" class="fragment"></span><a href="#%E3"><i class="fa fa-link"></i></a>はじめに</h2><p data-sourcepos="3:1-3:60">本番で動かしているSQLiteの<code>-wal</code>ファイルが8GBまで育っていました。原因は閉じ忘れた読み取り接続でした。</p><h2><span id="仕組み" class="fragment"></span><a href="#x"><i class="fa fa-link"></i></a>仕組み</h2><p>チェックポイントは、いちばん古い読み取りより先へは進めません。つまり、開いたままのカーソルが一つあるだけで、WALは切り詰められなくなります。</p></gold><div class="code-frame" data-lang="python"><div class="code-copy"><div class="code-copy__message">Copied!</div><button class="code-copy__button">コピー</button></div><div class="highlight"><gold><pre><code><span class="n">rows</span> <span class="o">=</span> <span class="n">db</span><span class="p">.</span><span class="nf">execute</span><span class="p">(</span><span class="s">"select * from log"</span><span class="p">)</span>
<span class="nf">next</span><span class="p">(</span><span class="n">rows</span><span class="p">)</span>  <span class="c1"># ここで止まったまま</span>
</code></pre></gold></div></div><gold><h2><span id="対処" class="fragment"></span><a href="#y"><i class="fa fa-link"></i></a>対処</h2><ol><li>カーソルは<code>with</code>で必ず閉じます。</li><li><code>wal_autocheckpoint</code>は既定のままにします。</li><li>監視にWALの大きさを加えます。</li></ol><table><thead><tr><th>設定</th><th>変更前</th><th>変更後</th></tr></thead><tbody><tr><td>読み取り接続</td><td>常時</td><td>要求ごと</td></tr><tr><td>WALの最大</td><td>8GB</td><td>4MB</td></tr></tbody></table><div class="note info"><span class="fa fa-fw fa-check-circle"></span><div><p>バックアップAPIも読み取りとして数えられるので注意してください。</p></div></div><p>同じことで悩んでいる方の役に立てばうれしいです。</p></gold></div></div></section></div>
<div class="style-footer"><button>128</button><p>新規登録して、もっと便利にQiitaを使ってみよう</p><ol><li>あなたにマッチした記事をお届けします</li><li>便利な情報をあとで効率的に読み返せます</li></ol><a href="/signup">新規登録</a></div><div id="comments"><h2>コメント</h2><div class="mdContent-inner"><p>PRAGMA wal_checkpoint(TRUNCATE)の戻り値も見ると分かりやすいですよ。</p></div><p>いいね以上の気持ちはコメントで</p></div></main><div class="p-items_toc"><div class="style-toc"><ol><li><a href="#はじめに">はじめに</a></li><li><a href="#仕組み">仕組み</a></li><li><a href="#対処">対処</a></li></ol></div></div></div></div></div></div><footer class="style-f"><p>How developers code is here.</p><div>© 2011-2024 Qiita Inc.</div><ul><li><a href="/about">About</a></li><li><a href="/terms">利用規約</a></li></ul></footer></div>"""
    return _html("ja", "SQLiteのWALが大きくなり続けるときに見るところ #Python - Qiita", "", body)


def _portal_news() -> str:
    ranking = "".join(
        f'<li class="sc-1{n}"><a href="/articles/{n}" class="sc-dlmkTV"><div class="sc-hmzhuo"><p class="sc-jAaTju">{t}</p><div class="sc-jDwBTQ"><span>{src}</span><time>5/{n}(日) 1{n}:02</time></div></div></a></li>'
        for n, (t, src) in enumerate(
            (
                ("連休の高速道路、下りの渋滞は三日がピーク", "交通新報"),
                ("無人駅にピアノ　弾くのは運転士", "鉄道タイムズ"),
                ("値上げの春、学食はカレーだけ据え置き", "学生通信"),
                ("一塁ベースが消えた試合、記録はどうなる", "野球週報"),
            ),
            1,
        )
    )
    remarks = "".join(
        f'<article class="sc-comment"><h2 class="sc-name"><a href="/users/{n}">user{n}*****</a></h2><p class="sc-text">{t}</p><div><button>返信{n}件</button><button>共感した{n * 31}</button><button>なるほど{n}</button></div></article>'
        for n, t in enumerate(
            (
                "昔はこの時期になると、どの家の軒先にも並んでいたものだ。続けてくれる人がいるのはありがたい。",
                "高くても本物を食べたい。ただ、送料がもう少し下がればもっと買うのに。",
                "若い人が戻ってくる町には、やはり仕事がある。行政も見習ってほしい。",
            ),
            2,
        )
    )
    body = f"""<div id="wrapper"><header id="msthd"><div class="sc-ifAKCX"><a href="/">ニュース</a><form role="search"><input></form><a href="/login">ログイン</a><p>IDでもっと便利に<a href="/register">新規取得</a></p></div><nav><ul><li><a href="/">トップ</a></li><li><a href="/domestic">国内</a></li><li><a href="/world">国際</a></li><li><a href="/business">経済</a></li></ul></nav></header><div id="contents" class="yjContents"><div class="sc-contentsWrap"><main id="yjnMain"><div id="uamods" data-ual-view-type="detail"><article class="sc-bCwfaz"><header class="sc-dREXXX"><gold><h1 class="sc-fnwBNb">干物の町、若者八人が継ぐ　最後の天日干し</h1></gold><div class="sc-eMigcr"><p><time>5/4(日) 11:30</time><span>配信</span></p><a href="#comments"><span class="riff-text">412</span><span>コメント412件</span></a></div></header><div id="uamods-pickup"><div class="sc-img"><a href="/images/1"><figure><img src="p.jpg" alt="天日干しの様子"><figcaption>浜に並ぶアジの干物（4月、海町）</figcaption></figure></a></div></div>
<div class="article_body highLightSearchTarget"><div class="sc-gSQFLo"><p class="sc-cZBZkQ yjSlinkDirectlink"><gold>　海沿いの小さな町で、八人の若者が天日干しの干物づくりを継いだ。最後の職人が引退を決めたのは去年の秋。後継ぎはおらず、浜の干し台は薪になるはずだった。

　八人はいずれも町の外から来た。元会社員、料理人、写真家。冬の間、週末ごとに浜へ通い、塩の量と風の読み方を習った。「風は北西、塩は指三本。書いてあるのはそれだけだった」と代表の西尾さん（３１）は話す。</gold></p></div><div class="sc-ad"><div id="yads_1">広告</div></div><section class="sc-gSQFLo"><gold><h2 class="sc-headline">機械より一日遅い</h2></gold><p class="sc-cZBZkQ"><gold>　機械なら六時間で済む工程に、天日では一日半かかる。それでも注文は東京の料亭から週に四百枚。町は空き家となった網元の屋敷を、作業場として貸すことを決めた。</gold></p></section></div>
<div class="sc-related"><p>【関連記事】</p><ul><li><a href="https://a.example/1">アジの値段、十年で二倍に</a></li><li><a href="https://a.example/2">網元の屋敷に泊まる</a></li></ul></div><footer class="sc-foot"><p>最終更新：<time>5/4(日) 12:10</time></p><a href="/media/umi">海町新聞</a><div><button>シェア</button><button>ポスト</button></div><p>この記事はいかがでしたか？</p><button>学びがある</button><button>分かりやすい</button><button>新しい視点</button></footer></article></div><section id="comments"><h2>コメント<span>412件</span></h2><p>※コメントにおける個人情報の取り扱いについて</p>{remarks}<a href="/comments">もっと見る（412件）</a></section><section class="sc-rec"><h2>こんな記事も読まれています</h2><ul>{ranking}</ul></section></main><aside id="yjnSub"><section><h2>アクセスランキング</h2><ol>{ranking}</ol></section><section><h2>雑誌アクセスランキング</h2><ol>{ranking}</ol></section></aside></div></div><footer id="msthdFtr"><p>本文中に使われている用語の総称です。</p><small>Copyright © 2025 海町新聞 無断転載を禁じます。</small></footer></div>"""
    return _html("ja", "干物の町、若者八人が継ぐ　最後の天日干し（海町新聞） - ニュース", "", body)


def _ward_office() -> str:
    body = """<div id="wrapper"><noscript><p>このサイトではJavaScriptを使用したコンテンツ・機能を提供しています。JavaScriptを有効にするとご利用いただけます。</p></noscript><p class="blockskip"><a href="#main">本文へスキップします。</a></p><div id="header"><div id="hlogo"><img src="logo.png" alt="川辺区"></div><ul id="funclist"><li>文字サイズ・色合い変更</li><li><a href="/en">English</a></li><li>音声読み上げ</li></ul><div id="gnavi"><ul><li><a href="/kurashi">くらし・手続き</a></li><li><a href="/kenko">健康・福祉</a></li><li><a href="/kosodate">子育て・教育</a></li><li><a href="/kusei">区政情報</a></li></ul></div></div><p id="pankuzu">現在の位置：<a href="/">トップページ</a> &gt; <a href="/kurashi">くらし・手続き</a> &gt; <a href="/gomi">ごみ・リサイクル</a> &gt; 粗大ごみの出し方</p>
<hr class="hide"><div id="main"><div id="main_in"><div class="pagetop-tools"><p class="update">ページ番号 1002345　更新日 令和7年4月1日</p><ul class="sns"><li><a href="#">ポスト</a></li><li><a href="#">シェア</a></li></ul><p><a href="#">印刷</a><a href="#">大きな文字で印刷</a></p></div><!-- 本文ここから --><div id="content"><gold><h1>粗大ごみの出し方</h1><p>一辺が30センチメートルを超える家具や電化製品は粗大ごみです。収集は有料で、事前の申し込みが必要です。</p><h2>申し込みの方法</h2><p>粗大ごみ受付センターに電話、またはインターネットで申し込んでください。収集日、料金、受付番号をお知らせします。</p><ul><li>電話：03-0000-0000（月曜日から土曜日、午前8時から午後7時まで）</li><li>インターネット：24時間受け付けています。</li></ul><h2>料金</h2><table border="1"><caption>主な品目の料金</caption><tr><th scope="col">品目</th><th scope="col">料金</th></tr><tr><td>布団（2枚まで）</td><td>400円</td></tr><tr><td>自転車（16インチ以上）</td><td>800円</td></tr><tr><td>ソファー（2人用以上）</td><td>2,000円</td></tr></table><h2>収集できないもの</h2><p>エアコン、テレビ、冷蔵庫、洗濯機は、法律により区では収集できません。購入した店に引き取りを依頼してください。</p></gold><h2>添付ファイル</h2><ul class="objectlink"><li class="pdf"><a href="ryokin.pdf">粗大ごみ料金一覧（PDF 312.4KB）</a></li></ul><p class="adobe">PDFファイルをご覧いただくには、「Adobe Reader」が必要です。お持ちでない方はアドビシステムズ社のサイト（新しいウィンドウ）からダウンロード（無料）してください。</p></div><!-- 本文ここまで --><div id="voice"><h2>よりよいウェブサイトにするために、ページのご感想をお聞かせください</h2><form><fieldset><legend>質問：このページの内容は分かりやすかったですか？</legend><label>分かりやすかった</label><label>どちらともいえない</label><label>分かりにくかった</label></fieldset><input type="submit" value="送信"></form></div><div id="reference"><h2>このページに関するお問い合わせ</h2><p>環境部 清掃リサイクル課 作業係<br>〒000-0000 川辺区本町1丁目2番3号<br>電話：03-0000-1111　ファクス：03-0000-2222</p></div></div></div>
<div id="lnavi"><h2>ごみ・リサイクル</h2><ul><li><a href="/g1">資源とごみの分け方</a></li><li><a href="/g2">粗大ごみの出し方</a></li><li><a href="/g3">引っ越しのときのごみ</a></li></ul></div><p class="guidetop"><a href="#header">このページの先頭へ戻る</a></p><div id="guide"><ul><li><a href="/privacy">個人情報の取り扱い</a></li><li><a href="/access">ウェブアクセシビリティ方針</a></li></ul></div><div id="footer"><address>川辺区役所　法人番号：0000000000000　〒000-0000 川辺区本町1丁目1番1号</address><p>開庁時間：月曜日から金曜日　午前8時30分から午後5時まで（祝日・休日、年末年始を除く）</p><p>Copyright (C) Kawabe City. All Rights Reserved.</p></div></div>"""
    return _html("ja", "粗大ごみの出し方｜川辺区", "", body)


def _thread() -> str:
    """A board of threads: terms that say who and when, descriptions that say what."""
    said = (
        "台所の換気扇を外して洗おうとしたら、羽根が軸から抜けない。ねじは左回しで緩むはずなのに、空回りする。",
        "羽根の真ん中のつまみは逆ねじが多いよ。時計回りに回してみて。",
        ">>2<br>抜けた、ありがとう。説明書をなくして三年、ずっと反対に回していた。",
        "ついでに書いておくと、油は重曹よりも食器用の洗剤と熱めの湯のほうが早い。塗装がはげるから、金たわしは使うな。",
        ">>4<br>金たわしで去年やった。羽根が銀色になった。",
    )
    posts = "".join(
        f"<dt>{n} ：<font color=green><b>名無しさん＠お掃除中</b></font>：2012/12/{20 + n}(木) 2{n % 4}:1{n}:33.0{n} ID:a{n}Xk9{n}b</dt><dd><gold>{text}</gold><br><br></dd>"
        for n, text in enumerate(said, 1)
    )
    body = f"""<div style="margin-top:1em;"><span style="float:left;"><a href="/souji/">■掲示板に戻る■</a> <a href="l50">最新50</a> <a href="1-100">1-100</a></span></div><div id="ad_top"><a href="/ad">浪人で過去ログが読み放題</a></div><hr style="background-color:#888;height:1px"><gold><h1 style="color:red;font-size:larger;font-weight:normal;margin:-.5em 0 0;">【油】換気扇を洗うスレ 3枚目</h1></gold><dl class="thread">{posts}</dl><font color=red face="Arial"><b>2KB</b></font><hr><center><a href="n">新着レスの表示</a></center><hr><a href="/souji/">掲示板に戻る</a> <a href="1-">全部</a> <a href="l50">最新50</a><form method=POST action="/test/bbs.cgi"><input type=submit value="書き込む" name=submit> 名前： <input name=FROM size=19> E-mail : <input name=mail size=19><br><textarea rows=5 cols=70 name=MESSAGE></textarea></form><p>read.cgi ver 05.04.00</p>"""
    return f'<html lang="ja"><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"><title>【油】換気扇を洗うスレ 3枚目</title></head><body bgcolor=#efefef text=black link=blue>{body}</body></html>'


def _recruiting() -> str:
    body = """<div id="app"><header class="GlobalHeader__Base"><a href="/">Hatarabu</a><nav><a href="/projects">募集</a><a href="/companies">会社を探す</a></nav><a href="/login">ログイン</a></header><div class="ProjectShow__Wrapper"><div class="ProjectCover"><img src="c.jpg"></div><div class="ProjectHeader"><span class="ProjectHeader__Looking">Webエンジニア</span><span>on 2025/03/10</span><span>1,204 views</span><gold><h1 class="ProjectHeader__Title">地方の病院を支える予約システムを、一緒に作りませんか</h1></gold><div class="ProjectHeader__Company"><a href="/c">株式会社みなと医療情報</a></div></div><div class="ProjectAction"><button>話を聞きに行きたい</button><button>応援する</button><p>24人が応援しています</p></div>
<main class="ProjectBody"><section class="ProjectDescription"><gold><h2>なにをやっているのか</h2><div class="TextBody"><p>全国百四十の病院で使われている予約システムを開発しています。患者さんが電話をかけなくても診察を予約でき、待ち時間が平均で三十七分短くなりました。</p></div></gold></section><section class="ProjectDescription"><gold><h2>なぜやるのか</h2><div class="TextBody"><p>人手の足りない地方ほど、電話の前に人が座っています。その時間を患者さんに返したい。それが創業の理由です。</p></div></gold></section><section class="ProjectDescription"><gold><h2>こんなことやります</h2><div class="TextBody"><p>▼仕事の内容<br>・予約エンジンの設計と実装（Go、PostgreSQL）<br>・病院の方と一緒に行う画面の改善<br><br>▼必須の経験<br>・Webアプリケーションの開発経験３年以上<br>・SQLを自分で書いて調べられること</p></div></gold></section></main><section class="ProjectMembers"><h2>会社のメンバー</h2><div class="MemberCard"><a href="/u1">浜田 あかり</a><p>元看護師。現場の声をいちばん早く持ち帰ります。</p></div><div class="MemberCard"><a href="/u2">森 健太</a><p>コンビニの決済を十年作っていました。</p></div></section><section class="CompanyInfo"><h2>会社情報</h2><ul><li>2014/06 に設立</li><li>48人のメンバー</li><li>福岡県福岡市</li></ul></section><section class="OtherProjects"><h2>こちらの募集もおすすめ</h2><ul><li><a href="/p1"><h3>農家と飲食店をつなぐアプリの開発</h3><p>産直のやりとりを、もっと軽く。</p></a></li><li><a href="/p2"><h3>配送ルートを数学で短くする仕事</h3></a></li></ul></section></div><footer><ul><li><a href="/about">運営会社</a></li><li><a href="/terms">利用規約</a></li></ul><p>© Hatarabu, Inc.</p></footer></div>"""
    return _html(
        "ja",
        "地方の病院を支える予約システムを、一緒に作りませんか by 株式会社みなと医療情報 - Hatarabu",
        "",
        body,
    )


CMS_JA = tuple(
    _page(name, html())
    for name, html in (
        ("hatena_ja", _hatena),
        ("note_ja", _note),
        ("qiita_ja", _qiita),
        ("portal_news_ja", _portal_news),
        ("ward_office_ja", _ward_office),
        ("thread_ja", _thread),
        ("recruiting_ja", _recruiting),
    )
)
"""Pages and what of them counts."""
