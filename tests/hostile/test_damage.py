"""Commands in a damaged repository raise a typed error, change nothing, and work after the repair."""

from __future__ import annotations

import json
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gitscalpel import Repository
from gitscalpel.cli import command_line
from gitscalpel.transaction import retries
from tests import copies
from tests.sandbox import Sandbox
from tests.today import some

Damage = Callable[[Sandbox], object]
TYPED = ("corrupt", "io_error", "config_error", "not_a_repository", "busy")


def make_sound_repository(root: Path) -> Path:
    """Make a repository with a landing to undo, and a transaction to land."""
    sandbox = Sandbox.init(root)
    sandbox.git("config", "gc.auto", "0")
    sandbox.commit({"a.py": b"one\ntwo\nthree\nfour\n" * 20, "sub/b.py": b"b\n" * 100})
    with Repository(sandbox.root) as opened:
        opened.edit({"op": "write", "path": "new.py", "content": "n = 1\n" * 50})
        tx = opened.begin("Open")
        tx.edit({"op": "write", "path": "open.py", "content": "o = 1\n" * 50})
    return root


class CommandResult(NamedTuple):
    """Answer of a command."""

    status: int
    answer: dict[str, Any]

    @property
    def code(self) -> str | None:
        return None if self.status == 0 else str(self.answer["error"]["code"])


def path_of(repo: Sandbox, revision: str) -> Path:
    return repo.object_file(repo.git("rev-parse", revision))


def damage_object(revision: str, change: Callable[[bytes], bytes | None]) -> Damage:
    def make(repo: Sandbox) -> None:
        file = path_of(repo, revision)
        content = change(file.read_bytes())
        file.chmod(0o644)
        if content is None:
            file.unlink()
        else:
            file.write_bytes(content)

    return make


def replace_file(name: str, content: bytes | None) -> Damage:
    def make(repo: Sandbox) -> None:
        file = repo.root / ".git" / name
        if file.is_dir():
            shutil.rmtree(file)
        file.unlink(missing_ok=True)
        if content is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)

    return make


def truncate_file(name: str, keep: int) -> Damage:
    return lambda repo: replace_file(name, (repo.root / ".git" / name).read_bytes()[:keep])(repo)


def corrupt_packed_refs(repo: Sandbox) -> None:
    repo.git("pack-refs", "--all")
    replace_file("packed-refs", b"# pack-refs with: peeled fully-peeled sorted\nnonsense here\n\x00\x01")(
        repo
    )


def truncate_pack(repo: Sandbox) -> None:
    repo.git("repack", "-adq")
    (pack,) = (repo.root / ".git/objects/pack").glob("*.pack")
    pack.chmod(0o644)
    pack.write_bytes(pack.read_bytes()[:200])


def delete_pack_index(repo: Sandbox) -> None:
    repo.git("repack", "-adq")
    for file in (repo.root / ".git/objects/pack").glob("*.idx"):
        file.unlink()


def put_directory_at(name: str) -> Damage:
    def make(repo: Sandbox) -> None:
        replace_file(name, None)(repo)
        (repo.root / ".git" / name / "x").mkdir(parents=True)

    return make


def break_alternates(repo: Sandbox) -> None:
    """Let all objects be in another repository, which does not exist."""
    shutil.rmtree(repo.root / ".git/objects")
    (repo.root / ".git/objects/info").mkdir(parents=True)
    (repo.root / ".git/objects/info/alternates").write_text("/nowhere/objects\n")


def _delete(_: bytes) -> None:
    return None


def _truncate(content: bytes) -> bytes:
    return content[: len(content) // 2]


def _change(content: bytes) -> bytes:
    whole = bytearray(zlib.decompress(content))
    whole[-2] ^= 1
    return zlib.compress(bytes(whole))


def _empty(_: bytes) -> bytes:
    return b""


TX = "refs/scalpel/tx/"
TARGETS = {
    "the tip": "main",
    "the tip's tree": "main^{tree}",
    "a folder": "main:sub",
    "a file": "main:a.py",
    "the commit before": "main^",
    "the log": "refs/scalpel/ops",
    "the log's tree": "refs/scalpel/ops^{tree}",
}
DAMAGES = {"missing": _delete, "truncated": _truncate, "changed": _change, "empty": _empty}
OBJECTS = {
    f"{what}, {how}": damage_object(TARGETS[what], DAMAGES[how]) for what in TARGETS for how in DAMAGES
}
ENTRY = b'{"token":"x","what":"land x","git_dir":".","work_tree":"..","refs":[],"rows":[]}'
FILES: dict[str, Damage] = {
    "index, garbage": replace_file("index", b"garbage" * 20),
    "index, truncated": truncate_file("index", 100),
    "index, empty": replace_file("index", b""),
    "index, of a version to come": replace_file("index", b"DIRC\0\0\0\x63\0\0\0\0" + b"\0" * 20),
    "index, a folder": put_directory_at("index"),
    "index, locked": replace_file("index.lock", b""),
    "head, empty": replace_file("HEAD", b""),
    "head, garbage": replace_file("HEAD", b"garbage\n"),
    "head, gone": replace_file("HEAD", None),
    "head, a circle": replace_file("HEAD", b"ref: HEAD\n"),
    "head, out of the refs": replace_file("HEAD", b"ref: ../../etc/passwd\n"),
    "branch, empty": replace_file("refs/heads/main", b""),
    "branch, garbage": replace_file("refs/heads/main", b"garbage\n"),
    "branch, of zeros": replace_file("refs/heads/main", b"0" * 40 + b"\n"),
    "branch, at no commit": replace_file("refs/heads/main", b"1" * 40 + b"\n"),
    "branch, locked": replace_file("refs/heads/main.lock", b""),
    "log, garbage": replace_file("refs/scalpel/ops", b"garbage\n"),
    "log, at no commit": replace_file("refs/scalpel/ops", b"1" * 40 + b"\n"),
    "log, another commit": lambda repo: repo.git("update-ref", "refs/scalpel/ops", "main"),
    "packed refs, garbage": corrupt_packed_refs,
    "pack, truncated": truncate_pack,
    "pack, without its index": delete_pack_index,
    "objects, gone": replace_file("objects", None),
    "alternates, gone": break_alternates,
    "journal, garbage": replace_file("scalpel/journal", b"garbage"),
    "journal, empty": replace_file("scalpel/journal", b""),
    "journal, of another version": replace_file("scalpel/journal", b'{"version": 99}'),
    "journal, without refs": replace_file("scalpel/journal", ENTRY),
    "journal, a folder": put_directory_at("scalpel/journal"),
    "scalpel, a file": replace_file("scalpel", b"mine\n"),
    "lock, a folder": put_directory_at("scalpel/lock"),
    "configuration, garbage": replace_file("config", b"[core\nnonsense ===\n"),
    "configuration, of a format to come": lambda repo: repo.git(
        "config", "core.repositoryFormatVersion", "99"
    ),
    "shallow, garbage": replace_file("shallow", b"garbage\n"),
    "common folder, nowhere": replace_file("commondir", b"../nowhere\n"),
}


class Bench:
    """A repository that is damaged and repaired."""

    def __init__(self, original: Path, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.repo = Sandbox(root)
        self._capsys = capsys
        self._sound = original
        root.mkdir()
        self.repair()

    def run(self, *arguments: str) -> CommandResult:
        status = command_line.run([*arguments, "--json"])
        return CommandResult(status, json.loads(self._capsys.readouterr().out))

    def repair(self) -> None:
        for each in self.repo.root.iterdir():
            shutil.rmtree(each) if each.is_dir() else each.unlink()
        copies.copied(self._sound, self.repo.root)

    def branch(self) -> bytes | None:
        file = self.repo.root / ".git/refs/heads/main"
        return file.read_bytes() if file.is_file() else None


_SOUND: list[Path] = []


@pytest.fixture
def bench(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Bench:
    if not _SOUND:  # made once, in the sealed environment
        _SOUND.append(make_sound_repository(tmp_path_factory.mktemp("sound") / "repo"))
    made = Bench(_SOUND[0], tmp_path / "repo", capsys)
    monkeypatch.chdir(made.repo.root)
    monkeypatch.setattr("gc.freeze", lambda: None)
    monkeypatch.setitem(retries.RULES, "land", retries.Rule(tries=10, busy_s=0.5))  # a lock stays
    return made


def commands(repo: Sandbox) -> dict[str, tuple[str, ...]]:
    tx = repo.git("for-each-ref", "--format=%(refname)", TX).removeprefix(TX)
    return {
        "show": ("show", "a.py:1-2"),
        "status": ("status",),
        "log": ("log",),
        "diff": ("diff", tx),
        "edit": ("text", "a.py", "--old", "one\ntwo\nthree\nfour\none", "--new", "edited", "--all"),
        "undo": ("undo",),
        "land": ("land", tx),
        "begin": ("begin",),
        "write": ("write", "sub/w.py", "--content", "w = 1\n"),
    }


TODAY = dict(some([*{**OBJECTS, **FILES}.items()], 3))


@pytest.mark.parametrize("damage", TODAY.values(), ids=TODAY)
def test_damage_raises_a_typed_error_until_repaired(bench: Bench, damage: Damage) -> None:
    repo = bench.repo
    commands_by_name = commands(repo)
    damage(repo)
    refused = {}
    for name, command in commands_by_name.items():
        files, branch = repo.files(), bench.branch()
        result = bench.run(*command)
        if result.status:
            refused[name] = result
            assert (repo.files(), bench.branch()) == (files, branch), (name, result)
        elif (repo.files(), bench.branch()) != (files, branch):
            bench.repair()
            damage(repo)
    assert {n: s.answer["error"]["message"] for n, s in refused.items() if s.code not in TYPED} == {}
    assert [name for name, result in refused.items() if not result.answer["error"]["hint"]] == []
    bench.repair()
    for name in ("edit", "land", "undo"):
        assert bench.run(*commands_by_name[name]).code is None
    assert repo.status() == ""
