"""A repository with a transaction that waits for somebody, and its page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.command import scalpel
from tests.review.serving import Page, served
from tests.sandbox import Sandbox

_BOB = {"NAME": "Bob", "EMAIL": "bob@example.org"}
CODE = b"def f():\n    return 1\n\n\ndef g():\n    return f()\n"
BOB = {f"GIT_{who}_{what}": said for who in ("AUTHOR", "COMMITTER") for what, said in _BOB.items()}


class Reviewed(NamedTuple):
    """A repository, the transaction that Bob has staged in it, and the page, which Ada looks at."""

    repo: Sandbox
    tx: str
    page: Page


@pytest.fixture
def reviewed(tmp_path: Path) -> Iterator[Reviewed]:
    files = {"a.py": CODE, ".gitscalpel.toml": b'[approval]\npaths = ["a.py"]\n'}
    repo = Sandbox.of(tmp_path / "repo", files)
    message = 'Return <script>alert("2")</script>\n\nSince 1 was wrong.'
    words = ("replace", "a.py::f", "--no-land", "-m", message, "--json")
    tx = scalpel(repo.root, *words, stdin="def f():\n    return 2\n", env=BOB).data["tx"]
    with served(repo.root) as page:
        yield Reviewed(repo, tx, page)
