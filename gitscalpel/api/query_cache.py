"""Cache of answers computed over all files of a tree.

An answer depends on what was read from the tree and on gitscalpel's own code. It is reused while both
are unchanged, so a cached answer always equals a computed one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

import msgspec

from gitscalpel.changesets.file_tree import Oid, Snapshot
from gitscalpel.errors import Damaged
from gitscalpel.git import user_cache
from gitscalpel.git.snapshots import TreeSnapshot
from gitscalpel.git.user_cache import Dependencies, TracedSnapshot, is_unchanged
from gitscalpel.system import serialization
from gitscalpel.workspace import Target, Workspace

_BRANCH = "refs/heads/"
_Answer = TypeVar("_Answer", bound=msgspec.Struct)


class _Kept(msgspec.Struct, frozen=True):
    """An answer, and the tree in which that was looked at."""

    tree: str
    looked: Dependencies
    answer: msgspec.Raw


def once(
    ws: Workspace,
    target: Target,
    asked: msgspec.Struct,
    kind: type[_Answer],
    make: Callable[[Snapshot], _Answer],
) -> _Answer:
    """What ``make`` answers of the target's files, which is not asked where that is known.

    Args:
        ws: where.
        target: whose files; those on the disk are looked at each time.
        asked: what is asked for.
        kind: of the answer.
        make: finds it, by the files alone.
    """
    snapshot = target.snapshot
    if not isinstance(snapshot, TreeSnapshot):
        return make(snapshot)
    # A transaction begins with the files of its branch, and leaves that one's answers as they are.
    names = [_name(asked, place) for place in dict.fromkeys((_own(target), ""))]
    for name in names:
        kept = _kept(ws, name)
        if kept is not None and _holds(ws, kept, snapshot):
            with suppress(msgspec.MsgspecError):
                found = serialization.decode(bytes(kept.answer), kind)
                if kept.tree != snapshot.tree:
                    _keep(ws, names[0], snapshot, kept.looked, found)
                return found
    watched = TracedSnapshot(snapshot)
    found = make(watched)
    _keep(ws, names[0], snapshot, watched.looked, found)
    return found


def _own(target: Target) -> str:
    return "" if target.branch.startswith(_BRANCH) else target.branch


def _kept(ws: Workspace, name: str) -> _Kept | None:
    said = user_cache.read_result(ws.repo, name)
    with suppress(msgspec.MsgspecError):
        return None if said is None else serialization.decode(said, _Kept)
    return None


def _keep(
    ws: Workspace, name: str, snapshot: TreeSnapshot, looked: Dependencies, found: msgspec.Struct
) -> None:
    with suppress(UnicodeEncodeError):  # names that are not UTF-8
        answer = msgspec.Raw(msgspec.json.encode(found))
        user_cache.write_result(ws.repo, name, msgspec.json.encode(_Kept(snapshot.tree, looked, answer)))


def _holds(ws: Workspace, kept: _Kept, now: TreeSnapshot) -> bool:
    if kept.tree == now.tree:
        return True
    before = TreeSnapshot(ws.store, ws.repo.git, Oid(kept.tree))
    with suppress(Damaged):  # the other tree is gone
        return is_unchanged(kept.looked, ws.store, before, now)
    return False


def _name(asked: msgspec.Struct, place: str) -> str:
    """The name under which an answer is kept: what is asked, where, and the code that answers."""
    try:
        said = msgspec.json.encode([type(asked).__name__, asked, place])
    except UnicodeEncodeError:  # a name that is not UTF-8
        said = ascii((asked, place)).encode()
    return blake2b(said, key=code_key(), digest_size=20).hexdigest()


@cache
def code_key() -> bytes:
    """What tells our code, its grammars and the interpreter from others."""
    found = blake2b(sys.version.encode(), digest_size=32)
    for path in _files():
        status = os.stat(path)  # noqa: PTH116 - some hundreds
        found.update(
            f"{path}\0{status.st_ino} {status.st_size} {status.st_mtime_ns}\0".encode("utf-8", "replace")
        )
    return found.digest()


def _files() -> Iterator[str]:
    """Our own files, and the folders that installing other grammars replaces."""
    for here, folders, names in os.walk(Path(__file__).parent.parent):
        folders[:] = sorted(folder for folder in folders if folder != "__pycache__")
        yield from (f"{here}/{name}" for name in sorted(names))
    for name in ("tree_sitter", "tree_sitter_language_pack"):
        spec = find_spec(name)
        yield from (spec.submodule_search_locations or ()) if spec else ()
