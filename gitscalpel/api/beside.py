"""A second process that looks into a tree from the last file on, while this one begins at the first.

What it has looked at in the tree belongs to the answer as well, and is noted with what it has found.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress

import msgspec

from gitscalpel import wire
from gitscalpel.forked import Forked, is_worthwhile
from gitscalpel.git.looked import Looked, Watched
from gitscalpel.git.snapshot import TreeSnapshot
from gitscalpel.meaning.beside import Beside, Hear, Say, alone
from gitscalpel.snapshot import Snapshot

FEW = 40
"""Files for which no process is forked: that takes as long as to look into two or three of them."""


class _Said(msgspec.Struct, frozen=True, array_like=True):
    """What is said of a file, and what has been looked at for it."""

    number: int
    content: msgspec.Raw
    looked: Looked


def besides(snapshot: Snapshot, seen: Snapshot) -> Beside:
    """Who looks into a tree beside this process, where what is looked at is noted; else nobody."""
    if isinstance(snapshot, TreeSnapshot) and isinstance(seen, Watched):
        return Second(snapshot, seen)
    return alone


def searching(snapshot: Snapshot, symbol: str | None) -> AbstractContextManager[None]:
    """Has git search for a symbol's name while its file is read; one in a line may be of that file alone."""
    name = (symbol or "").partition("#")[0].rpartition(".")[2]
    if not isinstance(snapshot, TreeSnapshot) or not name.isidentifier():
        return nullcontext()
    return snapshot.seeking(name)


class Second:
    """A :class:`gitscalpel.meaning.beside.Beside`.

    Args:
        snapshot: the tree.
        watched: notes what is looked at in it.
    """

    def __init__(self, snapshot: TreeSnapshot, watched: Watched) -> None:
        self._snapshot, self._watched = snapshot, watched

    @contextmanager
    def __call__(self, paths: list[str], say: Say) -> Iterator[Hear]:
        """See :class:`gitscalpel.meaning.beside.Beside`."""
        if len(paths) <= FEW or not is_worthwhile():
            with alone(paths, say) as hear:
                yield hear
            return
        known: dict[str, bytes] = {}
        with Forked(lambda: self._work(paths, say)) as child:

            def hear(path: str) -> bytes | None:
                with suppress(msgspec.MsgspecError, IndexError):
                    for each in child.heard():
                        said = wire.decode(each, _Said)
                        self._watched.add(said.looked)
                        known[paths[said.number]] = bytes(said.content)
                if path in known:  # and so are all that follow
                    child.dismiss()
                return known.get(path)

            yield hear

    def _work(self, paths: list[str], say: Say) -> Iterator[bytes]:
        """What the second process says."""
        self._snapshot.part()
        self._snapshot.expect(paths[::-1])
        self._watched.news()
        with suppress(UnicodeEncodeError):  # a name that is not UTF-8: the first process looks for itself
            for number in reversed(range(len(paths))):
                said = msgspec.Raw(say(paths[number]))
                yield msgspec.json.encode(_Said(number, said, self._watched.news()))
