"""Starts a program in a sandbox with bubblewrap (https://github.com/containers/bubblewrap).

It has processes, users, network and a terminal of its own; nothing of it outlives who has started it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from gitscalpel.gates.sandbox.mounts import Mount

_APART = (
    *("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"),
    *("--disable-userns", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "sandbox"),
)
_JOIN = (
    'n=$1; shift; while [ "$n" -gt 0 ]; do echo $$ >"$1" || exit 125; shift; n=$((n - 1)); done; exec "$@"'
)
_LAY_OVER = (
    'cd "$1" && mount -t overlay overlay -o "$2" merged && cd / && unset OLDPWD && shift 2 && exec "$@"'
)
_LAYERS = "lowerdir=below,upperdir=above,workdir=work,userxattr"
"""Names without a comma or a colon, which would end them; ``below`` is a link."""


def words(
    bwrap: str,
    mounts: Sequence[Mount],
    *,
    network: bool,
    memory: int,
    told: int | None = None,
    filtered: int | None = None,
    folder: Path,
    program: Sequence[str],
) -> list[str]:
    """The command line.

    Args:
        bwrap: the program.
        mounts: what it finds, each after what it lies in.
        network: whether it has the machine's.
        memory: bytes for each folder in memory.
        told: a descriptor into which it is written which process is the first.
        filtered: a descriptor with a filter for system calls.
        folder: where it runs.
        program: what it runs.
    """
    size = ("--size", str(memory))
    line = [bwrap, *_APART, *([] if network else ["--unshare-net"])]
    line += ["--uid", str(os.getuid()), "--gid", str(os.getgid())]
    if told is not None:
        line += ["--info-fd", str(told)]
    if filtered is not None:
        line += ["--seccomp", str(filtered)]
    late = []
    line += [*size, "--tmpfs", "/", "--proc", "/proc", *_closed(), "--dev", "/dev"]
    line += [*size, "--perms", "1777", "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]  # noqa: S108 - its own
    for mount in mounts:
        if mount.kind == "empty":
            line += [*size, "--perms", "0700", "--tmpfs", str(mount.path)]
        elif mount.kind == "link":
            line += ["--symlink", str(mount.source), str(mount.path)]
        elif mount.kind == "hidden" and mount.path.is_file():
            line += ["--ro-bind", os.devnull, str(mount.path)]
        elif mount.kind == "hidden":
            line += [*size, "--tmpfs", str(mount.path)]
            late += ["--remount-ro", str(mount.path)]
        else:
            line += ["--bind" if mount.kind == "own" else "--ro-bind", str(mount.source), str(mount.path)]
    return [*line, *late, "--remount-ro", "/", "--chdir", str(folder), "--", *program]


def _closed() -> list[str]:
    """Settings of the kernel, which root, in a container, owns whatever rights it has given up."""
    line = []
    for name in ("sys", "irq", "bus", "fs", "acpi", "scsi", "driver", "tty"):
        line += ["--ro-bind-try", f"/proc/{name}", f"/proc/{name}"]
    for name in ("sysrq-trigger", "mtrr", "kcore", "kmsg"):
        if os.path.exists(f"/proc/{name}"):  # noqa: PTH110 - no more is asked
            line += ["--ro-bind", os.devnull, f"/proc/{name}"]
    return line


def limited(script: str, program: Sequence[str]) -> list[str]:
    """A program that takes limits on before it begins."""
    return ["/bin/sh", "-c", f'{script} exec "$@"', "sh", *program]


def joining(groups: Sequence[Path], program: Sequence[str]) -> list[str]:
    """A program that joins control groups before it begins."""
    if not groups:
        return list(program)
    return ["/bin/sh", "-c", _JOIN, "sh", str(len(groups)), *map(str, groups), *program]


def laid_over(unshare: str, folder: Path, program: Sequence[str]) -> list[str]:
    """A program that finds in ``folder / "merged"`` what is ``below``, and writes ``above``."""
    shell = ["/bin/sh", "-c", _LAY_OVER, "sh", str(folder), _LAYERS]
    return [unshare, "--user", "--map-root-user", "--mount", *shell, *program]
