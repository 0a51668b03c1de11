"""Commits written without git equal those of ``git commit-tree`` byte for byte, or git writes them."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gitscalpel.errors import Misconfigured
from gitscalpel.git import commits
from gitscalpel.git.object_store import Store, open_store
from gitscalpel.git.repository import discover
from tests.git.repository_kinds import open_stores, result_or_error
from tests.sandbox import Sandbox

ODD_NAMES = [
    "",
    "Ada",
    "Ada B. Jr.",
    " Ada",
    "a<b",
    "a\nb",
    "Günther Ä",
    ".",
    "\udcff",
    "a\0b",
    "\ufdd0",
    "A\x7f",
    "\\x",
]
TEXTS = st.sampled_from([*ODD_NAMES, "\U0001fffe", "\uffff", "a\r\nb", "#c", "x\n\n\n"]) | st.text(max_size=8)
DATES = st.sampled_from(
    [
        *("", " 0 +0000", " 1600000000 +0130", " 1600000000 -0000", " 1600000000 -0945", " 1600000000 +1400"),
        *(" 01 +0000", " -5 +0000", " 1600000000", " 1600000000 +0190", " 99999999999 +0000", " yesterday"),
    ]
)


def test_any_author_and_message_give_the_same_commit(repo: Sandbox) -> None:
    opened = discover(repo.root, os.environ)
    with open_store(opened) as one, open_store(opened, long_lived=True) as other:
        tree = one.commit("HEAD").tree

        @settings(max_examples=80, deadline=None)
        @given(message=TEXTS, name=TEXTS, mail=TEXTS, date=DATES)
        @example(message="x", name="Ada", mail="a@b", date=" 1600000000 -0000")
        @example(message="x", name="Ada", mail="a@b", date=" 1600000000 +0130")
        def compare_commits(message: str, name: str, mail: str, date: str) -> None:
            def write(store: Store) -> str:
                author = f"{name} <{mail}>{date}".replace("\0", "")
                return store.write_commit(tree, [], message, author=author)

            assert result_or_error(write, one) == result_or_error(write, other)

        compare_commits()


@pytest.mark.parametrize("parents", [0, 1, 2, 3])
def test_parents_and_invalid_parents_are_handled_as_by_git(repo: Sandbox, parents: int) -> None:
    head = repo.tip()
    others = [repo.git("commit-tree", f"{head}^{{tree}}", "-p", head, "-m", str(n)) for n in range(3)]
    tree = repo.git("rev-parse", "HEAD^{tree}")
    for parents_given in (
        others[:parents],
        [head, head, *others[:parents]],
        [tree],
        ["0" * 40],
        ["main"],
        [head[:9]],
    ):
        assert (
            len(
                {result_or_error(store.write_commit, tree, parents_given, "x") for store in open_stores(repo)}
            )
            == 1
        )
    assert {result_or_error(store.write_commit, head, [], "x") for store in open_stores(repo)} == {
        ("InputOutput", "io_error")
    }


@pytest.fixture(
    params=["UTC", "Asia/Kolkata", "America/St_Johns", "XYZ+0:20", "Pacific/Kiritimati", "Nowhere/At_All"]
)
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.delenv(name)
    with monkeypatch.context() as changed:
        changed.setenv("TZ", request.param)  # without tzset, as for a process whose environment changes
        yield request.param
    time.tzset()


def test_current_time_is_written_in_the_users_time_zone(repo: Sandbox, zone: str) -> None:
    authors, seconds = [], []
    for store in open_stores(repo):
        commit = store.commit(store.write_commit(store.commit("HEAD").tree, [], "x"))
        assert commit.author == commit.committer
        seconds.append(int(commit.author.split()[-2]))
        authors.append(re.sub(r"> \d+ ", "> ", commit.author))
    assert authors[0] == authors[1]
    assert all(abs(second - time.time()) <= 4 for second in seconds)


@pytest.mark.parametrize(
    "date", ["1600000000 -0330", "2020-02-03T04:05:06+02:00", "Mon, 3 Feb 2020 04:05:06 -0000"]
)
def test_date_of_the_environment_is_written_as_by_git(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch, date: str
) -> None:
    monkeypatch.setenv("GIT_AUTHOR_DATE", date)
    for author in (None, "Eve <eve@example.org>"):
        written = {
            store.write_commit(store.commit("HEAD").tree, [], "x", author=author)
            for store in open_stores(repo)
        }
        assert len(written) == 1


def test_ordinary_commit_is_written_without_git(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(discover(repo.root, os.environ), long_lived=True) as store:
        tree, head = store.commit("HEAD").tree, repo.tip()
        monkeypatch.setattr(commits, "write_by_git", None)
        store.write_commit(tree, [head], "söme\n\nbody", author="Günther Ä <g@example.org> 1600000000 +0130")
        store.write_commit(tree, [head], "by the user, now")


def test_changed_configuration_applies_to_the_next_commit(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
        monkeypatch.delenv(name)
    included = repo.root.parent / "included"
    included.write_text("[user]\n\tname = Included\n")
    repo.git("config", "user.email", "m@example.org")
    repo.git("config", "user.name", "First")
    with open_store(discover(repo.root, os.environ), long_lived=True) as store:

        def find_committer() -> str:
            return store.commit(store.write_commit(store.commit("HEAD").tree, [], "x")).committer.split()[0]

        assert find_committer() == "First"
        repo.git("config", "user.name", "Second")
        assert find_committer() == "Second"
        repo.git("config", "include.path", str(included))
        assert find_committer() == "Included"
        included.write_text("[user]\n\tname = Changed\n")
        assert find_committer() == "Changed"
        monkeypatch.setenv("GIT_COMMITTER_NAME", "Environment")
        assert find_committer() == "Environment"
        repo.git("config", "gpg.program", "false")
        repo.git("config", "commit.gpgSign", "true")
        with pytest.raises(Misconfigured, match="could not sign"):
            find_committer()
        repo.git("config", "commit.gpgSign", "false")
        assert find_committer() == "Environment"
        monkeypatch.delenv("GIT_COMMITTER_NAME")
        (repo.root / ".git/config").write_text("[user]\n\tuseConfigOnly = true\n")
        with pytest.raises(Misconfigured) as refused:
            find_committer()
        assert refused.value.code == "identity_unknown"
