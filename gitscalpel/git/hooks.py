"""Programs that a repository makes git start: hooks, our hook shim, and configured programs.

Reading a repository must not run a program that came with it. Each setting that the user has not trusted is
overridden by a harmless one, and a call whose result that would change is refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from gitscalpel.git.git_config import REPOSITORY_SCOPES, ConfigEntry, is_boolean
from gitscalpel.git.object_writer import object_id
from gitscalpel.system.trust import Program

AT_COMMIT = ("pre-commit", "commit-msg")  # hooks of ``git commit`` that a transaction runs as a gate
# All hooks that run. Git itself runs the last two when refs and index change.
BY_GIT = (*AT_COMMIT, "reference-transaction", "post-index-change")
HOOKS_PATH = "core.hookspath"


def hooks_folder(configured: str | None, work_tree: Path | None, git_dir: Path, common_dir: Path) -> Path:
    """Return the hooks directory. A relative ``core.hooksPath`` starts at the top of the working tree."""
    if not configured:
        return common_dir / "hooks"
    return (work_tree or git_dir) / os.path.expanduser(configured)  # noqa: PTH111  ~ need not be resolvable


def digest_hooks(hooks: Iterable[Path]) -> str:
    digest = blake2b(digest_size=16)
    for hook in (file for each in hooks for file in (each, earlier_hook(each))):
        content = hook.read_bytes() if os.access(hook, os.R_OK) else b""
        digest.update(b"%s\0%d\0%s" % (os.fsencode(hook), len(content), content))
    return digest.hexdigest()


def find_active_hooks(hooks: Path, names: Iterable[str]) -> list[Path]:
    """Return the hooks that git would run, without shims of ours that have no earlier hook."""
    candidates = (hooks / name for name in names)
    return [hook for hook in candidates if _is_executable(hook) and not _has_no_effect(hook)]


def _is_executable(hook: Path) -> bool:
    return hook.is_file() and os.access(hook, os.X_OK)


def _has_no_effect(hook: Path) -> bool:
    """Return True for an unchanged shim without an earlier hook: the landing has already run our checks."""
    if hook.name not in AT_COMMIT or not os.access(hook, os.R_OK) or not is_shim(hook):
        return False
    return is_unchanged_shim(hook) and not _is_executable(earlier_hook(hook))


SHIM_MARK = b"# A hook of git-scalpel: its init has put it here, and its deinit takes it back."
_EARLIER = ".before-scalpel"  # suffix of the earlier hook's name
_SHIM_TEXT = """#!/bin/sh
{mark}
# What was here before lies beside it, and comes first.
program={program}
earlier="$0{before}"
lines={lines}
if [ -x "$earlier" ]; then
    {first} || exit
fi
{aside}[ -x "$program" ] || program=git-scalpel
command -v "$program" >/dev/null || {{
    echo "git-scalpel is not on PATH: install it, or remove $0" >&2
    exit 1
}}
{then}
"""
_PROGRAM = re.compile(rb"^program=(.*)$", re.MULTILINE)
_SKIP_IN_GATES = '[ -z "$SCALPEL_JUDGES" ] || exit 0\n'


def shim_text(name: str, program: bytes) -> bytes:
    """Return the shell script of a shim, which runs the earlier hook and then gitscalpel.

    In a landing, which runs hooks as a gate, it ends after the earlier hook. ``program`` is already quoted
    for the shell.
    """
    reads_input = name == "pre-push"  # git lists the pushed refs on standard input, and both hooks read it
    pipe = 'printf "%s" "${lines:+$lines\n}" | ' if reads_input else ""
    script = _SHIM_TEXT.format(
        mark=SHIM_MARK.decode(),
        program="@",
        before=_EARLIER,
        lines="$(cat)" if reads_input else "",
        first=f'{pipe}"$earlier" "$@"',
        aside="" if reads_input else _SKIP_IN_GATES,
        then=f'{pipe}"$program" hook {name} "$@"' if reads_input else f'exec "$program" hook {name} "$@"',
    )
    return script.encode().replace(b"program=@", b"program=" + program)


def earlier_hook(hook: Path) -> Path:
    return hook.with_name(hook.name + _EARLIER)


def is_shim(hook: Path) -> bool:
    return hook.is_file() and not hook.is_symlink() and SHIM_MARK in hook.read_bytes().splitlines()


def is_unchanged_shim(hook: Path) -> bool:
    content = hook.read_bytes()
    program = _PROGRAM.search(content)
    return program is not None and content == shim_text(hook.name, program[1])


_HOOK = "hook "
_FAILS = "false"  # program that always fails
# Harmless values of the settings by which git or its children start a program, by section and variable.
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
    ("scalpel", "worktreedir"): "",  # starts no program, but programs run and write files there
}


def find_configured(rows: Sequence[ConfigEntry]) -> Iterator[Program]:
    """Yield the programs that the repository's own settings name, unless the command line overrides them."""
    by_caller = {row.key for row in rows if row.scope == "command"}
    for row in rows:
        is_dangerous = (
            row.scope in REPOSITORY_SCOPES
            and row.key not in by_caller
            and _find_harmless_value(row.key) is not None
        )
        if is_dangerous and _starts_program(row):
            yield Program(row.key, row.value)


def _starts_program(row: ConfigEntry) -> bool:
    if row.key.startswith("submodule."):
        return row.value.startswith("!")
    return row.key == HOOKS_PATH or not is_boolean(row.value)


def find_hooks(folder: Path, work_tree: Path | None, common_dir: Path) -> Iterator[Program]:
    """Yield the hooks inside of the working tree, identified by content: a pull may change them."""
    if work_tree is None or not _is_inside(folder, work_tree) or _is_inside(folder, common_dir):
        return
    active = find_active_hooks(folder, BY_GIT)
    for hook in (*active, *(earlier for each in active if (earlier := earlier_hook(each)).is_file())):
        path = os.path.relpath(hook, work_tree)
        yield Program(_HOOK + path, object_id("sha1", "blob", hook.read_bytes()))


def disabling_settings(programs: Iterable[Program]) -> tuple[str, ...]:
    """Return git settings that start none of ``programs``."""
    settings: dict[str, str] = {}
    for program in programs:
        key = HOOKS_PATH if program.where.startswith(_HOOK) else program.where
        settings[key] = _find_harmless_value(key) or ""
        filtered = _parse_filter_name(key)
        if filtered is not None:
            settings[f"filter.{filtered}.required"] = "false"
    return tuple(f"{key}={value}" for key, value in settings.items())


def select_filters(programs: Iterable[Program]) -> list[tuple[str, Program]]:
    named = ((_parse_filter_name(program.where), program) for program in programs)
    return [(name, program) for name, program in named if name is not None]


def select_hooks(programs: Iterable[Program]) -> list[Program]:
    """Return the hooks among ``programs``, and settings of the hooks directory."""
    return [p for p in programs if p.where == HOOKS_PATH or p.where.startswith(_HOOK)]


def select_signers(programs: Iterable[Program]) -> list[Program]:
    return [program for program in programs if program.where.startswith("gpg.")]


def _find_harmless_value(key: str) -> str | None:
    section, _, rest = key.partition(".")
    return _KEYS.get((section, rest.rpartition(".")[2]), _KEYS.get((section, "*")))


def _parse_filter_name(key: str) -> str | None:
    section, _, rest = key.partition(".")
    return rest.rpartition(".")[0] if section == "filter" else None


def _is_inside(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())
