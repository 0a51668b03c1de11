"""The Python API: examples of the documentation, reads, edits and undo."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import gitscalpel
from gitscalpel import BadCall, DoesNotFit, Rename, Replace, Text
from tests.docs.pages import Block, blocks
from tests.sandbox import Content, Sandbox

FILES: dict[str, Content] = {
    "a.py": b"def f():\n    return 1\n",
    "b.py": b"x = 1\n",
    "sub/c.py": b"class C:\n    def m(self):\n        return 1\n",
}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", FILES)


@pytest.mark.parametrize("block", blocks("python"), ids=str)
def test_documentation_examples_run(block: Block, repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repo.root)
    exec(compile(block.text, block.document, "exec"), {})  # noqa: S102 - our own text
    assert repo.status() == ""
    assert repo.git("rev-list", "--all", "--count") > "1"


def test_import_loads_no_submodule() -> None:
    heavy = "name.startswith(('msgspec', 'gitscalpel.'))"
    script = f"import sys, gitscalpel; print(*(name for name in sys.modules if {heavy}))"
    assert subprocess.check_output([sys.executable, "-c", script], text=True) == "\n"


def test_view_reads_files_symbols_and_outlines(repo: Sandbox) -> None:
    repo.write({"a.py": b"dirty\n"})
    with gitscalpel.open(repo.root / "sub") as opened:
        assert (opened.root, opened.prefix) == (repo.root, "sub/")
        view = opened.view()
        assert view.read("a.py") == FILES["a.py"]
        shown = view.show("a.py", symbol="f")
        assert (shown.content, shown.span, shown.dirty) == ("def f():\n    return 1", (1, 2), True)
        assert view.show("a.py", checkout=True).content == "dirty\n"
        assert [line.text for line in view.show("a.py", start="2").lines] == ["    return 1"]
        assert [line.n for line in view.show("a.py", start=shown.range or 0).lines] == [1, 2]
        assert [(m.qualname, m.start_line) for m in view.find("method")] == [("C.m", 2)]
        outlines = {file.path: [symbol.name for symbol in file.symbols] for file in view.outline()}
        assert outlines == {"a.py": ["f"], "b.py": ["x"], "sub/c.py": ["C"]}
        with pytest.raises(DoesNotFit, match="absent"):
            view.read("absent.py")
        with pytest.raises(BadCall):
            opened.view("no-such-branch")


def test_edit_log_undo_and_redo(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        landed = opened.edit(
            Replace(path="a.py", symbol="f", code="def f():\n    return 2"),
            {"op": "text", "path": "b.py", "old": "1", "new": "2"},
            message="Two",
        )
        assert landed.landed is not None
        assert (landed.state, landed.target, landed.landed.after) == ("landed", "main", repo.tip())
        assert [file.what for file in landed.landed.files] == ["written", "written"]
        assert [row.op for row in landed.facts.ops] == ["replace", "text"]
        assert opened.lookup(str(landed.tx)).message == "Two"
        assert [entry.record.kind for entry in opened.log()] == ["land"]
        opened.undo()
        assert repo.files() == FILES
        opened.redo()
        assert opened.status().tip == landed.head


def test_invalid_operation_is_rejected_before_any_change(repo: Sandbox) -> None:
    wrong = Text(path=Path("a.py"), old="1", new="2")  # type: ignore[arg-type]
    with gitscalpel.open(repo.root) as opened, pytest.raises(BadCall) as caught:
        opened.edit(Text(path="a.py", old="1", new="2"), wrong)
    assert (caught.value.code, caught.value.op) == ("invalid_args", 1)
    assert repo.status() == ""


def test_opened_repository_sees_landings_of_others(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened, gitscalpel.open(repo.root) as other:
        for number in range(1, 4):
            before, after = f"return {number}", f"return {number + 1}"
            editor = (opened, other)[number % 2]
            editor.edit(Text(path="a.py", old=before, new=after))
            assert opened.view().read("a.py") == other.view().read("a.py")
        assert repo.git("gc", "-q", "--prune=now") == ""
        opened.edit(Text(path="a.py", old="return 4", new="return 5"))
    assert repo.files()["a.py"] == b"def f():\n    return 5\n"


def test_switched_branch_becomes_the_target(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        assert opened.edit(Text(path="b.py", old="1", new="2")).target == "main"
        repo.git("switch", "-q", "-c", "side")
        assert opened.status().branch == "side"
        assert opened.edit(Text(path="b.py", old="2", new="3")).target == "side"
    assert repo.git("show", "main:b.py") == "x = 2"
    assert repo.status() == ""


def test_warning_names_the_python_call(tmp_path: Path) -> None:
    kotlin = Sandbox.of(tmp_path / "kotlin", {"Foo.kt": b"class Foo {}\n"})
    with gitscalpel.open(kotlin.root) as opened:
        result = opened.edit(Rename(path="Foo.kt", symbol="Foo", to="Bar"))
    assert result.warnings == ("Foo.kt is named after Foo: mv() renames it to Bar.kt",)
