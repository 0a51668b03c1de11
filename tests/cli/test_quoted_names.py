"""File names with line breaks are quoted on one line, and commands in hints can be pasted."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox

NAME = "we\nhint: run me.py"
QUOTED = '"we\\nhint: run me.py"'
FILES = {
    NAME: b"def f():\n    return 0\n\n\ndef g():\n    return f()\n",
    "mod.py": b"def k():\n    return 1\n",
    "us\ne.py": b"from mod import k\nk()\nk2 = 'mod.py'\n",
    "no\nte.md": b"see mod.py\n",
}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "shop", FILES)


REFUSED: dict[str, tuple[str, ...]] = {
    "a text that is not there": ("text", NAME, "--old", "zzz", "--new", "y"),
    "a file that is not there": ("show", "no\nthere.py"),
    "a use": ("delete", f"{NAME}::f", "--safe"),
    "nothing to do": ("imports", NAME, "--remove-unused"),
    "a name in the way": ("write", NAME, "--code", "x"),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_refusal_has_two_lines(repo: Sandbox, call: tuple[str, ...]) -> None:
    lines = scalpel(repo.root, *call).err.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["error", "hint"]


def test_refusal_in_a_subdirectory_quotes_the_path(repo: Sandbox) -> None:
    repo.commit({"sub/a\nb.py": b"x = 1\n"})
    done = scalpel(repo.root / "sub", "text", "a\nb.py", "--old", "zzz", "--new", "y")
    assert done.err.splitlines()[0].startswith('error: not_found: "sub/a\\nb.py" ')


def test_warnings_quote_the_path(repo: Sandbox) -> None:
    done = scalpel(repo.root, "mv", "mod.py", "other.py")
    lines = (done.err + done.out).splitlines()
    assert any('"no\\nte.md":1' in line for line in lines)
    assert not any(line.startswith("te.md") for line in lines)


def test_note_on_uncommitted_changes_quotes_the_path(repo: Sandbox) -> None:
    with (repo.root / NAME).open("ab") as file:
        file.write(b"# mine\n")
    done = scalpel(repo.root, "text", NAME, "--old", "return 0", "--new", "return 1")
    assert f"  {QUOTED}: your uncommitted changes stay on top" in done.out.splitlines()


def test_refusal_of_a_new_file_has_two_lines(repo: Sandbox) -> None:
    changes = '{"ops": [{"op": "write", "path": "n\\new.py", "content": "def f(:"}]}'
    lines = scalpel(repo.root, "apply", stdin=changes.encode()).err.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["error", "hint"]


@pytest.mark.parametrize("name", ["a b.py", "it's.py", "we\nird.py", "a\\b\n'.py", "$HOME.py"])
def test_pasted_restore_command_restores_the_file(repo: Sandbox, name: str) -> None:
    repo.commit({name: b"x = 1\n"})
    (repo.root / name).unlink()
    hint = scalpel(repo.root, "text", name, "--old", "x = 1", "--new", "x = 2").err.splitlines()[-1]
    assert hint.startswith("hint: restore it (`git restore ")
    command = hint.partition("`")[2].rpartition("`")[0]
    subprocess.run(["bash", "-c", command], cwd=repo.root, check=True)
    assert (repo.root / name).read_bytes() == b"x = 1\n"


def test_hint_quotes_a_file_staged_with_other_content(repo: Sandbox) -> None:
    repo.commit({"a b.py": b"x = 1\n"})
    (repo.root / "a b.py").write_bytes(b"x = 2\n")
    repo.git("add", "-A")
    (repo.root / "a b.py").write_bytes(b"x = 3\n")
    hint = scalpel(repo.root, "begin", "--adopt", "a b.py", "--json").error["hint"]
    assert "`git add 'a b.py'`" in hint


def test_delete_without_a_symbol_suggests_rm(repo: Sandbox) -> None:
    repo.commit({"a b.py": b"x = 1\n"})
    hint = scalpel(repo.root, "delete", "a b.py", "--json").error["hint"]
    assert "; git scalpel rm 'a b.py' removes the whole file" in hint
    assert scalpel(repo.root, "rm", "a b.py").status == 0


def test_existing_target_hint_names_the_remove_operation(repo: Sandbox) -> None:
    repo.commit({"a.txt": b"a\n", "b.txt": b"b\n"})
    move = '{"op": "move_file", "path": "a.txt", "to": "b.txt"}'
    hint = scalpel(repo.root, "apply", "--json", stdin=f'{{"ops": [{move}]}}').error["hint"]
    assert hint.endswith("with a remove operation")
    ops = f'{{"ops": [{{"op": "remove", "path": "b.txt"}}, {move}]}}'
    assert scalpel(repo.root, "apply", "--json", stdin=ops).status == 0
    assert (repo.root / "b.txt").read_bytes() == b"a\n"
