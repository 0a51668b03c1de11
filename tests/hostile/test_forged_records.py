"""Forged records of a repository from another user have no effect; ``python -m tests.hostile`` tries more."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path

import pytest

from gitscalpel.system import private_files, trust
from tests.command import scalpel, started
from tests.hostile import forged_records
from tests.hostile.forged_records import EDIT, SEALS, Case, World
from tests.sandbox import Sandbox


@pytest.fixture
def world(tmp_path: Path) -> World:
    return forged_records.make_world(tmp_path)


def _make_random(seed: int = 1) -> random.Random:
    return random.Random(seed)  # noqa: S311 - nothing secret


NAMES = ("journal", "journal, elsewhere", "removing", "making", "locks", "locks, held", "slot", "lock")


@pytest.mark.parametrize("name", NAMES)
def test_forged_record_changes_nothing_outside(world: World, name: str) -> None:
    case = Case(
        name, forged_records.make_records(world)[name], "nobody", "link" if name == "lock" else "as it is"
    )
    forged_records.plant_record(world, case, _make_random())
    verbs = (("status",), ("begin", "--worktree"), EDIT, ("undo",), ("gc", "--quarantine"), ("recover",))
    assert forged_records.find_violations(world, case, verbs) == []


@pytest.mark.parametrize("sealed", SEALS)
def test_untrusted_journal_is_reported_and_not_followed(world: World, sealed: str) -> None:
    case = Case("journal", forged_records.make_records(world)["journal"], sealed, "as it is")
    forged_records.plant_record(world, case, _make_random())
    status = scalpel(world.repo.root, "status", "--json")
    assert status.data["recovery"] == "untrusted"
    assert "untrusted" in status.json["warnings"][0]
    answer = scalpel(world.repo.root, *EDIT, "--json")
    assert answer.data["state"] == "landed"
    assert [words for words in answer.json["warnings"] if words.startswith("recovery: untrusted: ")]
    assert scalpel(world.repo.root, "status", "--json").data["recovery"] == "none"
    (aside,) = (world.git / "scalpel/quarantine").glob("untrusted-*/journal")
    refused = scalpel(world.repo.root, "recover", "--take-over", str(aside), "--json").error
    assert (refused["code"], aside.exists()) == ("corrupt", True)  # it leads out of the repository


def test_linked_state_directory_is_refused(world: World) -> None:
    shutil.rmtree(world.git / "scalpel")
    (world.git / "scalpel").symlink_to(world.victim)
    before = world.fingerprint()
    error = scalpel(world.repo.root, *EDIT, "--json").error
    assert (error["code"], "was not created by gitscalpel" in error["message"]) == ("corrupt", True)
    assert world.fingerprint() == before


def test_sample_of_forged_records(world: World) -> None:
    chance = _make_random(11)
    backup = world.around / "kept"
    shutil.copytree(world.repo.root, backup, symlinks=True)
    cases = forged_records.iter_cases(world, chance)
    for _ in range(12):
        case = next(cases)
        forged_records.plant_record(world, case, chance)
        assert forged_records.find_violations(world, case, (("status",), EDIT, ("gc",), ("recover",))) == []
        forged_records.restore(world, backup)


def test_lost_secret_is_replaced_and_old_records_are_untrusted(repo: Sandbox, tmp_path: Path) -> None:
    folder = repo.root / ".git/scalpel"
    folder.mkdir()
    record = trust.seal_content(folder, "journal", b"x")
    assert trust.open_sealed(folder, "journal", record) == b"x"
    assert trust.open_sealed(folder, "note", record) is None
    assert trust.open_sealed(folder, "journal", record[:-1] + b"y") is None
    moved = tmp_path / "moved"
    repo.root.rename(moved)
    assert trust.open_sealed(moved / ".git/scalpel", "journal", record) == b"x"
    shutil.copytree(moved, tmp_path / "copy")
    assert trust.open_sealed(tmp_path / "copy/.git/scalpel", "journal", record) is None
    assert trust.is_mine("journal", record)
    assert trust.strip_seal(record) == b"x"


def test_secret_readable_by_others_is_replaced(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = repo.root / ".git/scalpel"
    folder.mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    record = trust.seal_content(folder, "journal", b"x")
    secret = tmp_path / "state/git-scalpel/secret"
    assert secret.stat().st_mode & 0o777 == 0o600
    secret.chmod(0o644)
    trust.load_secret.cache_clear()
    assert trust.open_sealed(folder, "journal", record) is None
    assert secret.stat().st_mode & 0o777 == 0o600


def test_edit_lands_without_a_state_directory(repo: Sandbox) -> None:
    env = {"XDG_STATE_HOME": "/proc/nowhere", "HOME": "/proc/nowhere"}
    answer = scalpel(repo.root, "text", "a.py", "--old", "one", "--new", "1", "--json", env=env)
    assert answer.data["state"] == "landed"


@pytest.mark.parametrize("value", ["1", "2", "true"])
def test_git_trace_does_not_disturb_output(repo: Sandbox, value: str) -> None:
    env = dict.fromkeys(("GIT_TRACE", "GIT_TRACE_SETUP", "GIT_TRACE2", "GIT_TRACE_PACKET"), value)
    answer = scalpel(repo.root, "text", "a.py", "--old", "one", "--new", "1", "--json", env=env)
    assert answer.data["state"] == "landed"


def test_git_trace_to_a_file_is_written(repo: Sandbox, tmp_path: Path) -> None:
    env = {"GIT_TRACE": str(tmp_path / "trace")}
    assert scalpel(repo.root, "status", env=env).status == 0
    assert b"built-in: git" in (tmp_path / "trace").read_bytes()


def test_gate_result_of_another_user_is_not_reused(
    repo: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({".gitscalpel.toml": b"[[gates.command]]\nname = 't'\nrun = 'false'\n"})
    monkeypatch.setenv("SCALPEL_TRUST", "1")
    staged = scalpel(repo.root, *TEXT, "--no-land", "--json")
    tx = staged.data["tx"]
    forge_record(repo, tx, checked=True, passed={"hooks": "0" * 32})
    assert scalpel(repo.root, "land", tx, "--json").error["code"] == "gate_failed"


def test_transaction_for_a_non_branch_ref_is_refused(repo: Sandbox) -> None:
    tx = scalpel(repo.root, *TEXT, "--no-land", "--json").data["tx"]
    forge_record(repo, tx, branch="refs/scalpel/ops")
    assert scalpel(repo.root, "land", tx, "--json").error["code"] == "corrupt"


TEXT = ("text", "a.py", "--old", "one", "--new", "1")


def forge_record(repo: Sandbox, tx: str, **fields: object) -> None:
    """Change fields in the record of a transaction, as anyone with the repository can."""
    ref = f"refs/scalpel/meta/{tx}"
    content = {**json.loads(repo.git("cat-file", "blob", ref)), **fields}
    oid = repo.git("hash-object", "-w", "--stdin", stdin=json.dumps(content))
    repo.git("update-ref", ref, oid)


@pytest.mark.parametrize("field", ["branch", "before", "after"])
def test_undo_refuses_a_forged_log_entry(repo: Sandbox, field: str) -> None:
    scalpel(repo.root, *TEXT)
    before = repo.git("for-each-ref", "refs/heads")
    says = {**json.loads(repo.git("show", "refs/scalpel/ops:record.json")), field: "--upload-pack=x"}
    blob = repo.git("hash-object", "-w", "--stdin", stdin=json.dumps(says))
    tree = repo.git("mktree", stdin=f"100644 blob {blob}\trecord.json\n")
    repo.git("update-ref", "refs/scalpel/ops", repo.git("commit-tree", "-m", "land", tree))
    assert scalpel(repo.root, "undo", "--json").error["code"] == "corrupt"
    assert repo.git("for-each-ref", "refs/heads") == before


@pytest.mark.parametrize("words", [("begin", "--adopt", "."), ("status",), TEXT, ("begin", "--worktree")])
def test_filter_of_a_submodule_is_not_started(repo: Sandbox, tmp_path: Path, words: tuple[str, ...]) -> None:
    library = Sandbox.of(repo.root / "lib", {"l.txt": b"l\n"})
    repo.git("-c", "advice.addEmbeddedRepo=false", "add", "lib")
    repo.git("commit", "-q", "-m", "sub")
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\ncat\n")
    program.chmod(0o755)
    library.git("config", "filter.evil.clean", str(program))
    (library.root / ".git/info/attributes").write_text("* filter=evil\n")
    os.utime(library.root / "l.txt", (1, 1))
    repo.write({"sub/b.py": b"mine\n"})
    assert scalpel(repo.root, *words).status == 0
    assert not (tmp_path / "started").exists()
    repo.git("status")
    assert (tmp_path / "started").exists()  # by git itself


def test_adopting_a_submodule_is_refused(repo: Sandbox) -> None:
    library = Sandbox.of(repo.root / "lib", {"l.txt": b"l\n"})
    repo.git("-c", "advice.addEmbeddedRepo=false", "add", "lib")
    repo.git("commit", "-q", "-m", "sub")
    library.commit({"l.txt": b"m\n"})
    assert scalpel(repo.root, "begin", "--adopt", "lib", "--json").error["code"] == "path_denied"


@pytest.fixture
def pending_journal(repo: Sandbox) -> Path:
    """Return the journal of an edit that was killed after its files were written."""
    for step in range(4, 40):
        assert started(repo.root, *TEXT, env={"GITSCALPEL_FAILPOINT": str(step)}).status != 0
        file = repo.root / ".git/scalpel/journal"
        if file.exists() and repo.status():
            return file
        assert scalpel(repo.root, "recover").status == 0
    raise AssertionError("no step is between the files and the refs")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_journal_of_another_user_is_kept_until_taken_over(repo: Sandbox, pending_journal: Path) -> None:
    pending_journal.write_bytes(
        trust.strip_seal(pending_journal.read_bytes())
    )  # as he has sealed it, it opens for him alone
    os.chown(pending_journal, 65534, -1)
    before = repo.state()
    error = scalpel(repo.root, *TEXT, "--json").error
    assert (error["code"], error["data"]["recovery"]) == ("busy", "untrusted")
    assert f"git scalpel recover --take-over {pending_journal}" in error["hint"]
    assert (repo.state(), pending_journal.exists()) == (before, True)
    taken = scalpel(repo.root, "recover", "--take-over", str(pending_journal), "--json").data
    assert "had been interrupted; it was" in taken["message"]
    assert (repo.status(), pending_journal.exists()) == ("", False)
    assert scalpel(repo.root, *TEXT).status == 0


def test_journal_is_not_followed_after_the_secret_is_lost(repo: Sandbox, pending_journal: Path) -> None:
    (Path(os.environ["XDG_STATE_HOME"]) / "git-scalpel/secret").unlink()
    before = repo.status()
    data = scalpel(repo.root, "recover", "--json").data
    assert data["recovery"] == "untrusted"
    assert (repo.status(), pending_journal.exists()) == (before, False)
    (quarantined,) = (repo.root / ".git/scalpel/quarantine").glob("untrusted-*/journal")
    assert scalpel(repo.root, "recover", "--take-over", str(quarantined)).status == 0
    assert repo.status() == ""


def test_disk_state_of_an_unsealed_entry_is_ignored(repo: Sandbox) -> None:
    scalpel(repo.root, *TEXT)
    says = json.loads(repo.git("show", "refs/scalpel/ops:record.json"))
    link = repo.git("hash-object", "-w", "--stdin", stdin="/etc/passwd")
    after = ["100644", repo.tip("HEAD:a.py")]
    says |= {"place": ".", "disk": [{"path": "a.py", "before": ["120000", link], "after": after}]}
    blob = repo.git("hash-object", "-w", "--stdin", stdin=json.dumps(says))
    tree = repo.git("mktree", stdin=f"100644 blob {blob}\trecord.json\n")
    repo.git("update-ref", "refs/scalpel/ops", repo.git("commit-tree", "-m", f"land {says['tx']}", tree))
    assert scalpel(repo.root, "undo").status == 0
    assert repo.files()["a.py"] == b"one\ntwo\nthree\n"


def test_pending_journal_blocks_a_take_over(repo: Sandbox, pending_journal: Path, tmp_path: Path) -> None:
    other = tmp_path / "journal"
    other.write_bytes(trust.strip_seal(pending_journal.read_bytes()))
    error = scalpel(repo.root, "recover", "--take-over", str(other), "--json").error
    assert (error["code"], pending_journal.exists()) == ("busy", True)
    assert scalpel(repo.root, "recover").status == 0
    assert (repo.status(), pending_journal.exists()) == ("", False)


def test_recovery_works_without_a_state_directory(repo: Sandbox, tmp_path: Path) -> None:
    env = {"XDG_STATE_HOME": "/proc/nowhere", "HOME": "/proc/nowhere", "TMPDIR": str(tmp_path)}
    killed = started(repo.root, *TEXT, env={**env, "GITSCALPEL_FAILPOINT": "8"})
    assert killed.status != 0
    assert scalpel(repo.root, "status", "--json", env=env).data["recovery"] == "pending"
    assert scalpel(repo.root, "recover", env=env).status == 0
    assert repo.status() == ""
    assert (tmp_path / f"git-scalpel-{os.geteuid()}/secret").stat().st_mode & 0o777 == 0o600


def test_worktrees_do_not_accumulate_without_a_secret(repo: Sandbox, tmp_path: Path) -> None:
    env = {"XDG_STATE_HOME": "/proc/nowhere", "TMPDIR": str(tmp_path), "SCALPEL_TRUST": "1"}
    (tmp_path / f"git-scalpel-{os.geteuid()}").mkdir()
    (tmp_path / f"git-scalpel-{os.geteuid()}").chmod(0o777)  # others could read what is kept there
    repo.commit({".gitscalpel.toml": b'[[gates.command]]\nname = "t"\nrun = "true"\n'})
    tx = str(scalpel(repo.root, *TEXT, "--no-land", "--json").data["tx"])

    def worktrees() -> int:
        return repo.git("worktree", "list").count("\n")

    for _ in range(2):
        assert (started(repo.root, "check", tx, env=env).status, worktrees()) == (0, 0)
    answers = [started(repo.root, "worktree", tx, "--json", env=env) for _ in range(10)]
    assert [answer.status for answer in answers] == [0] * 8 + [78] * 2
    assert "XDG_STATE_HOME" in answers[-1].error["hint"]
    assert worktrees() == 8


def test_writable_secret_directory_is_not_used(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "state/git-scalpel").mkdir(parents=True)
    (tmp_path / "state/git-scalpel").chmod(0o777)
    assert not trust.has_secret()


SYMBOLIC = {
    "drop": ("refs/scalpel/tx/aaaaaaaa", ("drop", "aaaaaaaa")),
    "gc": ("refs/scalpel/keep/worktree-x", ("gc",)),
    "edit": ("refs/scalpel/ops", TEXT),
}


@pytest.mark.parametrize("name", SYMBOLIC)
def test_symbolic_ref_does_not_move_a_branch(repo: Sandbox, name: str) -> None:
    ref, words = SYMBOLIC[name]
    repo.git("branch", "prod")
    repo.git("config", "scalpel.keepDays", "0")
    before = repo.git("for-each-ref", "refs/heads/prod")
    repo.git("symbolic-ref", ref, "refs/heads/prod")
    scalpel(repo.root, *words)
    assert repo.git("for-each-ref", "refs/heads/prod") == before
    assert scalpel(repo.root, "list", "--json").status in (0, 76)


def test_excessive_journal_is_not_read(repo: Sandbox) -> None:
    scalpel(repo.root, *TEXT)
    with (repo.root / ".git/scalpel/journal").open("wb") as file:
        file.truncate(1 << 40)
    assert scalpel(repo.root, "undo", "--json").error["code"] == "corrupt"


def test_deep_and_unreadable_directories_are_removed(tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    here = os.open(top, os.O_RDONLY)
    for _ in range(3_000):
        os.mkdir("d" * 9, dir_fd=here)
        below = os.open("d" * 9, os.O_RDONLY, dir_fd=here)
        os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=below))
        os.close(here)
        here = below
    os.close(here)
    (top / "closed/in").mkdir(parents=True)
    (top / "closed").chmod(0)
    (top / "link").symlink_to(tmp_path)
    private_files.remove_path(top)
    assert list(tmp_path.iterdir()) == []


def test_doctor_reports_a_missing_secret(repo: Sandbox) -> None:
    env = {"XDG_STATE_HOME": "/proc/nowhere", "HOME": "/proc/nowhere"}
    rows = scalpel(repo.root, "doctor", "--json", env=env).error["data"]["checks"]
    assert [row["ok"] for row in rows if row["name"] == "secret"] == [False]
