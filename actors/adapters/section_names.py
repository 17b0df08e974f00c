# ruff: noqa: E501 - words as they stand on pages
"""How pages of the world head what is not their text, as patterns for a whole heading."""

MORE = (
    r"related(?: (?:articles?|stories|posts?|news|content|topics|links|coverage|reading|products?|questions?))?|(?:read|see) more|read (?:next|also)"
    r"|you (?:may|might) (?:also )?(?:like|enjoy|be interested in).*|(?:more|latest|top) (?:from|in|on|news|stories|articles|posts)\b.{0,30}"
    r"|(?:recommended|suggested|trending|popular|most (?:read|viewed|popular|shared)|editor.?s.? picks?|what to read next|up next|don.t miss)"
    r"(?: (?:for you|now|today|this week|articles|stories|posts|news|videos|products|jobs|topics))?"
    r"|(?:customers|people|users) (?:who .{1,30} )?also .*|similar (?:items|products|jobs|articles|stories)|recent (?:posts|articles|comments)"
    r"|関連(?:記事|ニュース|リンク|商品|するQ&A|する記事|キーワード)?|あわせて(?:読みたい|知りたい).*|おすすめ(?:の)?(?:記事|商品)?|人気(?:の)?記事.*|.{0,12}ランキング|最(?:新|近)の記事|新着記事|この記事を読んだ.*|この商品を.*"
    r"|lesen sie (?:auch|mehr).*|mehr zum thema|das könnte (?:sie|dich).*|meistgelesen.*|ähnliche artikel|auch interessant|weitere artikel.*"
    r"|(?:à |a )?lire aussi|(?:à |a )lire (?:également|ensuite)|sur le même (?:sujet|thème)|les plus lus|articles (?:liés|similaires|connexes)|voir aussi"
    r"|(?:lee|leer|lea|ver|mira) (?:también|tambien|más|mas)|te puede interesar|noticias relacionadas|lo más (?:leído|visto)|artículos relacionados"
    r"|(?:leia|veja|confira) (?:também|mais).*|mais lidas|notícias relacionadas|leggi anche|potrebbe interessarti.*|i più letti|articoli correlati"
    r"|lees ook|meest gelezen|läs (?:också|även|mer)|mest läst|przeczytaj (?:także|również)|zobacz (?:także|też|również)|najczęściej czytane|čtěte také"
    r"|читайте (?:также|еще|ещё)|по теме|самое (?:читаемое|популярное)|похожие (?:статьи|материалы|новости)|другие новости|рекомендуем"
    r"|相关(?:阅读|新闻|文章|推荐|报道)|推荐(?:阅读|文章)|热门(?:新闻|文章|推荐|阅读)|猜你喜欢|更多(?:新闻|文章)?|相關(?:新聞|文章|閱讀)|延伸閱讀|熱門(?:新聞|文章)"
    r"|관련 ?(?:기사|뉴스|글)|많이 본 (?:뉴스|기사)|인기 ?(?:기사|뉴스)|추천 ?(?:기사|뉴스)|اقرأ (?:أيضا|أيضًا|المزيد).*|الأكثر (?:قراءة|مشاهدة)|مواضيع (?:ذات صلة|متعلقة)"
    r"|ilgili haberler|bunlar da ilginizi çekebilir|en çok okunan.*|baca juga|berita terkait|xem thêm|tin liên quan"
)
"""More to read."""

REMARKS = (
    r"(?:\d+ )?(?:reader )?(?:comments?|responses?|remarks|reactions?|thoughts? on .*)(?: ?\(?\d+\)?)?:?|(?:leave|post|add|write) a (?:comment|reply|response)|join the (?:conversation|discussion)"
    r"|(?:customer|user|product) reviews?(?: ?\(\d+\))?|コメント(?:一覧|する)?(?: ?[(\uff08]?\d+件?[)\uff09]?)?|みんなのコメント|(?:カスタマー|お客様の?)レビュー|口コミ(?:・評判)?"
    r"|(?:\d+ )?kommentare?(?: ?\(?\d+\)?)?|leserkommentare|(?:\d+ )?commentaires?(?: ?\(?\d+\)?)?|(?:\d+ )?comentarios?(?: ?\(?\d+\)?)?|(?:\d+ )?comentários?(?: ?\(?\d+\)?)?|(?:\d+ )?commenti?(?: ?\(?\d+\)?)?"
    r"|(?:\d+ )?reacties?(?: ?\(?\d+\)?)?|(?:\d+ )?kommentarer?(?: ?\(?\d+\)?)?|komentarze(?: ?\(?\d+\)?)?|комментарии(?: ?\(?\d+\)?)?|(?:网友|网民|最新|热门)?评论(?: ?\(?\d+\)?)?|留言|댓글(?: ?\(?\d+\)?)?|التعليقات|تعليقات|yorumlar"
)
"""Remarks of readers."""

NOTICES = (
    r"(?:sign up|subscribe) (?:for|to) .*|(?:get|receive) .{1,40}(?:in your inbox|by e?-?mail)|(?:join )?(?:our )?(?:weekly |daily |free )?newsletters?|never miss a(?:n)? (?:post|story|update).*|stay (?:informed|up to date|connected|in touch)"
    r"|share (?:this|on)\b.*|follow us.*|about the authors?|この記事を書いた人|この記事の(?:著者|筆者)|(?:著者|筆者|執筆者|ライター)(?:紹介|プロフィール)|メールマガジン.*|このページに関するアンケート|(?:よりよい|より良い).{0,40}お聞かせください|(?:この|本)ページの(?:内容|情報)は.{0,30}|シェアする|この記事をシェア|フォローする"
)
"""What a site asks of its readers."""
