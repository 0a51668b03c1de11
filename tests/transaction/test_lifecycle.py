"""Lifecycle of a changeset in a real repository: stage, land, rebase, drop, undo and redo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from gitscalpel import Repository, changeset
from gitscalpel.errors import ScalpelError
from tests.sandbox import Content, Sandbox
from tests.whole import land, land_staged, redo, stage, text, undo

pytestmark = pytest.mark.usefixtures("each_store")

A = b"def f():\n    return 1\n\n\ndef g():\n    return 2\n"
FILES: dict[str, Content] = {"a.py": A, "b.txt": b"one\ntwo\n", "d/c.txt": b"c\n"}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", FILES)


def scalpel_refs(repo: Sandbox) -> list[str]:
    return [
        row.rsplit("/", 1)[0]
        for row in repo.git("for-each-ref", "--format=%(refname)", "refs/scalpel").split()
    ]


def test_stage_changes_only_its_refs(repo: Sandbox) -> None:
    repo.write({"b.txt": b"dirty\n"})
    before = repo.state()
    staged = stage(repo, text("return 1", "return 3"))
    assert repo.state()[1:] == before[1:]
    assert set(before[0].splitlines()) < set(repo.git("for-each-ref").splitlines())
    assert scalpel_refs(repo) == ["refs/scalpel/meta", "refs/scalpel/tx"]
    assert repo.git("cat-file", "blob", f"scalpel/tx/{staged.tx}:a.py") + "\n" == A.decode().replace(
        "return 1", "return 3"
    )
    assert repo.git("rev-parse", f"scalpel/tx/{staged.tx}^") == repo.tip()
    assert repo.git("branch", "--list", "--all") == "* main"
    assert repo.git("fsck", "--strict") == ""


def test_land_moves_branch_checkout_and_index(repo: Sandbox) -> None:
    landed = land(repo, text("return 1", "return 3"), message="Three")
    assert landed.landed is not None
    assert repo.tip() == landed.landed.after == landed.head
    assert repo.status() == ""
    assert (repo.root / "a.py").read_bytes() == A.replace(b"return 1", b"return 3")
    assert repo.git("log", "-1", "--format=%s|%an|%ae") == "Three|Ada|ada@example.org"
    assert scalpel_refs(repo) == ["refs/scalpel"]  # the operation log alone


def test_dry_run_writes_nothing(repo: Sandbox) -> None:
    before = repo.state(), sorted((repo.root / ".git" / "objects").rglob("*"))
    staged = stage(repo, text("return 1", "return 3"), dry_run=True)
    assert (repo.state(), sorted((repo.root / ".git" / "objects").rglob("*"))) == before
    assert (staged.tx, staged.head) == (None, None)
    assert "-    return 1\n+    return 3\n" in staged.data()["diff"]


def test_failed_operation_changes_nothing(repo: Sandbox) -> None:
    before = repo.state()
    for op in (text("absent", "x"), text("return 1", "return ("), text("def f():\n    return 1", "x = 1\nx")):
        with pytest.raises(ScalpelError):
            stage(repo, text("one", "ONE", "b.txt"), op)
    assert repo.state() == before


def test_transaction_is_rebased_onto_other_files(repo: Sandbox) -> None:
    staged = stage(repo, text("return 1", "return 3"))
    moved = repo.commit({"b.txt": b"moved\n"})
    landed = land_staged(repo, str(staged.tx))
    assert repo.git("rev-parse", "HEAD^") == moved
    assert landed.base == moved
    assert repo.files() == {**FILES, "a.py": A.replace(b"return 1", b"return 3"), "b.txt": b"moved\n"}
    assert repo.status() == ""


MOVED: dict[str, tuple[dict[str, Any], dict[str, Content]]] = {
    "same line": (text("return 1", "return 3"), {"a.py": A.replace(b"return 1", b"return 9")}),
    "rules": (text("return 1", "return 3"), {".gitscalpel.toml": b'[gates]\nstructure = "strict"\n'}),
    "removed": (text("return 1", "return 3"), {"a.py": None}),
    "same new file": ({"op": "write", "path": "n", "content": "1"}, {"n": b"2"}),
    "directory in place of a file": ({"op": "write", "path": "n", "content": "1"}, {"n/deep": b"2"}),
    "file in place of a directory": ({"op": "write", "path": "n/deep", "content": "1"}, {"n": b"2"}),
}


@pytest.mark.parametrize(("op", "moved"), MOVED.values(), ids=MOVED)
def test_conflict_with_the_moved_branch_is_rejected(
    repo: Sandbox, op: dict[str, Any], moved: dict[str, Content]
) -> None:
    staged = stage(repo, op)
    repo.commit(moved)
    before = repo.state()
    with pytest.raises(ScalpelError) as caught:
        land_staged(repo, str(staged.tx))
    assert caught.value.code in ("target_moved", "merge_conflict")
    assert caught.value.data["tx"] == staged.tx
    assert repo.state() == before  # the transaction is still open


def test_other_lines_of_the_same_file_are_merged(repo: Sandbox) -> None:
    staged = stage(repo, text("return 1", "return 3"))
    moved = repo.commit({"a.py": A + b"x = 1\n"})
    landed = land_staged(repo, str(staged.tx))
    assert repo.git("rev-parse", "HEAD^") == moved == landed.base
    assert repo.files()["a.py"] == A.replace(b"return 1", b"return 3") + b"x = 1\n"
    assert repo.status() == ""


def test_merge_result_is_judged(repo: Sandbox) -> None:
    """Each side parses, but the result does not."""
    before = b"x = (\n    1,\n    2,\n    3,\n    4,\n    5,\n)  # end\n"
    repo.commit({"m.py": before})
    staged = stage(repo, text("x = (", "x = [(", "m.py"), text(")  # end", ")]  # end", "m.py"))
    repo.commit({"m.py": before.replace(b"    3,\n", b"    3,\n)\ny = (\n")})
    tip = repo.tip()
    with pytest.raises(ScalpelError) as caught:
        land_staged(repo, str(staged.tx))
    assert (caught.value.code, caught.value.data["tx"]) == ("syntax_error", staged.tx)
    assert repo.tip() == tip


def test_drop_keeps_the_commit_in_a_keep_ref(repo: Sandbox) -> None:
    staged = stage(repo, text("return 1", "return 3"))
    with Repository(repo.root, long_lived=repo.long_lived) as opened:
        opened.transaction(str(staged.tx)[:4]).drop()
        with pytest.raises(ScalpelError) as caught:
            opened.transaction(str(staged.tx))
    assert caught.value.code == "tx_closed"
    assert repo.tip(f"refs/scalpel/keep/{staged.tx}") == staged.head
    assert repo.files() == FILES


def test_repeated_request_returns_the_same_result(repo: Sandbox) -> None:
    request = changeset(text("return 1", "return 3"), request_id="r1", message="m")
    with Repository(repo.root, long_lived=repo.long_lived) as opened:
        staged = opened.apply(request, land=False)
        assert opened.apply(request, land=False).data() == staged.data()
        landed = opened.apply(request)
        assert landed.tx == staged.tx
    with Repository(repo.root, long_lived=repo.long_lived) as opened:
        assert opened.apply(request).data() == landed.data()
        assert opened.apply(changeset(text("return 3", "return 4"), request_id="r2")).tx != staged.tx


@pytest.mark.parametrize("earlier", ["landed", "open", "dropped", "within"])
def test_request_id_with_other_operations_is_rejected(repo: Sandbox, earlier: str) -> None:
    first = changeset(text("return 1", "return 3"), request_id="r1")
    other = changeset(text("return 1", "return 4"), request_id="r1")
    with Repository(repo.root, long_lived=repo.long_lived) as opened:
        result = opened.apply(first, land=earlier == "landed")
        if earlier == "dropped":
            opened.drop(str(result.tx))
        apply = opened.transaction(str(result.tx)).apply if earlier == "within" else opened.apply
        before = repo.state()
        with pytest.raises(ScalpelError, match="other operations") as caught:
            apply(other)
        assert (caught.value.code, caught.value.data["tx"]) == ("invalid_args", result.tx)
        assert repo.state() == before
        assert apply(first).tx == result.tx


def test_undone_request_reports_undone(repo: Sandbox) -> None:
    request = changeset(text("return 1", "return 3"), request_id="r1")
    with Repository(repo.root, long_lived=repo.long_lived) as opened:
        landed = opened.apply(request)
        opened.undo()
        again = opened.apply(request)
        assert (again.tx, again.state) == (landed.tx, "undone")
        assert any("undone" in words for words in again.warnings)
        assert repo.files() == FILES
        opened.redo()
        assert opened.apply(request).data() == landed.data()


def test_dropped_or_reset_request_is_reported(repo: Sandbox) -> None:
    dropped = changeset(text("return 1", "return 3"), request_id="r1")
    reset = changeset(text("return 1", "return 4"), request_id="r2")
    with Repository(repo.root, long_lived=repo.long_lived) as opened:
        staged = opened.apply(dropped, land=False)
        opened.drop(str(staged.tx))
        again = opened.apply(dropped)
        assert (again.tx, again.state, again.landed) == (staged.tx, "dropped", None)
        assert any("was dropped" in words for words in again.warnings)
        landed = opened.apply(reset)
        repo.git("reset", "-q", "--hard", "HEAD~1")
        again = opened.apply(reset)
        assert (again.tx, again.state) == (landed.tx, "landed")
        assert any("something else has taken it from main" in words for words in again.warnings)
    assert repo.files() == FILES


@pytest.mark.parametrize("land", [True, False], ids=["landed", "open"])
def test_request_id_for_another_branch_is_rejected(repo: Sandbox, land: bool) -> None:
    repo.git("branch", "side")
    request = changeset(text("return 1", "return 3"), request_id="r1")
    with Repository(repo.root, long_lived=repo.long_lived) as opened:
        first = opened.apply(request, land=land)
        tip = repo.tip("side")
        with pytest.raises(ScalpelError) as caught:
            opened.apply(request, onto="side")
        assert (caught.value.code, caught.value.data["tx"]) == ("invalid_args", first.tx)
        assert repo.tip("side") == tip
        other = msgspec.structs.replace(request, request_id="r2")
        assert opened.apply(other, onto="side").landed is not None


def test_land_on_another_branch_keeps_the_checkout(repo: Sandbox) -> None:
    repo.git("branch", "side")
    before = repo.files(), repo.tip()
    landed = land(repo, text("return 1", "return 3"), onto="side")
    assert (repo.files(), repo.tip()) == before
    assert repo.tip("side") == landed.head


def test_first_commit_of_a_branch_lands_and_is_undone(tmp_path: Path) -> None:
    repo = Sandbox.init(tmp_path / "new")
    land(repo, {"op": "write", "path": "a/b.txt", "content": "x\n"})
    assert repo.files() == {"a/b.txt": b"x\n"}
    assert repo.status() == ""
    undo(repo)
    assert repo.files() == {}
    assert repo.git("for-each-ref", "refs/heads") == ""
    redo(repo)
    assert repo.files() == {"a/b.txt": b"x\n"}


def test_undo_and_redo_walk_the_landings(repo: Sandbox) -> None:
    states = [(repo.tip(), repo.files())]
    for value in (3, 4, 5):
        land(repo, text(f"return {value - 2 if value == 3 else value - 1}", f"return {value}"))
        states.append((repo.tip(), repo.files()))
    for expected in states[2::-1]:
        step = undo(repo)
        assert not step.revert
        assert (repo.tip(), repo.files()) == expected
        assert repo.status() == ""
    with pytest.raises(ScalpelError) as caught:
        undo(repo)
    assert caught.value.code == "nothing_to_undo"
    for expected in states[1:]:
        redo(repo)
        assert (repo.tip(), repo.files()) == expected
    with pytest.raises(ScalpelError) as caught:
        redo(repo)
    assert caught.value.code == "nothing_to_undo"
    undo(repo)
    assert (repo.tip(), repo.files()) == states[2]


def test_landing_after_an_undo_ends_the_redo(repo: Sandbox) -> None:
    land(repo, text("return 1", "return 3"))
    undo(repo)
    land(repo, text("return 2", "return 4"))
    with pytest.raises(ScalpelError) as caught:
        redo(repo)
    assert caught.value.code == "nothing_to_undo"


def test_undone_commit_is_kept(repo: Sandbox) -> None:
    landed = land(repo, text("return 1", "return 3"))
    undo(repo)
    assert repo.tip(f"refs/scalpel/keep/{landed.tx}") == landed.head


@pytest.mark.parametrize("variable", ["SCALPEL_AGENT", "GIT_COMMITTER_EMAIL"])
def test_undo_of_another_user_needs_its_name(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    landed = land(repo, text("return 1", "return 3"))
    monkeypatch.setenv(variable, "someone@example.org")
    with pytest.raises(ScalpelError) as caught:
        undo(repo)
    assert caught.value.code == "nothing_to_undo"
    assert str(landed.tx) in caught.value.message + caught.value.hint
    assert repo.tip() == landed.head
    undo(repo, str(landed.tx).upper())
    assert repo.files() == FILES


def test_undo_below_a_commit_is_a_revert(repo: Sandbox) -> None:
    land(repo, text("return 1", "return 3"))
    on_top = repo.commit({"b.txt": b"later\n"})
    step = undo(repo)
    assert step.revert
    assert repo.git("rev-parse", "HEAD^") == on_top
    assert repo.files() == {**FILES, "b.txt": b"later\n"}
    assert repo.status() == ""
    redo(repo)
    assert repo.files() == {**FILES, "b.txt": b"later\n", "a.py": A.replace(b"return 1", b"return 3")}


def test_undo_of_a_pushed_landing_is_a_revert(repo: Sandbox) -> None:
    landed = land(repo, text("return 1", "return 3"))
    repo.git("update-ref", "refs/remotes/origin/main", str(landed.head))
    assert undo(repo).revert
    assert repo.git("rev-parse", "HEAD^") == landed.head
    assert repo.files() == FILES


def test_earlier_landing_is_undone_by_name(repo: Sandbox) -> None:
    first = land(repo, text("return 1", "return 3"))
    land(repo, text("one", "ONE", "b.txt"))
    assert undo(repo, str(first.tx)).revert
    assert repo.files() == {**FILES, "b.txt": b"ONE\ntwo\n"}


OVERLAPS: dict[str, tuple[dict[str, Any], dict[str, Content]]] = {
    "same file": (text("return 1", "return 3"), {"a.py": b"x = 1\n"}),
    "file replaced a directory": ({"op": "remove", "path": "d/c.txt"}, {"d": b"file\n"}),
    "directory replaced a file": ({"op": "remove", "path": "b.txt"}, {"b.txt/deep": b"1"}),
    "removed since": ({"op": "write", "path": "n", "content": "1"}, {"n": None}),
}


@pytest.mark.parametrize(("op", "later"), OVERLAPS.values(), ids=OVERLAPS)
def test_undo_that_overlaps_later_work_conflicts(
    repo: Sandbox, op: dict[str, Any], later: dict[str, Content]
) -> None:
    land(repo, op)
    repo.commit(later)
    before = repo.state()
    with pytest.raises(ScalpelError) as caught:
        undo(repo)
    assert caught.value.code == "merge_conflict"
    assert repo.state() == before


def test_uncommitted_work_survives_land_undo_and_redo(repo: Sandbox) -> None:
    dirty = A.replace(b"return 2\n", b"return 2  # mine\n")
    repo.write({"a.py": dirty})
    land(repo, text("return 1", "return 3"))
    both = dirty.replace(b"return 1", b"return 3")
    assert (repo.root / "a.py").read_bytes() == both
    undo(repo)
    assert (repo.root / "a.py").read_bytes() == dirty
    redo(repo)
    assert (repo.root / "a.py").read_bytes() == both
    assert repo.git("diff", "--stat").count("1 insertion(+), 1 deletion(-)") == 1
