"""Trees from given files."""

from __future__ import annotations

from collections.abc import Mapping

from gitscalpel.changesets.file_tree import REGULAR, Entry, Oid
from gitscalpel.git.object_store import Store

Content = bytes | tuple[str, bytes] | None


def write_tree(store: Store, base: Oid | None, files: Mapping[str, Content]) -> Oid:
    """Write ``base`` with these files, which may have modes, and without those that are None."""
    fresh = [_content_bytes(content) for content in files.values() if content is not None]
    return store.write_tree(
        base, [(path, _make_entry(store, content)) for path, content in files.items()], fresh
    )


def _make_entry(store: Store, content: Content) -> Entry | None:
    mode = content[0] if isinstance(content, tuple) else REGULAR
    return None if content is None else Entry(mode, store.blob_id(_content_bytes(content)))


def _content_bytes(content: bytes | tuple[str, bytes]) -> bytes:
    return content[1] if isinstance(content, tuple) else content
