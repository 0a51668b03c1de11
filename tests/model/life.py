"""One repository and the model beside it, and how a step is taken and compared."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from hypothesis.stateful import RuleBasedStateMachine

import gitscalpel
from gitscalpel import Repository, ScalpelError
from gitscalpel.system import failpoint
from tests import copies
from tests.model import states
from tests.model.states import IGNORED, PLACES, State
from tests.model.world import World
from tests.sandbox import Sandbox

COUNTS: Counter[tuple[str, str]] = Counter()
"""How often each kind of step was done, refused, or killed and found undone or done."""
Call = Callable[[Repository], object]
_TEMPLATE: list[Path] = []


def _template() -> Path:
    """A repository with one commit, made once for the process."""
    if not _TEMPLATE:
        repo = Sandbox.init(Path(tempfile.mkdtemp(prefix="model-")) / "repo")
        repo.git("config", "gc.auto", "0")
        repo.commit(states.texts(states.start()))
        (repo.root / ".git" / "info" / "exclude").write_text(f"{IGNORED}\n")
        _TEMPLATE.append(repo.root)
    return _TEMPLATE[0]


class Life(RuleBasedStateMachine):
    """What all steps need."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="model-"))
        copies.copied(_template(), self.folder / "repo")
        self.repo = Sandbox(self.folder / "repo")
        self.opened = gitscalpel.open(self.repo.root)
        tip, start = self.repo.tip(), states.start()
        self.world = World(tip, {tip: start}, start, start)
        self.values = 0

    def teardown(self) -> None:
        self.opened.close()
        shutil.rmtree(self.folder)

    def now_and_then(self) -> bool:
        """So that what is always possible is not most of what happens."""
        return self.values % 4 == 3

    def value(self) -> str:
        self.values += 1
        return f"value {self.values}."

    def logged(self) -> str:
        """The newest entry of the operation log."""
        return self.repo.git("rev-parse", "-q", "--verify", "refs/scalpel/ops", check=False)

    def still(self) -> tuple[str, bytes, str]:
        """What no step of the checkout moves."""
        folder = self.repo.root / ".git"
        heads = self.repo.git("for-each-ref", "refs/heads")
        return (folder / "HEAD").read_text(), (folder / "index").read_bytes(), heads

    def refused(self, call: Call) -> str | None:
        """Do it; the code of the refusal."""
        try:
            call(self.opened)
        except ScalpelError as error:
            return error.code
        return None

    def killed(self, call: Call, n: int, after: State) -> bool:
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
        for path in PLACES:
            assert self._read(path) in [states.texts(each).get(path) for each in (self.world.disk, after)]
        self.opened.recover()
        return status == -signal.SIGKILL

    def _read(self, path: str) -> bytes | None:
        full = self.repo.root / path
        return full.read_bytes() if full.exists() else None


def word(killed: bool, done: bool) -> str:
    if killed:
        return "killed, found done" if done else "killed, found undone"
    return "done" if done else "refused"
