"""Mails as git format-patch writes them, and what is none."""

from __future__ import annotations

import pytest

from gitscalpel.text.letter import Letter, read

TOP = f"From {'1' * 40} Mon Sep 17 00:00:00 2001\n"
HEAD = "From: =?UTF-8?q?J=C3=B6rg?= <j@example.com>\nDate: Fri, 1 Mar 2024 10:00:00 +0100\n"
TEXT = "---\n a | 2 +-\n\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n-- \n2.39.2\n"
WHO = "J\u00f6rg <j@example.com> 1709283600 +0100"

MAILS: dict[str, tuple[str, Letter]] = {
    "of format-patch": (
        f"{TOP}{HEAD}Subject: [PATCH v2 1/3] Count\n to two\n\nOne is not enough.\n\nSee there.\n{TEXT}",
        Letter("Count to two\n\nOne is not enough.\n\nSee there.", WHO),
    ),
    "without text": (f"{HEAD}Subject: Count\n\n{TEXT}", Letter("Count", WHO)),
    "without the stroke": (
        f"{HEAD}Subject: Count\n\nText.\n\ndiff --git a/a b/a\n",
        Letter("Count\n\nText.", WHO),
    ),
    "sent by another": (
        f"{HEAD}Subject: Count\n\nFrom: A B <a@b.c>\n\nText.\n{TEXT}",
        Letter("Count\n\nText.", "A B <a@b.c> 1709283600 +0100"),
    ),
    "no date": (f"From: A <a@b.c>\nSubject: Count\n\n{TEXT}", Letter("Count", "A <a@b.c>")),
    "no name": (f"From: a@b.c\nSubject: Count\n\n{TEXT}", Letter("Count", None)),
    "a name that would break the header": (
        f'From: "A > <x" <a@b.c>\nSubject: Count\n\n{TEXT}',
        Letter("Count", "A  x <a@b.c>"),
    ),
    "with CRLF": (
        f"From: A <a@b.c>\nSubject: Count\n\nText.\n{TEXT}".replace("\n", "\r\n"),
        Letter("Count\n\nText.", "A <a@b.c>"),
    ),
}


@pytest.mark.parametrize(("raw", "expected"), MAILS.values(), ids=MAILS)
def test_mails(raw: str, expected: Letter) -> None:
    assert read(raw.encode()) == expected


@pytest.mark.parametrize(
    "raw",
    [
        "",
        TEXT,
        f"Subject:\n\n{TEXT}",
        f"From: A <a@b.c>\n\n{TEXT}",
        "From: A <a@b.c>\nSubject: Count\n\nno patch\n",
        f"{TOP}{HEAD}Subject: One\n\n{TEXT}\n{TOP}{HEAD}Subject: Two\n\n{TEXT}",
    ],
)
def test_what_is_no_mail_or_several(raw: str) -> None:
    assert read(raw.encode()) is None
