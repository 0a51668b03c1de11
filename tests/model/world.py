"""What a repository should hold, kept in plain values: the model that real transactions are compared with.

Files are rows of slots, far enough apart that line merges never meet: of two changes of different
slots both stay, of two of one slot neither. Every value is new, so nothing comes out equal by chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

FILES = ("one.txt", "sub/two.txt", "three.txt")
SLOTS = 4
_BETWEEN = "".join(f"between {n}\n" for n in range(4))

Slot = tuple[str, int]
State = dict[Slot, str]
"""What stands in every slot of every file."""


class ConflictError(Exception):
    """Two changes of one slot."""


def start() -> State:
    return {(path, n): f"{path} {n} from the start" for path in FILES for n in range(SLOTS)}


def text(state: State, path: str) -> bytes:
    """A file of a state."""
    return "".join(f"{_BETWEEN}{state[path, n]}\n" for n in range(SLOTS)).encode() + _BETWEEN.encode()


def merged(base: State, ours: State, theirs: State) -> State:
    """Three ways, slot by slot."""
    return {slot: _one(base[slot], ours[slot], theirs[slot]) for slot in base}


def _one(base: str, ours: str, theirs: str) -> str:
    if base in (ours, theirs) or ours == theirs:
        return theirs if ours == base else ours
    raise ConflictError


@dataclass
class Step:
    """A landing, undo or redo: the transaction, and the commits before and after it."""

    tx: str
    before: str
    after: str


@dataclass
class Open:
    """An open transaction: the commit that it starts from, and what it leaves."""

    base: str
    state: State


@dataclass
class World:
    """A branch, the user's disk, the open transactions, and what can be undone and redone."""

    tip: str
    commits: dict[str, State]
    disk: State
    open: dict[str, Open] = field(default_factory=dict)
    undoable: list[Step] = field(default_factory=list)
    redoable: list[Step] = field(default_factory=list)

    @property
    def committed(self) -> State:
        return self.commits[self.tip]

    def changing(self) -> list[str]:
        """The open transactions that change something."""
        return [tx for tx, known in self.open.items() if known.state != self.commits[known.base]]

    def dirty(self) -> Iterator[str]:
        """The files with uncommitted changes."""
        for path in FILES:
            if text(self.disk, path) != text(self.committed, path):
                yield path

    def moved(self, state: State) -> State:
        """The disk after the branch has moved to ``state``. Raises ``ConflictError``."""
        return merged(self.committed, self.disk, state)

    def move(self, tip: str, state: State) -> None:
        """Move the branch, and the disk with it."""
        self.disk = self.moved(state)
        self.commits[tip] = state
        self.tip = tip

    def without(self, step: Step) -> State:
        """The branch's files without what ``step`` did. Raises ``ConflictError``."""
        return merged(self.commits[step.after], self.committed, self.commits[step.before])
