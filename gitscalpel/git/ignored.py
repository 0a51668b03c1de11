"""Ignored files: found by git, with the rules that hold for the user and those that see each file.

With ``core.ignoreCase`` on a file system that keeps names apart which differ by case, an ignore rule also
matches names in other cases. Then the user's git and ours see different files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from gitscalpel.git.process import Git, Result, listing, paths
from gitscalpel.git.repository import Repository

_GIT = ".git"


def find_ignored(git: Git, options: Sequence[str]) -> Iterable[str]:
    """Find the ignored files, and the folders that are ignored as a whole.

    Git does not descend into these. It names folders that only contain ignored files as well, before the
    files: such a folder is no entry, since other files in it would not be ignored.
    """
    words = ("ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory", "--full-name", ":(top)")
    names = sorted(paths(git(*options, *words)))
    for name, after in zip(names, [*names[1:], ""], strict=False):
        if not (name.endswith("/") and after.startswith(name)):
            yield name


def select_ignored(git: Git, options: Sequence[str], names: Sequence[str]) -> frozenset[str]:
    """Return those of ``names`` that git ignores; folders come without a slash at the end.

    With the slash, git would match a folder against patterns for the files in it.
    """
    words = (*options, "check-ignore", "-z", "--stdin")
    done = git.run(*words, stdin=listing(names)) if names else Result(1, b"", "")
    if done.status > 1:  # a path lies in another repository by now: git gives up at the first one
        return frozenset(name for name in names if not git.run(*words, stdin=listing([name])).status)
    return frozenset(paths(done.out))


def is_ignored_or_nested(repo: Repository, path: str) -> bool:
    """Whether a file, by its place below the root, is ignored or in a repository of its own.

    What lies in a git directory is neither: nobody is to write there.
    """
    if repo.work_tree is None or _GIT in path.lower().split("/"):
        return False
    folders = list(PurePosixPath(path).parents)[:-1]
    if any(os.path.lexists(Path(repo.work_tree, folder, _GIT)) for folder in folders):
        return True
    return repo.git.run("check-ignore", "-z", "--stdin", stdin=listing([path])).status == 0


def find_hidden_by_case(git: Git, user: Sequence[str], options: Sequence[str]) -> list[str]:
    """Find what git with the options ``user`` ignores, and with ``options`` takes for new files.

    The two differ in ``core.ignoreCase``, with which an ignore rule also matches names in other cases.
    Folders that are ignored as a whole come with a slash at the end, instead of their files.
    """
    if user == options:
        return []
    words = (*options, "ls-files", "-o", "-z", "--exclude-standard", "--full-name")
    folders = [name for name in paths(git(*words, "--directory", ":(top)")) if name.endswith("/")]
    found = sorted(f"{name}/" for name in select_ignored(git, user, [name[:-1] for name in folders]))
    files = [name for name in paths(git(*words, ":(top)")) if not name.startswith(tuple(found))]
    return [*found, *sorted(select_ignored(git, user, files))]


def find_shown_by_case(git: Git, user: Sequence[str], options: Sequence[str]) -> list[str]:
    """Find the files that git with ``options`` ignores, and with the options ``user`` takes for new ones.

    An exception (``!KEEP``) then also matches names in other cases.
    """
    if user == options:
        return []
    words = ("ls-files", "-o", "-z", "--exclude-standard", "--full-name", ":(top)")
    shown = set(paths(git(*options, *words)))
    return [name for name in paths(git(*user, *words)) if name not in shown and not name.endswith("/")]


def find_hidden(repo: Repository, git: Git) -> list[str]:
    """Find what only the user's git ignores, which ignores the case of names as well."""
    options = tuple(word for setting in repo.case_settings for word in ("-c", setting))
    user = ("-c", "core.ignoreCase=true") if options else ()
    return find_hidden_by_case(git, user, options)


def find_index_rules(repo: Repository, skipped: Sequence[str]) -> list[str]:
    """Find those of the ``skipped`` files whose ignore rules git reads from its index.

    Git reads an ignore file from the disk if it can open it there, and follows no symbolic link for that.
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
