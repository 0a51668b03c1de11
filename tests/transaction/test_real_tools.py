"""Command gates with real linters, type checkers and test runners on small projects."""

from __future__ import annotations

import os
import pwd
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.command import scalpel
from tests.sandbox import Content, Sandbox


class Project(NamedTuple):
    """A project, the command that checks it, a valid edit and an invalid one.

    Attributes:
        needs: the required program, which may not be installed.
        files: the files of the project.
        run: the command line of the gate.
        path, old: the edited file and the replaced text.
        right, wrong: the new texts, valid and invalid.
        place: path and line of the first finding. None if the tool reports no position.
    """

    needs: str
    files: dict[str, Content]
    run: str
    path: str
    old: str
    right: str
    wrong: str
    place: tuple[str, int] | None


PYTHON: dict[str, Content] = {
    "shop.py": b"def price(n):\n    return n * 2\n",
    "test_shop.py": b"from shop import price\n\n\ndef test_price():\n    assert price(2) == 4\n",
}
TYPED: dict[str, Content] = {"shop.py": b"def price(n: int) -> int:\n    return n * 2\n"}
C: dict[str, Content] = {"a.c": b"int f(int n)\n{\n    return n;\n}\n"}
_HOME = Path(pwd.getpwuid(os.getuid()).pw_dir)
TOOLCHAINS = {"RUSTUP_HOME": _HOME / ".rustup", "CARGO_HOME": _HOME / ".cargo"}
"""Toolchain directories in the real home of the user, because tests have another home."""
PROJECTS = {
    "pytest": Project(
        *("pytest", PYTHON, "pytest -q -p no:cacheprovider", "shop.py", "n * 2", "2 * n", "n * 3"),
        ("test_shop.py", 5),
    ),
    "ruff": Project(
        *("ruff", PYTHON, "ruff check --output-format concise {changed}", "shop.py"),
        *("return n * 2", "return 2 * n", "return m * 2", ("shop.py", 2)),
    ),
    "mypy": Project(
        *("mypy", TYPED, "mypy --cache-dir /dev/null --strict shop.py", "shop.py"),
        *("return n * 2", "return 2 * n", 'return "2"', ("shop.py", 2)),
    ),
    "node --test": Project(
        "node",
        {
            "package.json": b'{"type": "module"}\n',
            "shop.js": b"export const price = (n) => n * 2;\n",
            "shop.test.js": b'import test from "node:test";\nimport assert from "node:assert";\n'
            b'import { price } from "./shop.js";\ntest("price", () => assert.equal(price(2), 4));\n',
        },
        *("node --test", "shop.js", "n * 2", "2 * n", "n * 3", None),
    ),
    "cc": Project(
        *("cc", C, "cc -Wall -Werror -fsyntax-only a.c", "a.c"),
        *("return n;", "return n + 0;", "return m;", ("a.c", 3)),
    ),
    "cargo check": Project(
        "cargo",
        {
            "Cargo.toml": b'[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
            "src/lib.rs": b"pub fn price(n: u32) -> u32 {\n    n * 2\n}\n",
            ".gitignore": b"target/\nCargo.lock\n",
        },
        *("cargo check --offline -q", "src/lib.rs", "n * 2", "2 * n", '"2"', ("src/lib.rs", 2)),
    ),
    "go vet": Project(
        "go",
        {
            "go.mod": b"module shop\n\ngo 1.19\n",
            "shop.go": b"package shop\n\nfunc f(n int) int {\n\treturn n\n}\n",
        },
        *("go vet ./...", "shop.go", "return n", "return n + 0", "return m", ("shop.go", 4)),
    ),
}


@pytest.mark.parametrize("project", PROJECTS.values(), ids=PROJECTS)
def test_valid_edit_lands_and_invalid_edit_fails(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    if shutil.which(project.needs, path=search) is None:
        pytest.skip(f"{project.needs} is not on PATH")
    for variable, folder in TOOLCHAINS.items():
        monkeypatch.setenv(variable, os.environ.get(variable, str(folder)))
    monkeypatch.setenv("SCALPEL_TRUST", "1")
    repo = Sandbox.init(tmp_path / "shop")
    rules = f'[[gates.command]]\nname = "tool"\nrun = "{project.run}"\n'
    repo.commit({**project.files, ".gitscalpel.toml": rules.encode()})
    edit = ("text", project.path, "--old", project.old, "--new")
    rejected = scalpel(repo.root, *edit, project.wrong, "--no-land", "--json").data["tx"]
    error = scalpel(repo.root, "check", rejected, "--json").error
    assert error["code"] == "gate_failed", error
    gates = scalpel(repo.root, "show-tx", rejected, "--json").data["gates"]
    findings = next(row["findings"] for row in gates if row["name"] == "tool")
    if project.place is not None:
        assert (findings[0]["path"], findings[0]["line"]) == project.place, gates
    landed = scalpel(repo.root, *edit, project.right, "--json").data
    assert landed["state"] == "landed"
    assert repo.status() == ""
