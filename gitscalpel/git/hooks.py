"""Hooks of a repository: the active ones, and the shim that calls gitscalpel.

The shim is a short shell script that runs the hook that was there before, and then gitscalpel. In a
landing, which runs hooks as a gate, it does nothing after the earlier hook: its own checks have already
run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

AT_COMMIT = ("pre-commit", "commit-msg")
"""The hooks that ``git commit`` would run and a transaction runs as a gate."""
BY_GIT = (*AT_COMMIT, "reference-transaction", "post-index-change")
"""All that run: git itself runs the others when refs and index change."""
HOOKS_PATH = "core.hookspath"


def folder(configured: str | None, work_tree: Path | None, git_dir: Path, common_dir: Path) -> Path:
    """The hooks' folder; a relative ``core.hooksPath`` starts where hooks run, at the top of the files."""
    if not configured:
        return common_dir / "hooks"
    return (work_tree or git_dir) / os.path.expanduser(configured)  # noqa: PTH111  ~ need not be resolvable


def digest(hooks: Iterable[Path]) -> str:
    """What tells hooks from those that they are once somebody has changed them."""
    found = blake2b(digest_size=16)
    for hook in (file for each in hooks for file in (each, earlier_hook(each))):
        content = hook.read_bytes() if os.access(hook, os.R_OK) else b""
        found.update(b"%s\0%d\0%s" % (os.fsencode(hook), len(content), content))
    return found.hexdigest()


def active(hooks: Path, names: Iterable[str]) -> list[Path]:
    """Those of the hooks that git would run, and that have something to say which is not ours."""
    found = (hooks / name for name in names)
    return [hook for hook in found if _runs(hook) and not _says_nothing(hook)]


def _runs(hook: Path) -> bool:
    return hook.is_file() and os.access(hook, os.X_OK)


def _says_nothing(hook: Path) -> bool:
    """Whether it is a hook of ours with none before it: what it asks a landing has asked."""
    if hook.name not in AT_COMMIT or not os.access(hook, os.R_OK) or not is_shim(hook):
        return False
    return is_unchanged_shim(hook) and not _runs(earlier_hook(hook))


SHIM_MARK = b"# A hook of git-scalpel: its init has put it here, and its deinit takes it back."
_EARLIER = ".before-scalpel"
"""How the name of the hook ends that was there before."""
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
_ASIDE = '[ -z "$SCALPEL_JUDGES" ] || exit 0\n'


def shim_text(name: str, program: bytes) -> bytes:
    """What a shim says; ``program`` is quoted for the shell."""
    told = name == "pre-push"  # git says what is pushed at standard input, and both want to hear it
    pipe = 'printf "%s" "${lines:+$lines\n}" | ' if told else ""
    words = _SHIM_TEXT.format(
        mark=SHIM_MARK.decode(),
        program="@",
        before=_EARLIER,
        lines="$(cat)" if told else "",
        first=f'{pipe}"$earlier" "$@"',
        aside="" if told else _ASIDE,
        then=f'{pipe}"$program" hook {name} "$@"' if told else f'exec "$program" hook {name} "$@"',
    )
    return words.encode().replace(b"program=@", b"program=" + program)


def earlier_hook(hook: Path) -> Path:
    """Where the hook lies that was there before this one."""
    return hook.with_name(hook.name + _EARLIER)


def is_shim(hook: Path) -> bool:
    """Whether a hook is a shim, changed or not."""
    return hook.is_file() and not hook.is_symlink() and SHIM_MARK in hook.read_bytes().splitlines()


def is_unchanged_shim(hook: Path) -> bool:
    """Whether it is one to the byte."""
    content = hook.read_bytes()
    program = _PROGRAM.search(content)
    return program is not None and content == shim_text(hook.name, program[1])
