"""Two processes that know the same tree look into its files, and one tells the other what it finds.

What is found in a file follows from the files of the tree alone; but for what is cut short within a cycle, or
too deep, where it depends on what was asked before: of such a file nothing is said, and who hears that looks
into it himself. So the answer is the same, whoever has looked where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol, TypeAlias

YOURS = b"null"
"""Said of a file whose places depend on what was asked before: who hears it looks into the file itself."""
Say: TypeAlias = Callable[[str], bytes]
Hear: TypeAlias = Callable[[str], "bytes | None"]


class Beside(Protocol):
    """Somebody who looks into some files while this process looks into others."""

    def __call__(self, paths: list[str], say: Say) -> AbstractContextManager[Hear]:
        """What has been said of a file so far, by path; None: nothing yet.

        Args:
            paths: of the files, in the order in which they are looked into here.
            say: what is to be said of one.
        """


@contextmanager
def alone(paths: list[str], say: Say) -> Iterator[Hear]:
    """Nobody is beside."""
    del paths, say
    yield lambda _: None
