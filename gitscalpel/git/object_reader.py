"""Read objects and refs in this process, and by one `git cat-file` where that is not certain.

Only what all readers answer alike is read in this process: an id, HEAD, a full ref name (or its
absence), and a path below them. Other revisions, missing or damaged objects, objects that a partial
clone has yet to fetch, and broken refs are git's, so git's answers and errors are the only ones. No
reader follows replace refs.

The ``git cat-file`` process stays: one process per repository, not per object.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

import msgspec

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import Damaged, InputOutput
from gitscalpel.git import process
from gitscalpel.git.loose_objects import object_id
from gitscalpel.git.process import Git, failure
from gitscalpel.git.trees import parse

if TYPE_CHECKING:
    from gitscalpel.git.process import Child


_AT_ONCE = 50
"""Questions that wait for git: in 4 kB, for which every pipe has room, or both sides would wait."""


class Object(msgspec.Struct, frozen=True):
    """An object as git stores it."""

    oid: Oid
    kind: str
    content: bytes


class CatFile:
    """A ``cat-file --batch-command -z``, started when first asked.

    The option ``-z`` came with the oldest git that will do, so an older one is
    found out here and the version needs no process of its own.
    """

    def __init__(self, git: Git) -> None:
        self._git = git
        self._child: Child[bytes] | None = None

    def __enter__(self) -> CatFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def get(self, spec: str) -> Object | None:
        """The object that ``spec`` (an id or any revision) names, or None. Raises ``Damaged``."""
        with self._to_the_end():
            found = self._content(self._ask("contents", spec))
        if found is not None and not _is_sound(found):
            raise Damaged(  # git finds out only in fsck
                "corrupt",
                f"the content of {found.kind} {found.oid} is not what its name says",
                "run `git fsck --full` and repair what it names",
            )
        return found

    def several(self, oids: Sequence[Oid]) -> list[Object]:
        """Those of several objects that are there and sound, asked for without waiting for each.

        Raises:
            Damaged: git cannot read one.
            InputOutput: one is to be fetched, and is not to be had.
        """
        found: list[Object | None] = []
        for at in range(0, len(oids), _AT_ONCE):
            some = oids[at : at + _AT_ONCE]
            with self._to_the_end():
                self._say("contents", *some)
                found += [self._content(self._header()) for _ in some]
        return [each for each in found if each is not None and _is_sound(each)]

    def resolve(self, spec: str) -> Oid | None:
        """The id that ``spec`` names, or None."""
        with self._to_the_end():
            header = self._ask("info", spec)
        return None if header is None else header[0]

    def close(self) -> None:
        """End the child; the next question starts another."""
        child, self._child = self._child, None
        if child is not None:
            with child:
                pass

    @contextmanager
    def _to_the_end(self) -> Iterator[None]:
        """Part from the child if it is interrupted within: the rest of its answer would be the next one's."""
        try:
            yield
        except BaseException:
            child, self._child = self._child, None
            if child is not None:
                with child:
                    child.kill()
            raise

    def _ask(self, command: str, spec: str) -> tuple[Oid, str, int] | None:
        if "\n" in spec or "\0" in spec:
            return None  # no name of anything, and git's answer would not be one line
        self._say(command, spec)
        return self._header()

    def _say(self, command: str, *specs: str) -> None:
        if self._child is None:
            self._child = self._git.start("cat-file", "--batch-command", "-z", apart=True)
        assert self._child.stdin is not None  # noqa: S101  it is a pipe
        with suppress(BrokenPipeError):  # which is found out where the answer is read
            for spec in specs:
                self._child.stdin.write(command.encode() + b" " + os.fsencode(spec) + b"\0")
            self._child.stdin.flush()

    def _header(self) -> tuple[Oid, str, int] | None:
        assert self._child is not None and self._child.stdout is not None  # noqa: S101, PT018
        header = self._child.stdout.readline()
        if not header:
            self._died()
        if header.endswith((b" missing\n", b" ambiguous\n")):
            return None
        oid, kind, size = header.decode("ascii").split()
        return Oid(oid), kind, int(size)

    def _content(self, header: tuple[Oid, str, int] | None) -> Object | None:
        if header is None:
            return None
        oid, kind, size = header
        return Object(oid, kind, self._read(size + 1)[:-1])

    def _read(self, size: int) -> bytes:
        assert self._child is not None and self._child.stdout is not None  # noqa: S101, PT018
        content = self._child.stdout.read(size)
        if len(content) != size:
            self._died()
        return content

    def _died(self) -> None:
        child, self._child = self._child, None
        assert child is not None and child.stdin is not None  # noqa: S101, PT018
        with suppress(BrokenPipeError):
            child.stdin.close()
        with child:
            assert child.stderr is not None  # noqa: S101
            err = child.stderr.read().decode("utf-8", "replace").strip()
        process.require_version_after(self._git, child.returncode)
        if "promisor" in err:  # of a partial clone
            raise InputOutput(
                "io_error",
                f"an object is not here, and the remote that should have it does not give it: {err}",
                "try again when the remote can be reached; `git fetch` says what is wrong with it",
            )
        if child.returncode == 128:
            raise Damaged(
                "corrupt",
                f"git cannot read an object: {err}",
                "run `git fsck --full` and repair what it names",
            )
        raise failure("cat-file", child.returncode, err)


def _is_sound(found: Object) -> bool:
    return object_id("sha256" if len(found.oid) == 64 else "sha1", found.kind, found.content) == found.oid


OBJECT_ID = re.compile("[0-9a-f]{40}", re.ASCII)
"""What SHA-1 calls an object."""
_WIDTH = 20
_COMMIT, _PEELED = "^{commit}", "^{}"
_ODD = frozenset({"", ".", ".."})
"""What git takes for something else than a name in a path."""


class Unclear(Exception):
    """It is git that knows."""


class ObjectSource(Protocol):
    """What reads here; SHA-1 only."""

    at_once: int
    """From so many objects on, git hands them out faster."""

    def find(self, oid: Oid) -> Object | None:
        """An object that is here and sound, or None."""

    def ref(self, name: str) -> Oid | None:
        """What ``HEAD`` or a ref stands for; None: there is no such ref. Raises ``Unclear``."""

    def close(self) -> None:
        """Let go of files."""


class ObjectReader:
    """An :class:`gitscalpel.git.object_store.Objects`.

    Args:
        source: what reads here.
        behind: the git that is asked otherwise.
    """

    def __init__(self, source: ObjectSource, behind: CatFile) -> None:
        self._source = source
        self._behind = behind

    def get(self, spec: str) -> Object | None:
        """See :meth:`gitscalpel.git.object_store.Objects.get`."""
        try:
            return self._get(spec)
        except Unclear:
            return self._behind.get(spec)

    def resolve(self, spec: str) -> Oid | None:
        """See :meth:`gitscalpel.git.object_store.Objects.resolve`."""
        try:
            found = self._get(spec)
        except Unclear:
            return self._behind.resolve(spec)
        return None if found is None else found.oid

    def several(self, oids: Sequence[Oid]) -> list[Object]:
        """See :meth:`gitscalpel.git.object_store.Objects.several`."""
        return self._behind.several(oids) if len(oids) >= self._source.at_once else []

    def close(self) -> None:
        """See :meth:`gitscalpel.git.object_store.Objects.close`."""
        self._behind.close()
        self._source.close()

    def _get(self, spec: str) -> Object | None:
        revision, colon, path = spec.partition(":")
        suffix = next((each for each in (_COMMIT, _PEELED) if revision.endswith(each)), "")
        oid = self._id(revision.removesuffix(suffix))
        if oid is None:
            return None
        found = self._found(oid)
        if (suffix and found.kind == "tag") or (suffix == _COMMIT and found.kind != "commit"):
            raise Unclear
        return self._below(found, path) if colon else found

    def _id(self, name: str) -> Oid | None:
        if OBJECT_ID.fullmatch(name):
            return Oid(name)
        if name == "HEAD" or name.startswith("refs/"):
            return self._source.ref(name)
        raise Unclear

    def _found(self, oid: Oid) -> Object:
        found = self._source.find(oid)
        if found is None:
            raise Unclear
        return found

    def _below(self, found: Object, path: str) -> Object | None:
        """What is at a path of a commit; None: nothing."""
        steps = path.split("/")
        if found.kind != "commit" or not _ODD.isdisjoint(steps):
            raise Unclear
        oid = Oid(found.content[5:45].decode("ascii", "replace"))
        for step in steps:
            tree = self._found(oid)
            if tree.kind != "tree":
                return None
            entry = parse(tree.content, _WIDTH).get(step)
            if entry is None:
                return None
            oid = entry.oid
        return self._found(oid)
