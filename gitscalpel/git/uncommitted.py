"""What a work tree holds, as git would commit it: ignored files left out, filters and modes applied.

Git adds it to a copy of the index, so that the user's own stays as it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from gitscalpel.errors import DoesNotFit, NotAllowed
from gitscalpel.git import index
from gitscalpel.git.repository import Repository
from gitscalpel.git.run import Git, failure, listing, paths
from gitscalpel.snapshot import SUBMODULE, Change, Oid

_FROM_STDIN = ("--pathspec-from-file=-", "--pathspec-file-nul")


def contents(repo: Repository) -> Oid:
    """The tree of everything in the work tree.

    Raises:
        DoesNotFit: ``conflicted``: a merge in it is not resolved.
    """
    unmerged = paths(repo.git("diff", "--name-only", "--diff-filter=U", "-z"))
    if unmerged:
        raise DoesNotFit(
            "conflicted",
            f"{', '.join(unmerged[:5])} in {repo.work_tree}: the merge is not resolved",
            "resolve it there and `git add` the files",
            paths=unmerged,
        )
    with _copied_index(repo) as git:
        git("add", "-A")
        return Oid(git("write-tree").decode("ascii").strip())


def changes(repo: Repository, base: Oid, names: Sequence[str]) -> list[Change]:
    """How the files at ``names`` (files or folders, ``""`` is the root) differ from the tree ``base``.

    Raises:
        DoesNotFit: ``file_not_found``.
        NotAllowed: ``path_denied``: ignored, or the inside of another repository.
    """
    wanted = listing([name or "." for name in names])
    with _copied_index(repo) as git:
        added = git.run("--literal-pathspecs", "add", "-A", *_FROM_STDIN, stdin=wanted)
        if added.status:
            _refuse(added.status, added.err)
        rows = git("--literal-pathspecs", "diff-index", "--cached", "--raw", "--no-renames", "-z", base)
    found = [change for change in _parse(rows) if _is_below(change.path, names)]
    for change in found:
        if change.mode == SUBMODULE:
            raise NotAllowed("path_denied", f"{change.path} is a repository of its own", "leave it out")
    return found


@contextmanager
def _copied_index(repo: Repository) -> Iterator[Git]:
    """A git that works on a copy of the index."""
    copy = repo.scalpel_dir / f"index.{os.urandom(8).hex()}"
    repo.scalpel_dir.mkdir(parents=True, exist_ok=True)
    index.copied(repo.git_dir / "index", copy)
    try:
        yield repo.git.with_env(GIT_INDEX_FILE=str(copy))
    finally:
        for left in (copy, Path(f"{copy}.lock")):
            left.unlink(missing_ok=True)


def _parse(rows: bytes) -> Iterator[Change]:
    """The changes of ``diff-index --raw -z``: pairs of fields and path."""
    parts = rows.split(b"\0")
    for fields, path in zip(parts[0::2], parts[1::2], strict=False):
        _, mode, _, oid, status = fields.decode("ascii").lstrip(":").split(" ")
        gone = status == "D"
        yield Change(os.fsdecode(path), "" if gone else mode, None if gone else Oid(oid))


def _is_below(path: str, names: Sequence[str]) -> bool:
    return any(name in ("", path) or path.startswith(name.rstrip("/") + "/") for name in names)


def _refuse(status: int, words: str) -> None:
    if "did not match any files" in words:
        raise DoesNotFit("file_not_found", words.removeprefix("fatal: "), "check the path")
    if "are ignored by" in words:
        raise NotAllowed("path_denied", words, "add it with `git add -f` if it belongs to the repository")
    if "is in submodule" in words:
        raise NotAllowed("path_denied", words.removeprefix("fatal: "), "run git scalpel in the submodule")
    raise failure("add", status, words)
