"""A landing on a branch that has moved names the uses that mean nothing any more once both are merged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox

PYTHON = {"a.py": b"def alpha():\n    return 1\n", "b.py": b"x = 1\n"}
USE = b"from a import alpha\n\nx = alpha()\n"


def staged(repo: Sandbox, *call: str) -> str:
    return str(scalpel(repo.root, *call, "--no-land", "--json").data["tx"])


def landed(repo: Sandbox, tx: str) -> list[str]:
    envelope: dict[str, Any] = scalpel(repo.root, "land", tx, "--json").json
    assert envelope["ok"] is True, envelope
    return [*envelope["warnings"], *envelope["data"].get("unchecked", [])]


def use(repo: Sandbox, *more: str) -> tuple[str, ...]:
    return ("write", "b.py", "--content", USE.decode(), "--overwrite", *more)


def test_what_the_branch_has_renamed_and_the_transaction_uses(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", PYTHON)
    tx = staged(repo, *use(repo))
    assert scalpel(repo.root, "rename", "a.py::alpha", "beta").status == 0
    (words,) = landed(repo, tx)
    said = "b.py:1, 3: alpha of a.py is used, which main has renamed to beta ("
    assert words.startswith(said)
    step, _, who = words.removeprefix(said).partition(" by ")
    assert step == scalpel(repo.root, "log", "--json").data[1]["tx"]
    assert who == "Ada <ada@example.org>)"


def test_what_the_transaction_renames_and_the_branch_has_begun_to_use(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", PYTHON)
    tx = staged(repo, "rename", "a.py::alpha", "beta")
    assert scalpel(repo.root, *use(repo)).status == 0
    (words,) = landed(repo, tx)
    assert words == "b.py:1, 3: alpha of a.py is used, which this change has renamed to beta"


@pytest.mark.parametrize("how", ["delete", "file"])
def test_what_the_branch_has_removed(tmp_path: Path, how: str) -> None:
    repo = Sandbox.of(tmp_path / "repo", PYTHON)
    tx = staged(repo, *use(repo))
    repo.commit({"a.py": b"# nothing\n" if how == "delete" else None})
    assert any("b.py:1" in words and "main has removed" in words for words in landed(repo, tx))


def test_in_typescript_by_the_queue(tmp_path: Path) -> None:
    files = {"a.ts": b"export function alpha() {\n  return 1;\n}\n", "b.ts": b"export const x = 1;\n"}
    repo = Sandbox.of(tmp_path / "repo", files)
    content = "import { alpha } from './a';\nexport const x = alpha();\n"
    staged(repo, "write", "b.ts", "--content", content, "--overwrite")
    repo.commit({"a.ts": files["a.ts"].replace(b"alpha", b"beta")})
    answer = scalpel(repo.root, "queue", "--json")
    assert answer.json["ok"] is True
    log = scalpel(repo.root, "land", "--help")
    assert log.status == 0
    assert "alpha of a.ts is used, which main has renamed to beta" in answer.out


def test_nothing_is_said_where_nothing_dangles(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {**PYTHON, "c.py": b"def alpha():\n    return 2\n"})
    tx = staged(repo, "write", "b.py", "--content", "from c import alpha\n\nx = alpha()\n", "--overwrite")
    assert scalpel(repo.root, "rename", "a.py::alpha", "beta").status == 0
    assert landed(repo, tx) == []
    tx = staged(repo, "text", "c.py", "--old", "2", "--new", "3")
    repo.commit({"old.py": b"from a import alpha\n"})  # it dangled before, and nobody here has added it
    assert landed(repo, tx) == []


@pytest.mark.parametrize("statement", ["import a\n\nx = a.alpha()\n", "import a\n", "from p import q\n"])
def test_a_module_that_the_branch_has_moved(tmp_path: Path, statement: str) -> None:
    files = {**PYTHON, "p/__init__.py": b"", "p/q.py": b"y = 1\n"}
    repo = Sandbox.of(tmp_path / "repo", files)
    tx = staged(repo, "write", "b.py", "--content", statement, "--overwrite")
    origin, to = ("p/q.py", "p/r.py") if "p" in statement.split() else ("a.py", "c.py")
    assert scalpel(repo.root, "mv", origin, to).status == 0
    said = landed(repo, tx)
    assert any(f"b.py:1: {origin} is imported, which main has renamed to {to} (" in words for words in said)


def test_a_module_of_that_name_that_is_there_does_not_dangle(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {**PYTHON, "p/a.py": b"y = 1\n", "p/__init__.py": b""})
    tx = staged(repo, "write", "b.py", "--content", "from p import a\nimport os\n", "--overwrite")
    assert scalpel(repo.root, "mv", "a.py", "c.py").status == 0
    assert landed(repo, tx) == []


def test_names_in_too_many_files_are_reported(tmp_path: Path) -> None:
    many = {f"m{number}.py": b"alpha = 1\n" for number in range(160)}
    repo = Sandbox.of(tmp_path / "repo", {**PYTHON, **many})
    tx = staged(repo, *use(repo))
    repo.commit({"a.py": b"def beta():\n    return 1\n"})
    (words,) = landed(repo, tx)
    assert words.startswith("alpha of a.py is beta now; who still uses it was not looked for: 16")
