"""A landing on a branch that has moved reports the references that dangle after the merge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox

PYTHON = {"a.py": b"def alpha():\n    return 1\n", "b.py": b"x = 1\n"}
USE = b"from a import alpha\n\nx = alpha()\n"


def stage_edit(repo: Sandbox, *call: str) -> str:
    return str(scalpel(repo.root, *call, "--no-land", "--json").data["tx"])


def land_and_get_warnings(repo: Sandbox, tx: str) -> list[str]:
    envelope: dict[str, Any] = scalpel(repo.root, "land", tx, "--json").json
    assert envelope["ok"] is True, envelope
    return [*envelope["warnings"], *envelope["data"].get("unchecked", [])]


def write_use(repo: Sandbox, *more: str) -> tuple[str, ...]:
    return ("write", "b.py", "--content", USE.decode(), "--overwrite", *more)


def test_use_of_a_name_renamed_on_the_branch_is_reported(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", PYTHON)
    tx = stage_edit(repo, *write_use(repo))
    assert scalpel(repo.root, "rename", "a.py::alpha", "beta").status == 0
    (warning,) = land_and_get_warnings(repo, tx)
    prefix = "b.py:1, 3: alpha of a.py is used, which main has renamed to beta ("
    assert warning.startswith(prefix)
    step, _, user = warning.removeprefix(prefix).partition(" by ")
    assert step == scalpel(repo.root, "log", "--json").data[1]["tx"]
    assert user == "Ada <ada@example.org>)"


def test_new_use_of_a_renamed_name_on_the_branch_is_reported(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", PYTHON)
    tx = stage_edit(repo, "rename", "a.py::alpha", "beta")
    assert scalpel(repo.root, *write_use(repo)).status == 0
    (warning,) = land_and_get_warnings(repo, tx)
    assert warning == "b.py:1, 3: alpha of a.py is used, which this change has renamed to beta"


@pytest.mark.parametrize("removed", ["delete", "file"])
def test_use_of_a_removed_definition_is_reported(tmp_path: Path, removed: str) -> None:
    repo = Sandbox.of(tmp_path / "repo", PYTHON)
    tx = stage_edit(repo, *write_use(repo))
    repo.commit({"a.py": b"# nothing\n" if removed == "delete" else None})
    assert any(
        "b.py:1" in warning and "main has removed" in warning for warning in land_and_get_warnings(repo, tx)
    )


def test_queue_reports_dangling_typescript_names(tmp_path: Path) -> None:
    files = {"a.ts": b"export function alpha() {\n  return 1;\n}\n", "b.ts": b"export const x = 1;\n"}
    repo = Sandbox.of(tmp_path / "repo", files)
    content = "import { alpha } from './a';\nexport const x = alpha();\n"
    stage_edit(repo, "write", "b.ts", "--content", content, "--overwrite")
    repo.commit({"a.ts": files["a.ts"].replace(b"alpha", b"beta")})
    answer = scalpel(repo.root, "queue", "--json")
    assert answer.json["ok"] is True
    log = scalpel(repo.root, "land", "--help")
    assert log.status == 0
    assert "alpha of a.ts is used, which main has renamed to beta" in answer.out


def test_valid_references_are_not_reported(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {**PYTHON, "c.py": b"def alpha():\n    return 2\n"})
    tx = stage_edit(repo, "write", "b.py", "--content", "from c import alpha\n\nx = alpha()\n", "--overwrite")
    assert scalpel(repo.root, "rename", "a.py::alpha", "beta").status == 0
    assert land_and_get_warnings(repo, tx) == []
    tx = stage_edit(repo, "text", "c.py", "--old", "2", "--new", "3")
    repo.commit({"old.py": b"from a import alpha\n"})  # it dangled before, and this change has not added it
    assert land_and_get_warnings(repo, tx) == []


@pytest.mark.parametrize("statement", ["import a\n\nx = a.alpha()\n", "import a\n", "from p import q\n"])
def test_import_of_a_moved_module_is_reported(tmp_path: Path, statement: str) -> None:
    files = {**PYTHON, "p/__init__.py": b"", "p/q.py": b"y = 1\n"}
    repo = Sandbox.of(tmp_path / "repo", files)
    tx = stage_edit(repo, "write", "b.py", "--content", statement, "--overwrite")
    origin, to = ("p/q.py", "p/r.py") if "p" in statement.split() else ("a.py", "c.py")
    assert scalpel(repo.root, "mv", origin, to).status == 0
    warnings = land_and_get_warnings(repo, tx)
    assert any(
        f"b.py:1: {origin} is imported, which main has renamed to {to} (" in warning for warning in warnings
    )


def test_import_of_another_module_with_that_name_is_valid(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {**PYTHON, "p/a.py": b"y = 1\n", "p/__init__.py": b""})
    tx = stage_edit(repo, "write", "b.py", "--content", "from p import a\nimport os\n", "--overwrite")
    assert scalpel(repo.root, "mv", "a.py", "c.py").status == 0
    assert land_and_get_warnings(repo, tx) == []


def test_names_in_too_many_files_are_not_searched(tmp_path: Path) -> None:
    many = {f"m{number}.py": b"alpha = 1\n" for number in range(160)}
    repo = Sandbox.of(tmp_path / "repo", {**PYTHON, **many})
    tx = stage_edit(repo, *write_use(repo))
    repo.commit({"a.py": b"def beta():\n    return 1\n"})
    (warning,) = land_and_get_warnings(repo, tx)
    assert warning.startswith("alpha of a.py is beta now; who still uses it was not looked for: 16")
