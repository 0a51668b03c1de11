"""A transaction and its moved branch change the same part of a file: merge by symbol, or conflict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitscalpel.errors import ScalpelError
from tests.command import scalpel
from tests.sandbox import Sandbox
from tests.whole import land, land_staged, redo, stage, text, undo

pytestmark = pytest.mark.usefixtures("each_store")

A = b"def f():\n    return 1\n\n\ndef g():\n    return 2\n"
N = b"\n\ndef n():\n    return 3\n"
O = b"\n\ndef o():\n    return 4\n"  # noqa: E741


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.py": A, "b.txt": b"one\n"})


def insert_after_g(code: bytes) -> dict[str, Any]:
    position = {"op": "insert", "path": "a.py", "symbol": "g", "position": "after"}
    return {**position, "code": code.decode().strip("\n")}


def land_error(repo: Sandbox, tx: str | None) -> ScalpelError:
    before = repo.state()
    with pytest.raises(ScalpelError) as caught:
        land_staged(repo, str(tx))
    assert repo.state() == before
    assert caught.value.data["tx"] == tx
    return caught.value


def test_functions_added_at_one_place_are_merged(repo: Sandbox) -> None:
    staged = stage(repo, insert_after_g(N))
    moved = repo.commit({"a.py": A + O})
    landed = land_staged(repo, str(staged.tx))
    assert repo.files()["a.py"] == A + O + N
    assert landed.base == moved
    assert landed.warnings == ("a.py: both sides changed it; merged by symbol",)
    assert [(intent.kind, intent.symbol) for intent in landed.facts.intents] == [("add", "n")]
    assert repo.status() == ""
    assert repo.git("fsck", "--strict", "--no-dangling") == ""


def test_modes_and_other_files_are_merged(repo: Sandbox) -> None:
    staged = stage(repo, insert_after_g(N), {"op": "write", "path": "new.txt", "content": "x\n"})
    repo.commit({"a.py": ("100755", A + O), "b.txt": b"two\n"})
    land_staged(repo, str(staged.tx))
    assert repo.files() == {"a.py*": A + O + N, "b.txt": b"two\n", "new.txt": b"x\n"}


def test_conflict_names_file_lines_and_symbols(repo: Sandbox) -> None:
    staged = stage(repo, text("return 2", "return 20"))
    repo.commit({"a.py": A.replace(b"return 2", b"return 21")})
    error = land_error(repo, staged.tx)
    assert error.code == "merge_conflict"
    assert "a.py (g)" in error.message
    assert f"stage(tx={staged.tx!r})" in error.hint
    assert error.data["paths"] == ["a.py"]
    assert error.data["conflicts"] == [
        {"path": "a.py", "lines": [5, 6], "symbol": "g", "why": "both sides changed it"}
    ]


def test_name_defined_by_both_sides_is_a_conflict(repo: Sandbox) -> None:
    staged = stage(repo, insert_after_g(N))
    repo.commit({"a.py": b"def n():\n    return 5\n\n\n" + A})
    error = land_error(repo, staged.tx)
    assert error.code == "merge_conflict"
    assert [row["symbol"] for row in error.data["conflicts"]] == ["n"]


@pytest.mark.parametrize(
    ("path", "lines", "ours", "theirs"),
    [
        (
            "a.html",
            '<p\n  a="1"\n  b="2"\n  c="3">x</p>\n',
            ('  a="1"', '  d="4"\n  a="1"'),
            ('  c="3"', '  c="3"\n  d="5"'),
        ),
        (
            "go.mod",
            "module m\n\nrequire (\n\ta v1.0.0\n\tb v1.0.0\n)\n",
            ("\ta ", "\tn v1.0.0\n\ta "),
            ("b v1.0.0", "b v1.0.0\n\tn v1.2.0"),
        ),
        (
            "a.nix",
            "{\n  a = 1;\n  b = 2;\n  c = 3;\n}\n",
            ("  a", "  n = 1;\n  a"),
            ("c = 3;", "c = 3;\n  n = 2;"),
        ),
        (
            "A.java",
            "import a.A;\nimport a.B;\nclass A {}\n",
            ("import a.A", "import a.N;\nimport a.A"),
            ("B;", "B;\nimport b.N;"),
        ),
    ],
    ids=["attributes", "modules", "keys of an unknown format", "imports"],
)
def test_key_set_by_both_sides_is_a_conflict(
    repo: Sandbox, path: str, lines: str, ours: tuple[str, str], theirs: tuple[str, str]
) -> None:
    repo.commit({path: lines.encode()})
    staged = stage(repo, {"op": "write", "path": path, "overwrite": True, "content": lines.replace(*ours)})
    repo.commit({path: lines.replace(*theirs).encode()})
    error = land_error(repo, staged.tx)
    assert error.code == "merge_conflict"
    assert error.data["paths"] == [path]


def test_keys_of_different_items_do_not_conflict(repo: Sandbox) -> None:
    lines = "a:\n  - n: 1\n    x: 1\n  - n: 2\n    x: 2\nb: 1\n"
    repo.commit({"a.yaml": lines.encode()})
    ours, theirs = lines.replace("a:\n", "a:\n  - n: 3\n"), lines.replace("b: 1", "  - n: 4\nb: 1")
    staged = stage(repo, {"op": "write", "path": "a.yaml", "overwrite": True, "content": ours})
    repo.commit({"a.yaml": theirs.encode()})
    land_staged(repo, str(staged.tx))
    assert repo.files()["a.yaml"] == theirs.replace("a:\n", "a:\n  - n: 3\n").encode()


def test_same_definition_of_both_sides_appears_once(repo: Sandbox) -> None:
    staged = stage(repo, insert_after_g(N), text("return 1", "return 10"))
    repo.commit({"a.py": N.strip() + b"\n\n\n" + A})
    land_staged(repo, str(staged.tx))
    assert repo.files()["a.py"] == N.strip() + b"\n\n\n" + A.replace(b"return 1", b"return 10")


def test_renamed_file_is_merged_by_symbol(repo: Sandbox) -> None:
    staged = stage(repo, insert_after_g(N))
    repo.write({"a.py": None})
    repo.commit({"moved.py": A + O})
    land_staged(repo, str(staged.tx))
    assert repo.files() == {"moved.py": A + O + N, "b.txt": b"one\n"}


def test_file_with_merge_unset_conflicts(repo: Sandbox) -> None:
    repo.commit({".gitattributes": b"a.py -merge\n"})
    staged = stage(repo, insert_after_g(N))
    repo.commit({"a.py": A + O})
    assert land_error(repo, staged.tx).code == "merge_conflict"


def test_undo_and_redo_keep_later_changes_of_the_file(repo: Sandbox) -> None:
    later = A.replace(b"return 1", b"return 10")
    land(repo, insert_after_g(N))
    repo.commit({"a.py": later + N + O})
    undo(repo)
    assert repo.files()["a.py"] == later + O
    assert repo.git("log", "-1", "--format=%s").startswith("Undo: ")
    redo(repo)
    assert repo.files()["a.py"] == later + N + O
    assert repo.status() == ""


def test_result_of_undo_is_judged(repo: Sandbox) -> None:
    """Each of the two changes parses, but the newer one alone does not."""
    before = b"x = (\n    1,\n    2,\n    3,\n    4,\n    5,\n)  # end\n"
    repo.commit({"m.py": before})
    land(repo, text("x = (", "x = [(", "m.py"), text(")  # end", ")]  # end", "m.py"))
    both = before.replace(b"x = (", b"x = [(").replace(b")  # end", b")]  # end")
    repo.commit({"m.py": both.replace(b"    3,\n", b"    3,\n)]\ny = [(\n")})
    state = repo.state()
    with pytest.raises(ScalpelError) as caught:
        undo(repo)
    assert caught.value.code == "syntax_error"
    assert repo.state() == state


def test_answer_lists_merged_files(repo: Sandbox) -> None:
    staged = stage(repo, insert_after_g(N))
    repo.commit({"a.py": A + O})
    answer = scalpel(repo.root, "land", str(staged.tx), "--json")
    assert answer.json["warnings"] == ["a.py: both sides changed it; merged by symbol"]
