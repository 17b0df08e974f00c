# ruff: noqa: E501, RUF001 - pages as they are written
"""Pages as the web at large has them: old markup, comments longer than the text, boxes in its middle.

Written before anybody looked at how the rules read them, with the same marks as `extraction_pages`. Their
sentences come from a small stock, so that what is measured is the shape of a page and not its words.
"""

import json
from dataclasses import replace

from tests.extraction_pages import GoldPage, _page
from tests.page_words import (
    AR,
    ASIDES,
    DE,
    EN,
    FR,
    JA,
    KO,
    REMARKS,
    RU,
    ZH,
    html,
    links,
    paragraphs,
)

_MEGAMENU = "".join(
    f'<div class="col"><h4>{head}</h4><ul>{links(ASIDES[n : n + 3])}</ul></div>'
    for n, head in enumerate(("News", "Sport", "Culture", "Business"))
)
_LEGAL = "<div class='ft'><p>The Harbour Gazette is published by Gazette Media Ltd, registered in the county court under number 4711. Reproduction of any part of this site without written permission is prohibited.</p><p>All times are local. Prices include VAT where it applies.</p></div>"


def _news_story_body() -> str:
    """A large newspaper of 2012: boxes within the text, and more comments than text."""
    share = '<ul class="story-tools"><li><a href="#">Facebook</a></li><li><a href="#">Twitter</a></li><li><a href="#">Email</a></li><li><a href="#">Print</a></li></ul>'
    remarks = "".join(
        f'<li class="comment"><div class="cmt-user"><a href="/u/{n}">reader{n}</a> <span>{n} hours ago</span></div><div class="cmt-text"><p>{text}</p></div><a href="#">Reply</a> <a href="#">Report abuse</a></li>'
        for n, text in enumerate(REMARKS)
    )
    body = f"""
<div id="masthead"><a href="/">The Harbour Gazette</a>{_MEGAMENU}</div>
<div id="main-content"><div class="layout-block-a"><div class="story-body"><gold><h1 class="story-header">Towpath reopens after nine years</h1></gold>
<span class="story-date">12 March 2012 <span class="time">Last updated at 09:14</span></span>{share}
<div class="caption full-width"><img src="/i/1.jpg" alt="The canal"><span>The lock was drained twice during the works</span></div>
<gold>{paragraphs(EN, 0, 2)}</gold>
<div class="story-feature related narrow"><a class="hidden" href="#story_continues_1">Continue reading the main story</a><h2>Related Stories</h2><ul class="related-links-list">{links(ASIDES[:3])}</ul></div>
<gold><p id="story_continues_1">{EN[4]}</p>{paragraphs(EN, 5, 2, 1)}<span class="cross-head">Clear water</span>{paragraphs(EN, 8, 3)}</gold>
<div class="ad"><span>Advertisement</span></div>
<gold>{paragraphs(EN, 14, 2)}</gold></div>
<div class="share-help"><h3>Share this page</h3>{share}</div>
<div id="comments"><h2>Comments ({len(REMARKS)})</h2><p>This entry is now closed for comments. All posts are moderated and must obey the house rules.</p><ul>{remarks}</ul></div></div>
<div class="layout-block-b"><div class="top-stories"><h2>Top Stories</h2><ul>{links(ASIDES)}</ul></div><div class="features"><h2>Features &amp; Analysis</h2><ul>{links(ASIDES[2:7])}</ul></div></div></div>
<div id="foot">{_LEGAL}</div>"""
    return html("en-GB", "The Harbour Gazette - Towpath reopens after nine years", body)


def _news_br_divs() -> str:
    """A local paper of 2008: one div, line breaks for paragraphs, font tags."""
    text = "<br><br>\n".join(" ".join(EN[n : n + 2]) for n in range(0, 12, 2))
    body = f"""
<table width="900" cellpadding="0"><tr><td colspan="3"><a href="/"><img src="logo.gif"></a> <a href="/sport">Sport</a> | <a href="/weather">Weather</a> | <a href="/jobs">Jobs</a> | <a href="/cars">Cars</a></td></tr>
<tr><td width="150" valign="top"><font size="1">{links(ASIDES[:6], "div")}</font></td>
<td width="550" valign="top"><gold><font size="5"><b>Canal path opens again</b></font></gold><br><font size="1">By Staff Reporter, March 12, 2008</font><br>
<div class="bodytext"><gold>{text}</gold></div><br><font size="1"><a href="/print">Print this story</a> <a href="/mail">Mail to a friend</a></font></td>
<td width="200" valign="top"><b>Most read</b><br>{links(ASIDES[3:], "div")}</td></tr>
<tr><td colspan="3" align="center"><font size="1">Copyright 2008 The Valley Messenger. All rights reserved. <a href="/about">About us</a></font></td></tr></table>"""
    return html("en", "Canal path opens again - The Valley Messenger", body)


def _news_amp() -> str:
    body = f"""
<header class="hd"><a href="/">Courier</a><button on="tap:side.toggle">Menu</button></header><amp-sidebar id="side" layout="nodisplay"><ul>{links(ASIDES)}</ul></amp-sidebar>
<main><article><gold><h1>Towpath reopens after nine years</h1><p class="standfirst">{EN[0]}</p></gold>
<div class="meta"><span>By Jo Brand</span> <time>Mon 12 Mar 2018</time></div><amp-social-share type="twitter"></amp-social-share><amp-social-share type="email"></amp-social-share>
<figure><amp-img src="a.jpg" width="1" height="1"></amp-img><figcaption>The eastern lock on Monday. Photograph: Courier</figcaption></figure>
<gold>{paragraphs(EN, 1, 3)}</gold><amp-ad width="300" height="250" type="x"><div placeholder>Advertisement</div></amp-ad><gold>{paragraphs(EN, 7, 4)}</gold></article>
<section class="onward"><h2>More from Courier</h2><amp-list><ul>{links(ASIDES[1:])}</ul></amp-list></section></main>
<footer><p>© 2018 Courier News &amp; Media Limited or its affiliated companies.</p></footer>"""
    return html("en", "Towpath reopens | Courier", body, more=" amp")


_TOLD = " ".join(EN[:14])


def _news_json_ld() -> str:
    """What a reader sees is drawn by scripts; the text stands in the description for machines."""
    node = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": "Towpath reopens",
        "articleBody": _TOLD,
        "author": {"@type": "Person", "name": "Jo Brand"},
    }
    head = f'<script type="application/ld+json">{json.dumps(node)}</script>'
    body = f"""<div id="app-shell"><header><nav><ul>{links(ASIDES[:5])}</ul></nav></header><div class="story" data-id="77"><h1>Towpath reopens</h1><div class="skeleton"><div class="line"></div></div></div>
<footer><p>© Courier 2024. Terms and conditions apply.</p></footer></div><script src="/bundle.js"></script>"""
    return html("en", "Towpath reopens", body, head)


def _news_hashed_classes() -> str:
    """A server-rendered app: nothing is called by a name, boxes stand between paragraphs."""
    part = [
        f'<div class="css-s99gbd StoryBodyCompanionColumn"><div class="css-53u6y8">{paragraphs(EN, n, 2, 2, "<p class=css-at9mc1>")}</div><aside class="css-ew4tgv" aria-label="companion column"></aside></div>'
        for n in (0, 4, 8)
    ]
    body = f"""<div id="app"><div class="css-1tsvksc"><a class="css-777zgl" href="#after-top">Skip to content</a><header class="css-yzm2xo">{_MEGAMENU}</header><main id="site-content"><div><article id="story" class="css-1vxca1d">
<header class="css-q9rzx6"><gold><h1 class="css-1n0orw4"><span>A path, a weir and a ledger</span></h1><p id="article-summary" class="css-w6ymp8">{EN[15]}</p></gold><div class="css-79elbk"><figure><figcaption class="css-1g9ic6e"><span>The ledger of 1911.</span><span>Credit...Ann Lee for The Tribune</span></figcaption></figure></div><div class="css-vp77d3"><p class="css-1baulvz">By <a href="/by/x">Noor Haddad</a></p><time>Sept. 3, 2023</time></div></header>
<section name="articleBody" class="css-1r7ky0e"><gold>{part[0]}</gold><div><div id="NYT_MAIN_CONTENT_1_REGION" class="css-9tf9ac"><section class="css-1r31v2n"><h3>More on rivers</h3><ul>{links(ASIDES[:4])}</ul></section></div></div><gold>{part[1]}</gold>
<div class="css-1ixq9p4"><p>Sign up for the Morning Letter.</p><p>Make sense of the day's news and ideas. Get it sent to your inbox.</p><button>Sign up</button></div><gold>{part[2]}</gold></section>
<div class="css-1lwuzse"><p>Noor Haddad is a correspondent who covers inland waterways. She has lived on a barge for most of her life. <a href="/by/x">More about Noor Haddad</a></p></div></article></div>
<section class="css-z9cw67"><h2>Our Coverage</h2>{"".join(f"<div><h3><a href='/x/{n}'>{t}</a></h3><p>{t}, and what it means for those who live beside it.</p></div>" for n, t in enumerate(ASIDES))}</section></main><footer class="css-1e1s8k7">{_LEGAL}</footer></div></div>"""
    return html("en", "A path, a weir and a ledger - The Tribune", body)


def _news_flash() -> str:
    """Two sentences of text among a thousand words of everything else."""
    teasers = "".join(
        f'<div class="teaser"><h3><a href="/n/{n}">{title}</a></h3><p>{EN[(n + 9) % 20]} <a href="/n/{n}">Read more</a></p></div>'
        for n, title in enumerate(ASIDES)
    )
    body = f"""<div class="topbar">{_MEGAMENU}</div><div class="wrapper"><div class="column-main"><div class="article-single"><gold><h1>Ferry cancelled</h1><p>{EN[7]}</p><p>The evening ferry is cancelled today because of fog.</p></gold><div class="published">Published 14:02</div></div>
<div class="also"><h2>You may also like</h2>{teasers}</div></div></div><footer>{_LEGAL}</footer>"""
    return html("en", "Ferry cancelled", body)


def _live_blog() -> str:
    entries = "".join(
        f'<div class="block" id="block-{n}"><p class="block-time"><time>{14 - n}.0{n} GMT</time></p><h2 class="block-title">{ASIDES[n]}</h2><div class="block-elements"><p>{EN[2 * n]}</p><p>{EN[2 * n + 1]}</p></div></div>'
        for n in range(7)
    )
    body = f"""<header><nav><ul>{links(ASIDES[:4])}</ul></nav></header><main><article class="liveblog"><gold><h1>The opening of the canal, as it happened</h1><p class="standfirst">{EN[13]}</p><div class="live-blog-body">{entries}</div></gold></article></main><aside><h3>Most viewed</h3><ol>{links(ASIDES)}</ol></aside><footer>{_LEGAL}</footer>"""
    return html("en", "The opening of the canal, as it happened", body)


def _blog_wordpress() -> str:
    remarks = "".join(
        f'<li class="comment even depth-1" id="comment-{n}"><article class="comment-body"><footer class="comment-meta"><b class="fn">Reader {n}</b> <span class="says">says:</span><div class="comment-metadata"><a href="#">March {n + 3}, 2019 at 10:1{n} am</a></div></footer><div class="comment-content"><p>{text}</p></div><div class="reply"><a href="#">Reply</a></div></article></li>'
        for n, text in enumerate(REMARKS)
    )
    body = f"""<div id="page" class="hfeed site"><header id="masthead" class="site-header"><p class="site-title"><a href="/">Lock Keeper's Notes</a></p><p class="site-description">Water, mostly</p><nav id="site-navigation" class="main-navigation"><ul>{links(("About", "Archive", "Contact"))}</ul></nav></header>
<div id="content" class="site-content"><div id="primary" class="content-area"><main id="main" class="site-main"><article id="post-812" class="post-812 post type-post status-publish hentry category-canals tag-weirs"><header class="entry-header"><gold><h1 class="entry-title">What nine years of repairs taught us</h1></gold><div class="entry-meta"><span class="posted-on">Posted on <a href="#">March 2, 2019</a></span><span class="byline"> by <a href="#">keeper</a></span></div></header>
<div class="entry-content"><gold>{paragraphs(EN, 0, 2)}<h2>The lining</h2>{paragraphs(EN, 4, 2)}<blockquote><p>{EN[16]}</p></blockquote></gold>
<div class="mc4wp-form newsletter-box"><h4>Never miss a post</h4><p>Enter your address and get every new post by mail. No spam, promised, and you can leave at any time.</p><form><input type="email"><input type="submit" value="Sign me up"></form></div>
<gold><h2>The fish</h2>{paragraphs(EN, 8, 2)}<ul><li>{EN[12]}</li><li>{EN[13]}</li></ul>{paragraphs(EN, 18, 1)}</gold>
<div class="sharedaddy sd-sharing-enabled"><div class="robots-nocontent sd-block sd-social"><h3 class="sd-title">Share this:</h3><ul><li><a href="#">Click to share on Twitter (Opens in new window)</a></li><li><a href="#">Click to share on Facebook (Opens in new window)</a></li></ul></div></div><div class="sharedaddy sd-block sd-like"><h3 class="sd-title">Like this:</h3><span>Like</span> <span>Loading...</span></div>
<div id="jp-relatedposts" class="jp-relatedposts"><h3 class="jp-relatedposts-headline"><em>Related</em></h3><div><p><a href="#">{ASIDES[2]}</a></p><p>In "Walks"</p></div></div></div>
<footer class="entry-footer"><span class="cat-links">Posted in <a href="#">Canals</a></span><span class="tags-links">Tagged <a href="#">weirs</a>, <a href="#">bricks</a></span></footer></article>
<div class="author-info"><h2>About the author</h2><p>The keeper has kept locks since 1988 and writes about them when it rains. He lives with two dogs and too many maps.</p></div>
<nav class="post-navigation"><div><a href="#">Previous: {ASIDES[0]}</a></div><div><a href="#">Next: {ASIDES[1]}</a></div></nav>
<div id="comments" class="comments-area"><h2 class="comments-title">10 thoughts on “What nine years of repairs taught us”</h2><ol class="comment-list">{remarks}</ol><div id="respond" class="comment-respond"><h3>Leave a Reply</h3><form><p class="comment-notes">Your email address will not be published. Required fields are marked *</p></form></div></div></main></div>
<div id="secondary" class="widget-area"><aside class="widget widget_recent_entries"><h2>Recent Posts</h2><ul>{links(ASIDES)}</ul></aside><aside class="widget widget_archive"><h2>Archives</h2><ul>{links(("March 2019", "February 2019", "January 2019"))}</ul></aside></div></div>
<footer id="colophon" class="site-footer"><div class="site-info"><a href="#">Proudly powered by WordPress</a></div></footer></div>"""
    return html("en-US", "What nine years of repairs taught us – Lock Keeper's Notes", body)


def _blog_old() -> str:
    """A blog of 2009: text straight in a div, two breaks for a paragraph, pictures in divs."""
    picture = '<div class="separator" style="clear: both; text-align: center;"><a href="b.jpg"><img src="b.jpg" border="0" /></a></div>'
    text = f"<br /><br />{picture}<br />".join(
        f"{EN[n]} {EN[n + 1]}<br /><br />{EN[n + 2]}" for n in (0, 4, 8, 12)
    )
    body = f"""<div id="outer-wrapper"><div id="header-wrapper"><h1 class="title"><a href="/">Mud and bricks</a></h1><p class="description">A diary of the canal</p></div><div id="content-wrapper"><div id="main-wrapper"><div class="blog-posts hfeed"><h2 class="date-header">Sunday, March 8, 2009</h2><div class="post hentry"><gold><h3 class="post-title entry-title">At the lock again</h3></gold>
<div class="post-body entry-content"><gold>{text}</gold><div style="clear: both;"></div></div><div class="post-footer">Posted by <span class="fn">Ada</span> at <a href="#">9:14 PM</a> <span class="post-labels">Labels: <a href="#">mud</a>, <a href="#">bricks</a></span></div></div></div>
<div class="comments" id="comments"><h4>2 comments:</h4><dl id="comments-block"><dt>Tom said...</dt><dd class="comment-body"><p>{REMARKS[0]}</p></dd><dt>Kim said...</dt><dd class="comment-body"><p>{REMARKS[5]}</p></dd></dl></div></div>
<div id="sidebar-wrapper"><div class="widget BlogArchive"><h2>Blog Archive</h2><ul>{links(("March (4)", "February (2)", "January (7)"))}</ul></div><div class="widget Profile"><h2>About Me</h2><p>I walk, I dig, I write. Mostly in that order, and mostly in the rain.</p></div></div></div></div>"""
    return html("en", "Mud and bricks: At the lock again", body)


def _forum_board() -> str:
    posts = "".join(
        f'<div id="p{n}" class="post has-profile bg{n % 2 + 1}"><div class="inner"><dl class="postprofile"><dt><a href="#" class="username">rower{n}</a></dt><dd class="profile-rank">Senior Member</dd><dd class="profile-posts"><strong>Posts:</strong> {n * 91 + 7}</dd><dd class="profile-joined"><strong>Joined:</strong> Tue Jan 0{n + 1}, 2013 8:05 pm</dd></dl><div class="postbody"><h3><a href="#p{n}">Re: Speed limit on the basin</a></h3><p class="author">by <strong>rower{n}</strong> » Mon Feb 0{n + 1}, 2016 9:4{n} am</p><div class="content"><gold>{text}<br><br>{EN[(2 * n + 5) % 20]}</gold></div><div class="signature">Life is short, row long. My boat: a clinker of 1961.</div></div></div></div>'
        for n, text in enumerate(REMARKS[:7])
    )
    body = f"""<div id="wrap"><div id="page-header"><a href="/">Rowers' board</a><ul class="linklist"><li><a href="#">FAQ</a></li><li><a href="#">Register</a></li><li><a href="#">Login</a></li></ul><p>It is currently Mon Feb 15, 2016 10:00 am</p></div>
<div id="page-body"><gold><h2 class="topic-title"><a href="#">Speed limit on the basin</a></h2></gold><div class="action-bar"><a href="#">Post Reply</a> <span>7 posts • Page 1 of 1</span></div>{posts}<div class="jumpbox-return"><a href="#">Return to “General”</a></div><div class="stat-block online-list"><h3>Who is online</h3><p>Users browsing this forum: No registered users and 2 guests</p></div></div><div id="page-footer">Powered by phpBB® Forum Software © phpBB Limited</div></div>"""
    return html("en", "Speed limit on the basin - Rowers' board", body)


def _discussion_tables() -> str:
    """A thread in nested tables, with text in bare spans."""
    remarks = "".join(
        f'<tr class="athing comtr"><td><table border="0"><tr><td class="ind" indent="{n % 3}"><img src="s.gif" height="1" width="{40 * (n % 3)}"></td><td valign="top" class="votelinks"><center><a href="#"><div class="votearrow" title="upvote"></div></a></center></td><td class="default"><div style="margin-top:2px"><span class="comhead"><a href="#" class="hnuser">user{n}</a> <span class="age"><a href="#">{n} hours ago</a></span></span></div><br><div class="comment"><div class="commtext c00"><gold>{text}<p>{EN[n + 4]}</p></gold></div><div class="reply"><p><font size="1"><u><a href="#">reply</a></u></font></p></div></div></td></tr></table></td></tr>'
        for n, text in enumerate(REMARKS)
    )
    body = f"""<center><table id="hnmain" border="0" width="85%"><tr><td bgcolor="#ff6600"><a href="/">Water News</a> <a href="/new">new</a> | <a href="/past">past</a> | <a href="/comments">comments</a> | <a href="/ask">ask</a></td></tr><tr><td><table class="fatitem"><tr class="athing"><td class="title"><gold><a href="https://x.example/">The ledger that volunteers kept for a century</a></gold> <span class="sitebit">(x.example)</span></td></tr><tr><td class="subtext">214 points by user3 7 hours ago | hide | 10 comments</td></tr></table><br><table class="comment-tree">{remarks}</table></td></tr><tr><td><center><a href="/guidelines">Guidelines</a> | <a href="/faq">FAQ</a> | <a href="/legal">Legal</a></center></td></tr></table></center>"""
    return html("en", "The ledger that volunteers kept for a century | Water News", body)


def _shop_product() -> str:
    reviews = "".join(
        f'<div class="review"><b>{n + 1} of 5</b><h4>{ASIDES[n]}</h4><p>{text}</p><span>Was this review helpful? <a href="#">Yes</a> <a href="#">No</a></span></div>'
        for n, text in enumerate(REMARKS[:4])
    )
    also = "".join(
        f'<div class="product-card"><a href="/p/{n}"><img src="x.jpg"><span>Boat hook {n}00</span></a><span class="price">$ {n}9.00</span><button>Add to cart</button></div>'
        for n in range(1, 7)
    )
    body = f"""<header><a href="/">Chandlery</a><form><input name="q"></form><a href="/cart">Cart (0)</a><nav><ul>{links(("Ropes", "Anchors", "Clothing", "Sale"))}</ul></nav></header><ol class="breadcrumb"><li><a href="/">Home</a></li><li><a href="/ropes">Ropes</a></li></ol>
<div class="product-page" itemscope itemtype="https://schema.org/Product"><div class="gallery"><img src="1.jpg"><img src="2.jpg"></div><div class="product-info"><gold><h1 itemprop="name">Mooring line, three-strand, 14 mm</h1></gold><div class="rating">4.6 (128 reviews)</div><div class="price">$ 38.50</div><select><option>10 m</option><option>20 m</option></select><button>Add to cart</button><p class="delivery">Free returns within 30 days. Order before 3 pm and it leaves the same day.</p></div>
<div class="tabs"><div class="tab-pane" id="description" itemprop="description"><gold><h2>Description</h2><p>This line is spun from polyester that was stretched before it was laid, so it gives a little under load and comes back without creeping.</p><p>The ends are whipped and sealed by hand. It stays soft after a winter outside, which cheaper lines do not, and it can be spliced with nothing but a fid.</p><h3>Features</h3><ul><li>Does not float, so no propeller catches it</li><li>Breaking load of 3,900 kg</li><li>Colour does not run on white decks</li></ul></gold></div>
<div class="tab-pane" id="specs"><gold><h2>Specifications</h2><table><tr><th>Material</th><td>Polyester</td></tr><tr><th>Diameter</th><td>14 mm</td></tr><tr><th>Weight</th><td>142 g per metre</td></tr><tr><th>Made in</th><td>Portugal</td></tr></table></gold></div></div></div>
<section class="reviews"><h2>Customer reviews</h2>{reviews}</section><section class="also-bought"><h2>Customers also bought</h2>{also}</section><footer>{_LEGAL}<ul>{links(("Shipping", "Returns", "Jobs"))}</ul></footer>"""
    return html("en", "Mooring line, three-strand, 14 mm | Chandlery", body)


def _recipe_blog() -> str:
    body = f"""<header class="site-header"><a href="/">Galley Bread</a><nav><ul>{links(("Recipes", "About", "Shop"))}</ul></nav></header><main class="content"><article class="entry"><header><gold><h1>Soda bread for a small oven</h1></gold><p class="entry-meta"><time>June 4, 2021</time> by Ines · <a href="#comments">3 Comments</a></p></header><a class="jump" href="#recipe">Jump to Recipe</a> <a href="#">Print Recipe</a><p class="disclosure">This post may contain affiliate links. Read my disclosure policy.</p>
<gold><p>The oven on our boat holds one loaf, and it burns whatever touches its left wall. This bread forgives it. It needs no yeast, no patience and no scales.</p><p>I learned it from the keeper of the eastern lock, who bakes it every morning before the first barge and gives the crust to his dogs.</p><h2>Why it works</h2><p>Buttermilk is sour enough to wake the soda at once. So the dough must not wait: mix it, shape it and put it in.</p></gold>
<div class="pinterest-block"><p>Love this? Pin it for later!</p></div>
<div id="recipe" class="wprm-recipe-container"><div class="wprm-recipe"><gold><h2 class="wprm-recipe-name">Soda bread</h2><div class="wprm-recipe-times">Prep Time 10 minutes, Cook Time 40 minutes, Servings 8</div><h3>Ingredients</h3><ul><li>450 g plain flour</li><li>1 teaspoon soda</li><li>1 teaspoon salt</li><li>400 ml buttermilk</li></ul><h3>Instructions</h3><ol><li>Heat the oven to 220 degrees.</li><li>Mix what is dry, pour in the buttermilk and stir with one hand until it just holds together.</li><li>Cut a deep cross into the loaf and bake it for forty minutes, until it sounds hollow.</li></ol></gold></div></div></article>
<section id="comments" class="entry-comments"><h3>Comments</h3><ol><li><p class="comment-author">Rae says</p><p>{REMARKS[2]}</p></li><li><p class="comment-author">Lou says</p><p>I made this with oats and it was gone in an hour. Five stars from the whole crew.</p></li></ol></section></main><aside class="sidebar"><h4>Welcome aboard!</h4><p>I am Ines, and I cook in two square metres.</p></aside><footer><p>© 2021 Galley Bread · Privacy Policy</p></footer>"""
    return html("en", "Soda bread for a small oven - Galley Bread", body)


def _list_of_links() -> str:
    """Links are the content: each with a word about it."""
    made = "".join(
        f"<h2>{head}</h2><ul>"
        + "".join(
            f'<li><a href="https://{name}.example/">{name.title()} register</a> – {EN[n].split(",")[0]}.</li>'
            for n, name in enumerate(names, start)
        )
        + "</ul>"
        for start, head, names in (
            (0, "Water levels", ("amber", "birch", "cedar", "damson")),
            (4, "Old maps", ("elm", "fir", "gorse")),
            (7, "Photographs", ("hazel", "ivy", "juniper")),
        )
    )
    body = f"""<nav><ul>{links(("Start", "Links", "Guestbook"))}</ul></nav><div id="content"><gold><h1>Links for canal walkers</h1><p>What I use myself, sorted by what one needs first. Dead ones are taken out every winter.</p>{made}</gold></div><footer><p>Last changed in January 2024. <a href="mailto:x@example.org">Mail me</a></p></footer>"""
    return html("en", "Links for canal walkers", body)


def _layout_tables() -> str:
    """A page of 2001: everything is a table."""
    menu = "".join(
        f'<tr><td class="menu"><font face="Arial" size="2"><a href="p{n}.htm">{title}</a></font></td></tr>'
        for n, title in enumerate(ASIDES)
    )
    rows = "".join(
        f'<tr><td><font face="Times">{EN[n]} {EN[n + 1]}</font></td></tr><tr><td height="8"></td></tr>'
        for n in range(0, 14, 2)
    )
    body = f"""<table border="0" width="100%"><tr><td colspan="2" bgcolor="#000080"><font color="#ffffff" size="6">Society of Canal Friends</font></td></tr><tr><td width="160" valign="top"><table border="0">{menu}</table></td><td valign="top"><table border="0" width="100%"><tr><td><gold><font size="5"><b>The story of the towpath</b></font></gold></td></tr><gold>{rows}</gold><tr><td align="center"><a href="index.htm">Back to the index</a> | <a href="#top">Top of page</a></td></tr></table></td></tr><tr><td colspan="2"><font size="1">Best viewed with 800x600. You are visitor number 10482. Webmaster: friends@example.org</font></td></tr></table>"""
    return f"<html><head><title>The story of the towpath</title></head><body bgcolor='#ffffff'>{body}</body></html>"


def _docs_site() -> str:
    code = "<div class='codeBlock'><div><span>server.js</span><button>Copy</button></div><pre><code>const lock = open('east');\nawait lock.fill({ level: 4 });</code></pre></div>"
    body = f"""<nav class="navbar"><a href="/">Sluice</a><a href="/docs">Docs</a><a href="/blog">Blog</a><button>Search</button></nav><div class="main-wrapper"><aside class="theme-doc-sidebar"><ul class="menu__list">{links(("Introduction", "Installation", "Guides", "Locks", "Weirs", "API reference"))}</ul></aside><main><div class="row"><div class="col"><div class="docItem"><nav class="breadcrumbs"><ul><li><a href="/docs">Docs</a></li><li><span>Guides</span></li></ul></nav><div class="theme-doc-toc-mobile"><button>On this page</button></div><div class="markdown"><gold><header><h1>Filling a lock</h1></header><p>A lock is filled by opening it and asking for a level. The call returns once the water has settled.</p><h2 id="a">Before you begin<a class="hash-link" href="#a">#</a></h2><p>You need a key with the scope <code>locks:write</code>, and version 4 or later of the client.</p></gold>{code.replace("<pre>", "<gold><pre>").replace("</pre>", "</pre></gold>")}<gold><div class="admonition tip"><div class="admonition-heading"><h5>tip</h5></div><div><p>Ask for a level a little above the one you need: boats displace water.</p></div></div><h2 id="o">Options<a class="hash-link" href="#o">#</a></h2><table><thead><tr><th>Name</th><th>Type</th><th>What it does</th></tr></thead><tbody><tr><td>level</td><td>number</td><td>Metres above the sill</td></tr><tr><td>hurry</td><td>boolean</td><td>Open both paddles at once</td></tr></tbody></table><h2 id="e">Errors<a class="hash-link" href="#e">#</a></h2><p>When a gate is open the call fails with <code>GateOpen</code>, and nothing is moved.</p></gold></div><footer class="theme-doc-footer"><a href="#">Edit this page</a><span>Last updated on Mar 3, 2024 by ada</span></footer><nav class="pagination-nav"><a href="#"><div>Previous</div><div>Installation</div></a><a href="#"><div>Next</div><div>Weirs</div></a></nav></div></div><div class="col col--3"><ul class="table-of-contents">{links(("Before you begin", "Options", "Errors"))}</ul></div></div></main></div><footer class="footer"><div>Community Discord Forum</div><div>Copyright © 2024 Sluice.</div></footer>"""
    return html("en", "Filling a lock | Sluice", body)


def _interview() -> str:
    turns = "".join(
        f"<p><strong>{question}</strong></p><p>{EN[n]} {EN[n + 1]}</p>"
        for n, question in (
            (0, "Why did it take nine years?"),
            (4, "And who was against it?"),
            (8, "What of the fish?"),
            (13, "May anyone see the ledger?"),
        )
    )
    body = f"""<header id="top"><a href="/">Quay Magazine</a><nav><ul>{links(("Culture", "Science", "Food"))}</ul></nav></header><div class="container"><div class="content-header"><gold><h1>“We replaced eleven metres”</h1><p class="lede">{EN[15]}</p></gold><div class="byline">Words by Ola Berg. Photographs by Lin Wei.</div></div><div class="body-copy"><gold>{turns.replace("<p><strong>What", '</gold><aside class="pullquote"><p>In the end we replaced eleven metres.</p></aside><gold><p><strong>What')}</gold><div class="inline-promo"><span>Read next</span><h4><a href="/n">{ASIDES[4]}</a></h4></div></div><div class="tags"><a href="#">water</a><a href="#">bricks</a></div><div class="bio"><p>Ola Berg writes for Quay about everything that floats.</p></div></div><div class="grid-more">{links(ASIDES, "div")}</div><footer>{_LEGAL}</footer>"""
    return html("en", "“We replaced eleven metres” | Quay Magazine", body)


def _listicle() -> str:
    made = "".join(
        f'<h2>{n + 1}. {title}</h2><figure><img src="{n}.jpg"><figcaption>Image credit: Quay</figcaption></figure><gold><p>{EN[2 * n]} {EN[2 * n + 1]}</p></gold><p><a class="button" href="https://shop.example/?ref=quay">Check price</a></p>'.replace(
            "<h2>", "<gold><h2>"
        ).replace("</h2>", "</h2></gold>")
        for n, title in enumerate(ASIDES)
    )
    body = f"""<div class="site"><div class="navigation">{_MEGAMENU}</div><div class="post"><gold><h1>Eight things to see along the canal</h1><p>{EN[19]}</p></gold><div class="social-icons"><a href="#">f</a><a href="#">t</a><a href="#">p</a></div>{made}<div class="outro-newsletter"><h3>Get Quay in your inbox</h3><p>Once a week, never more. Join forty thousand readers who walk.</p></div></div><div class="rail"><h3>Trending</h3>{links(ASIDES[2:])}</div><div class="bottom">{_LEGAL}</div></div>"""
    return html("en", "Eight things to see along the canal", body)


def _mailing_list() -> str:
    text = "\n\n".join(f"{EN[n][:70]}\n{EN[n][70:]}" for n in range(8))
    body = f"""<h1>[weirs] Silt in the basin</h1><b>Ada Keeper</b> <a href="mailto:x">ada at example.org</a><br><i>Tue Mar 3 10:14:22 2015</i><ul><li>Previous message: <a href="1.html">[weirs] Meeting</a></li><li>Next message: <a href="3.html">[weirs] Silt in the basin</a></li></ul><hr><gold><pre>{text}</pre></gold><hr><a href="list.html">More information about the weirs mailing list</a>"""
    return html("en", "[weirs] Silt in the basin", body)


def _foreign(lang: str, bank: tuple[str, ...], words: tuple[str, ...], more: str = "") -> str:
    """A newspaper of another country: consent, a box within the text, a newsletter, comments."""
    title, read_also, newsletter, accept, comments, most_read, rights = words
    count = len(bank)
    also = "".join(f'<li><a href="/{n}">{bank[(n + 3) % count][:42]}</a></li>' for n in range(4))
    body = f"""<div id="cmp-layer"><div><h2>{accept}</h2><p>{accept}. {newsletter}. {accept}.</p><button>{accept}</button></div></div><div class="page"><div class="page__header"><ul>{also}</ul></div><div class="page__content"><div class="article-page"><gold><h1 class="headline">{title}</h1></gold><div class="article-page__meta">12.03.2021, 09:14</div><div class="article-page__body"><gold>{paragraphs(bank, 0, 2)}</gold><div class="opt-in-box"><strong>{newsletter}</strong><p>{accept}</p></div><gold>{paragraphs(bank, 4, 1)}</gold><div class="box box--links"><h3>{read_also}</h3><ul>{also}</ul></div><gold>{paragraphs(bank, 6, count - 6, 1)}</gold></div></div><div class="reader-voices"><h3>{comments}</h3><div><b>user1</b><p>{bank[2]} {comments}!</p></div><div><b>user2</b><p>{comments}? {bank[3]}</p></div></div></div><div class="page__rail"><h3>{most_read}</h3><ol>{also}</ol></div><div class="page__bottom">{rights}</div></div>"""
    return html(lang, title, body, more=more)


def _news_de() -> str:
    return _foreign(
        "de",
        DE,
        (
            "Treidelpfad wird wieder geöffnet",
            "Lesen Sie auch",
            "Jetzt unseren Newsletter abonnieren und nichts verpassen",
            "Mit Werbung weiterlesen und alle Cookies akzeptieren",
            "Kommentare",
            "Meistgelesen",
            "Alle Rechte vorbehalten. Impressum, Datenschutz, Nutzungsbedingungen",
        ),
    )


def _news_fr() -> str:
    return _foreign(
        "fr",
        FR,
        (
            "Le chemin de halage rouvre",
            "À lire aussi",
            "Inscrivez-vous à notre infolettre quotidienne",
            "Continuer sans accepter les cookies et les traceurs",
            "Commentaires",
            "Les plus lus",
            "Tous droits réservés. Mentions légales, politique de confidentialité",
        ),
    )


def _news_ru() -> str:
    return _foreign(
        "ru",
        RU,
        (
            "Набережную канала откроют снова",
            "Читайте также",
            "Подпишитесь на нашу ежедневную рассылку",
            "Принять все файлы cookie и продолжить чтение",
            "Комментарии",
            "Самое читаемое",
            "Все права защищены. Правовая информация, редакция, реклама",
        ),
    )


def _news_zh() -> str:
    return _foreign(
        "zh",
        ZH,
        (
            "运河步道重新开放",
            "相关阅读",
            "订阅我们的每日新闻邮件",
            "接受全部并继续阅读",
            "网友评论",
            "热门新闻",
            "版权所有，未经授权不得转载。关于我们，联系方式，广告服务",
        ),
    )


def _news_ko() -> str:
    return _foreign(
        "ko",
        KO,
        (
            "운하 산책로 다시 열린다",
            "관련 기사",
            "매일 아침 소식을 메일로 받아 보세요",
            "모든 쿠키에 동의하고 계속 읽기",
            "댓글",
            "많이 본 뉴스",
            "무단 전재 및 재배포 금지. 회사 소개, 광고 문의",
        ),
    )


def _news_ar() -> str:
    return _foreign(
        "ar",
        AR,
        (
            "إعادة فتح ممر القناة",
            "اقرأ أيضا",
            "اشترك في نشرتنا اليومية",
            "قبول جميع ملفات الارتباط ومتابعة القراءة",
            "التعليقات",
            "الأكثر قراءة",
            "جميع الحقوق محفوظة. سياسة الخصوصية وشروط الاستخدام",
        ),
        ' dir="rtl"',
    )


def _news_portal_ja() -> str:
    """A portal of today: names of classes say nothing, related stories all around."""
    also = "".join(
        f'<li class="sc-{n}ab"><a href="/articles/{n}"><div>{JA[n][:28]}</div><span>{n}時間前</span></a></li>'
        for n in range(7)
    )
    body = f"""<div id="root"><header class="sc-1a"><a href="/">ニュースの港</a><ul><li><a href="#">主要</a></li><li><a href="#">国内</a></li><li><a href="#">経済</a></li><li><a href="#">スポーツ</a></li></ul></header><div class="sc-2b"><main class="sc-3c"><article class="sc-4d"><header class="sc-5e"><gold><h1 class="sc-6f">運河の遊歩道、九年ぶりに再開へ</h1></gold><div class="sc-7g"><time>3/12(火) 9:14</time><span>配信</span><a href="#">港新聞</a></div><button>コメント24件</button></header><div class="article_body"><div class="sc-8h"><figure><figcaption>東側の水門（撮影・港新聞）</figcaption></figure></div><gold>{paragraphs(JA, 0, 3, 1, '<p class="sc-9i">')}</gold><div class="sc-10j"><p>【写真】再開を待つ遊歩道の様子を見る</p></div><gold>{paragraphs(JA, 3, 4, 1, '<p class="sc-9i">')}</gold></div><section class="sc-11k"><h2>関連記事</h2><ul>{also}</ul></section><p class="sc-12l">最終更新：3/12(火) 10:02</p><p class="sc-13m">この記事はいかがでしたか？リアクションで支援しよう</p></article><section class="sc-14n"><h2>コメント</h2><ul><li><p>{REMARKS_JA[0]}</p></li><li><p>{REMARKS_JA[1]}</p></li><li><p>{REMARKS_JA[2]}</p></li></ul></section></main><aside class="sc-15o"><h2>アクセスランキング</h2><ol>{also}</ol></aside></div><footer><p>記事の無断転用を禁じます</p><p>Copyright © 2024 港新聞社 無断転載を禁じます。</p></footer></div>"""
    return html("ja", "運河の遊歩道、九年ぶりに再開へ（港新聞） - ニュースの港", body)


REMARKS_JA = (
    "九年は長すぎる。うちの子はその間に小学校を卒業してしまいました。",
    "犬の散歩に使えるようになるのが楽しみです。スロープは助かります。",
    "税金の使い道としてはまともな方だと思う。遊具も直してほしいけれど。",
)


def _blog_br_ja() -> str:
    """A diary on a large service: a line break after every clause."""
    lines = "<br>\n".join(sentence.replace("、", "、<br>\n") + "<br>" for sentence in JA)
    body = f"""<div id="header"><h1><a href="/">水辺の日記</a></h1><p>散歩と写真と、ときどきパン</p></div><div id="wrap"><div id="main"><div class="entry"><div class="entryDate">2013年03月12日</div><gold><h2 class="entryTitle"><a href="/e/1">ひさしぶりに運河を歩く</a></h2></gold><div class="theme">テーマ：<a href="#">散歩</a></div><div class="entryBody"><gold>{lines}</gold><br><br><a href="#">にほんブログ村</a><br>ランキングに参加しています。応援クリックお願いします！</div><div class="entryFoot"><a href="#">コメント(3)</a> <a href="#">いいね</a> <a href="#">リブログ</a></div></div><div class="comments"><h3>コメント</h3><p>1. {REMARKS_JA[1]}</p><p>2. {REMARKS_JA[2]}</p></div></div><div id="sub"><div class="profile"><h4>プロフィール</h4><p>水辺に住んで二十年。カメラは古いものばかり。</p></div><div class="recent"><h4>最近の記事</h4><ul><li><a href="#">雨の日のパン屋</a></li><li><a href="#">水門の点検を見に行く</a></li><li><a href="#">古い地図を買う</a></li></ul></div></div></div><div id="footer">Powered by 日記サービス</div>"""
    return html("ja", "ひさしぶりに運河を歩く｜水辺の日記", body)


def _shop_ja() -> str:
    """A shop of tables and pictures, as many still are."""
    body = """<table width="980"><tr><td colspan="2"><a href="/"><img src="t.gif"></a>｜<a href="#">会社概要</a>｜<a href="#">お支払方法</a>｜<a href="#">買い物かご</a></td></tr><tr><td width="200" valign="top"><b>カテゴリ</b><br><a href="#">ロープ</a><br><a href="#">いかり</a><br><a href="#">雨具</a><br><a href="#">セール</a></td><td valign="top"><gold><h1>係留ロープ 三つ打ち 14ミリ</h1></gold><span class="price">3,850円（税込）</span><form><select><option>10メートル</option></select><input type="submit" value="かごに入れる"></form><gold><table class="item_desc"><tr><td>伸ばしてから編んだポリエステルのロープです。力がかかると少しだけ伸び、離すと元の長さに戻ります。</td></tr><tr><td>端は手作業で留めてあります。ひと冬外に置いても硬くならず、専用の道具がなくても継ぐことができます。</td></tr></table><table class="spec" border="1"><tr><th>素材</th><td>ポリエステル</td></tr><tr><th>太さ</th><td>14ミリ</td></tr><tr><th>重さ</th><td>1メートルあたり142グラム</td></tr><tr><th>生産国</th><td>ポルトガル</td></tr></table></gold><div class="recommend"><b>この商品を買った人はこんな商品も買っています</b><ul><li><a href="#">ボートフック 3,200円</a></li><li><a href="#">浮き輪 5,400円</a></li><li><a href="#">作業手袋 980円</a></li></ul></div></td></tr><tr><td colspan="2">営業時間は平日の十時から十七時までです。土日のご注文は月曜日に発送いたします。</td></tr></table>"""
    return html("ja", "係留ロープ 三つ打ち 14ミリ：水辺の店", body)


def _questions_ja() -> str:
    answers = "".join(
        f'<div class="AnswerItem"><p class="userName">ID非公開さん</p><p class="date">2020/3/1{n} 9:14</p><div class="AnswerBody"><gold><p>{text}</p></gold></div><p>この回答は{n + 2}人が参考になりました <button>ナイス！</button></p></div>'
        for n, text in enumerate(
            (
                JA[7] + "詳しいことは図書館の記録を見るとよく分かります。",
                "管理事務所に電話で聞いたところ、犬は引き綱をつければ入れるそうです。自転車は押して歩いてください。",
            )
        )
    )
    body = f"""<header><a href="/">みんなの質問箱</a><form><input></form><ul><li><a href="#">トップ</a></li><li><a href="#">カテゴリ</a></li><li><a href="#">ランキング</a></li></ul></header><div class="Layout"><div class="Main"><div class="Question"><p class="user">ID非公開さん</p><p>2020/3/10 21:05</p><p>2回答</p><gold><h1>運河の遊歩道に犬を連れて入れますか。水がきれいになったと聞いて、週末に行ってみたいと思っています。</h1></gold><p>補足 <a href="#">共感した</a></p></div><div class="Answers"><h2>回答（2件）</h2>{answers}</div><div class="Related"><h2>あわせて知りたい</h2><ul><li><a href="#">水門の見学はできますか</a></li><li><a href="#">近くに駐車場はありますか</a></li><li><a href="#">ボートを借りられる場所は</a></li></ul></div></div></div><footer><p>質問や回答、投稿の内容はサービスの利用規約に従うものとします。</p></footer>"""
    return html("ja", "運河の遊歩道に犬を連れて入れますか。 - みんなの質問箱", body)


def _office_ja() -> str:
    """A town office: headings, a table, whom to ask."""
    body = f"""<div id="skip"><a href="#main">本文へスキップします。</a></div><div id="head"><p><a href="/">水上市</a></p><ul><li><a href="#">くらし</a></li><li><a href="#">観光</a></li><li><a href="#">事業者の方へ</a></li><li><a href="#">市政情報</a></li></ul></div><div id="pankuzu"><a href="/">トップページ</a> &gt; <a href="#">くらし</a> &gt; 遊歩道の利用</div><div id="main"><gold><h1>遊歩道の利用について</h1></gold><p class="update">更新日：2024年3月12日</p><gold><p>{JA[0]}安全にご利用いただくため、次のことをお守りください。</p><h2>利用できる時間</h2><table><tr><th>期間</th><th>時間</th></tr><tr><td>四月から九月</td><td>午前五時から午後九時</td></tr><tr><td>十月から三月</td><td>午前六時から午後六時</td></tr></table><h2>お願い</h2><ul><li>自転車は押して歩いてください。</li><li>犬には引き綱をつけてください。</li><li>水位が上がったときは立ち入らないでください。</li></ul><h2>問い合わせ先</h2><p>建設部水辺課　電話：000-000-0000</p></gold><div class="pdf"><p>PDF形式のファイルを開くには、閲覧ソフトが必要です。お持ちでない方は、配布元から無償でダウンロードしてください。</p></div><div class="enquete"><h2>このページに関するアンケート</h2><form><p>このページの情報は役に立ちましたか？</p></form></div></div><div id="foot"><p>〒000-0000 水上市一丁目一番一号</p><p>Copyright (C) Minakami City. All Rights Reserved.</p></div>"""
    return html("ja", "遊歩道の利用について｜水上市", body)


WILD: tuple[GoldPage, ...] = (
    replace(_page("news_json_ld", _news_json_ld()), text=_TOLD),
    *(
        _page(make.__name__.strip("_"), make())
        for make in (
        _news_story_body, _news_br_divs, _news_amp, _news_hashed_classes, _news_flash,
        _live_blog, _blog_wordpress, _blog_old, _forum_board, _discussion_tables, _shop_product,
        _recipe_blog, _list_of_links, _layout_tables, _docs_site, _interview, _listicle, _mailing_list,
        _news_de, _news_fr, _news_ru, _news_zh, _news_ko, _news_ar, _news_portal_ja, _blog_br_ja,
        _shop_ja, _questions_ja, _office_ja,
        )
    ),
)  # fmt: skip
