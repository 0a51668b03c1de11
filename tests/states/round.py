"""A user's whole round in a repository as it is: every verb that moves the branch, and what it may touch.

The repository has two edits behind it, one landed and one undone, so that there is something to
undo and something to redo before anything else happens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from gitscalpel import Repository, ScalpelError, changeset
from gitscalpel.changesets.file_tree import EXECUTABLE, SYMLINK
from tests import copies
from tests.command import blob
from tests.sandbox import Content, Sandbox
from tests.whole import text

LINES = b"".join(b"line %d\n" % number for number in range(1, 31))
BASE: dict[str, Content] = {
    "a.py": LINES,
    "b.py": b"b = 1\n",
    "sub/c.py": b"c = 1\n",
    "sub/deep/d.py": b"d = 1\n",
    "other/e.py": b"e = 1\n",
    "run.sh": (EXECUTABLE, b"#!/bin/sh\n"),
    "link": (SYMLINK, b"b.py"),
    ".gitignore": b"*.log\n",
}


def template(root: Path, *options: str) -> Sandbox:
    """The repository that every state is made from."""
    repo = Sandbox.init(root, *options)
    repo.git("config", "gc.auto", "0")
    repo.commit(BASE)
    with Repository(repo.root) as opened:
        opened.edit(text("line 2\n", "line 2, landed\n"))
        opened.edit(text("line 4\n", "line 4, undone\n"))
        opened.undo()
    return repo


def copied(repo: Sandbox, root: Path) -> Sandbox:
    """The same repository at another place."""
    copies.copied(repo.root, root)
    return Sandbox(root)


class Seen(NamedTuple):
    """What belongs to the user, as far as a verb says nothing of it."""

    staged: tuple[str, ...]
    status: tuple[str, ...]
    files: Mapping[str, bytes | str]


def seen(repo: Sandbox, *but: str) -> Seen:
    """Everything but the paths that a verb is about."""
    staged = repo.git("ls-files", "--stage", "-v", "-t").splitlines()
    status = repo.status().splitlines()
    files = repo.files().items()
    return Seen(
        tuple(row for row in staged if row.partition("\t")[2] not in but),
        tuple(row for row in status if row[3:] not in but),
        {path: content for path, content in files if path.rstrip("*") not in but},
    )


class Verb(NamedTuple):
    """Something that moves the branch.

    Attributes:
        call: does it, on the branch that is checked out or on the one named.
        path: the file that it is about.
        before, after: what the branch holds there.
    """

    call: Callable[[Sandbox, str | None], object]
    path: str
    before: bytes | None
    after: bytes | None


def _edit(repo: Sandbox, onto: str | None) -> None:
    with Repository(repo.root) as opened:
        opened.edit(text("line 10\n", "line 10, edited\n"), onto=onto)


def _staged(repo: Sandbox, onto: str | None) -> None:
    with Repository(repo.root) as opened:
        request = changeset({"op": "write", "path": "sub/new/n.py", "content": "n = 1\n"})
        tx = opened.apply(request, onto=onto, land=False).tx
        opened.transaction(str(tx)).land()


def _run(repo: Sandbox, onto: str | None) -> None:
    with Repository(repo.root) as opened:
        opened.run("sh", "-c", "mkdir -p other; echo 'made = 1' > other/made.py", onto=onto)


def _adopt(repo: Sandbox, onto: str | None) -> None:
    repo.write({"other/mine.py": b"mine = 1\n"})
    try:
        with Repository(repo.root) as opened:
            opened.begin(adopt=["other/mine.py"], onto=onto).land()
    except ScalpelError:
        assert (repo.root / "other/mine.py").read_bytes() == b"mine = 1\n"
        (repo.root / "other/mine.py").unlink()
        raise


def _undo(repo: Sandbox, onto: str | None) -> None:
    with Repository(repo.root) as opened:
        opened.undo(onto=onto)


def _redo(repo: Sandbox, onto: str | None) -> None:
    with Repository(repo.root) as opened:
        opened.redo(onto=onto)


_LANDED = LINES.replace(b"line 2\n", b"line 2, landed\n")
_REDONE = _LANDED.replace(b"line 4\n", b"line 4, undone\n")
_EDITED = _LANDED.replace(b"line 10\n", b"line 10, edited\n")
VERBS = {
    "redo": Verb(_redo, "a.py", _LANDED, _REDONE),
    "undo": Verb(_undo, "a.py", _REDONE, _LANDED),
    "edit": Verb(_edit, "a.py", _LANDED, _EDITED),
    "land": Verb(_staged, "sub/new/n.py", None, b"n = 1\n"),
    "run": Verb(_run, "other/made.py", None, b"made = 1\n"),
    "adopt": Verb(_adopt, "other/mine.py", None, b"mine = 1\n"),
}
"""In this order each finds what it needs."""


def works(repo: Sandbox, verb: Verb, onto: str | None) -> None:
    """Do it; the branch and the file on the disk are as they should be, and nothing else has changed."""
    branch = onto or "HEAD"
    assert blob(repo.root, f"{branch}:{verb.path}") == verb.before
    before = seen(repo, verb.path)
    verb.call(repo, onto)
    assert blob(repo.root, f"{branch}:{verb.path}") == verb.after
    assert seen(repo, verb.path) == before
    if onto is None:
        there = not repo.git("ls-files", "-t", "--", verb.path).startswith("S ")
        assert (repo.root / verb.path).exists() == there
        assert repo.git("diff", "--cached", "--name-only", "--", verb.path) == ""


def is_refused(repo: Sandbox, verb: Verb, onto: str | None, code: str) -> ScalpelError:
    """Try it; it is refused with ``code``, and nothing at all has changed."""
    before = repo.git("for-each-ref", "refs/heads", "refs/tags"), repo.git("rev-parse", "HEAD"), seen(repo)
    with pytest.raises(ScalpelError) as caught:
        verb.call(repo, onto)
    assert (caught.value.code, caught.value.hint != "") == (code, True), caught.value.message
    after = repo.git("for-each-ref", "refs/heads", "refs/tags"), repo.git("rev-parse", "HEAD"), seen(repo)
    assert after == before
    return caught.value
