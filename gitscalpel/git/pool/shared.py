"""Folders of the checkout that its worktrees share by a link: installed packages, large and ignored.

One that leads back into the checkout (an editable install, a workspace) would have programs
run the user's files in the place of the transaction's, and is refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from gitscalpel.errors import Misconfigured

_NAMING_PLACES = ("*.pth", "*.egg-link", "*.dist-info/direct_url.json", "__editable__*.py")
"""Files of installed Python packages that say where their code lies."""
_PACKAGES = ("lib/python*/site-packages", "Lib/site-packages")
_DEEPEST = 3
"""Links to packages of a workspace stand at most so far below ``node_modules``: in the folder of a scope."""


def link(checkout: Path, root: Path, names: Sequence[str]) -> tuple[str, ...]:
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
