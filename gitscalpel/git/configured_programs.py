"""Programs that a repository's own configuration would start, and how git is kept from them.

Reading a repository must not run a program that came with it. Each setting that the user has not trusted
is replaced by a harmless one for every git that is started, and where the result would then differ from
what the repository configures, the call is refused. The configured directory of worktrees, in which
programs run, needs trust too.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from gitscalpel.git.git_config import REPOSITORY_SCOPES, Row, is_boolean
from gitscalpel.git.hooks import BY_GIT, HOOKS_PATH, active
from gitscalpel.system.trust import Program

_HOOK = "hook "
_FAILS = "false"
"""The program that fails."""
_KEYS = {
    ("core", "hookspath"): os.devnull,
    ("core", "fsmonitor"): "false",
    **{
        ("core", name): _FAILS
        for name in ("editor", "pager", "sshcommand", "askpass", "alternaterefscommand")
    },
    ("core", "gitproxy"): "none",
    ("sequence", "editor"): _FAILS,
    ("pager", "*"): _FAILS,
    ("gpg", "program"): _FAILS,
    ("gpg", "defaultkeycommand"): _FAILS,
    **{("filter", name): "" for name in ("clean", "smudge", "process")},
    **{("diff", name): _FAILS for name in ("external", "command", "textconv")},
    ("merge", "driver"): "git merge-file %A %O %B",
    ("credential", "helper"): "",
    ("remote", "uploadpack"): "git-upload-pack",
    ("remote", "receivepack"): "git-receive-pack",
    ("protocol", "allow"): "user",
    **{("lfs", name): _FAILS for name in ("path", "clean", "smudge")},
    ("uploadpack", "packobjectshook"): _FAILS,
    ("hook", "command"): _FAILS,
    **{("trailer", name): _FAILS for name in ("cmd", "command")},
    ("submodule", "update"): "none",
    ("gc", "recentobjectshook"): _FAILS,
    ("scalpel", "witness"): "off",
    ("scalpel", "worktreedir"): "",  # starts nothing, but programs work there, and files come to lie there
}
"""Section and variable of what starts a program in a git of ours or its children: what is set instead."""


def find_configured(rows: Sequence[Row]) -> Iterator[Program]:
    """The programs that keys of the repository's own name, unless the command line says otherwise."""
    by_caller = {row.key for row in rows if row.scope == "command"}
    for row in rows:
        own = row.scope in REPOSITORY_SCOPES and row.key not in by_caller and _instead(row.key) is not None
        if own and _starts_one(row):
            yield Program(row.key, row.value)


def _starts_one(row: Row) -> bool:
    if row.key.startswith("submodule."):
        return row.value.startswith("!")
    return row.key == HOOKS_PATH or not is_boolean(row.value)


def find_hooks(folder: Path, work_tree: Path | None, common_dir: Path) -> Iterator[Program]:
    """The hooks whose path lies inside of the work tree, by content: what is pulled may change them."""
    if work_tree is None or not _is_inside(folder, work_tree) or _is_inside(folder, common_dir):
        return
    from gitscalpel.git import hooks
    from gitscalpel.git.loose_objects import object_id

    found = active(folder, BY_GIT)
    for hook in (*found, *(before for each in found if (before := hooks.earlier_hook(each)).is_file())):
        path = os.path.relpath(hook, work_tree)
        yield Program(_HOOK + path, object_id("sha1", "blob", hook.read_bytes()))


def disabling_settings(programs: Iterable[Program]) -> tuple[str, ...]:
    """Settings for git that start none of ``programs``."""
    settings: dict[str, str] = {}
    for program in programs:
        key = HOOKS_PATH if program.where.startswith(_HOOK) else program.where
        settings[key] = _instead(key) or ""
        filtered = _filter(key)
        if filtered is not None:
            settings[f"filter.{filtered}.required"] = "false"
    return tuple(f"{key}={value}" for key, value in settings.items())


def select_filters(programs: Iterable[Program]) -> list[tuple[str, Program]]:
    """Those of ``programs`` that filter, each with the filter's name."""
    named = ((_filter(program.where), program) for program in programs)
    return [(name, program) for name, program in named if name is not None]


def select_hooks(programs: Iterable[Program]) -> list[Program]:
    """Those of ``programs`` that are hooks, or say where hooks lie."""
    return [p for p in programs if p.where == HOOKS_PATH or p.where.startswith(_HOOK)]


def select_signers(programs: Iterable[Program]) -> list[Program]:
    """Those of ``programs`` that sign."""
    return [program for program in programs if program.where.startswith("gpg.")]


def _instead(key: str) -> str | None:
    section, _, rest = key.partition(".")
    return _KEYS.get((section, rest.rpartition(".")[2]), _KEYS.get((section, "*")))


def _filter(key: str) -> str | None:
    """The name of the filter that a key belongs to."""
    section, _, rest = key.partition(".")
    return rest.rpartition(".")[0] if section == "filter" else None


def _is_inside(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())
