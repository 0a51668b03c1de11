"""Many open transactions, landed in order: what goes together lands, the rest stays open with the reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitscalpel import BadCall, Insert, Operation, Replace, Repository, ScalpelError, Text, Write
from gitscalpel.landing.queue import Queue
from tests.command import scalpel
from tests.sandbox import Sandbox

A = b"def f():\n    return 1\n\n\ndef g():\n    return 2\n"


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.py": A, "b.txt": b"one\ntwo\n"})


def opened(repo: Sandbox, *operations: Operation, onto: str | None = None) -> list[str]:
    """A transaction for each operation; their ids."""
    ids = []
    with Repository(repo.root) as there:
        for operation in operations:
            tx = there.begin(onto=onto)
            tx.edit(operation)
            ids.append(tx.id)
    return ids


def new(name: str) -> Operation:
    return Insert(path="a.py", symbol="g", position="after", code=f"def {name}():\n    return 0\n")


def run(repo: Sandbox, *ids: str, **more: Any) -> Queue:
    with Repository(repo.root) as there:
        return there.queue(*ids, **more)


def open_ids(repo: Sandbox) -> list[str]:
    return [row.rpartition("/")[2] for row in repo.git("for-each-ref", "refs/scalpel/tx").splitlines()]


def body(name: str) -> bytes:
    return f"\n\ndef {name}():\n    return 0\n".encode()


def test_all_land_in_order_each_with_its_own_commit(repo: Sandbox) -> None:
    ids = opened(repo, new("x"), Text(path="b.txt", old="two", new="2"), new("y"), new("z"))
    before = repo.tip()
    done = run(repo)
    assert [one.tx for one in done.landed] == ids
    assert done.stayed == ()
    assert repo.files() == {"a.py": A + body("x") + body("y") + body("z"), "b.txt": b"one\n2\n"}
    commits = repo.git("rev-list", "--reverse", f"{before}..main").split()
    assert [one.landed.after for one in done.landed if one.landed] == commits
    assert repo.status() == ""
    assert open_ids(repo) == []
    with Repository(repo.root) as there:
        assert [entry.record.tx for entry in there.log()] == ids[::-1]
        there.undo()
    assert repo.files()["a.py"] == A + body("x") + body("y")


def test_those_named_land_in_the_order_given(repo: Sandbox) -> None:
    first, second, third = opened(repo, new("x"), new("y"), new("z"))
    done = run(repo, third[:5], first)
    assert [one.tx for one in done.landed] == [third, first]
    assert open_ids(repo) == [second]


def test_what_contradicts_stays_open_and_the_rest_goes_on(repo: Sandbox) -> None:
    two = [Replace(path="a.py", symbol="f", code=f"def f():\n    return {n}\n") for n in (10, 11)]
    ids = opened(repo, *two, new("x"))
    done = run(repo)
    assert [one.tx for one in done.landed] == [ids[0], ids[2]]
    assert [(one.tx, one.error.code) for one in done.stayed] == [(ids[1], "merge_conflict")]
    assert open_ids(repo) == [ids[1]]
    assert repo.files()["a.py"] == A.replace(b"return 1", b"return 10") + body("x")


def test_each_is_judged_on_top_of_those_before_it(repo: Sandbox) -> None:
    """Each parses on its own; the second does not on top of the first."""
    before = b"x = (\n    1,\n    2,\n    3,\n    4,\n    5,\n)  # end\n"
    repo.commit({"m.py": before})
    with Repository(repo.root) as there:
        one, other = there.begin(), there.begin()
        one.edit(
            Text(path="m.py", old="x = (", new="x = [("), Text(path="m.py", old=")  # end", new=")]  # end")
        )
        other.edit(Text(path="m.py", old="    3,", new="    3,\n)\nprint("))
        ids = [one.id, other.id]
    done = run(repo)
    assert [one.tx for one in done.landed] == ids[:1]
    assert [(one.tx, one.error.code) for one in done.stayed] == [(ids[1], "syntax_error")]


def test_rules_that_land_hold_for_those_behind_them(repo: Sandbox) -> None:
    rules = Write(path=".gitscalpel.toml", content='[gates]\nstructure = "strict"\n')
    ids = opened(repo, rules, new("x"))
    done = run(repo)
    assert [one.tx for one in done.landed] == ids[:1]
    assert [(one.tx, one.error.code) for one in done.stayed] == [(ids[1], "target_moved")]


def test_who_stays_stands_where_it_stood(repo: Sandbox, asked: Path) -> None:
    """Not on top of what was in a batch with it, and did not land."""
    refuse_together(repo, asked, "def")
    ids = opened(repo, new("x"), new("y"))
    assert [one.tx for one in run(repo).stayed] == ids
    for tx in ids:
        assert repo.tip(f"refs/scalpel/tx/{tx}^") == repo.tip()
    repo.commit({".gitscalpel.toml": None})
    assert [one.tx for one in run(repo).landed] == ids


def test_the_user_s_hooks_run_on_each(repo: Sandbox) -> None:
    hook = repo.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n! grep -q 'def y' a.py\n")
    hook.chmod(0o755)
    ids = opened(repo, new("x"), new("y"), Text(path="b.txt", old="two", new="2"))
    done = run(repo)
    assert [one.tx for one in done.landed] == [ids[0], ids[2]]
    assert [(one.tx, one.error.code) for one in done.stayed] == [(ids[1], "hook_failed")]


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file with a line for each time that a command was run."""
    monkeypatch.setenv("SCALPEL_TRUST", "1")
    return tmp_path / "asked"


def refuse_together(repo: Sandbox, asked: Path, *words: str, first: str = "true") -> None:
    """Have a command run on what a batch leaves, which refuses words that stand together in a.py."""
    found = " && ".join(f"grep -q '{word}' a.py" for word in words)
    line = f"echo >> {asked}; {first}; ! {{ {found}; }}"
    rules = f'[[gates.command]]\nname = "together"\nrun = """{line}"""\n'
    repo.commit({".gitscalpel.toml": rules.encode()})


def times(asked: Path) -> int:
    return len(asked.read_text())


@pytest.mark.parametrize(("batch", "most"), [(8, 9), (1, 6), (2, 8)])
def test_a_batch_is_halved_until_the_one_is_found_that_fails(
    repo: Sandbox, asked: Path, batch: int, most: int
) -> None:
    refuse_together(repo, asked, "def q", "def t")
    ids = opened(repo, *map(new, "pqrstu"))
    done = run(repo, batch=batch)
    assert [one.tx for one in done.landed] == [tx for tx in ids if tx != ids[4]]
    assert [(one.tx, one.error.code) for one in done.stayed] == [(ids[4], "gate_failed")]
    assert open_ids(repo) == [ids[4]]
    assert b"def t" not in repo.files()["a.py"]
    assert times(asked) <= most


def test_a_batch_that_passes_is_judged_once_and_lands_at_once(repo: Sandbox, asked: Path) -> None:
    refuse_together(repo, asked, "nowhere")
    before = repo.tip()
    opened(repo, *map(new, "pqrst"))
    assert len(run(repo).landed) == 5
    assert times(asked) == 1
    moves = repo.git("reflog", "show", "--format=%H", "main").splitlines()
    assert moves[:2] == [repo.tip(), before]


def test_a_commit_while_a_batch_is_judged_is_not_lost(repo: Sandbox, asked: Path) -> None:
    commit = f"git -C {repo.root} commit -q --allow-empty -m hand"
    once = f"test -e {asked}.once || {{ touch {asked}.once; {commit}; }}"
    refuse_together(repo, asked, "nowhere", first=once)
    ids = opened(repo, new("x"), new("y"))
    done = run(repo)
    assert [one.tx for one in done.landed] == ids
    assert "hand" in repo.git("log", "--format=%s").splitlines()
    assert repo.files()["a.py"] == A + body("x") + body("y")


def test_unsaved_work_keeps_one_open_and_the_others_land(repo: Sandbox) -> None:
    ids = opened(repo, Text(path="b.txt", old="two", new="2"), new("x"))
    repo.write({"b.txt": b"one\nTWO\n"})
    done = run(repo)
    assert [one.tx for one in done.landed] == ids[1:]
    assert [(one.tx, one.error.code) for one in done.stayed] == [(ids[0], "dirty_overlap")]
    assert repo.files() == {"a.py": A + body("x"), "b.txt": b"one\nTWO\n"}


def test_what_only_one_that_stays_stands_against_lands(repo: Sandbox) -> None:
    lines = [f"{n}\n" for n in range(1, 21)]
    repo.commit({"n.txt": "".join(lines).encode()})
    with Repository(repo.root) as there:
        first, second = there.begin(), there.begin()
        first.edit(Text(path="n.txt", old="\n2\n", new="\nII\n"), Text(path="n.txt", old="19", new="XIX"))
        second.edit(Text(path="n.txt", old="19", new="nineteen"))
    (third,) = opened(repo, new("x"))
    repo.write({"n.txt": "".join(lines).replace("\n2\n", "\nmine\n").encode()})
    done = run(repo)
    assert [one.tx for one in done.landed] == [second.id, third]
    assert [(one.tx, one.error.code) for one in done.stayed] == [(first.id, "dirty_overlap")]
    landed = "".join(lines).replace("19", "nineteen")
    assert repo.git("show", "HEAD:n.txt") + "\n" == landed
    assert repo.files()["n.txt"] == landed.replace("\n2\n", "\nmine\n").encode()


def test_one_of_another_branch_is_refused_and_otherwise_left_alone(repo: Sandbox) -> None:
    repo.git("branch", "side")
    other = opened(repo, new("x"), onto="side")
    with pytest.raises(ScalpelError) as caught:
        run(repo, *other)
    assert caught.value.code == "invalid_args"
    assert run(repo).landed == ()
    assert [one.tx for one in run(repo, onto="side").landed] == other


def test_a_batch_has_a_size(repo: Sandbox) -> None:
    with pytest.raises(BadCall):
        run(repo, batch=0)


def test_on_the_command_line(repo: Sandbox) -> None:
    two = [Replace(path="a.py", symbol="f", code=f"def f():\n    return {n}\n") for n in (10, 11)]
    ids = opened(repo, *two, new("x"))
    answer = scalpel(repo.root, "queue", "--json")
    assert (answer.status, answer.error["code"]) == (4, "merge_conflict")
    assert [row["tx"] for row in answer.error["data"]["landed"]] == [ids[0], ids[2]]
    assert [row["tx"] for row in answer.error["data"]["stayed"]] == [ids[1]]
    again = scalpel(repo.root, "queue")
    assert (again.status, again.out.split()[:2]) == (4, ["stayed", ids[1]])
    scalpel(repo.root, "drop", ids[1])
    opened(repo, new("y"))
    data = scalpel(repo.root, "queue", "--json").data
    assert (data["target"], len(data["landed"]), data["stayed"]) == ("main", 1, [])
    assert data["landed"][0]["commit"] == repo.tip()
