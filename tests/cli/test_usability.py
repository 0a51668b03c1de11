"""Usability of the command line: reusable output, directories and patterns, previews, terminals."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.command import SEARCH, scalpel
from tests.sandbox import Sandbox

FILES = {
    "Cargo.toml": b'[[bin]]\nname = "a"\n[dependencies]\nclap = "1"\n',
    "g.go": b"package g\n\ntype S struct{ a int }\n\nfunc (s *S) Run() {}\n\nfunc Run() {}\n",
    "h.html": b'<html><body><div id="top"><p>x</p></div><p>y</p></body></html>\n',
    "o.ts": b"function f(a: string): void;\nfunction f(a: any): void {}\nclass A { m() {} }\n",
}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(
        tmp_path / "repo",
        {"lib/a.py": b"x = 1\n", "lib/b.py": b"x = 1\ny = 1\n", "lib/c.txt": b"-\n", "d.py": b"z\n"},
    )


def test_outline_addresses_resolve_to_their_symbols(repo: Sandbox) -> None:
    repo.commit(FILES)
    listed = [
        (file["path"], symbol)
        for file in scalpel(repo.root, "outline", *FILES, "--json").data
        for symbol in _flatten(file["symbols"])
    ]
    addresses = [symbol["address"] for _, symbol in listed]
    assert addresses == [
        *("bin[0]", "bin[0].name", "dependencies", "dependencies.clap", "S", "S.a", "S.Run", "Run"),
        *("html", "html.body", "#top", "#top.p", "html.body.p", "f#1", "f#2", "A", "A.m"),
    ]
    for path, symbol in listed[::3]:
        shown = scalpel(repo.root, "show", f"{path}::{symbol['address']}", "--json").data
        assert (shown["hash"], shown["symbol"]["span"]) == (symbol["hash"], symbol["span"])
    text = scalpel(repo.root, "outline", "g.go", "--depth", "1").out
    assert [line.split()[0] for line in text.splitlines()] == ["g.go", "S", "S.Run", "Run"]


def _flatten(symbols: list[dict[str, object]]) -> list[dict[str, object]]:
    return [each for s in symbols for each in (s, *_flatten(s["children"]))]  # type: ignore[arg-type]


def test_show_lists_kinds_of_siblings_and_parent(repo: Sandbox) -> None:
    repo.commit(FILES)
    symbol = scalpel(repo.root, "show", "g.go::S.Run", "--json").data["symbol"]
    assert dict(zip(symbol["siblings"], symbol["sibling_kinds"], strict=True)) == {
        "S": "struct",
        "Run": "function",
    }
    inner = scalpel(repo.root, "show", "o.ts::A.m", "--json").data["symbol"]
    assert inner["parent"] == {"qualname": "A", "kind": "class"}


def test_find_honors_limit_and_no_code(repo: Sandbox) -> None:
    data = scalpel(repo.root, "find", "stmt", "lib", "--limit", "2", "--no-code", "--json").data
    rows = [(match["path"], "code" in match) for match in data["matches"]]
    assert (rows, data["more"]) == ([("lib/a.py", False), ("lib/b.py", False)], True)
    assert not scalpel(repo.root, "find", "stmt", "lib", "--limit", "3", "--json").data["more"]
    assert scalpel(repo.root, "find", "stmt", "--limit", "0").status == 2


def test_write_refuses_a_path_with_trailing_slash(repo: Sandbox) -> None:
    for path in ("new/", f"{repo.root}/new/", "./new/"):
        refused = scalpel(repo.root, "write", path, "--content", "x")
        assert (refused.status, "new/ names a directory" in refused.err) == (2, True)
    assert scalpel(repo.root, "write", "new/file", "--content", "x").status == 0


def test_code_file_dash_reads_standard_input(repo: Sandbox) -> None:
    assert scalpel(repo.root, "replace", "lib/a.py::x", "--code-file", "-", stdin="x = 2").status == 0
    assert scalpel(repo.root, "write", "new.txt", "--code", "new\n").status == 0
    assert repo.files()["lib/a.py"] == b"x = 2\n"
    assert repo.files()["new.txt"] == b"new\n"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (["insert", "lib/b.py::x", "--code", "w = 1"], "Add w in lib/b.py"),
        (["text", "lib/b.py", "--old", "y", "--new", "why"], "Rename y to why in lib/b.py"),
        (["replace", "lib/b.py::y", "--code", "y = 3"], "Change y in lib/b.py"),
        (["delete", "lib/b.py::y"], "Delete y in lib/b.py"),
        (["text", "lib/c.txt", "--old", "-", "--new", "+"], "Edit lib/c.txt"),
        (["write", "e/new.py", "--content", "n = 1"], "Add e/new.py"),
        (["write", "d.py", "--overwrite", "--content", "n"], "Replace d.py"),
        (["rm", "d.py"], "Remove d.py"),
        (["mv", "d.py", "e/"], "Move d.py to e/d.py"),
        (["cp", "lib", "bib"], "Copy lib to bib"),
    ],
)
def test_default_message_describes_the_edit(repo: Sandbox, call: list[str], message: str) -> None:
    assert scalpel(repo.root, *call).out.startswith(f"landed on main: {message}  [")
    assert repo.git("log", "-1", "--format=%B").strip() == message


def test_revert_commit_names_the_undone_commit(repo: Sandbox) -> None:
    tx = scalpel(repo.root, "text", "d.py", "--old", "z", "--new", "zz", "--json").data["tx"]
    landed = repo.tip()
    repo.commit({"other.txt": b"o\n"})
    assert scalpel(repo.root, "undo").status == 0
    assert repo.git("log", "-1", "--format=%B").strip() == (
        f"Undo: Edit d.py\n\nThis takes back {landed}, landed as {tx}."
    )


def test_undo_dry_run_previews_the_undo(repo: Sandbox) -> None:
    scalpel(repo.root, "text", "d.py", "--old", "z", "--new", "zz")
    before = repo.state()
    answer = scalpel(repo.root, "undo", "--dry-run")
    assert answer.out.startswith("would undo by moving the branch back: Edit d.py  [")
    assert "-zz\n+z\n" in answer.out
    repo.commit({"other.txt": b"o\n"})
    data = scalpel(repo.root, "undo", "--dry-run", "--json").data
    assert data["revert"]
    assert [row["path"] for row in data["files"]] == ["d.py"]
    assert repo.git("show-ref").count("refs/scalpel/keep") == 0
    assert before != repo.state()
    assert scalpel(repo.root, "undo").status == 0


def test_directory_is_moved_and_removed_as_a_whole(repo: Sandbox) -> None:
    assert scalpel(repo.root, "mv", "lib", "pkg/").status == 0
    assert sorted(repo.files()) == ["d.py", "pkg/lib/a.py", "pkg/lib/b.py", "pkg/lib/c.txt"]
    assert scalpel(repo.root, "rm", "pkg").status == 0
    assert sorted(repo.files()) == ["d.py"]
    assert scalpel(repo.root, "undo").status == 0
    assert scalpel(repo.root / "pkg", "mv", "lib", "bib").status == 0
    assert sorted(repo.files())[1] == "pkg/bib/a.py"


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (["mv", "lib", "lib/x"], "invalid_args"),
        (["mv", "lib", "e"], "exists"),
        (["rm", "lib", "--expect", "0123456789ab"], "invalid_args"),
        (["rm", "links"], "not_a_file"),
        (["rm", "nothing"], "file_not_found"),
    ],
)
def test_refused_move_or_removal_leaves_the_directory(repo: Sandbox, call: list[str], code: str) -> None:
    repo.commit({"e/f.txt": b"f\n", "links/l": ("120000", b"../d.py")})
    before = repo.state()
    assert scalpel(repo.root, *call, "--json").error["code"] == code
    assert repo.state() == before


def test_text_edit_of_a_pattern_is_atomic(repo: Sandbox) -> None:
    change = ["text", "lib/*", "--old", "1", "--new", "2"]
    before = repo.state()
    assert "error: ambiguous: lib/b.py: --old occurs 2 times" in scalpel(repo.root, *change).err
    error = scalpel(repo.root, *change, "--all", "--count", "2", "--json").error
    assert (error["code"], error["data"]["retry"]) == ("count_mismatch", {"count": 3})
    assert (
        scalpel(repo.root, "text", "lib/*", "--old", "9", "--new", "2", "--json").error["code"] == "not_found"
    )
    assert repo.state() == before
    answer = scalpel(repo.root, *change, "--all", "--count", "3")
    assert "  3 places in 2 files\n" in answer.out
    assert answer.out.startswith("landed on main: Replace '1' by '2' in 2 files  [")
    assert repo.files() == {
        "lib/a.py": b"x = 2\n",
        "lib/b.py": b"x = 2\ny = 2\n",
        "lib/c.txt": b"-\n",
        "d.py": b"z\n",
    }
    answer = scalpel(
        repo.root / "lib", "text", "a.py", "b.py", "--regex", "--old", r"x = (\d)", "--new", r"\1 = x"
    )
    assert answer.status == 1 or "2 places in 2 files" in answer.out


def test_count_over_a_pattern_replaces_every_occurrence(repo: Sandbox) -> None:
    change = ["text", "lib/*", "--old", "1", "--new", "2", "--json"]
    error = scalpel(repo.root, *change, "--count", "2").error
    assert scalpel(repo.root, *change, "--count", str(error["data"]["retry"]["count"])).status == 0
    assert repo.files()["lib/b.py"] == b"x = 2\ny = 2\n"


def test_existing_file_name_is_not_read_as_a_pattern(repo: Sandbox) -> None:
    repo.commit({"app/[id].txt": b"a\n  b\n", "app/i.txt": b"b\n"})
    assert (
        scalpel(repo.root, "text", "app/[id].txt", "--old", "b", "--new", "c", "--occurrence", "0").status
        == 0
    )
    assert repo.files()["app/[id].txt"] == b"a\n  c\n"
    assert repo.files()["app/i.txt"] == b"b\n"


def test_run_without_changes_succeeds(repo: Sandbox) -> None:
    before = repo.state()
    answer = scalpel(repo.root, "run", "--", "true")
    assert (answer.status, answer.out) == (0, "true: nothing has changed\n")
    assert scalpel(repo.root, "run", "--json", "--", "true").data["state"] == "unchanged"
    assert repo.state() == before


def test_list_shows_pending_gates_and_approvals(repo: Sandbox) -> None:
    rules = '[[gates.command]]\nname = "tests"\nrun = "true"\n[approval]\npaths = ["d.py"]\n'
    repo.commit({".gitscalpel.toml": rules.encode()})
    scalpel(repo.root, "text", "d.py", "--old", "z", "--new", "zz", "--no-land")
    lines = scalpel(repo.root, "list").out.splitlines()
    assert "  gates.command tests has not run yet; it runs on check or land" in lines
    assert any(line.startswith("  needs 1 more for d.py") for line in lines), lines
    (row,) = scalpel(repo.root, "list", "--json").data["transactions"]
    assert row["approval"]["missing"] == 1
    assert {"name": "syntax", "status": "passed"} in row["gates"]


def test_invalid_configuration_blocks_edits_but_not_reads(repo: Sandbox) -> None:
    scalpel(repo.root, "text", "d.py", "--old", "z", "--new", "zz", "--no-land")
    repo.commit({".gitscalpel.toml": b'[[gate.command]]\nname = "x"\nrun = "y"\n'})
    for look in (["outline", "lib"], ["show", "d.py"], ["find", "stmt"], ["list"], ["status"], ["log"]):
        assert scalpel(repo.root, *look).status == 0, look
    answer = scalpel(repo.root, "text", "d.py", "--old", "z", "--new", "zz")
    assert answer.status == 78
    assert "did you mean [gates] or [[gates.command]]?" in answer.err
    assert scalpel(repo.root, "doctor").status == 78


@pytest.mark.parametrize("width", [60, 80, 200])
def test_help_fits_the_terminal_width(tmp_path: Path, width: int) -> None:
    for call in (["-h"], ["text", "-h"], ["replace", "-h"]):
        text = scalpel(tmp_path, *call, env={"COLUMNS": str(width)}).out
        assert max(map(len, text.splitlines())) <= min(width, 102)


def test_terminal_output_has_a_colored_diff(repo: Sandbox) -> None:
    shown = _run_in_terminal(repo.root, "text", "d.py", "--old", "z", "--new", "zz")
    assert "\x1b[31m-z\x1b[m" in shown
    assert shown.endswith("undo with: git scalpel undo\n")
    assert "\x1b" not in _run_in_terminal(repo.root, "undo", "--dry-run", NO_COLOR="1")
    repo.git("config", "color.scalpel", "false")
    assert "\x1b" not in _run_in_terminal(repo.root, "undo", "--dry-run")
    assert "-z" not in scalpel(repo.root, "text", "d.py", "--old", "zz", "--new", "zzz").out


CONTROL_CHARACTERS = "\x1b[2J \x07 \x7f \x9b31m \u202e \u2066 ."
ESCAPED_CHARACTERS = r"\x1b[2J \x07 \x7f \x9b31m \u202e \u2066 ."


def test_control_characters_are_escaped_except_in_contents(
    repo: Sandbox,
) -> None:
    new = ["notes.txt", "--content", f"a {CONTROL_CHARACTERS} b", "-m", f"Say {CONTROL_CHARACTERS} it"]
    tx = scalpel(repo.root, "write", *new, "--no-land", "--json").data["tx"]
    for look in (["list"], ["status"], ["show-tx", tx]):
        assert f"Say {ESCAPED_CHARACTERS} it" in scalpel(repo.root, *look).out, look
        assert f"Say {ESCAPED_CHARACTERS} it" in _run_in_terminal(repo.root, *look), look
    patch = scalpel(repo.root, "diff", tx).out
    assert f"+a {CONTROL_CHARACTERS} b" in patch
    assert f"+a {ESCAPED_CHARACTERS} b" in _run_in_terminal(repo.root, "diff", tx, NO_COLOR="1")
    assert CONTROL_CHARACTERS in scalpel(repo.root, "show", "notes.txt", "--tx", tx).out
    assert CONTROL_CHARACTERS not in _run_in_terminal(repo.root, "show", "notes.txt", "--tx", tx)
    scalpel(repo.root, "land", tx)
    assert f"Say {ESCAPED_CHARACTERS} it" in scalpel(repo.root, "log").out


def test_control_characters_of_a_hook_are_escaped(repo: Sandbox) -> None:
    hook = repo.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nprintf '\\033]0;title\\007no'; exit 1\n")
    hook.chmod(0o755)
    answer = scalpel(repo.root, "text", "d.py", "--old", "z", "--new", "zz")
    assert r"\x1b]0;title\x07no" in answer.err


def test_long_terminal_output_is_paged(repo: Sandbox) -> None:
    long = b"".join(b"x%d = 1\n" % n for n in range(200))
    repo.commit({"long.py": long})
    assert _run_in_terminal(repo.root, "outline", "long.py", GIT_PAGER="sed s/^/P:/").startswith("P:long.py")
    assert _run_in_terminal(repo.root, "outline", "d.py", GIT_PAGER="sed s/^/P:/").startswith("d.py")
    assert _run_in_terminal(repo.root, "help", "gates", GIT_PAGER="sed s/^/P:/").startswith("P:# Gates")
    assert _run_in_terminal(repo.root.parent, "help", "gates", GIT_PAGER="sed s/^/P:/").startswith("# Gates")
    repo.git("config", "core.pager", "sed s/^/EVIL:/")
    assert "EVIL" not in _run_in_terminal(repo.root, "outline", "long.py", PAGER="cat")
    landed = _run_in_terminal(repo.root, "text", "long.py", "--old", "= 1", "--new", "= 2", "--all")
    assert "… " in landed
    assert len(landed.splitlines()) < 60


def _run_in_terminal(root: Path, *arguments: str, **more: str) -> str:
    """Return the output of ``git scalpel`` in a terminal."""
    master, slave = pty.openpty()
    env = {**os.environ, "PATH": SEARCH + os.pathsep + os.environ["PATH"], "TERM": "xterm", **more}
    with subprocess.Popen(["git", "scalpel", *arguments], cwd=root, stdout=slave, env=env) as child:
        os.close(slave)
        output = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # Linux reports the end of output as an error.
                break
            if not piece:
                break
            output += piece
    os.close(master)
    assert child.returncode == 0
    return output.decode().replace("\r\n", "\n")


def test_missing_files_and_branches_are_reported(repo: Sandbox) -> None:
    error = scalpel(repo.root, "text", "src/*.xx", "--old", "a", "--new", "b", "--json").error
    assert (error["code"], error["message"]) == ("file_not_found", "no file matches src/*.xx")
    for verb in ("undo", "redo"):
        error = scalpel(repo.root, verb, "--onto", "nowhere", "--json").error
        assert (error["code"], error["message"]) == ("invalid_args", "no such branch: nowhere")
