"""Diagnostics from language servers: complete ones are read, incomplete ones are discarded."""

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

FAKE_SERVER = Path(__file__).parent / "fake_diagnostics_server.py"
TEXTS = {
    "a b.py": ("python", "ok\n'\N{SNAKE}'; bad\nodd\n".encode()),
    "d/c.py": ("python", b"bad\n"),
}
ALL = ["a b.py:2:6: error", "a b.py:3:1: warning", "d/c.py:1:1: error"]


def ask_server(mode: str, root: Path, patience: float = 20.0) -> ServerAnswer:
    server = Server("odd", ("python",), (sys.executable, str(FAKE_SERVER), mode))
    return diagnostics.ask_for_diagnostics(server, root, os.environ, TEXTS, patience)


def format_diagnostics(answer: ServerAnswer) -> list[str]:
    assert answer.found is not None, answer.silent
    return [f"{each.path}:{each.line}:{each.column}: {each.severity}" for each in answer.found]


@pytest.mark.parametrize("mode", ["well", "publish", "busy"])
def test_diagnostics_are_read(tmp_path: Path, mode: str) -> None:
    assert format_diagnostics(ask_server(mode, tmp_path)) == ALL


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        ("die", "it ended with exit status 3"),
        ("late", "it took too long"),
        ("partly", "it took too long"),
        ("none", "it says nothing of a b.py"),
        ("cold", "it failed: not now"),
    ],
)
def test_incomplete_diagnostics_are_discarded(tmp_path: Path, mode: str, why: str) -> None:
    start = time.monotonic()
    answer = ask_server(mode, tmp_path, 2.0 if why == "it took too long" else 20.0)
    assert (answer.found, answer.silent) == (None, why)
    assert time.monotonic() - start < 10


def test_program_that_cannot_be_run_is_reported(tmp_path: Path) -> None:
    answer = diagnostics.ask_for_diagnostics(
        Server("x", (), (str(tmp_path / "x"),)), tmp_path, os.environ, TEXTS, 1.0
    )
    assert answer.found is None
    assert "cannot be run" in answer.silent


@pytest.mark.parametrize("mode", ["well", "lazily"])
def test_fixes_are_read(tmp_path: Path, mode: str) -> None:
    found = ask_server(mode, tmp_path).found or ()
    offered = [each.title for each in found[0].remedies]
    assert offered == (["good"] if mode == "lazily" else ["good", "ignore it"])
    change = json.loads(found[0].remedies[0].patch)["changes"]["a%20b.py"]
    at = {"start": {"line": 1, "character": 6}, "end": {"line": 1, "character": 9}}
    assert change == [{"newText": "good", "range": at}]
    assert found[1].remedies == ()


def test_ty_reports_diagnostics_and_fixes(tmp_path: Path) -> None:
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
def test_tsc_reports_diagnostics(tmp_path: Path) -> None:
    (tmp_path / "tsconfig.json").write_text('{"compilerOptions": {"strict": true}}')
    (tmp_path / "a.ts").write_text("export function f(n: number) { return n }\n")
    texts = {"b.ts": ("typescript", b"import { f } from './a'\n\nf('x')\n")}
    server = client.choose_server("typescript", {}, os.environ)
    assert server is not None
    answer = diagnostics.ask_for_diagnostics(server, tmp_path, os.environ, texts, 30.0)
    assert [(each.line, each.rule) for each in answer.found or ()] == [(3, "2345")], answer.silent
