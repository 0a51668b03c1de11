"""Whether any attribute can be set at all, so that git need not be asked which are.

Most repositories have none. They stand in files of the work tree, of the index where the work tree lacks
them, of the git directory, of the user and of the machine (https://git-scm.com/docs/gitattributes). Where it
is not certain that there are none of them, git is asked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from gitscalpel.git import index_file
from gitscalpel.git.finding import has_usual_places
from gitscalpel.git.repository import Repository

NAME = ".gitattributes"


def none_set(repo: Repository, names: Sequence[str]) -> bool:
    """Whether certainly no attribute is set for any of ``names``."""
    if repo.work_tree is None or repo.config.get("attr.tree") or any(_speaks(name) for name in names):
        return False
    if any(os.path.lexists(file) for file in _outside(repo)):
        return False
    folders = {folder for name in names for folder in _above(name)}
    if any(os.path.lexists(f"{repo.work_tree}/{folder}{NAME}") for folder in folders):
        return False
    content = index_file.plain(repo)
    if content is not None and repo.flag("core.ignoreCase"):
        content = content.lower()
    return content is not None and NAME.encode() not in content


def converts_all(repo: Repository) -> bool:
    """Whether line endings are converted where no attribute says so."""
    return repo.config.get("core.autocrlf", "false").lower() not in ("false", "no", "off", "0")


def _speaks(name: str) -> bool:
    return name.rpartition("/")[2].casefold() == NAME


def _above(name: str) -> Iterator[str]:
    """The folders above a file, each with a slash at its end; the root is ``""``."""
    yield ""
    yield from (name[: at + 1] for at, character in enumerate(name) if character == "/")


def _outside(repo: Repository) -> Iterator[str]:
    """Files beside those of the work tree; the root stands for what is not known."""
    environment = repo.environment
    yield str(repo.common_dir / "info/attributes")
    home = environment.get("XDG_CONFIG_HOME") or f"{environment.get('HOME', '')}/.config"
    yield "/" if "core.attributesfile" in repo.config else f"{home}/git/attributes"
    if environment.get("GIT_ATTR_NOSYSTEM", "") in ("", "0"):
        yield "/etc/gitattributes" if has_usual_places(environment) else "/"
