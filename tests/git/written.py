"""Trees from files that are given."""

from __future__ import annotations

from collections.abc import Mapping

from gitscalpel.changesets.file_tree import REGULAR, Entry, Oid
from gitscalpel.git.object_store import Store

Content = bytes | tuple[str, bytes] | None


def written(store: Store, base: Oid | None, files: Mapping[str, Content]) -> Oid:
    """The tree ``base`` with these files, which may come with their modes; None takes one away."""
    fresh = [_bytes(content) for content in files.values() if content is not None]
    return store.write_tree(base, [(path, _entry(store, content)) for path, content in files.items()], fresh)


def _entry(store: Store, content: Content) -> Entry | None:
    mode = content[0] if isinstance(content, tuple) else REGULAR
    return None if content is None else Entry(mode, store.blob_id(_bytes(content)))


def _bytes(content: bytes | tuple[str, bytes]) -> bytes:
    return content[1] if isinstance(content, tuple) else content
