"""What a page of a known kind says: by schema.org where it uses that, by its headings else.

A job posting has a company, a role, a place and requirements; an article an author, a date,
sections and tips; a company's page values, products and places.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from actors.ports import Block
from actors.webpages.markup import untagged
from actors.webpages.page_rules import (
    Section,
    beside,
    cells,
    definitions,
    labelled,
    marked,
    sections,
    under,
)
from actors.webpages.structured_data import Node, Structured, address, lines, plain
from events.websites import ContentType, Extracted

_REQUIREMENTS = re.compile(
    r"requirement|qualification|must[- ]have|what you(?:'|’)?(?:ll)? (?:need|bring)|you have"
    r"|skills|who you are|we(?:'|’)re looking for|minimum"
    r"|応募資格|応募条件|必須|要件|求める|歓迎|スキル|資格",
    re.I,
)
_DUTIES = re.compile(
    r"responsibilit|what you(?:(?:'|’)?ll| will) do|your role|the role|duties|job description"
    r"|仕事の?内容|業務内容|職務内容|担当業務",
    re.I,
)
_TIPS = re.compile(
    r"\btips?\b|advice|how to|steps?\b|key takeaway|lessons?|best practice"
    r"|コツ|ポイント|方法|アドバイス|まとめ|手順",
    re.I,
)
_VALUES = re.compile(
    r"\bvalues?\b|culture|mission|vision|principles|beliefs|what we (?:believe|stand for)"
    r"|理念|バリュー|価値観|ミッション|ビジョン|カルチャー|行動指針|大切に"
    r"|(?:企業|組織|会社の)文化|社風|風土|パーパス|クレド|信条|社訓|社是",
    re.I,
)
_PRODUCTS = re.compile(
    r"products?|services?|solutions?|what we (?:do|make|build|offer)|platform"
    r"|製品|商品|サービス|事業内容|ソリューション|プロダクト",
    re.I,
)
_PLACES = re.compile(
    r"locations?|offices?|where we are|headquarters|address|find us"
    r"|所在地|本社|拠点|オフィス|アクセス|住所",
    re.I,
)
_LOCATION = re.compile(
    r"(?:job |work )?locations?|office|place of work|勤務地|勤務場所|就業場所|所在地", re.I
)
_COMPANY = re.compile(
    r"company(?: name)?|employer|hiring organi[sz]ation|会社名|企業名|社名|法人名", re.I
)
_ROLE = re.compile(
    r"(?:job )?title|role|position|職種|募集職種|ポジション|職種名|求人名|募集ポジション", re.I
)
_SALARY = re.compile(r"salary|compensation|pay|給与|年収|月給|想定年収|報酬", re.I)
_KIND_OF_WORK = re.compile(r"employment(?: type)?|job type|contract|雇用形態", re.I)
_FOUNDED = re.compile(r"founded(?: in)?|established|設立(?:年月日?)?|創業(?:年)?|創立", re.I)
_AUTHOR = re.compile(r"(?:written )?by|author|著者|執筆者|筆者|文|ライター", re.I)
_BYLINE = re.compile(r"^(?:written )?by[ :]+([^\n|·•,]{2,80})", re.I | re.M)
_NUMBERED = re.compile(r"^(?:tip\s*#?\s*)?\d{1,2}[.):\uff1a、]\s*\S|^tip\s*#?\s*\d{1,2}\b", re.I)
_HEAD = 200_000
_TITLE = re.compile(r"<title\b[^<>]{0,200}>([^<]{1,500})", re.I)
_WITH = re.compile(
    r"\S (?:at|@) ([A-Z0-9][^|\uff5c–—<>]{1,60}?)(?= +[-|\uff5c–—]|$)"
    r"|(株式会社[^\s|\uff5c–—、。()-]{1,30}|[^\s|\uff5c–—、。()-]{1,30}株式会社)"
)
_SITE_IN_TITLE = re.compile(r"\s+[-|–—\uff5c]\s+")


@dataclass(frozen=True)
class PageToRead:
    """A page as it was served and as it was parsed."""

    html: str
    title: str
    text: str
    blocks: Sequence[Block]
    metadata: Mapping[str, str]
    rows: str = ""
    """What it says beside names, with a point for each entry."""


def extract(content_type: ContentType, page: PageToRead) -> tuple[Extracted, tuple[str, ...]]:
    """What the page says, without what it does not; and what of it could not be read."""
    structured = Structured(page.html)
    parts = sections(page.text, page.blocks)
    described = definitions(page.html, page.text)
    by_line = definitions(page.html, page.text, by_line=True)
    page = replace(page, rows=f"{by_line}\n\n{cells(page.html, page.text)}")
    if described:
        page = replace(page, text=f"{page.text}\n\n{described}")
    match content_type:
        case "job_posting":
            found = _job(structured, page, parts)
        case "blog_article":
            found = _article(structured, page, parts)
        case _:
            found = _company(structured, page, parts)
    warnings = (
        (f"{structured.malformed} of its descriptions for machines are malformed",)
        if structured.malformed
        else ()
    )
    return {name: value for name, value in found.items() if value}, warnings


def _job(structured: Structured, page: PageToRead, parts: list[Section]) -> Extracted:
    node = structured.first("JobPosting") or {}
    said: list[str] = [
        line
        for name in ("qualifications", "skills", "experienceRequirements", "educationRequirements")
        for line in lines(node.get(name))
    ]
    return {
        "company": plain(node.get("hiringOrganization"))
        or labelled(page.text, _COMPANY)
        or page.metadata.get("site", "")
        or _company_in_title(page.html),
        "role": plain(node.get("title")) or labelled(page.text, _ROLE) or _headline(page),
        "location": address(node.get("jobLocation"))
        or plain(node.get("jobLocationType"))
        or labelled(page.text, _LOCATION),
        "requirements": list(dict.fromkeys(said))
        or under(parts, _REQUIREMENTS)
        or marked(page.text, _REQUIREMENTS)
        or _beside(page, _REQUIREMENTS),
        "responsibilities": lines(node.get("responsibilities"))
        or under(parts, _DUTIES)
        or marked(page.text, _DUTIES)
        or _beside(page, _DUTIES),
        "employment_type": plain(node.get("employmentType")) or labelled(page.text, _KIND_OF_WORK),
        "salary": _salary(node) or labelled(page.text, _SALARY),
        "date_posted": plain(node.get("datePosted")) or page.metadata.get("date", ""),
        "valid_through": plain(node.get("validThrough")),
    }


def _company_in_title(html: str) -> str:
    """Who a job is with, as the titles of job boards put it: `Engineer at Acme`, `… by 株式会社みなと`."""
    title = _TITLE.search(html, 0, _HEAD)
    company = _WITH.search(untagged(title[1])) if title else None
    return next(filter(None, company.groups()), "").strip() if company else ""


def _beside(page: PageToRead, wanted: re.Pattern[str]) -> list[str]:
    """What a page says beside names of that kind; entry by entry, where its elements tell them apart."""
    return beside(page.rows, wanted) or beside(page.text, wanted)


def _salary(node: Node) -> str:
    base = node.get("baseSalary")
    if not isinstance(base, dict):
        return plain(base)
    value = base.get("value")
    amount = value if isinstance(value, dict) else {"value": value}
    bounds = [plain(amount.get(name)) for name in ("minValue", "maxValue")]
    number = "–".join(filter(None, bounds)) or plain(amount.get("value"))
    unit = plain(amount.get("unitText"))
    return " ".join(filter(None, (number, plain(base.get("currency")), unit and f"per {unit}")))


def _article(structured: Structured, page: PageToRead, parts: list[Section]) -> Extracted:
    node = structured.first("BlogPosting", "NewsArticle", "TechArticle", "Article", "HowTo") or {}
    byline = _BYLINE.search(page.text[:2_000])
    numbered = [part.heading for part in parts if _NUMBERED.match(part.heading)]
    return {
        "headline": plain(node.get("headline")) or _headline(page),
        "author": plain(node.get("author"))
        or page.metadata.get("author", "")
        or labelled(page.text[:2_000], _AUTHOR)
        or (byline.group(1).strip() if byline else ""),
        "date": plain(node.get("datePublished")) or page.metadata.get("date", ""),
        "date_modified": plain(node.get("dateModified")),
        "sections": [part.heading for part in parts if part.heading][:60],
        "tips": numbered or under(parts, _TIPS),
        "summary": plain(node.get("description")) or page.metadata.get("description", ""),
    }


def _company(structured: Structured, page: PageToRead, parts: list[Section]) -> Extracted:
    node = structured.first("Corporation", "Organization", "LocalBusiness") or {}
    offers = [*lines(node.get("makesOffer")), *lines(node.get("owns"))]
    places = address(node.get("location") or node.get("address"))
    return {
        "name": plain(node.get("name"))
        or labelled(page.text, _COMPANY)
        or page.metadata.get("site", "")
        or _headline(page),
        "values": under(parts, _VALUES) or _beside(page, _VALUES),
        "products": offers or under(parts, _PRODUCTS) or _beside(page, _PRODUCTS),
        "locations": [*filter(None, places.split("; "))]
        or under(parts, _PLACES)
        or beside(page.text, _PLACES),
        "founded": plain(node.get("foundingDate")) or labelled(page.text, _FOUNDED),
        "description": plain(node.get("description")) or page.metadata.get("description", ""),
    }


def _headline(page: PageToRead) -> str:
    top = [block.title for block in page.blocks if block.kind == "heading" and block.level == 1]
    return top[0] if top else _SITE_IN_TITLE.split(page.title)[0]
