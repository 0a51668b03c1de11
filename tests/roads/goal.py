"""Goal of a road: files before and after, the rules that judge the change, and the verdict."""

from __future__ import annotations

from typing import NamedTuple

from gitscalpel.changesets.file_tree import SYMLINK
from tests.sandbox import Content

Files = dict[str, Content]
LANDED = "landed"
DENIED = "policy_denied"


class Goal(NamedTuple):
    """A tree to be reached.

    Attributes:
        gate: that it is about.
        rules: ``.gitscalpel.toml``.
        base, change: the files before, and those that are to change.
        verdict: an error code, or ``LANDED``.
        textual: only edits of text and lines are judged by that gate.
        whole: the gate judges all of a change together, so that halves of it may pass.
        hook: the pre-commit hook.
    """

    gate: str
    rules: str
    base: Files
    change: Files
    verdict: str
    textual: bool = False
    whole: bool = False
    hook: str = ""

    @property
    def name(self) -> str:
        return f"{self.gate}, {self.verdict}"


OFF = "[gates]\nstructure = 'off'\n"
PY = "def f():\n    a = 1\n    return a\n\n\ndef g():\n    return 2\n"
PAD = b"".join(b"%d\n" % number for number in range(30))


class Code(NamedTuple):
    """A module ``name`` that holds ``py`` with ``f`` and ``g`` in it."""

    name: str
    py: str

    @property
    def base(self) -> Files:
        return {self.name: self.py.encode(), "pad.txt": PAD, "d/n.json": b'{"a": 1}\n'}

    @property
    def body(self) -> Files:
        """The body of ``f`` in other words."""
        after = self.py.replace("    a = 1\n    return a", "    b = 1\n    return b")
        return {self.name: after.encode()}

    def added(self, more: str) -> Files:
        return {self.name: (self.py + more).encode()}


LINKED: Files = {"conf-a/x": b"ok\n", "conf-b/x": b"bad\n", "conf": (SYMLINK, b"conf-a")}
TO_B: Files = {"conf": (SYMLINK, b"conf-b")}
