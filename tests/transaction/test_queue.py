"""The landing queue: compatible transactions land in order, the others stay open with a reason."""

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


def begin_each(repo: Sandbox, *operations: Operation, onto: str | None = None) -> list[str]:
    """Begin a transaction for each operation, and return their ids."""
    ids = []
    with Repository(repo.root) as opened:
        for operation in operations:
            tx = opened.begin(onto=onto)
            tx.edit(operation)
            ids.append(tx.id)
    return ids


def insert_function(name: str) -> Operation:
    return Insert(path="a.py", symbol="g", position="after", code=f"def {name}():\n    return 0\n")


def run_queue(repo: Sandbox, *ids: str, **more: Any) -> Queue:
    with Repository(repo.root) as opened:
        return opened.queue(*ids, **more)


def open_ids(repo: Sandbox) -> list[str]:
    return [row.rpartition("/")[2] for row in repo.git("for-each-ref", "refs/scalpel/tx").splitlines()]


def function_code(name: str) -> bytes:
    return f"\n\ndef {name}():\n    return 0\n".encode()


def test_queue_lands_in_order_with_one_commit_each(repo: Sandbox) -> None:
    ids = begin_each(
        repo,
        insert_function("x"),
        Text(path="b.txt", old="two", new="2"),
        insert_function("y"),
        insert_function("z"),
    )
    before = repo.tip()
    result = run_queue(repo)
    assert [landing.tx for landing in result.landed] == ids
    assert result.stayed == ()
    assert repo.files() == {
        "a.py": A + function_code("x") + function_code("y") + function_code("z"),
        "b.txt": b"one\n2\n",
    }
    commits = repo.git("rev-list", "--reverse", f"{before}..main").split()
    assert [landing.landed.after for landing in result.landed if landing.landed] == commits
    assert repo.status() == ""
    assert open_ids(repo) == []
    with Repository(repo.root) as opened:
        assert [entry.record.tx for entry in opened.log()] == ids[::-1]
        opened.undo()
    assert repo.files()["a.py"] == A + function_code("x") + function_code("y")


def test_named_transactions_land_in_the_given_order(repo: Sandbox) -> None:
    first, second, third = begin_each(repo, insert_function("x"), insert_function("y"), insert_function("z"))
    result = run_queue(repo, third[:5], first)
    assert [one.tx for one in result.landed] == [third, first]
    assert open_ids(repo) == [second]


def test_conflicting_transaction_stays_open(repo: Sandbox) -> None:
    two = [Replace(path="a.py", symbol="f", code=f"def f():\n    return {n}\n") for n in (10, 11)]
    ids = begin_each(repo, *two, insert_function("x"))
    result = run_queue(repo)
    assert [one.tx for one in result.landed] == [ids[0], ids[2]]
    assert [(one.tx, one.error.code) for one in result.stayed] == [(ids[1], "merge_conflict")]
    assert open_ids(repo) == [ids[1]]
    assert repo.files()["a.py"] == A.replace(b"return 1", b"return 10") + function_code("x")


def test_transaction_is_judged_on_top_of_earlier_ones(repo: Sandbox) -> None:
    """Each transaction parses on its own, but the second does not on top of the first."""
    before = b"x = (\n    1,\n    2,\n    3,\n    4,\n    5,\n)  # end\n"
    repo.commit({"m.py": before})
    with Repository(repo.root) as opened:
        one, other = opened.begin(), opened.begin()
        one.edit(
            Text(path="m.py", old="x = (", new="x = [("), Text(path="m.py", old=")  # end", new=")]  # end")
        )
        other.edit(Text(path="m.py", old="    3,", new="    3,\n)\nprint("))
        ids = [one.id, other.id]
    result = run_queue(repo)
    assert [one.tx for one in result.landed] == ids[:1]
    assert [(one.tx, one.error.code) for one in result.stayed] == [(ids[1], "syntax_error")]


def test_landed_policy_applies_to_later_transactions(repo: Sandbox) -> None:
    rules = Write(path=".gitscalpel.toml", content='[gates]\nstructure = "strict"\n')
    ids = begin_each(repo, rules, insert_function("x"))
    result = run_queue(repo)
    assert [one.tx for one in result.landed] == ids[:1]
    assert [(one.tx, one.error.code) for one in result.stayed] == [(ids[1], "target_moved")]


def test_open_transaction_keeps_its_base(repo: Sandbox, run_log: Path) -> None:
    """The transaction is not based on others of its batch that did not land."""
    forbid_words(repo, run_log, "def")
    ids = begin_each(repo, insert_function("x"), insert_function("y"))
    assert [one.tx for one in run_queue(repo).stayed] == ids
    for tx in ids:
        assert repo.tip(f"refs/scalpel/tx/{tx}^") == repo.tip()
    repo.commit({".gitscalpel.toml": None})
    assert [one.tx for one in run_queue(repo).landed] == ids


def test_hooks_run_for_each_transaction(repo: Sandbox) -> None:
    hook = repo.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n! grep -q 'def y' a.py\n")
    hook.chmod(0o755)
    ids = begin_each(repo, insert_function("x"), insert_function("y"), Text(path="b.txt", old="two", new="2"))
    result = run_queue(repo)
    assert [one.tx for one in result.landed] == [ids[0], ids[2]]
    assert [(one.tx, one.error.code) for one in result.stayed] == [(ids[1], "hook_failed")]


@pytest.fixture
def run_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file that contains a line for each run of the command."""
    monkeypatch.setenv("SCALPEL_TRUST", "1")
    return tmp_path / "asked"


def forbid_words(repo: Sandbox, run_log: Path, *words: str, first: str = "true") -> None:
    """Configure a gate that fails if all words occur in a.py."""
    all_words = " && ".join(f"grep -q '{word}' a.py" for word in words)
    line = f"echo >> {run_log}; {first}; ! {{ {all_words}; }}"
    rules = f'[[gates.command]]\nname = "together"\nrun = """{line}"""\n'
    repo.commit({".gitscalpel.toml": rules.encode()})


def count_runs(run_log: Path) -> int:
    return len(run_log.read_text())


@pytest.mark.parametrize(("batch", "most"), [(8, 9), (1, 6), (2, 8)])
def test_failing_batch_is_bisected(repo: Sandbox, run_log: Path, batch: int, most: int) -> None:
    forbid_words(repo, run_log, "def q", "def t")
    ids = begin_each(repo, *map(insert_function, "pqrstu"))
    result = run_queue(repo, batch=batch)
    assert [one.tx for one in result.landed] == [tx for tx in ids if tx != ids[4]]
    assert [(one.tx, one.error.code) for one in result.stayed] == [(ids[4], "gate_failed")]
    assert open_ids(repo) == [ids[4]]
    assert b"def t" not in repo.files()["a.py"]
    assert count_runs(run_log) <= most


def test_passing_batch_is_judged_and_lands_once(repo: Sandbox, run_log: Path) -> None:
    forbid_words(repo, run_log, "nowhere")
    before = repo.tip()
    begin_each(repo, *map(insert_function, "pqrst"))
    assert len(run_queue(repo).landed) == 5
    assert count_runs(run_log) == 1
    moves = repo.git("reflog", "show", "--format=%H", "main").splitlines()
    assert moves[:2] == [repo.tip(), before]


def test_commit_during_a_batch_is_not_lost(repo: Sandbox, run_log: Path) -> None:
    commit = f"git -C {repo.root} commit -q --allow-empty -m hand"
    once = f"test -e {run_log}.once || {{ touch {run_log}.once; {commit}; }}"
    forbid_words(repo, run_log, "nowhere", first=once)
    ids = begin_each(repo, insert_function("x"), insert_function("y"))
    result = run_queue(repo)
    assert [one.tx for one in result.landed] == ids
    assert "hand" in repo.git("log", "--format=%s").splitlines()
    assert repo.files()["a.py"] == A + function_code("x") + function_code("y")


def test_dirty_file_blocks_only_its_transaction(repo: Sandbox) -> None:
    ids = begin_each(repo, Text(path="b.txt", old="two", new="2"), insert_function("x"))
    repo.write({"b.txt": b"one\nTWO\n"})
    result = run_queue(repo)
    assert [one.tx for one in result.landed] == ids[1:]
    assert [(one.tx, one.error.code) for one in result.stayed] == [(ids[0], "dirty_overlap")]
    assert repo.files() == {"a.py": A + function_code("x"), "b.txt": b"one\nTWO\n"}


def test_blocked_transaction_does_not_block_later_ones(repo: Sandbox) -> None:
    lines = [f"{n}\n" for n in range(1, 21)]
    repo.commit({"n.txt": "".join(lines).encode()})
    with Repository(repo.root) as opened:
        first, second = opened.begin(), opened.begin()
        first.edit(Text(path="n.txt", old="\n2\n", new="\nII\n"), Text(path="n.txt", old="19", new="XIX"))
        second.edit(Text(path="n.txt", old="19", new="nineteen"))
    (third,) = begin_each(repo, insert_function("x"))
    repo.write({"n.txt": "".join(lines).replace("\n2\n", "\nmine\n").encode()})
    result = run_queue(repo)
    assert [one.tx for one in result.landed] == [second.id, third]
    assert [(one.tx, one.error.code) for one in result.stayed] == [(first.id, "dirty_overlap")]
    landed = "".join(lines).replace("19", "nineteen")
    assert repo.git("show", "HEAD:n.txt") + "\n" == landed
    assert repo.files()["n.txt"] == landed.replace("\n2\n", "\nmine\n").encode()


def test_transaction_of_another_branch_is_rejected(repo: Sandbox) -> None:
    repo.git("branch", "side")
    other = begin_each(repo, insert_function("x"), onto="side")
    with pytest.raises(ScalpelError) as caught:
        run_queue(repo, *other)
    assert caught.value.code == "invalid_args"
    assert run_queue(repo).landed == ()
    assert [one.tx for one in run_queue(repo, onto="side").landed] == other


def test_batch_size_must_be_positive(repo: Sandbox) -> None:
    with pytest.raises(BadCall):
        run_queue(repo, batch=0)


def test_queue_command_reports_landed_and_open(repo: Sandbox) -> None:
    two = [Replace(path="a.py", symbol="f", code=f"def f():\n    return {n}\n") for n in (10, 11)]
    ids = begin_each(repo, *two, insert_function("x"))
    answer = scalpel(repo.root, "queue", "--json")
    assert (answer.status, answer.error["code"]) == (4, "merge_conflict")
    assert [row["tx"] for row in answer.error["data"]["landed"]] == [ids[0], ids[2]]
    assert [row["tx"] for row in answer.error["data"]["stayed"]] == [ids[1]]
    again = scalpel(repo.root, "queue")
    assert (again.status, again.out.split()[:2]) == (4, ["stayed", ids[1]])
    scalpel(repo.root, "drop", ids[1])
    begin_each(repo, insert_function("y"))
    data = scalpel(repo.root, "queue", "--json").data
    assert (data["target"], len(data["landed"]), data["stayed"]) == ("main", 1, [])
    assert data["landed"][0]["commit"] == repo.tip()
