"""Random lives of a repository: whatever happens in it, it is as the model says."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import gitscalpel
from gitscalpel import Repository, ScalpelError, failpoint
from tests import copies
from tests.model import world
from tests.model.world import FILES, SLOTS, ConflictError, Open, Step, World
from tests.sandbox import Sandbox

COUNTS: Counter[tuple[str, str]] = Counter()
"""How often each kind of step was done, refused, or killed and found undone or done."""
_slots = st.tuples(st.sampled_from(FILES), st.integers(0, SLOTS - 1))
_TEMPLATE: list[Path] = []


def _template() -> Path:
    """A repository with one commit, made once for the process."""
    if not _TEMPLATE:
        repo = Sandbox.init(Path(tempfile.mkdtemp(prefix="model-")) / "repo")
        repo.git("config", "gc.auto", "0")
        repo.commit({path: world.text(world.start(), path) for path in FILES})
        _TEMPLATE.append(repo.root)
    return _TEMPLATE[0]


class Machine(RuleBasedStateMachine):
    """One repository, and the model beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="model-"))
        copies.copied(_template(), self.folder / "repo")
        self.repo = Sandbox(self.folder / "repo")
        self.opened = gitscalpel.open(self.repo.root)
        tip = self.repo.tip()
        self.world = World(tip, {tip: world.start()}, world.start())
        self.values = 0

    def teardown(self) -> None:
        self.opened.close()
        shutil.rmtree(self.folder)

    # What may happen.

    @rule(slot=_slots)
    def edit(self, slot: world.Slot) -> None:
        operation, after = self._change(self.world.committed, slot)
        self._landing("edit", after, lambda repo: repo.edit(operation))

    @precondition(lambda self: len(self.world.open) < 4)
    @rule(slots=st.lists(_slots, min_size=1, max_size=2))
    def begin(self, slots: list[world.Slot]) -> None:
        tx = self.opened.begin("open")
        state = dict(self.world.committed)
        for slot in slots:
            operation, state = self._change(state, slot)
            tx.edit(operation)
        self.world.open[tx.id] = Open(self.world.tip, state)
        COUNTS["begin", "done"] += 1

    @precondition(lambda self: self.world.open)
    @rule(slot=_slots, data=st.data())
    def stage(self, slot: world.Slot, data: st.DataObject) -> None:
        tx = self._some(data)
        operation, after = self._change(self.world.open[tx].state, slot)
        self.opened.transaction(tx).edit(operation)
        self.world.open[tx].state = after
        COUNTS["stage", "done"] += 1

    @precondition(lambda self: self.world.open)
    @rule(slot=_slots, data=st.data())
    def stage_by_hand(self, slot: world.Slot, data: st.DataObject) -> None:
        tx = self._some(data)
        _, after = self._change(self.world.open[tx].state, slot)
        transaction = self.opened.transaction(tx)
        (transaction.worktree() / slot[0]).write_bytes(world.text(after, slot[0]))
        transaction.stage()
        self.world.open[tx].state = after
        COUNTS["stage by hand", "done"] += 1

    @precondition(lambda self: self.world.changing())
    @rule(data=st.data())
    def land(self, data: st.DataObject) -> None:
        tx = self._some(data, self.world.changing())
        self._landing("land", self._rebased(tx), lambda repo: repo.transaction(tx).land(), tx)
        self._look_at(tx)

    @precondition(lambda self: self.world.open)
    @rule(data=st.data())
    def drop(self, data: st.DataObject) -> None:
        tx = self._some(data)
        self.opened.transaction(tx).drop()
        del self.world.open[tx]
        COUNTS["drop", "done"] += 1

    @precondition(lambda self: self.world.undoable)
    @rule()
    def undo(self) -> None:
        self._undo(lambda repo: repo.undo())

    @precondition(lambda self: self.world.redoable)
    @rule()
    def redo(self) -> None:
        self._redo(lambda repo: repo.redo())

    @precondition(lambda self: not (self.world.undoable and self.world.redoable) and self._now_and_then())
    @rule()
    def undo_and_redo_nothing(self) -> None:
        if not self.world.undoable:
            self._undo(lambda repo: repo.undo())
        if not self.world.redoable:
            self._redo(lambda repo: repo.redo())

    @rule(slot=_slots)
    def make_dirty(self, slot: world.Slot) -> None:
        _, self.world.disk = self._change(self.world.disk, slot)
        (self.repo.root / slot[0]).write_bytes(world.text(self.world.disk, slot[0]))
        COUNTS["dirty file", "done"] += 1

    @precondition(lambda self: any(self.world.dirty()))
    @rule()
    def commit_by_hand(self) -> None:
        self.repo.git("commit", "-q", "-a", "-m", "by hand")
        self.world.move(self.repo.tip(), dict(self.world.disk))
        COUNTS["external commit", "done"] += 1

    @precondition(lambda self: any(self.world.dirty()))
    @rule()
    def give_up_changes(self) -> None:
        self.repo.git("checkout", "-q", "--", ".")
        self.world.disk = dict(self.world.committed)
        COUNTS["changes given up", "done"] += 1

    @precondition(lambda self: self._now_and_then())
    @rule()
    def collect_garbage(self) -> None:
        self.opened.gc()
        COUNTS["gc", "done"] += 1

    @precondition(lambda self: self._now_and_then())
    @rule()
    def recover(self) -> None:
        assert self.opened.recover() == []
        COUNTS["recover", "done"] += 1

    @rule(slot=_slots, n=st.integers(1, 22))
    def killed_in_an_edit(self, slot: world.Slot, n: int) -> None:
        operation, after = self._change(self.world.committed, slot)
        self._landing("edit", after, lambda repo: repo.edit(operation), kill=n)

    @precondition(lambda self: self.world.changing())
    @rule(data=st.data(), n=st.integers(1, 22))
    def killed_in_a_landing(self, data: st.DataObject, n: int) -> None:
        tx = self._some(data, self.world.changing())
        self._landing("land", self._rebased(tx), lambda repo: repo.transaction(tx).land(), tx, kill=n)
        self._look_at(tx)

    @precondition(lambda self: self.world.undoable)
    @rule(n=st.integers(1, 22))
    def killed_in_undo(self, n: int) -> None:
        self._undo(lambda repo: repo.undo(), kill=n)

    @precondition(lambda self: self.world.redoable)
    @rule(n=st.integers(1, 22))
    def killed_in_redo(self, n: int) -> None:
        self._redo(lambda repo: repo.redo(), kill=n)

    # What must hold at any time.

    @invariant()
    def files_are_as_the_model_says(self) -> None:
        view = self.opened.view()
        for path in FILES:
            assert view.read(path) == world.text(self.world.committed, path)
            assert (self.repo.root / path).read_bytes() == world.text(self.world.disk, path)

    @invariant()
    def nothing_else_has_changed(self) -> None:
        rows = self.repo.git("status", "--porcelain=v2", "--branch", "-uall").splitlines()
        changed = {(row.split(" ")[1], row.rpartition(" ")[2]) for row in rows if row[0] != "#"}
        assert changed == {(".M", path) for path in self.world.dirty()}
        assert f"# branch.oid {self.world.tip}" in rows

    @invariant()
    def the_open_transactions_are_as_the_model_says(self) -> None:
        found = self.opened.status()
        assert not found.recovery_pending
        assert {str(tx.tx) for tx in found.transactions} == set(self.world.open)
        for tx, known in self.world.open.items():
            view = self.opened.transaction(tx).view()
            assert all(view.read(path) == world.text(known.state, path) for path in FILES)

    # How a step is taken, and compared.

    def _now_and_then(self) -> bool:
        """So that what is always possible is not most of what happens."""
        return self.values % 4 == 3

    def _some(self, data: st.DataObject, among: Collection[str] | None = None) -> str:
        found = list(self.world.open if among is None else among)
        return found[data.draw(st.integers(0, len(found) - 1))]

    def _change(self, state: world.State, slot: world.Slot) -> tuple[dict[str, Any], world.State]:
        """An operation that gives a slot a new value, and the state after it."""
        self.values += 1
        new = f"{slot[0]} {slot[1]} value {self.values}"
        return {"op": "text", "path": slot[0], "old": state[slot], "new": new}, {**state, slot: new}

    def _rebased(self, tx: str) -> world.State | None:
        """What the branch would hold with a transaction; None: they are in conflict."""
        known = self.world.open[tx]
        try:
            return world.merged(self.world.commits[known.base], self.world.committed, known.state)
        except ConflictError:
            return None

    def _look_at(self, tx: str) -> None:
        """An attempt to land may have put it on the tip, also when it was refused or killed."""
        if tx in self.world.open:
            base = str(self.opened.transaction(tx).result.base)
            state = self._rebased(tx)
            if base != self.world.open[tx].base:
                assert base == self.world.tip
                assert state is not None
                self.world.open[tx] = Open(base, state)

    def _landing(
        self,
        what: str,
        after: world.State | None,
        call: Callable[[Repository], object],
        tx: str | None = None,
        kill: int = 0,
    ) -> None:
        before = self.world.tip
        changes_nothing = tx is not None and after is not None and after == self.world.committed
        if self._moved(what, None if changes_nothing else after, call, kill):
            landed = self.opened.log(1)[0].record.tx
            assert tx in (None, landed)
            self.world.open.pop(landed, None)
            self.world.undoable.append(Step(landed, before, self.world.tip))
            self.world.redoable.clear()
        elif tx is None and after is not None and not kill:
            # The user's disk stood against it: it waits until that has changed.
            left = {str(one.tx) for one in self.opened.status().transactions} - set(self.world.open)
            self.world.open.update({one: Open(before, after) for one in left})

    def _undo(self, call: Callable[[Repository], object], kill: int = 0) -> None:
        step = self.world.undoable[-1] if self.world.undoable else None
        before = self.world.tip
        if self._moved("undo", self._without(step), call, kill):
            assert step is not None
            self.world.undoable.pop()
            self.world.redoable.append(Step(step.tx, before, self.world.tip))

    def _redo(self, call: Callable[[Repository], object], kill: int = 0) -> None:
        step = self.world.redoable[-1] if self.world.redoable else None
        before = self.world.tip
        if self._moved("redo", self._without(step), call, kill):
            assert step is not None
            self.world.redoable.pop()
            self.world.undoable.append(Step(step.tx, before, self.world.tip))

    def _without(self, step: Step | None) -> world.State | None:
        try:
            return self.world.without(step) if step else None
        except ConflictError:
            return None

    def _moved(
        self, what: str, after: world.State | None, call: Callable[[Repository], object], kill: int
    ) -> bool:
        """Whether the branch has moved, which it must if it can, and must not if it cannot."""
        try:
            possible = after is not None and bool(self.world.moved(after)) and after != self.world.committed
        except ConflictError:
            possible = False
        if kill:
            killed = self._killed(call, kill)
            moved = self.repo.tip() != self.world.tip
            assert moved == possible or (killed and not moved)
            self._forget_what_was_left()
        else:
            killed, moved = False, self._done(call)
            assert moved == possible
        COUNTS[what, _word(killed, moved)] += 1
        if moved:
            assert after is not None
            self.world.move(self.repo.tip(), after)
        return moved

    def _done(self, call: Callable[[Repository], object]) -> bool:
        try:
            call(self.opened)
        except ScalpelError as error:
            if error.code not in ("merge_conflict", "dirty_overlap", "nothing_to_undo", "no_change"):
                raise
            return False
        return True

    def _killed(self, call: Callable[[Repository], object], n: int) -> bool:
        """Do it in a process that dies before its n-th changing step, then heal; whether it has died."""
        child = os.fork()
        if child == 0:
            failpoint.arm(n)
            try:
                with gitscalpel.open(self.repo.root) as opened:
                    call(opened)
            except ScalpelError:
                os._exit(1)
            except BaseException:
                os._exit(2)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert status in (0, 1, -signal.SIGKILL)
        self.opened.recover()
        return status == -signal.SIGKILL

    def _forget_what_was_left(self) -> None:
        """An edit that was killed after it was staged, and before it landed, is an open transaction."""
        known = set(self.world.open)
        for left in self.opened.status().transactions:
            if left.tx not in known:
                self.opened.transaction(str(left.tx)).forget()


def _word(killed: bool, moved: bool) -> str:
    if killed:
        return "killed, found done" if moved else "killed, found undone"
    return "done" if moved else "refused"
