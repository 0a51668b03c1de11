"""The states that a power cut may leave of a disk, under two ideas of what a file system promises.

``free`` is what POSIX promises: content is there once it is synced, a name once its folder is, and all else
may be missing, each for itself. One call that changes names stays one change, as all journals keep it.
``ordered`` is ext4 as it mostly runs: names change in order, any sync brings all of those before it to the
disk, and what was not synced of a content is there or not.
There are too many of the first to try them all: those that have broken most come first.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from tests.power.disk import Disk, Node, Renaming, State

MODELS = ("free", "ordered")

_Content = Callable[[Node], bytes]


def of(model: str, disk: Disk, seed: int, most: int) -> Iterator[State]:
    """States that may be there now, at most so many."""
    states = _free(disk, random.Random(seed)) if model == "free" else _ordered(disk)  # noqa: S311
    return islice(states, most)


def _ordered(disk: Disk) -> Iterator[State]:
    last_sync = disk.pending[: len(disk.pending) - disk.since_sync]
    for changes in (disk.pending, last_sync):
        for content in (_ordered_only, _flushed, _now):
            yield disk.state(changes, content)


def _free(disk: Disk, chance: random.Random) -> Iterator[State]:
    names = [each for each in disk.pending if not each.is_sure[0]]
    yield disk.state(_without(disk, names), _old)
    yield disk.state(disk.pending, _old)
    yield disk.state(_without(disk, names[-1:]), _now)
    yield disk.state(_without(disk, names[:-1]), _now)
    yield disk.state(disk.pending, _torn)
    yield disk.state(disk.pending, _empty)
    some = chance.sample(names, len(names))
    while True:
        missing = [each for each in names if chance.random() < 0.5]
        yield disk.state(_without(disk, missing), _mixed(chance))
        for alone in some[:1]:
            yield disk.state(_without(disk, [alone]), _mixed(chance))
            yield disk.state(_without(disk, [each for each in names if each is not alone]), _mixed(chance))
        some = some[1:]


def _without(disk: Disk, missing: Sequence[Renaming]) -> list[Renaming]:
    out = {id(each) for each in missing}
    return [each for each in disk.pending if id(each) not in out]


def _now(node: Node) -> bytes:
    return node.content


def _old(node: Node) -> bytes:
    return node.sure if node.is_dirty else node.content


def _flushed(node: Node) -> bytes:
    """As ext4 has it (``auto_da_alloc``): what takes the place of another file is written before its name."""
    return node.content if node.replaces else _ordered_only(node)


def _ordered_only(node: Node) -> bytes:
    return node.ordered if node.is_dirty else node.content


def _empty(node: Node) -> bytes:
    return b"" if node.is_dirty else node.content


def _torn(node: Node) -> bytes:
    """The size is there, and half of the content."""
    half = len(node.content) // 2
    return node.content[:half] + bytes(len(node.content) - half) if node.is_dirty else node.content


def _mixed(chance: random.Random) -> _Content:
    seed = chance.random()
    every: tuple[_Content, ...] = (_now, _old, _torn, _empty)

    def content(node: Node) -> bytes:
        return random.Random(f"{seed} {node.number}").choice(every)(node)  # noqa: S311

    return content
