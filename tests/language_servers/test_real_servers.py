"""Renames checked by the real gopls, rust-analyzer and tsc: correct, refused or reported, never incomplete.

Servers are killed early, slow, or without their requirements. Skip reasons name what is missing.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from gitscalpel import Repository, changeset
from gitscalpel.language_servers import client
from tests.sandbox import Sandbox

KILLED_SERVER = Path(__file__).parent / "killed_server.py"


class Project(NamedTuple):
    """Files in which a name has certain uses, and uses that only a server can resolve.

    Attributes:
        needs: programs that the server requires.
        files: texts by path; the second one has the renamed name.
        symbol: path of the symbol.
        certain: lines that change without a server, as ``PATH:LINE``.
        known: lines that change with the server only.
        open: lines that remain uncertain.
    """

    needs: tuple[str, ...]
    files: Mapping[str, str]
    symbol: str
    certain: set[str]
    known: set[str]
    open: set[str]


PROJECTS = {
    "gopls": Project(
        ("go",),
        {
            "go.mod": "module m\n\ngo 1.17\n",
            "a.go": (
                "package a\n\ntype A struct{}\n\nfunc (A) Run() {}\n\nfunc F(fs []func() A) {\n"
                "\tfor _, f := range fs {\n\t\tf().Run()\n\t}\n\tA{}.Run()\n}\n"
            ),
            "b/b.go": (
                'package b\n\nimport "m"\n\ntype B struct{}\n\nfunc (B) Run() {}\n\n'
                "func G(c chan func() []a.A) {\n\t(<-c)()[0].Run()\n\tB{}.Run()\n}\n"
            ),
        },
        "A.Run",
        {"a.go:5", "a.go:11"},
        {"a.go:9", "b/b.go:10"},
        set(),
    ),
    "tsc": Project(
        ("node",),
        {
            "tsconfig.json": '{ "compilerOptions": { "allowJs": true } }\n',
            "a.ts": (
                "export class A { run() {} }\n"
                "export function pick<T>(all: Record<string, T>, by: string): T { return all[by]; }\n"
                "new A().run();\n"
            ),
            "b.js": (
                'import { A, pick } from "./a";\nclass B { run() {} }\n'
                'pick({ one: new A() }, "one").run();\npick({ one: new B() }, "one").run();\n'
                "new Map([[1, new A()]]).get(1)\n    .run();\nfunction f(x) { x.run(); }\n"
            ),
        },
        "A.run",
        {"a.ts:1", "a.ts:3"},
        {"b.js:3", "b.js:6"},
        {"b.js:4", "b.js:7"},
    ),
    "rust-analyzer": Project(
        ("cargo", "rustc"),
        {
            "Cargo.toml": '[package]\nname = "m"\nversion = "0.1.0"\nedition = "2021"\n',
            "src/lib.rs": (
                "pub mod other;\npub struct A;\nimpl A {\n    pub fn run(&self) {}\n}\n"
                "pub fn make() -> A {\n    A\n}\npub fn f() {\n    [make()][0].run();\n"
                "    for a in [make()] {\n        a.run();\n    }\n    make().run();\n}\n"
            ),
            "src/other.rs": (
                "pub struct B;\nimpl B {\n    pub fn run(&self) {}\n}\n"
                "pub fn g() {\n    let b = (B, 1);\n    b.0.run();\n}\n"
            ),
        },
        "A.run",
        {"src/lib.rs:4", "src/lib.rs:14"},
        {"src/lib.rs:10", "src/lib.rs:12"},
        {"src/other.rs:7"},
    ),
}


class RenameResult(NamedTuple):
    """Changed lines of a rename as ``PATH:LINE``, and its notes."""

    changed: set[str]
    left: tuple[str, ...]


class ServerProject(NamedTuple):
    """A project with a server that reads it."""

    project: Project
    repo: Sandbox
    program: str

    def rename(self) -> RenameResult:
        """Rename the symbol, and undo the rename."""
        path = [*self.project.files][1]
        name = self.project.symbol.rpartition(".")[2]
        with Repository(self.repo.root) as opened:
            result = opened.apply(
                changeset({"op": "rename", "path": path, "symbol": self.project.symbol, "to": f"{name}Now"})
            )
            changed = {
                f"{each}:{number}"
                for each in self.project.files
                for number, line in enumerate(opened.view().read(each).split(b"\n"), 1)
                if f"{name}Now".encode() in line
            }
            opened.undo()
        return RenameResult(changed, result.facts.unchecked)


def _lines_in_notes(lines: set[str], server_project: tuple[str, ...]) -> set[str]:
    """Return the lines that a note names."""
    return {
        line
        for line in lines
        for path, _, number in [line.rpartition(":")]
        if any(
            each.startswith(f"{path}:") and number in each.split(": ")[0].split(":")[1].split(", ")
            for each in server_project
        )
    }


def _require_server(name: str, needs: tuple[str, ...]) -> str:
    """Return the path of a server; skip the test if the server or a requirement is missing."""
    for each in (name, *needs):
        if shutil.which(each) is None:
            pytest.skip(f"{each} is not on PATH")
    program = str(shutil.which(name))
    version = subprocess.run([program, "--version"], capture_output=True, check=False, text=True, cwd="/")
    if "Unknown binary" in version.stderr:
        pytest.skip(f"{name} is a name of rustup without a program behind it")
    if name == "tsc" and int(version.stdout.split()[1].split(".")[0]) < 7:
        pytest.skip(f"tsc is {version.stdout.strip()}, and a language server only from 7 on")
    return program


@pytest.fixture(params=PROJECTS)
def server_project(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> ServerProject:
    name: str = request.param
    project = PROJECTS[name]
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    if (home / ".rustup").is_dir():  # rustup's programs look here for the toolchain
        monkeypatch.setenv("RUSTUP_HOME", os.environ.get("RUSTUP_HOME", str(home / ".rustup")))
    program = _require_server(name, project.needs)
    # The code is our own, so servers that ignore settings may build it.
    harmless = [msgspec.structs.replace(each, min_date="") for each in client.SERVERS if each.name == name]
    monkeypatch.setattr(client, "SERVERS", tuple(harmless))
    files = {path: text.encode() for path, text in project.files.items()}
    return ServerProject(project, Sandbox.of(tmp_path / "a repo", files), program)


def test_server_resolves_known_uses(server_project: ServerProject) -> None:
    project = server_project.project
    found = server_project.rename()
    if any("standard library" in each or "sysroot" in each for each in found.left):
        pytest.skip("the source of Rust's standard library is not there")
    assert found.changed == project.certain | project.known
    assert _lines_in_notes(project.open, found.left) == project.open


@pytest.mark.parametrize("messages", [0, 1, 2, 3, 4, 5, 6, 8, 10, 14, 20])
def test_killed_server_does_not_change_the_rename(
    server_project: ServerProject, monkeypatch: pytest.MonkeyPatch, messages: int
) -> None:
    project = server_project.project
    server = next(each for each in client.SERVERS if each.name == Path(server_project.program).name)
    cut = (sys.executable, str(KILLED_SERVER), str(messages), server_project.program, *server.words[1:])
    servers = [
        msgspec.structs.replace(each, words=cut) if each is server else each for each in client.SERVERS
    ]
    monkeypatch.setattr(client, "SERVERS", tuple(servers))
    found = server_project.rename()
    settled = found.changed - project.certain
    assert found.changed >= project.certain
    assert settled <= project.known
    assert _lines_in_notes(project.known - settled, found.left) == project.known - settled
    assert settled or any("did not answer" in each for each in found.left)


def test_slow_server_does_not_change_the_rename(
    server_project: ServerProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "CROSS_CHECK_TIMEOUT", 0.05)
    found = server_project.rename()
    assert found.changed == server_project.project.certain
    assert _lines_in_notes(server_project.project.known, found.left) == server_project.project.known
    assert "did not answer: it took too long" in found.left[0]


def test_server_without_requirements_does_not_change_the_rename(
    server_project: ServerProject, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    empty = tmp_path / "bin"
    empty.mkdir()
    (empty / Path(server_project.program).name).symlink_to(server_project.program)
    for each in ("git", "sh"):
        (empty / each).symlink_to(str(shutil.which(each)))
    monkeypatch.setenv("PATH", str(empty))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CARGO_HOME", str(tmp_path))
    found = server_project.rename()
    settled = found.changed - server_project.project.certain
    assert settled <= server_project.project.known
    assert (
        _lines_in_notes(server_project.project.known - settled, found.left)
        == server_project.project.known - settled
    )


@pytest.mark.parametrize("broken", ["module", "[package", ""])
def test_unreadable_project_does_not_change_the_rename(server_project: ServerProject, broken: str) -> None:
    (server_project.repo.root / next(iter(server_project.project.files))).write_text(broken)
    server_project.repo.git("commit", "-qam", "broken")
    found = server_project.rename()
    settled = found.changed - server_project.project.certain
    assert settled <= server_project.project.known
    assert (
        _lines_in_notes(server_project.project.known - settled, found.left)
        == server_project.project.known - settled
    )


def test_tsc_fetches_no_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Imports of a JavaScript project are not sent to a registry or installed."""
    program = _require_server("tsc", ("node",))
    marker = tmp_path / "begun"
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "npm").write_text(f"#!/bin/sh\necho $@ >> {marker}\n")
    (folder / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    files = {
        "package.json": b'{ "dependencies": { "lodash": "^4" } }\n',
        "a.js": b'const _ = require("lodash");\nclass A { run() {} }\nfunction f(x) { x.run(); }\n',
    }
    project = Project((), {path: text.decode() for path, text in files.items()}, "A.run", set(), set(), set())
    found = ServerProject(project, Sandbox.of(tmp_path / "a repo", files), program).rename()
    assert (found.changed, marker.exists()) == ({"a.js:2"}, False)
