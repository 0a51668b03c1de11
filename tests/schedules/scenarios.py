"""Commands that are let loose on one repository, and what some of them may be refused for.

Left out is ``git switch`` beside a landing on the branch that it leaves: it lets go of the index before it
moves HEAD, and what lands in that moment, of anybody, is left staged on the other branch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tests.race.writing import code, module
from tests.sandbox import Content, Sandbox
from tests.schedules.starting import TOOL, Ended

Words = list[str]
Tell = Callable[[Sequence[str]], Ended]
"""Runs a command alone, before the order begins."""
_FILES: dict[str, Content] = {
    "a.py": module(4),
    **{f"m{n}.py": f"def f{n}():\n    return {n}\n".encode() for n in range(4)},
    "t.txt": b"".join(b"line %d\n" % n for n in range(12)),
    "hand.txt": b"0\n",
}


class Scenario(NamedTuple):
    """What races.

    Attributes:
        name: of it.
        make: brings a repository to where they start; the commands.
        refusals: what they may be told beside what they are told one after the other.
        partly: commands that may have done a part of what they were to do, although they were refused.
    """

    name: str
    make: Callable[[Sandbox, Tell], Sequence[Words]]
    refusals: tuple[str, ...] = ()
    partly: tuple[int, ...] = ()


def tool(*words: str) -> Words:
    """A command line of the tool; it answers in JSON."""
    return [TOOL, *words, "--json"]


def base(repo: Sandbox) -> None:
    """What all of them begin with."""
    for key, value in {"gc.auto": "0", "pack.threads": "1", "index.threads": "1"}.items():
        repo.git("config", key, value)
    repo.commit(_FILES)


def _done(tell: Tell, words: Words) -> str:
    """Run the tool; the id of the transaction that it answers with."""
    ended = tell(words)
    assert ended.status == 0, ended
    return str(ended.answer["data"].get("tx", ""))


def _replace(path: str, n: int, *more: str) -> Words:
    return tool("replace", f"{path}::f{n}", "--code", code(f"f{n}", n), "-m", f"writer {n}", *more)


def _line(n: int, *more: str) -> Words:
    """Another line of one file."""
    return tool("text", "t.txt", "--old", f"line {n}\n", "--new", f"line {n}: done\n", *more)


def _one_file(count: int) -> Scenario:
    def make(repo: Sandbox, tell: Tell) -> list[Words]:
        return [_replace("a.py", n) for n in range(count)]

    return Scenario(f"{count} on one file", make)


def _files(count: int) -> Scenario:
    def make(repo: Sandbox, tell: Tell) -> list[Words]:
        return [_replace(f"m{n}.py", n) for n in range(count)]

    return Scenario(f"{count} on different files", make)


def _one_function(repo: Sandbox, tell: Tell) -> list[Words]:
    """As all have seen it at the beginning: one of them wins."""
    blob = repo.git("rev-parse", "HEAD:a.py")
    texts = [code("f0", n) for n in range(3)]
    return [tool("replace", "a.py::f0", "--code", text, "--base", blob) for text in texts]


def _checkout(repo: Sandbox, tell: Tell) -> list[Words]:
    return [_line(n, "--checkout") for n in (1, 5, 9)]


def _checkout_files(repo: Sandbox, tell: Tell) -> list[Words]:
    return [_replace("m0.py", 0, "--checkout"), _replace("m1.py", 1, "--checkout")]


def _checkout_landing(repo: Sandbox, tell: Tell) -> list[Words]:
    return [_line(2, "--checkout"), _line(9, "-m", "nine")]


def _undo(repo: Sandbox, tell: Tell) -> list[Words]:
    _done(tell, _replace("a.py", 0))
    return [tool("undo"), _replace("a.py", 2)]


def _undo_named(repo: Sandbox, tell: Tell) -> list[Words]:
    """Under a later landing, it becomes a revert."""
    tx = _done(tell, _replace("a.py", 0))
    return [tool("undo", tx), _replace("a.py", 3), _replace("m1.py", 1)]


def _undos(repo: Sandbox, tell: Tell) -> list[Words]:
    _done(tell, _replace("a.py", 0))
    _done(tell, _replace("a.py", 2))
    return [tool("undo"), tool("undo")]


def _undo_twice(repo: Sandbox, tell: Tell) -> list[Words]:
    """The same one."""
    tx = _done(tell, _replace("a.py", 0))
    return [tool("undo", tx), tool("undo", tx)]


def _undo_redo(repo: Sandbox, tell: Tell) -> list[Words]:
    _done(tell, _replace("a.py", 0))
    _done(tell, _replace("a.py", 2))
    _done(tell, tool("undo"))
    return [tool("redo"), tool("undo"), _replace("m3.py", 3)]


def _undo_checkout(repo: Sandbox, tell: Tell) -> list[Words]:
    _done(tell, _line(1, "--checkout"))
    return [tool("undo"), _line(9, "--checkout")]


def _rubbish(repo: Sandbox, tell: Tell) -> None:
    """A dropped transaction to forget, whose blob is what somebody is about to write again."""
    tx = _done(tell, [*_replace("m0.py", 0), "--no-land"])
    _done(tell, _replace("a.py", 3))
    _done(tell, tool("drop", tx))
    for key, value in {"scalpel.keepDays": "0", "scalpel.poolSize": "0"}.items():
        repo.git("config", key, value)


def _gc(repo: Sandbox, tell: Tell) -> list[Words]:
    _rubbish(repo, tell)
    return [tool("gc"), _replace("m0.py", 0), _replace("a.py", 1)]


def _gc_open(repo: Sandbox, tell: Tell) -> list[Words]:
    """While somebody lands a transaction, and somebody else opens one."""
    tx = _done(tell, [*_replace("m1.py", 1), "--no-land"])
    _rubbish(repo, tell)
    return [tool("gc"), tool("land", tx), [*_replace("m0.py", 0), "--no-land"]]


def _git_gc(repo: Sandbox, tell: Tell) -> list[Words]:
    _rubbish(repo, tell)
    _done(tell, tool("gc"))  # so that what was dropped is held by nothing
    return [["git", "gc", "-q", "--prune=2.weeks.ago"], _replace("m0.py", 0)]


def _gcs(repo: Sandbox, tell: Tell) -> list[Words]:
    _rubbish(repo, tell)
    return [tool("gc"), tool("gc"), tool("undo")]


def _commit_all(repo: Sandbox, tell: Tell) -> list[Words]:
    repo.write({"hand.txt": b"1\n"})
    return [["git", "commit", "-q", "-a", "-m", "by hand"], _replace("a.py", 1)]


def _commit_file(repo: Sandbox, tell: Tell) -> list[Words]:
    repo.write({"hand.txt": b"1\n"})
    commit = ["git", "commit", "-q", "-m", "by hand", "--", "hand.txt"]
    return [commit, _replace("a.py", 1), _replace("m2.py", 2)]


def _add(repo: Sandbox, tell: Tell) -> list[Words]:
    repo.write({"hand.txt": b"1\n"})
    return [["git", "add", "hand.txt"], _replace("a.py", 1)]


def _add_same(repo: Sandbox, tell: Tell) -> list[Words]:
    repo.write({"a.py": module(4).replace(b"return 3", b"return 33")})
    return [["git", "add", "a.py"], _replace("a.py", 0)]


def _commit_same(repo: Sandbox, tell: Tell) -> list[Words]:
    return [["git", "commit", "-q", "-a", "-m", "by hand"], _add_same(repo, tell)[1]]


def _status(repo: Sandbox, tell: Tell) -> list[Words]:
    """Which writes the index, as a prompt or an editor does all the time."""
    return [["git", "status", "--porcelain"], _replace("a.py", 1), tool("status")]


def _queue(repo: Sandbox, tell: Tell) -> list[Words]:
    for n in (0, 1):
        _done(tell, [*_replace("a.py", n), "--no-land"])
    return [tool("queue"), _replace("a.py", 3)]


def _queue_land(repo: Sandbox, tell: Tell) -> list[Words]:
    """One of those that are queued is landed, and one dropped."""
    ids = [_done(tell, [*_replace(f"m{n}.py", n), "--no-land"]) for n in (0, 1)]
    return [tool("queue"), tool("land", ids[0]), tool("drop", ids[1])]


def _land_twice(repo: Sandbox, tell: Tell) -> list[Words]:
    tx = _done(tell, [*_replace("a.py", 0), "--no-land"])
    return [tool("land", tx), tool("land", tx), _replace("a.py", 1)]


def _add_to(repo: Sandbox, tell: Tell) -> list[Words]:
    """Two add to one transaction, and a third lands it."""
    tx = _done(tell, [*_replace("a.py", 0), "--no-land"])
    more = [[*words, "--tx", tx] for words in (_replace("a.py", 1)[:-3], _replace("m1.py", 1)[:-3])]
    return [*([*words, "--json"] for words in more), tool("land", tx)]


def _request(repo: Sandbox, tell: Tell) -> list[Words]:
    op = '{"op": "replace", "path": "a.py", "symbol": "f0", "code": "def f0():\\n    return 1000\\n"}'
    file = repo.root.parent / "home" / "changeset.json"
    file.write_text(f'{{"message": "once", "request_id": "r1", "ops": [{op}]}}')
    return [tool("apply", str(file)), tool("apply", str(file)), _replace("a.py", 3)]


def _request_checkout(repo: Sandbox, tell: Tell) -> list[Words]:
    words = _request(repo, tell)
    return [[*words[0], "--checkout"], [*words[1], "--checkout"]]


def _snapshot(repo: Sandbox, tell: Tell) -> list[Words]:
    repo.write({"hand.txt": b"1\n", "new.txt": b"new\n"})
    return [tool("snapshot", "-m", "now"), _line(1, "--checkout"), _replace("a.py", 1)]


def _restore(repo: Sandbox, tell: Tell) -> list[Words]:
    repo.write({"hand.txt": b"1\n"})
    taken = tell(tool("snapshot"))
    repo.write({"hand.txt": b"2\n", "m3.py": b"x = 1\n"})
    return [tool("restore", taken.answer["data"]["id"]), _replace("a.py", 1)]


EVERY = (
    *(_one_file(count) for count in (2, 3, 4)),
    *(_files(count) for count in (2, 4)),
    Scenario("one function, one winner", _one_function, ("merge_conflict",)),
    Scenario("checkout, one file", _checkout),
    Scenario("checkout, different files", _checkout_files),
    Scenario("checkout and landing", _checkout_landing, ("dirty_overlap",)),
    Scenario("undo and landing", _undo),
    Scenario("undo of one and landings", _undo_named),
    Scenario("two undos", _undos),
    Scenario("one undone twice", _undo_twice),
    Scenario("redo, undo and landing", _undo_redo),
    Scenario("undo, checkout", _undo_checkout),
    Scenario("gc and landings", _gc),
    Scenario("gc and transactions", _gc_open),
    Scenario("git gc and landing", _git_gc),
    Scenario("two gcs and undo", _gcs),
    Scenario("git commit -a", _commit_all),
    Scenario("git commit of a file", _commit_file),
    Scenario("git add", _add),
    Scenario("git add of the same file", _add_same),
    Scenario("git commit of the same file", _commit_same),
    Scenario("git status", _status),
    Scenario("queue and landing", _queue),
    Scenario("queue, land and drop", _queue_land, ("tx_closed", "tx_not_found"), partly=(0,)),
    Scenario("landed twice", _land_twice, ("tx_closed", "tx_not_found")),
    Scenario("added to and landed", _add_to, ("tx_closed", "tx_not_found")),
    Scenario("request sent twice", _request),
    Scenario("request sent twice, checkout", _request_checkout),
    Scenario("snapshot and edits", _snapshot),
    Scenario("restore and landing", _restore, ("dirty_overlap",)),
)


def _lost(repo: Sandbox, tell: Tell) -> list[Words]:
    return [["sh", "-c", "read n < hand.txt; echo $((n + 1)) > hand.txt"] for _ in range(2)]


LOST = Scenario("lost update", _lost)
"""What goes wrong in many orders, and is to be found."""
BY_NAME = {scenario.name: scenario for scenario in (*EVERY, LOST)}
