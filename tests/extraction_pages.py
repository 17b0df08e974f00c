# ruff: noqa: E501, RUF001 - pages as they are written
"""Pages of many shapes, each with the text that a reader would call its own.

The gold text of a page is what stands between `<gold>` and `</gold>` in its source, without tags; these
marks are taken out before anybody reads the page.
"""

import re
from dataclasses import dataclass
from html import unescape


@dataclass(frozen=True)
class GoldPage:
    """A page, and what of it counts."""

    name: str
    html: str
    text: str
    headings: tuple[str, ...]
    cells: tuple[str, ...]
    """What stands in its tables."""


_RUBY = re.compile(r"<r[tp]\b.*?</r[tp]>", re.S)
_GOLD = re.compile(r"<gold>(.*?)</gold>", re.S)
_TAG = re.compile(r"<[^>]+>")


def _words(html: str) -> str:
    return " ".join(unescape(_TAG.sub(" ", _RUBY.sub("", html))).split())


def _joined(html: str) -> str:
    """Without blanks between the letters of a ruby base."""
    return unescape(_TAG.sub("", _RUBY.sub("", html))).strip()


def _page(name: str, html: str) -> GoldPage:
    own = "\n".join(_GOLD.findall(html))
    headings = tuple(
        _joined(each) for each in re.findall(r"<h[1-6][^>]*>(.*?)</h[1-6]>", own, re.S)
    )
    cells = tuple(_joined(each) for each in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", own, re.S))
    bare = html.replace("<gold>", "").replace("</gold>", "")
    blocks = re.sub(
        r"</?(?:p|div|li|h[1-6]|t[dhr]|d[dt]|br|pre|blockquote|summary|figcaption|section|table|ul|ol|dl|article|main)\b[^>]*>",
        "\n",
        _RUBY.sub("", own),
    )
    text = "\n".join(
        filter(
            None, (" ".join(line.split()) for line in unescape(_TAG.sub("", blocks)).splitlines())
        )
    )
    return GoldPage(name, bare, text, tuple(filter(None, headings)), tuple(filter(None, cells)))


_NAV = """<header class="site-header"><a class="logo" href="/">{site}</a><nav><ul><li><a href="/a">{one}</a></li>
<li><a href="/b">{two}</a></li><li><a href="/c">{three}</a></li><li><a href="/d">{four}</a></li></ul></nav></header>"""
_FOOT = """<footer class="site-footer"><div class="cols"><ul><li><a href="/privacy">Privacy policy</a></li><li><a href="/terms">Terms of service</a></li>
<li><a href="/contact">Contact</a></li></ul></div><p>© 2026 {site}. All rights reserved.</p></footer>"""
_COOKIES = """<div id="cookie-banner" class="cookie-consent"><p>We use cookies to improve your experience. By continuing you accept our cookie policy.</p><button>Accept all</button></div>"""


def _en(site: str) -> tuple[str, str]:
    return _NAV.format(
        site=site, one="Home", two="Products", three="Blog", four="Sign in"
    ), _FOOT.format(site=site)


def _shell(lang: str, title: str, head: str, body: str, foot: str) -> str:
    return f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title></head><body>{head}{body}{foot}</body></html>'


_NAV_JA = """<div id="header"><div class="logo"><a href="/">{site}</a></div><ul id="gnav"><li><a href="/company">会社情報</a></li><li><a href="/service">サービス</a></li>
<li><a href="/recruit">採用情報</a></li><li><a href="/contact">お問い合わせ</a></li></ul></div>"""
_FOOT_JA = """<div id="footer"><ul><li><a href="/privacy">プライバシーポリシー</a></li><li><a href="/sitemap">サイトマップ</a></li></ul><p>Copyright (C) {site} All Rights Reserved.</p></div>"""


def _docs_sphinx() -> str:
    return _shell(
        "en",
        "Configuration — Brine 3.1 documentation",
        "",
        """
<div class="related" role="navigation"><ul><li><a href="genindex.html">index</a></li><li><a href="modules.html">modules</a> |</li><li><a href="next.html">next</a></li></ul></div>
<div class="document"><div class="documentwrapper"><div class="bodywrapper"><div class="body" role="main"><gold>
<section id="configuration"><h1>Configuration<a class="headerlink" href="#configuration"></a></h1>
<p>Brine reads its settings from a single TOML file. The file is looked up in the working directory first and in the user's configuration folder after that.</p>
<section id="search-order"><h2>Search order<a class="headerlink" href="#search-order"></a></h2>
<p>The first file that exists wins; settings of several files are never merged.</p>
<ol class="arabic simple"><li><p>The path given with <code>--config</code></p></li><li><p>The file <code>brine.toml</code> in the working directory</p></li><li><p>The user's own file</p></li></ol></section>
<section id="options"><h2>Options</h2>
<table class="docutils"><thead><tr><th>Name</th><th>Default</th><th>Meaning</th></tr></thead><tbody>
<tr><td>workers</td><td>4</td><td>Threads that serve requests</td></tr><tr><td>timeout</td><td>30</td><td>Seconds before a request is given up</td></tr>
<tr><td>salt</td><td>none</td><td>Bytes mixed into every digest</td></tr></tbody></table></section>
<section id="example"><h2>Example</h2><div class="highlight-toml notranslate"><div class="highlight"><pre>[server]
workers = 8
timeout = 10
</pre></div></div>
<div class="admonition note"><p class="admonition-title">Note</p><p>Changes take effect after a restart only.</p></div></section></section></gold>
</div></div></div><div class="sphinxsidebar" role="navigation"><h3><a href="index.html">Table of Contents</a></h3><ul><li><a href="#">Configuration</a><ul><li><a href="#search-order">Search order</a></li></ul></li></ul>
<h3>Quick search</h3><form action="search.html"><input type="text" name="q"></form></div></div>""",
        '<div class="footer">© Copyright 2026, Brine authors. Created using Sphinx 8.1.</div>',
    )


def _docs_material() -> str:
    head, foot = _en("Lattice")
    return _shell(
        "en",
        "Deploying - Lattice",
        head,
        """
<div class="md-container"><main class="md-main"><div class="md-main__inner md-grid"><div class="md-sidebar md-sidebar--primary"><nav class="md-nav"><ul><li><a href="/">Welcome</a></li><li><a href="/install">Installation</a></li><li><a href="/deploy">Deploying</a></li></ul></nav></div>
<div class="md-sidebar md-sidebar--secondary"><nav class="md-nav"><label>On this page</label><ul><li><a href="#c">Containers</a></li><li><a href="#s">Systemd</a></li></ul></nav></div>
<div class="md-content"><article class="md-content__inner md-typeset"><a class="md-content__button" href="/edit" title="Edit this page"></a><gold>
<h1 id="deploying">Deploying</h1><p>Lattice is one binary. Copy it to the host, give it a folder to write to, and start it.</p>
<h2 id="c">Containers</h2><p>The official image is built for amd64 and arm64 and runs as an unprivileged user.</p>
<pre><code>docker run -v lattice:/data -p 8080:8080 lattice/lattice:2</code></pre>
<h2 id="s">Systemd</h2><p>Put this unit into place and enable it:</p><pre><code>[Service]
ExecStart=/usr/bin/lattice serve
Restart=on-failure</code></pre><p>Logs go to the journal.</p>
<h2 id="h">Health checks</h2><p>The endpoint answers with 200 as soon as the store is open, and with 503 while it is being repaired.</p></gold></article></div></div></main></div>""",
        foot,
    )


def _job_divs() -> str:
    head, foot = _en("Hireloop")
    return _shell(
        "en",
        "Site Reliability Engineer at Northwind | Hireloop",
        head,
        """
<div class="wrap"><div class="breadcrumbs"><a href="/">Jobs</a> / <a href="/eng">Engineering</a></div><div class="job-detail"><gold>
<div class="job-header"><h1>Site Reliability Engineer</h1><div class="meta"><span>Northwind Freight</span> · <span>Yokohama</span> · <span>Full time</span></div></div>
<div class="job-body"><div class="block"><h3>About the role</h3><div>You keep the platform that routes forty thousand parcels an hour on its feet, and you make sure nobody notices.</div></div>
<div class="block"><h3>What you will do</h3><ul><li>Own the on-call rotation together with five colleagues</li><li>Replace manual failovers with tested automation</li><li>Write the post-mortems that others learn from</li></ul></div>
<div class="block"><h3>What you bring</h3><ul><li>Three years of running Linux in production</li><li>Fluency in Go or Rust</li><li>Calm at four in the morning</li></ul></div>
<div class="block"><h3>What we offer</h3><div>Between nine and thirteen million yen a year, thirty days of leave, and a commuter pass.</div></div></div></gold>
<div class="apply"><a class="btn" href="/apply">Apply now</a><a class="btn" href="/save">Save job</a></div></div>
<div class="similar-jobs"><h4>Similar jobs</h4><ul><li><a href="/1">Platform Engineer, Osaka</a></li><li><a href="/2">Network Engineer, Nagoya</a></li><li><a href="/3">Release Manager, remote</a></li></ul></div></div>""",
        foot,
    )


def _blog() -> str:
    head, foot = _en("Ines Writes")
    return _shell(
        "en",
        "On keeping a paper notebook - Ines Writes",
        head + _COOKIES,
        """
<div class="container"><main><article class="post"><gold><h1 class="entry-title">On keeping a paper notebook</h1></gold><div class="entry-meta">Posted on <time>March 3, 2026</time> by <a href="/ines">Ines</a></div><gold>
<div class="entry-content"><p>I have tried every application there is, and I still write on paper. The reason is not nostalgia; it is that paper forgets nothing and suggests nothing.</p>
<h2>The format</h2><p>A5, dotted, with numbered pages. The index at the front is the only structure I allow myself, and I fill it in on Sundays.</p>
<blockquote><p>A notebook is a place where a thought may be wrong for a while.</p></blockquote>
<h2>What I write down</h2><ul><li>Questions, never tasks</li><li>Figures that surprised me</li><li>Names of people I should thank</li></ul>
<p>After four years there are eleven volumes. I have never lost one, and I have never searched one in vain.</p></div></gold>
<div class="share"><a href="#">Share on Mastodon</a> <a href="#">Share by mail</a></div></article>
<section id="comments"><h2>3 comments</h2><ol class="comment-list"><li><p>Lovely post, thank you for writing it down.</p></li><li><p>Which pen do you use?</p></li></ol></section></main>
<aside class="sidebar"><h3>Recent posts</h3><ul><li><a href="/x">A week without screens</a></li><li><a href="/y">Ink that lasts</a></li></ul><h3>Newsletter</h3><p>Get new posts by mail every month.</p></aside></div>""",
        foot,
    )


def _news() -> str:
    head, foot = _en("The Estuary")
    return _shell(
        "en",
        "Ferry line reopens after nine years | The Estuary",
        head + _COOKIES,
        """
<main><div class="article-wrapper"><article><gold><h1>Ferry line reopens after nine years</h1><p class="standfirst">The crossing cuts the way to the hospital from fifty minutes to twelve.</p></gold>
<div class="byline">By Tomas Rieger, transport correspondent</div><figure><img src="a.jpg"><gold><figcaption>The new ferry on its first crossing on Monday.</figcaption></gold></figure><gold>
<p>The ferry between Salthaven and the eastern bank carried its first passengers on Monday, nine years after the old boat was scrapped.</p>
<p>The council paid 4.2 million for the electric vessel, which takes 38 cars and 150 people. It runs every twenty minutes from six in the morning until midnight.</p></gold>
<div class="related-inline"><h4>Read more</h4><ul><li><a href="/1">Council approves budget</a></li><li><a href="/2">Storm closes harbour</a></li></ul></div><gold>
<p>“My mother is in the hospital over there, and until yesterday I drove around the whole bay,” said Ada Brandt, who was first in the queue.</p>
<h2>Critics want a bridge</h2><p>Opponents say that a bridge would have cost less over thirty years. The council's own study puts the bridge at 190 million.</p></gold>
<div class="ad">Advertisement</div><gold><p>A decision on the second vessel is expected in autumn.</p></gold></article>
<section class="most-read"><h3>Most read</h3><ol><li><a href="/m1">Baker wins lottery twice</a></li><li><a href="/m2">Lighthouse for sale</a></li><li><a href="/m3">Why the tide was late</a></li></ol></section></div></main>""",
        foot,
    )


def _company() -> str:
    head, foot = _en("Kestrel Optics")
    return _shell(
        "en",
        "About us | Kestrel Optics",
        head,
        """<gold>
<section class="hero"><h1>We grind glass that sees in the dark</h1><p>Kestrel Optics has made lenses for observatories and rescue crews since 1974.</p></section>
<section class="values"><h2>Our values</h2><div class="cards"><div class="card"><h3>Patience</h3><p>A mirror takes four months. We do not make it in three.</p></div>
<div class="card"><h3>Candour</h3><p>Every lens ships with the list of its flaws.</p></div><div class="card"><h3>Repair</h3><p>We mend what we sold, whatever its age.</p></div></div></section>
<section><h2>Locations</h2><ul><li>Jena, Germany: grinding and coating</li><li>Sendai, Japan: assembly</li><li>Tucson, Arizona: service</li></ul></section>
<section class="numbers"><h2>Kestrel in numbers</h2><table><tr><th>Employees</th><td>212</td></tr><tr><th>Patents</th><td>38</td></tr><tr><th>Observatories served</th><td>57</td></tr></table></section></gold>
<section class="cta"><a class="button" href="/contact">Talk to us</a></section>""",
        foot,
    )


def _forum() -> str:
    head, foot = _en("Woodturners")
    return _shell(
        "en",
        "Bowl cracked while drying - Woodturners forum",
        head,
        """
<div class="topic"><gold><h1>Bowl cracked while drying</h1></gold><div class="post" id="p1"><div class="author"><a href="/u/1">maple_mo</a><span>Posts: 12</span></div><gold><div class="post-body"><p>I turned a cherry bowl to ten percent wall thickness and left it in a paper bag. After two weeks it cracked along the rim. What did I do wrong?</p></div></gold></div>
<div class="post" id="p2"><div class="author"><a href="/u/2">gouge77</a><span>Posts: 3041</span></div><gold><div class="post-body"><p>Cherry dries unevenly because the pith pulls. Remove the pith first, and coat the end grain with wax before bagging.</p></div></gold></div>
<div class="post" id="p3"><div class="author"><a href="/u/3">lathe_lena</a><span>Posts: 208</span></div><gold><div class="post-body"><p>Also change the bag every second day for the first week. The moisture has to go somewhere, and wet paper holds it at the rim.</p></div></gold></div></div>
<div class="pagination"><a href="?p=2">2</a> <a href="?p=3">3</a> <a href="?p=2">Next</a></div>""",
        foot,
    )


def _qa() -> str:
    head, foot = _en("AskBench")
    return _shell(
        "en",
        "shell - Why does my loop stop after one line? - AskBench",
        head,
        """
<div id="content"><div id="question-header"><gold><h1>Why does my loop stop after one line?</h1></gold></div><div class="question"><div class="votecell">42</div><gold><div class="s-prose js-post-body"><p>My loop reads a file of hosts and runs a remote command for each, but it ends after the first one:</p><pre><code>while read host; do
  ssh "$host" uptime
done &lt; hosts.txt</code></pre><p>The file has twenty lines.</p></div></gold><div class="post-menu"><a href="#">Share</a> <a href="#">Follow</a></div></div>
<div id="answers"><h2>2 Answers</h2><div class="answer"><div class="votecell">97</div><gold><div class="s-prose js-post-body"><p>The remote client reads from the same input as your loop and swallows the rest of the file. Give it another input:</p><pre><code>ssh -n "$host" uptime</code></pre></div></gold></div>
<div class="answer"><div class="votecell">11</div><gold><div class="s-prose js-post-body"><p>Read the list through another descriptor, so that nothing inside the loop can touch it.</p></div></gold></div></div></div>
<div id="sidebar"><h4>Related</h4><a href="/q/1">How do I read a file line by line?</a><a href="/q/2">What does exec do?</a></div>""",
        foot,
    )


def _wiki() -> str:
    return _shell(
        "en",
        "Gannet Rock Light - Wikiseum",
        "",
        """
<div id="mw-panel"><ul><li><a href="/">Main page</a></li><li><a href="/random">Random article</a></li></ul></div><div id="content" class="mw-body"><gold><h1 id="firstHeading">Gannet Rock Light</h1></gold><div id="siteSub">From Wikiseum, the free museum</div>
<div class="mw-parser-output"><gold><table class="infobox"><tr><th>Built</th><td>1831</td></tr><tr><th>Height</th><td>28 metres</td></tr><tr><th>Range</th><td>19 nautical miles</td></tr></table>
<p><b>Gannet Rock Light</b> is a lighthouse on a bare rock in the bay. It was first lit in 1831 and has been automatic since 1996.</p></gold>
<div id="toc"><h2>Contents</h2><ul><li><a href="#h">1 History</a></li><li><a href="#k">2 Keepers</a></li></ul></div><gold>
<h2>History</h2><p>Eleven ships were lost at the rock between 1800 and 1830, which moved the province to build a wooden tower. The stone base was added in 1845.</p>
<h2>Keepers</h2><table class="wikitable"><tr><th>Name</th><th>From</th><th>To</th></tr><tr><td>Walter McLaughlin</td><td>1845</td><td>1880</td></tr><tr><td>Ida Green</td><td>1921</td><td>1950</td></tr></table>
<p>McLaughlin kept a journal of thirty-five years, which is printed in full in the provincial archive.</p></gold></div></div>""",
        '<div id="footer"><ul><li>This page was last edited on 2 May 2026.</li><li><a href="/about">About Wikiseum</a></li></ul></div>',
    )


def _faq() -> str:
    head, foot = _en("Parcelbee")
    return _shell(
        "en",
        "Frequently asked questions | Parcelbee",
        head,
        """<main><gold><h1>Frequently asked questions</h1>
<details open><summary>How long does a parcel take?</summary><p>Within the country two working days, to the islands four. Parcels handed in after five in the afternoon leave the next day.</p></details>
<details><summary>What may I not send?</summary><p>Live animals, lithium cells without a device, and anything that is worth more than ten thousand.</p></details>
<details><summary>Who pays if it breaks?</summary><p>We do, up to five hundred, if the parcel was packed as our guide says. Send us a photograph of the inside within a week.</p></details></gold></main>""",
        foot,
    )


def _glossary() -> str:
    head, foot = _en("Tideworks")
    return _shell(
        "en",
        "Glossary - Tideworks",
        head,
        """<div class="content"><gold><h1>Glossary</h1><p>Words that are used throughout these pages, with the meaning they have here.</p>
<dl><dt>Spring tide</dt><dd>A tide of large range, about the time of new and full moon.</dd><dt>Neap tide</dt><dd>A tide of small range, about the quarters of the moon.</dd>
<dt>Slack water</dt><dd>The short time between two tides when there is no current worth speaking of.</dd><dt>Bore</dt><dd>A wave that runs up a river against its current when the tide comes in.</dd></dl></gold></div>""",
        foot,
    )


def _api() -> str:
    head, foot = _en("Quillpost API")
    return _shell(
        "en",
        "Messages - Quillpost API reference",
        head,
        """<div class="layout"><div class="sidebar-nav"><a href="/intro">Introduction</a><a href="/auth">Authentication</a><a href="/messages">Messages</a><a href="/errors">Errors</a></div><div class="main-content"><gold>
<h1>Messages</h1><p>A message is created once and never changed. Deleting it hides it from lists and keeps its identifier.</p>
<h2>Create a message</h2><p><code>POST /v2/messages</code></p><table><thead><tr><th>Parameter</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td>to</td><td>array</td><td>Addresses, at most one hundred</td></tr><tr><td>body</td><td>string</td><td>Text of up to 64 kilobytes</td></tr><tr><td>send_at</td><td>integer</td><td>Seconds since the epoch, in the future</td></tr></tbody></table>
<h2>Errors</h2><table><thead><tr><th>Status</th><th>Meaning</th></tr></thead><tbody><tr><td>409</td><td>The key was used with another body</td></tr><tr><td>422</td><td>An address cannot receive messages</td></tr></tbody></table>
<h2>Limits</h2><p>Sixty messages a minute for each key. The header tells how many are left.</p></gold></div></div>""",
        foot,
    )


def _press_br() -> str:
    return _shell(
        "en",
        "Press release",
        "",
        """<table width="100%"><tr><td width="180" bgcolor="#eeeeee"><a href="/">Home</a><br><a href="/news">News</a><br><a href="/people">People</a><br><a href="/map">Map</a></td><td><gold><font size="5"><b>Town library buys medieval map</b></font><br><br>
The town library has bought the only known copy of the harbour map of 1488 at an auction in Lisbon.<br><br>The map shows two piers that were unknown until now. Divers will look for their remains in June, the director said.<br><br>
It will be on show from the first of September. Entry is free for everybody who lives in the town.</gold></td></tr></table>""",
        "<hr><center><a href='/imprint'>Imprint</a> | <a href='/'>Top</a></center>",
    )


def _recipe() -> str:
    head, foot = _en("Slow Kitchen")
    return _shell(
        "en",
        "Rye bread with caraway | Slow Kitchen",
        head,
        """<div class="page"><gold><h1>Rye bread with caraway</h1><p>A dense loaf that is best on its third day. It needs no kneading, only time.</p>
<h2>Ingredients</h2><ul><li>500 g rye flour</li><li>400 g water</li><li>100 g sourdough</li><li>12 g salt</li><li>one spoon of caraway</li></ul>
<h2>Method</h2><ol><li>Stir everything together and leave it covered for twelve hours.</li><li>Fill it into a greased tin and let it rise to the rim.</li><li>Bake for an hour at 220 degrees, falling to 180.</li></ol></gold>
<div class="rating">Rate this recipe: ★★★★☆ (118)</div><div class="more"><h3>You may also like</h3><a href="/1">Buckwheat crisps</a><a href="/2">Barley soup</a></div></div>""",
        foot,
    )


def _short() -> str:
    head, foot = _en("Moor Street School")
    return _shell(
        "en",
        "School closed on Friday",
        head,
        """<main><article><gold><h1>School closed on Friday</h1><p>The heating has failed. The school stays closed on Friday and opens again on Monday at eight.</p></gold></article></main>""",
        foot,
    )


def _product() -> str:
    head, foot = _en("Trailhead")
    return _shell(
        "en",
        "Fell 40 backpack | Trailhead",
        head,
        """<div class="product"><gold><h1>Fell 40 backpack</h1></gold><div class="price">189.00</div><button>Add to cart</button><div class="tabs"><gold><div id="description"><h2>Description</h2><p>Forty litres for three days in the hills. The frame is a single sheet of ash wood, steamed and bent, and can be replaced without tools.</p></div>
<div id="specs"><h2>Specifications</h2><table><tr><td>Weight</td><td>1.2 kg</td></tr><tr><td>Volume</td><td>40 l</td></tr><tr><td>Fabric</td><td>Waxed cotton</td></tr></table></div></gold></div>
<div class="reviews"><h3>Customer reviews</h3><p>No reviews yet.</p></div><div class="upsell"><h3>Customers also bought</h3><ul><li><a href="/1">Rain cover</a></li><li><a href="/2">Hip belt</a></li></ul></div></div>""",
        foot,
    )


def _event() -> str:
    head, foot = _en("Harbour Hall")
    return _shell(
        "en",
        "Autumn lecture: reading ice cores",
        head,
        """<div class="event-page"><gold><h1>Autumn lecture: reading ice cores</h1><dl class="facts"><dt>When</dt><dd>14 October 2026, 19:00</dd><dt>Where</dt><dd>Great hall, second floor</dd><dt>Admission</dt><dd>Free, no booking</dd></dl>
<div class="text"><p>Dr. Signe Holt drills in Greenland each summer and reads eight hundred centuries of weather from what she brings back. She will show one of the cores.</p><h3>About the speaker</h3><p>Holt leads the ice laboratory in Bergen and has spent eleven seasons on the ice sheet.</p></div></gold></div>""",
        foot,
    )


def _readme() -> str:
    return _shell(
        "en",
        "GitHost - tern/tern: small queue",
        '<header><a href="/">GitHost</a><a href="/login">Sign in</a><a href="/signup">Sign up</a></header>',
        """<div class="repo"><ul class="tabs"><li><a href="/code">Code</a></li><li><a href="/issues">Issues 12</a></li><li><a href="/pulls">Pull requests 3</a></li></ul><table class="files"><tr><td><a href="/src">src</a></td><td>Fix typo</td><td>2 days ago</td></tr><tr><td><a href="/tests">tests</a></td><td>Add cases</td><td>last week</td></tr></table>
<article class="markdown-body entry-content"><gold><h1>tern</h1><p>A small queue that survives the loss of its machine. It keeps every message until it is acknowledged, and nothing after that.</p><h2>Install</h2><pre><code>pip install tern</code></pre><h2>Use</h2><pre><code>from tern import Queue

queue = Queue("jobs")
queue.put(b"one")</code></pre><h2>Guarantees</h2><ul><li>At least once, in order within a key</li><li>No message larger than a megabyte</li></ul><h2>License</h2><p>MIT</p></gold></article></div>""",
        '<footer><a href="/terms">Terms</a><a href="/status">Status</a></footer>',
    )


def _news_ja() -> str:
    head, foot = _NAV_JA.format(site="潮風新聞"), _FOOT_JA.format(site="潮風新聞")
    return _shell(
        "ja",
        "渡し船が九年ぶりに復活 | 潮風新聞",
        head,
        """<div id="main"><div class="article"><gold><h1>渡し船が九年ぶりに復活</h1></gold><p class="date">2026年5月11日 6時00分</p><gold>
<p>湾の両岸を結ぶ渡し船が11日、九年ぶりに運航を再開した。病院までの時間は、これまでの五十分から十二分に短くなる。</p>
<p>新しい船は電気で動き、車三十八台と乗客百五十人を運ぶ。朝六時から深夜零時まで、二十分おきに出る。</p>
<h2>橋を求める声も</h2><p>一方で、長い目で見れば橋のほうが安いという意見もある。市の試算では、橋の建設費は百九十億円に上る。</p></gold></div>
<div class="ranking"><h3>アクセスランキング</h3><ol><li><a href="/1">灯台が売りに出される</a></li><li><a href="/2">パン職人、宝くじに二度当たる</a></li></ol></div></div>""",
        foot,
    )


def _ruby_ja() -> str:
    head, foot = (
        _NAV_JA.format(site="やさしい日本語ニュース"),
        _FOOT_JA.format(site="やさしい日本語ニュース"),
    )
    return _shell(
        "ja",
        "やさしいニュース",
        head,
        """<main><article><gold><h1><ruby>台風<rt>たいふう</rt></ruby>が<ruby>近<rt>ちか</rt></ruby>づいています</h1>
<p><ruby>強<rp>(</rp><rt>つよ</rt><rp>)</rp></ruby>い<ruby>台風<rp>(</rp><rt>たいふう</rt><rp>)</rp></ruby>が、あしたの<ruby>朝<rt>あさ</rt></ruby>、<ruby>九州<rt>きゅうしゅう</rt></ruby>に<ruby>近<rt>ちか</rt></ruby>づきそうです。</p>
<p><ruby>海<rt>うみ</rt></ruby>や<ruby>川<rt>かわ</rt></ruby>の<ruby>近<rt>ちか</rt></ruby>くに<ruby>行<rt>い</rt></ruby>かないでください。<ruby>早<rt>はや</rt></ruby>く<ruby>安全<rt>あんぜん</rt></ruby>な<ruby>場所<rt>ばしょ</rt></ruby>に<ruby>逃<rt>に</rt></ruby>げてください。</p></gold></article></main>""",
        foot,
    )


def _company_ja() -> str:
    head, foot = _NAV_JA.format(site="株式会社はまかぜ"), _FOOT_JA.format(site="株式会社はまかぜ")
    return _shell(
        "ja",
        "会社概要｜株式会社はまかぜ",
        head,
        """<div id="contents"><div class="topicpath"><a href="/">ホーム</a> &gt; 会社概要</div><gold><h2>会社概要</h2><table class="tbl"><tr><th>会社名</th><td>株式会社はまかぜ</td></tr><tr><th>設立</th><td>1987年4月</td></tr><tr><th>代表者</th><td>代表取締役 浜野 潮</td></tr><tr><th>所在地</th><td>静岡県焼津市港町1-2-3</td></tr><tr><th>事業内容</th><td>水産物の加工および販売</td></tr><tr><th>従業員数</th><td>85名</td></tr></table>
<h2>ごあいさつ</h2><p>私たちは、港に揚がったその日の魚を、その日のうちに加工することを創業以来の約束としてまいりました。これからも、海と食卓をつなぐ仕事を続けてまいります。</p></gold></div>""",
        foot,
    )


def _job_ja() -> str:
    head, foot = _NAV_JA.format(site="しごと広場"), _FOOT_JA.format(site="しごと広場")
    return _shell(
        "ja",
        "水産加工スタッフ - しごと広場",
        head,
        """<div class="job"><gold><h1>水産加工スタッフ募集</h1><dl class="detail"><dt>仕事内容</dt><dd>魚をさばき、干物や缶詰に加工する仕事です。未経験の方には先輩が三か月かけて教えます。</dd><dt>応募資格</dt><dd>18歳以上。普通自動車免許をお持ちの方を歓迎します。</dd><dt>勤務地</dt><dd>静岡県焼津市</dd><dt>給与</dt><dd>月給23万円から31万円</dd><dt>休日</dt><dd>日曜日および祝日、年間110日</dd></dl></gold><div class="btn"><a href="/entry">応募する</a></div></div>
<div class="other"><h3>ほかの求人</h3><ul><li><a href="/1">漁船の乗組員</a></li><li><a href="/2">市場の事務員</a></li></ul></div>""",
        foot,
    )


def _blog_ja() -> str:
    head, foot = _NAV_JA.format(site="海辺の日記"), _FOOT_JA.format(site="海辺の日記")
    return _shell(
        "ja",
        "干物を干す - 海辺の日記",
        head,
        """<div id="wrapper"><div id="blog-main"><div class="entry"><gold><h2 class="entry-title">干物を干す</h2><div class="entry-body">今朝はよく晴れたので、アジを二十枚干した。<br><br>塩水に漬ける時間は、季節によって変える。夏は四十分、冬は一時間。祖母は指で味を見て決めていたが、私は時計を使う。<br><br>風のない日は干さない。湿った風の日も干さない。待つことも仕事のうちだと、最近になってわかってきた。</div></gold><div class="entry-footer">カテゴリ: <a href="/c">台所</a> | コメント(2) | トラックバック(0)</div></div></div>
<div id="sidebar"><h3>プロフィール</h3><p>海の近くに住んでいます。</p><h3>最近の記事</h3><ul><li><a href="/1">台風のあと</a></li><li><a href="/2">新しい包丁</a></li></ul></div></div>""",
        foot,
    )


def _listing_long() -> str:
    head, foot = _en("Cartographer's Digest")
    paragraphs = "".join(
        f"<h2>{title}</h2><p>{text}</p>"
        for title, text in (
            (
                "Paper",
                "The oldest sheets are of linen rag, which keeps its colour for centuries when it is stored away from light.",
            ),
            (
                "Ink",
                "Iron gall ink eats through thin paper. Restorers neutralise it with a bath of calcium phytate before anything else is done.",
            ),
            (
                "Scale",
                "Scales were drawn as ladders and not written as numbers, because every town had a foot of its own.",
            ),
            (
                "North",
                "Until the seventeenth century many maps had south or east at the top, as their makers saw fit.",
            ),
            (
                "Errors",
                "Printers added towns that do not exist, so that they could prove who had copied them.",
            ),
            (
                "Value",
                "A sheet that was folded is worth half; one that was coloured by hand in its own time is worth double.",
            ),
        )
    )
    return _shell(
        "en",
        "How to read an old map",
        head,
        f"""<main id="main"><div class="content-area"><article><gold><h1>How to read an old map</h1>{paragraphs}</gold></article></div></main><div class="widget"><h3>Popular tags</h3><a href="/t1">atlas</a><a href="/t2">globe</a></div>""",
        foot,
    )


PAGES: tuple[GoldPage, ...] = tuple(
    _page(make.__name__.strip("_"), make())
    for make in (
        _docs_sphinx, _docs_material, _job_divs, _blog, _news, _company, _forum, _qa, _wiki, _faq,
        _glossary, _api, _press_br, _recipe, _short, _product, _event, _readme, _news_ja, _ruby_ja,
        _company_ja, _job_ja, _blog_ja, _listing_long,
    )
)  # fmt: skip
