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
    assert words == "b.py:1, 3: alpha of a.py is used, which main has renamed to beta"


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
