"""Real repositories in a sealed environment, with short methods for tests."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, SYMLINK, Oid
from gitscalpel.git import ref_transaction, refs
from gitscalpel.git.object_store import Store, open_store
from gitscalpel.git.oplog import Record
from gitscalpel.git.refs import KEEP, TX, RefUpdate
from gitscalpel.git.repository import Repository, discover
from gitscalpel.system import repo_lock
from gitscalpel.transaction import branch_update, recovery
from gitscalpel.transaction.branch_update import Landed, Movement
from tests import copies
from tests.git.tree_writer import write_tree

Content = bytes | tuple[str, bytes] | None
"""A file's bytes, or its mode and bytes, or None for a deleted file."""

SEALED = {
    "SCALPEL_SERVER": "off",
    "GIT_CONFIG_NOSYSTEM": "1",
    # Not the null device: a process that writes a setting as root would replace the device by a file.
    "GIT_CONFIG_GLOBAL": "/nonexistent/gitconfig",
    "GIT_ATTR_NOSYSTEM": "1",
    # What a new repository begins with is not the machine's; and it is one hook, where git has thirteen.
    "GIT_TEMPLATE_DIR": str(Path(__file__).parent / "template"),
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "1700000000 +0000",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_COMMITTER_DATE": "1700000000 +0000",
    "GIT_EDITOR": "false",
    "GIT_TERMINAL_PROMPT": "0",
}


def no_bubblewrap(folder: Path) -> str:
    """Make a bubblewrap that fails, and return its directory.

    First on PATH, the directory makes this a machine without sandboxes.
    """
    file = folder / "bwrap"
    file.write_text("#!/bin/sh\necho not in these tests >&2\nexit 1\n")
    file.chmod(0o755)
    return str(folder)


_OID = re.compile("[0-9a-f]{40}([0-9a-f]{24})?")


class Sandbox:
    """A repository whose work tree is ``root``."""

    long_lived = False
    """True if stores and workspaces are opened as in a long-running process; see ``each_store``."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def init(cls, root: Path, *options: str) -> Sandbox:
        def make(place: Path) -> None:
            place.mkdir(parents=True, exist_ok=True)
            cls(place).git("init", "-q", "-b", "main", *options)

        copies.first_made(options, make, root)
        return cls(root)

    @classmethod
    def of(cls, root: Path, files: Mapping[str, Content]) -> Sandbox:
        """Return a repository with one commit of ``files``."""

        def make(place: Path) -> None:
            cls.init(place).commit(files)

        copies.refresh(root, copies.first_made(frozenset(files.items()), make, root))
        return cls(root)

    def git(self, *args: str, stdin: str = "", check: bool = True) -> str:
        """Run git as the user would, and return its output."""
        done = subprocess.run(
            ["git", *args], cwd=self.root, input=os.fsencode(stdin), capture_output=True, check=False
        )
        assert not check or done.returncode == 0, done.stderr.decode()
        return os.fsdecode(done.stdout).rstrip("\n")

    def write(self, files: Mapping[str, Content]) -> None:
        for path, content in files.items():
            full = self.root / path
            mode, data = content if isinstance(content, tuple) else (REGULAR, content)
            if full.is_symlink() or full.is_file():
                full.unlink()
            if data is None:
                continue
            full.parent.mkdir(parents=True, exist_ok=True)
            if mode == SYMLINK:
                full.symlink_to(os.fsdecode(data))
            else:
                full.write_bytes(data)
                full.chmod(0o755 if mode == EXECUTABLE else 0o644)

    def commit(self, files: Mapping[str, Content], message: str = "a commit") -> Oid:
        self.write(files)
        self.git("add", "-A", "-f")
        # Maintenance has nothing to do, and to find that out takes a process.
        self.git("-c", "maintenance.auto=false", "commit", "-q", "--allow-empty", "-m", message)
        return self._committed() or self.tip()

    def _committed(self) -> Oid | None:
        """Return the tip that git has just written into a loose ref, or None with another ref storage."""
        try:
            ref = (self.root / ".git/HEAD").read_text().removeprefix("ref: ").strip()
            said = (self.root / ".git" / ref).read_text().strip()
        except OSError:
            return None
        return Oid(said) if _OID.fullmatch(said) else None

    def object_file(self, oid: str) -> Path:
        """Return the file of an object, unpacked if necessary."""
        objects = self.root / ".git/objects"
        for pack in sorted(objects.glob("pack/*.pack")):
            pack.with_suffix(".idx").unlink()
            content = pack.rename(self.root / ".git/unpacked").read_bytes()
            subprocess.run(["git", "unpack-objects", "-q"], cwd=self.root, input=content, check=True)
        return objects / oid[:2] / oid[2:]

    def tip(self, ref: str = "HEAD") -> Oid:
        return Oid(self.git("rev-parse", "--verify", ref))

    def status(self) -> str:
        return self.git("status", "--porcelain=v1", "-uall")

    def files(self) -> dict[str, bytes | str]:
        """Return every file of the work tree: its bytes or link target; names of executables end in ``*``."""
        found: dict[str, bytes | str] = {}
        for here, folders, names in os.walk(self.root):
            if ".git" in folders:
                folders.remove(".git")
            for name in names + [f for f in folders if (Path(here) / f).is_symlink()]:
                full = Path(here) / name
                path = os.path.relpath(full, self.root)
                if full.is_symlink():
                    found[path] = str(full.readlink())
                elif name != ".git":
                    found[path + ("*" if os.access(full, os.X_OK) else "")] = full.read_bytes()
        return found

    def state(self) -> tuple[str, str, str, dict[str, bytes | str]]:
        """Return everything that a refusal must not change."""
        return (
            self.git("for-each-ref"),
            self.git("symbolic-ref", "-q", "HEAD", check=False),
            self.git("ls-files", "--stage", "-v"),
            self.files(),
        )

    @contextmanager
    def opened(self) -> Iterator[tuple[Repository, Store]]:
        repo = discover(self.root, os.environ)
        with open_store(repo, self.long_lived) as store:
            yield store.repo, store
            store.show()

    def begin(self, files: Mapping[str, Content], tx: str = "abcd2345", branch: str = "main") -> Movement:
        """Open a transaction on ``branch`` that changes ``files``."""
        with self.opened() as (repo, store):
            old = repo.resolve(f"refs/heads/{branch}")
            base = None if old is None else store.commit(old).tree
            tree = write_tree(store, base, files)
            new = store.write_commit(tree, [] if old is None else [old], f"{tx}\n")
            ref_transaction.update_refs(repo, [RefUpdate(TX + tx, None, new)], "begin")
            record = Record(kind="land", tx=tx, user="Ada <ada@example.org>", time=1700000000, message=tx)
            gone = (RefUpdate(TX + tx, new, None),)
            return Movement(f"refs/heads/{branch}", old, new, record, gone)

    def move(self, movement: Movement) -> Landed:
        with self.opened() as (repo, store), repo_lock.hold_lock(repo.scalpel_dir) as held:
            recovery.recover(repo, store, held)
            return branch_update.move(branch_update.LockedRepository(repo, store, held), [movement])[0]

    def land(self, files: Mapping[str, Content], branch: str = "main") -> Landed:
        return self.move(self.begin(files, refs.new_id(), branch))

    def undoing(self, landed: Landed, tx: str = "abcd2345", branch: str = "main") -> Movement:
        """Return the movement that undoes ``landed``."""
        record = Record(
            kind="undo", tx=tx, user="Ada <ada@example.org>", time=1700000001, undoes=str(landed.entry)
        )
        kept = (RefUpdate(KEEP + tx, None, landed.after),)
        return Movement(f"refs/heads/{branch}", landed.after, landed.before, record, kept)
