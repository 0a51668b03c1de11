"""How the branch moves, and the index and the disk with it: landings, and what takes them back."""

from __future__ import annotations

from tests.model.life import COUNTS, Call, Life, word
from tests.model.records import Landing
from tests.model.states import Refusal, State


class Moving(Life):
    """The branch that is checked out."""

    def moved(
        self, what: str, after: State | Refusal, call: Call, kill: int, taken: Landing | None = None
    ) -> Landing | None:
        """The branch moves if it can, and not if it cannot."""
        disk, codes = self._disk_after(after, taken)
        killed, refused = False, None
        if kill:
            killed = self.killed(call, kill, disk)
            self._forget_what_was_left()
        else:
            refused = self.refused(call)
        moved = self.repo.tip() != self.world.tip
        assert killed or moved == (not codes)
        assert not (moved and codes)
        assert kill or refused in (codes or [None])
        COUNTS[what, word(killed, moved)] += 1
        if not moved or isinstance(after, Refusal):
            return None
        return self.world.move(self.repo.tip(), after, taken)

    def _disk_after(self, after: State | Refusal, taken: Landing | None) -> tuple[State, tuple[str, ...]]:
        """The disk if the branch goes there, or why it must not."""
        if isinstance(after, Refusal):
            return self.world.disk, after.codes
        if after == self.world.committed:
            return self.world.disk, ("no_change", "merge_conflict", "nothing_to_undo")
        try:
            return self.world.moved(after, taken), ()
        except Refusal as refusal:
            return self.world.disk, refusal.codes

    def _forget_what_was_left(self) -> None:
        """An edit that was killed after it was staged, and before it landed, is an open transaction."""
        known = set(self.world.open)
        for left in self.opened.status().transactions:
            if left.tx not in known:
                self.opened.transaction(str(left.tx)).forget()
