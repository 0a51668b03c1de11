"""The markers of a conflict that was called resolved are refused by every road; quoted ones are content."""

from __future__ import annotations

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox

QUOTED = b"text\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"


@pytest.fixture
def unresolved(repo: Sandbox) -> Sandbox:
    repo.commit({"c.md": b"1\n", "d.html": b"<p>1\n"})
    repo.git("checkout", "-q", "-b", "other")
    repo.commit({"c.md": b"7\n", "d.html": b"<p>7\n"})
    repo.git("checkout", "-q", "main")
    repo.commit({"c.md": b"8\n", "d.html": b"<p>8\n"})
    repo.git("merge", "-q", "other", check=False)
    repo.git("add", "c.md", "d.html")
    return repo


ROADS = {
    "adopted": ("begin", "--adopt", "."),
    "the checkout": ("check", "@checkout"),
    "what is staged": ("check", "--staged"),
    "an edit": ("text", "c.md", "--old", "8", "--new", "9", "--checkout"),
}


@pytest.mark.parametrize("call", ROADS.values(), ids=ROADS)
def test_left_markers_are_refused(unresolved: Sandbox, call: tuple[str, ...]) -> None:
    done = scalpel(unresolved.root, *call)
    assert done.status != 0
    assert "conflict markers" in done.out + done.err


def test_an_edit_may_resolve_what_is_left(unresolved: Sandbox) -> None:
    text = (unresolved.root / "c.md").read_text()
    done = scalpel(unresolved.root, "text", "c.md", "--old", text, "--new", "9\n", "--checkout")
    assert done.status == 0, done.err


@pytest.mark.parametrize("call", ROADS.values(), ids=ROADS)
def test_quoted_markers_pass(repo: Sandbox, call: tuple[str, ...]) -> None:
    repo.commit({"c.md": b"8\n"})
    (repo.root / "c.md").write_bytes(b"8\n" + QUOTED)
    repo.git("add", "c.md")
    done = scalpel(repo.root, *call)
    assert done.status == 0, done.out + done.err
