"""What can be seen of a repository, written so that two runs of one command give the same.

Ids of transactions are random, so of the tool's own refs only what they hold counts.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.crash.scenarios import REMOTE
from tests.sandbox import Sandbox

Seen = dict[str, object]
_GITS_OWN = {"COMMIT_EDITMSG", "ORIG_HEAD", "packed-refs", "gc.pid", "scalpel/lock", "scalpel/pool.lock"}
_GITS_OWN |= {f"scalpel/captured/{name}" for name in ("HEAD", "config", "index")}
_GITS_OWN |= {"scalpel/captured/info/attributes", "scalpel/captured/info/exclude"}

_OTHERS = ("refs/scalpel/", "refs/remotes/")
"""What is looked at otherwise, and what git itself remembers of other repositories until it fetches again."""
_STAYS = ("info/refs_", "scalpel/verdicts/")
"""Begun by ``update-server-info`` at the end of a `git gc`, and looked for by nobody; and what gates have
said, which is remembered of each tree."""


def git(env: Mapping[str, str], root: Path, *args: str) -> str:
    """What plain git says; empty where it fails."""
    done = subprocess.run(["git", *args], cwd=root, env=dict(env), capture_output=True, check=False)
    return os.fsdecode(done.stdout) if done.returncode == 0 else ""


def seen(root: Path, env: Mapping[str, str]) -> Seen:
    """Branches, index, files and status of the checkout; open transactions, the log, what is kept."""
    rows = git(env, root, "for-each-ref", "--format=%(refname) %(objectname) %(tree)").splitlines()
    refs = [row.split(" ") for row in rows]
    return {
        "branches": [row[:2] for row in refs if not row[0].startswith(_OTHERS)],
        "head": (root / ".git/HEAD").read_bytes(),
        "index": git(env, root, "ls-files", "--stage", "-v"),
        "files": Sandbox(root).files(),
        "status": git(env, root, "status", "--porcelain=v1", "-uall"),
        "open": sorted(_change(env, root, ref) for ref, *_ in refs if ref.startswith("refs/scalpel/tx/")),
        "records": sum(ref.startswith("refs/scalpel/meta/") for ref, *_ in refs),
        "held": sorted(tree for ref, _, tree in refs if ref.startswith("refs/scalpel/disk/")),
        "snapshots": {tree for ref, _, tree in refs if ref.startswith("refs/scalpel/snapshot/")},
        "hooks": _hooks(root / ".git/hooks"),
        "elsewhere": _elsewhere(env, root.parent),
        "kept": sorted(tree for ref, _, tree in refs if _is_kept(ref)),
        "log": [
            row.split(" ")[0] for row in git(env, root, "log", "--format=%s", "refs/scalpel/ops").splitlines()
        ],
    }


def difference(now: Seen, expected: Seen) -> list[str]:
    """In which respects a state is not the expected one; more may be recorded, as `restore` does at first."""
    return [key for key in now if not _agree(now[key], expected[key])]


def unordered(state: Seen) -> Seen:
    """The same, whatever was done first."""
    log = state["log"]
    assert isinstance(log, list)
    return {**state, "log": sorted(log)}


def _agree(now: object, expected: object) -> bool:
    if isinstance(now, set) and isinstance(expected, set):
        return now >= expected
    return now == expected


def house(root: Path) -> set[str]:
    """The files in the git directory that are neither objects, nor refs and their logs, nor a worktree's."""
    found = set()
    for path in (root / ".git").rglob("*"):
        name = path.relative_to(root / ".git")
        if path.is_file() and name.parts[0] not in ("objects", "refs", "logs", "worktrees"):
            found.add(str(name))
    return found


def strays(root: Path, known: set[str]) -> list[str]:
    """Locks and temporary files that nobody needs any more, and what else is not ``known``."""
    found = {name for name in house(root) - known - _GITS_OWN if not name.startswith(_STAYS)}
    # What git itself remembers of other repositories is a lock of git's own, and hinders no command of ours.
    git_s = root / ".git/refs/remotes"
    for folder, pattern in ((".git/refs", "*.lock"), (".git/logs", "*.lock"), (".", ".git-scalpel-*.tmp")):
        lying = (path for path in (root / folder).rglob(pattern) if git_s not in path.parents)
        found |= {str(path.relative_to(root)) for path in lying}
    return sorted(found)


def slot_strays(root: Path, cache: Path) -> list[str]:
    """The same of the pool's worktrees."""
    places = [
        (cache, ".git-scalpel-*.tmp"),
        *((root / ".git/worktrees", name) for name in ("*.lock", "*.new")),
    ]
    found = [path for folder, pattern in places for path in folder.rglob(pattern)]
    return sorted(str(path.relative_to(root.parent)) for path in found if path.name != "scalpel.lock")


def _hooks(folder: Path) -> dict[str, bytes]:
    return {hook.name: hook.read_bytes() for hook in folder.glob("*") if hook.suffix != ".sample"}


def _elsewhere(env: Mapping[str, str], folder: Path) -> str:
    """The branches of the repository to which is pushed, whatever the transactions are called."""
    refs = git(env, folder, "--git-dir", REMOTE, "for-each-ref", "--format=%(refname) %(tree)")
    return re.sub("(?<=/scalpel/)[a-z2-7]{8}-", "ID-", refs)


def _change(env: Mapping[str, str], root: Path, ref: str) -> str:
    """An open transaction: its message and the paths that it touches, wherever it stands."""
    return git(env, root, "log", "-1", "--format=%s", "--name-only", "-m", ref)


def _is_kept(ref: str) -> bool:
    return ref.startswith("refs/scalpel/keep/") and not ref.startswith("refs/scalpel/keep/worktree-")
