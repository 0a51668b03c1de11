"""Conflict markers of a merge that is marked resolved are rejected. Quoted markers are content."""

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


CALLS = {
    "begin --adopt": ("begin", "--adopt", "."),
    "check @checkout": ("check", "@checkout"),
    "check --staged": ("check", "--staged"),
    "text": ("text", "c.md", "--old", "8", "--new", "9", "--checkout"),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_remaining_markers_are_rejected(unresolved: Sandbox, call: tuple[str, ...]) -> None:
    answer = scalpel(unresolved.root, *call)
    assert answer.status != 0
    assert "conflict markers" in answer.out + answer.err


def test_edit_can_resolve_remaining_markers(unresolved: Sandbox) -> None:
    text = (unresolved.root / "c.md").read_text()
    answer = scalpel(unresolved.root, "text", "c.md", "--old", text, "--new", "9\n", "--checkout")
    assert answer.status == 0, answer.err


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_quoted_markers_are_accepted(repo: Sandbox, call: tuple[str, ...]) -> None:
    repo.commit({"c.md": b"8\n"})
    (repo.root / "c.md").write_bytes(b"8\n" + QUOTED)
    repo.git("add", "c.md")
    answer = scalpel(repo.root, *call)
    assert answer.status == 0, answer.out + answer.err
