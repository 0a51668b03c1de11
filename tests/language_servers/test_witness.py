"""Renames with a second opinion: right, refused or told, and never short, whatever the witness does."""

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

ODD = Path(__file__).parent / "odd_server.py"
FILES = {
    "a.py": b"class A:\n    def run(self): ...\n\ndef make() -> A:\n    return A()\n",
    "b.py": b"# \xc3\xa4\nfrom a import make\n\n\ndef f(x):\n    x.run()\n"
    b"    '\xf0\x9f\x90\x8d'; [make()][0].run()\n",
    "c.py": b"class Other:\n    def run(self): ...\n\nOther().run()\n",
}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "a repo", FILES)


def _trusting(repo: Sandbox, how: str) -> None:
    """Have the user's configuration name a server, as his trust lets it."""
    command = f"{sys.executable} {ODD} {how}" if how != "off" else how
    subprocess.run(["git", "config", "scalpel.python.witness", command], cwd=repo.root, check=True)
    with Repository(repo.root) as opened:
        opened.trust()


def _renamed(repo: Sandbox, trust: str | None = None) -> tuple[str, tuple[str, ...]]:
    """The places that a rename changes, as ``PATH:LINE``, and what is told of the others; undone again."""
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


def _refused(repo: Sandbox, trust: str | None = None) -> ScalpelError:
    with pytest.raises(ScalpelError) as caught:
        _renamed(repo, trust)
    return caught.value


ALONE = "a.py:2"
"""What is changed without a witness: what a subscript gives, and a parameter, nobody can tell."""
UNSURE = {
    "b.py:6: run is left: it is a parameter",
    "b.py:7: run is left: the value of a subscript is unknown",
}


def test_what_ty_holds_for_several_stays_unsure(tmp_path: Path) -> None:
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


def test_ty_settles_what_it_knows(repo: Sandbox) -> None:
    places, left = _renamed(repo)
    assert places == "a.py:2 b.py:7"
    assert left == ("b.py:6: run is left: it is a parameter",)


def test_who_wants_none_is_asked_for_none(repo: Sandbox) -> None:
    _trusting(repo, "off")
    places, left = _renamed(repo)
    assert (places, {*left}) == (ALONE, UNSURE)
    assert _refused(repo, "both").code == "unavailable"


def test_what_the_repository_names_is_not_started(repo: Sandbox, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    subprocess.run(["git", "config", "scalpel.python.witness", f"touch {begun}"], cwd=repo.root, check=True)
    places, _ = _renamed(repo)
    assert (places, begun.exists()) == ("a.py:2 b.py:7", False)


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("die", "it ended with exit status 3"),
        ("late", "it took too long"),
        ("deaf", "it took too long"),
        ("garbled", "it sent what is no message"),
        ("fat", "it took more than 256 MB"),
    ],
)
def test_who_says_nothing_takes_nothing_away(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch, how: str, why: str
) -> None:
    monkeypatch.setattr(client, "CROSS_CHECK_TIMEOUT", 1.0 if how in ("late", "deaf") else 30.0)
    monkeypatch.setattr("gitscalpel.language_servers.client.MAX_MEMORY_BYTES", 256 << 20)
    _trusting(repo, how)
    began = time.monotonic()
    places, (first, *left) = _renamed(repo)
    assert time.monotonic() - began < 20
    assert places == ALONE
    assert {*left} == UNSURE
    assert " did not answer: " in first
    assert why in first
    refusal = _refused(repo, "server")
    assert (refusal.code, why in refusal.message) == ("unavailable", True)


@pytest.mark.parametrize("how", ["short", "elsewhere"])
def test_who_leaves_places_out_leaves_them_out_alone(repo: Sandbox, how: str) -> None:
    _trusting(repo, how)
    places, left = _renamed(repo)
    assert places == ALONE
    assert {*left} > UNSURE
    assert f"a.py:2: {sys.executable} does not name this place" in left


@pytest.mark.parametrize("how", ["all", "asks"])
def test_who_contradicts_is_not_believed_unasked(repo: Sandbox, how: str) -> None:
    _trusting(repo, how)
    refusal = _refused(repo)
    assert refusal.code == "symbol_ambiguous"
    assert refusal.data["places"] == ["c.py:2, 4"]
    assert _refused(repo, "both").code == "symbol_ambiguous"
    places, left = _renamed(repo, "resolver")
    assert (places, {*left}) == (ALONE, UNSURE)
    places, left = _renamed(repo, "server")
    assert places == "a.py:2 b.py:6 b.py:7 c.py:2 c.py:4"
    assert left == ()


@pytest.fixture
def known_server(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes the one that misbehaves one of those that are known, with what is known of it."""

    def make(**what: object) -> None:
        name = Path(sys.executable).name
        server = client.Server(name, ("python",), (sys.executable,), **what)  # type: ignore[arg-type]
        monkeypatch.setattr(client, "SERVERS", (server,))

    return make


def test_one_that_has_a_status_is_asked_when_it_has_read_everything(
    repo: Sandbox, known_server: Callable[..., None]
) -> None:
    known_server(readiness_signal="status")
    _trusting(repo, "early")
    assert _refused(repo).code == "symbol_ambiguous"  # it has named every place of the word
    _trusting(repo, "ill")
    places, (first, *left) = _renamed(repo)
    assert "did not answer: it failed: no workspace" in first
    assert (places, {*left}) == (ALONE, UNSURE)


def test_one_that_may_not_heed_what_it_is_told_is_not_asked(
    repo: Sandbox, known_server: Callable[..., None]
) -> None:
    known_server(min_date="2023-01-16")
    for how, why in (("of-2022-05-09", "version abc 2022-05-09"), ("all", "a version of unknown date")):
        _trusting(repo, how)
        places, (first, *left) = _renamed(repo)
        assert why in first
        assert (places, {*left}) == (ALONE, UNSURE)
    _trusting(repo, "of-2023-02-01")
    assert _refused(repo).code == "symbol_ambiguous"


@pytest.mark.parametrize("path", [".cargo/config.toml", "sub/.cargo/config.toml"])
def test_one_that_the_folder_names_programs_to_is_not_started(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, path: str
) -> None:
    begun, program = tmp_path / "begun", tmp_path / "bin" / "rust-analyzer"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {begun}\nexit 4\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    texts = {"a.rs": b"struct A;\nimpl A { fn run(&self) {} }\nfn f() { for a in [A] { a.run() } }\n"}
    repo.commit(texts | {path: b"[build]\nrustc = 'sub/evil'\n", "rust-toolchain.toml": b"channel = '1'\n"})
    operation = {"op": "rename", "path": "a.rs", "start": 2, "name": "run", "to": "go"}

    def told() -> str:
        with Repository(repo.root) as opened:
            result = opened.apply(changeset(operation))
            opened.undo()
        return result.facts.unchecked[0]

    assert f"did not answer: {path} may name programs to it" in told()
    assert not begun.exists()
    subprocess.run(["git", "config", "scalpel.rust.witness", str(program)], cwd=repo.root, check=True)
    with Repository(repo.root) as opened:
        opened.trust()
    assert "exit status 4" in told()
    assert begun.exists()


def test_both_are_believed_where_they_agree(repo: Sandbox) -> None:
    places, _ = _renamed(repo, "both")
    assert places == "a.py:2 b.py:7"
    _trusting(repo, "short")
    assert "does not name" in _refused(repo, "both").message


def test_nothing_stays_behind(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "CROSS_CHECK_TIMEOUT", 1.0)
    _trusting(repo, "late whose-argument-is-its-own")
    _renamed(repo)
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, check=True).stdout
    assert b"whose-argument-is-its-own" not in listed


def test_it_reads_the_tree_and_not_the_disk(repo: Sandbox) -> None:
    """What lies on the disk is another text, in which the places stand elsewhere."""
    (repo.root / "b.py").write_bytes(b"\n\n\n" + FILES["b.py"])
    places, _ = _renamed(repo)
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


def test_memory_is_looked_at() -> None:
    assert client.read_resident_bytes(0) == 0


def test_a_program_that_became_a_server_later_is_told_as_one(tmp_path: Path) -> None:
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


def _with_names_apart(tmp_path: Path, more: dict[str, bytes]) -> Sandbox:
    """A repository in which others know a name by what passes it on, and a witness that names all places."""
    files = {
        "a.ts": b"export const f = 1;\nfunction g(x) { x.f; }\n",
        "b.ts": b'export { f } from "./a";\n',
        "c.ts": b'import { f } from "./b";\nf;\nfunction g(x) { x.f; }\n',
    }
    repo = Sandbox.of(tmp_path / "another repo", files | more)
    command = f"{sys.executable} {ODD} all"
    subprocess.run(["git", "config", "scalpel.typescript.witness", command], cwd=repo.root, check=True)
    with Repository(repo.root) as opened:
        opened.trust()
    return repo


def test_names_that_keep_their_own_are_not_contradicted(tmp_path: Path) -> None:
    repo = _with_names_apart(tmp_path, {})
    with Repository(repo.root) as opened:
        result = opened.apply(changeset({"op": "rename", "path": "a.ts", "start": 1, "name": "f", "to": "h"}))
        texts = [opened.view().read(path) for path in ("a.ts", "b.ts", "c.ts")]
    assert texts == [
        b"export const h = 1;\nfunction g(x) { x.h; }\n",
        b'export { h as f } from "./a";\n',
        b'import { f } from "./b";\nf;\nfunction g(x) { x.f; }\n',
    ]
    assert [each.partition(" is left")[0] for each in result.facts.unchecked] == ["c.ts:3: f"]


def test_other_names_beside_those_that_keep_theirs_are_contradicted(tmp_path: Path) -> None:
    repo = _with_names_apart(tmp_path, {"d.ts": b"const f = 2;\nf;\nexport {};\n"})
    with Repository(repo.root) as opened, pytest.raises(ScalpelError) as caught:
        opened.apply(changeset({"op": "rename", "path": "a.ts", "start": 1, "name": "f", "to": "h"}))
    assert (caught.value.code, caught.value.data["places"]) == ("symbol_ambiguous", ["d.ts:1, 2"])
