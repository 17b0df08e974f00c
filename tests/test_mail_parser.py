"""Mails and saved pages: read as their readers see them, whatever was done to them for transport."""

import base64
import time
from email.message import EmailMessage
from email.policy import SMTP

import pytest

from actors.ingesting.parsing import AnyParser
from actors.ingesting.readers import present
from actors.ports import Parsed
from events.errors import Unreadable


def parse(raw: bytes, name: str = "a.eml") -> Parsed:
    return AnyParser().parse(name, raw)


def mail(**headers: str) -> EmailMessage:
    made = EmailMessage(policy=SMTP)
    for key, value in headers.items():
        made[key] = value
    return made


def encoded(words: str, charset: str) -> bytes:
    """A header as older programs write it."""
    return b"=?%s?B?%s?=" % (charset.encode(), base64.b64encode(words.encode(charset)))


def test_a_mail_is_read_as_its_reader_sees_it() -> None:
    made = mail(
        From="Alice <alice@example.org>",
        To="bob@example.org",
        Date="Mon, 16 Nov 2026 09:30:00 +0900",
        Subject="会議の件",
        Received="from relay.example.org by mx.example.org",
    )
    made.set_content("明日の会議は十時からです。\n\n場所は三階です。\n", cte="base64")
    parsed = parse(made.as_bytes())
    assert parsed.text == (
        "# 会議の件\n\nFrom: Alice <alice@example.org>\nTo: bob@example.org\n"
        "Date: Mon, 16 Nov 2026 09:30:00 +0900\n\n明日の会議は十時からです。\n\n場所は三階です。"
    )
    assert (parsed.title, parsed.media_type) == ("会議の件", "message/rfc822")
    assert parsed.metadata == {"author": "Alice <alice@example.org>", "date": "2026-11-16"}
    assert parsed.reader == present("mail")


@pytest.mark.parametrize("charset", ["iso-2022-jp", "shift_jis", "euc-jp", "utf-8"])
def test_a_mail_may_be_in_any_charset(charset: str) -> None:
    raw = (
        b"From: %s <t@example.jp>\r\nSubject: %s\r\nContent-Type: text/plain; charset=%s\r\n\r\n%s"
    )
    body = "明日の会議は十時からです。"
    parsed = parse(
        raw
        % (
            encoded("田中", charset),
            encoded("会議の件", charset),
            charset.encode(),
            body.encode(charset),
        )
    )
    assert parsed.text == f"# 会議の件\n\nFrom: 田中 <t@example.jp>\n\n{body}"


def test_a_mail_that_says_nothing_of_its_charset_is_read_too() -> None:
    raw = "From: 田中\r\nSubject: 会議の件です\r\n\r\n明日の会議は十時からです。\r\n".encode(
        "cp932"
    )
    assert parse(raw).text == "# 会議の件です\n\nFrom: 田中\n\n明日の会議は十時からです。"


def test_of_the_same_in_two_ways_the_plain_text_is_read_unless_there_is_none() -> None:
    made = mail(From="a@example.org", Subject="Tides")
    made.set_content("The tide is high.")
    made.add_alternative(
        "<html><body><p>The tide is <b>high</b>.</p></body></html>", subtype="html"
    )
    assert parse(made.as_bytes()).text.count("The tide is high.") == 1
    only = mail(From="a@example.org", Subject="Tides")
    only.set_content(" \n")
    only.add_alternative("<html><body><p>The tide is <b>low</b>.</p></body></html>", subtype="html")
    assert parse(only.as_bytes()).text.endswith("The tide is low.")


def test_what_is_attached_is_named_and_not_opened() -> None:
    made = mail(From="a@example.org", Subject="Papers")
    made.set_content("See below.")
    made.add_attachment(
        b"%PDF-1.7 SECRET", maintype="application", subtype="pdf", filename="潮.pdf"
    )
    made.add_attachment("SECRET words", filename="notes.txt")
    forwarded = mail(From="c@example.org", Subject="An older one")
    forwarded.set_content("SECRET")
    made.add_attachment(forwarded)
    parsed = parse(made.as_bytes())
    assert parsed.text.endswith(
        "See below.\n\nAttachments: 潮.pdf, notes.txt, a message (An older one)"
    )
    assert parsed.coverage.warnings == (
        "what is attached was not read: 潮.pdf, notes.txt, a message (An older one)",
    )
    assert "SECRET" not in parsed.text


def test_a_saved_page_is_read_like_a_page() -> None:
    raw = (
        b"From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.org/tides\r\n"
        b"Subject: Tides\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n"
        b"--b\r\nContent-Type: text/html; charset=utf-8\r\n"
        b"Content-Transfer-Encoding: quoted-printable\r\n\r\n"
        b"<html><head><meta charset=3D'shift_jis'><title>Tides</title></head><body><h1>Tides</h1>"
        b"<p>A caf=C3=A9 by the sea.</p></body></html>\r\n"
        b"--b\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n"
        b"--b--\r\n"
    )
    parsed = parse(raw, "page.mhtml")
    assert parsed.text == "# Tides\n\nA café by the sea."
    assert parsed.metadata["url"] == "https://example.org/tides"
    with pytest.raises(Unreadable, match="no page"):
        parse(b"Subject: s\r\nMIME-Version: 1.0\r\n\r\nwords", "page.mhtml")


def test_what_is_only_named_like_a_mail_is_plain_text() -> None:
    assert parse(b"Just some words,\nno mail.\n").text == "Just some words,\nno mail.\n"
    assert parse(b"words " * 100_000).media_type == "text/plain"


HOSTILE = {
    "nested parts": b"From: a\r\n"
    + b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (each, each)
        for each in range(3000)
    ),
    "nested messages": b"From: a\r\n" + b"Content-Type: message/rfc822\r\n\r\n" * 5000,
    "many parts": b"From: a\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
    + b"--b\r\n\r\nx\r\n" * 6000,
    "many headers": b"From: a\r\n" + b"X-A: b\r\n" * 100_000 + b"\r\nbody",
    "many parameters": b"From: a\r\nContent-Type: text/plain"
    + b"; a*1*=x" * 100_000
    + b"\r\n\r\nbody",
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_mail_made_to_keep_its_reader_busy_is_refused(case: str) -> None:
    began = time.process_time()
    with pytest.raises(Unreadable):
        parse(HOSTILE[case])
    assert time.process_time() - began < 15


@pytest.mark.parametrize(
    "raw",
    [
        b"From: a\r\nSubject: " + b"=?a?q?" * 10_000 + b"\r\n\r\nbody words",
        b"From: =?utf-8?b?!!!?= =?nope?q?=ff?=\r\nDate: 99 Foo 99999\r\n\r\nbody words",
        b"From: a\r\nContent-Type: multipart/mixed\r\n\r\nbody words",
        b"From: a\r\nContent-Type: text/plain; charset=nope\r\n\r\nbody words",
        b"From: a\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\nbody words",
        b"From: a\r\nContent-Type: a/b; name*=nope'x'%ff\r\n\r\nbody words",
    ],
)
def test_a_broken_mail_is_read_as_far_as_it_goes(raw: bytes) -> None:
    assert parse(raw).text


def test_a_mail_that_is_one_named_text_is_read() -> None:
    head = (
        b'From: a@example.org\r\nContent-Type: text/plain; charset=utf-8; name="body.txt"\r\n\r\n'
    )
    parsed = parse(head + b"The ferry leaves at nine.\r\n")
    assert parsed.text.endswith("The ferry leaves at nine.")
    assert parsed.coverage.warnings == ()


def test_what_a_mail_shows_among_its_words_is_read_and_the_rest_is_named() -> None:
    made = mail(From="a@example.org", Subject="A patch")
    made.set_content("Here it is.\n")
    made.add_attachment("+ the shown line\n", filename="fix.diff", disposition="inline")
    made.add_attachment("BEGIN:VCALENDAR\n", subtype="calendar", disposition="inline")
    parsed = parse(made.as_bytes())
    assert "the shown line" in parsed.text
    assert parsed.coverage.warnings == ("what is attached was not read: text/calendar",)


def test_the_headers_of_parts_are_read_in_time_that_grows_with_them() -> None:
    head = b"From: a@b\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=X\n\n"
    part = b"Content-Type: text/plain" + b";" * 2_000_000 + b"\n\nhello\n"
    began = time.process_time()
    assert parse(head + b"--X\n" + part + b"\n--X--\n").text.endswith("hello")
    assert time.process_time() - began < 10
