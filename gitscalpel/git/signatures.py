"""Signed commits of our own: made with the user's key, and told whose they are."""

from __future__ import annotations

import os
from pathlib import Path

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.git import oplog
from gitscalpel.git.oplog import Entry
from gitscalpel.git.repository import Repository
from gitscalpel.git.store import Store


def can_sign(repo: Repository) -> bool:
    """Whether the user has a key that git would sign with."""
    return bool(repo.config.get("user.signingkey") or repo.config.get("gpg.ssh.defaultkeycommand"))


def fault(repo: Repository, store: Store, entry: Entry, signers: bytes, folder: Path) -> str:
    """Why an entry of the log is not signed by who it says, in words; "": it is.

    Arguments as in :func:`signer`.
    """
    name = signer(repo, entry.oid, signers, folder)
    if name is None or not oplog.is_one(store, entry):
        return "it has no signature of a key that counts"
    return "" if name.lower() == mail(entry.record.user) else f"it is signed by {name}"


def mail(person: str) -> str:
    """The address of a ``Name <mail>``, to compare."""
    return person.partition("<")[2].partition(">")[0].strip().lower()


def signer(repo: Repository, commit: Oid, signers: bytes, folder: Path) -> str | None:
    """Whose good signature a commit has.

    Args:
        repo: where it is.
        commit: the commit.
        signers: the keys that count, in the format of ``ssh-keygen``'s allowed signers.
        folder: for a file that git reads them from.

    Returns:
        the principal that the key stands for there; None: no signature, a bad one, or of a key that is
        not among them.
    """
    file = folder / "allowed_signers"
    file.write_bytes(signers)
    settings = ("-c", "gpg.format=ssh", "-c", f"gpg.ssh.allowedSignersFile={os.fspath(file)}")
    result = repo.git.run(*settings, "show", "-s", "--format=%G?%n%GS", commit)
    status, _, name = result.out.decode("utf-8", "replace").strip().partition("\n")
    return name.strip() or None if not result.status and status == "G" else None
