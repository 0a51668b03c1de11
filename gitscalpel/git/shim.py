"""A hook of ours: a few lines of shell that call the hook which was there before, and then this tool.

In a landing, which runs hooks as a gate, it stands aside once the hook before it has spoken: all that it
would ask has been asked.
"""

from __future__ import annotations

import re
from pathlib import Path

MARK = b"# A hook of git-scalpel: its init has put it here, and its deinit takes it back."
_EARLIER = ".before-scalpel"
"""How the name of the hook ends that was there before."""
_TEXT = """#!/bin/sh
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


def text(name: str, program: bytes) -> bytes:
    """What a shim says; ``program`` is quoted for the shell."""
    told = name == "pre-push"  # git says what is pushed at standard input, and both want to hear it
    pipe = 'printf "%s" "${lines:+$lines\n}" | ' if told else ""
    words = _TEXT.format(
        mark=MARK.decode(),
        program="@",
        before=_EARLIER,
        lines="$(cat)" if told else "",
        first=f'{pipe}"$earlier" "$@"',
        aside="" if told else _ASIDE,
        then=f'{pipe}"$program" hook {name} "$@"' if told else f'exec "$program" hook {name} "$@"',
    )
    return words.encode().replace(b"program=@", b"program=" + program)


def earlier(hook: Path) -> Path:
    """Where the hook lies that was there before this one."""
    return hook.with_name(hook.name + _EARLIER)


def is_ours(hook: Path) -> bool:
    """Whether a hook is a shim, changed or not."""
    return hook.is_file() and not hook.is_symlink() and MARK in hook.read_bytes().splitlines()


def is_untouched(hook: Path) -> bool:
    """Whether it is one to the byte."""
    content = hook.read_bytes()
    program = _PROGRAM.search(content)
    return program is not None and content == text(hook.name, program[1])
