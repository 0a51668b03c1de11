"""Calls that the server rejects run in their own process, with the same result and no extra rights."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gitscalpel
from gitscalpel.server import caller_process
from tests.sandbox import Sandbox
from tests.server.serving import ServerHarness, any_client, wait_until

FILES = {"a.py": b"x = 1\n"}
ANCESTORS = """
import os
found, pid = [], str(os.getpid())
while pid != "0":
    found.append(pid)
    pid = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1]
"""


def test_excluded_environment_is_not_served(server: ServerHarness, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    for name, value in {
        "SCALPEL_SERVER": "off",
        "CI": "true",
        "LD_BIND_NOW": "1",
        "GITSCALPEL_X": "1",
    }.items():
        assert server.call(repo.root, "show", "a.py", stdin=b"", **{name: value}).status == 0
    assert server.stop_and_count_calls() == 0


def test_call_in_another_locale_is_not_served(server: ServerHarness, tmp_path: Path) -> None:
    """The interpreter reads the locale at its start, so this call may start another server."""
    repo = Sandbox.of(tmp_path / "repo", FILES)
    assert server.call(repo.root, "show", "a.py", LC_ALL="C").status == 0
    assert server.stop_and_count_calls() == 0
    # The other server starts during the call and may not listen yet.
    assert server.call(repo.root, "serve", "--stop", LC_ALL="C").status == 0
    assert not server.server_pids()


@any_client
@pytest.mark.parametrize("scope", ["local", "global", "variable"])
def test_configuration_disables_the_server(server: ServerHarness, tmp_path: Path, scope: str) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    assert _is_served(server, repo)
    if scope == "variable":
        count = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "scalpel.server", "GIT_CONFIG_VALUE_0": "off"}
        server.env.update(count)
    else:
        server.env["GIT_CONFIG_GLOBAL"] = str(tmp_path / "gitconfig")
        words = ["git", "config", f"--{scope}", "scalpel.server", "off"]
        subprocess.run(words, cwd=repo.root, env=server.env, check=True)
    assert not _is_served(server, repo)


@any_client
@pytest.mark.parametrize(
    "prefix", [("setpriv", "--no-new-privs"), ("strace", "-f", "-o", "/dev/null"), ("unshare", "--user")]
)
def test_confined_or_traced_caller_is_not_served(
    server: ServerHarness, tmp_path: Path, prefix: tuple[str, ...]
) -> None:
    probe = shutil.which(prefix[0]) and subprocess.run([*prefix, "true"], capture_output=True, check=False)
    if not probe or probe.returncode:
        pytest.skip(f"{prefix[0]} does not work on this machine")
    repo = Sandbox.of(tmp_path / "repo", FILES)
    assert _is_served(server, repo)
    assert not _is_served(server, repo, *prefix)


def _is_served(server: ServerHarness, repo: Sandbox, *prefix: str) -> bool:
    """Return True if the server ran the call, so that its hook is a descendant of the server."""
    ancestors_file = repo.root.parent / "ancestors"
    ancestors_file.unlink(missing_ok=True)
    hook = repo.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        f"#!{sys.executable}\n{ANCESTORS}open({str(ancestors_file)!r}, 'w').write(' '.join(found))\n"
    )
    hook.chmod(0o755)
    words = [*prefix, *server.client, "write", f"{repo.tip()}.txt", "--code", "n", "-m", "n"]
    env = {**server.env, "SCALPEL_TRUST": "1"}
    completed = subprocess.run(words, cwd=repo.root, env=env, capture_output=True, check=False)
    assert completed.returncode == 0, completed.stderr
    assert server.process is not None
    return str(server.process.pid) in ancestors_file.read_text().split()


def test_runtime_directory_open_to_others_is_not_used(harness: ServerHarness, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    folder = harness.runtime / "git-scalpel"
    folder.mkdir()
    folder.chmod(0o755)
    assert harness.call(repo.root, "show", "a.py").status == 0
    assert [*folder.iterdir()] == []
    completed = harness.call(repo.root, "serve", "--json")
    assert completed.status == 74
    assert b"only you can enter" in completed.out


@any_client
def test_server_with_changed_code_ends(harness: ServerHarness, tmp_path: Path) -> None:
    copy = tmp_path / "site" / "gitscalpel"
    shutil.copytree(Path(gitscalpel.__file__).parent, copy)
    harness.env["PYTHONPATH"] = str(copy.parent)
    repo = Sandbox.of(tmp_path / "repo", FILES)
    harness.start()
    words = [*harness.client, "--version"]
    prefix = subprocess.run(words, cwd=repo.root, env=harness.env, capture_output=True, check=True).stdout
    file = copy / "cli/command_line.py"
    file.write_text(file.read_text().replace("git-scalpel {__version__}", "git-scalpel of today"))
    after = subprocess.run(words, cwd=repo.root, env=harness.env, capture_output=True, check=True).stdout
    assert prefix.startswith(b"git-scalpel 0")
    assert after == b"git-scalpel of today\n"
    process = harness.process
    assert process is not None
    wait_until(lambda: process.poll() is not None)


def test_call_of_another_installation_is_not_served(server: ServerHarness, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    copy = tmp_path / "site" / "gitscalpel"
    shutil.copytree(Path(gitscalpel.__file__).parent, copy)
    file = copy / "cli/command_line.py"
    file.write_text(file.read_text().replace("git-scalpel {__version__}", "git-scalpel elsewhere"))
    env = {**server.env, "PYTHONPATH": str(copy.parent), "SCALPEL_SERVER": "auto"}
    words = [*server.client, "--version"]
    completed = subprocess.run(words, cwd=repo.root, env=env, capture_output=True, check=True)
    assert completed.stdout == b"git-scalpel elsewhere\n"
    assert server.stop_and_count_calls() == 0


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
def test_caller_in_a_landlock_sandbox_is_not_served(server: ServerHarness, tmp_path: Path) -> None:
    """Root enters a Landlock sandbox and keeps its privileges, so only the kernel knows."""
    repo = Sandbox.of(tmp_path / "repo", FILES)
    prefix = (sys.executable, "-c", LANDLOCK)
    if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode:
        pytest.skip("nobody enters a Landlock sandbox here")
    assert _is_served(server, repo)
    words = ("text", "a.py", "--checkout", "--old", "x = 1", "--new", "x = 2")
    completed = subprocess.run(
        [*prefix, *server.client, *words], cwd=repo.root, env=server.env, capture_output=True, check=False
    )
    assert completed.returncode
    assert (repo.root / "a.py").read_bytes() == FILES["a.py"]
    assert server.call(repo.root, *words).status == 0
    assert (repo.root / "a.py").read_bytes() == b"x = 2\n"


def test_caller_without_the_proof_is_not_served(server: ServerHarness, tmp_path: Path) -> None:
    """A program speaks to the server directly, without our client."""
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
    ("one", "other", "is_same"),
    [
        ("0::/a\n", "0::/a\n", True),
        ("1:name=systemd:/a\n0::/\n", "1:name=systemd:/b\n0::/\n", True),
        ("4:memory:/a\n0::/\n", "4:memory:/b\n0::/\n", False),
        ("4:memory:/\n0::/\n", "0::/\n", False),
        ("0::/no-such-group/a\n", "0::/\n", False),
        ("0::/../a\n", "0::/\n", False),
    ],
)
def test_cgroups_with_other_limits_are_detected(one: str, other: str, is_same: bool) -> None:
    assert caller_process.have_same_limits(one, other) is is_same
    assert caller_process.have_same_limits(other, one) is is_same


def test_cgroup_with_any_limit_is_detected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
