"""Delete refs of undone and dropped commits, snapshots and disk bytes after their retention period."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from gitscalpel.changesets.answers import quoted
from gitscalpel.git import oplog, ref_transaction, refs
from gitscalpel.git.gc.swept_item import DAY, Item
from gitscalpel.git.refs import DISK, KEEP, KEPT, SNAPSHOT, RefUpdate
from gitscalpel.git.repository import Repository
from gitscalpel.system.failpoint import step

_DATED = (f"{KEEP}worktree-", SNAPSHOT)
"""What was left in a worktree, and snapshots: no steps of the log, the commits were written to be kept."""
_UNREADABLE = "warning: ignoring broken ref "
_TOGETHER = 500


def expire(repo: Repository, days: int, *, dry_run: bool = False) -> Iterator[Item]:
    """Delete what :data:`KEEP`, :data:`DISK` and :data:`SNAPSHOT` have held for ``days``; hold the lock.

    The age is that of the step (the commit may be much older). One that neither the log nor its own
    commit dates stays.
    """
    broken = find_broken(repo)
    for name, why in broken.items():
        if not dry_run:
            refs.discard(repo, name)
        yield Item("ref", name, why)
    values = refs.values(repo, [KEEP, DISK, SNAPSHOT])
    found = {name: oid for name, oid in values.items() if name not in broken}
    since = {**_logged(repo, {name for name in found if not name.startswith(_DATED)}), **_dated(repo, found)}
    now = time.time()
    old = {name: oid for name, oid in found.items() if name in since and since[name] < now - days * DAY}
    if old and not dry_run:
        updates = [RefUpdate(name, oid, None) for name, oid in old.items()]
        step()
        ref_transaction.update(repo, updates, "scalpel: expire what was kept")
    for name in old:
        yield Item("ref", name, f"kept for {int((now - since[name]) / DAY)} days")
    for name in found.keys() - since.keys():
        yield Item("ref", name, "the operation log does not say how old it is", removed=False)


def _logged(repo: Repository, wanted: set[str]) -> dict[str, float]:
    """When the newest step of each kept transaction was; the log is read no further than needed."""
    since: dict[str, float] = {}
    if not wanted:
        return since
    for entry in oplog.read(repo):
        for name in wanted.intersection({KEEP + entry.record.tx, DISK + entry.record.tx}):
            since.setdefault(name, entry.record.time)
        if len(since) == len(wanted):
            break
    return since


def _dated(repo: Repository, wanted: Iterable[str]) -> dict[str, float]:
    names = [name for name in wanted if name.startswith(_DATED)]
    found: dict[str, float] = {}
    for at in range(0, len(names), _TOGETHER):  # git gives up at a ref whose commit is missing
        some = names[at : at + _TOGETHER]
        rows = repo.git("for-each-ref", "--format=%(refname) %(committerdate:unix)", *some).decode()
        pairs = (row.split(" ") for row in rows.splitlines())
        found.update((name, float(date)) for name, date in pairs if date)
    return found


def find_broken(repo: Repository) -> dict[str, str]:
    """Find the refs that only keep something, and that cannot be read or name what is missing.

    Returns:
        by ref, what is wrong with it.
    """
    listed = repo.git.run("for-each-ref", "--format=%(objectname) %(refname)", *KEPT)
    rows = [row.split(" ", 1) for row in os.fsdecode(listed.out).splitlines()]
    said = (line.removeprefix(_UNREADABLE) for line in listed.err.splitlines())
    found = {name: "it cannot be read" for name in said if name.startswith(KEPT)}
    asked = "".join(f"{oid}^{{tree}}\n" for oid, _ in rows).encode()
    answers = repo.git("cat-file", "--batch-check", stdin=asked).splitlines() if rows else []
    for (oid, name), answer in zip(rows, answers, strict=True):
        if answer.endswith(b" missing"):
            found[name] = f"it names {oid}, which is missing, damaged or no commit"
    return {**found, **_symbolic(repo)}


def _symbolic(repo: Repository) -> dict[str, str]:
    """Find the refs that stand for another ref; git lists none of them if that does not exist."""
    found: dict[str, str] = {}
    for prefix in KEPT:
        places = [repo.common_dir / prefix]
        places += [Path(here) / name for here, _, names in os.walk(places[0]) for name in names]
        for file in places:
            with suppress(OSError):
                content = file.read_bytes()
                if content.startswith(b"ref:"):
                    name = file.relative_to(repo.common_dir).as_posix()
                    found[name] = f"it stands for {quoted(os.fsdecode(content[4:].strip()))}"
    return found
