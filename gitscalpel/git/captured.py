"""A work tree as a tree of the bytes that lie there: tracked or not, but for what git ignores.

A git directory of our own lies beside the user's: it has the same objects, an index that stays, so that only
what has changed since the last time is read (https://git-scm.com/docs/racy-git), and attributes by which
nothing is converted. What a clean filter strips is held, line endings are as they are, no program runs.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from gitscalpel import private
from gitscalpel.errors import InputOutput
from gitscalpel.failpoint import step
from gitscalpel.git import index, scratch
from gitscalpel.git.repository import Repository
from gitscalpel.git.run import Git, failure, listing, paths
from gitscalpel.lock import Lock
from gitscalpel.snapshot import Oid

_UNCONVERTED = b"* -text -filter -ident -working-tree-encoding\n"
_QUIETLY = ("-c", "advice.addEmbeddedRepo=false", "-c", "core.autocrlf=false")
_AS_THERE = (
    "core.fileMode",
    "core.symlinks",
    "core.ignoreCase",
    "core.precomposeUnicode",
    "core.excludesFile",
)
"""What the user's git knows of the disk."""
_SAID = (
    (
        "warning: adding embedded git repository: (.*)",
        r"\1 is a repository of its own; only its commit is held",
    ),
    ("warning: could not open directory '(.*)': (.*)", r"\1: \2"),
    ("error: (.*)", r"\1"),
)
_NOT_WRITTEN = "failed to insert into database"
"""What git says of a file that it could read and not write: no word about the file, but about the disk."""


def tree(repo: Repository, held: Lock) -> tuple[Oid, list[str]]:
    """The work tree, each file with its bytes as they are.

    ``held`` is the tool's lock, so that no edit is halfway, and no other process uses the index of our own.

    Returns:
        also, in words, what is left out, or not held as it is.

    Raises:
        ScalpelError: where the objects cannot be written, `busy` on a full disk and else `io_error`.
    """
    folder = _git_dir(repo)
    kept = folder / "index"
    with scratch.made(repo.scalpel_dir) as made:
        copy = made.path / "index"
        git = repo.git.inheriting(held).inheriting(made.lock)
        git = git.with_env(
            GIT_DIR=str(folder),
            GIT_WORK_TREE=str(repo.work_tree),
            GIT_OBJECT_DIRECTORY=str(repo.common_dir / "objects"),
            GIT_INDEX_FILE=str(copy),
        )
        index.copied(kept, copy)
        try:
            written, said = _written(repo, git)
        except InputOutput:  # the index is damaged, or what it names is let go of: all is read again
            copy.unlink(missing_ok=True)
            written, said = _written(repo, git)
        step()
        copy.rename(kept)
    return written, [words for words in map(_words, said) if words]


def _written(repo: Repository, git: Git) -> tuple[Oid, list[str]]:
    """The tree of what is there, and what git says of files that it cannot read."""
    known = (f"{name}={repo.config[name.lower()]}" for name in _AS_THERE if name.lower() in repo.config)
    options = (*_QUIETLY, *(word for setting in known for word in ("-c", setting)))
    said = _added(git, *options, "add", "-A", "--ignore-errors", ":(top)")
    said += _as_the_user_has_it(repo, git, options)
    return Oid(git("write-tree").decode("ascii").strip()), said


def _added(git: Git, *words: str, stdin: bytes = b"") -> list[str]:
    """What git says while it adds: it goes on where a file cannot be read, and dies of everything else."""
    done = git.run(*words, stdin=stdin)
    if done.status > 1 or _NOT_WRITTEN in done.err:
        raise failure("add", done.status, done.err)
    return done.err.splitlines()


def _as_the_user_has_it(repo: Repository, git: Git, options: tuple[str, ...]) -> list[str]:
    """Of what is ignored, what the user's index has is in ours as well, and nothing else is."""
    ignored = ("ls-files", "-z", "-c", "-i", "--exclude-standard", "--full-name", ":(top)")
    theirs, ours = (set(paths(each(*ignored))) for each in (repo.git, git))
    root = Path(str(repo.work_tree))
    there = [path for path in sorted(theirs) if os.path.lexists(root / path)]
    said = []
    if there:
        named = ("--ignore-errors", "--pathspec-from-file=-", "--pathspec-file-nul")
        said = _added(git, "--literal-pathspecs", *options, "add", "-f", *named, stdin=listing(there))
    gone = sorted(ours - theirs)
    if gone:
        git("update-index", "--force-remove", "-z", "--stdin", stdin=listing(gone))
    return said


def _git_dir(repo: Repository) -> Path:
    """A git directory of our own for this worktree alone, so that it goes with it."""
    folder = private.folder(private.folder(repo.git_dir / "scalpel") / "captured")
    version, form = (0, "") if repo.object_format == "sha1" else (1, repo.object_format)
    config = f"[core]\n\trepositoryformatversion = {version}\n\tbare = false\n"
    config += f"[extensions]\n\tobjectformat = {form}\n" if form else ""
    exclude = repo.common_dir / "info" / "exclude"
    files = {
        "HEAD": b"ref: refs/heads/none\n",
        "config": config.encode(),
        "info/attributes": _UNCONVERTED,
        "info/exclude": exclude.read_bytes() if exclude.is_file() else b"",
    }
    for name in ("info", "objects", "refs"):
        private.folder(folder / name)
    for name, content in files.items():
        file = folder / name
        if not file.is_file() or file.read_bytes() != content:
            step()
            private.write(file, content)
    return folder


def _words(line: str) -> str:
    """What a line of git's says is not held, or not as it is."""
    return next((match.expand(said) for told, said in _SAID if (match := re.fullmatch(told, line))), "")
