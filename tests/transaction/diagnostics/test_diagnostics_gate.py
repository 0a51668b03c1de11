"""The ``diagnostics`` gate with real tools: a configuration, an edit and its result."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gitscalpel import Repository, changeset
from gitscalpel.transaction.check import diagnostics_gate
from tests.command import Answer, scalpel
from tests.language_servers import typescript
from tests.sandbox import Content, Sandbox

JUDGE = Path(__file__).parents[2] / "language_servers/fake_diagnostics_server.py"
FILES: dict[str, Content] = {
    "a.py": b"def f(n: int) -> int:\n    return n\n\n\ndef g() -> int:\n    return undefined_zz\n",
    "b.py": b"from a import f\n\nprint(f(1))\n",
    "README.md": b"one\n",
}
NEW = "diagnostics = 'new-errors'"
RUFF = "ruff check --isolated --no-cache --select F --output-format"
LINT = f"name = 'lint'\npaths = ['*.py']\nrun = '{RUFF} %s .'\noutput = '%s'"


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    monkeypatch.setenv("SCALPEL_TRUST", "1")
    return Sandbox.of(tmp_path / "shop", FILES)


def configure(repo: Sandbox, *commands: str, gates: str = NEW) -> None:
    tables = "".join(f"[[gates.command]]\n{command}\n" for command in commands)
    repo.commit({".gitscalpel.toml": f"[gates]\n{gates}\n{tables}".encode()})


def run_json(repo: Sandbox, *words: str) -> Answer:
    return scalpel(repo.root, *words, "--json")


def write_file(repo: Sandbox, path: str, content: str) -> Answer:
    return run_json(repo, "write", path, "--code", content, "--overwrite")


def edit_text(repo: Sandbox, path: str, old: str, new: str, *more: str) -> Answer:
    return run_json(repo, "text", path, "--old", old, "--new", new, *more)


def diagnostics_row(answer: Answer) -> dict[str, Any]:
    (row,) = (finding for finding in answer.data["gates"] if finding["name"] == "diagnostics")
    return dict(row)


def rejected_positions(answer: Answer) -> list[str]:
    """Return the positions of the findings of a rejected edit."""
    error = answer.error
    assert (error["code"], answer.status) == ("diagnostics_failed", 1)
    return [f"{finding['path']}:{finding['line']}" for finding in error["data"]["findings"]]


def configure_server(repo: Sandbox, mode: str) -> None:
    """Configure a language server, trusted by the user."""
    command = mode if mode == "off" else f"{sys.executable} {JUDGE} {mode}"
    subprocess.run(["git", "config", "scalpel.python.witness", command], cwd=repo.root, check=True)
    with Repository(repo.root) as opened:
        opened.trust()


def test_new_error_is_rejected(repo: Sandbox) -> None:
    configure(repo)
    before = repo.state()
    answer = edit_text(repo, "b.py", "f(1)", "f('one')")
    assert rejected_positions(answer) == ["b.py:3"]
    (remaining,) = answer.error["data"]["remaining"]
    assert (remaining["path"], remaining["line"], remaining["severity"]) == ("b.py", 3, "error")
    assert repo.state() == before


def test_new_error_in_a_dependent_file_is_rejected(repo: Sandbox) -> None:
    configure(repo)
    answer = run_json(repo, "replace", "a.py::f", "--code", "def f(n: str) -> int:\n    return len(n)")
    assert rejected_positions(answer) == ["b.py:3"]
    assert rejected_positions(run_json(repo, "rm", "a.py")) == ["b.py:1"]


def test_moved_old_error_is_not_new(repo: Sandbox) -> None:
    configure(repo)
    moved = edit_text(repo, "a.py", "def f", "X = 1\n\n\ndef f")
    assert diagnostics_row(moved)["status"] == "passed"
    assert diagnostics_row(moved)["findings"] == []
    assert "remaining" not in moved.data
    assert "fixed" not in moved.data
    assert moved.data["unchecked"] == []
    renamed = run_json(repo, "mv", "a.py", "c.py")
    assert diagnostics_row(renamed)["status"] == "passed"
    assert rejected_positions(
        edit_text(repo, "c.py", "return undefined_zz", "return undefined_zz + undefined_zz")
    ) == ["c.py:9"]


def test_single_safe_fix_is_applied(repo: Sandbox) -> None:
    configure(repo)
    answer = edit_text(repo, "b.py", "f(1))", "f(1), sys.argv)")
    assert answer.data["state"] == "landed"
    assert answer.data["fixed"] == [{"path": "b.py", "fix": "line 3: import sys"}]
    assert repo.files()["b.py"] == b"import sys\nfrom a import f\n\nprint(f(1), sys.argv)\n"
    assert diagnostics_row(answer)["status"] == "passed"


def test_checkout_is_judged_and_not_changed(repo: Sandbox) -> None:
    configure(repo)
    repo.write({"b.py": b"from a import f\n\nprint(f(1), sys.argv)\n"})
    answer = run_json(repo, "check", "@checkout")
    assert rejected_positions(answer) == ["b.py:3"]
    assert repo.files()["b.py"] == b"from a import f\n\nprint(f(1), sys.argv)\n"


def test_report_mode_neither_rejects_nor_fixes(repo: Sandbox) -> None:
    configure(repo, gates="diagnostics = 'report'")
    answer = edit_text(repo, "b.py", "f(1))", "f(1), sys.argv)")
    assert answer.data["state"] == "landed"
    assert [finding["line"] for finding in diagnostics_row(answer)["findings"]] == [3]
    assert [finding["line"] for finding in answer.data["remaining"]] == [3]
    assert "fixed" not in answer.data
    repo.git("config", "scalpel.diagnostics", "new-errors")
    assert rejected_positions(edit_text(repo, "b.py", "f(1)", "f('')")) == ["b.py:3"]


def test_gate_without_a_tool_is_skipped(repo: Sandbox) -> None:
    configure(repo)
    answer = edit_text(repo, "README.md", "one", "two")
    assert diagnostics_row(answer)["status"] == "skipped"
    assert answer.data["unchecked"] == [
        "diagnostics: no language server is known, and no command with an output checks README.md"
    ]
    configure_server(repo, "off")
    answer = edit_text(repo, "b.py", "f(1)", "f('one')")
    assert diagnostics_row(answer)["status"] == "skipped"
    assert answer.data["unchecked"] == [
        "diagnostics: no language server for python is installed, and no command with an output checks b.py"
    ]


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("die", "it ended with exit status 3"),
        ("late", "it took too long"),
        ("none", "it says nothing of b.py"),
        ("cold", "it failed: not now"),
    ],
)
def test_silent_server_skips_the_gate(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch, mode: str, reason: str
) -> None:
    monkeypatch.setattr(diagnostics_gate, "PATIENCE", 1.0 if mode == "late" else 30.0)
    configure(repo)
    configure_server(repo, mode)
    edit = {"op": "text", "path": "b.py", "old": "f(1)", "new": "bad"}
    with Repository(repo.root) as opened:
        facts = opened.apply(changeset(edit)).facts
    assert [gate.status for gate in facts.gates if gate.name == "diagnostics"] == ["skipped"]
    assert facts.unchecked == (f"diagnostics: {sys.executable}: {reason}",)


def test_ambiguous_fix_is_not_applied(repo: Sandbox) -> None:
    configure(repo)
    configure_server(repo, "several")
    assert rejected_positions(edit_text(repo, "b.py", "f(1)", "bad")) == ["b.py:3"]
    configure_server(repo, "well")
    answer = edit_text(repo, "b.py", "f(1)", "bad")
    assert answer.data["fixed"] == [{"path": "b.py", "fix": "line 3: good"}]
    assert repo.files()["b.py"] == b"from a import f\n\nprint(good)\n"


def test_warning_is_reported_and_passes(repo: Sandbox) -> None:
    configure(repo)
    configure_server(repo, "well")
    answer = edit_text(repo, "b.py", "f(1)", "odd")
    assert diagnostics_row(answer)["status"] == "passed"
    assert [finding["severity"] for finding in diagnostics_row(answer)["findings"]] == ["warning"]
    assert answer.data["remaining"] == [
        {"path": "b.py", "line": 3, "message": "odd is wrong [odd]", "severity": "warning"}
    ]


@pytest.mark.parametrize(("style", "output"), [("sarif", "sarif"), ("json", "auto"), ("concise", "lines")])
def test_command_output_reports_new_errors(repo: Sandbox, style: str, output: str) -> None:
    configure(repo, LINT % (style, output))
    configure_server(repo, "off")
    assert rejected_positions(edit_text(repo, "b.py", "print(f(1))", "print(f(unknown))")) == ["b.py:3"]
    answer = edit_text(repo, "b.py", "print(f(1))", "print(f(2))")
    assert diagnostics_row(answer)["status"] == "passed"
    assert diagnostics_row(answer)["notes"] == ["asked: lint"]
    assert answer.data["unchecked"] == []


def test_safe_fix_of_a_command_is_applied(repo: Sandbox) -> None:
    configure(repo, LINT % ("json", "auto"))
    configure_server(repo, "off")
    answer = edit_text(repo, "b.py", "from a import f", "import os\nfrom a import f")
    assert answer.data["fixed"] == [{"path": "b.py", "fix": "line 1: Remove unused import: `os`"}]
    assert answer.data["state"] == "landed"
    assert repo.files()["b.py"] == FILES["b.py"]


def test_unsafe_fix_of_a_command_is_not_applied(repo: Sandbox) -> None:
    configure(repo, LINT % ("json", "auto"))
    configure_server(repo, "off")
    assert rejected_positions(write_file(repo, "c.py", "def f():\n    unused = 1\n")) == ["c.py:2"]


def test_mypy_reports_new_errors(repo: Sandbox) -> None:
    run = "mypy --cache-dir /dev/null --no-error-summary --output json ."
    configure(repo, f"name = 'types'\nrun = '{run}'\noutput = 'auto'")
    configure_server(repo, "off")
    assert rejected_positions(
        run_json(repo, "replace", "a.py::f", "--code", "def f(n: str) -> int:\n    return len(n)")
    ) == ["b.py:3"]


def test_unreadable_command_output_fails(repo: Sandbox) -> None:
    configure(repo, "name = 'lint'\nrun = 'echo out of order; exit 2'\noutput = 'sarif'")
    answer = edit_text(repo, "b.py", "f(1)", "f(2)")
    assert answer.error["code"] == "diagnostics_failed"
    assert (
        "lint ended with exit status 2, and nothing in what it printed is a diagnostic"
        in answer.error["message"]
    )
    assert "out of order" in answer.error["message"]


def test_command_that_fails_on_the_old_tree_is_indeterminate(repo: Sandbox) -> None:
    run = "if grep -q 2 b.py; then echo b.py:3:1: wrong; fi; exit 2"
    configure(repo, f"name = 'lint'\nrun = '{run}'\noutput = 'lines'")
    answer = edit_text(repo, "b.py", "f(1)", "f(2)")
    assert answer.error["code"] == "gate_indeterminate"


def test_slow_command_times_out(repo: Sandbox) -> None:
    configure(repo, "name = 'lint'\nrun = 'sleep 60'\noutput = 'lines'\ntimeout = '200ms'")
    assert edit_text(repo, "b.py", "f(1)", "f(2)").error["code"] == "gate_timeout"


def test_untrusted_command_is_not_run(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(repo, LINT % ("json", "auto"))
    monkeypatch.delenv("SCALPEL_TRUST")
    assert edit_text(repo, "b.py", "f(1)", "f(2)").error["code"] == "untrusted"


def test_result_for_a_tree_is_cached(repo: Sandbox) -> None:
    configure(repo, f"name = 'lint'\nrun = 'echo >> {repo.root.parent / 'asked'}'\noutput = 'lines'")
    configure_server(repo, "off")
    tx = edit_text(repo, "b.py", "f(1)", "f(2)", "--no-land").data["tx"]
    assert diagnostics_row(run_json(repo, "check", tx))["status"] == "passed"
    assert run_json(repo, "land", tx).data["state"] == "landed"
    assert (repo.root.parent / "asked").read_text() == "\n"


def test_open_transaction_is_fixed(repo: Sandbox) -> None:
    configure(repo)
    staged = edit_text(repo, "b.py", "f(1))", "f(1), sys.argv)", "--no-land")
    assert "diagnostics has not run yet" in " ".join(staged.data["unchecked"])
    checked = run_json(repo, "check", staged.data["tx"])
    assert [finding["path"] for finding in checked.data["fixed"]] == ["b.py"]
    assert "+import sys" in checked.data["diff"]
    landed = run_json(repo, "land", staged.data["tx"])
    assert repo.files()["b.py"] == b"import sys\nfrom a import f\n\nprint(f(1), sys.argv)\n"
    assert [finding["path"] for finding in landed.data["fixed"]] == ["b.py"]


def test_hooks_see_applied_fixes(repo: Sandbox) -> None:
    configure(repo)
    hook = repo.root / ".git/hooks/pre-commit"
    hook.write_text(f"#!/bin/sh\ngit show :b.py | head -1 >> {repo.root.parent / 'seen'}\n")
    hook.chmod(0o755)
    assert edit_text(repo, "b.py", "f(1))", "f(1), sys.argv)").data["state"] == "landed"
    assert (repo.root.parent / "seen").read_text() == "from a import f\nimport sys\n"


def test_findings_of_several_tools_are_joined(repo: Sandbox) -> None:
    configure(repo, LINT % ("json", "auto"))
    answer = edit_text(repo, "b.py", "print(f(1))", "print(f('x'), unknown)")
    assert rejected_positions(answer) == ["b.py:3"] * 3
    assert diagnostics_row(edit_text(repo, "b.py", "f(1)", "f(2)"))["notes"] == ["asked: ty, lint"]


@pytest.mark.parametrize(
    ("gates", "command", "reason"),
    [
        ("", LINT % ("json", "auto"), "its output is read by gates.diagnostics, which is off"),
        (NEW, "name = 'x'\nrun = 'true'\noutput = 'xml'", "output takes auto or lines or lsp or sarif"),
        (
            NEW,
            "name = 'x'\nrun = 'true'\noutput = 'auto'\nbaseline = true",
            "baseline has no effect with output",
        ),
        (
            "diagnostics = 'all'",
            "name = 'x'\nrun = 'true'",
            "gates.diagnostics takes new-errors or off or report",
        ),
    ],
)
def test_contradictory_configuration_is_rejected(
    repo: Sandbox, gates: str, command: str, reason: str
) -> None:
    policy = f"[gates]\n{gates}\n[[gates.command]]\n{command}\n"
    answer = write_file(repo, ".gitscalpel.toml", policy)
    assert answer.error["code"] == "config_error"
    assert reason in answer.error["message"]


@pytest.mark.skipif(not typescript.has_server(), reason="no tsc of TypeScript 7 or newer is on PATH")
def test_tsc_judges_typescript(repo: Sandbox) -> None:
    files: dict[str, Content] = {
        "tsconfig.json": b'{"compilerOptions": {"strict": true, "noEmit": true}}\n',
        "a.ts": b"export function f(n: number): number {\n  return n;\n}\n",
        "b.ts": b"import { f } from './a';\n\nf(1);\n",
    }
    repo.commit(files)
    configure(repo)
    code = "export function f(n: string): number {\n  return n.length;\n}"
    assert rejected_positions(run_json(repo, "replace", "a.ts::f", "--code", code)) == ["b.ts:3"]
    assert diagnostics_row(edit_text(repo, "b.ts", "f(1)", "f(2)"))["status"] == "passed"
