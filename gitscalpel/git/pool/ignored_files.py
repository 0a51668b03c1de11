"""Give a worktree ignored files of the checkout: directories by link, files by copy.

Shared directories are installed packages, large and ignored. One that leads back into the checkout (an
editable install, a workspace) would have programs run the user's files instead of the transaction's, and
is refused.

``.worktreeinclude`` names files to copy, with patterns as in ``.gitignore``. Only the worktree of a
person or agent gets them; worktrees for gates do not.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from gitscalpel.errors import Misconfigured
from gitscalpel.git.process import Git, paths

_NAMING_PLACES = ("*.pth", "*.egg-link", "*.dist-info/direct_url.json", "__editable__*.py")
"""Files of installed Python packages that say where their code lies."""
_PACKAGES = ("lib/python*/site-packages", "Lib/site-packages")
_DEEPEST = 3
"""Links to packages of a workspace stand at most so far below ``node_modules``: in the folder of a scope."""


def link_directories(checkout: Path, root: Path, names: Sequence[str]) -> tuple[str, ...]:
    """Link the folders ``names`` of the checkout into the worktree at ``root``, where nothing is in the way.

    Returns:
        those that are linked there now.

    Raises:
        Misconfigured: ``config_error``: one leads back into the checkout.
    """
    linked = []
    for name in names:
        folder, here = checkout / name, root / name
        if folder.is_dir() and not here.exists():
            back = next(_leading_back(folder, checkout), None)
            if back is not None:
                raise _refusal(name, back)
            here.unlink(missing_ok=True)  # a link that leads nowhere any more
            here.parent.mkdir(parents=True, exist_ok=True)
            here.symlink_to(folder, target_is_directory=True)
        if here.is_symlink() and here.readlink() == folder:
            linked.append(name)
    return tuple(linked)


def _leading_back(folder: Path, checkout: Path) -> Iterator[Path]:
    """What in a folder leads to files of the checkout outside of it."""
    for file in (
        file for place in _PACKAGES for name in _NAMING_PLACES for file in folder.glob(f"{place}/{name}")
    ):
        if os.fsencode(checkout) in file.read_bytes().replace(os.fsencode(folder), b""):
            yield file
    for here, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = Path(here) / name
            if path.is_symlink() and _is_between(path.resolve(), folder.resolve(), checkout.resolve()):
                yield path
        if len(Path(here).relative_to(folder).parts) >= _DEEPEST - 1:
            folders.clear()


def _is_between(path: Path, folder: Path, checkout: Path) -> bool:
    return path.is_relative_to(checkout) and not path.is_relative_to(folder)


def _refusal(name: str, back: Path) -> Misconfigured:
    return Misconfigured(
        "config_error",
        f"the shared folder {name} leads back into your checkout ({back}): programs that run in a "
        "worktree would see your files, not the transaction's",
        "leave it out of gates.shared, and install in each worktree with gates.setup",
        path=name,
    )


_NAME = ".worktreeinclude"
_MOST = 1_000


def copy_included(git: Git, root: Path, place: Path) -> None:
    """Copy what is not there yet.

    Args:
        git: that of the checkout.
        root: the checkout's folder.
        place: the worktree's.
    """
    for path in _wanted(git, root):
        source, target = root / path, place / path
        if source.is_symlink() or target.is_symlink() or target.exists():
            continue
        if not target.parent.resolve().is_relative_to(place.resolve()):
            continue  # the tree has a link there, which leads out
        with suppress(OSError):  # what cannot be had is missed by who needs it
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)


def _wanted(git: Git, root: Path) -> Iterator[str]:
    file = root / _NAME
    if not file.is_file():
        return
    import pathspec

    wanted = pathspec.GitIgnoreSpec.from_lines(file.read_text("utf-8", "replace").splitlines())
    words = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard")
    found = [path for path in paths(git(*words)) if wanted.match_file(path) and (root / path).is_file()]
    yield from found[:_MOST]
