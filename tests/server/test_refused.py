"""Who is not served does the work himself: no answer is another one for it, and nobody gains by it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gitscalpel
from gitscalpel.server import caller_process
from tests.sandbox import Sandbox
from tests.server.serving import Served, any_client, until

FILES = {"a.py": b"x = 1\n"}
ANCESTORS = """
import os
found, pid = [], str(os.getpid())
while pid != "0":
    found.append(pid)
    pid = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1]
"""


def test_by_its_environment(server: Served, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    for name, value in {
        "SCALPEL_SERVER": "off",
        "CI": "true",
        "LD_BIND_NOW": "1",
        "GITSCALPEL_X": "1",
    }.items():
        assert server.call(repo.root, "show", "a.py", stdin=b"", **{name: value}).status == 0
    assert server.calls() == 0


def test_in_another_language(server: Served, tmp_path: Path) -> None:
    """An interpreter reads it at its start: there may be another server for that."""
    repo = Sandbox.of(tmp_path / "repo", FILES)
    assert server.call(repo.root, "show", "a.py", LC_ALL="C").status == 0
    assert server.calls() == 0
    # The other one begins beside the call, and may not listen yet.
    assert server.call(repo.root, "serve", "--stop", LC_ALL="C").status == 0
    assert not server.servers()


@any_client
@pytest.mark.parametrize("where", ["local", "global", "variable"])
def test_by_configuration(server: Served, tmp_path: Path, where: str) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    assert _has_done_it(server, repo)
    if where == "variable":
        count = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "scalpel.server", "GIT_CONFIG_VALUE_0": "off"}
        server.env.update(count)
    else:
        server.env["GIT_CONFIG_GLOBAL"] = str(tmp_path / "gitconfig")
        words = ["git", "config", f"--{where}", "scalpel.server", "off"]
        subprocess.run(words, cwd=repo.root, env=server.env, check=True)
    assert not _has_done_it(server, repo)


@any_client
@pytest.mark.parametrize(
    "before", [("setpriv", "--no-new-privs"), ("strace", "-f", "-o", "/dev/null"), ("unshare", "--user")]
)
def test_a_caller_that_is_confined_or_looked_at(
    server: Served, tmp_path: Path, before: tuple[str, ...]
) -> None:
    works = shutil.which(before[0]) and subprocess.run([*before, "true"], capture_output=True, check=False)
    if not works or works.returncode:
        pytest.skip(f"{before[0]} does not work on this machine")
    repo = Sandbox.of(tmp_path / "repo", FILES)
    assert _has_done_it(server, repo)
    assert not _has_done_it(server, repo, *before)


def _has_done_it(server: Served, repo: Sandbox, *before: str) -> bool:
    """Whether a call was the server's: what it starts comes from there then."""
    seen = repo.root.parent / "ancestors"
    seen.unlink(missing_ok=True)
    hook = repo.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!{sys.executable}\n{ANCESTORS}open({str(seen)!r}, 'w').write(' '.join(found))\n")
    hook.chmod(0o755)
    words = [*before, *server.client, "write", f"{repo.tip()}.txt", "--code", "n", "-m", "n"]
    env = {**server.env, "SCALPEL_TRUST": "1"}
    done = subprocess.run(words, cwd=repo.root, env=env, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert server.process is not None
    return str(server.process.pid) in seen.read_text().split()


def test_a_folder_that_others_may_enter(nobody: Served, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    folder = nobody.runtime / "git-scalpel"
    folder.mkdir()
    folder.chmod(0o755)
    assert nobody.call(repo.root, "show", "a.py").status == 0
    assert [*folder.iterdir()] == []
    done = nobody.call(repo.root, "serve", "--json")
    assert done.status == 74
    assert b"only you can enter" in done.out


@any_client
def test_a_server_whose_code_has_changed(nobody: Served, tmp_path: Path) -> None:
    copy = tmp_path / "site" / "gitscalpel"
    shutil.copytree(Path(gitscalpel.__file__).parent, copy)
    nobody.env["PYTHONPATH"] = str(copy.parent)
    repo = Sandbox.of(tmp_path / "repo", FILES)
    nobody.start()
    words = [*nobody.client, "--version"]
    before = subprocess.run(words, cwd=repo.root, env=nobody.env, capture_output=True, check=True).stdout
    file = copy / "cli/command_line.py"
    file.write_text(file.read_text().replace("git-scalpel {__version__}", "git-scalpel of today"))
    after = subprocess.run(words, cwd=repo.root, env=nobody.env, capture_output=True, check=True).stdout
    assert before.startswith(b"git-scalpel 0")
    assert after == b"git-scalpel of today\n"
    process = nobody.process
    assert process is not None
    until(lambda: process.poll() is not None)


def test_of_another_installation(server: Served, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    copy = tmp_path / "site" / "gitscalpel"
    shutil.copytree(Path(gitscalpel.__file__).parent, copy)
    file = copy / "cli/command_line.py"
    file.write_text(file.read_text().replace("git-scalpel {__version__}", "git-scalpel elsewhere"))
    env = {**server.env, "PYTHONPATH": str(copy.parent), "SCALPEL_SERVER": "auto"}
    words = [*server.client, "--version"]
    done = subprocess.run(words, cwd=repo.root, env=env, capture_output=True, check=True)
    assert done.stdout == b"git-scalpel elsewhere\n"
    assert server.calls() == 0


LANDLOCK = """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
if libc.syscall(444, None, 0, 1) < 1:
    sys.exit(99)
rules = struct.pack("Q", 1 << 1)  # no file may be written; the call needs no_new_privs, or CAP_SYS_ADMIN
if libc.syscall(446, libc.syscall(444, rules, len(rules), 0), 0):
    sys.exit(99)
os.execvp(sys.argv[1], sys.argv[1:])
"""


@any_client
def test_a_caller_in_a_sandbox_that_nothing_tells_of(server: Served, tmp_path: Path) -> None:
    """Root enters a Landlock sandbox without giving privileges up; only the kernel knows."""
    repo = Sandbox.of(tmp_path / "repo", FILES)
    before = (sys.executable, "-c", LANDLOCK)
    if subprocess.run([*before, "true"], capture_output=True, check=False).returncode:
        pytest.skip("nobody enters a Landlock sandbox here")
    assert _has_done_it(server, repo)
    words = ("text", "a.py", "--checkout", "--old", "x = 1", "--new", "x = 2")
    done = subprocess.run(
        [*before, *server.client, *words], cwd=repo.root, env=server.env, capture_output=True, check=False
    )
    assert done.returncode
    assert (repo.root / "a.py").read_bytes() == FILES["a.py"]
    assert server.call(repo.root, *words).status == 0
    assert (repo.root / "a.py").read_bytes() == b"x = 2\n"


def test_what_cannot_know_the_proof_is_not_served(server: Served, tmp_path: Path) -> None:
    """A program that speaks with the server itself, instead of starting our client."""
    repo = Sandbox.of(tmp_path / "repo", FILES)
    code = (
        "import os, socket, sys; from gitscalpel.server import client\n"
        "client.PROOF = 2\n"
        "line = socket.socket(socket.AF_UNIX); line.connect(sys.argv[1])\n"
        "client.send_call(line, client.server_key(os.environ), ['show', 'a.py'], os.environ)\n"
        "sys.exit(bool(line.recv(64)))\n"
    )
    words = [sys.executable, "-c", code, str(server.sockets()[0])]
    assert subprocess.run(words, cwd=repo.root, env=server.env, check=False).returncode == 0


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("0::/a\n", "0::/a\n", True),
        ("1:name=systemd:/a\n0::/\n", "1:name=systemd:/b\n0::/\n", True),
        ("4:memory:/a\n0::/\n", "4:memory:/b\n0::/\n", False),
        ("4:memory:/\n0::/\n", "0::/\n", False),
        ("0::/no-such-group/a\n", "0::/\n", False),
        ("0::/../a\n", "0::/\n", False),
    ],
)
def test_groups_that_limit_one_process_alone(one: str, other: str, alike: bool) -> None:
    assert caller_process.have_same_limits(one, other) is alike
    assert caller_process.have_same_limits(other, one) is alike


def test_a_group_limits_as_long_as_one_of_its_files_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caller_process, "CGROUP_MOUNTS", (tmp_path,))
    (tmp_path / "cgroup.controllers").touch()
    for name in ("a/b", "c"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "memory.max").write_text("max\n")
        (tmp_path / name / "cpu.max").write_text("max 100000\n")
    assert caller_process.have_same_limits("0::/a/b\n", "0::/c\n")
    (tmp_path / "a/pids.max").write_text("100\n")
    assert not caller_process.have_same_limits("0::/a/b\n", "0::/c\n")
    assert not caller_process.have_same_limits("0::/c\n", "0::/a/b\n")
    assert caller_process.have_same_limits("0::/a/b\n", "0::/a\n")
