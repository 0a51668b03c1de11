"""Open transactions: begin, edit, check, land in any order, and adopt uncommitted changes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import gitscalpel
from gitscalpel import Insert, Replace, ScalpelError, Text, Transaction, changeset
from tests.command import scalpel
from tests.sandbox import Content, Sandbox
from tests.whole import text

A = b"def f():\n    return 1\n\n\ndef g():\n    return 2\n"
FILES: dict[str, Content] = {"a.py": A, "b.txt": b"one\ntwo\n"}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", FILES)


def test_transaction_from_begin_to_land_in_the_cli(repo: Sandbox) -> None:
    base = repo.tip()
    begun = scalpel(repo.root, "begin", "-m", "Both", "--json").data
    tx = begun["tx"]
    assert (begun["state"], begun["target"], begun["base"], begun["files"]) == ("open", "main", base, [])

    first = scalpel(repo.root, "replace", "a.py::f", "--code", "def f():\n    return 3", "--tx", tx, "--json")
    assert (first.data["tx"], first.data["state"]) == (tx, "checked")
    second = scalpel(repo.root, "text", "b.txt", "--old", "two", "--new", "2", "--tx", tx[:4], "--json").data
    assert [row["path"] for row in second["files"]] == ["b.txt"]
    assert [row["op"] for row in second["ops"]] == ["text"]
    assert (repo.tip(), repo.files()) == (base, FILES)

    shown = scalpel(repo.root, "show-tx", tx, "--json").data
    assert [row["path"] for row in shown["files"]] == ["a.py", "b.txt"]
    assert [row["op"] for row in shown["ops"]] == ["replace", "text"]
    assert [(row["kind"], row["symbol"]) for row in shown["intents"]] == [("body_change", "f")]
    assert shown["diff"] == scalpel(repo.root, "diff", tx).out
    assert "return 3" in scalpel(repo.root, "show", "a.py", "--tx", tx).out
    assert "return 1" in scalpel(repo.root, "show", "a.py").out
    assert scalpel(repo.root, "outline", "a.py", "--tx", tx).status == 0
    assert scalpel(repo.root, "find", "function[name=f]", "--tx", tx).out.startswith("a.py:1")

    listed = scalpel(repo.root, "list", "--json").data["transactions"]
    assert [(row["tx"], row["state"], row["paths"]) for row in listed] == [(tx, "checked", ["a.py", "b.txt"])]
    assert scalpel(repo.root, "list").out.splitlines()[0] == f"{tx}  open  main  Both  (1 of 1 gate passed)"
    gates = scalpel(repo.root, "check", tx, "--json").data["gates"]
    # What text edits did to definitions has been judged when they were staged.
    assert [(gate["name"], gate["status"]) for gate in gates] == [
        ("syntax", "passed"),
        ("structure", "skipped"),
    ]
    assert scalpel(repo.root, "land", tx, "--json").data["landed"] == repo.tip()
    assert repo.git("rev-list", "--count", f"{base}..main") == "1"
    assert repo.git("log", "-1", "--format=%s") == "Both"
    assert repo.status() == ""
    assert scalpel(repo.root, "list").out == "no open transactions\n"
    assert scalpel(repo.root, "show-tx", tx, "--json").data["state"] == "landed"
    assert scalpel(repo.root, "undo").status == 0
    assert scalpel(repo.root, "show-tx", tx, "--json").data["state"] == "undone"


def test_failed_edit_leaves_the_transaction_unchanged(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        tx.edit(text("return 1", "return 3"))
        before = repo.state(), tx.result.head
        for op in (text("absent", "x"), text("return 2", "return (")):
            with pytest.raises(ScalpelError):
                tx.edit(text("one", "ONE", "b.txt"), op)
        assert (repo.state(), tx.result.head) == before


def test_edits_see_earlier_edits_and_name_the_commit(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened, opened.begin() as tx:
        tx.edit(Insert(path="a.py", symbol="g", position="after", code="def h():\n    return 3"))
        tx.edit(Replace(path="a.py", symbol="h", code="def h():\n    return 33"))
        tx.edit(Text(path="a.py", old="33", new="333"))
        assert tx.view().read("a.py").endswith(b"def h():\n    return 333\n")
        assert [(row.kind, row.symbol) for row in tx.result.facts.intents] == [("add", "h")]
    assert repo.git("log", "-1", "--format=%s") == "Add h in a.py and 2 more edits"


@pytest.mark.parametrize("other_path", ["a.txt", "\udcff.txt"])
def test_moving_a_file_away_and_back_hides_no_definition(repo: Sandbox, other_path: str) -> None:
    cut = {"op": "text", "path": other_path, "old": "def g():\n    return 2\n", "new": "x()\n"}
    move_back = {"op": "move_file", "path": other_path, "to": "a.py"}
    with gitscalpel.Repository(repo.root) as opened:
        tx = opened.begin()
        tx.apply(changeset({"op": "move_file", "path": "a.py", "to": other_path}, cut))
        for dry_run in (True, False):
            with pytest.raises(ScalpelError) as caught:
                tx.apply(changeset(move_back), dry_run=dry_run)
            assert caught.value.code == "structural_gate"
        tx.apply(changeset({**cut, "old": "x()\n", "new": "def g():\n    return 3\n"}, move_back))
        tx.land()
    assert repo.files()["a.py"] == A.replace(b"2", b"3")


def test_removing_and_restoring_a_shebang_hides_no_definition(repo: Sandbox) -> None:
    shebang = "#!/usr/bin/env python3\n"
    repo.commit({"tool": shebang.encode() + A})
    steps = [
        {"op": "text", "path": "tool", "old": shebang, "new": "# a tool\n"},
        {"op": "text", "path": "tool", "old": "def g():\n    return 2\n", "new": "x()\n"},
    ]
    with gitscalpel.Repository(repo.root) as opened:
        tx = opened.begin()
        for step in steps:
            tx.apply(changeset(step))
        with pytest.raises(ScalpelError) as caught:
            tx.apply(changeset({**steps[0], "old": "# a tool\n", "new": shebang}))
        assert caught.value.code == "structural_gate"
        tx.land()  # without a shebang the file is not code
        tx = opened.begin()
        tx.apply(changeset({"op": "text", "path": "tool", "old": "x()\n", "new": "y()\n\n\nz()\n"}))
        tx.land()


def test_dry_run_in_a_transaction_shows_the_diff(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        tx.edit(text("return 1", "return 3"))
        before = repo.state()
        preview = tx.edit(text("return 3", "return 4"), dry_run=True)
        assert "-    return 3\n+    return 4\n" in preview.patch.diff
        assert repo.state() == before


def test_empty_or_dropped_transaction_does_not_land(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        empty = opened.begin()
        with pytest.raises(ScalpelError) as caught:
            empty.land()
        assert (caught.value.code, caught.value.data["tx"]) == ("no_change", empty.id)
        empty.edit(text("return 1", "return 3"))
        empty.edit(text("return 3", "return 1"))
        with pytest.raises(ScalpelError) as caught:
            empty.land()
        assert caught.value.code == "no_change"
        empty.drop()
        with pytest.raises(ScalpelError) as caught:
            empty.edit(text("return 1", "return 3"))
        assert caught.value.code == "tx_closed"


def test_with_block_lands_or_drops(repo: Sandbox) -> None:
    base = repo.tip()
    with gitscalpel.open(repo.root) as opened:
        with pytest.raises(ScalpelError), opened.begin() as tx:
            _edit_twice(tx)
        assert (repo.tip(), tx.result.state) == (base, "dropped")
        with opened.begin():
            pass
        assert repo.tip() == base
        with opened.begin("Three") as tx:
            tx.edit(text("return 1", "return 3"))
        assert (repo.tip(), tx.result.state) == (tx.result.head, "landed")
        assert opened.status().transactions == ()


def _edit_twice(tx: Transaction) -> None:
    tx.edit(text("return 1", "return 3"))
    tx.edit(text("absent", "x"))


def test_two_processes_edit_one_transaction(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        tx.edit(text("return 1", "return 3"))
        assert scalpel(repo.root, "text", "b.txt", "--old", "one", "--new", "1", "--tx", tx.id).status == 0
        tx.edit(text("two", "2", "b.txt"))
        tx.land("All")
    assert repo.files() == {"a.py": A.replace(b"return 1", b"return 3"), "b.txt": b"1\n2\n"}
    assert repo.git("log", "-1", "--format=%s") == "All"


def test_repeated_request_is_applied_once(repo: Sandbox) -> None:
    request = changeset({"op": "text", "path": "b.txt", "old": "o", "new": "oo", "all": True}, request_id="r")
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        tx.apply(request)
        tx.apply(request)
        assert tx.view().read("b.txt") == b"oone\ntwoo\n"


@pytest.mark.parametrize("seed", range(3))
def test_ten_transactions_land_in_any_order(repo: Sandbox, seed: int) -> None:
    """Each transaction changes its own function in one file, and a file of its own."""
    source = "\n\n".join(f"def f{n}():\n    return {n}\n" for n in range(10))
    repo.commit({"many.py": source.encode()})
    with gitscalpel.open(repo.root) as opened:
        transactions = [opened.begin(f"Number {n}") for n in range(10)]
        for n, tx in enumerate(transactions):
            tx.edit(text(f"return {n}", f"return {n}{n}", "many.py"))
            tx.edit({"op": "write", "path": f"own/{n}.txt", "content": f"{n}\n"})
        assert len(opened.status().transactions) == 10
        random.Random(seed).shuffle(transactions)  # noqa: S311 - an order, no secret
        for tx in transactions:
            tx.land()
    expected = "\n\n".join(f"def f{n}():\n    return {n}{n}\n" for n in range(10))
    assert repo.files()["many.py"] == expected.encode()
    assert all(repo.files()[f"own/{n}.txt"] == b"%d\n" % n for n in range(10))
    assert repo.git("rev-list", "--count", "main") == "12"
    assert (repo.status(), repo.git("fsck", "--strict", "--no-dangling")) == ("", "")


def test_adopted_change_is_a_commit_and_undo_restores_it(repo: Sandbox) -> None:
    base = repo.tip()
    changes = {"a.py": A + b"mine = 1\n", "new.txt": b"new\n"}
    repo.write({**changes, "b.txt": b"stays dirty\n"})
    begun = scalpel(repo.root, "begin", "--adopt", "a.py", "new.txt", "-m", "Edit", "--json")
    tx = begun.data["tx"]
    assert [row["path"] for row in begun.data["files"]] == ["a.py", "new.txt"]
    assert scalpel(repo.root, "text", "new.txt", "--old", "new", "--new", "newer", "--tx", tx).status == 0
    assert scalpel(repo.root, "text", "a.py", "--old", "mine", "--new", "ours", "--tx", tx).status == 0
    assert repo.files() == {**FILES, **changes, "b.txt": b"stays dirty\n"}

    assert scalpel(repo.root, "land", tx).status == 0
    subjects = repo.git("log", "--format=%s", f"{base}..main").splitlines()
    assert subjects == ["Edit", "Adopt uncommitted changes of a.py, new.txt"]
    assert repo.git("show", "HEAD^:a.py") + "\n" == changes["a.py"].decode()
    assert repo.files()["a.py"] == A + b"ours = 1\n"
    assert repo.status() == " M b.txt"

    assert scalpel(repo.root, "undo").status == 0
    assert repo.tip() == base
    assert repo.files() == {**FILES, **changes, "b.txt": b"stays dirty\n"}
    assert repo.status() == " M a.py\n M b.txt\n?? new.txt"

    assert scalpel(repo.root, "redo").status == 0
    assert repo.files()["new.txt"] == b"newer\n"
    assert repo.status() == " M b.txt"


def test_adopted_file_edited_further_is_merged(repo: Sandbox) -> None:
    repo.write({"b.txt": b"ONE\ntwo\n", "new.txt": b"1\n2\n3\n4\n"})
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin(adopt=[""])
        tx.edit(text("1", "I", "new.txt"))
        repo.write({"b.txt": b"ONE\ntwo\nthree\n", "new.txt": b"1\n2\n3\nIV\n"})
        tx.land()
    assert repo.git("show", "HEAD:new.txt") == "I\n2\n3\n4"
    assert repo.files()["new.txt"] == b"I\n2\n3\nIV\n"
    assert repo.files()["b.txt"] == b"ONE\ntwo\nthree\n"
    assert repo.status() == " M b.txt\n M new.txt"


def test_adopted_change_lands_with_the_given_message(repo: Sandbox) -> None:
    repo.write({"a.py": None, "b.txt": b"mine\n"})
    with gitscalpel.open(repo.root) as opened, opened.begin("Mine", adopt=["a.py", "b.txt"]):
        pass
    assert repo.git("log", "-1", "--format=%s") == "Mine"
    assert repo.git("ls-tree", "--name-only", "HEAD") == "b.txt"
    assert repo.status() == ""
    assert scalpel(repo.root, "undo").status == 0
    assert repo.status() == " D a.py\n M b.txt"


def test_adopted_file_in_the_index_lands(repo: Sandbox) -> None:
    repo.write({"b.txt": b"mine\n"})
    repo.git("add", "b.txt")
    with gitscalpel.open(repo.root) as opened, opened.begin(adopt=["b.txt"]) as tx:
        tx.edit(text("mine", "ours", "b.txt"))
    assert repo.status() == ""
    assert repo.files()["b.txt"] == b"ours\n"


def test_adopted_change_lands_on_a_moved_branch(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        repo.write({"new.txt": b"new\n"})
        tx = opened.begin("Edit", adopt=["new.txt"])
        tx.edit(text("new", "newer", "new.txt"))
        assert scalpel(repo.root, "text", "b.txt", "--old", "one", "--new", "1").status == 0
        tx.land()
    subjects = repo.git("log", "-3", "--format=%s").splitlines()
    assert subjects == ["Edit", "Adopt uncommitted changes of new.txt", "Edit b.txt"]
    assert (repo.status(), repo.files()["new.txt"]) == ("", b"newer\n")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--adopt", "a.py"], "no_change"),
        (["--adopt", "absent"], "file_not_found"),
        (["--adopt", "out.log"], "path_denied"),
        (["--adopt", "inner"], "path_denied"),
        (["--adopt", "../outside"], "path_denied"),
        (["--adopt"], "invalid_args"),
        (["b.txt"], "invalid_args"),
        (["--adopt", "b.txt", "--onto", "side"], "invalid_args"),
    ],
)
def test_invalid_adoption_is_rejected(repo: Sandbox, arguments: list[str], code: str) -> None:
    repo.git("branch", "side")
    repo.commit({".gitignore": b"*.log\n"})
    Sandbox.init(repo.root / "inner").commit({"x": b"x\n"})
    repo.write({"b.txt": b"mine\n", "out.log": b"log\n"})
    before = repo.state()
    assert scalpel(repo.root, "begin", *arguments, "--json").error["code"] == code
    assert repo.state() == before


def test_tx_and_onto_exclude_each_other(repo: Sandbox) -> None:
    tx = scalpel(repo.root, "begin", "--json").data["tx"]
    both = ("--tx", tx, "--onto", "main", "--json")
    assert scalpel(repo.root, "show", "a.py", *both).error["code"] == "invalid_args"
    assert scalpel(repo.root, "rm", "a.py", *both).error["code"] == "invalid_args"
    assert scalpel(repo.root, "land", "--json").error["code"] == "invalid_args"
    assert scalpel(repo.root, "rm", "a.py", "--tx", "zzzz", "--json").error["code"] == "tx_not_found"


def test_facts_of_operations_are_kept(tmp_path: Path) -> None:
    files = {
        "a.py": b"def read(path):\n    pass\n\n\ndef other():\n    pass\n",
        "b.py": b"import a\n\na.read(1)\na.other()\n",
        "README.md": b"Call `read(path)`.\n",
    }
    repo = Sandbox.of(tmp_path / "consequences", files)
    rename = {"op": "rename", "path": "a.py", "symbol": "other", "to": "another"}
    signature = {"op": "signature", "path": "a.py", "symbol": "read", "code": "def read(path, mode):"}
    with gitscalpel.Repository(repo.root) as opened:
        staged = opened.apply(changeset(rename), land=False)
        transaction = opened.transaction(str(staged.tx))
        transaction.apply(changeset(signature))
        transaction.check()
        facts = opened.transaction(str(staged.tx)).result.facts
    assert [row.symbol for row in facts.affected or ()] == ["other", "read"]
    assert [(row.kind, row.files, row.edits) for row in facts.propagated or ()] == [("rename", 2, 2)]
    assert [row.path for row in facts.stale_docs or ()] == ["README.md"]
    assert facts.unchecked == ("b.py:3: the call of read does not fit: mode is not given",)
