"""Operation log: one commit per operation on refs/scalpel/ops, and the signatures of its entries.

The parent is the previous operation, so the log is a hash chain under one ref. A record contains ids as text,
so the log keeps no dropped content alive.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from gitscalpel.changesets.answers import CHECKOUT, make_json_safe, message_subject, quote_path
from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, SYMLINK, Oid, find_malformed_oid
from gitscalpel.changesets.file_tree import Entry as TreeEntry
from gitscalpel.changesets.paths import unquote_path
from gitscalpel.errors import Damaged
from gitscalpel.git import commits, ref_transaction, refs
from gitscalpel.git.journal import DiskChange
from gitscalpel.git.object_store import Store
from gitscalpel.git.objects import CatFile
from gitscalpel.git.process import git_error
from gitscalpel.git.refs import OPS, RefUpdate
from gitscalpel.git.repository import Repository
from gitscalpel.system import serialization, trust

_FILE = "record.json"
_SEAL_SUBJECT = "step"


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One operation."""

    kind: Literal["land", "edit", "undo", "redo", "drop", "approve", "reject", "push"]
    tx: str  # id of the transaction
    user: str  # user, as ``Name <mail>``
    time: int  # seconds since the epoch
    branch: str = ""  # moved branch, ``refs/heads/…``. Empty if files of a checkout were written instead.
    # Commit of the branch before, or of the files before they were written. None if unborn.
    before: str | None = None
    after: str | None = None  # commit of the branch after
    message: str = ""
    agent: str = ""  # program that acted for the user
    confirmed: str = ""  # client that reported a person's consent. Empty if no person was asked.
    paths: tuple[str, ...] = ()
    undoes: str | None = None  # id of the entry that an undo or redo reverses
    revert: bool = False  # undo added a commit instead of moving the branch back
    request_ids: tuple[str, ...] = ()  # ids of the changesets
    requests: dict[str, str] = {}  # digest of the request under each id. Older entries have none.
    adopted: str | None = None  # commit with the content taken from the user's disk
    note: dict[str, Any] = {}  # operations, intents and verdicts
    digest: str = ""  # digest of the content that an approval or a rejection is about
    stage: str = ""  # approval stage. Empty if there was only one.
    approved: tuple[str, ...] = ()  # approvers, with the id of the entry of each approval
    place: str = ""  # worktree whose files followed
    # Changes of its files that ``before`` and ``after`` do not determine; see ``journal.py``.
    disk: tuple[DiskChange, ...] = ()
    seal: str = ""  # seal that proves that this user wrote the record. It is checked on reading.

    @property
    def where(self) -> str:
        """Return the branch, or the name of the checkout."""
        return self.branch or (CHECKOUT if self.place and self.kind in ("edit", "undo", "redo") else "")


class Entry(msgspec.Struct, frozen=True):
    """An operation in the log. ``oid`` is its commit."""

    oid: Oid
    record: Record


def write_entry(store: Store, parent: Oid | None, record: Record, *, sign: bool = False) -> Oid:
    """Write the commit for ``record``, signed with the user's key if ``sign``. No ref moves."""
    plain = _to_encodable(record)
    plain = msgspec.structs.replace(plain, seal=trust.make_mark(_SEAL_SUBJECT, _encode_unsealed(plain)))
    content = msgspec.json.format(msgspec.json.encode(plain))
    tree = store.write_tree(None, [(_FILE, TreeEntry(REGULAR, store.blob_id(content)))], [content])
    subject_line = _to_one_line(f"{record.kind} {record.tx}: {message_subject(record.message)}").rstrip(": ")
    if sign:
        return store.write_commit(tree, [parent] if parent else [], subject_line, sign=True)
    return store.write_raw_commit(
        commits.serialize_commit(tree, [parent] if parent else [], subject_line, committer_line(plain))
    )


def _to_encodable(record: Record) -> Record:
    """Return a record with names that JSON can contain.

    Paths and the branch are quoted as git does, so they are read back unchanged. In text (symbols, messages,
    persons), bytes that are not UTF-8 become U+FFFD.
    """
    paths = tuple(quote_path(path) for path in record.paths)
    plain = msgspec.structs.replace(record, paths=paths, branch=quote_path(record.branch))
    try:
        msgspec.json.encode(plain)
    except UnicodeEncodeError:
        return serialization.convert(make_json_safe(msgspec.to_builtins(plain)), Record)
    return plain


def committer_line(record: Record) -> str:
    user = _to_one_line(record.user)
    return f"{user if user.endswith('>') else user + ' <>'} {record.time} +0000"


def find_log_tip(repo: Repository, store: Store) -> Oid | None:
    """Return the newest entry. None if the log is empty. Raises ``Damaged`` if it cannot be read."""
    tip = store.resolve(OPS)
    return refs.require_readable_ref(repo, OPS) if tip is None else tip


def append_record(
    repo: Repository, store: Store, record: Record, updates: Iterable[RefUpdate] = (), *, sign: bool = False
) -> Oid:
    """Record an operation that moves no branch, together with its refs. The caller holds the lock."""
    parent = find_log_tip(repo, store)
    oid = write_entry(store, parent, record, sign=sign)
    with store.lasting():
        ref_transaction.update_refs(
            repo, [*updates, RefUpdate(OPS, parent, oid)], f"scalpel: {record.kind} {record.tx}"
        )
    return oid


def read_log(repo: Repository, limit: int | None = None) -> Iterator[Entry]:
    """Yield the log, newest first, with two processes, reading only as far as the caller iterates.

    Raises ``corrupt`` if a commit of the log contains no record.
    """
    count = () if limit is None else (f"--max-count={limit}",)
    with CatFile(repo.git) as objects:
        tip = objects.resolve(OPS) or refs.require_readable_ref(repo, OPS)
        if tip is None:
            return
        # Read while git still writes, so that the newest entries need not wait for the oldest.
        with repo.git.start("rev-list", "--first-parent", *count, tip) as log:
            assert log.stdout is not None  # noqa: S101 - it is a pipe
            for line in log.stdout:
                oid = Oid(line.decode("ascii").strip())
                entry_file = objects.get(f"{oid}:{_FILE}")
                yield _decode_entry(entry_file.content if entry_file else None, oid)
            words = log.stderr.read() if log.stderr else b""
            if log.wait():
                raise git_error("rev-list", log.returncode, words.decode("utf-8", "replace").strip())


def read_log_since(store: Store, known: Oid | None, limit: int) -> Iterator[Entry]:
    """Yield the entries after ``known`` (None for all), newest first, through the store, without a process.

    Raises ``corrupt`` if a commit of the log contains no record.
    """
    oid = store.resolve(OPS)
    while oid is not None and oid != known and limit > 0:
        yield _decode_entry(store.file(oid, _FILE), oid)
        oid, limit = next(iter(store.commit(oid).parents), None), limit - 1


def read_log_entry(store: Store, oid: Oid) -> Entry:
    """Return one entry by its id. Raises ``Damaged``: ``corrupt``."""
    return _decode_entry(store.file(oid, _FILE), oid)


def is_log_entry(store: Store, entry: Entry) -> bool:
    """Return True if a commit is an entry and cannot be anything else.

    A user's signature on a commit of a branch must not count as a signature of a record in that commit.
    """
    commit, record = store.commit(entry.oid), entry.record
    files = [delta.path for delta in store.difference(None, commit.tree)]
    return files == [_FILE] and commit.message.startswith(f"{record.kind} {record.tx}")


def _decode_entry(content: bytes | None, oid: Oid) -> Entry:
    try:
        plain = serialization.decode(content or b"", Record)
        record = msgspec.structs.replace(plain, branch=unquote_path(plain.branch))
        _require_valid(record)
        # Disk changes are trusted only if this user wrote them.
        disk = record.disk if trust.is_marked(_SEAL_SUBJECT, _encode_unsealed(plain), plain.seal) else ()
        return Entry(oid, msgspec.structs.replace(record, disk=disk, seal=""))
    except msgspec.MsgspecError as error:
        raise Damaged(
            "corrupt",
            f"the operation log's entry {oid} has no valid record: {error}",
            "run `git fsck`; `git log refs/scalpel/ops` shows the log",
        ) from None


def _require_valid(record: Record) -> None:
    """Raise ``ValidationError`` for values that no operation writes. Undo would pass them to git."""
    if record.branch and (not record.branch.startswith("refs/heads/") or ".." in record.branch):
        raise msgspec.ValidationError(f"{record.branch!r} is not a branch")
    sides = [side for row in record.disk for side in (row.before, row.after) if side is not None]
    if any(side.mode not in (REGULAR, EXECUTABLE, SYMLINK) for side in sides):
        raise msgspec.ValidationError("a changed file has the mode of another type")
    oids = (record.before, record.after, record.undoes, record.adopted, *(s.oid or None for s in sides))
    invalid = find_malformed_oid(oids)
    if invalid is not None:
        raise msgspec.ValidationError(f"{invalid!r} is not an object id")


def _encode_unsealed(record: Record) -> bytes:
    return msgspec.json.encode(msgspec.structs.replace(record, seal=""))


def _to_one_line(text: str) -> str:
    return " ".join(text.replace("\0", "").split())


def can_sign(repo: Repository) -> bool:
    """Return True if the user has a key with which git would sign."""
    return bool(repo.config.get("user.signingkey") or repo.config.get("gpg.ssh.defaultkeycommand"))


def signature_fault(repo: Repository, store: Store, entry: Entry, signers: bytes, folder: Path) -> str:
    """Return why an entry is not signed by its user, or an empty string if it is. See :func:`find_signer`."""
    name = find_signer(repo, entry.oid, signers, folder)
    if name is None or not is_log_entry(store, entry):
        return "it has no signature of an accepted key"
    return "" if name.lower() == mail_address(entry.record.user) else f"it is signed by {name}"


def mail_address(person: str) -> str:
    return person.partition("<")[2].partition(">")[0].strip().lower()


def find_signer(repo: Repository, commit: Oid, signers: bytes, folder: Path) -> str | None:
    """Return the principal whose valid signature a commit has. None if its key is not accepted.

    ``signers`` are the accepted keys in the format of ``ssh-keygen``'s allowed signers. Git reads them from a
    temporary file in ``folder``.
    """
    file = folder / "allowed_signers"
    file.write_bytes(signers)
    settings = ("-c", "gpg.format=ssh", "-c", f"gpg.ssh.allowedSignersFile={os.fspath(file)}")
    result = repo.git.run(*settings, "show", "-s", "--format=%G?%n%GS", commit)
    status, _, name = result.out.decode("utf-8", "replace").strip().partition("\n")
    return name.strip() or None if not result.status and status == "G" else None
