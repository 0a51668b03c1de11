"""Commit messages that are not UTF-8 are refused and nothing lands."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import gitscalpel
from tests.command import scalpel
from tests.sandbox import Sandbox

LATIN = os.fsdecode("café".encode("latin-1"))


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.txt": b"one\n"})


@pytest.mark.parametrize(
    "call",
    [
        ["text", "a.txt", "--old", "one", "--new", "two", "-m"],
        ["text", "a.txt", "--old", "one", "--new", "two", "--checkout", "-m"],
        ["text", "a.txt", "--old", "one", "--new", "two", "--dry-run", "-m"],
        ["begin", "-m"],
        ["run", "-m", LATIN, "--", "touch", "b"],
        ["run", "--checkout", "-m", LATIN, "--", "touch", "b"],
        ["snapshot", "-m"],
    ],
    ids=lambda call: "-".join(call[:1] + call[-2:]).replace(LATIN, ""),
)
def test_non_utf8_message_is_refused(repo: Sandbox, call: list[str]) -> None:
    tip = repo.git("rev-parse", "HEAD")
    refused = scalpel(repo.root, *call, *([LATIN] if call[-1] == "-m" else []))
    assert (refused.status, "the message is not UTF-8 at character 4" in refused.err) == (2, True)
    assert "iconv" in refused.err
    assert (repo.git("rev-parse", "HEAD"), repo.files()) == (tip, {"a.txt": b"one\n"})


def test_non_utf8_message_for_an_open_transaction_is_refused(repo: Sandbox) -> None:
    tx = scalpel(repo.root, "text", "a.txt", "--old", "one", "--new", "two", "--no-land", "--json").data["tx"]
    (repo.root / "b").write_text("b\n")
    for verb, *more in (["land"], ["reject"], ["stage"], ["stage", "--from-checkout", "b"]):
        refused = scalpel(repo.root, verb, tx, *more, "-m", LATIN)
        assert (refused.status, "is not UTF-8" in refused.err) == (2, True), verb
    rows = scalpel(repo.root, "show-tx", tx, "--json").data["files"]
    assert [row["path"] for row in rows] == ["a.txt"], "nothing was taken in before"
    assert scalpel(repo.root, "land", tx, "-m", "café").status == 0
    assert repo.git("log", "-1", "--format=%s").strip() == "café"


def test_lone_surrogate_in_an_api_message_is_refused(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened, pytest.raises(gitscalpel.BadCall, match="not UTF-8"):
        opened.edit(gitscalpel.Write(path="b", content="x"), message="\ud800")
