"""What is shown names a remote, and nobody's password."""

from __future__ import annotations

import pytest

from gitscalpel.system.trust import redact

SHOWN = [
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
LEFT = [
    "git@host.example:a/b.git",
    "https://registry.example/@scope/name",
    "https://host.example:8080/@scope/name?x=1",
    "Ada <ada@example.org>",
    "a.py:12: the key of x is missing",
    "error: x.py:3: expected ':' at main@origin/a",
    "/srv/git/a b@c/d.git",
]


@pytest.mark.parametrize(("text", "shown"), SHOWN)
def test_no_secret_is_shown(text: str, shown: str) -> None:
    assert redact(text) == shown
    assert redact(f"a {text}\nand {text}") == f"a {shown}\nand {shown}"


@pytest.mark.parametrize("text", LEFT)
def test_what_holds_no_secret_stays(text: str) -> None:
    assert redact(text) == text
