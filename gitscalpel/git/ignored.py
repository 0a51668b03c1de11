"""Ignored files, found by git with the user's ignore rules and with rules that distinguish case.

With ``core.ignoreCase`` on a file system that distinguishes case, an ignore rule also matches names in other
cases. Then the user's git and ours ignore different files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from gitscalpel.git.process import Git, Result, join_listing, split_listing
from gitscalpel.git.repository import Repository

_GIT = ".git"


def find_ignored(git: Git, options: Sequence[str]) -> Iterable[str]:
    """Yield the ignored files, and the directories that are ignored as a whole.

    Git does not descend into the latter. It also lists a directory that contains only ignored files, before
    the files. Such a directory is skipped, since other files in it would not be ignored.
    """
    words = ("ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory", "--full-name", ":(top)")
    names = sorted(split_listing(git(*options, *words)))
    for name, after in zip(names, [*names[1:], ""], strict=False):
        if not (name.endswith("/") and after.startswith(name)):
            yield name


def select_ignored(git: Git, options: Sequence[str], names: Sequence[str]) -> frozenset[str]:
    """Return those of ``names`` that git ignores. Directories have no trailing slash.

    With the slash, git would match a directory against patterns for the files in it.
    """
    words = (*options, "check-ignore", "-z", "--stdin")
    done = git.run(*words, stdin=join_listing(names)) if names else Result(1, b"", "")
    if done.status > 1:  # a path is now in another repository, where git gives up
        return frozenset(name for name in names if not git.run(*words, stdin=join_listing([name])).status)
    return frozenset(split_listing(done.out))


def is_ignored_or_nested(repo: Repository, path: str) -> bool:
    """Return True if the file at a path is ignored or inside a nested repository.

    Files in a git directory are neither, since no file may be written there.
    """
    if repo.work_tree is None or _GIT in path.lower().split("/"):
        return False
    folders = list(PurePosixPath(path).parents)[:-1]
    if any(os.path.lexists(Path(repo.work_tree, folder, _GIT)) for folder in folders):
        return True
    return repo.git.run("check-ignore", "-z", "--stdin", stdin=join_listing([path])).status == 0


def find_hidden_by_case(git: Git, user: Sequence[str], options: Sequence[str]) -> list[str]:
    """Return the files that git ignores with the options ``user`` but not with ``options``.

    The two differ in ``core.ignoreCase``, with which an ignore rule also matches names in other cases. A
    directory that is ignored as a whole is listed with a trailing slash, instead of its files.
    """
    if user == options:
        return []
    words = (*options, "ls-files", "-o", "-z", "--exclude-standard", "--full-name")
    folders = [name for name in split_listing(git(*words, "--directory", ":(top)")) if name.endswith("/")]
    found = sorted(f"{name}/" for name in select_ignored(git, user, [name[:-1] for name in folders]))
    files = [name for name in split_listing(git(*words, ":(top)")) if not name.startswith(tuple(found))]
    return [*found, *sorted(select_ignored(git, user, files))]


def find_shown_by_case(git: Git, user: Sequence[str], options: Sequence[str]) -> list[str]:
    """Return the files that git ignores with ``options`` but not with the options ``user``.

    An exception (``!KEEP``) then also matches names in other cases.
    """
    if user == options:
        return []
    words = ("ls-files", "-o", "-z", "--exclude-standard", "--full-name", ":(top)")
    shown = set(split_listing(git(*options, *words)))
    return [
        name for name in split_listing(git(*user, *words)) if name not in shown and not name.endswith("/")
    ]


def find_hidden(repo: Repository, git: Git) -> list[str]:
    """Return the files that only the user's git ignores, because it ignores case."""
    options = tuple(word for setting in repo.case_settings for word in ("-c", setting))
    user = ("-c", "core.ignoreCase=true") if options else ()
    return find_hidden_by_case(git, user, options)


def find_index_rules(repo: Repository, skipped: Sequence[str]) -> list[str]:
    """Return those of the ``skipped`` files that are ignore files which git reads from its index.

    Git reads an ignore file from the disk if it can open it there, without following a symbolic link.
    """
    root = Path(str(repo.work_tree))
    rules = [path for path in skipped if path.rpartition("/")[2] == ".gitignore"]
    return [path for path in rules if not _can_open(root / path)]


def _can_open(file: Path) -> bool:
    try:
        os.close(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK))
    except OSError:
        return False
    return True
