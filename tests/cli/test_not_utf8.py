"""Names of files, symbols, branches and people that are not UTF-8 never cause an ``internal`` error."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests import forking
from tests.command import blob
from tests.sandbox import Sandbox
from tests.today import some

E = os.fsdecode(b"\xe9")
NAME = f"caf{E}"
LATIN = "# coding: latin-1\ncafé = 1\n\n\ndef été(à):\n    return café + à\n".encode("latin-1")
BROKEN = "café = 1\n\n\ndef f():\n    return café\n".encode("latin-1")  # git accepts it without a coding line
AUTHOR = {"GIT_AUTHOR_NAME": f"Andr{E}", "GIT_COMMITTER_NAME": f"Andr{E}", "SCALPEL_AGENT": f"r{E}my"}
FILES = {
    "a.py": b"def f():\n    return 1\n\n\ndef g():\n    return f()\n",
    "latin.py": LATIN,
    "broken.py": BROKEN,
    f"{NAME}.py": LATIN,
    f"d{E}/{NAME}.txt": BROKEN,
    f"{NAME}.toml": b'caf\xe9 = "1"\n',
    f"{NAME}.js": b"const caf\xe9 = 1;\nexport { caf\xe9 };\n",
}
FILE, TEXT = f"{NAME}.py", f"d{E}/{NAME}.txt"
EDIT = ("text", "a.py", "--old", "return 1", "--new", "return 2")

CALLS: dict[str, tuple[str, ...]] = {
    "show": ("show", FILE),
    "show a symbol": ("show", f"{FILE}::été"),
    "show bytes of a symbol": ("show", f"broken.py::{NAME}"),
    "show no such file": ("show", f"no{E}.py"),
    "show at a branch": ("show", "a.py", "--at", NAME),
    "outline": ("outline", FILE),
    "outline of a broken one": ("outline", "broken.py"),
    "outline of a folder": ("outline", f"d{E}"),
    "find": ("find", "function", FILE),
    "find a name": ("find", f"function[name={NAME}]"),
    "find a text": ("find", "--text", NAME),
    "refs": ("refs", "latin.py::café"),
    "refs of bytes": ("refs", f"broken.py::{NAME}"),
    "text": ("text", FILE, "--old", "= 1", "--new", "= 2"),
    "text of bytes": ("text", TEXT, "--old", f"{NAME} = 1", "--new", f"{NAME} = 2"),
    "text in javascript": ("text", f"{NAME}.js", "--old", "= 1", "--new", "= 2"),
    "lines": ("lines", f"{TEXT}:1", "--code", f"{NAME} = 3"),
    "replace": ("replace", f"{FILE}::été", "--code", "def été(à):\n    return 2\n"),
    "replace by bytes": ("replace", "a.py::f", "--code", f"def f():\n    return '{E}'\n"),
    "insert": ("insert", f"{FILE}::été", "--after", "--code", f"def n{E}(): pass"),
    "delete": ("delete", f"{FILE}::été"),
    "delete bytes": ("delete", f"broken.py::{NAME}"),
    "rename": ("rename", "latin.py::café", "tea"),
    "rename to bytes": ("rename", "a.py::f", f"f{E}"),
    "rename in javascript": ("rename", f"{NAME}.js::{NAME}", "tea"),
    "move": ("move", f"{FILE}::été", f"n{E}.py"),
    "signature": ("signature", f"{FILE}::été"),
    "imports": ("imports", FILE, "--add", f"from d{E} import x"),
    "write": ("write", f"n{E}.txt", "--content", E),
    "write a pattern": ("write", ".gitscalpel.toml", "--content", f'[policy]\ndeny = ["{E}"]\n'),
    "mv": ("mv", FILE, f"n{E}.py"),
    "mv a folder": ("mv", f"d{E}", f"n{E}"),
    "cp": ("cp", FILE, f"n{E}.py"),
    "rm": ("rm", TEXT),
    "message": (*EDIT, "-m", f"{NAME} it is"),
    "onto": (*EDIT, "--onto", NAME),
    "onto no such branch": (*EDIT, "--onto", f"no{E}"),
    "in the checkout": ("text", TEXT, "--old", "= 1", "--new", "= 2", "--checkout"),
    "request": (*EDIT, "--request-id", f"r{E}"),
    "begin": ("begin", "-m", NAME, "--onto", NAME),
    "adopt": ("begin", "--adopt", ".", "-m", NAME),
    "run": ("run", "-m", NAME, "--", "sh", "-c", f"echo {E} >n{E}"),
    "snapshot": ("snapshot", "-m", NAME),
    "land": ("land", f"no{E}"),
    "undo": ("undo", f"no{E}"),
    "restore": ("restore", f"no{E}"),
    "approve": ("approve", f"no{E}"),
    "help": ("help", f"no{E}"),
    "no such command": (f"no{E}",),
    "no such option": ("show", "a.py", f"--no{E}"),
    "audit": ("audit",),
    "doctor": ("doctor",),
    "fsck": ("fsck",),
    "gc": ("gc",),
    "risk": ("risk", FILE),
    "policy": ("policy", FILE),
    "check": ("check", "@checkout"),
    "check what is staged": ("check", "@staged"),
}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    sandbox = Sandbox.of(tmp_path / "repo", FILES)
    for name, value in AUTHOR.items():
        monkeypatch.setenv(name, value)
    sandbox.git("branch", NAME)
    return sandbox


def call(repo: Sandbox, *words: str, stdin: bytes = b"") -> tuple[int, bytes]:
    done = forking.call(words, repo.root, stdin, {**os.environ, "SCALPEL_SERVER": "off"})
    assert done.status != 70, (words, done.out, done.err)
    assert b"internal" not in done.err, (words, done.err)
    return done.status, done.out


@pytest.mark.parametrize("name", some([*CALLS]))
def test_command_does_not_end_in_internal(repo: Sandbox, name: str) -> None:
    words = CALLS[name]
    split = words.index("--") if "--" in words else len(words)
    status, out = call(repo, *words[:split], "--json", *words[split:])
    if out.startswith(b"{"):
        json.loads(out)
    _, out = call(repo, *words)
    if status:
        return
    for after in (
        ("log",),
        ("log", "--json"),
        ("status",),
        ("list", "--json"),
        ("undo",),
        ("redo", "--json"),
    ):
        call(repo, *after)


def test_transaction_for_a_non_utf8_branch(repo: Sandbox) -> None:
    status, out = call(repo, *EDIT, "--onto", NAME, "--no-land", "--json")
    assert status == 0
    tx = json.loads(out)["data"]["tx"]
    for verb in ("show-tx", "diff", "check", "risk", "list", "stage"):
        call(repo, verb, *(() if verb == "list" else (tx,)))
    assert call(repo, "land", tx)[0] == 0
    assert b"return 2" in repo.git("show", f"{NAME}:a.py").encode()
    assert call(repo, "undo", "--onto", NAME)[0] == 0
    assert call(repo, "redo", "--onto", NAME)[0] == 0


def test_edit_on_a_checked_out_non_utf8_branch(repo: Sandbox) -> None:
    repo.git("switch", "-q", NAME)
    assert call(repo, *EDIT)[0] == 0
    assert (repo.root / "a.py").read_bytes().startswith(b"def f():\n    return 2")
    status, _ = call(repo, *EDIT[:-1], "return 4", "--json")
    assert status == 3
    assert call(repo, "undo")[0] == 0
    assert (repo.root / "a.py").read_bytes() == FILES["a.py"]


@pytest.mark.parametrize(
    "stdin",
    [
        b'{"op": "text", "path": "caf\xe9.py", "old": "1", "new": "2"}',
        b'[{"op": "text", "path": "a.py", "old": "\xe9", "new": "2"}]',
        b"\xff\xfe{\x00}\x00",
        b"--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-def f():\n+def \xe9():\n     return 1\n",
        b"\xe9",
    ],
)
def test_non_utf8_changeset_is_refused(repo: Sandbox, stdin: bytes) -> None:
    status, out = call(repo, "apply", "-", "--json", stdin=stdin)
    if status == 0:  # a patch may contain any bytes
        assert stdin.startswith(b"---")
        return
    error = json.loads(out)["error"]
    assert error["code"] in ("invalid_args", "unencodable"), error
    if stdin.startswith((b"{", b"[")):
        assert "UTF-8" in error["message"]
        assert "0xe9" in error["message"]


def test_non_utf8_content_on_standard_input(repo: Sandbox) -> None:
    assert call(repo, "write", "n.txt", stdin=b"caf\xe9\n")[0] == 0
    assert blob(repo.root, "HEAD:n.txt") == b"caf\xe9\n"


def test_rename_in_files_with_another_declared_encoding(repo: Sandbox) -> None:
    assert call(repo, "rename", "latin.py::café", "tea")[0] == 0
    assert blob(repo.root, "HEAD:latin.py") == LATIN.replace(b"caf\xe9", b"tea")
    assert blob(repo.root, f"HEAD:{FILE}") == LATIN
    repo.commit({"use.py": b"from latin import \xc3\xa9t\xc3\xa9\n\n\xc3\xa9t\xc3\xa9(1)\n"})
    assert call(repo, "rename", "latin.py::été", "summer")[0] == 0
    assert blob(repo.root, "HEAD:use.py") == b"from latin import summer\n\nsummer(1)\n"
