# ruff: noqa: E501 - pages as they are written
"""Pages as the programs that most sites run on write them today, in English; marks as in `extraction_pages`.

Written in one go before the rules were tried on them, with the markup that each program puts around a text.
"""

from tests.extraction_pages import _page

_CONSENT = """<div id="onetrust-consent-sdk"><div class="onetrust-pc-dark-filter" style="display:none"></div><div id="onetrust-banner-sdk" role="dialog" aria-label="Privacy"><div class="ot-sdk-container"><h2 id="onetrust-policy-title">Your privacy matters</h2><div id="onetrust-policy-text">We and our 842 partners store and access information on a device, such as cookies, and process personal data. You may click to consent to our and our partners' processing as described above.</div><button id="onetrust-accept-btn-handler">Accept all</button><button>Reject all</button></div></div></div>"""


def _html(lang: str, title: str, head: str, body: str, attributes: str = "") -> str:
    return f'<!DOCTYPE html>\n<html lang="{lang}" class="no-js"><head><meta charset="utf-8"><title>{title}</title><meta name="viewport" content="width=device-width">{head}</head>\n<body {attributes}>{body}</body></html>'


def _wordpress_blocks() -> str:
    head = """<script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":"Article","headline":"Repairing a cast-iron pan","author":{"name":"Nell"},"datePublished":"2024-02-11T09:00:00+00:00"},{"@type":"BreadcrumbList","itemListElement":[{"@type":"ListItem","position":1,"name":"Home"}]}]}</script><style>.wp-block-navigation{--x:1}</style>"""
    body = """<a class="skip-link screen-reader-text" href="#wp--skip-link--target">Skip to content</a><div class="wp-site-blocks"><header class="wp-block-template-part"><div class="wp-block-group alignfull"><p class="wp-block-site-title"><a href="/">Slow Kitchen</a></p><nav class="wp-block-navigation" aria-label="Primary"><ul class="wp-block-navigation__container"><li class="wp-block-navigation-item"><a href="/about">About</a></li><li class="wp-block-navigation-item"><a href="/shop">Shop</a></li><li class="wp-block-navigation-item"><a href="/contact">Write to me</a></li></ul></nav></div></header>
<main class="wp-block-group" id="wp--skip-link--target"><div class="wp-block-group has-global-padding"><gold><h1 class="wp-block-post-title">Repairing a cast-iron pan</h1></gold><div class="wp-block-template-part"><div class="wp-block-group"><div class="wp-block-post-date"><time datetime="2024-02-11T09:00:00+00:00"><a href="#">February 11, 2024</a></time></div><p class="wp-block-paragraph">—</p><p>by</p><div class="wp-block-post-author-name"><a href="/author/nell" class="wp-block-post-author-name__link">Nell</a></div><p>in</p><div class="taxonomy-category wp-block-post-terms"><a href="/c/tools" rel="tag">Tools</a></div></div></div></div>
<div class="entry-content wp-block-post-content is-layout-constrained"><div class="wp-block-rank-math-toc-block" id="rank-math-toc"><h2>Table of Contents</h2><nav><ul><li><a href="#rust">Take off the rust</a></li><li><a href="#oil">Oil it thinly</a></li><li><a href="#bake">Bake it</a></li></ul></nav></div>
<gold><p>My neighbour left a skillet in the rain for a whole winter, and he was sure that it belonged in the bin. It did not. Three evenings later we fried eggs in it, and nothing stuck.</p>
<h2 class="wp-block-heading" id="rust">Take off the rust</h2><p>Scrub with steel wool and a spoon of coarse salt until the metal is grey all over. Do not worry about scratches, because you will never see them again.</p>
<figure class="wp-block-image size-large"><img loading="lazy" decoding="async" src="data:image/svg+xml;base64,AAAA" data-lazy-src="/pan.jpg" alt="A rusty pan"><noscript><img src="/pan.jpg" alt="A rusty pan"></noscript><figcaption class="wp-element-caption">Before: orange from rim to rim.</figcaption></figure>
<h2 class="wp-block-heading" id="oil">Oil it thinly</h2><p>Most people use far too much. Rub the oil in with one cloth, and then wipe it off with another as if you had put it on by mistake.</p><figure class="wp-block-table"><table><thead><tr><th>Oil</th><th>Smoke point</th></tr></thead><tbody><tr><td>Flaxseed</td><td>107 °C</td></tr><tr><td>Grapeseed</td><td>216 °C</td></tr></tbody></table></figure></gold>
<div class="wp-block-jetpack-subscriptions"><div class="wp-block-jetpack-subscriptions__container"><p>Get the next letter by mail.</p><form><input type="email" placeholder="Type your email…"><button>Subscribe</button></form><p>Join 1,204 other subscribers</p></div></div>
<gold><h2 class="wp-block-heading" id="bake">Bake it</h2><ol class="wp-block-list"><li>Heat the oven as far as it goes.</li><li>Put the pan in upside down for an hour.</li><li>Let it cool with the door shut, and repeat twice.</li></ol><blockquote class="wp-block-quote"><p>A pan is never finished, it is only between two breakfasts.</p><cite>My grandmother</cite></blockquote><p>If it still looks patchy, cook bacon in it for a week and look again.</p></gold>
<div class="sharedaddy sd-sharing-enabled"><div class="robots-nocontent sd-block sd-social"><h3 class="sd-title">Share this:</h3><div class="sd-content"><ul><li><a href="?share=facebook">Click to share on Facebook (Opens in new window)</a></li><li><a href="?share=x">Click to share on X (Opens in new window)</a></li></ul></div></div></div><div class="sharedaddy sd-block sd-like jetpack-likes-widget-wrapper"><h3 class="sd-title">Like this:</h3><div>Like Loading...</div></div><div id="jp-relatedposts" class="jp-relatedposts"><h3 class="jp-relatedposts-headline"><em>Related</em></h3><div class="jp-relatedposts-items"><div><h4><a href="/a">Sharpening with a brick</a></h4><p>I had no stone, so I took what the builders left behind.</p></div><div><h4><a href="/b">Why I never wash wood</a></h4><p>Boards warp and handles split, and it is always the sink's fault.</p></div></div></div></div>
<div class="wp-block-group"><div class="wp-block-post-navigation-link"><a href="/prev">Previous: Three knives are enough</a></div><div class="wp-block-post-navigation-link"><a href="/next">Next: The kettle that sang</a></div></div>
<div class="wp-block-comments"><h2 class="wp-block-comments-title">3 responses to “Repairing a cast-iron pan”</h2><ol class="wp-block-comment-template"><li><div class="wp-block-comment-author-name">Ruth</div><div class="wp-block-comment-date">February 12, 2024</div><div class="wp-block-comment-content"><p>I used vinegar overnight and it pitted the surface badly, so please do not do that.</p></div><div class="wp-block-comment-reply-link"><a href="#">Reply</a></div></li><li><div class="wp-block-comment-author-name">Omar</div><div class="wp-block-comment-content"><p>Grapeseed works for me, although the kitchen smells like a garage for two days.</p></div></li></ol><div id="respond" class="comment-respond wp-block-post-comments-form"><h3 id="reply-title">Leave a Reply</h3><form><p class="comment-notes">Your email address will not be published. Required fields are marked *</p></form></div></div></main>
<footer class="wp-block-template-part"><p>Designed with <a href="https://wordpress.org">WordPress</a></p></footer></div><script>var x=1</script>"""
    return _html(
        "en-GB",
        "Repairing a cast-iron pan – Slow Kitchen",
        head,
        body,
        'class="post-template-default single single-post postid-81 wp-embed-responsive"',
    )


def _magazine_theme() -> str:
    """A news site on a bought theme: lines that lead elsewhere between the paragraphs, and boxes of every kind."""
    trending = "".join(
        f'<div class="td_module_6 td-animation-stack"><div class="item-details"><h3 class="entry-title td-module-title"><a href="/{n}">{t}</a></h3><div class="td-module-meta-info"><span class="td-post-date"><time>May {n}, 2023</time></span></div></div></div>'
        for n, t in enumerate(
            (
                "Power cuts to return in the dry season",
                "Two held over forged land titles",
                "Under-17s reach the final in Lusaka",
                "Fuel queues shorten as tankers arrive",
                "Court adjourns bridge contract case",
            ),
            3,
        )
    )
    ad = '<div class="code-block code-block-3" style="margin: 8px 0; clear: both;"><div class="td-a-rec td-a-rec-id-content_inline"><span class="td-adspot-title">- Advertisement -</span><ins class="adsbygoogle" data-ad-client="ca-pub-1"></ins><script>(adsbygoogle = window.adsbygoogle || []).push({});</script></div></div>'
    body = f"""<div id="td-outer-wrap"><div class="td-header-wrap"><div class="td-header-top-menu"><div class="tdc-date">Thursday, May 11, 2023</div><ul class="top-header-menu"><li><a href="/advertise">Advertise</a></li><li><a href="/epaper">E-paper</a></li></ul></div><div class="td-main-menu"><ul class="sf-menu"><li><a href="/news">News</a></li><li><a href="/biz">Business</a></li><li><a href="/sport">Sport</a></li><li><a href="/opinion">Opinion</a></li></ul></div></div>
<article id="post-5512" class="post td-container-wrap type-post"><div class="td-container"><div class="td-crumb-container"><div class="entry-crumbs"><span><a href="/">Home</a></span> <i></i> <span><a href="/news">News</a></span> <i></i> <span class="td-bred-no-url-last">Ferry service resumes on the lake</span></div></div>
<div class="td-pb-row"><div class="td-pb-span8 td-main-content"><div class="td-ss-main-content"><div class="td-post-header"><header class="td-post-title"><gold><h1 class="entry-title">Ferry service resumes on the lake after four months</h1></gold><p class="td-post-sub-title"><gold>Operators say that the new engine will halve the crossing time.</gold></p><div class="td-module-meta-info"><div class="td-post-author-name"><div class="td-author-by">By</div> <a href="/author/j">Joyce Mwale</a></div><span class="td-post-date"><time>May 11, 2023</time></span><div class="td-post-views"><span>1841</span></div></div></header></div>
<div class="td-post-sharing-top"><div class="td-post-sharing"><a class="td-social-sharing-button" href="#"><div class="td-social-but-text">Facebook</div></a><a href="#"><div class="td-social-but-text">WhatsApp</div></a></div></div>
<div class="td-post-content tagdiv-type"><div class="td-post-featured-image"><figure><img class="entry-thumb" src="/f.jpg"><figcaption class="wp-caption-text"><gold>The ferry at its berth on Wednesday.</gold></figcaption></figure></div>
<gold><p>The passenger ferry between the two shores of the lake sailed again yesterday, four months after its engine failed in a storm with eighty people on board.</p><p>Nobody was hurt in January, but the crossing by road takes nine hours, and traders on the islands had been paying three times the usual price for maize flour.</p></gold>{ad}
<p><strong>ALSO READ: <a href="/x">How the storm of January was forecast and ignored</a></strong></p>
<gold><p>“I slept at the jetty to be sure of a place,” said Agnes Phiri, who sells dried fish and had not seen her customers since Christmas.</p><p>The transport ministry said the new engine had cost the equivalent of two million dollars, of which a development bank paid half.</p><h3>Old hull, new heart</h3><p>The hull dates from 1980. Inspectors measured it in March and found it sound, although they asked for new life rafts and a second radio.</p></gold>
<p>Follow our <a href="#">WhatsApp channel</a> for the latest news as it happens.</p>{ad}
<gold><p>Two sailings a day are planned until the end of June, when the timetable will be looked at again.</p></gold>
<p><em>Subscribe to our newsletter <a href="#">here</a>.</em></p></div>
<footer><div class="td-post-source-tags"><ul class="td-tags"><li><span>TAGS</span></li><li><a href="/t/ferry">ferry</a></li><li><a href="/t/lake">lake</a></li></ul></div><div class="td-block-row td-post-next-prev"><div class="td-post-prev-post"><span>Previous article</span><a href="/p">Teachers call off their strike</a></div><div class="td-post-next-post"><span>Next article</span><a href="/n">Cholera cases fall for a third week</a></div></div><div class="author-box-wrap"><a href="/author/j"><img src="j.jpg"></a><div class="desc"><div class="td-author-name"><a href="/author/j">Joyce Mwale</a></div><div class="td-author-description">Joyce covers transport and the lake districts. She joined the paper in 2016 and likes long bus rides.</div></div></div></footer>
<div class="td_block_wrap td_block_related_posts"><h4 class="td-related-title"><a class="td-related-left td-cur-simple-item">RELATED ARTICLES</a><a class="td-related-right">MORE FROM AUTHOR</a></h4><div class="td_block_inner">{trending}</div></div>
<div class="comments" id="comments"><div id="respond"><h3 id="reply-title">LEAVE A REPLY <small><a href="#">Cancel reply</a></small></h3><form><p>Save my name, email, and website in this browser for the next time I comment.</p></form></div></div></div></div>
<div class="td-pb-span4 td-main-sidebar"><aside class="widget"><h4 class="block-title">Trending</h4>{trending}</aside><aside class="widget widget_text"><div class="textwidget"><p>The Lake Courier has been printed every weekday since 1968. To report an error, write to the editor, who reads everything.</p></div></aside></div></div></div></article>
<div class="td-footer-wrapper"><div class="footer-text-wrap">ABOUT US<div>We bring you the news of the lake, first and without fear.</div><div class="footer-email-wrap">Contact us: desk@example.org</div></div></div><div class="td-sub-footer-copy">&copy; 2023 Lake Courier</div></div>"""
    return _html(
        "en-US",
        "Ferry service resumes on the lake after four months - Lake Courier",
        "",
        body,
        'class="single single-post td-standard-pack"',
    )


def _ghost_members() -> str:
    body = """<div class="gh-viewport"><header id="gh-navigation" class="gh-navigation is-left-logo"><div class="gh-navigation-inner gh-inner"><div class="gh-navigation-brand"><a class="gh-navigation-logo is-title" href="/">Plain Rails</a></div><nav class="gh-navigation-menu"><ul class="nav"><li class="nav-home"><a href="/">Home</a></li><li class="nav-archive"><a href="/archive/">Archive</a></li></ul></nav><div class="gh-navigation-actions"><a href="#/portal/signin" data-portal="signin">Sign in</a><a class="gh-button" href="#/portal/signup">Subscribe</a></div></div></header>
<main class="gh-main"><article class="gh-article post tag-signals"><header class="gh-article-header gh-canvas"><a class="gh-article-tag" href="/tag/signals/">Signals</a><gold><h1 class="gh-article-title is-title">The night train that nobody cancelled</h1><p class="gh-article-excerpt is-body">A timetable error kept one sleeper alive for eleven years.</p></gold><div class="gh-article-meta"><div class="gh-article-author-image"><a href="/author/kit/"><img src="k.png"></a></div><h4 class="gh-article-author-name"><a href="/author/kit/">Kit Aldous</a></h4><div class="gh-article-meta-content"><time class="gh-article-meta-date">14 Sep 2025</time><span class="gh-article-meta-length"><span class="bull">—</span> 7 min read</span></div></div><figure class="gh-article-image"><img srcset="/s.jpg 300w"><figcaption>Photo by A. Porter / Unsplash</figcaption></figure></header>
<section class="gh-content gh-canvas is-body"><gold><p>In 2009 a clerk copied a table and left one row in it that should have gone. The row was a sleeper between two cities that no longer had a through platform.</p><p>Nobody noticed. Drivers were rostered, sheets were washed, and <a href="/x">a dozen passengers</a> a night paid for beds that the railway believed it did not sell.</p></gold>
<div class="kg-card kg-callout-card kg-callout-card-blue"><div class="kg-callout-emoji">💡</div><gold><div class="kg-callout-text">A sleeper needs about forty passengers to cover its cost.</div></gold></div>
<gold><h2 id="the-audit">The audit</h2><p>It came to light when an auditor asked why a depot in the north bought so many pillowcases. The answer took her six weeks.</p></gold>
<figure class="kg-card kg-bookmark-card"><a class="kg-bookmark-container" href="/old"><div class="kg-bookmark-content"><div class="kg-bookmark-title">A short history of the couchette</div><div class="kg-bookmark-description">Six bunks, one ladder, and a window that will not shut.</div><div class="kg-bookmark-metadata"><span class="kg-bookmark-author">Plain Rails</span><span class="kg-bookmark-publisher">Kit Aldous</span></div></div></a></figure>
<div class="kg-card kg-toggle-card" data-kg-toggle-state="close"><gold><div class="kg-toggle-heading"><h4 class="kg-toggle-heading-text">Which cities were they?</h4></div><div class="kg-toggle-content"><p>The railway has asked me not to say, and the crew would like to keep their pillowcases.</p></div></gold></div>
<div class="kg-card kg-signup-card kg-width-wide" data-lexical-signup-form><div class="kg-signup-card-content"><h2 class="kg-signup-card-heading">Sign up for Plain Rails</h2><p class="kg-signup-card-subheading">One letter a fortnight about trains that run late for interesting reasons.</p><form class="kg-signup-card-form"><input type="email"><button><span>Subscribe</span></button></form><p class="kg-signup-card-disclaimer">No spam. Unsubscribe anytime.</p></div></div>
<gold><p>In the end the sleeper was kept, this time on purpose. It runs four nights a week, it loses a little money, and the row in the table now has a name beside it.</p></gold>
<aside class="gh-post-upgrade-cta"><div class="gh-post-upgrade-cta-content"><h2>This post is for paying subscribers only</h2><a class="gh-btn" data-portal="signup" href="#/portal/signup">Subscribe now</a><p><small>Already have an account? <a data-portal="signin">Sign in</a></small></p></div></aside></section></article>
<div class="gh-comments gh-read-more gh-canvas"><h3 class="gh-comments-title">Member discussion</h3><script defer src="/comments.js"></script></div></main>
<section class="gh-container is-grid"><div class="gh-container-inner"><h2 class="gh-container-title">Read more</h2><div class="gh-feed"><article class="gh-card"><a href="/1"><div class="gh-card-wrapper"><h3 class="gh-card-title is-title">Why the 8:14 waits for the 8:09</h3><p class="gh-card-excerpt is-body">Connections are promises, and some are older than the stations.</p><footer class="gh-card-meta"><time>2 Sep 2025</time></footer></div></a></article><article class="gh-card"><a href="/2"><div class="gh-card-wrapper"><h3 class="gh-card-title is-title">A crossing with two keepers</h3><p class="gh-card-excerpt is-body">They have never met, although they share a kettle.</p></div></a></article></div></div></section>
<footer class="gh-footer"><div class="gh-footer-bar"><span>Plain Rails</span><nav><ul><li><a href="#">Sign up</a></li></ul></nav><div>Powered by <a href="https://ghost.org/">Ghost</a></div></div></footer></div>"""
    return _html(
        "en",
        "The night train that nobody cancelled",
        "",
        body,
        'class="post-template tag-signals has-sans-title"',
    )


def _mediawiki() -> str:
    body = """<a class="mw-jump-link" href="#bodyContent">Jump to content</a><div class="vector-header-container"><header class="vector-header mw-header"><div class="vector-header-start"><nav class="vector-main-menu-landmark"><div class="vector-menu-heading">Navigation</div><ul class="vector-menu-content-list"><li><a href="/m"><span>Main page</span></a></li><li><a href="/c"><span>Contents</span></a></li><li><a href="/r"><span>Random article</span></a></li></ul></nav></div><div class="vector-header-end"><div class="vector-search-box"><form><input placeholder="Search"></form></div><nav class="vector-user-links"><ul><li><a href="/d">Donate</a></li><li><a href="/l">Log in</a></li></ul></nav></div></header></div>
<div class="mw-page-container"><div class="vector-column-start"><nav id="mw-panel-toc"><div id="vector-toc"><div class="vector-pinnable-header-label">Contents</div><button>move to sidebar</button><ul class="vector-toc-contents"><li><a href="#"><div class="vector-toc-text">(Top)</div></a></li><li><a href="#History"><div class="vector-toc-text"><span class="vector-toc-numb">1</span><span>History</span></div></a></li><li><a href="#Design"><div class="vector-toc-text"><span class="vector-toc-numb">2</span><span>Design</span></div></a></li></ul></div></nav></div>
<div class="mw-content-container"><main id="content" class="mw-body"><header class="mw-body-header vector-page-titlebar"><gold><h1 id="firstHeading" class="firstHeading mw-first-heading"><span class="mw-page-title-main">Harrow Weir</span></h1></gold><div id="p-lang-btn"><label>4 languages</label><ul><li><a lang="de" href="#">Deutsch</a></li><li><a lang="fr" href="#">Français</a></li></ul></div></header><div class="vector-page-toolbar"><ul><li><a href="#">Article</a></li><li><a href="#">Talk</a></li><li><a href="#">Read</a></li><li><a href="#">Edit</a></li><li><a href="#">View history</a></li></ul></div>
<div id="bodyContent" class="vector-body"><div id="siteSub" class="noprint">From Wikipedia, the free encyclopedia</div><div id="contentSub"><div id="mw-content-subtitle"></div></div><div id="mw-content-text" class="mw-body-content"><div class="mw-content-ltr mw-parser-output" lang="en" dir="ltr"><div class="shortdescription nomobile noexcerpt noprint searchaux" style="display:none">Weir in the north of the county</div><div role="note" class="hatnote navigation-not-searchable">For the village, see <a href="/h">Harrow Weir (village)</a>.</div>
<table class="infobox"><tbody><gold><tr><th colspan="2" class="infobox-above">Harrow Weir</th></tr><tr><th scope="row" class="infobox-label">Opened</th><td class="infobox-data">1797</td></tr><tr><th scope="row" class="infobox-label">Height</th><td class="infobox-data">2.4 metres</td></tr></gold></tbody></table>
<gold><p><b>Harrow Weir</b> is a stone weir on the river Ember, built in 1797 to feed a mill that was never finished.<sup id="cite_ref-1" class="reference"><a href="#cite_note-1"><span class="cite-bracket">[</span>1<span class="cite-bracket">]</span></a></sup> It is the oldest weir in the county that still holds back water.</p></gold><meta property="mw:PageProp/toc">
<div class="mw-heading mw-heading2"><gold><h2 id="History">History</h2></gold><span class="mw-editsection"><span class="mw-editsection-bracket">[</span><a href="#"><span>edit</span></a><span class="mw-editsection-bracket">]</span></span></div>
<gold><p>The mill was planned by two brothers, of whom the younger died before the wheel arrived. The elder sold the wheel to a tannery and kept the weir, from which he took eels.</p><p>A flood in 1863 broke the eastern end. It was repaired in brick, and the change of colour can be seen when the water is low.</p></gold>
<figure typeof="mw:File/Thumb"><a href="#"><img src="w.jpg"></a><figcaption><gold>The weir from the west bank</gold></figcaption></figure>
<div class="mw-heading mw-heading2"><gold><h2 id="Design">Design</h2></gold><span class="mw-editsection"><span class="mw-editsection-bracket">[</span><a href="#">edit</a><span class="mw-editsection-bracket">]</span></span></div>
<gold><table class="wikitable sortable"><tbody><tr><th>Part</th><th>Material</th></tr><tr><td>Crest</td><td>Gritstone</td></tr><tr><td>Eastern end</td><td>Brick</td></tr></tbody></table><ul><li>The crest is straight and 31 metres long.</li><li>A fish pass was added in 1994.</li></ul></gold>
<div class="mw-heading mw-heading2"><h2 id="References">References</h2><span class="mw-editsection">[<a href="#">edit</a>]</span></div><div class="reflist"><ol class="references"><li id="cite_note-1"><span class="mw-cite-backlink"><b><a href="#cite_ref-1">^</a></b></span> <span class="reference-text"><cite>Dale, R. (1931). Waters of the North. p. 44.</cite></span></li></ol></div>
<div role="navigation" class="navbox"><table class="nowraplinks navbox-inner"><tbody><tr><th class="navbox-title"><a href="#">Weirs of the Ember</a></th></tr><tr><td class="navbox-list"><ul><li><a href="#">Lower Tann</a></li><li><a href="#">Oxbow</a></li><li><a href="#">Saint Anne's</a></li></ul></td></tr></tbody></table></div></div><div class="printfooter" data-nosnippet="">Retrieved from "<a href="#">https://en.example.org/w/index.php?title=Harrow_Weir&amp;oldid=1</a>"</div></div><div id="catlinks" class="catlinks"><div class="mw-normal-catlinks"><a href="#">Categories</a>: <ul><li><a href="#">Weirs in the north</a></li><li><a href="#">1797 establishments</a></li></ul></div></div></div></main></div></div>
<footer id="footer" class="mw-footer"><ul id="footer-info"><li>This page was last edited on 3 May 2025, at 10:12 (UTC).</li><li>Text is available under the Creative Commons Attribution-ShareAlike 4.0 License; additional terms may apply.</li></ul><ul id="footer-places"><li><a href="#">Privacy policy</a></li><li><a href="#">Disclaimers</a></li></ul></footer>"""
    return _html(
        "en",
        "Harrow Weir - Wikipedia",
        "",
        body,
        'class="skin-vector-2022 mediawiki ltr ns-0 ns-subject"',
    )


def _docusaurus() -> str:
    body = """<div role="region" aria-label="Skip to main content"><a class="skipToContent_fXgn" href="#__docusaurus_skipToContent_fallback">Skip to main content</a></div><nav aria-label="Main" class="navbar navbar--fixed-top"><div class="navbar__inner"><a class="navbar__brand" href="/"><b class="navbar__title">Tidewater</b></a><a class="navbar__item navbar__link" href="/docs">Docs</a><a class="navbar__item navbar__link" href="/blog">Blog</a><button class="DocSearch DocSearch-Button"><span class="DocSearch-Button-Placeholder">Search</span></button></div></nav>
<div class="main-wrapper"><div class="docsWrapper_hBAB"><button aria-label="Scroll back to top" class="clean-btn theme-back-to-top-button"></button><div class="docRoot_UBD9"><aside class="theme-doc-sidebar-container docSidebarContainer_YfHR"><nav aria-label="Docs sidebar" class="menu thin-scrollbar"><ul class="theme-doc-sidebar-menu menu__list"><li class="menu__list-item"><a class="menu__link" href="/docs/intro">Introduction</a></li><li class="menu__list-item"><a class="menu__link menu__link--active" href="/docs/queues">Queues</a></li><li class="menu__list-item"><a class="menu__link" href="/docs/workers">Workers</a></li></ul></nav></aside>
<main class="docMainContainer_TBSr"><div class="container padding-top--md"><div class="row"><div class="col docItemCol_VOVn"><div class="docItemContainer_Djhp"><article><nav class="theme-doc-breadcrumbs" aria-label="Breadcrumbs"><ul class="breadcrumbs"><li class="breadcrumbs__item"><a href="/">Home</a></li><li class="breadcrumbs__item"><span class="breadcrumbs__link">Queues</span></li></ul></nav><span class="theme-doc-version-badge badge badge--secondary">Version: 3.2</span><div class="tocCollapsible_ETCw theme-doc-toc-mobile"><button>On this page</button></div>
<div class="theme-doc-markdown markdown"><gold><header><h1>Queues</h1></header>
<p>A queue holds jobs until a worker asks for one. Jobs leave it in the order in which they came, unless they have a priority.</p></gold>
<gold><h2 class="anchor anchorWithStickyNavbar_LWe7" id="create">Create a queue<a href="#create" class="hash-link" aria-label="Direct link to Create a queue" title="Direct link to Create a queue">\u200b</a></h2><p>Call <code>createQueue</code> once at start. It returns the same queue when it is called again with the same name.</p></gold>
<div class="theme-tabs-container tabs-container tabList__CuJ"><ul role="tablist" class="tabs"><li role="tab" class="tabs__item tabs__item--active">npm</li><li role="tab" class="tabs__item">Yarn</li></ul><div class="margin-top--md"><div role="tabpanel" class="tabItem_Ymn6"><div class="language-bash codeBlockContainer_Ckt0 theme-code-block"><div class="codeBlockContent_biex"><gold><pre tabindex="0" class="prism-code language-bash"><code class="codeBlockLines_e6Vv"><span class="token-line"><span class="token plain">npm install tidewater</span></span></code></pre></gold><div class="buttonGroup__atx"><button type="button" aria-label="Copy code to clipboard" title="Copy" class="clean-btn">Copy</button></div></div></div></div></div></div>
<div class="theme-admonition theme-admonition-warning admonition_xJq3 alert alert--warning"><gold><div class="admonitionHeading_Gvgb">warning</div><div class="admonitionContent_BuS1"><p>A queue without a limit can fill the memory of its host. Set <code>maxLength</code> in production.</p></div></gold></div>
<gold><h2 class="anchor" id="options">Options<a href="#options" class="hash-link" aria-label="Direct link to Options">\u200b</a></h2><table><thead><tr><th>Name</th><th>Default</th><th>Meaning</th></tr></thead><tbody><tr><td><code>maxLength</code></td><td>none</td><td>Jobs that may wait</td></tr><tr><td><code>retries</code></td><td>3</td><td>Attempts before a job is set aside</td></tr></tbody></table>
<details class="details_lb9f alert alert--info"><summary>Why three retries?</summary><div><p>Most faults that heal at all have healed by the third attempt, as a year of our own logs shows.</p></div></details></gold></div>
<footer class="theme-doc-footer docusaurus-mt-lg"><div class="row margin-top--sm theme-doc-footer-edit-meta-row"><div class="col"><a href="https://github.com/x" class="theme-edit-this-page">Edit this page</a></div><div class="col lastUpdated_JAkA"><span class="theme-last-updated">Last updated on <b><time>Jun 2, 2025</time></b> by <b>kim</b></span></div></div></footer></article><nav class="pagination-nav docusaurus-mt-lg" aria-label="Docs pages"><a class="pagination-nav__link pagination-nav__link--prev" href="/docs/intro"><div class="pagination-nav__sublabel">Previous</div><div class="pagination-nav__label">Introduction</div></a><a class="pagination-nav__link pagination-nav__link--next" href="/docs/workers"><div class="pagination-nav__sublabel">Next</div><div class="pagination-nav__label">Workers</div></a></nav></div></div><div class="col col--3"><div class="tableOfContents_bqdL thin-scrollbar theme-doc-toc-desktop"><ul class="table-of-contents"><li><a href="#create" class="table-of-contents__link">Create a queue</a></li><li><a href="#options" class="table-of-contents__link">Options</a></li></ul></div></div></div></div></main></div></div></div>
<footer class="theme-layout-footer footer footer--dark"><div class="footer__col"><div class="footer__title">Community</div><ul><li><a href="#">Stack Overflow</a></li><li><a href="#">Discord</a></li></ul></div><div class="footer__copyright">Copyright © 2025 Tidewater, Inc. Built with Docusaurus.</div></footer>"""
    return _html("en", "Queues | Tidewater", "", body, 'class="navigation-with-keyboard"')


def _sphinx_reference() -> str:
    body = """<div class="wy-grid-for-nav"><nav data-toggle="wy-nav-shift" class="wy-nav-side"><div class="wy-side-scroll"><div class="wy-side-nav-search"><a href="index.html" class="icon icon-home">ledgerkit</a><div class="version">2.1</div><div role="search"><form id="rtd-search-form"><input type="text" placeholder="Search docs"></form></div></div><div class="wy-menu wy-menu-vertical" role="navigation" aria-label="Navigation menu"><p class="caption" role="heading"><span class="caption-text">User guide</span></p><ul><li class="toctree-l1"><a href="install.html">Installation</a></li><li class="toctree-l1 current"><a class="current" href="#">Reference</a><ul><li class="toctree-l2"><a href="#ledgerkit.Book">Book</a></li></ul></li></ul></div></div></nav>
<section data-toggle="wy-nav-shift" class="wy-nav-content-wrap"><nav class="wy-nav-top" aria-label="Mobile navigation menu"><i class="fa fa-bars"></i><a href="index.html">ledgerkit</a></nav><div class="wy-nav-content"><div class="rst-content"><div role="navigation" aria-label="Page navigation"><ul class="wy-breadcrumbs"><li><a href="index.html" class="icon icon-home"></a></li><li class="breadcrumb-item active">Reference</li><li class="wy-breadcrumbs-aside"><a href="_sources/api.rst.txt" rel="nofollow"> View page source</a></li></ul><hr></div>
<div role="main" class="document" itemscope><div itemprop="articleBody"><section id="reference"><gold><h1>Reference<a class="headerlink" href="#reference" title="Link to this heading"></a></h1></gold>
<dl class="py class"><gold><dt class="sig sig-object py" id="ledgerkit.Book"><em class="property"><span class="k"><span class="pre">class</span></span><span class="w"> </span></em><span class="sig-prename descclassname"><span class="pre">ledgerkit.</span></span><span class="sig-name descname"><span class="pre">Book</span></span><span class="sig-paren">(</span><em class="sig-param"><span class="n"><span class="pre">path</span></span></em><span class="sig-paren">)</span></dt></gold><a class="reference internal" href="_modules/ledgerkit.html#Book"><span class="viewcode-link"><span class="pre">[source]</span></span></a><dd><gold><p>A ledger that is kept in one file. The file is locked while the book is open.</p></gold>
<dl class="py method"><gold><dt class="sig sig-object py" id="ledgerkit.Book.post"><span class="sig-name descname"><span class="pre">post</span></span><span class="sig-paren">(</span><em class="sig-param"><span class="pre">entry</span></em><span class="sig-paren">)</span></dt></gold><dd><gold><p>Add an entry, and return its number. Entries are never changed afterwards.</p><dl class="field-list simple"><dt class="field-odd">Parameters<span class="colon">:</span></dt><dd class="field-odd"><p><strong>entry</strong> – what is booked; its sides must balance.</p></dd><dt class="field-even">Raises<span class="colon">:</span></dt><dd class="field-even"><p><strong>Unbalanced</strong> – if they do not.</p></dd></dl></gold></dd></dl>
<div class="admonition note"><gold><p class="admonition-title">Note</p><p>Closing a book twice does nothing.</p></gold></div>
<div class="highlight-python3 notranslate"><div class="highlight"><gold><pre><span></span><span class="gp">&gt;&gt;&gt; </span><span class="n">book</span> <span class="o">=</span> <span class="n">Book</span><span class="p">(</span><span class="s2">"2024.ledger"</span><span class="p">)</span></pre></gold></div></div></dd></dl>
<section id="errors"><gold><h2>Errors<a class="headerlink" href="#errors" title="Link to this heading"></a></h2><p>All errors derive from <code class="docutils literal notranslate"><span class="pre">LedgerError</span></code>, so that one clause catches them.</p></gold></section></section></div></div>
<footer><div class="rst-footer-buttons" role="navigation" aria-label="Footer"><a href="install.html" class="btn btn-neutral float-left" title="Installation">Previous</a><a href="faq.html" class="btn btn-neutral float-right">Next</a></div><hr><div role="contentinfo"><p>&#169; Copyright 2024, The ledgerkit authors.</p></div>Built with <a href="#">Sphinx</a> using a <a href="#">theme</a> provided by <a href="#">Read the Docs</a>.</footer></div></div></section></div><div class="rst-versions" role="note"><span class="rst-current-version">v: stable</span><div class="rst-other-versions"><dl><dt>Versions</dt><dd><a href="#">latest</a></dd><dd><a href="#">stable</a></dd></dl><dl><dt>Downloads</dt><dd><a href="#">PDF</a></dd></dl></div></div>"""
    return _html(
        "en", "Reference — ledgerkit 2.1 documentation", "", body, 'class="wy-body-for-nav"'
    )


def _shopify_product() -> str:
    head = """<script type="application/ld+json">{"@context":"http://schema.org/","@type":"Product","name":"Field Notebook, dotted","description":"A pocket notebook with 64 pages of dotted paper.","offers":{"@type":"Offer","price":"12.00","priceCurrency":"EUR"}}</script>"""
    cards = "".join(
        f'<li class="grid__item"><div class="card-wrapper product-card-wrapper"><div class="card__content"><h3 class="card__heading"><a href="/p/{n}" class="full-unstyled-link">{name}</a></h3><div class="price"><span class="visually-hidden">Regular price</span><span class="price-item price-item--regular">€{9 + n},00 EUR</span></div></div></div></li>'
        for n, name in enumerate(
            ("Brass pencil clip", "Waxed canvas cover", "Refill, lined", "Travel eraser")
        )
    )
    reviews = "".join(
        f'<div class="jdgm-rev"><div class="jdgm-rev__header"><span class="jdgm-rev__author">{who}</span><span>0{n}/11/2024</span></div><div class="jdgm-rev__content"><b class="jdgm-rev__title">{title}</b><div class="jdgm-rev__body"><p>{text}</p></div></div></div>'
        for n, (who, title, text) in enumerate(
            (
                ("Ana", "Lovely", "It fits my jacket and the paper takes ink well."),
                ("Piet", "Thin", "I expected more pages for the money, honestly."),
                ("Sol", "Third one", "Nothing else survives a summer of fieldwork in my pocket."),
            ),
            2,
        )
    )
    body = f"""<a class="skip-to-content-link button visually-hidden" href="#MainContent">Skip to content</a><div id="shopify-section-announcement-bar"><div class="announcement-bar"><p class="announcement-bar__message h5">Free shipping on orders over €50</p></div></div><div id="shopify-section-header"><header class="header"><a href="/" class="header__heading-link">Marsh &amp; Moor</a><nav class="header__inline-menu"><ul class="list-menu"><li><a href="/n">Notebooks</a></li><li><a href="/p">Pens</a></li><li><a href="/s">Sale</a></li></ul></nav></header></div><cart-drawer class="drawer"><div class="drawer__inner"><h2 class="cart__empty-text">Your cart is empty</h2><a href="/all" class="button">Continue shopping</a><p class="cart__login-title h3">Have an account?</p><p class="cart__login-paragraph"><a href="/login">Log in</a> to check out faster.</p></div></cart-drawer>
<main id="MainContent" class="content-for-layout"><section id="shopify-section-template--1__main" class="section"><div class="product product--large grid"><div class="grid__item product__media-wrapper"><media-gallery><ul class="product__media-list"><li><button>Open media 1 in modal</button><img src="1.jpg" alt="Field Notebook"></li></ul></media-gallery></div>
<div class="product__info-wrapper grid__item"><div class="product__info-container"><p class="product__text caption-with-letter-spacing">Marsh &amp; Moor</p><div class="product__title"><gold><h1>Field Notebook, dotted</h1></gold><a href="/products/f" class="product__title"><h2 class="h1">Field Notebook, dotted</h2></a></div><div id="price-template" class="no-js-hidden"><div class="price price--large"><span class="visually-hidden">Regular price</span><span class="price-item"><gold>€12,00 EUR</gold></span></div></div><div class="product__tax caption rte">Tax included. <a href="/shipping">Shipping</a> calculated at checkout.</div><fieldset class="product-form__input"><legend class="form__label">Color</legend><input type="radio"><label>Moss</label><input type="radio"><label>Slate</label></fieldset><div class="product-form__quantity"><label class="quantity__label">Quantity</label><button>Decrease quantity for Field Notebook</button></div><product-form><form><button type="submit" class="product-form__submit"><span>Add to cart</span></button></form></product-form>
<div class="product__description rte quick-add-hidden"><gold><p>A notebook for the pocket that you actually use. Sixty-four pages of dotted paper are sewn, not glued, so it opens flat on a knee or a rock.</p><p>The cover is made from recycled coffee cups, which keeps light rain out and a coffee ring looking at home.</p><ul><li>9 × 14 cm, 90 g/m² paper</li><li>Rounded corners</li><li>Made in Portugal</li></ul></gold></div>
<div class="product__accordion accordion"><details><summary><gold><h2 class="h4 accordion__title">Materials</h2></gold></summary><div class="accordion__content rte"><gold><p>Paper from managed forests, linen thread, and water-based ink.</p></gold></div></details></div><div class="product__accordion accordion"><details><summary><gold><h2 class="h4 accordion__title">Dimensions</h2></gold></summary><div class="accordion__content rte"><gold><table><tbody><tr><td>Closed</td><td>90 × 140 × 6 mm</td></tr><tr><td>Weight</td><td>58 g</td></tr></tbody></table></gold></div></details></div><share-button><button class="share-button__button">Share</button></share-button></div></div></div></section>
<section class="section"><div class="jdgm-widget jdgm-review-widget"><h2 class="jdgm-rev-widg__title">Customer Reviews</h2><div>Based on 3 reviews</div>{reviews}</div></section><section class="section"><product-recommendations class="related-products"><h2 class="related-products__heading">You may also like</h2><ul class="grid product-grid">{cards}</ul></product-recommendations></section></main>
<footer class="footer"><div class="footer-block--newsletter"><h2 class="footer-block__heading">Subscribe to our emails</h2><form><input placeholder="Email"></form></div><small class="copyright__content">&copy; 2025, Marsh &amp; Moor</small><small>Powered by Shopify</small></footer>"""
    return _html("en", "Field Notebook, dotted – Marsh &amp; Moor", head, body, 'class="gradient"')


def _discourse() -> str:
    said = (
        (
            "hanna",
            "My sourdough comes out flat since I moved to the coast. Same flour, same oven, same schedule. The only thing that changed is the air, which is wet enough to wring out.",
        ),
        (
            "bram",
            "Humidity changes how much water the flour already holds. Weigh a cup of it: mine is about three percent heavier here than it was inland, so I take that much off the water.",
        ),
        (
            "hanna",
            "That is about what I find, thank you. I will hold back twenty grams this weekend and report.",
        ),
        (
            "oskar",
            "Also look at the temperature of the dough rather than the clock. Mine is done an hour earlier in August, and waiting for the book's four hours gave me pancakes.",
        ),
        (
            "hanna",
            "Reporting back: twenty grams less, and out at three hours. It is the best loaf since the move, with a spring that lifted the lid.",
        ),
    )
    posts = "".join(
        f'<div id="post_{n}" itemprop="comment" itemscope itemtype="http://schema.org/Comment" class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator" itemprop="author"><a itemprop="url" rel="nofollow" href="/u/{who}"><span itemprop="name">{who}</span></a></span><span class="crawler-post-infos"><time itemprop="datePublished" class="post-time">March {n}, 2024,  {n}:1{n}pm</time><meta itemprop="dateModified"><span itemprop="position">{n}</span></span></div><div class="post" itemprop="text"><gold><p>{text}</p></gold></div><div itemprop="interactionStatistic" itemscope><meta itemprop="interactionType"><span class="post-likes">{n} Likes</span></div></div>'
        for n, (who, text) in enumerate(said, 1)
    )
    topics = "".join(
        f'<tr class="topic-list-item"><td class="main-link" itemprop="itemListElement"><meta itemprop="position" content="{n}"><span class="link-top-line"><a itemprop="url" href="/t/{n}" class="title raw-link raw-topic-link">{title}</a></span><div class="link-bottom-line"><a href="/c/bread" class="badge-wrapper bullet"><span class="badge-category-bg"></span><span class="badge-category clear-badge"><span class="category-name">Bread</span></span></a></div></td><td class="replies"><span class="posts">{n * 3}</span></td><td class="views"><span class="views">{n * 211}</span></td><td>March {n}, 2024</td></tr>'
        for n, title in enumerate(
            (
                "Rye that does not crumble",
                "Dutch oven or stone?",
                "My starter smells of pears",
                "Which flour travels well",
            ),
            1,
        )
    )
    body = f"""<noscript data-path="/t/flat-sourdough/81"><header class="d-header"><div class="wrap"><div class="contents"><div class="title"><a href="/">The Crumb</a></div></div></div></header><div id="main-outlet" class="wrap" role="main"><div id="topic-title"><gold><h1><a href="/t/flat-sourdough/81">Flat sourdough at the coast</a></h1></gold><div class="topic-category" itemscope><span itemprop="itemListElement"><a href="/c/bread" class="badge-wrapper bullet" itemprop="item"><span class="badge-category"><span class="category-name" itemprop="name">Bread</span></span></a></span></div><div class="topic-category"><div class="discourse-tags list-tags"><a href="/tag/sourdough" class="discourse-tag" rel="tag">sourdough</a></div></div></div><div itemscope itemtype="http://schema.org/DiscussionForumPosting"><meta itemprop="headline" content="Flat sourdough at the coast">{posts}</div><div id="related-topics" class="more-topics__list"><h3 class="more-topics__list-title">Related topics</h3><div class="topic-list-container"><table class="topic-list"><thead><tr><th>Topic</th><th></th><th class="replies">Replies</th><th class="views">Views</th><th>Activity</th></tr></thead><tbody>{topics}</tbody></table></div></div></div><footer class="container wrap"><nav class="crawler-nav"><ul><li><a href="/">Home</a></li><li><a href="/categories">Categories</a></li><li><a href="/guidelines">Guidelines</a></li><li><a href="/tos">Terms of Service</a></li></ul></nav><p class="powered-by-link">Powered by <a href="https://www.discourse.org">Discourse</a>, best viewed with JavaScript enabled</p></footer></noscript><div id="d-splash" style="display:none"></div>"""
    return _html(
        "en", "Flat sourdough at the coast - Bread - The Crumb", "", body, 'class="crawler"'
    )


def _phpbb() -> str:
    said = (
        (
            "Tinker",
            "The second channel of my amplifier hums as soon as the tuner is plugged in. I swapped the cables and the hum stayed on the same side.",
        ),
        (
            "Old Valve",
            "Sounds like a ground loop through the aerial. Pull the aerial plug while it hums. If it stops, you need an isolator, and those cost next to nothing.",
        ),
        (
            "Tinker",
            "It stopped at once. I had been looking at capacitors for a week, so you have saved me an evening with the soldering iron.",
        ),
        (
            "Maren",
            "For the next reader: a cable that is connected at one end only does the same as an isolator, but write that on it, or you will curse yourself later.",
        ),
    )
    posts = "".join(
        f'<div id="p{n}" class="post has-profile {"bg2" if n % 2 else "bg1"}"><div class="inner"><dl class="postprofile" id="profile{n}"><dt class="has-profile-rank no-avatar"><div class="avatar-container"></div><a href="/u{n}" class="username">{who}</a></dt><dd class="profile-rank">Senior member</dd><dd class="profile-posts"><strong>Posts:</strong> <a href="#">{n * 97}</a></dd><dd class="profile-joined"><strong>Joined:</strong> Sat Oct 0{n}, 2011 8:12 pm</dd><dd class="profile-custom-field profile-phpbb_location"><strong>Location:</strong> Upstairs</dd></dl><div class="postbody"><div id="post_content{n}"><h3 {"class=first" if n == 1 else ""}><a href="#p{n}">{"" if n == 1 else "Re: "}Hum on one channel</a></h3><ul class="post-buttons"><li><a href="#" title="Reply with quote" class="button button-icon-only"><span>Quote</span></a></li></ul><p class="author"><a class="unread" href="#p{n}" title="Post"><span class="sr-only">Post</span></a><span class="responsive-hide">by <strong><a href="/u{n}" class="username">{who}</a></strong> &raquo; </span><time>Tue Jan 0{n}, 2018 9:3{n} am</time></p><div class="content"><gold>{text}</gold></div><div id="sig{n}" class="signature">{"Measure twice, smoke once." if n % 2 else "Rega, Quad, and a dog that dislikes both"}</div></div></div><div class="back2top"><a href="#top" class="top" title="Top"><span class="sr-only">Top</span></a></div></div></div><hr class="divider">'
        for n, (who, text) in enumerate(said, 1)
    )
    body = f"""<div id="wrap" class="wrap"><a id="top" class="top-anchor"></a><div id="page-header"><div class="headerbar" role="banner"><div class="inner"><div id="site-description" class="site-description"><a id="logo" class="logo" href="/"></a><h1>Attic Hi-Fi</h1><p>Old sound, kept alive</p><p class="skiplink"><a href="#start_here">Skip to content</a></p></div></div></div><div class="navbar" role="navigation"><div class="inner"><ul id="nav-main" class="nav-main linklist"><li><a href="/faq"><span>FAQ</span></a></li><li class="rightside"><a href="/register"><span>Register</span></a></li></ul><ul id="nav-breadcrumbs" class="nav-breadcrumbs linklist navlinks"><li class="breadcrumbs"><span class="crumb"><a href="/"><span>Board index</span></a></span><span class="crumb"><a href="/f2"><span>Faults</span></a></span></li></ul></div></div></div>
<a id="start_here" class="anchor"></a><div id="page-body" class="page-body" role="main"><gold><h2 class="topic-title"><a href="/t1">Hum on one channel</a></h2></gold><div class="action-bar bar-top"><a href="/reply" class="button" title="Post a reply"><span>Post Reply</span></a><div class="pagination">4 posts &bull; Page <strong>1</strong> of <strong>1</strong></div></div>{posts}<div class="action-bar actions-jump"><p class="jumpbox-return"><a href="/f2" class="left-box arrow-left"><span>Return to &ldquo;Faults&rdquo;</span></a></p><div class="jumpbox"><span>Jump to</span><ul><li><a href="/f1">News</a></li><li><a href="/f2">&#8627; Faults</a></li><li><a href="/f3">&#8627; For sale</a></li></ul></div></div><div class="stat-block online-list"><h3>Who is online</h3><p>Users browsing this forum: No registered users and 2 guests</p></div></div>
<div id="page-footer" class="page-footer"><div class="navbar"><ul class="linklist"><li><a href="/"><span>Board index</span></a></li><li class="rightside">All times are <span title="UTC">UTC</span></li><li class="rightside"><a href="/cookies">Delete cookies</a></li></ul></div><div class="copyright"><p class="footer-row"><span class="footer-copyright">Powered by <a href="#">phpBB</a>&reg; Forum Software &copy; phpBB Limited</span></p></div></div></div>"""
    return _html(
        "en-gb",
        "Hum on one channel - Attic Hi-Fi",
        "",
        body,
        'id="phpbb" class="nojs notouch section-viewtopic ltr"',
    )


def _old_board() -> str:
    """A board of 2003: every post is two rows of one table, the author in a cell beside the text."""
    said = (
        (
            "gearhead",
            "Has anybody put a taller fifth into the small gearbox? Mine screams at motorway speed and I would like to hear the radio again.",
        ),
        (
            "ratchet",
            "Yes, the one from the diesel fits, but you need its selector fork as well. Count the teeth before you pay: 43 is the one you want.",
        ),
        (
            "nine lives",
            "<b>ratchet wrote:</b><br>you need its selector fork as well<br><br>Only before 1988. The later boxes have the wide fork from the factory, so look at the date on the casing first.",
        ),
        (
            "gearhead",
            "It is a 1991, so I am lucky for once. The gear is ordered, and I will post the revolutions when it is in.",
        ),
    )
    posts = "".join(
        f'<tr><td width="150" align="left" valign="top" class="row{n % 2 + 1}"><span class="name"><a name="{n}"></a><b>{who}</b></span><br><span class="postdetails">Mechanic<br><br>Joined: 0{n} Mar 2003<br>Posts: {n * 41}<br>Location: under it</span></td><td class="row{n % 2 + 1}" width="100%" height="28" valign="top"><table width="100%" border="0" cellspacing="0" cellpadding="0"><tr><td width="100%"><a href="#{n}"><img src="icon.gif" width="12" height="9"></a><span class="postdetails">Posted: Thu Jun 0{n}, 2005 7:4{n} pm<span class="gen">&nbsp;</span>&nbsp; &nbsp;Post subject: Taller fifth gear</span></td><td valign="top" nowrap="nowrap"><a href="/quote"><img src="quote.gif" alt="Reply with quote"></a></td></tr><tr><td colspan="2"><hr></td></tr><tr><td colspan="2"><span class="postbody"><gold>{text}</gold></span><span class="gensmall"></span></td></tr></table></td></tr><tr><td class="row{n % 2 + 1}" align="left"><span class="nav"><a href="#top" class="nav">Back to top</a></span></td><td class="row{n % 2 + 1}" valign="bottom" nowrap="nowrap"><table><tr><td><a href="/p{n}"><img src="profile.gif" alt="View user\'s profile"></a> <a href="/pm{n}"><img src="pm.gif" alt="Send private message"></a></td></tr></table></td></tr><tr><td class="spaceRow" colspan="2" height="1"><img src="spacer.gif"></td></tr>'
        for n, (who, text) in enumerate(said, 1)
    )
    body = f"""<a name="top"></a><table width="100%" cellspacing="0" cellpadding="10" border="0" align="center"><tr><td class="bodyline"><table width="100%"><tr><td><a href="/"><img src="logo.gif" alt="Small Cars Forum Index"></a></td><td align="center" width="100%"><span class="maintitle">Small Cars</span><br><span class="gen">Nothing over 1.3 litres<br>&nbsp;</span><table><tr><td><span class="mainmenu"><a href="/faq">FAQ</a> <a href="/search">Search</a> <a href="/members">Memberlist</a> <a href="/register">Register</a> <a href="/login">Log in</a></span></td></tr></table></td></tr></table><br>
<table width="100%" cellspacing="2" cellpadding="2"><tr><td align="left" valign="bottom" colspan="2"><gold><a class="maintitle" href="/t9">Taller fifth gear</a></gold><br><span class="gensmall"><b></b><br>&nbsp;</span></td></tr></table><table width="100%"><tr><td align="left"><span class="nav"><a href="/post"><img src="post.gif" alt="Post new topic"></a></span></td><td align="left" width="100%"><span class="nav">&nbsp;&nbsp;&nbsp;<a href="/" class="nav">Small Cars Forum Index</a> -> <a href="/f1" class="nav">Gearboxes</a></span></td></tr></table>
<table class="forumline" width="100%" cellspacing="1" cellpadding="3" border="0"><tr align="right"><td class="catHead" colspan="2" height="28"><span class="nav"><a href="#" class="nav">View previous topic</a> :: <a href="#" class="nav">View next topic</a> &nbsp;</span></td></tr><tr><th class="thLeft" width="150" nowrap="nowrap">Author</th><th class="thRight" nowrap="nowrap">Message</th></tr>{posts}<tr align="center"><td class="catBottom" colspan="2" height="28"><form><span class="gensmall">Display posts from previous:&nbsp;<select><option>All Posts</option><option>1 Day</option></select>&nbsp;<select><option>Oldest First</option></select></span></form></td></tr></table>
<table width="100%"><tr><td align="left" valign="top"><span class="nav">Page <b>1</b> of <b>1</b></span></td><td align="right" valign="top"><span class="gensmall">All times are GMT</span></td></tr></table><table width="100%"><tr><td width="40%" valign="top"></td><td align="right" valign="top"><span class="gensmall">You <b>cannot</b> post new topics in this forum<br>You <b>cannot</b> reply to topics in this forum<br>You <b>cannot</b> edit your posts in this forum<br></span></td></tr></table><div align="center"><span class="copyright">Powered by <a href="#" class="copyright">phpBB</a> &copy; 2001, 2005 phpBB Group</span></div></td></tr></table>"""
    return (
        '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"><html dir="ltr"><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"><title>Small Cars :: View topic - Taller fifth gear</title></head><body bgcolor="#E5E5E5">'
        + body
        + "</body></html>"
    )


def _broadcaster() -> str:
    """A public broadcaster: classes that mean nothing, blocks for everything, bullet links amid the text."""

    def block(text: str, mark: str = "p") -> str:
        return f'<div data-component="text-block" class="ssrcss-uf6wea-RichTextComponentWrapper ep2nwvo0"><div class="ssrcss-7uxr49-RichTextContainer e5tfeyi1"><gold><{mark} class="ssrcss-1q0x1qg-Paragraph eq5iqo00">{text}</{mark}></gold></div></div>'

    def more(*titles: str) -> str:
        items = "".join(
            f'<li class="ssrcss-1hlxxic-Item"><a href="/n/{n}" class="ssrcss-k17ofl-InlineLink">{t}</a></li>'
            for n, t in enumerate(titles)
        )
        return f'<div data-component="unordered-list-block" class="ssrcss-uf6wea-RichTextComponentWrapper"><div class="ssrcss-7uxr49-RichTextContainer"><ul role="list" class="ssrcss-1q2ulu-Stack">{items}</ul></div></div>'

    promos = "".join(
        f'<li><div data-testid="promo" class="ssrcss-tq7xfh-PromoContent"><a href="/p{n}" class="ssrcss-PromoLink"><p class="ssrcss-1sen9vx-PromoHeadline"><span role="text">{t}</span></p></a><ul class="ssrcss-MetadataStripContainer"><li><span>Published</span><span>{n} hours ago</span></li></ul></div></li>'
        for n, t in enumerate(
            (
                "Seal found on a golf course",
                "What the new bus fares mean for you",
                "Choir of two hundred sings from balconies",
                "Listen: the last typewriter repairer",
            ),
            2,
        )
    )
    body = f"""<div id="root"><div class="ssrcss-9ltzik-GlobalNavigation"><a href="#main-heading">Skip to content</a><nav><ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li><li><a href="/sport">Sport</a></li><li><a href="/weather">Weather</a></li></ul></nav></div><main id="main-content" data-testid="main-content"><article class="ssrcss-pv1rh6-ArticleWrapper"><header class="ssrcss-1eqcsb1-HeadingWrapper"><gold><h1 id="main-heading" tabindex="-1" class="ssrcss-15xko80-StyledHeading">Island school reopens with one pupil</h1></gold><div class="ssrcss-m5j4pi-MetadataContent"><span>Published</span><time data-testid="timestamp" datetime="2024-08-20T05:14:49.000Z">20 August 2024</time></div><div class="ssrcss-bylineWrapper" data-testid="byline"><div class="TextContributorName">Fiona Rae</div><div>Reporter on the islands</div></div></header>
<div data-component="image-block" class="ssrcss-19mx76g-ComponentWrapper"><figure><div class="ssrcss-ab5fd8-StyledFigureContainer"><span><picture><img src="x.webp" loading="lazy"></picture></span><span role="text" class="ssrcss-3z08n3-CopyrightContainer"><span class="visually-hidden">Image source, </span>Getty Images</span></div><figcaption><span class="visually-hidden">Image caption, </span>The school stands beside the pier</figcaption></figure></div>
{block("<b>A primary school that was mothballed six years ago has opened again for a single five-year-old girl.</b>")}{block("The council had kept the roof on and the heating at eight degrees, in the hope that a family would move in.")}{block("Now one has. The girl's parents came in spring to run the shop, and her younger brother will follow her in two years.")}{more("Ferry cuts leave islanders stranded", "The island that wants a doctor")}{block("How lessons work", "h2")}{block("A teacher crosses on Monday morning and stays until Thursday. On Fridays the class joins another island by video, where there are four children.")}
<div data-component="links-block"><section><h2 class="ssrcss-LinksHeading">More on this story</h2><ul>{promos}</ul></section></div>{block("“She has asked for a goat,” the teacher said. “We are looking at the regulations.”")}{block("The school had 34 pupils in 1951, when the herring were still landed here, and a photograph of them hangs above the coat hooks.")}
<section data-component="topic-list" class="ssrcss-TopicList"><h2>Related Topics</h2><ul><li><a href="/t1">Schools</a></li><li><a href="/t2">Islands</a></li></ul></section></article><section data-component="links-block"><h2>Related internet links</h2><ul><li><a href="https://council.example">The council</a></li></ul><p>The broadcaster is not responsible for the content of external sites.</p></section></main><div data-component="mostRead"><h2>Most read</h2><ol>{promos}</ol></div><footer><ul><li><a href="/terms">Terms of Use</a></li><li><a href="/cookies">Cookies</a></li></ul><p>Copyright © 2024. Read about our approach to external linking.</p></footer></div>{_CONSENT}"""
    return _html("en-GB", "Island school reopens with one pupil", "", body)


def _newspaper_paywall() -> str:
    """A newspaper with promotions in the text, captions, and a wall that hides nothing from the source."""
    body = f"""<div id="fusion-app"><div class="wall-bottom-drawer paywall-overlay" data-qa="paywall" aria-modal="true" role="dialog"><p>Keep reading for $1 a week</p><p>Subscribers get unlimited access to every story, the puzzles and the archive. Cancel at any time.</p><button>View subscription options</button></div><header data-qa="sc-header"><button>Sections</button><a href="/subscribe">Subscribe</a><a href="/signin">Sign in</a></header><main id="__main"><article data-qa="main"><header><a href="/climate" data-qa="kicker">Climate</a><gold><h1 data-qa="headline" id="main-content">The town that sold its snow</h1><h2 data-qa="subheadline">A ski village has found that its best crop is what melts.</h2></gold><div data-qa="lede-art"><figure><img src="1.jpg"><figcaption>The upper reservoir in April. (Dana Wolfe for The Ledger)</figcaption></figure></div><div data-qa="author-byline">By <a href="/people/p" data-qa="author-name">Pat Okafor</a></div><div data-qa="timestamp">March 9, 2025 at 6:00 a.m. EST</div><div data-qa="article-actions"><button>4 min</button><button>Share</button><button data-qa="comments-btn">312</button></div></header>
<div class="meteredContent grid-center"><div class="article-body" data-qa="article-body"><gold><p data-el="text">For sixty years the village prayed for snow and cursed the thaw. Since last spring it has done the opposite, and it has never been so well off.</p></gold></div><div class="article-body" data-qa="article-body"><gold><p data-el="text">The thaw fills a reservoir that was dug for snow cannons. Downstream, three towns with dry wells pay for every cubic metre of it.</p></gold></div>
<div class="inline-promo" data-qa="newsletter-inline"><div class="newsletter-title">Climate Coach newsletter</div><p>Advice for life on our changing planet, in your inbox every Tuesday and Thursday.</p><button>Sign up</button></div>
<div class="article-body" data-qa="article-body"><gold><p data-el="text">“We were in the wrong business,” says Ines Caron, who ran the lift company until she switched the lifts off. “People do not need to slide. They need to drink.”</p></gold></div><div data-qa="ad-wrap"><div>Advertisement</div><div>Story continues below advertisement</div></div><div class="article-body" data-qa="article-body"><gold><h3 data-qa="subhead">A price for meltwater</h3><p data-el="text">The contract runs for fifteen years. It sets a price that rises when less snow falls, so that the village gains from the very winters that ruined it.</p></gold></div><div class="article-body" data-qa="article-body"><gold><p data-el="text">Not everyone is pleased. Farmers below the dam say that the river used to come to them for nothing, and two of them have gone to court.</p></gold></div>
<div data-qa="interstitial"><p><a href="/x"><i>Read more: The last cannon on the glacier</i></a></p></div><div class="article-body" data-qa="article-body"><gold><p data-el="text">A ruling is expected in the autumn. Until then the water is sold, the lifts stand still, and the children ski for free on what is left.</p></gold></div></div></div><div data-qa="comments-summary"><h2>What readers are saying</h2><p>The comments express a mix of admiration for the village and worry about who owns rivers. Several readers compare it with disputes in the American West. This summary is AI-generated.</p></div><div data-qa="author-bio"><p>Pat Okafor is a reporter who writes about water and money. <a href="#">Follow on X</a></p></div></article></main><aside data-qa="right-rail"><h3>Most read</h3><ol><li><a href="/1">Ten recipes for a cold snap</a></li><li><a href="/2">The judge, the goat and the fence</a></li></ol></aside><footer><p>© 1996-2025 The Ledger</p><a href="/terms">Terms of Service</a></footer></div>{_CONSENT}"""
    return _html("en", "The town that sold its snow - The Ledger", "", body)


def _job_board() -> str:
    body = """<div id="wrapper"><div id="main" class="accessible"><div id="header"><div class="logo-container"><img alt="Quayside Logo" src="l.png"></div><gold><h1 class="app-title">Platform Engineer</h1></gold><span class="company-name">at Quayside</span><div class="location"><gold>Rotterdam or remote (EU)</gold></div><a id="apply_button" class="button" href="#app">Apply for this job</a></div>
<div id="content" class=""><gold><p><span style="font-weight: 400;">Quayside moves containers through eleven ports, and the software that decides which one moves next is ours. We are looking for an engineer who keeps it running while it changes.</span></p><p><strong>What you will do</strong></p><ul><li style="font-weight: 400;"><span style="font-weight: 400;">Own the deployment of forty services, most of them older than the team.</span></li><li><span>Halve the time between a merge and a running release, which is two hours today.</span></li></ul><p><strong>What you bring</strong></p><ul><li><span>Five years with Linux in production, and a story about the night it failed.</span></li><li><span>Go or Rust, and no fear of the other one.</span></li></ul><p><strong>What we offer</strong></p><p>EUR 75,000 to 92,000 a year, 28 days of holiday, and a bicycle. The harbour is loud, and the office is not.</p></gold></div>
<div id="app"><div id="application"><h2 class="heading">Apply for this job</h2><div class="required-flag"><span class="asterisk">*</span> Required</div><form id="application_form"><div class="field"><label>First Name <span class="asterisk">*</span></label><input></div><div class="field"><label>Last Name <span class="asterisk">*</span></label><input></div><div class="field"><label>Resume/CV</label><button>Attach</button><p class="help">Accepted file types: pdf, doc, docx, txt, rtf</p></div><div id="eeoc_fields"><h3>Voluntary self-identification</h3><p>For government reporting purposes, we ask candidates to respond to the below survey. Completion of the form is entirely voluntary. Whatever your decision, it will not be considered in the hiring process or thereafter.</p></div><input type="submit" value="Submit Application"></form></div></div></div><div id="footer"><div>Powered by <a href="#">Greenhouse</a>. Read our <a href="#">Privacy Policy</a></div></div></div>"""
    return _html("en", "Job Application for Platform Engineer at Quayside", "", body)


def _page_builder() -> str:
    """A company's page from a page builder: twelve containers around each sentence, numbers, quotes, forms."""

    def widget(kind: str, content: str) -> str:
        return f'<div class="elementor-element elementor-element-7a1 elementor-widget elementor-widget-{kind}" data-id="7a1" data-element_type="widget"><div class="elementor-widget-container">{content}</div></div>'

    def section(*widgets: str) -> str:
        return f'<section class="elementor-section elementor-top-section"><div class="elementor-container elementor-column-gap-default"><div class="elementor-column elementor-col-100"><div class="elementor-widget-wrap elementor-element-populated">{"".join(widgets)}</div></div></div></section>'

    def box(title: str, text: str) -> str:
        return widget(
            "icon-box",
            f'<div class="elementor-icon-box-wrapper"><div class="elementor-icon-box-icon"><span class="elementor-icon"><i class="fas fa-leaf"></i></span></div><div class="elementor-icon-box-content"><gold><h3 class="elementor-icon-box-title"><span>{title}</span></h3><p class="elementor-icon-box-description">{text}</p></gold></div></div>',
        )

    parts = (
        section(
            widget(
                "heading",
                '<gold><h1 class="elementor-heading-title elementor-size-default">We fix what others fill with concrete</h1></gold>',
            ),
            widget(
                "text-editor",
                "<gold><p>Stonehouse &amp; Reed repairs river banks with willow, stone and patience. We have done so since 1988, on forty rivers in three countries.</p></gold>",
            ),
            widget(
                "button",
                '<div class="elementor-button-wrapper"><a class="elementor-button" href="#c"><span class="elementor-button-text">Get a quote</span></a></div>',
            ),
        ),
        section(
            widget(
                "heading", '<gold><h2 class="elementor-heading-title">What we value</h2></gold>'
            ),
            box(
                "Honesty",
                "If a bank needs nothing, we say so and go home. It happens about once a month.",
            ),
            box(
                "Roots",
                "Living material grows stronger every year, while concrete is at its best on the day it is poured.",
            ),
            box(
                "Neighbours",
                "Every job begins with a walk along the water together with those who live there.",
            ),
        ),
        section(
            widget(
                "heading", '<gold><h2 class="elementor-heading-title">Where we work</h2></gold>'
            ),
            widget(
                "text-editor",
                "<gold><p>Our yards are in Hexham, Ghent and Aarhus. Each of them keeps its own willow beds, so that nothing travels far.</p></gold>",
            ),
            widget(
                "image-gallery",
                '<div class="gallery"><a href="1.jpg"><img src="1.jpg" alt="bank"></a></div>',
            ),
        ),
        section(
            widget(
                "form",
                '<form class="elementor-form"><div class="elementor-field-group"><label>Your name</label><input></div><div class="elementor-field-group"><label>Tell us about your river</label><textarea></textarea></div><button type="submit"><span>Send</span></button></form>',
            )
        ),
    )
    body = f"""<header class="elementor elementor-location-header"><div class="elementor-widget-nav-menu"><ul class="elementor-nav-menu"><li><a href="/" class="elementor-item">Home</a></li><li><a href="/work" class="elementor-item">Our work</a></li><li><a href="/team" class="elementor-item">Team</a></li></ul></div></header><div data-elementor-type="wp-page" class="elementor elementor-12">{"".join(parts)}</div><footer class="elementor elementor-location-footer"><div class="elementor-widget-text-editor"><p>Stonehouse &amp; Reed Ltd, company number 0221, The Old Yard, Hexham</p></div><ul class="elementor-icon-list-items"><li><a href="/privacy"><span class="elementor-icon-list-text">Privacy</span></a></li></ul></footer><div id="cookie-law-info-bar" role="alertdialog"><p>This website uses cookies to improve your experience. We'll assume you're ok with this, but you can opt-out if you wish.</p><a role="button">ACCEPT</a></div>"""
    return _html(
        "en",
        "Stonehouse &amp; Reed",
        "",
        body,
        'class="page-template elementor-default elementor-page"',
    )


CMS = tuple(
    _page(name, html())
    for name, html in (
        ("wordpress_blocks", _wordpress_blocks),
        ("magazine_theme", _magazine_theme),
        ("ghost_members", _ghost_members),
        ("mediawiki", _mediawiki),
        ("docusaurus", _docusaurus),
        ("sphinx_reference", _sphinx_reference),
        ("shopify_product", _shopify_product),
        ("discourse", _discourse),
        ("phpbb", _phpbb),
        ("old_board", _old_board),
        ("broadcaster", _broadcaster),
        ("newspaper_paywall", _newspaper_paywall),
        ("job_board", _job_board),
        ("page_builder", _page_builder),
    )
)
"""Pages and what of them counts."""
