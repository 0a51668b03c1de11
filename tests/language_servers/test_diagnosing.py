"""What a language server says of files, and that it has said nothing where it has not said all."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from gitscalpel.language_servers import client, diagnostics
from gitscalpel.language_servers.client import Server
from gitscalpel.language_servers.diagnostics import ServerAnswer
from tests.language_servers import typescript

ODD = Path(__file__).parent / "odd_judge.py"
TEXTS = {
    "a b.py": ("python", "ok\n'\N{SNAKE}'; bad\nodd\n".encode()),
    "d/c.py": ("python", b"bad\n"),
}
ALL = ["a b.py:2:6: error", "a b.py:3:1: warning", "d/c.py:1:1: error"]


def told(how: str, root: Path, patience: float = 20.0) -> ServerAnswer:
    server = Server("odd", ("python",), (sys.executable, str(ODD), how))
    return diagnostics.ask_for_diagnostics(server, root, os.environ, TEXTS, patience)


def places(said: ServerAnswer) -> list[str]:
    assert said.found is not None, said.silent
    return [f"{each.path}:{each.line}:{each.column}: {each.severity}" for each in said.found]


@pytest.mark.parametrize("how", ["well", "publish", "busy"])
def test_what_is_wrong(tmp_path: Path, how: str) -> None:
    assert places(told(how, tmp_path)) == ALL


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("die", "it ended with exit status 3"),
        ("late", "it took too long"),
        ("partly", "it took too long"),
        ("none", "it says nothing of a b.py"),
        ("cold", "it failed: not now"),
    ],
)
def test_who_does_not_say_all_has_said_nothing(tmp_path: Path, how: str, why: str) -> None:
    began = time.monotonic()
    said = told(how, tmp_path, 2.0 if why == "it took too long" else 20.0)
    assert (said.found, said.silent) == (None, why)
    assert time.monotonic() - began < 10


def test_a_program_that_cannot_be_run_has_said_nothing(tmp_path: Path) -> None:
    said = diagnostics.ask_for_diagnostics(
        Server("x", (), (str(tmp_path / "x"),)), tmp_path, os.environ, TEXTS, 1.0
    )
    assert said.found is None
    assert "cannot be run" in said.silent


@pytest.mark.parametrize("how", ["well", "lazily"])
def test_what_would_mend_it(tmp_path: Path, how: str) -> None:
    found = told(how, tmp_path).found or ()
    offered = [each.title for each in found[0].remedies]
    assert offered == (["good"] if how == "lazily" else ["good", "ignore it"])
    change = json.loads(found[0].remedies[0].patch)["changes"]["a%20b.py"]
    at = {"start": {"line": 1, "character": 6}, "end": {"line": 1, "character": 9}}
    assert change == [{"newText": "good", "range": at}]
    assert found[1].remedies == ()


def test_ty_says_what_is_wrong_and_what_would_mend_it(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(n: int) -> int:\n    return n\n")
    texts = {"b.py": ("python", b"from a import f\n\nf('x')\nsys.exit()\n")}
    server = client.choose_server("python", {}, os.environ)
    assert server is not None
    found = diagnostics.ask_for_diagnostics(server, tmp_path, os.environ, texts, 30.0).found or ()
    assert [(each.line, each.rule) for each in found] == [
        (3, "invalid-argument-type"),
        (4, "unresolved-reference"),
    ]
    assert "import sys" in [each.title for each in found[1].remedies]


@pytest.mark.skipif(not typescript.has_server(), reason="no tsc of TypeScript 7 or newer is on PATH")
def test_tsc_says_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "tsconfig.json").write_text('{"compilerOptions": {"strict": true}}')
    (tmp_path / "a.ts").write_text("export function f(n: number) { return n }\n")
    texts = {"b.ts": ("typescript", b"import { f } from './a'\n\nf('x')\n")}
    server = client.choose_server("typescript", {}, os.environ)
    assert server is not None
    said = diagnostics.ask_for_diagnostics(server, tmp_path, os.environ, texts, 30.0)
    assert [(each.line, each.rule) for each in said.found or ()] == [(3, "2345")], said.silent
