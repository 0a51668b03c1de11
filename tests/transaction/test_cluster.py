"""Gates on a real Dask cluster: workers fetch the commit and keep their own worktrees."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import cluster
from tests.command import Answer, scalpel
from tests.conftest import seal
from tests.sandbox import Sandbox

EDIT = ("text", "a.py", "--old", "x = 1", "--new", "x = 2")
TRUSTED = {"SCALPEL_TRUST": "1"}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    sandbox = Sandbox.of(tmp_path / "repo", {"a.py": b"x = 1\n"})
    sandbox.git("init", "-q", "--bare", str(tmp_path / "hub.git"))
    sandbox.git("remote", "add", "origin", str(tmp_path / "hub.git"))
    return sandbox


@pytest.fixture(scope="module")
def cluster_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of the cluster's files."""
    return tmp_path_factory.mktemp("cluster") / "dask"


@pytest.fixture(scope="module")
def address(cluster_dir: Path, without_sandbox: str) -> Iterator[str]:
    """Start a cluster of two workers for all tests of the module, because starting is slow."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        seal(monkeypatch, cluster_dir.parent, without_sandbox)
        with cluster(cluster_dir, 2, TRUSTED) as scheduler:
            yield scheduler


def configure(repo: Sandbox, address: str, *runs: str, more: str = "") -> None:
    gates = "".join(f"[[gates.command]]\nname = 'g{n}'\nrun = '''{run}'''\n" for n, run in enumerate(runs))
    rules = f'[gates]\nexecutor = "dask://{address}"\n{more}\n{gates}'
    repo.commit({".gitscalpel.toml": rules.encode()})


def rows(answer: Answer) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in answer.data["gates"]}


def edit(repo: Sandbox, *words: str) -> Answer:
    return scalpel(repo.root, *(words or EDIT), "--json", env=TRUSTED)


def test_gates_run_on_the_cluster_with_the_staged_tree(
    repo: Sandbox, address: str, cluster_dir: Path
) -> None:
    configure(
        repo,
        address,
        "pwd; cat a.py",
        "git rev-parse HEAD^{tree}",
        "echo a.py:1:1: bad; grep -q 'x = 2' a.py",
    )
    gates = rows(edit(repo))
    directory, content = gates["g0"]["output"].split("\n", 1)
    assert Path(directory).is_relative_to(cluster_dir)
    assert content == "x = 2\n"
    assert gates["g1"]["output"].strip() == repo.git("rev-parse", "HEAD^{tree}")
    assert repo.git("ls-remote", "origin") == ""
    error = edit(repo, "text", "a.py", "--old", "x = 2", "--new", "x = 3").error
    assert (error["code"], error["data"]["gate"]) == ("gate_failed", "g2")


def test_gates_run_in_parallel_and_reuse_worktrees(
    repo: Sandbox, address: str, cluster_dir: Path, tmp_path: Path
) -> None:
    before = _worktrees(cluster_dir)
    meet = "test -e {0}/$SCALPEL_TX.{2} && exit 0; sleep 0.1"
    meeting = "touch {0}/$SCALPEL_TX.{1}; for i in $(seq 100); do " + meet + "; done; exit 1"
    configure(repo, address, *(meeting.format(tmp_path, *pair) for pair in ((1, 2), (2, 1))))
    assert edit(repo).data["state"] == "landed"
    assert edit(repo, "text", "a.py", "--old", "x = 2", "--new", "x = 3").data["state"] == "landed"
    assert len(_worktrees(cluster_dir) - before) == 2


def _worktrees(cluster_dir: Path) -> set[Path]:
    return {*cluster_dir.glob("worker*/cache/git-scalpel/repo.git-*/*")}


def test_gate_that_changes_a_file_fails(repo: Sandbox, address: str) -> None:
    configure(repo, address, "echo y >> a.py")
    assert edit(repo).error["code"] == "gate_failed"


def test_first_failure_ends_the_other_gates(repo: Sandbox, address: str, tmp_path: Path) -> None:
    until = f"until test -s {tmp_path}/pid; do sleep 0.1; done"
    only_one = f'setup = "mkdir {tmp_path}/one || {{ {until}; exit 1; }}"'
    slow = f"echo $$ > {tmp_path}/pid; sleep 100"
    configure(repo, address, slow, slow, more=only_one)
    began = time.monotonic()
    assert edit(repo).error["code"] == "gate_failed"
    while _is_alive(int((tmp_path / "pid").read_text())):
        time.sleep(0.1)
    assert time.monotonic() - began < 60


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_untrusted_worker_runs_no_gate(repo: Sandbox, tmp_path: Path) -> None:
    with cluster(tmp_path / "dask", 1, {"SCALPEL_TRUST": "0"}) as address:
        configure(repo, address, "true")
        assert edit(repo).error["code"] == "untrusted"


def test_untrusted_cluster_gets_no_gates(repo: Sandbox) -> None:
    configure(repo, "127.0.0.1:9", "true")
    answer = scalpel(repo.root, *EDIT, "--json")
    assert answer.error["code"] == "untrusted"
    assert "dask://127.0.0.1:9" in answer.error["message"]


def test_unreachable_cluster_is_reported_as_busy(repo: Sandbox) -> None:
    configure(repo, "127.0.0.1:9", "true")
    assert edit(repo).error["code"] == "busy"


def test_unreachable_remote_is_reported_as_busy(repo: Sandbox, address: str) -> None:
    configure(repo, address, "true", more='[gates.cluster]\nremote = "nowhere"\n')
    assert edit(repo).error["code"] == "busy"


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the keys")
def test_gates_run_on_a_tls_cluster(repo: Sandbox, tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test"]
    subprocess.run([*words, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    security = ("--tls-ca-file", str(certificate), "--tls-cert", str(certificate), "--tls-key", str(key))
    files = f'tls_ca = "{certificate}"\ntls_cert = "{certificate}"\ntls_key = "{key}"\n'
    with cluster(tmp_path / "dask", 1, TRUSTED, "--protocol", "tls", *security) as address:
        configure(repo, address, "true", more=f"[gates.cluster]\n{files}")
        assert edit(repo).data["state"] == "landed"
