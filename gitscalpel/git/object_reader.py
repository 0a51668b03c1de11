"""Read objects and refs through one `git cat-file` process per repository, started when first asked."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING

import msgspec

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import Damaged, InputOutput
from gitscalpel.git import process
from gitscalpel.git.loose_objects import object_id
from gitscalpel.git.process import Git, failure

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
    """An :class:`gitscalpel.git.object_store.Objects` that asks a ``cat-file --batch-command -z``.

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
        """See :meth:`gitscalpel.git.object_store.Objects.get`."""
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
        """See :meth:`gitscalpel.git.object_store.Objects.resolve`."""
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
