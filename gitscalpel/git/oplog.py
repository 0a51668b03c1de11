"""Operation log: one commit per operation on refs/scalpel/ops, and the signatures of its entries.

Each commit's parent is the previous operation, so undo, redo, audit (the commits are a hash chain) and
forensics need only one ref. A record contains ids as text, so the log keeps no dropped content alive.
Entries can be signed with the user's key.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from gitscalpel.changesets.answers import CHECKOUT, clean, quoted, subject
from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, SYMLINK, Oid
from gitscalpel.changesets.file_tree import Entry as TreeEntry
from gitscalpel.changesets.paths import unquoted
from gitscalpel.errors import Damaged
from gitscalpel.git import commits, refs
from gitscalpel.git.journal import DiskChange
from gitscalpel.git.object_store import Store
from gitscalpel.git.objects import CatFile
from gitscalpel.git.process import failure
from gitscalpel.git.refs import OPS, RefUpdate
from gitscalpel.git.repository import Repository
from gitscalpel.system import seal, serialization

_FILE = "record.json"
_ABOUT = "step"
_OID = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One step.

    Attributes:
        kind: what was done.
        tx: the transaction's id.
        user: who did it, ``Name <mail>``.
        time: when, in seconds since the epoch.
        branch: the branch that moved, ``refs/heads/…``; "": none, files of a checkout were written.
        before: where it was; None: unborn. Of files that were written, the commit of what they were.
        after: where it went.
        message: of the transaction.
        agent: the program that acted for the user.
        confirmed: the client that said that a person had agreed before; "": nobody was asked.
        paths: the files that changed.
        undoes: undo and redo: the id of the entry that is taken back.
        revert: undo made a commit instead of moving the branch back.
        request_ids: of the changesets.
        requests: what was asked under each of them, as a digest; older entries do not tell.
        adopted: the commit that held what was taken from the user's disk.
        note: operations, intents and verdicts.
        digest: what an approval or a rejection is about.
        stage: in which an approval was given; "": there was but one.
        approved: who had agreed, with the id of the entry that says so.
        place, disk: the worktree whose files followed, and what became of those where ``before`` and
            ``after`` do not tell; see ``journal.py``.
        seal: that this user has written all of this; looked at as it is read.
    """

    kind: Literal["land", "edit", "undo", "redo", "drop", "approve", "reject", "push"]
    tx: str
    user: str
    time: int
    branch: str = ""
    before: str | None = None
    after: str | None = None
    message: str = ""
    agent: str = ""
    confirmed: str = ""
    paths: tuple[str, ...] = ()
    undoes: str | None = None
    revert: bool = False
    request_ids: tuple[str, ...] = ()
    requests: dict[str, str] = {}
    adopted: str | None = None
    note: dict[str, Any] = {}
    digest: str = ""
    stage: str = ""
    approved: tuple[str, ...] = ()
    place: str = ""
    disk: tuple[DiskChange, ...] = ()
    seal: str = ""

    @property
    def where(self) -> str:
        """The branch, or the name of the checkout."""
        return self.branch or (CHECKOUT if self.place and self.kind in ("edit", "undo", "redo") else "")


class Entry(msgspec.Struct, frozen=True):
    """A step in the log; ``oid`` is its commit."""

    oid: Oid
    record: Record


def write(store: Store, parent: Oid | None, record: Record, *, sign: bool = False) -> Oid:
    """Write the commit for ``record``, signed with the user's key if asked for; no ref moves."""
    plain = _encodable(record)
    plain = msgspec.structs.replace(plain, seal=seal.mark(_ABOUT, _unsealed(plain)))
    content = msgspec.json.format(msgspec.json.encode(plain))
    tree = store.write_tree(None, [(_FILE, TreeEntry(REGULAR, store.blob_id(content)))], [content])
    subject_line = _one_line(f"{record.kind} {record.tx}: {subject(record.message)}").rstrip(": ")
    if sign:
        return store.write_commit(tree, [parent] if parent else [], subject_line, sign=True)
    return store.write_raw_commit(
        commits.serialize(tree, [parent] if parent else [], subject_line, signature(plain))
    )


def _encodable(record: Record) -> Record:
    """Return a record with names as JSON can hold them.

    Paths and the branch are quoted as git does, so that they are read back as they are; in what is said
    of names (symbols, messages, people) a byte that is no UTF-8 becomes U+FFFD.
    """
    paths = tuple(quoted(path) for path in record.paths)
    plain = msgspec.structs.replace(record, paths=paths, branch=quoted(record.branch))
    try:
        msgspec.json.encode(plain)
    except UnicodeEncodeError:
        return serialization.convert(clean(msgspec.to_builtins(plain)), Record)
    return plain


def signature(record: Record) -> str:
    """Who made a step and when, as a commit has it."""
    user = _one_line(record.user)
    return f"{user if user.endswith('>') else user + ' <>'} {record.time} +0000"


def tip(repo: Repository, store: Store) -> Oid | None:
    """The newest entry; None: nothing has been recorded yet.

    Raises:
        Damaged: ``corrupt``: there is a log, and it cannot be read.
    """
    found = store.resolve(OPS)
    return refs.refuse_broken(repo, OPS) if found is None else found


def append(
    repo: Repository, store: Store, record: Record, updates: Iterable[RefUpdate] = (), *, sign: bool = False
) -> Oid:
    """Record a step that moves no branch, together with its refs; the caller holds the lock."""
    parent = tip(repo, store)
    oid = write(store, parent, record, sign=sign)
    from gitscalpel.git import ref_transaction  # who only reads the log moves no ref

    with store.lasting():
        ref_transaction.update(
            repo, [*updates, RefUpdate(OPS, parent, oid)], f"scalpel: {record.kind} {record.tx}"
        )
    return oid


def read(repo: Repository, limit: int | None = None) -> Iterator[Entry]:
    """The log, newest first; two processes, however long it is, and only as far as somebody asks.

    Raises:
        Damaged: ``corrupt``, if a commit of the log holds no record.
    """
    count = () if limit is None else (f"--max-count={limit}",)
    with CatFile(repo.git) as objects:
        tip = objects.resolve(OPS) or refs.refuse_broken(repo, OPS)
        if tip is None:
            return
        # Whoever wants the newest entries must not wait for the oldest: it is read while git still writes.
        with repo.git.start("rev-list", "--first-parent", *count, tip) as log:
            assert log.stdout is not None  # noqa: S101 - it is a pipe
            for line in log.stdout:
                oid = Oid(line.decode("ascii").strip())
                found = objects.get(f"{oid}:{_FILE}")
                yield _entry(found.content if found else None, oid)
            words = log.stderr.read() if log.stderr else b""
            if log.wait():
                raise failure("rev-list", log.returncode, words.decode("utf-8", "replace").strip())


def since(store: Store, known: Oid | None, limit: int) -> Iterator[Entry]:
    """The steps after ``known`` (None: all), newest first; read by the store, which starts nothing.

    Raises:
        Damaged: ``corrupt``, if a commit of the log holds no record.
    """
    at = store.resolve(OPS)
    while at is not None and at != known and limit > 0:
        yield _entry(store.file(at, _FILE), at)
        at, limit = next(iter(store.commit(at).parents), None), limit - 1


def entry(store: Store, oid: Oid) -> Entry:
    """One entry, by its id. Raises ``Damaged``: ``corrupt``."""
    return _entry(store.file(oid, _FILE), oid)


def is_one(store: Store, entry: Entry) -> bool:
    """Whether a commit is an entry and can be nothing else.

    Somebody who signs a commit of a branch must not have signed what a file in it says.
    """
    commit, record = store.commit(entry.oid), entry.record
    files = [delta.path for delta in store.difference(None, commit.tree)]
    return files == [_FILE] and commit.message.startswith(f"{record.kind} {record.tx}")


def _entry(content: bytes | None, oid: Oid) -> Entry:
    try:
        plain = serialization.decode(content or b"", Record)
        record = msgspec.structs.replace(plain, branch=unquoted(plain.branch))
        _refuse_odd(record)
        # What it says of a disk is this user's alone to say.
        disk = record.disk if seal.is_marked(_ABOUT, _unsealed(plain), plain.seal) else ()
        return Entry(oid, msgspec.structs.replace(record, disk=disk, seal=""))
    except msgspec.MsgspecError as error:
        raise Damaged(
            "corrupt",
            f"the operation log's entry {oid} holds no record: {error}",
            "run `git fsck`; `git log refs/scalpel/ops` shows the log",
        ) from None


def _refuse_odd(record: Record) -> None:
    """Refuse what no step writes: what it names is moved, or handed to git. Raises ``ValidationError``."""
    if record.branch and (not record.branch.startswith("refs/heads/") or ".." in record.branch):
        raise msgspec.ValidationError(f"{record.branch!r} is not a branch")
    sides = [side for row in record.disk for side in (row.before, row.after) if side is not None]
    if any(side.mode not in (REGULAR, EXECUTABLE, SYMLINK) for side in sides):
        raise msgspec.ValidationError("it names no file")
    named = (record.before, record.after, record.undoes, record.adopted, *(s.oid or None for s in sides))
    odd = next((oid for oid in named if oid is not None and not _OID.fullmatch(oid)), None)
    if odd is not None:
        raise msgspec.ValidationError(f"{odd!r} is not an object id")


def _unsealed(record: Record) -> bytes:
    return msgspec.json.encode(msgspec.structs.replace(record, seal=""))


def _one_line(text: str) -> str:
    return " ".join(text.replace("\0", "").split())


def can_sign(repo: Repository) -> bool:
    """Whether the user has a key that git would sign with."""
    return bool(repo.config.get("user.signingkey") or repo.config.get("gpg.ssh.defaultkeycommand"))


def signature_fault(repo: Repository, store: Store, entry: Entry, signers: bytes, folder: Path) -> str:
    """Why an entry of the log is not signed by who it says, in words; "": it is.

    Arguments as in :func:`find_signer`.
    """
    name = find_signer(repo, entry.oid, signers, folder)
    if name is None or not is_one(store, entry):
        return "it has no signature of a key that counts"
    return "" if name.lower() == mail_address(entry.record.user) else f"it is signed by {name}"


def mail_address(person: str) -> str:
    """The address of a ``Name <mail>``, to compare."""
    return person.partition("<")[2].partition(">")[0].strip().lower()


def find_signer(repo: Repository, commit: Oid, signers: bytes, folder: Path) -> str | None:
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
