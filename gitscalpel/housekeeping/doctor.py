"""Examines the surroundings: git, who commits, what the disk can do, what will be started.

It works where nothing else does, so it opens no repository before it has looked.
"""

from __future__ import annotations

import errno
import importlib.util
import os
import re
from collections.abc import Iterator
from pathlib import Path

from gitscalpel.errors import Misconfigured, ScalpelError
from gitscalpel.errors.messages import BY_NAME, MARKED, Spelling
from gitscalpel.git import hooks, surroundings
from gitscalpel.git.pool import place
from gitscalpel.git.repository import Repository, discover
from gitscalpel.git.run import Git
from gitscalpel.git.version import MINIMUM
from gitscalpel.housekeeping.check import UNTRUSTED, Check, failed
from gitscalpel.server import address, client, start_stop
from gitscalpel.system import seal, user_state
from gitscalpel.workspace.caller import Session

_MANY = 50_000
"""Files from which git's settings for large repositories pay."""


def doctor(path: str | os.PathLike[str] | None = None, spelling: Spelling | None = None) -> list[Check]:
    """Look at everything that can be looked at; nothing that is wrong raises.

    Args:
        path: a folder in the repository; None: the current one.
        spelling: how calls are written in hints; None: by name.
    """
    return [check.spelt(spelling or BY_NAME) for check in _checks(None if path is None else Path(path))]


def _checks(directory: Path | None) -> list[Check]:
    checks = [*_git(directory)]
    if any(check.code for check in checks):
        return checks
    try:
        repo = discover(directory, Session().environment)
    except ScalpelError as error:
        says, hint = error.told(MARKED)
        if "dubious ownership" in says:
            hint = "it belongs to somebody else: `git config --global --add safe.directory FOLDER` trusts it"
        code = error.code if error.code in Misconfigured.codes else "unavailable"
        return [*checks, Check("repository", says, code, hint)]
    kind = "bare" if repo.work_tree is None else str(repo.work_tree)
    checks.append(Check("repository", f"{kind}, {repo.object_format}"))
    for look in (_identity, _secret, _files, _cache, _sandbox, _library, _server, _hooks, _size):
        checks += look(repo)
    from gitscalpel.housekeeping.ruled import rules

    return [*checks, *rules(directory)]


def _git(directory: Path | None) -> Iterator[Check]:
    try:
        said = (
            Git(directory or Path.cwd(), Session().environment)
            .run("version")
            .out.decode("utf-8", "replace")
            .strip()
        )
    except ScalpelError as error:
        yield failed("git", error)
        return
    number = re.search(r"(\d+)\.(\d+)", said)
    wanted = ".".join(map(str, MINIMUM))
    if number is None or (int(number[1]), int(number[2])) < MINIMUM:
        yield Check("git", said, "git_too_old", f"install git {wanted} or newer")
    else:
        yield Check("git", said)


def _identity(repo: Repository) -> Iterator[Check]:
    try:
        yield Check("identity", repo.identity())
    except Misconfigured as error:
        yield failed("identity", error)


def _secret(repo: Repository) -> Iterator[Check]:
    if not seal.has_secret():
        folder = user_state.folder(repo.environment)
        words = f"no secret of yours can be kept in {folder}: what a kill leaves may stay"
        yield Check("secret", words, "unavailable", "name a folder of your own: XDG_STATE_HOME")


def _files(repo: Repository) -> Iterator[Check]:
    try:
        found = surroundings.tried(repo.scalpel_dir)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        hint = "free some space" if full else "give yourself the right to write there"
        yield Check("git directory", str(error), "unavailable", hint)
        return
    yield Check("git directory", "can be written")
    if found.locks:
        yield Check("locks", "hold")
    else:
        hint = "keep the repository on a file system with locks: a local one, or NFS 4"
        yield Check("locks", "two processes get the same lock", "unavailable", hint)
    facts = (
        ("core.ignoreCase", found.ignores_case, False),
        ("core.symlinks", found.symlinks, True),
        ("core.fileMode", found.executable_bits, True),
    )
    for key, can, default in facts:
        said = repo.flag(key, default)
        if said == can:
            yield Check(key, str(can).lower())
        elif key == "core.ignoreCase" or said:
            hint = f"git config {key} {str(can).lower()}"
            yield Check(
                key, f"{str(said).lower()}, but the file system says {str(can).lower()}", "config_error", hint
            )
        else:
            yield Check(key, f"{str(said).lower()}, though the file system could")


def _cache(repo: Repository) -> Iterator[Check]:
    folder = place.place_of_pools(repo)
    if surroundings.writable(folder):
        yield Check("worktrees", f"in {folder}")
    else:
        hint = "name another folder: git config scalpel.worktreeDir FOLDER"
        yield Check("worktrees", f"nothing can be made in {folder}", "unavailable", hint)


def _sandbox(repo: Repository) -> Iterator[Check]:
    from gitscalpel.gates.sandbox import machine

    try:
        found = machine.tried_in(repo.scalpel_dir)
    except OSError:
        return  # another check says that nothing can be written
    if found.why:
        says = f"none, so gates run with your rights: {found.why}"
        yield Check("sandbox", says, hint=machine.HINT)
        return
    files = "laid over the worktree" if found.unshare else "copied from the worktree, which takes longer"
    limited = "" if machine.is_counted() else "; memory and processes are limited for each program alone"
    yield Check("sandbox", f"{machine.BUBBLEWRAP}; each gate's files are {files}{limited}")


def _library(_: Repository) -> Iterator[Check]:
    if importlib.util.find_spec("pygit2"):
        yield Check("libgit2", "installed; used by the server and by processes that stay")
    else:
        yield Check("libgit2", "not installed, and not needed", hint="pip install pygit2")


def _server(repo: Repository) -> Iterator[Check]:
    pid = client.listens(repo.environment)
    if pid is not None:
        yield Check("server", f"process {pid} serves the command line")
    elif address.wanted(repo.environment) and start_stop.allows(repo.environment):
        yield Check("server", "none is there; the next call starts one")
    else:
        yield Check("server", "none is asked here")


def _hooks(repo: Repository) -> Iterator[Check]:
    names = [hook.name for hook in hooks.active(repo.hooks, hooks.BY_GIT)]
    yield Check("hooks", f"{', '.join(names)} in {repo.hooks}" if names else "none will run")
    if repo.untrusted:
        says = f"{len(repo.untrusted)} programs that the repository names are not trusted, and not started"
        yield Check("trust", says, hint=UNTRUSTED)


def _size(repo: Repository) -> Iterator[Check]:
    files = _entries(repo.git_dir / "index")
    many = files >= _MANY and not repo.flag("feature.manyFiles")
    hint = "`git config feature.manyFiles true` makes git faster here" if many else ""
    yield Check("files", str(files), hint=hint)


def _entries(index: Path) -> int:
    """How many entries an index has: https://git-scm.com/docs/index-format."""
    try:
        with index.open("rb") as file:
            head = file.read(12)
    except OSError:
        return 0
    return int.from_bytes(head[8:12], "big") if head[:4] == b"DIRC" else 0
