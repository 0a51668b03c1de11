"""What a repository should hold, kept in plain values: the model that real transactions are compared with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.model.records import Edit, Landing, Open, Snapshot, Step
from tests.model.states import IGNORED, File, Refusal, State, differing, merge, merged, put, sides


@dataclass
class World:
    """A branch, the index, the user's disk, open transactions, snapshots, what can be undone and redone."""

    tip: str
    commits: dict[str, State]
    index: State
    disk: State
    open: dict[str, Open] = field(default_factory=dict)
    undoable: list[Step] = field(default_factory=list)
    redoable: list[Step] = field(default_factory=list)
    snapshots: list[Snapshot] = field(default_factory=list)

    @property
    def committed(self) -> State:
        return self.commits[self.tip]

    @property
    def seen(self) -> State:
        """What is on the disk and not ignored."""
        return put(self.disk, {IGNORED: None})

    def changing(self) -> list[str]:
        """The open transactions that change something."""
        return [tx for tx, known in self.open.items() if known.state != self.commits[known.base]]

    def dirty(self) -> list[str]:
        """The committed files that are not so on the disk."""
        return [path for path in differing(self.committed, self.disk) if path in self.committed]

    def done(self, step: Step) -> None:
        """A step of one's own ends what can be redone in its place."""
        self.undoable.append(step)
        self.redoable = [each for each in self.redoable if type(each) is not type(step)]

    # The branch.

    def moved(self, state: State, taken: Landing | None = None) -> State:
        """The disk after the branch has moved to ``state``, maybe taking a step back. Raises ``Refusal``."""
        paths = differing(self.committed, state)
        try:
            self._staged(state)
            return put(self.disk, {path: self._follows(path, state, taken) for path in paths})
        except Refusal:
            raise Refusal("dirty_overlap") from None

    def _staged(self, state: State) -> State:
        """The index after the branch has moved there: what is staged elsewhere in a file stays staged."""
        old, staged = self.committed, self.index
        paths = differing(old, state)
        return put(staged, {path: merge(old.get(path), staged.get(path), state.get(path)) for path in paths})

    def _follows(self, path: str, state: State, taken: Landing | None) -> File | None:
        old, new, here = (each.get(path) for each in (self.committed, state, self.disk))
        staged = self.index.get(path)
        if taken is not None and self._is_way_back(path, state, taken):
            found, left = taken.found.get(path), taken.left.get(path)
            if left in (found, here):
                return here if left == found else found
        if here in (old, new):
            return new
        return here if staged == new else merge(old, here, new)

    def _is_way_back(self, path: str, state: State, taken: Landing) -> bool:
        before, after = self.commits[taken.before], self.commits[taken.after]
        went, goes = (before, after), (state, self.committed)
        return [each.get(path) for each in went] == [each.get(path) for each in goes]

    def move(self, tip: str, state: State, taken: Landing | None = None) -> Landing:
        """Move the branch, the index and the disk with it."""
        found, before = self.disk, self.tip
        self.disk, self.index = self.moved(state, taken), self._staged(state)
        self.commits[tip] = state
        self.tip = tip
        return Landing("", before, tip, found, self.disk)

    def without(self, step: Landing) -> State:
        """The branch's files without what ``step`` did. Raises ``Refusal``."""
        return merged(self.commits[step.after], self.committed, self.commits[step.before])

    # The checkout.

    def taken_back(self, steps: Iterable[Edit]) -> list[State]:
        """The disk, and what it is without each of the steps, one after the other. Raises ``Refusal``."""
        went = [self.disk]
        for step in steps:
            went.append(put(went[-1], {path: _goal(path, step, went[-1]) for path in step.left}))
            if went[-1] == went[-2]:
                raise Refusal("nothing_to_undo")
        return went

    def restored(self, wanted: Snapshot, names: tuple[str, ...]) -> State:
        """The disk as a snapshot has it, or some files and folders of it. Raises ``Refusal``."""
        here, there = self.seen, wanted.state
        for name in names:
            if not any(_is_in(path, name) for path in {**here, **there}):
                raise Refusal("file_not_found")
        paths = (path for path in differing(here, there) if not names or any(_is_in(path, n) for n in names))
        return put(self.disk, sides(there, paths))


def _goal(path: str, step: Edit, disk: State) -> File | None:
    found, left, here = (each.get(path) for each in (step.found, step.left, disk))
    return found if here in (found, left) else merge(left, here, found)


def _is_in(path: str, name: str) -> bool:
    return path == name or path.startswith(f"{name}/")
