"""Steps of a branch: transactions are opened, staged, landed and dropped."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.model import states
from tests.model.life import COUNTS, Call
from tests.model.moving import Moving
from tests.model.records import Open
from tests.model.states import FILES, SLOTS, Change, Refusal, State

_slots = st.builds(Change, st.just("text"), st.sampled_from(FILES), st.just(""), st.integers(0, SLOTS - 1))
_kills = st.integers(1, 22)


class Branch(Moving):
    """Steps of the branch that is checked out."""

    @rule(change=_slots, kill=st.just(0) | _kills)
    def edit(self, change: Change, kill: int) -> None:
        operation, after = self._changed(self.world.committed, change)
        self._landing("edit", after, lambda repo: repo.edit(operation), kill=kill)

    @precondition(lambda self: len(self.world.open) < 4)
    @rule(changes=st.lists(_slots, min_size=1, max_size=2))
    def begin(self, changes: list[Change]) -> None:
        tx = self.opened.begin("open")
        state = self.world.committed
        for change in changes:
            operation, state = self._changed(state, change)
            tx.edit(operation)
        self.world.open[tx.id] = Open(self.world.tip, state)
        COUNTS["begin", "done"] += 1

    @precondition(lambda self: self.world.open)
    @rule(change=_slots, data=st.data())
    def stage(self, change: Change, data: st.DataObject) -> None:
        tx = self._some(data, self.world.open)
        operation, after = self._changed(self.world.open[tx].state, change)
        self.opened.transaction(tx).edit(operation)
        self.world.open[tx].state = after
        COUNTS["stage", "done"] += 1

    @precondition(lambda self: self.world.open)
    @rule(change=_slots, data=st.data())
    def stage_by_hand(self, change: Change, data: st.DataObject) -> None:
        tx = self._some(data, self.world.open)
        operation, after = self._changed(self.world.open[tx].state, change)
        transaction = self.opened.transaction(tx)
        path = operation["path"]
        (transaction.worktree() / path).write_bytes(states.text(after[path]))
        transaction.stage()
        self.world.open[tx].state = after
        COUNTS["stage by hand", "done"] += 1

    @precondition(lambda self: self.world.changing())
    @rule(data=st.data(), kill=st.just(0) | _kills)
    def land(self, data: st.DataObject, kill: int) -> None:
        tx = self._some(data, self.world.changing())
        self._landing("land", self._rebased(tx), lambda repo: repo.transaction(tx).land(), tx, kill)
        self._look_at(tx)

    @precondition(lambda self: self.world.open)
    @rule(data=st.data())
    def drop(self, data: st.DataObject) -> None:
        tx = self._some(data, self.world.open)
        self.opened.transaction(tx).drop()
        del self.world.open[tx]
        COUNTS["drop", "done"] += 1

    def _some(self, data: st.DataObject, among: Collection[str]) -> str:
        return list(among)[data.draw(st.integers(0, len(among) - 1))]

    def _changed(self, state: State, change: Change) -> tuple[dict[str, Any], State]:
        """The change of a file that is there, as an operation, and what it leaves."""
        fitting = change._replace(path=change.path if change.path in state else min(state))
        value = self.value()
        return states.operation(state, fitting, value), states.changed(state, fitting, value)

    def _rebased(self, tx: str) -> State | Refusal:
        """What the branch would hold with a transaction."""
        known = self.world.open[tx]
        base = self.world.commits[known.base]
        return states.outcome(lambda: states.merged(base, self.world.committed, known.state))

    def _look_at(self, tx: str) -> None:
        """An attempt to land may have put it on the tip, also when it was refused or killed."""
        if tx in self.world.open:
            base = str(self.opened.transaction(tx).result.base)
            state = self._rebased(tx)
            if base != self.world.open[tx].base:
                assert base == self.world.tip
                assert not isinstance(state, Refusal)
                self.world.open[tx] = Open(base, state)

    def _landing(
        self, what: str, after: State | Refusal, call: Call, tx: str | None = None, kill: int = 0
    ) -> None:
        before = self.world.tip
        step = self.moved(what, after, call, kill)
        if step is not None:
            step.tx = self.opened.log(1)[0].record.tx
            assert tx in (None, step.tx)
            self.world.open.pop(step.tx, None)
            self.world.done(step)
        elif tx is None and not isinstance(after, Refusal) and not kill:
            # The user's disk stood against it: it waits until that has changed.
            left = {str(one.tx) for one in self.opened.status().transactions} - set(self.world.open)
            self.world.open.update({one: Open(before, after) for one in left})
