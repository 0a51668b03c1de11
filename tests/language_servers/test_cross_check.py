"""Renames checked by a language server: correct, refused or reported, whatever the server does."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gitscalpel import Repository, ScalpelError, changeset
from gitscalpel.language_servers import client
from tests.sandbox import Sandbox

FAKE_SERVER = Path(__file__).parent / "fake_server.py"
FILES = {
    "a.py": b"class A:\n    def run(self): ...\n\ndef make() -> A:\n    return A()\n",
    "b.py": b"# \xc3\xa4\nfrom a import make\n\n\ndef f(x):\n    x.run()\n"
    b"    '\xf0\x9f\x90\x8d'; [make()][0].run()\n",
    "c.py": b"class Other:\n    def run(self): ...\n\nOther().run()\n",
}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "a repo", FILES)


def _trust_server(repo: Sandbox, mode: str) -> None:
    """Configure a server in the user's repository settings, and trust them."""
    command = f"{sys.executable} {FAKE_SERVER} {mode}" if mode != "off" else mode
    subprocess.run(["git", "config", "scalpel.python.witness", command], cwd=repo.root, check=True)
    with Repository(repo.root) as opened:
        opened.trust()


def _rename(repo: Sandbox, trust: str | None = None) -> tuple[str, tuple[str, ...]]:
    """Return the changed places as ``PATH:LINE`` and the notes on others; undo the rename."""
    operation = {"op": "rename", "path": "a.py", "symbol": "A.run", "to": "go"}
    with Repository(repo.root) as opened:
        result = opened.apply(changeset(operation | ({"trust": trust} if trust else {})))
        lines = [
            f"{path}:{number}"
            for path in FILES
            for number, line in enumerate(opened.view().read(path).split(b"\n"), 1)
            if b"go(" in line
        ]
        opened.undo()
    return " ".join(lines), result.facts.unchecked


def _rename_error(repo: Sandbox, trust: str | None = None) -> ScalpelError:
    with pytest.raises(ScalpelError) as caught:
        _rename(repo, trust)
    return caught.value


ALONE = "a.py:2"
"""Lines changed without a server; a subscript and a parameter cannot be resolved."""
UNSURE = {
    "b.py:6: run is left: it is a parameter",
    "b.py:7: run is left: the value of a subscript is unknown",
}


def test_use_of_a_union_type_stays_uncertain(tmp_path: Path) -> None:
    files = {
        "a.py": b"class A:\n    def run(self): ...\n",
        "b.py": b"class B:\n    def run(self): ...\n",
        "c.py": b"from a import A\nfrom b import B\n\ndef f(x: A | B): x.run()\n",
    }
    repo = Sandbox.of(tmp_path / "repo", files)
    with Repository(repo.root) as opened:
        operation = {"op": "rename", "path": "a.py", "symbol": "A.run", "to": "go"}
        result = opened.apply(changeset(operation))
        assert opened.view().read("c.py") == files["c.py"]
    assert result.facts.unchecked == ("c.py:4: run is left: ty assigns it to another name as well",)


def test_ty_resolves_known_uses(repo: Sandbox) -> None:
    places, notes = _rename(repo)
    assert places == "a.py:2 b.py:7"
    assert notes == ("b.py:6: run is left: it is a parameter",)


def test_no_server_is_used_if_turned_off(repo: Sandbox) -> None:
    _trust_server(repo, "off")
    places, notes = _rename(repo)
    assert (places, {*notes}) == (ALONE, UNSURE)
    assert _rename_error(repo, "both").code == "unavailable"


def test_untrusted_server_is_not_started(repo: Sandbox, tmp_path: Path) -> None:
    marker = tmp_path / "begun"
    subprocess.run(["git", "config", "scalpel.python.witness", f"touch {marker}"], cwd=repo.root, check=True)
    places, _ = _rename(repo)
    assert (places, marker.exists()) == ("a.py:2 b.py:7", False)


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        ("die", "it ended with exit status 3"),
        ("late", "it took too long"),
        ("deaf", "it took too long"),
        ("garbled", "it sent what is no message"),
        ("fat", "it took more than 256 MB"),
    ],
)
def test_failing_server_does_not_change_the_rename(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch, mode: str, why: str
) -> None:
    monkeypatch.setattr(client, "CROSS_CHECK_TIMEOUT", 1.0 if mode in ("late", "deaf") else 30.0)
    monkeypatch.setattr("gitscalpel.language_servers.client.MAX_MEMORY_BYTES", 256 << 20)
    _trust_server(repo, mode)
    start = time.monotonic()
    places, (first, *notes) = _rename(repo)
    assert time.monotonic() - start < 20
    assert places == ALONE
    assert {*notes} == UNSURE
    assert " did not answer: " in first
    assert why in first
    refusal = _rename_error(repo, "server")
    assert (refusal.code, why in refusal.message) == ("unavailable", True)


@pytest.mark.parametrize("mode", ["short", "elsewhere"])
def test_places_missing_in_the_server_answer_are_still_renamed(repo: Sandbox, mode: str) -> None:
    _trust_server(repo, mode)
    places, notes = _rename(repo)
    assert places == ALONE
    assert {*notes} > UNSURE
    assert f"a.py:2: {sys.executable} does not name this place" in notes


@pytest.mark.parametrize("mode", ["all", "asks"])
def test_contradicting_server_refuses_the_rename(repo: Sandbox, mode: str) -> None:
    _trust_server(repo, mode)
    refusal = _rename_error(repo)
    assert refusal.code == "symbol_ambiguous"
    assert refusal.data["places"] == ["c.py:2, 4"]
    assert _rename_error(repo, "both").code == "symbol_ambiguous"
    places, notes = _rename(repo, "resolver")
    assert (places, {*notes}) == (ALONE, UNSURE)
    places, notes = _rename(repo, "server")
    assert places == "a.py:2 b.py:6 b.py:7 c.py:2 c.py:4"
    assert notes == ()


@pytest.fixture
def make_known_server(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that makes the fake server a known one with given properties."""

    def make(**properties: object) -> None:
        name = Path(sys.executable).name
        server = client.Server(name, ("python",), (sys.executable,), **properties)  # type: ignore[arg-type]
        monkeypatch.setattr(client, "SERVERS", (server,))

    return make


def test_server_with_a_status_is_asked_after_indexing(
    repo: Sandbox, make_known_server: Callable[..., None]
) -> None:
    make_known_server(readiness_signal="status")
    _trust_server(repo, "early")
    assert _rename_error(repo).code == "symbol_ambiguous"  # it has named every place of the word
    _trust_server(repo, "ill")
    places, (first, *notes) = _rename(repo)
    assert "did not answer: it failed: no workspace" in first
    assert (places, {*notes}) == (ALONE, UNSURE)


def test_server_older_than_its_minimum_is_not_used(
    repo: Sandbox, make_known_server: Callable[..., None]
) -> None:
    make_known_server(min_date="2023-01-16")
    for mode, why in (("of-2022-05-09", "version abc 2022-05-09"), ("all", "a version of unknown date")):
        _trust_server(repo, mode)
        places, (first, *notes) = _rename(repo)
        assert why in first
        assert (places, {*notes}) == (ALONE, UNSURE)
    _trust_server(repo, "of-2023-02-01")
    assert _rename_error(repo).code == "symbol_ambiguous"


@pytest.mark.parametrize("path", [".cargo/config.toml", "sub/.cargo/config.toml"])
def test_server_is_not_started_if_the_repository_configures_programs(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, path: str
) -> None:
    marker, program = tmp_path / "begun", tmp_path / "bin" / "rust-analyzer"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {marker}\nexit 4\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    texts = {"a.rs": b"struct A;\nimpl A { fn run(&self) {} }\nfn f() { for a in [A] { a.run() } }\n"}
    repo.commit(texts | {path: b"[build]\nrustc = 'sub/evil'\n", "rust-toolchain.toml": b"channel = '1'\n"})
    operation = {"op": "rename", "path": "a.rs", "start": 2, "name": "run", "to": "go"}

    def read_note() -> str:
        with Repository(repo.root) as opened:
            result = opened.apply(changeset(operation))
            opened.undo()
        return result.facts.unchecked[0]

    assert f"did not answer: {path} may name programs to it" in read_note()
    assert not marker.exists()
    subprocess.run(["git", "config", "scalpel.rust.witness", str(program)], cwd=repo.root, check=True)
    with Repository(repo.root) as opened:
        opened.trust()
    assert "exit status 4" in read_note()
    assert marker.exists()


def test_trust_both_requires_agreement(repo: Sandbox) -> None:
    places, _ = _rename(repo, "both")
    assert places == "a.py:2 b.py:7"
    _trust_server(repo, "short")
    assert "does not name" in _rename_error(repo, "both").message


def test_server_process_is_ended(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "CROSS_CHECK_TIMEOUT", 1.0)
    _trust_server(repo, "late whose-argument-is-its-own")
    _rename(repo)
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, check=True).stdout
    assert b"whose-argument-is-its-own" not in listed


def test_server_reads_the_tree_not_the_disk(repo: Sandbox) -> None:
    """The files on disk differ, with other positions."""
    (repo.root / "b.py").write_bytes(b"\n\n\n" + FILES["b.py"])
    places, _ = _rename(repo)
    assert places == "a.py:2 b.py:7"


def test_columns_are_counted_in_each_encoding() -> None:
    from gitscalpel.language_servers.references import Positions

    text = "x\n'\U0001f40d\u00e4' y\n".encode()
    at = text.index(b"y")
    for encoding, column in (("utf-8", 9), ("utf-16", 6), ("utf-32", 5)):
        places = Positions(text, encoding)
        assert places.position_at(at) == {"line": 1, "character": column}
        assert places.offset_at({"line": 1, "character": column}) == at
        assert places.offset_at({"line": 7, "character": 0}) is None
        assert places.offset_at({"line": 1}) is None


def test_resident_memory_of_a_missing_process_is_zero() -> None:
    assert client.read_resident_bytes(0) == 0


def test_old_tsc_without_server_is_reported(tmp_path: Path) -> None:
    old = tmp_path / "tsc"
    old.write_text("#!/bin/sh\necho error TS5023: Unknown compiler option; exit 1\n")
    old.chmod(0o755)
    repo = Sandbox.of(tmp_path / "a repo", {"a.ts": b"class A { run() {} }\nfunction f(x) { x.run(); }\n"})
    subprocess.run(["git", "config", "scalpel.typescript.witness", str(old)], cwd=repo.root, check=True)
    with Repository(repo.root) as opened:
        opened.trust()
    with Repository(repo.root) as opened:
        result = opened.apply(changeset({"op": "rename", "path": "a.ts", "symbol": "A.run", "to": "go"}))
    (first, second) = result.facts.unchecked
    assert first.endswith(", and only from TypeScript 7 on it is a language server")
    assert second.startswith("a.ts:2: run is left")


def _make_reexporting_repository(tmp_path: Path, more: dict[str, bytes]) -> Sandbox:
    """Return a repository with reexported names, and a server that returns every place."""
    files = {
        "a.ts": b"export const f = 1;\nfunction g(x) { x.f; }\n",
        "b.ts": b'export { f } from "./a";\n',
        "c.ts": b'import { f } from "./b";\nf;\nfunction g(x) { x.f; }\n',
    }
    repo = Sandbox.of(tmp_path / "another repo", files | more)
    command = f"{sys.executable} {FAKE_SERVER} all"
    subprocess.run(["git", "config", "scalpel.typescript.witness", command], cwd=repo.root, check=True)
    with Repository(repo.root) as opened:
        opened.trust()
    return repo


def test_reexported_names_are_not_a_contradiction(tmp_path: Path) -> None:
    repo = _make_reexporting_repository(tmp_path, {})
    with Repository(repo.root) as opened:
        result = opened.apply(changeset({"op": "rename", "path": "a.ts", "start": 1, "name": "f", "to": "h"}))
        texts = [opened.view().read(path) for path in ("a.ts", "b.ts", "c.ts")]
    assert texts == [
        b"export const h = 1;\nfunction g(x) { x.h; }\n",
        b'export { h as f } from "./a";\n',
        b'import { f } from "./b";\nf;\nfunction g(x) { x.f; }\n',
    ]
    assert [each.partition(" is left")[0] for each in result.facts.unchecked] == ["c.ts:3: f"]


def test_other_names_beside_reexported_ones_are_a_contradiction(tmp_path: Path) -> None:
    repo = _make_reexporting_repository(tmp_path, {"d.ts": b"const f = 2;\nf;\nexport {};\n"})
    with Repository(repo.root) as opened, pytest.raises(ScalpelError) as caught:
        opened.apply(changeset({"op": "rename", "path": "a.ts", "start": 1, "name": "f", "to": "h"}))
    assert (caught.value.code, caught.value.data["places"]) == ("symbol_ambiguous", ["d.ts:1, 2"])
