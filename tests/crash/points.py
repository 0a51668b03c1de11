"""One point at which a command is struck: what it left, and whether that heals."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.crash import judge, strike
from tests.crash.box import Box
from tests.crash.judge import Seen
from tests.crash.scenarios import NEXT, Scenario, Words, open_in, tool
from tests.sandbox import Sandbox

_TYPED = ("busy", "io_error")
_IN_MARKDOWN = re.compile(rb"### Refused: `(\w+)`")
"""As a job of a continuous integration tells it."""


class Point(NamedTuple):
    """What came out where.

    Attributes:
        scenario, kind, at: where.
        how: ``next``, ``recover`` or ``again`` (what was to heal it), or ``refused``, ``landed`` where a
            call failed.
        wrong: what is not as it should be; nothing: all is well.
    """

    scenario: str
    kind: str
    at: int
    how: str
    wrong: tuple[str, ...]


class Struck:
    """A scenario that can be struck: its box, and how everything looks without and with the command."""

    def __init__(self, folder: Path, library: Path, scenario: Scenario) -> None:
        self.scenario, self._library = scenario, library
        self.box = Box(folder, scenario)
        self.states: dict[tuple[str, str], Seen] = {}
        self._known: set[str] = set()
        for first, whole in (("old", False), ("new", True)):
            self.box.restore()
            if whole:
                ended = self._strike(self.box.words, "count", 1)
                assert ended.status == 0, ended
                self.calls = ended.calls
            self.states[first, ""] = self._look()
            self._known |= judge.house(self.box.root)
            assert self._quietly(NEXT).status == 0
            self.states[first, "next"] = self._look()
            self._known |= judge.house(self.box.root)

    def kill(self, kind: str, at: int) -> Iterator[Point]:
        """Kill the command before its call ``at``, and heal it in one way and the other."""
        self.box.restore()
        self._strike(self.box.words, kind, at)
        if kind == "group":
            strike.wait_for_orphans()
            self.box.save("struck")
            yield self._point(kind, at, "next", self.by_next())
            self.box.restore("struck")
            yield self._point(kind, at, "recover", self.by_recover())
        elif at % 2:  # at once, while what outlives the first process may still be running
            yield self._point(kind, at, "next", self.by_next())
        else:
            yield self._point(kind, at, "recover", self.by_recover())

    def kill_recovery(self, at: int, again: int) -> Point:
        """Kill ``recover`` as well, before its call ``again``; then the next command heals."""
        self.box.restore()
        self._strike(self.box.words, "group", at)
        self._strike(tool("recover"), "group", again)
        strike.wait_for_orphans()
        return self._point("recover killed", at, "next", self.by_next())

    def fail(self, kind: str, at: int) -> Point | None:
        """Let the call ``at`` fail; None if it is not one that can fail in this way."""
        self.box.restore()
        ended = self._strike(self.box.words, kind, at)
        strike.wait_for_orphans()
        if not ended.at:
            return None
        done = ended.status == 0
        wrong = [] if done else _untyped(ended, self.scenario)
        expected = "new" if done else "old"
        pending = (self.box.root / ".git/scalpel/journal").exists()
        if (done or not pending) and not judge.difference(self._look(), self.states[expected, ""]):
            # Where it has landed and only its journal could not be removed, the next command does that,
            # as it clears a scratch folder.
            wrong += self.by_next() if pending else self._afterwards(expected, "", "scalpel/scratch/")
            return self._point(kind, at, "landed" if done else "refused", wrong)
        return self._point(kind, at, "healed", [*wrong, *self.by_next()])

    def by_next(self, *expected: str) -> list[str]:
        """What is wrong after the next command; ``expected`` as for :meth:`_one_of`."""
        wrong = self._warned()
        ended = self._quietly(NEXT)
        strike.wait_for_orphans()
        if ended.status:
            return [*wrong, f"the next command: {_said(ended)}"]
        return [*wrong, *self._one_of("next", *expected)]

    def by_recover(self, *expected: str) -> list[str]:
        """The same after ``recover``."""
        ended = self._quietly(tool("recover"))
        strike.wait_for_orphans()
        if ended.status:
            return [f"recover: {_said(ended)}"]
        return self._one_of("", *expected)

    def _warned(self) -> list[str]:
        """Verbs that only look say that there is something to heal."""
        if not (self.box.root / ".git/scalpel/journal").exists():
            return []
        ended = self._quietly(tool("status"))
        if not (self.box.root / ".git/scalpel/journal").exists():
            return []  # a child that outlived its parent was at it
        if ended.status:
            return [f"status: {_said(ended)}"]
        answer = _answer(ended)
        return [] if answer["data"]["recovery_pending"] and answer["warnings"] else ["status does not warn"]

    def _one_of(self, then: str, *expected: str) -> list[str]:
        """Whether it is as with or without the command, or as ``expected`` of the two."""
        now = self._look()
        for first in expected or ("new", "old"):
            if not judge.difference(now, self.states[first, then]):
                return self._afterwards(first, then)
        if self.scenario.parts and not self._quietly(self.box.words).status:
            now = self._look()
            if not judge.difference(judge.unordered(now), judge.unordered(self.states["new", then])):
                return self._afterwards("new", then)
        against = {first: judge.difference(now, self.states[first, then]) for first in ("old", "new")}
        return [f"a third state: {against}"]

    def _afterwards(self, first: str, then: str, but: str = "\n") -> list[str]:
        """Whether it is sound, tidy (``but`` for these names), open for plain git and the same command."""
        box = self.box
        left = judge.strays(box.root, self._known)
        wrong = [f"left: {name}" for name in left if not name.startswith(but)]
        sound = strike.run(self._library, ["git", "fsck", "--strict"], box.root, box.env)
        if sound.status or b"error" in sound.err:
            wrong.append(f"fsck: {sound.err.decode()}")
        if not then:
            wrong += self._again(first)
        (box.root / "plain").write_bytes(b"plain\n")
        for words in (["git", "add", "plain"], ["git", "commit", "-q", "-m", "plain"]):
            ended = self._quietly(words)
            if ended.status:
                wrong.append(f"plain git: {ended.err.decode()}")
        return [*wrong, *self._slots()]

    def _slots(self) -> list[str]:
        """A slot of the pool heals when it is next leased: for its transaction, or for another one."""
        box = self.box
        if not judge.slot_strays(box.root, box.cache):
            return []
        for words in (
            *(tool("worktree", tx) for tx in open_in(Sandbox(box.root))),
            tool("begin", "--worktree"),
        ):
            ended = self._quietly(words)
            if ended.status:
                return [f"{words[3:5]}: {_said(ended)}"]
        return [f"left: {name}" for name in judge.slot_strays(box.root, box.cache)]

    def _again(self, first: str) -> list[str]:
        """The same command succeeds, or says that it is done."""
        again = self._quietly(self.box.words)
        if first == "old" and not again.status:
            other = judge.difference(self._look(), self.states["new", ""])
            return [f"again leaves another state: {other}"] if other else []
        done = not again.status or (first == "new" and _code(again) in self.scenario.done)
        return [] if done else [f"again: {_said(again)}"]

    def _strike(self, words: Words, kind: str, at: int) -> strike.Struck:
        return strike.run(self._library, words, self.box.root, self.box.env, kind, at)

    def _quietly(self, words: Words) -> strike.Struck:
        return strike.run(self._library, words, self.box.root, self.box.env)

    def _look(self) -> Seen:
        return judge.seen(self.box.root, self.box.env)

    def _point(self, kind: str, at: int, how: str, wrong: list[str]) -> Point:
        return Point(self.scenario.name, kind, at, how, tuple(wrong))


def _untyped(ended: strike.Struck, scenario: Scenario) -> list[str]:
    code = _code(ended)
    return [] if code in (*_TYPED, *scenario.refusals) else [f"no typed error: {_said(ended)}"]


def _answer(ended: strike.Struck) -> dict[str, Any]:
    try:
        answer = json.loads(ended.out)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _code(ended: strike.Struck) -> str:
    told = _IN_MARKDOWN.match(ended.out)
    return told[1].decode() if told else str(_answer(ended).get("error", {}).get("code", ""))


def _said(ended: strike.Struck) -> str:
    error = _answer(ended).get("error")
    return f"{error['code']}: {error['message']}" if error else (ended.err or ended.out).decode()[-400:]
