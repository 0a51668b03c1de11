"""Gates in a sandbox leave no traces, cannot hide changes, and keep their limits."""

from __future__ import annotations

import os
import stat
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.command import SEARCH, scalpel
from tests.sandbox import Sandbox
from tests.sandboxed.gate_script import EDIT, gate_output, gate_result, run_gate

AGAIN = ("text", "a.py", "--old", "x = 2", "--new", "x = 3", "--json")
OTHER = '\n[[gates.command]]\nname = "next"\nrun = "sh next.sh"\n'


def test_result_names_the_sandbox(repo: Sandbox) -> None:
    result = gate_result(run_gate(repo, "cat a.py; git diff HEAD --stat; git log --format=%s"))
    assert (result["status"], result["sandbox"]) == ("passed", "bubblewrap")
    assert result["output"].startswith("x = 2\n a.py | 2 +-")
    assert repo.files()["a.py"] == b"x = 2\n"


@pytest.mark.parametrize(
    ("script", "files"),
    [
        ("echo y >>a.py", ["a.py"]),
        ("rm a.py", ["a.py"]),
        ("chmod +x a.py", ["a.py"]),
        ("rm -r sub", ["sub/b.py"]),
        ("rm -r sub; mkdir sub; echo c >sub/c.py", ["sub/b.py"]),
        ("mv sub other; ln -s /etc sub", ["sub/b.py"]),
        ("rm a.py; ln -s sub/b.py a.py", ["a.py"]),
        ("rm sub/b.py; mkdir sub/b.py; chmod 0 sub", ["sub/b.py"]),
        ("git rm -q --cached a.py; echo y >sub/b.py", ["sub/b.py"]),
    ],
)
def test_changes_of_a_gate_are_detected_and_discarded(repo: Sandbox, script: str, files: list[str]) -> None:
    error = run_gate(repo, script).error
    assert (error["code"], error["data"]["files"]) == ("gate_failed", files)
    assert repo.files()["a.py"] == b"x = 1\n"
    assert scalpel(repo.root, "fsck", "--json").status == 0


@pytest.mark.parametrize(
    "script",
    [
        "echo a.py >>a.py; git restore -q -s HEAD a.py",
        "touch a.py; cp a.py b; mv b a.py",
        "git add -A; git commit -q -m mine; git branch -q mine || git tag mine || true",
        "echo y >new.py; echo y >sub/new.py; mkdir build; echo y >build/x",
    ],
    ids=["other content", "same content", "commits", "new files"],
)
def test_leftovers_of_a_gate_are_discarded(repo: Sandbox, script: str) -> None:
    answer = run_gate(repo, script)
    assert answer.json["ok"] or answer.error["data"]["files"] == ["a.py"]
    tracked = sorted(repo.git("ls-tree", "-r", "--name-only", "HEAD").split())
    assert sorted(name.rstrip("*") for name in repo.files()) == tracked
    assert repo.git("for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags") == "refs/heads/main"
    assert scalpel(repo.root, *AGAIN).json["ok"] == answer.json["ok"]


def test_next_gate_sees_no_leftovers(repo: Sandbox) -> None:
    script = (
        "echo import evil >conftest.py; mkdir -p build .venv; echo y >build/x; echo y >/tmp/x; echo y >~/x"
    )
    seen = "ls -A . build .venv /tmp/x ~/x 2>/dev/null; cat a.py"
    more = f'{OTHER}after = ["gate"]\n'
    answer = run_gate(repo, script, more=more, files={"next.sh": seen.encode()})
    assert "conftest.py" not in gate_result(answer, "next")["output"]
    assert not {"build", "build/x", "~/x"} & set(gate_result(answer, "next")["output"].split("\n"))


def test_concurrent_gate_sees_no_changes(repo: Sandbox) -> None:
    script = "cp a.py kept; echo evil >a.py; sleep 1; cat kept >a.py; rm kept"
    answer = run_gate(repo, script, more=OTHER, files={"next.sh": b"sleep 0.5; cat a.py"})
    assert gate_result(answer, "next")["output"] == "x = 2\n"


def test_cache_is_kept_without_setuid_bits(repo: Sandbox) -> None:
    script = "cat .mypy_cache/n; mkdir -p .mypy_cache; echo kept >>.mypy_cache/n; cp /bin/true .mypy_cache/t"
    run_gate(repo, f"{script}; chmod 6755 .mypy_cache/t", files={".gitignore": b".mypy_cache/\n"})
    assert gate_result(scalpel(repo.root, *AGAIN))["output"].count("kept") == 1
    cache = Path(os.environ["XDG_CACHE_HOME"])
    found = [
        file for file in cache.rglob("*") if stat.S_IMODE(file.lstat().st_mode) & 0o6000 and file.is_file()
    ]
    assert (list(cache.rglob(".mypy_cache/t")) != [], found) == (True, [])


def test_symlink_in_place_of_a_cache_is_not_followed(repo: Sandbox, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    script = (
        f"rm -rf .mypy_cache; ln -s {outside} .mypy_cache; ln -s {outside} build; echo EVIL >.mypy_cache/x"
    )
    run_gate(repo, f"{script}; true", files={".gitignore": b".mypy_cache\nbuild\n"})
    scalpel(repo.root, *AGAIN)
    assert list(outside.iterdir()) == []


def test_git_configuration_of_a_gate_is_not_used_later(repo: Sandbox, tmp_path: Path) -> None:
    mark = tmp_path / "pwned"
    evil = f"git config -f $d/config core.fsmonitor 'touch {mark}'; git config -f $d/config core.hooksPath ."
    script = (
        f"rm .git; git init -q .; d=.git; {evil}; git init -q sub/deep; d=sub/deep/.git; {evil}; "
        f"printf '#!/bin/sh\\ntouch {mark}\\n' >reference-transaction; chmod +x reference-transaction"
    )
    run_gate(repo, script)
    scalpel(repo.root, *AGAIN)
    scalpel(repo.root, "gc", "--json")
    assert not mark.exists()


def test_memory_limit_is_enforced(repo: Sandbox) -> None:
    code = "python3 -c 'x = bytearray(300 << 20); print(\"GOT\")'"
    assert "GOT" in gate_output(run_gate(repo, code, head='memory = "1G"'))
    repo.git("reset", "-q", "--hard", "HEAD~1")
    assert "GOT" not in gate_output(run_gate(repo, f"# again\n{code}", head='memory = "64M"'))


def test_size_of_temporary_directories_is_limited(repo: Sandbox) -> None:
    script = "for d in /tmp ~ /dev/shm; do head -c 40M /dev/zero >$d/x && echo GOT; done; true"
    assert "GOT" not in gate_output(run_gate(repo, script, head='memory = "128M"'))


def test_process_limit_is_enforced(repo: Sandbox) -> None:
    if os.geteuid() == 0 and not any(os.access(f"/sys/fs/cgroup{d}", os.W_OK) for d in ("/pids", "")):
        pytest.skip("NO LIMIT FOR ROOT HERE: no control group can be made, and root is not counted")
    code = (
        'import os, time\nfor n in range(200):\n    if os.fork() == 0:\n        time.sleep(20)\nprint("GOT")'
    )
    script = f"python3 -c '{code}'"
    assert "GOT" not in gate_output(run_gate(repo, script, head="processes = 64"))


def test_timeout_ends_all_processes_of_a_gate(repo: Sandbox) -> None:
    error = run_gate(repo, "setsid sleep 8877661 & sleep 8877661", more='timeout = "1s"').error
    assert error["code"] == "gate_timeout"
    assert _find_sleeping("8877661") == []


def test_gate_is_stopped_before_the_disk_is_full(tmp_path: Path) -> None:
    """Run on a file system of its own, in memory with 256 MB."""
    script = (
        "n=0; while [ $n -lt 60 ]; do head -c 4M /dev/zero >fill$n || exit 9; sleep 0.1; n=$((n+1)); done"
    )
    rules = '[gates]\nsandbox = "require"\n[[gates.command]]\nname = "gate"\nrun = "sh gate.sh"\n'
    steps = (
        f"mount -t tmpfs -o size=256M tmpfs {tmp_path} && mkdir {tmp_path}/shop && cd {tmp_path}/shop && "
        f"export XDG_CACHE_HOME={tmp_path}/cache && git init -q -b main && echo 'x = 1' >a.py && "
        f"printf '%s' '{script}' >gate.sh && printf '%s' '{rules}' >.gitscalpel.toml && git add . && "
        "git commit -q -m one && git scalpel text a.py --old 'x = 1' --new 'x = 2'; "
        f"df --output=pcent {tmp_path} | tail -1"
    )
    words = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", steps]
    env = {**os.environ, "PATH": f"{SEARCH}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=env)
    assert "too little disk space is left" in done.stderr, done
    assert int(done.stdout.split()[-1].rstrip("%")) < 20  # files of the gate are deleted


def test_missing_sandbox_is_refused_by_require_and_reported_by_auto(
    repo: Sandbox, without_sandbox: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", without_sandbox, prepend=os.pathsep)
    error = run_gate(repo, "true").error
    assert (error["code"], "install bubblewrap" in error["hint"]) == ("unavailable", True)
    repo.git("config", "scalpel.sandbox", "off")  # must not loosen
    assert scalpel(repo.root, *EDIT).error["code"] == "unavailable"
    rules = repo.files()[".gitscalpel.toml"]
    assert isinstance(rules, bytes)
    repo.commit({".gitscalpel.toml": rules.replace(b"require", b"auto")})
    repo.git("config", "scalpel.sandbox", "require")  # may tighten
    assert scalpel(repo.root, *EDIT).error["code"] == "unavailable"
    repo.git("config", "--unset", "scalpel.sandbox")
    answer = scalpel(repo.root, *EDIT)
    assert gate_result(answer)["sandbox"].startswith("none: bubblewrap cannot make one")
    assert "with your rights" in answer.err


def test_cached_result_is_not_reused_in_another_sandbox_mode(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": b'[[gates.command]]\nname = "gate"\nrun = "true"\n'})
    tx = scalpel(repo.root, *EDIT, "--no-land").data["tx"]
    assert gate_result(scalpel(repo.root, "check", tx, "--json"))["status"] == "passed"
    assert gate_result(scalpel(repo.root, "check", tx, "--json"))["status"] == "cached"
    repo.git("config", "scalpel.sandbox", "require")
    assert gate_result(scalpel(repo.root, "check", tx, "--json"))["status"] == "passed"


def test_untrusted_gate_is_refused_in_a_sandbox(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCALPEL_TRUST")
    assert run_gate(repo, "true").error["code"] == "untrusted"
    assert scalpel(repo.root, "trust", "--json").status == 0
    assert gate_result(scalpel(repo.root, *EDIT))["status"] == "passed"
    repo.git("reset", "-q", "--hard", "HEAD~1")
    assert run_gate(repo, "true", head='environment = ["TOKEN"]').error["code"] == "untrusted"


def test_network_and_variables_are_granted_if_named(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_KEY", "k1")
    monkeypatch.setenv("TOKEN", "k2")
    script = "env; cat /proc/net/route | wc -l"
    monkeypatch.setenv("OTHER", "k3")
    out = gate_output(
        run_gate(repo, script, head='environment = ["TOKEN", "DJANGO_*"]', more="network = true")
    )
    assert ("k1" in out, "k2" in out, "k3" in out) == (True, True, False)
    routes = int(out.split()[-1])
    assert routes == len(Path("/proc/net/route").read_text().splitlines())


def test_gate_ends_if_its_caller_is_killed(repo: Sandbox) -> None:
    run_gate(repo, "true")
    repo.commit({"gate.sh": b"setsid sleep 5566771 & sleep 5566771"})
    with subprocess.Popen(["git-scalpel", *AGAIN], cwd=repo.root, env=_environment()) as child:
        _wait_until(lambda: len(_find_sleeping("5566771")) == 2)
        child.kill()
    _wait_until(lambda: not _find_sleeping("5566771"))
    assert scalpel(repo.root, "fsck", "--json").json["ok"]


def _environment() -> dict[str, str]:
    return {**os.environ, "PATH": SEARCH + os.pathsep + os.environ["PATH"]}


def _find_sleeping(seconds: str) -> list[bytes]:
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found.append(file.read_bytes())
    return [line for line in found if line == b"sleep\0" + seconds.encode() + b"\0"]


def _wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(400):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it has not come about")


def test_doctor_reports_sandbox_support(repo: Sandbox) -> None:
    rows = {each["name"]: each["says"] for each in scalpel(repo.root, "doctor", "--json").data["checks"]}
    assert rows["sandbox"].startswith("bubblewrap; each gate's files are ")
