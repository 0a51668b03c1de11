"""Everyday gates work in a sandbox: tools, git, temporary files, local servers, hooks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import pytest

from gitscalpel.changesets.file_tree import EXECUTABLE
from tests.command import scalpel
from tests.sandbox import Content, Sandbox
from tests.sandboxed.gate_script import EDIT, gate_output, gate_result, run_gate
from tests.transaction.test_real_tools import PROJECTS, TOOLCHAINS, Project


@pytest.mark.parametrize("project", PROJECTS.values(), ids=PROJECTS)
def test_tool_runs_as_a_gate(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    search = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    if shutil.which(project.needs, path=search) is None:
        pytest.skip(f"{project.needs} is not on PATH")
    for variable, folder in TOOLCHAINS.items():
        monkeypatch.setenv(variable, os.environ.get(variable, str(folder)))
    repo = Sandbox.init(tmp_path / "shop")
    gate = f'[[gates.command]]\nname = "gate"\nrun = "{project.run}"\n'
    rules = f'[gates]\nsandbox = "require"\n{gate}'
    repo.commit({**project.files, ".gitscalpel.toml": rules.encode()})
    edit = ("text", project.path, "--old", project.old, "--new")
    assert scalpel(repo.root, *edit, project.wrong, "--json").error["code"] in ("gate_failed", "syntax_error")
    assert gate_result(scalpel(repo.root, *edit, project.right, "--json"))["sandbox"] == "bubblewrap"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("git status --short; git diff --cached --name-only", "M  a.py"),
        ("git log --format=%s -1", "a commit"),
        ("git describe --always; git rev-parse --show-toplevel; git ls-files | head -1", ".gitignore"),
        ("git init -q /tmp/r; cd /tmp/r; git commit -q --allow-empty -m o && git log --oneline", " o"),
        (
            "f=$(mktemp) && d=$(mktemp -d) && mv $f $d/z && cat $d/z && echo h >~/.rc && cat ~/.rc",
            "h",
        ),
        ("make -s -f m.mk all", "made"),
        ("echo $HOME | grep -q / && cd && pwd && test -w . && id -un && hostname && echo named", "named"),
        ("mkdir -p build/deep && echo y >build/deep/x && cat build/deep/x && rm -r build", "y"),
        ("test -c /dev/null && ls /dev/shm && nproc >/dev/null && date >/dev/stdout && echo y", "y"),
        ("python3 -c 'import multiprocessing as m; print(m.Pool(2).map(abs, [-5]))'", "[5]"),
    ],
)
def test_command_works_in_the_sandbox(repo: Sandbox, script: str, expected: str) -> None:
    files = {"m.mk": b"all:\n\t@echo made\n"}
    answer = run_gate(repo, f"set -e\n{script}", files={**files})
    assert expected in gate_result(answer)["output"]


def test_gate_may_run_a_local_server(repo: Sandbox) -> None:
    code = """python3 - <<'END'
import socket, threading
server = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=lambda: server.accept()[0].sendall(b"served")).start()
print(socket.create_connection(("localhost", server.getsockname()[1])).recv(9).decode())
END
"""
    assert "served" in gate_output(run_gate(repo, code))


def test_shared_environment_and_tools_of_the_home_are_visible(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Path(os.environ["HOME"])
    kit = home / ".kit/versions/1"
    (kit / "bin").mkdir(parents=True)
    (home / ".local/bin").mkdir(parents=True)
    (kit / "data").write_text("installed")
    (kit / "bin/kit").write_text('#!/bin/sh\ncat "$(dirname "$(readlink -f "$0")")/../data"\n')
    (kit / "bin/kit").chmod(0o755)
    (home / ".local/bin/kit").symlink_to(kit / "bin/kit")
    (home / ".local/share/keyrings").mkdir(parents=True)
    (home / ".local/share/keyrings/k").write_text("s3cret")
    monkeypatch.setenv("PATH", f"{home}/.local/bin", prepend=os.pathsep)
    script = ".venv/bin/python -c 'import sys; print(sys.prefix)'; kit; cat ~/.local/share/keyrings/k"
    rules = '[gates]\nshared = [".venv"]\n[[gates.command]]\nname = "gate"\nrun = "sh gate.sh"\n'
    repo.commit({".gitscalpel.toml": rules.encode(), "gate.sh": f"{script}; true".encode()})
    venv.create(repo.root / ".venv", symlinks=True)
    out = gate_output(scalpel(repo.root, *EDIT))
    assert (".venv" in out, "installed" in out, "s3cret" in out) == (True, True, False), out


@pytest.mark.parametrize("goal", ["{home}/.ssh", ".git", "../shop"])
def test_shared_link_that_leads_elsewhere_is_refused(repo: Sandbox, goal: str) -> None:
    home = Path(os.environ["HOME"])
    (home / ".ssh").mkdir()
    (home / ".ssh/config").write_text("s3cret")
    rules = '[gates]\nshared = ["link"]\n[[gates.command]]\nname = "gate"\nrun = "cat link/config"\n'
    repo.commit({".gitscalpel.toml": rules.encode(), ".gitignore": b"/link\n"})
    (repo.root / "link").symlink_to(goal.format(home=home))
    error = scalpel(repo.root, *EDIT).error
    assert error["code"] == "config_error"
    assert "link leads to" in error["message"]
    (repo.root / "link").unlink()
    repo.commit({".gitscalpel.toml": rules.replace("[gates]", '[gates]\nsandbox = "off"').encode()})
    (repo.root / "link").symlink_to(home / ".ssh")
    assert scalpel(repo.root, *EDIT).status == 0


def test_setup_runs_landed_code_and_its_files_are_read_only(repo: Sandbox, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    repo.commit({"setup.sh": f"mkdir -p .venv; echo made >.venv/x; echo landed >>{mark}".encode()})
    tx = f"echo transaction >>{mark}"
    run_gate(repo, "true", head='setup = "sh setup.sh"')
    assert mark.read_text() == "landed\n"
    repo.git("worktree", "prune")
    shutil.rmtree(Path(os.environ["XDG_CACHE_HOME"]) / "git-scalpel")
    repo.git("worktree", "prune")
    repo.commit({"gate.sh": b"cat .venv/x; echo evil >.venv/x || true; cat setup.sh"})
    answer = scalpel(repo.root, "write", "setup.sh", "--content", tx, "--overwrite", "--json")
    assert "transaction" in gate_output(answer)
    assert "made" in gate_output(answer)
    assert mark.read_text() == "landed\nlanded\n"


class TestHooks:
    @pytest.fixture(autouse=True)
    def _rules(self, repo: Sandbox) -> None:
        repo.commit({".gitscalpel.toml": b'[gates]\nsandbox = "require"\n'})

    def _hook(self, repo: Sandbox, name: str, script: str) -> None:
        file = repo.root / ".git/hooks" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    def test_changes_by_hooks_become_part_of_the_transaction(self, repo: Sandbox) -> None:
        self._hook(
            repo, "pre-commit", "echo y >>a.py; echo n >new.py; git add a.py new.py; git rm -q sub/b.py"
        )
        self._hook(repo, "commit-msg", 'echo "by a hook" >>"$1"')
        answer = scalpel(repo.root, *EDIT)
        assert gate_result(answer, "hooks")["sandbox"] == "bubblewrap"
        assert repo.git("show", "HEAD:a.py") == "x = 2\ny"
        assert repo.git("ls-tree", "-r", "--name-only", "HEAD").split() == [
            ".gitignore",
            ".gitscalpel.toml",
            "a.py",
            "new.py",
        ]
        assert "by a hook" in repo.git("log", "-1", "--format=%B")
        assert repo.git("fsck", "--strict", "--no-dangling") == ""

    def test_refusal_by_a_hook_hints_at_the_sandbox(self, repo: Sandbox) -> None:
        self._hook(repo, "pre-commit", "cat ~/.netrc && exit 0; exit 3")
        error = scalpel(repo.root, *EDIT).error
        assert (error["code"], "sandbox" in error["hint"]) == ("hook_failed", True)

    @pytest.mark.parametrize(
        "script",
        [
            "rm $GIT_INDEX_FILE; ln -s {secret} $GIT_INDEX_FILE",
            "rm -f $GIT_DIR/COMMIT_EDITMSG; ln -s {secret} $GIT_DIR/COMMIT_EDITMSG",
            "d=$(git rev-parse --git-common-dir); mv $d/worktrees $d/w; ln -s {folder} $d/worktrees",
            "d=$(git rev-parse --git-common-dir); rm -rf $d/objects; ln -s {folder} $d/objects",
            "rm -rf $GIT_DIR/*",
        ],
    )
    def test_link_left_by_a_hook_is_not_followed(self, repo: Sandbox, tmp_path: Path, script: str) -> None:
        folder = tmp_path / "outside"
        (folder / "info").mkdir(parents=True)
        (folder / "secret").write_text("s3cret")
        for name in ("pre-commit", "commit-msg"):
            self._hook(repo, name, script.format(secret=folder / "secret", folder=folder))
        before = repo.state()
        assert scalpel(repo.root, *EDIT).error["code"] == "hook_failed"
        assert repo.state()[1:] == before[1:]
        assert sorted(path.name for path in folder.iterdir()) == ["info", "secret"]

    def test_hook_cannot_add_alternates(self, repo: Sandbox, tmp_path: Path) -> None:
        other = Sandbox.of(tmp_path / "other", {"s": b"s3cret\n"})
        oid = other.git("rev-parse", "HEAD:s")
        objects = other.root / ".git/objects"
        lend = f"echo {objects} >$(git rev-parse --git-common-dir)/objects/info/alternates"
        self._hook(repo, "pre-commit", f"{lend}; git update-index --add --cacheinfo 100644,{oid},s || true")
        scalpel(repo.root, *EDIT)
        assert "s" not in repo.git("ls-tree", "--name-only", "HEAD").split()

    def test_hook_cannot_write_outside(self, repo: Sandbox, tmp_path: Path) -> None:
        self._hook(repo, "pre-commit", f"echo EVIL >{tmp_path}/evil; echo EVIL >{repo.root}/evil; true")
        assert scalpel(repo.root, *EDIT).json["ok"]
        assert not (tmp_path / "evil").exists()
        assert not (repo.root / "evil").exists()

    def test_pre_commit_framework_runs_in_the_sandbox(self, repo: Sandbox) -> None:
        tool = Path(sys.executable).parent / "pre-commit"
        if not tool.exists():
            pytest.skip("pre-commit is not installed")
        hook = "{id: c, name: c, entry: grep -q x, language: system, files: py$}"
        config = f"repos:\n- repo: local\n  hooks:\n  - {hook}\n"
        repo.commit({".pre-commit-config.yaml": config.encode()})
        subprocess.run([tool, "install"], cwd=repo.root, check=True, capture_output=True)
        assert gate_result(scalpel(repo.root, *EDIT), "hooks")["status"] == "passed"
        refused = scalpel(repo.root, "write", "sub/c.py", "--content", "none\n", "--json")
        assert refused.error["code"] == "hook_failed"


def test_tracked_hooks_run_in_the_sandbox(repo: Sandbox) -> None:
    hook = b'#!/bin/sh\nexec sh "$(dirname "$0")/../check.sh"\n'
    check = b"grep -q 'x = ' a.py"
    files: dict[str, Content] = {".husky/_/pre-commit": (EXECUTABLE, hook), ".husky/check.sh": check}
    repo.commit({**files, ".gitscalpel.toml": b'[gates]\nsandbox = "require"\n'})
    repo.git("config", "core.hooksPath", ".husky/_")
    assert gate_result(scalpel(repo.root, *EDIT), "hooks")["status"] == "passed"


def test_suggest_command_runs_in_the_sandbox(repo: Sandbox) -> None:
    op = '{"op": "write", "path": "new.txt", "content": "new"}'
    script = f"cat > told.json; echo '{{\"ops\": [{op}]}}'; ls $HOME >&2"
    rules = '[gates]\nsandbox = "require"\n[[suggest]]\nname = "s"\nrun = "sh suggest.sh"\n'
    repo.commit({".gitscalpel.toml": rules.encode(), "suggest.sh": script.encode()})
    tx = scalpel(repo.root, "text", "a.py", "--old", "1", "--new", "2", "--no-land", "--json").data["tx"]
    (suggestion,) = scalpel(repo.root, "suggest", tx, "--json").data["suggestions"]
    assert (suggestion["state"], suggestion["paths"]) == ("checked", ["new.txt"])
    assert repo.git("status", "--short") == ""


@pytest.mark.parametrize("run", ["tools/check.sh", "./tools/check.sh", "sh tools/check.sh"])
def test_program_of_the_repository_runs_by_relative_path(repo: Sandbox, run: str) -> None:
    rules = f'[gates]\nsandbox = "require"\n[[gates.command]]\nname = "gate"\nrun = "{run}"\n'
    repo.commit(
        {".gitscalpel.toml": rules.encode(), "tools/check.sh": ("100755", b"#!/bin/sh\necho checked\n")}
    )
    assert "checked" in gate_output(scalpel(repo.root, *EDIT))


def test_interpreter_of_a_shared_environment_runs_by_relative_path(repo: Sandbox) -> None:
    run = ".venv/bin/python -c 'import sys; print(sys.prefix)'"
    rules = '[gates]\nsandbox = "require"\nshared = [".venv"]\n[[gates.command]]\nname = "gate"\n'
    repo.commit({".gitscalpel.toml": f'{rules}run = "{run}"\n'.encode()})
    venv.create(repo.root / ".venv", symlinks=True)
    assert ".venv" in gate_output(scalpel(repo.root, *EDIT))


def test_repository_below_var_tmp_runs_its_gates() -> None:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        repo = Sandbox.of(Path(folder) / "repo", {"a.py": b"x = 1\n"})
        assert "fine" in gate_output(run_gate(repo, "echo fine >/var/tmp/x && cat /tmp/../var/tmp/x"))
