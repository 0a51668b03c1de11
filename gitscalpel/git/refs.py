"""Refs: their names and the commits they point at; `ref_transaction.py` moves them."""

from __future__ import annotations

import os
from collections.abc import Iterable

import msgspec

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import Damaged, DoesNotFit
from gitscalpel.errors.messages import call
from gitscalpel.git.repository import Repository

OURS = "refs/scalpel/"
TX = "refs/scalpel/tx/"
META = "refs/scalpel/meta/"
KEEP = "refs/scalpel/keep/"
OPS = "refs/scalpel/ops"
SNAPSHOT = "refs/scalpel/snapshot/"
DISK = "refs/scalpel/disk/"
"""By transaction: bytes of the disk that no commit holds, from before and after its last movement."""
ACCOUNT = "refs/scalpel/account/"
"""By worktree: the disk as it was when somebody last compared it with the log."""
SAVED = "refs/scalpel/saved"
"""The user's uncommitted bytes that the last landing on top of them found."""
KEPT = (KEEP, DISK, SNAPSHOT, ACCOUNT, SAVED)
"""Refs that keep something for a while, and that are not needed for anything else."""
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
SHORTEST = 4
"""Characters of an id that are enough to name a transaction."""


class RefUpdate(msgspec.Struct, frozen=True):
    """One ref from ``old`` to ``new``; None: it does not exist."""

    ref: str
    old: Oid | None
    new: Oid | None

    @property
    def command(self) -> str:
        """The lines for ``update-ref --stdin``: a ref that stands for another one is itself what moves."""
        if self.old is None:
            line = f"create {self.ref} {self.new}"
        elif self.new is None:
            line = f"delete {self.ref} {self.old}"
        else:
            line = f"update {self.ref} {self.new} {self.old}"
        return f"option no-deref\n{line}\n"


def values(repo: Repository, names: Iterable[str]) -> dict[str, Oid]:
    """What these refs point at; those that do not exist are left out. A prefix ends in a slash.

    Raises:
        Damaged: ``corrupt``: one of ours stands for another ref, which no call of ours makes. One that
            only keeps something is left out.
    """
    out = repo.git("for-each-ref", "--format=%(objectname) %(refname) %(symref)", *names)
    found: dict[str, Oid] = {}
    for line in os.fsdecode(out).splitlines():
        oid, name, stands_for = line.split(" ", 2)
        if stands_for and name.startswith(KEPT):
            continue
        if stands_for and name.startswith(OURS):
            raise Damaged(
                "corrupt",
                f"{name} stands for {stands_for}, and nothing of ours does",
                f"see who has made it, then `git symbolic-ref --delete {name}`",
                ref=name,
            )
        found[name] = Oid(oid)
    return found


def refuse_broken(repo: Repository, ref: str) -> Oid | None:
    """Make sure that a ref which names no commit is not there at all: a branch may be unborn.

    Returns:
        the commit that it names all the same: somebody has made the ref in this very moment.

    Raises:
        Damaged: ``corrupt``: it is there, and cannot be read, or what it names is missing.
    """
    result = repo.git.run("for-each-ref", "--format=%(refname) %(objectname)", ref)
    rows = [row for row in os.fsdecode(result.out).splitlines() if row.startswith(ref + " ")]
    if not rows and not result.err:
        return None
    named = rows[0].rpartition(" ")[2] if rows else ""
    there = repo.git.run("rev-parse", "--verify", "-q", f"{named}^{{commit}}")
    if named and not there.status:
        return Oid(there.out.decode("ascii").strip())
    raise Damaged(
        "corrupt",
        f"{ref} names {named}, which is missing or no commit" if named else f"{ref} cannot be read",
        f"`git reflog {ref}` says where it was and `git fsck --full` what is missing; "
        f"restore it with `git update-ref {ref} COMMIT`, or fetch it again",
        ref=ref,
    )


def remove_broken(repo: Repository, ref: str) -> None:
    """Remove a ref of ours that cannot be read, or whose object is missing; any other ref stays."""
    try:
        is_broken = refuse_broken(repo, ref) is None and is_symbolic(repo, ref)
    except Damaged:
        is_broken = True
    if is_broken:
        discard(repo, ref)


def is_symbolic(repo: Repository, ref: str) -> bool:
    """Return True if a ref stands for another one; git reads none that stands for itself."""
    try:
        return (repo.common_dir / ref).read_bytes().startswith(b"ref:")
    except OSError:
        return False


def discard(repo: Repository, ref: str) -> None:
    """Remove a ref, also one that cannot be read."""
    from gitscalpel.system.failpoint import step  # who only reads refs moves none

    step()
    done = repo.git.run("update-ref", "--no-deref", "-d", ref)
    if done.status:  # git does not remove a file that holds no object id
        (repo.common_dir / ref).unlink(missing_ok=True)


def new_id() -> str:
    """A random transaction id: 8 characters, 40 bits."""
    return "".join(_ALPHABET[byte % 32] for byte in os.urandom(8))


def bare_id(text: str) -> str:
    """An id, or its beginning, also where it was given as a ref."""
    return text.removeprefix("refs/").removeprefix("scalpel/tx/").lower()


def transactions(repo: Repository) -> dict[str, Oid]:
    """Every open transaction: its id and its commit."""
    return {name.removeprefix(TX): oid for name, oid in values(repo, [TX]).items()}


def find(repo: Repository, prefix: str) -> tuple[str, Oid]:
    """The open transaction that ``prefix`` (an id, its beginning, or its ref) names.

    Raises:
        DoesNotFit: ``tx_not_found``.
    """
    wanted = bare_id(prefix)
    if len(wanted) < SHORTEST:
        raise _not_found(f"{prefix!r} is too short for a transaction id", [])
    found = {name: oid for name, oid in transactions(repo).items() if name.startswith(wanted)}
    if wanted in found:
        return wanted, found[wanted]
    if len(found) != 1:
        what = "several open transactions begin" if found else "no open transaction begins"
        raise _not_found(f"{what} with {wanted!r}", sorted(found))
    return found.popitem()


def _not_found(message: str, candidates: list[str]) -> DoesNotFit:
    hint = f"give at least {SHORTEST} characters of one id; {call('status')} shows them"
    return DoesNotFit("tx_not_found", message, hint, candidates=candidates)
