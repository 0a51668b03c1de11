"""Mails written by git format-patch, and texts that are not mails."""

from __future__ import annotations

import base64
import time
from typing import NamedTuple

import pytest

from gitscalpel.text.patch_series import Mail, read_mails

TOP = f"From {'1' * 40} Mon Sep 17 00:00:00 2001\n"
HEAD = "From: =?UTF-8?q?J=C3=B6rg?= <j@example.com>\nDate: Fri, 1 Mar 2024 10:00:00 +0100\n"
TEXT = "---\n a | 2 +-\n\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n-- \n2.39.2\n"
AUTHOR = "J\u00f6rg <j@example.com> 1709283600 +0100"


class MailHeader(NamedTuple):
    """The message and author of a mail."""

    message: str
    author: str | None


MAILS: dict[str, tuple[str, MailHeader]] = {
    "of format-patch": (
        f"{TOP}{HEAD}Subject: [PATCH v2 1/3] Count\n to two\n\nOne is not enough.\n\nSee there.\n{TEXT}",
        MailHeader("Count to two\n\nOne is not enough.\n\nSee there.", AUTHOR),
    ),
    "without text": (f"{HEAD}Subject: Count\n\n{TEXT}", MailHeader("Count", AUTHOR)),
    "without the separator line": (
        f"{HEAD}Subject: Count\n\nText.\n\ndiff --git a/a b/a\n",
        MailHeader("Count\n\nText.", AUTHOR),
    ),
    "from another sender": (
        f"{HEAD}Subject: Count\n\nFrom: A B <a@b.c>\n\nText.\n{TEXT}",
        MailHeader("Count\n\nText.", "A B <a@b.c> 1709283600 +0100"),
    ),
    "no date": (f"From: Ann <a@b.c>\nSubject: Count\n\n{TEXT}", MailHeader("Count", "Ann <a@b.c>")),
    "no name": (f"From: a@b.c\nSubject: Count\n\n{TEXT}", MailHeader("Count", "a@b.c <a@b.c>")),
    "a name that would break the header": (
        f'From: "A > <x" <a@b.c>\nSubject: Count\n\n{TEXT}',
        MailHeader("Count", "a@b.c <a@b.c>"),
    ),
    "with CRLF": (
        f"From: Ann <a@b.c>\nSubject: Count\n\nText.\n{TEXT}".replace("\n", "\r\n"),
        MailHeader("Count\n\nText.", "Ann <a@b.c>"),
    ),
}


@pytest.mark.parametrize(("raw", "expected"), MAILS.values(), ids=MAILS)
def test_mail_has_its_message_and_author(raw: str, expected: MailHeader) -> None:
    (mail,) = read_mails(raw.encode())
    assert MailHeader(mail.message, mail.author) == expected


@pytest.mark.parametrize(
    "raw",
    [
        "",
        TEXT,
        f"Subject:\n\n{TEXT}",
        f"Subject: Count\n\n{TEXT}",
        f"From: A <a@b.c>\n\n{TEXT}",
        "From: A <a@b.c>\nSubject: Count\n\nno patch\n",
        f"Please apply this.\n\n{HEAD}Subject: Count\n\n{TEXT}",
    ],
)
def test_other_text_is_not_a_mail(raw: str) -> None:
    assert read_mails(raw.encode()) == ()


ONE = f"{HEAD}Subject: [PATCH 1/2] One\n\n{TEXT}"
TWO = f"From: B <b@c.d>\nSubject: [PATCH 2/2] Two\n\n{TEXT}"
COVER = f"{HEAD}Subject: [PATCH 0/2] Both\n\nWhy.\n"
MBOX = "From b@c.d Fri Mar  1 10:00:00 2024\n"
CODED = (
    f"{HEAD}Subject: One\nContent-Transfer-Encoding: base64\n\n"
    + base64.encodebytes(TEXT.encode()).decode()
    + "\n"
)

SERIES = {
    "of format-patch": f"{TOP}{ONE}\n{TOP}{TWO}\n",
    "of a mailbox": f"{MBOX}{ONE}\n{MBOX}{TWO}\n",
    "adjacent mails": f"{ONE}\n{TWO}\n",
    "without a blank line between": f"{ONE}{TWO}",
    "without signatures": f"{ONE}\n{TWO}".replace("-- \n2.39.2\n", ""),
    "with a cover letter": f"{TOP}{COVER}\n{TOP}{ONE}\n{TOP}{TWO}\n",
    "with CRLF": f"{TOP}{ONE}\n{TOP}{TWO}\n".replace("\n", "\r\n"),
    "in base64": f"{CODED}{TWO}",
    "below blank lines": f"\n\n{ONE}\n{TWO}\n",
    "below text": f"Two patches:\n\n{TOP}{ONE}\n{TOP}{TWO}\n",
}


@pytest.mark.parametrize("raw", SERIES.values(), ids=SERIES)
def test_series_of_mails_is_split(raw: str) -> None:
    assert [mail.subject for mail in read_mails(raw.encode())] == ["One", "Two"]


@pytest.mark.parametrize("separator", ["", TOP])
def test_patch_above_a_mail_is_its_own_mail(separator: str) -> None:
    one, two = read_mails(f"{TEXT}\n{separator}{HEAD}Subject: Count\n\n{TEXT}".encode())
    assert (one.author, two.subject) == (None, "Count")


def test_many_headers_are_read_in_linear_time() -> None:
    raw = b"Subject: x\n" + b"From: x\n" * 50_000 + b"end\n" + b"From: x\n" * 50_000
    start = time.perf_counter()
    assert read_mails(raw) == ()
    assert time.perf_counter() - start < 5


def test_mail_inside_a_patch_is_content() -> None:
    added = "".join(f"+{line}\n" for line in TWO.splitlines())
    raw = f"{HEAD}Subject: One\n\n---\n--- /dev/null\n+++ b/a\n@@ -0,0 +1,{added.count(chr(10))} @@\n{added}"
    assert [mail.subject for mail in read_mails(raw.encode())] == ["One"]


def test_patch_of_a_mail_keeps_its_bytes() -> None:
    patch = TEXT.encode().replace(b"+2", b"+\xe9\r")
    (mail,) = read_mails(f"{HEAD}Subject: One\n\nText.\n".encode() + patch)
    assert isinstance(mail, Mail)
    assert mail.patch == patch[patch.index(b"diff -") :]
