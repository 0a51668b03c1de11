"""Displayed text contains the name of a remote, and no password."""

from __future__ import annotations

import pytest

from gitscalpel.system.trust import redact

REDACTED = [
    ("https://user:s3cret@host.example/a/b.git", "https://host.example/a/b.git"),
    ("HTTPS://user:s3cret@host.example/a/b.git", "HTTPS://host.example/a/b.git"),
    ("https://s3cret@host.example/a", "https://host.example/a"),
    ("ssh://user:s3cret@host.example:22/a", "ssh://host.example:22/a"),
    ("git+ssh://user:s3cret@host.example/a", "git+ssh://host.example/a"),
    ("https://user%40corp:s3%2Fcret@host.example/a", "https://host.example/a"),
    ("https://user:s3@cret@host.example/a", "https://host.example/a"),
    ("https://user:s3/cret@host.example/a", "https://host.example/a"),
    ("https://user:s3?cret@host.example/a", "https://host.example/a"),
    ("https://user:s3#cret@host.example/a", "https://host.example/a"),
    ("https://user:s3'cret@host.example/a", "https://host.example/a"),
    ("https://[::1]:80/a", "https://[::1]:80/a"),
    ("https://user:s3cret@[::1]:80/a", "https://[::1]:80/a"),
    ("user:s3cret@host.example:a/b.git", "host.example:a/b.git"),
    ("user:s3cret@host.example/a/b.git", "host.example/a/b.git"),
    ("https://host.example/a?private_token=s3cret&x=1", "https://host.example/a?private_token=***&x=1"),
    ("https://host.example/a?x=1&access_token=s3cret", "https://host.example/a?x=1&access_token=***"),
    ("https%3A%2F%2Fuser%3As3cret%40host.example", "https%3A%2F%2Fhost.example"),
    (r"https:\/\/user:s3cret@host.example\/a", r"https:\/\/host.example\/a"),
    (
        "fatal: unable to access 'https://user:s3cret@host.example/a/': 403",
        "fatal: unable to access 'https://host.example/a/': 403",
    ),
    ("Authorization: Basic s3cret", "Authorization: ***"),
    ("http.extraHeader=AUTHORIZATION: bearer s3cret", "http.extraHeader=AUTHORIZATION: ***"),
    ("ghp_s3cret0123456789abcdefghij", "***"),
]
UNCHANGED = [
    "git@host.example:a/b.git",
    "https://registry.example/@scope/name",
    "https://host.example:8080/@scope/name?x=1",
    "Ada <ada@example.org>",
    "a.py:12: the key of x is missing",
    "error: x.py:3: expected ':' at main@origin/a",
    "/srv/git/a b@c/d.git",
]


@pytest.mark.parametrize(("text", "redacted"), REDACTED)
def test_secret_is_redacted(text: str, redacted: str) -> None:
    assert redact(text) == redacted
    assert redact(f"a {text}\nand {text}") == f"a {redacted}\nand {redacted}"


@pytest.mark.parametrize("text", UNCHANGED)
def test_text_without_a_secret_is_unchanged(text: str) -> None:
    assert redact(text) == text
