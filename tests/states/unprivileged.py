"""Run the command line as an unprivileged user, because root ignores permissions."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

from gitscalpel.cli import command_line
from gitscalpel.server import child
from tests.command import Answer

_NOBODY = 65534
Run = Callable[..., Answer]


@cache
def import_everything() -> None:
    """Import the package and read its data, which the unprivileged user may not see."""
    child.load_everything()
    languages = child.Languages()
    while languages.remaining:
        languages.read_one()


def give_directory(folder: Path) -> Run:
    """Give ``folder`` to the unprivileged user, and return a function that runs commands as that user."""
    import_everything()
    if os.geteuid() == 0:
        for directory, folders, files in os.walk(folder):
            for name in ("", *folders, *files):
                os.lchown(Path(directory) / name, _NOBODY, _NOBODY)

    def run(where: Path, *arguments: str) -> Answer:
        if os.geteuid() == 0:
            for above in (
                folder,
                *folder.parents[:-2],
            ):  # each new pytest process closes its directories again
                above.chmod(above.stat().st_mode | 0o011)
        child = os.fork()
        if child == 0:
            status = 70
            try:
                status = _run_as_nobody(folder, where, list(arguments))
            finally:
                os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return Answer(status, (folder / "out").read_text(), "")

    return run


def _run_as_nobody(folder: Path, where: Path, arguments: list[str]) -> int:
    with (folder / "out").open("w") as out:
        os.dup2(out.fileno(), 1)
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(_NOBODY)
            os.setuid(_NOBODY)
        os.environ |= dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"), str(folder))
        os.chdir(where)
        import sys

        sys.stdout = os.fdopen(1, "w", closefd=False)
        status = command_line.run(arguments)
        sys.stdout.flush()
        return status
