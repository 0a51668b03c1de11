"""A repository begins with gitscalpel: a configuration to fill in, hooks where they are asked for; and back.

Nothing that is there is written over. What is taken back is only what is still as it was made.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from pathlib import Path

import msgspec

from gitscalpel.changesets import config
from gitscalpel.git import begun, scratch, shims
from gitscalpel.housekeeping import template
from gitscalpel.transaction.check import reading
from gitscalpel.workspace import Workspace

_FRAMEWORK = ".pre-commit-config.yaml"
_OURS = "git-scalpel"


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """What was found, and what was done.

    Attributes:
        configuration: what became of ``.gitscalpel.toml``, in words.
        languages: how many files there are in each, of those that can be judged.
        found: the hooks that were there, and whose they are.
        framework: the configuration of the pre-commit framework is there.
        hooks: what was done to each hook.
    """

    configuration: str
    languages: dict[str, int]
    found: dict[str, str]
    framework: bool
    hooks: dict[str, str]


def init(ws: Workspace, *, hooks: bool = False) -> Begun:
    """Write the configuration if there is none, and install hooks if they are asked for.

    Raises:
        BadCall: ``invalid_args``: the repository is bare.
        Misconfigured: ``config_error``: the folder of the hooks is not this repository's alone.
        DoesNotFit: ``exists``.
    """
    _refuse_confined(ws, hooks, changes=not _is_known(ws) and not os.path.lexists(_file(ws)))
    there = dict(shims.found(ws.here))
    done = dict(shims.install(ws.here, _program(ws))) if hooks else {}
    return _told(ws, "written; commit it" if _written(ws) else "kept as it is", there, done)


def _written(ws: Workspace) -> bool:
    if _is_known(ws):
        return False
    with scratch.made(ws.repo.scalpel_dir) as folder:
        return begun.write(_file(ws), template.TEXT, folder.path)


def deinit(ws: Workspace, *, hooks: bool = False) -> Begun:
    """Take back what :func:`init` has done, as far as nobody has changed it since.

    Raises:
        BadCall: ``invalid_args``: the repository is bare.
    """
    _refuse_confined(ws, hooks, changes=not _is_known(ws) and os.path.lexists(_file(ws)))
    there = dict(shims.found(ws.here))
    done = dict(shims.remove(ws.here)) if hooks else {}
    return _told(ws, _taken_back(ws), there, done)


def _refuse_confined(ws: Workspace, hooks: bool, *, changes: bool) -> None:
    """Refuse a caller who may not change what is about to be written or removed; nothing has been yet."""
    if changes:
        reading.refuse_paths(ws, (config.PATH,))
    if hooks:
        reading.refuse_confined(ws, "a hook")


def _taken_back(ws: Workspace) -> str:
    if not os.path.lexists(_file(ws)):
        return "there is none"
    if _is_known(ws):
        return "left: it is committed"
    return "removed" if begun.remove(_file(ws), template.TEXT) else "left: it is not as init wrote it"


def _told(ws: Workspace, words: str, found: dict[str, str], done: dict[str, str]) -> Begun:
    framework = (_root(ws) / _FRAMEWORK).is_file()
    return Begun(configuration=words, languages=_languages(ws), found=found, framework=framework, hooks=done)


def _languages(ws: Workspace) -> dict[str, int]:
    from gitscalpel.syntax.languages import recognise

    files = ws.snapshot(ws.here.resolve("HEAD^{commit}")).under("")
    named = (language.name for path in files if (language := recognise(path, b"")) is not None)
    return dict(Counter(named).most_common())


def _root(ws: Workspace) -> Path:
    ws.refuse_bare("do it in a clone; what a server calls is in the hooks folder of gitscalpel's repository")
    return Path(str(ws.here.work_tree))


def _file(ws: Workspace) -> Path:
    return _root(ws) / config.PATH


def _is_known(ws: Workspace) -> bool:
    """Whether the commit that is checked out has a configuration."""
    return ws.snapshot(ws.here.resolve("HEAD^{commit}")).entry(config.PATH) is not None


def _program(ws: Workspace) -> str:
    """The program that hooks call: of this installation, else the one on the caller's PATH."""
    own = Path(sys.prefix, "bin", _OURS)
    return (
        str(own) if own.is_file() else shutil.which(_OURS, path=ws.session.environment.get("PATH")) or _OURS
    )
