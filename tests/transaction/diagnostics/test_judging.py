"""The gate ``diagnostics`` with the tools that people have: a configuration, an edit, what comes of it."""

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

JUDGE = Path(__file__).parents[2] / "language_servers/odd_judge.py"
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


def ask(repo: Sandbox, *words: str) -> Answer:
    return scalpel(repo.root, *words, "--json")


def write(repo: Sandbox, path: str, content: str) -> Answer:
    return ask(repo, "write", path, "--code", content, "--overwrite")


def text(repo: Sandbox, path: str, old: str, new: str, *more: str) -> Answer:
    return ask(repo, "text", path, "--old", old, "--new", new, *more)


def row(answer: Answer) -> dict[str, Any]:
    (found,) = (each for each in answer.data["gates"] if each["name"] == "diagnostics")
    return dict(found)


def refused(answer: Answer) -> list[str]:
    """The places that an edit was refused for."""
    error = answer.error
    assert (error["code"], answer.status) == ("diagnostics_failed", 1)
    return [f"{each['path']}:{each['line']}" for each in error["data"]["findings"]]


def witness(repo: Sandbox, how: str) -> None:
    """Have the user's configuration name a server, as his trust lets it."""
    command = how if how == "off" else f"{sys.executable} {JUDGE} {how}"
    subprocess.run(["git", "config", "scalpel.python.witness", command], cwd=repo.root, check=True)
    with Repository(repo.root) as opened:
        opened.trust()


def test_a_new_error_is_refused_and_nothing_moves(repo: Sandbox) -> None:
    configure(repo)
    before = repo.state()
    answer = text(repo, "b.py", "f(1)", "f('one')")
    assert refused(answer) == ["b.py:3"]
    (left,) = answer.error["data"]["remaining"]
    assert (left["path"], left["line"], left["severity"]) == ("b.py", 3, "error")
    assert repo.state() == before


def test_so_is_one_in_a_file_that_uses_what_changed(repo: Sandbox) -> None:
    configure(repo)
    answer = ask(repo, "replace", "a.py::f", "--code", "def f(n: str) -> int:\n    return len(n)")
    assert refused(answer) == ["b.py:3"]
    assert refused(ask(repo, "rm", "a.py")) == ["b.py:1"]


def test_what_was_wrong_before_is_not_new_wherever_it_stands_now(repo: Sandbox) -> None:
    configure(repo)
    moved = text(repo, "a.py", "def f", "X = 1\n\n\ndef f")
    assert row(moved)["status"] == "passed"
    assert row(moved)["findings"] == []
    assert "remaining" not in moved.data
    assert "fixed" not in moved.data
    assert moved.data["unchecked"] == []
    renamed = ask(repo, "mv", "a.py", "c.py")
    assert row(renamed)["status"] == "passed"
    assert refused(text(repo, "c.py", "return undefined_zz", "return undefined_zz + undefined_zz")) == [
        "c.py:9"
    ]


def test_the_one_safe_remedy_is_done_and_lands(repo: Sandbox) -> None:
    configure(repo)
    answer = text(repo, "b.py", "f(1))", "f(1), sys.argv)")
    assert answer.data["state"] == "landed"
    assert answer.data["fixed"] == [{"path": "b.py", "fix": "line 3: import sys"}]
    assert repo.files()["b.py"] == b"import sys\nfrom a import f\n\nprint(f(1), sys.argv)\n"
    assert row(answer)["status"] == "passed"


def test_the_checkout_is_judged_and_left_as_it_is(repo: Sandbox) -> None:
    configure(repo)
    repo.write({"b.py": b"from a import f\n\nprint(f(1), sys.argv)\n"})
    answer = ask(repo, "check", "@checkout")
    assert refused(answer) == ["b.py:3"]
    assert repo.files()["b.py"] == b"from a import f\n\nprint(f(1), sys.argv)\n"


def test_a_report_refuses_nothing_and_mends_nothing(repo: Sandbox) -> None:
    configure(repo, gates="diagnostics = 'report'")
    answer = text(repo, "b.py", "f(1))", "f(1), sys.argv)")
    assert answer.data["state"] == "landed"
    assert [each["line"] for each in row(answer)["findings"]] == [3]
    assert [each["line"] for each in answer.data["remaining"]] == [3]
    assert "fixed" not in answer.data
    repo.git("config", "scalpel.diagnostics", "new-errors")
    assert refused(text(repo, "b.py", "f(1)", "f('')")) == ["b.py:3"]


def test_nobody_to_ask_is_no_pass(repo: Sandbox) -> None:
    configure(repo)
    answer = text(repo, "README.md", "one", "two")
    assert row(answer)["status"] == "skipped"
    assert answer.data["unchecked"] == [
        "diagnostics: no language server is known, and no command with an output checks README.md"
    ]
    witness(repo, "off")
    answer = text(repo, "b.py", "f(1)", "f('one')")
    assert row(answer)["status"] == "skipped"
    assert answer.data["unchecked"] == [
        "diagnostics: no language server for python is installed, and no command with an output checks b.py"
    ]


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("die", "it ended with exit status 3"),
        ("late", "it took too long"),
        ("none", "it says nothing of b.py"),
        ("cold", "it failed: not now"),
    ],
)
def test_a_witness_that_says_nothing_makes_no_pass(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch, how: str, why: str
) -> None:
    monkeypatch.setattr(diagnostics_gate, "PATIENCE", 1.0 if how == "late" else 30.0)
    configure(repo)
    witness(repo, how)
    edit = {"op": "text", "path": "b.py", "old": "f(1)", "new": "bad"}
    with Repository(repo.root) as opened:
        facts = opened.apply(changeset(edit)).facts
    assert [gate.status for gate in facts.gates if gate.name == "diagnostics"] == ["skipped"]
    assert facts.unchecked == (f"diagnostics: {sys.executable}: {why}",)


def test_of_two_remedies_none_is_done(repo: Sandbox) -> None:
    configure(repo)
    witness(repo, "several")
    assert refused(text(repo, "b.py", "f(1)", "bad")) == ["b.py:3"]
    witness(repo, "well")
    answer = text(repo, "b.py", "f(1)", "bad")
    assert answer.data["fixed"] == [{"path": "b.py", "fix": "line 3: good"}]
    assert repo.files()["b.py"] == b"from a import f\n\nprint(good)\n"


def test_warnings_are_told_and_refuse_nothing(repo: Sandbox) -> None:
    configure(repo)
    witness(repo, "well")
    answer = text(repo, "b.py", "f(1)", "odd")
    assert row(answer)["status"] == "passed"
    assert [each["severity"] for each in row(answer)["findings"]] == ["warning"]
    assert answer.data["remaining"] == [
        {"path": "b.py", "line": 3, "message": "odd is wrong [odd]", "severity": "warning"}
    ]


@pytest.mark.parametrize(("style", "output"), [("sarif", "sarif"), ("json", "auto"), ("concise", "lines")])
def test_a_command_tells_what_is_new(repo: Sandbox, style: str, output: str) -> None:
    configure(repo, LINT % (style, output))
    witness(repo, "off")
    assert refused(text(repo, "b.py", "print(f(1))", "print(f(unknown))")) == ["b.py:3"]
    answer = text(repo, "b.py", "print(f(1))", "print(f(2))")
    assert row(answer)["status"] == "passed"
    assert row(answer)["notes"] == ["asked: lint"]
    assert answer.data["unchecked"] == []


def test_what_a_command_holds_for_safe_to_mend_is_mended(repo: Sandbox) -> None:
    configure(repo, LINT % ("json", "auto"))
    witness(repo, "off")
    answer = text(repo, "b.py", "from a import f", "import os\nfrom a import f")
    assert answer.data["fixed"] == [{"path": "b.py", "fix": "line 1: Remove unused import: `os`"}]
    assert answer.data["state"] == "landed"
    assert repo.files()["b.py"] == FILES["b.py"]


def test_what_a_command_holds_for_unsafe_is_left(repo: Sandbox) -> None:
    configure(repo, LINT % ("json", "auto"))
    witness(repo, "off")
    assert refused(write(repo, "c.py", "def f():\n    unused = 1\n")) == ["c.py:2"]


def test_mypy_tells_what_is_new(repo: Sandbox) -> None:
    run = "mypy --cache-dir /dev/null --no-error-summary --output json ."
    configure(repo, f"name = 'types'\nrun = '{run}'\noutput = 'auto'")
    witness(repo, "off")
    assert refused(ask(repo, "replace", "a.py::f", "--code", "def f(n: str) -> int:\n    return len(n)")) == [
        "b.py:3"
    ]


def test_a_command_that_says_nothing_readable_is_no_pass(repo: Sandbox) -> None:
    configure(repo, "name = 'lint'\nrun = 'echo out of order; exit 2'\noutput = 'sarif'")
    answer = text(repo, "b.py", "f(1)", "f(2)")
    assert answer.error["code"] == "diagnostics_failed"
    assert (
        "lint ended with exit status 2, and nothing in what it printed is a diagnostic"
        in answer.error["message"]
    )
    assert "out of order" in answer.error["message"]


def test_one_that_cannot_judge_the_tree_before_cannot_tell(repo: Sandbox) -> None:
    run = "if grep -q 2 b.py; then echo b.py:3:1: wrong; fi; exit 2"
    configure(repo, f"name = 'lint'\nrun = '{run}'\noutput = 'lines'")
    answer = text(repo, "b.py", "f(1)", "f(2)")
    assert answer.error["code"] == "gate_indeterminate"


def test_one_that_takes_too_long_is_a_refusal(repo: Sandbox) -> None:
    configure(repo, "name = 'lint'\nrun = 'sleep 60'\noutput = 'lines'\ntimeout = '200ms'")
    assert text(repo, "b.py", "f(1)", "f(2)").error["code"] == "gate_timeout"


def test_one_that_nobody_trusts_is_not_run(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(repo, LINT % ("json", "auto"))
    monkeypatch.delenv("SCALPEL_TRUST")
    assert text(repo, "b.py", "f(1)", "f(2)").error["code"] == "untrusted"


def test_what_is_said_of_a_tree_is_not_asked_twice(repo: Sandbox) -> None:
    configure(repo, f"name = 'lint'\nrun = 'echo >> {repo.root.parent / 'asked'}'\noutput = 'lines'")
    witness(repo, "off")
    tx = text(repo, "b.py", "f(1)", "f(2)", "--no-land").data["tx"]
    assert row(ask(repo, "check", tx))["status"] == "passed"
    assert ask(repo, "land", tx).data["state"] == "landed"
    assert (repo.root.parent / "asked").read_text() == "\n"


def test_an_open_transaction_is_mended_as_well(repo: Sandbox) -> None:
    configure(repo)
    staged = text(repo, "b.py", "f(1))", "f(1), sys.argv)", "--no-land")
    assert "diagnostics has not run yet" in " ".join(staged.data["unchecked"])
    checked = ask(repo, "check", staged.data["tx"])
    assert [each["path"] for each in checked.data["fixed"]] == ["b.py"]
    assert "+import sys" in checked.data["diff"]
    landed = ask(repo, "land", staged.data["tx"])
    assert repo.files()["b.py"] == b"import sys\nfrom a import f\n\nprint(f(1), sys.argv)\n"
    assert [each["path"] for each in landed.data["fixed"]] == ["b.py"]


def test_hooks_see_what_was_mended(repo: Sandbox) -> None:
    configure(repo)
    hook = repo.root / ".git/hooks/pre-commit"
    hook.write_text(f"#!/bin/sh\ngit show :b.py | head -1 >> {repo.root.parent / 'seen'}\n")
    hook.chmod(0o755)
    assert text(repo, "b.py", "f(1))", "f(1), sys.argv)").data["state"] == "landed"
    assert (repo.root.parent / "seen").read_text() == "from a import f\nimport sys\n"


def test_several_tools_are_asked_together(repo: Sandbox) -> None:
    configure(repo, LINT % ("json", "auto"))
    answer = text(repo, "b.py", "print(f(1))", "print(f('x'), unknown)")
    assert refused(answer) == ["b.py:3"] * 3
    assert row(text(repo, "b.py", "f(1)", "f(2)"))["notes"] == ["asked: ty, lint"]


@pytest.mark.parametrize(
    ("gates", "command", "why"),
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
def test_what_contradicts_itself(repo: Sandbox, gates: str, command: str, why: str) -> None:
    text_of = f"[gates]\n{gates}\n[[gates.command]]\n{command}\n"
    answer = write(repo, ".gitscalpel.toml", text_of)
    assert answer.error["code"] == "config_error"
    assert why in answer.error["message"]


@pytest.mark.skipif(not typescript.has_server(), reason="no tsc of TypeScript 7 or newer is on PATH")
def test_tsc_is_asked_about_typescript(repo: Sandbox) -> None:
    files: dict[str, Content] = {
        "tsconfig.json": b'{"compilerOptions": {"strict": true, "noEmit": true}}\n',
        "a.ts": b"export function f(n: number): number {\n  return n;\n}\n",
        "b.ts": b"import { f } from './a';\n\nf(1);\n",
    }
    repo.commit(files)
    configure(repo)
    code = "export function f(n: string): number {\n  return n.length;\n}"
    assert refused(ask(repo, "replace", "a.ts::f", "--code", code)) == ["b.ts:3"]
    assert row(text(repo, "b.ts", "f(1)", "f(2)"))["status"] == "passed"
