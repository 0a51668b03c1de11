"""Cached answers that need all files of a tree.

A cached answer is used while the files that were read and gitscalpel's own code are unchanged, so that it
always equals a computed one.
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
from gitscalpel.git.user_cache import Dependencies, TracedSnapshot, are_dependencies_unchanged
from gitscalpel.system import serialization
from gitscalpel.workspace.workspace import Target, Workspace

_BRANCH = "refs/heads/"
_Answer = TypeVar("_Answer", bound=msgspec.Struct)


class _CachedAnswer(msgspec.Struct, frozen=True):
    tree: str
    looked: Dependencies
    answer: msgspec.Raw


def cached_answer(
    ws: Workspace,
    target: Target,
    asked: msgspec.Struct,
    kind: type[_Answer],
    make: Callable[[Snapshot], _Answer],
) -> _Answer:
    """Return the cached answer about a target's files, or compute it with ``make`` from the files alone.

    Answers about files on disk are not cached.
    """
    snapshot = target.snapshot
    if not isinstance(snapshot, TreeSnapshot):
        return make(snapshot)
    # A transaction starts from its branch: its first answers come from the branch's cache.
    names = [_cache_name(asked, place) for place in dict.fromkeys((_transaction_branch(target), ""))]
    for name in names:
        kept = _read_cached(ws, name)
        if kept is not None and _is_valid(ws, kept, snapshot):
            with suppress(msgspec.MsgspecError):
                found = serialization.decode(bytes(kept.answer), kind)
                if kept.tree != snapshot.tree:
                    _write_cached(ws, names[0], snapshot, kept.looked, found)
                return found
    watched = TracedSnapshot(snapshot)
    found = make(watched)
    _write_cached(ws, names[0], snapshot, watched.dependencies, found)
    return found


def _transaction_branch(target: Target) -> str:
    return "" if target.branch.startswith(_BRANCH) else target.branch


def _read_cached(ws: Workspace, name: str) -> _CachedAnswer | None:
    said = user_cache.read_result(ws.repo, name)
    with suppress(msgspec.MsgspecError):
        return None if said is None else serialization.decode(said, _CachedAnswer)
    return None


def _write_cached(
    ws: Workspace, name: str, snapshot: TreeSnapshot, looked: Dependencies, found: msgspec.Struct
) -> None:
    with suppress(UnicodeEncodeError):  # names that are not UTF-8
        answer = msgspec.Raw(msgspec.json.encode(found))
        user_cache.write_result(
            ws.repo, name, msgspec.json.encode(_CachedAnswer(snapshot.tree, looked, answer))
        )


def _is_valid(ws: Workspace, kept: _CachedAnswer, now: TreeSnapshot) -> bool:
    if kept.tree == now.tree:
        return True
    before = TreeSnapshot(ws.store, ws.repo.git, Oid(kept.tree))
    with suppress(Damaged):  # the other tree is gone
        return are_dependencies_unchanged(kept.looked, ws.store, before, now)
    return False


def _cache_name(asked: msgspec.Struct, place: str) -> str:
    try:
        said = msgspec.json.encode([type(asked).__name__, asked, place])
    except UnicodeEncodeError:  # a name that is not UTF-8
        said = ascii((asked, place)).encode()
    return blake2b(said, key=code_key(), digest_size=20).hexdigest()


@cache
def code_key() -> bytes:
    """Return the digest of our code, its grammars and the interpreter."""
    found = blake2b(sys.version.encode(), digest_size=32)
    for path in _iter_code_files():
        status = os.stat(path)  # noqa: PTH116 - some hundreds
        found.update(
            f"{path}\0{status.st_ino} {status.st_size} {status.st_mtime_ns}\0".encode("utf-8", "replace")
        )
    return found.digest()


def _iter_code_files() -> Iterator[str]:
    for here, folders, names in os.walk(Path(__file__).parent.parent):
        folders[:] = sorted(folder for folder in folders if folder != "__pycache__")
        yield from (f"{here}/{name}" for name in sorted(names))
    for name in ("tree_sitter", "tree_sitter_language_pack"):
        spec = find_spec(name)
        yield from (spec.submodule_search_locations or ()) if spec else ()
