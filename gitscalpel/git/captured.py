"""A work tree as a tree of the bytes that lie there: tracked or not, but for what git ignores.

A git directory of our own lies beside the user's: it has the same objects, an index that stays, so that only
what has changed since the last time is read (https://git-scm.com/docs/racy-git), and attributes by which
nothing is converted. What a clean filter strips is held, line endings are as they are, no program runs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from gitscalpel.changesets.answers import quoted
from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import InputOutput
from gitscalpel.git import index, scratch, unheld
from gitscalpel.git.repository import Repository
from gitscalpel.git.run import Git, failure, listing, paths
from gitscalpel.git.unheld import Unheld
from gitscalpel.system import private_files
from gitscalpel.system.failpoint import step
from gitscalpel.system.repo_lock import Lock

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
_CLOSED = "warning: could not open directory '(.*)': (.*)"
_SPECIAL = "error: (.*): can only add regular files, symbolic links or git-directories"
_SAID = (
    (
        "warning: adding embedded git repository: (.*)",
        r"\1 is a repository of its own; only its commit is held",
    ),
    (_CLOSED, r"\1: \2"),
    (_SPECIAL, r"\1 is not a regular file"),
    ("error: (.*)", r"\1"),
)
_FROM_STDIN = ("--pathspec-from-file=-", "--pathspec-file-nul")
_NONE = Unheld()
_NAMED = 5
_NOT_WRITTEN = "failed to insert into database"
"""What git says of a file that it could read and not write: no word about the file, but about the disk."""


class Captured(msgspec.Struct, frozen=True):
    """The state of a work tree.

    Attributes:
        tree: each file with its bytes as they are.
        left_out: in words, files that are left out, or not held as they are.
        unheld: files that exist and are not in the tree.
    """

    tree: Oid
    left_out: tuple[str, ...]
    unheld: Unheld


def capture(repo: Repository, held: Lock, apart: Unheld = _NONE) -> Captured:
    """Write the files of the work tree as a tree.

    Args:
        repo: the repository.
        held: the tool's lock, so that no edit is halfway, and no other process uses the index of our own.
        apart: files that were ignored in an earlier state. They stay out of the object database
            although git no longer ignores them, unless the user has added them to the index.

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
            captured = _written(repo, git, apart)
        except InputOutput:  # the index is damaged, or what it names is let go of: all is read again
            copy.unlink(missing_ok=True)
            captured = _written(repo, git, apart)
        step()
        copy.rename(kept)
    return captured


def _written(repo: Repository, git: Git, apart: Unheld) -> Captured:
    """Write the tree of the files that are there; git names those that it cannot read."""
    known = (f"{name}={repo.config[name.lower()]}" for name in _AS_THERE if name.lower() in repo.config)
    user = (*_QUIETLY, *_as_options(known))  # decides what is ignored
    options = (*user, *_as_options(repo.case_settings))  # sees each file of the disk
    root = Path(str(repo.work_tree))
    _forget(git, unheld.find_abandoned(git, root, Path(git.env["GIT_INDEX_FILE"])))
    skipped = unheld.find_skipped(repo)
    sparse, rules = unheld.find_absent(repo, skipped), unheld.find_index_rules(repo, skipped)
    _with_rules(repo, git, rules)
    added = _forget_ignored(repo, git, user)
    revealed = unheld.find_revealed(repo, git, user, apart)
    hidden = unheld.find_hidden_by_case(git, user, options)
    added += unheld.find_shown_by_case(git, user, options)
    said = _added(git, *_add(options), stdin=_all_but([*revealed, *hidden]))
    special = [found[1] for line in said if (found := re.fullmatch(_SPECIAL, line))]
    _forget(git, [*revealed, *special])  # else git goes on having the file that was there before
    said += _add_ignored(git, options, added)
    missing = _missing(git, options) if said or revealed else []
    ignored = (*unheld.find_ignored(git, options), *hidden)
    names = (*ignored, *sparse, *rules, *missing, *_unreadable(said))
    _forget(git, rules)
    tree = Oid(git("write-tree").decode("ascii").strip())
    left_out = tuple(words for words in (*map(_words, said), _revealed(revealed)) if words)
    return Captured(tree, left_out, Unheld(frozenset(names)))


def _as_options(settings: Iterable[str]) -> Iterator[str]:
    return (word for setting in settings for word in ("-c", setting))


def _with_rules(repo: Repository, git: Git, names: Sequence[str]) -> None:
    """Add ignore files that git reads from the user's index to ours, where git reads them as well."""
    if names:
        found = index.entries(repo.git, names)
        rows = (f"{found[path].entry.mode} {found[path].entry.oid}\t{path}" for path in names)
        git("update-index", "--add", "--replace", "-z", "--index-info", stdin=listing([*rows]))
        git("update-index", "--skip-worktree", "-z", "--stdin", stdin=listing(names))


def _forget(git: Git, names: Sequence[str]) -> None:
    """Take files and folders out of the index."""
    if names:
        words = ("rm", "-r", "-f", "-q", "--cached", "--ignore-unmatch", "--sparse")
        git("--literal-pathspecs", *words, *_FROM_STDIN, stdin=listing(names))


def _revealed(names: Sequence[str]) -> str:
    """Return in words which files stay out although git no longer ignores them."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return (
        f"{', '.join(map(quoted, names[:_NAMED]))}{more}, which git ignored or could not read before"
        if names
        else ""
    )


def _add(options: Sequence[str]) -> tuple[str, ...]:
    return (*options, "add", "-A", "--ignore-errors", *_FROM_STDIN)


def _all_but(names: Sequence[str]) -> bytes:
    return listing([":(top)", *(f":(top,exclude,literal){name}" for name in names)])


def _missing(git: Git, options: Sequence[str]) -> list[str]:
    """Return the files that are not ignored, and that git has not added all the same."""
    return paths(git(*options, "ls-files", "-z", "-o", "--exclude-standard", "--full-name", ":(top)"))


def _unreadable(said: Sequence[str]) -> list[str]:
    """Return the folders that git could not open."""
    return [f"{found[1].rstrip('/')}/" for line in said if (found := re.fullmatch(_CLOSED, line))]


def _added(git: Git, *words: str, stdin: bytes = b"") -> list[str]:
    """What git says while it adds: it goes on where a file cannot be read, and dies of everything else."""
    done = git.run(*words, stdin=stdin)
    if done.status > 1 or _NOT_WRITTEN in done.err:
        raise failure("add", done.status, done.err)
    return done.err.splitlines()


def _forget_ignored(repo: Repository, git: Git, options: Sequence[str]) -> list[str]:
    """Take the ignored files out of our index that the user's index does not contain.

    Git would add what they contain by now: it ignores no file that its index contains.

    Returns:
        the ignored files that exist and that the user's index contains.
    """
    words = ("ls-files", "-z", "-c", "-i", "--exclude-standard", "--full-name", ":(top)")
    theirs, ours = set(paths(repo.git(*words))), set(paths(git(*options, *words)))
    gone = sorted(ours - theirs)
    if gone:
        git("update-index", "--force-remove", "-z", "--stdin", stdin=listing(gone))
    root = Path(str(repo.work_tree))
    return [path for path in sorted(theirs) if os.path.lexists(root / path)]


def _add_ignored(git: Git, options: Sequence[str], names: Sequence[str]) -> list[str]:
    """Add files although git ignores them, and return what git says of them."""
    if not names:
        return []
    words = ("add", "-f", "--ignore-errors", *_FROM_STDIN)
    return _added(git, "--literal-pathspecs", *options, *words, stdin=listing(names))


def _git_dir(repo: Repository) -> Path:
    """A git directory of our own for this worktree alone, so that it goes with it."""
    folder = private_files.folder(private_files.folder(repo.git_dir / "scalpel") / "captured")
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
        private_files.folder(folder / name)
    for name, content in files.items():
        file = folder / name
        if not file.is_file() or file.read_bytes() != content:
            step()
            private_files.write(file, content)
    return folder


def _words(line: str) -> str:
    """What a line of git's says is not held, or not as it is."""
    return next((match.expand(said) for told, said in _SAID if (match := re.fullmatch(told, line))), "")
