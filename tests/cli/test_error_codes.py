"""Each error code, its exit status, a call that raises it, and the unchanged repository after that."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitscalpel import changeset, errors
from gitscalpel.cli import command_line
from gitscalpel.errors import ScalpelError
from gitscalpel.landing import build, landing, staging
from gitscalpel.system import repo_lock
from gitscalpel.text.line_refs import line_hash
from gitscalpel.workspace.workspace import Session, Workspace
from tests.command import scalpel
from tests.sandbox import Content, Sandbox

ELSEWHERE = {
    "approval_required": "transaction/test_approvals.py",
    "diagnostics_failed": "transaction/diagnostics/test_diagnostics_gate.py",
    "gate_indeterminate": "transaction/test_command_gates.py",
    "gate_timeout": "transaction/test_command_gates.py",
    "invalid_name": "names/test_rename.py",
    "policy_denied": "cli/test_policy.py",
    "push_denied": "publish/test_push.py",
    "rejected": "transaction/test_approvals.py",
    "too_large": "syntax/test_parser_limits.py",
    "too_slow": "system/test_regex_worker.py",
    "untrusted": "hostile/test_forged_records.py",
}
"""Codes that need more than one call, and the test modules that cover them."""

FAMILIES: list[type[ScalpelError]] = [ScalpelError, *ScalpelError.__subclasses__()]
STATUS = {code: family.exit_status for family in FAMILIES for code in family.codes}
FILES: dict[str, Content] = {
    "a.py": b"def f():\n    return 1\n\n\ndef g():\n    return f()\n\n\n"
    b"class A:\n    def m(self): pass\n\n\nclass B:\n    def m(self): pass\n",
    "t.txt": b"a\na\n" + b"line\n" * 30,
    "bin": b"\0",
    "latin.py": "# coding: latin-1\nx = 'à'\n".encode("latin-1"),
    "conflict.txt": b"<<<<<<< HEAD\na\n=======\nb\n>>>>>>> b\n",
    "d/e": b"",
    "first.py": b"def h():\n    return 1\n\n\nX = h()\n",
    "second.py": b"from first import X\n\nY = X\n",
    "out": ("120000", b"/etc"),
}

Op = dict[str, Any]
BY_OPERATION: dict[str, Op | list[Op]] = {
    "syntax_error": {"op": "replace", "path": "a.py", "symbol": "f", "code": "def f(:"},
    "structural_gate": {
        "op": "text",
        "path": "a.py",
        "old": "def f():\n    return 1",
        "new": "def f(a):\n    return a",
    },
    "invalid_args": {"op": "replace", "path": "a.py", "symbol": "f", "cod": "x"},
    "invalid_ref": {"op": "lines", "path": "t.txt", "start": "0", "code": "x"},
    "invalid_range": {"op": "lines", "path": "t.txt", "start": 2, "end": 1, "code": "x"},
    "invalid_position": {
        "op": "insert",
        "path": "a.py",
        "symbol": "f",
        "code": "x = 1",
        "position": "inside",
    },
    "query_syntax": {"op": "delete", "path": "a.py", "query": "function["},
    "empty_target": {"op": "text", "path": "t.txt", "old": "", "new": "x"},
    "file_not_found": {"op": "text", "path": "nowhere", "old": "a", "new": "b"},
    "not_a_file": {"op": "text", "path": "d", "old": "a", "new": "b"},
    "binary_file": {"op": "text", "path": "bin", "old": "a", "new": "b"},
    "exists": {"op": "write", "path": "t.txt", "content": "x"},
    "unsupported_language": {"op": "delete", "path": "t.txt", "symbol": "f"},
    "symbol_not_found": {"op": "delete", "path": "a.py", "symbol": "nowhere"},
    "symbol_ambiguous": {"op": "delete", "path": "a.py", "symbol": "m"},
    "kind_mismatch": {"op": "replace", "path": "a.py", "symbol": "f", "code": "class f: pass"},
    "name_mismatch": {"op": "replace", "path": "a.py", "symbol": "f", "code": "def h(): pass"},
    "body_only": {"op": "replace", "path": "a.py", "symbol": "f", "code": "return 2"},
    "extra_definitions": {
        "op": "replace",
        "path": "a.py",
        "symbol": "f",
        "code": "def f(): pass\ndef h(): pass",
    },
    "duplicate_symbol": {"op": "insert", "path": "a.py", "symbol": "f", "code": "def g(): pass"},
    "import_cycle": {"op": "move", "path": "first.py", "symbol": "h", "to_path": "second.py"},
    "referenced": {"op": "delete", "path": "a.py", "symbol": "f", "safe": True},
    "not_found": {"op": "text", "path": "t.txt", "old": "absent", "new": "x"},
    "ambiguous": {"op": "text", "path": "t.txt", "old": "a", "new": "x"},
    "no_change": {"op": "text", "path": "t.txt", "old": "a", "new": "a", "all": True},
    "out_of_range": {"op": "lines", "path": "t.txt", "start": 99, "code": "x"},
    "count_mismatch": {"op": "text", "path": "t.txt", "old": "a", "new": "x", "all": True, "count": 3},
    "over_scoped": {"op": "text", "path": "t.txt", "old": "line \n" * 30, "new": "line\n"},
    "elided": {
        "op": "replace",
        "path": "a.py",
        "symbol": "f",
        "code": "def f():\n    # ... rest unchanged ...\n    y",
    },
    "query_no_match": {"op": "delete", "path": "a.py", "query": "function[name=h]"},
    "query_ambiguous": {"op": "delete", "path": "a.py", "query": "method"},
    "index_out_of_range": {"op": "delete", "path": "a.py", "symbol": "m#3"},
    "nested_conflict": [
        {"op": "replace", "path": "a.py", "symbol": "f", "code": "def f(): return 2"},
        {"op": "delete", "path": "a.py", "symbol": "f"},
    ],
    "conflicted": {"op": "text", "path": "conflict.txt", "old": "a", "new": "b"},
    "patch_failed": {"op": "patch", "diff": "--- a/t.txt\n+++ b/t.txt\n@@ -1 +1 @@\n-absent\n+x\n"},
    "unencodable": {"op": "text", "path": "latin.py", "old": "à", "new": "€"},
    "stale": {"op": "delete", "path": "a.py", "symbol": "f", "expect": "0" * 12},
    "path_denied": {"op": "write", "path": "out/x", "content": "x"},
}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", FILES)


@pytest.mark.parametrize("code", BY_OPERATION)
def test_refused_operation_has_code_and_status(repo: Sandbox, code: str) -> None:
    operations = BY_OPERATION[code]
    ops = operations if isinstance(operations, list) else [operations]
    before = repo.state()
    answer = scalpel(repo.root, "apply", "-", "--json", stdin=json.dumps({"message": "m", "ops": ops}))
    assert answer.error["code"] == code
    assert answer.status == STATUS[code]
    assert answer.error["op"] == len(ops) - 1
    assert answer.err == ""
    assert repo.state() == before


EDIT = ("text", "t.txt", "--old", "line\nline", "--new", "x\ny", "--count", "1")
APPEND = ("lines", "t.txt:32", "--after", "--code", "end")


def _start_merge(repo: Sandbox) -> None:
    (repo.root / ".git" / "MERGE_HEAD").write_text(repo.tip() + "\n")


def _check_out_elsewhere(repo: Sandbox) -> None:
    repo.git("switch", "-q", "--detach")
    repo.git("worktree", "add", "-q", "../other", "main")


def _make_overlapping_change(repo: Sandbox) -> None:
    repo.write({"t.txt": b"a\na\n" + b"line\n" * 29 + b"changed here\n"})


def _require_identity(repo: Sandbox) -> None:
    repo.git("config", "user.useConfigOnly", "true")


def _commit_invalid_configuration(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": b"[gates]\nstructure = 'sometimes'\n"})


def _install_refusing_hook(repo: Sandbox) -> None:
    hook = repo.root / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nif test $1 = prepared && grep -q refs/heads/main; then echo no; exit 1; fi\n")
    hook.chmod(0o755)


def _delete_blob(repo: Sandbox) -> None:
    repo.object_file(repo.git("rev-parse", "HEAD:t.txt")).unlink()


def _do_nothing(_repo: Sandbox) -> None:
    return


IDENTITY = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL")
BY_STATE: dict[str, tuple[Callable[[Sandbox], None], tuple[str, ...]]] = {
    "operation_in_progress": (_start_merge, APPEND),
    "branch_in_use": (_check_out_elsewhere, (*APPEND, "--onto", "main")),
    "dirty_overlap": (
        _make_overlapping_change,
        ("lines", f"t.txt:32:{line_hash(b'line')}", "--code", "mine"),
    ),
    "config_error": (_commit_invalid_configuration, APPEND),
    "identity_unknown": (_require_identity, APPEND),
    "hook_failed": (_install_refusing_hook, APPEND),
    "corrupt": (_delete_blob, APPEND),
    "nothing_to_undo": (_do_nothing, ("undo",)),
    "tx_not_found": (_do_nothing, ("land", "zzzz")),
    "gate_failed": (_do_nothing, ("run", "--", "false")),
    "io_error": (_do_nothing, ("write", "new", "--content-file", ".")),
}


@pytest.mark.parametrize("code", BY_STATE)
def test_refused_state_has_code_and_status(repo: Sandbox, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare, command = BY_STATE[code]
    prepare(repo)
    if code == "identity_unknown":
        for name in IDENTITY:
            monkeypatch.delenv(name)
    before = repo.tip("main"), repo.files()
    answer = scalpel(repo.root, command[0], "--json", *command[1:])
    assert (answer.error["code"], answer.status) == (code, STATUS[code])
    assert (repo.tip("main"), repo.files()) == before


def test_changed_rules_raise_target_moved(repo: Sandbox) -> None:
    tx = scalpel(repo.root, *APPEND, "--no-land", "--json").data["tx"]
    repo.commit({".gitscalpel.toml": b'[gates]\nstructure = "strict"\n'})
    answer = scalpel(repo.root, "land", tx, "--json")
    assert (answer.error["code"], answer.status) == ("target_moved", STATUS["target_moved"])
    assert answer.error["data"]["tx"] == tx


def test_landing_raises_merge_conflict(repo: Sandbox) -> None:
    tx = scalpel(repo.root, *APPEND, "--no-land", "--json").data["tx"]
    repo.commit({"t.txt": b"other\n"})
    answer = scalpel(repo.root, "land", tx, "--json")
    assert (answer.error["code"], answer.status) == ("merge_conflict", STATUS["merge_conflict"])
    where = {"path": "t.txt", "lines": [1, 1], "why": "both sides changed these lines"}
    assert answer.error["data"] == {"tx": tx, "paths": ["t.txt"], "conflicts": [where]}


def test_undo_raises_merge_conflict(repo: Sandbox) -> None:
    assert scalpel(repo.root, *APPEND).status == 0
    repo.commit({"t.txt": b"other\n"})
    answer = scalpel(repo.root, "undo", "--json")
    assert (answer.error["code"], answer.status) == ("merge_conflict", STATUS["merge_conflict"])


def test_dropped_transaction_raises_tx_closed(repo: Sandbox) -> None:
    tx = scalpel(repo.root, "begin", "--json").data["tx"]
    assert scalpel(repo.root, "drop", tx).status == 0
    for verb in ("land", "check", "stage", "worktree", "diff", "drop"):
        answer = scalpel(repo.root, verb, tx, "--json")
        assert (answer.error["code"], answer.status) == ("tx_closed", STATUS["tx_closed"])


def test_call_outside_raises_not_a_repository(tmp_path: Path) -> None:
    answer = scalpel(tmp_path, "status", "--json")
    # Below the directory of another repository, git would find that one.
    assert (answer.error["code"], answer.status) == ("not_a_repository", STATUS["not_a_repository"])


def test_old_git_raises_git_too_old(repo: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gitscalpel.git import process
    from gitscalpel.git.process import Git

    old = tmp_path / "bin" / "git"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho git version 2.37.1\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", str(old.parent), prepend=":")
    with pytest.raises(ScalpelError) as caught:
        process.require_version(Git(repo.root, os.environ))
    assert (caught.value.code, caught.value.data["version"]) == ("git_too_old", "2.37.1")


def test_held_lock_raises_busy(repo: Sandbox) -> None:
    with Workspace(Session(folder=repo.root)) as ws:
        op = {"op": "text", "path": "t.txt", "old": "a\na", "new": "b"}
        target = ws.at(ws.repo.branch())
        staged = staging.open_transaction(ws, build.build(ws, changeset(op), target), target)
        with repo_lock.hold_lock(ws.repo.scalpel_dir), pytest.raises(ScalpelError) as caught:
            landing.land(ws, staged, timeout=0.05)
    assert caught.value.code == "busy"
    assert caught.value.retryable


def test_landing_before_its_date_raises_too_early(repo: Sandbox) -> None:
    tx = scalpel(repo.root, "write", "n.txt", "--code", "n", "--no-land", "--json").data["tx"]
    answer = scalpel(repo.root, "land", tx, "--not-before", "9999-01-01", "--json")
    assert (answer.error["code"], answer.status) == ("too_early", STATUS["too_early"])


def _raiser(error: BaseException) -> Callable[..., Any]:
    def raise_error(*_: object) -> Any:
        raise error

    return raise_error


UNEXPECTED: dict[str, BaseException] = {
    "interrupted": KeyboardInterrupt(),
    "internal": ZeroDivisionError("division by zero"),
    "io_error": PermissionError(13, "Permission denied", "a.py"),
    "busy": OSError(28, "No space left on device"),
    "unavailable": RecursionError(),
    "corrupt": KeyError("0" * 40),
}


@pytest.mark.parametrize("code", UNEXPECTED)
def test_unexpected_exception_has_code_and_hint(
    code: str, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr("gitscalpel.cli.command_line.prepare_call", _raiser(UNEXPECTED[code]))
    assert command_line.run(["status", "--json"]) == STATUS[code]
    error = json.loads(capfdbinary.readouterr().out)["error"]
    assert error["code"] == code
    assert error["message"]
    assert error["hint"]


def test_each_code_has_a_test() -> None:
    own = {"too_early", "target_moved", "merge_conflict", "tx_closed", "not_a_repository", "git_too_old"}
    tested = {*BY_OPERATION, *BY_STATE, *UNEXPECTED, *own}
    assert tested | set(ELSEWHERE) == set(STATUS)
    assert not tested & set(ELSEWHERE)


@pytest.mark.parametrize(("code", "file"), ELSEWHERE.items(), ids=ELSEWHERE)
def test_other_test_module_contains_the_code(code: str, file: str) -> None:
    assert f'"{code}"' in (Path(__file__).parent.parent / file).read_text("utf-8")


def test_code_has_one_exit_status() -> None:
    assert sum(len(family.codes) for family in FAMILIES) == len(STATUS)
    with pytest.raises(AssertionError, match="not a code of BadCall"):
        errors.BadCall("no_change", "m", "h")
