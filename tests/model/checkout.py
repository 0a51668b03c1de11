"""Steps of the checkout: its files are edited, recorded and brought back; no branch moves, nor the index."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from gitscalpel import Repository
from tests.model import states
from tests.model.changes import Changes, Wish, wishes
from tests.model.life import COUNTS, Call, word
from tests.model.records import Edit, Snapshot
from tests.model.states import IGNORED, Refusal, State, outcome

_kills = st.just(0) | st.integers(1, 16)
_names = st.sampled_from(((), (), (), ("one.txt",), ("sub",), ("three.txt", "new.txt"), ("far", IGNORED)))


class Rewritten(NamedTuple):
    """What became of a step: whether its process was killed, and whether it is in the log."""

    killed: bool
    made: bool


class Checkout(Changes):
    """Steps of the files on the disk."""

    @rule(wished=wishes, kill=_kills)
    def edit_the_checkout(self, wished: list[Wish], kill: int) -> None:
        before = self.world.disk
        operations, after = self.asked(wished)

        def call(repo: Repository) -> None:
            repo.edit(*operations, onto="@checkout")

        if self.rewritten("edit checkout", after, call, kill).made:
            self._step(before, self.world.disk)

    @precondition(lambda self: self.now_and_then())
    @rule(message=st.sampled_from(("", "why")), kill=_kills)
    def take_a_snapshot(self, message: str, kill: int) -> None:
        self.value()
        killed, _ = self.rewritten("snapshot", self.world.disk, lambda repo: repo.snapshot(message), kill)
        self._taken([(self.world.seen, message)], killed)

    @precondition(lambda self: self.world.snapshots)
    @rule(number=st.integers(0, 99), names=_names, kill=_kills)
    def restore(self, number: int, names: tuple[str, ...], kill: int) -> None:
        wanted = self.world.snapshots[number % len(self.world.snapshots)]
        before, seen = self.world.disk, self.world.seen
        after = outcome(lambda: self.world.restored(wanted, names))
        killed, made = self.rewritten("restore", after, lambda repo: repo.restore(wanted.id, names), kill)
        self._taken([(seen, "")], killed)
        if made:
            self._step(before, self.world.disk)

    @rule(wished=wishes, status=st.integers(0, 1), kill=_kills)
    def watch_a_command(self, wished: list[Wish], status: int, kill: int) -> None:
        before, after = self.world.seen, self.by_hand(wished)
        became = states.put(after, {IGNORED: None})
        script = f"{self.script(after)}\nexit {status}"

        def call(repo: Repository) -> None:
            assert repo.watch("sh", "-c", script).status == status

        killed, made = self.rewritten("watch", after, call, kill, makes=became != before)
        if not killed or self.repo.files() == states.texts(after):  # what it has done stays, a step or not
            self.world.disk = after
        self._taken([(before, ""), (self.world.seen, "")], killed)
        if made:
            self._step(before, became)

    def rewritten(
        self, what: str, after: State | Refusal, call: Call, kill: int, *, makes: bool | None = None
    ) -> Rewritten:
        """The files on the disk become what they must, if they can, and nothing else moves."""
        codes = after.codes if isinstance(after, Refusal) else ()
        goal = self.world.disk if isinstance(after, Refusal) else after
        possible = not codes and (goal != self.world.disk if makes is None else makes)
        before, log = self.still(), self.logged()
        killed = bool(kill) and self.killed(call, kill, goal)
        refused = None if kill else self.refused(call)
        made = self.logged() != log
        assert self.still() == before
        assert kill or refused in (codes or [None])
        assert made == possible or (killed and not made)
        COUNTS[what, word(killed, made or not (killed or codes))] += 1
        if made:
            self.world.disk = goal
        return Rewritten(killed, made)

    def _step(self, before: State, after: State) -> None:
        self.world.done(Edit.between(self.opened.log(1)[0].record.tx, before, after))

    def _taken(self, wanted: list[tuple[State, str]], killed: bool) -> None:
        """Snapshots were taken, but for those that say nothing and hold what the last one does."""
        known = self.world.snapshots
        last = [(each.tip, each.state) for each in known[-1:]]
        expected: list[State] = []
        for state, message in wanted:
            if message or last != [(self.world.tip, state)]:
                expected.append(state)
            last = [(self.world.tip, state)]
        names = {each.id for each in known}
        new = [each for each in reversed(self.opened.snapshots()) if each.id not in names]
        assert len(new) == len(expected) or (killed and len(new) < len(expected))
        for each, state in zip(new, expected, strict=False):
            rows = self.repo.git("ls-tree", "-r", each.commit).splitlines()
            assert {row.split("\t")[1]: row.split()[2] for row in rows} == states.blobs(state)
            known.append(Snapshot(each.id, self.world.tip, state))
