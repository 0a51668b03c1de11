"""Whether a file on the disk is certainly what a commit has, so that git need not compare them."""

from __future__ import annotations

from gitscalpel.changesets.file_tree import Entry
from gitscalpel.git import attributes, index_file
from gitscalpel.git.disk import files_of
from gitscalpel.git.repository import Repository
from gitscalpel.git.store import Store


def untouched(repo: Repository, store: Store, path: str, entry: Entry | None) -> bool:
    """Whether the disk and the index hold ``entry`` at ``path``, and nothing lies between the two forms.

    False says nothing: the two forms of a file may differ and it is clean for all that.
    """
    plain = index_file.entries(repo, [path])
    if entry is None or plain is None or plain.get(path) != entry:
        return False
    if not attributes.none_set(repo, [path]) or attributes.converts_all(repo):
        return False
    work = files_of(repo, store)
    return work.same(work.state(path), work.expected(entry))
