"""What happens beside the tool: files are edited, added and committed by hand; and what keeps house."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.model import states
from tests.model.changes import Changes, Wish, wishes
from tests.model.life import COUNTS


class Surroundings(Changes):
    """Steps of others."""

    @rule(wished=wishes)
    def change_files_by_hand(self, wished: list[Wish]) -> None:
        after = self.by_hand(wished)
        for path in states.differing(self.world.disk, after):
            full = self.repo.root / path
            if path in after:
                full.parent.mkdir(exist_ok=True)
                full.write_bytes(states.text(after[path]))
            else:
                full.unlink()
        self.world.disk = after
        COUNTS["files by hand", "done"] += 1

    @precondition(lambda self: self._unstaged())
    @rule(number=st.integers(0, 99))
    def add(self, number: int) -> None:
        unstaged = self._unstaged()
        paths = unstaged[number % len(unstaged) :]
        self.repo.git("add", "-A", "--", *paths)
        self.world.index = states.put(self.world.index, states.sides(self.world.disk, paths))
        COUNTS["add", "done"] += 1

    @precondition(lambda self: self.world.index != self.world.committed and self.now_and_then())
    @rule()
    def reset(self) -> None:
        self.repo.git("reset", "-q")
        self.world.index = self.world.committed
        COUNTS["reset", "done"] += 1

    # What goes from the branch never comes back to it: git would take it for a file that was renamed.
    @precondition(lambda self: self.now_and_then() and self.world.dirty())
    @precondition(lambda self: len({*self.world.committed} & {*self.world.disk}) > 1)
    @rule()
    def commit_by_hand(self) -> None:
        paths = self.world.dirty()
        self.repo.git("commit", "-q", "-m", "by hand", "--", *paths)
        files = states.sides(self.world.disk, paths)
        self.world.commits[self.repo.tip()] = states.put(self.world.committed, files)
        self.world.tip = self.repo.tip()
        self.world.index = states.put(self.world.index, files)
        COUNTS["external commit", "done"] += 1

    @precondition(
        lambda self: any(self.world.disk.get(path) != file for path, file in self.world.index.items())
    )
    @rule()
    def give_up_changes(self) -> None:
        self.repo.git("checkout", "-q", "--", ".")
        self.world.disk = {**self.world.disk, **self.world.index}
        COUNTS["changes given up", "done"] += 1

    @precondition(lambda self: self.now_and_then())
    @rule()
    def collect_garbage(self) -> None:
        self.opened.gc()
        self.value()
        COUNTS["gc", "done"] += 1

    @precondition(lambda self: self.now_and_then())
    @rule()
    def recover(self) -> None:
        assert self.opened.recover() == []
        self.value()
        COUNTS["recover", "done"] += 1

    def _unstaged(self) -> list[str]:
        return states.differing(self.world.index, self.world.seen)
