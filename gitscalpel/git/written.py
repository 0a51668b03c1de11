"""Objects that were made here: in memory, until a git that may look for them starts, or they have to last.

A change that is refused leaves none; those of a landing become one pack. Whoever starts a git tells
(:attr:`gitscalpel.git.run.Git.starting`), so that it finds what was made.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.git.loose import LooseObjects
from gitscalpel.system import private_files

_BLIND = frozenset({"", "check-attr", "check-ref-format", "config", "symbolic-ref", "var", "version"})
"""Commands of git that look for no object."""
_READS = frozenset({"cat-file", "diff", "diff-files", "diff-index", "diff-tree", "for-each-ref", "ls-files"})
_READS |= {"ls-tree", "merge-base", "rev-list", "rev-parse", "update-index", "update-ref", "worktree"}
"""Those that write none; of all others it is not known."""
_FEW = 2
"""Objects that are as well written one by one."""


class Written:
    """What this process adds to the objects of a repository.

    Args:
        objects: the repository's folder of objects.
        object_format: ``sha1`` or ``sha256``.
    """

    def __init__(self, objects: Path, object_format: str) -> None:
        self._objects, self._format = objects, object_format
        self._loose = LooseObjects(objects, object_format)
        self._new: dict[Oid, tuple[str, bytes]] = {}

    def name(self, kind: str, content: bytes) -> Oid:
        """The id that ``content`` has; nothing is added."""
        return self._loose.name(kind, content)

    def add(self, kind: str, content: bytes) -> Oid:
        """Add an object."""
        oid = self.name(kind, content)
        self._new[oid] = kind, content
        return oid

    def get(self, oid: str) -> tuple[str, bytes] | None:
        """Kind and content of an object that is only here; None: look for it elsewhere."""
        return self._new.get(Oid(oid))

    def starting(self, command: str) -> None:
        """A git starts: whatever it may look for is there, and what it may write is looked for later."""
        if command in _BLIND:
            return
        self.show()
        if command not in _READS:
            self._loose.watch()

    def show(self) -> None:
        """Let everybody see what was added; what is in them is durable, their names are not."""
        new, self._new = self._new, {}
        for kind, content in new.values():
            self._loose.add(kind, content)
        self._loose.publish()

    @contextmanager
    def lasting(self) -> Iterator[None]:
        """What was added, and what the gits that were started here have written, is durable in the block.

        It gets a name there: nobody's repack takes it until then.
        """
        with ExitStack() as held:
            if len(self._new) > _FEW and not self._promised():
                from gitscalpel.git import packing  # who only looks need not load it

                new, self._new = self._new, {}
                held.enter_context(packing.written(self._objects, self._format, new))
            self.show()
            self._loose.sync()
            yield

    def _promised(self) -> bool:
        """Whether this is a partial clone: its packs are told apart by what is in them."""
        return private_files.count(self._objects / "pack", ".promisor") > 0
