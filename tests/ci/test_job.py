"""A job as a runner starts it: the action's own script, with its variables and files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.sandbox import SEALED, Sandbox
from tests.today import some

HOOKS = Path(__file__).parents[2] / "hooks"
A = b"def f():\n    return 1\n"
CHANGE = json.dumps({"ops": [{"op": "text", "path": "a.py", "old": "1", "new": "2"}], "message": "Two"})
COMMENT = {
    "path": "a.py",
    "body": "Better so:\n```suggestion\n    return 3\n```\n",
    "line": 2,
    "user": {"login": "octo-cat", "id": 583231},
}


class Ran(NamedTuple):
    """How a job ended: its status, what it printed, its outputs, and the summary."""

    status: int
    said: str
    outputs: dict[str, str]
    summary: str


class Runner:
    """A clone of a repository, as a runner has it, and a place for what a runner keeps."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        first = Sandbox.of(folder / "first", {"a.py": A})
        self.there = Sandbox(folder / "there.git")
        first.git("clone", "-q", "--bare", str(first.root), str(self.there.root))
        first.git("clone", "-q", str(self.there.root), str(folder / "work"))
        self.repo = Sandbox(folder / "work")
        python = folder / f"temp/gitscalpel-{os.getuid()}/bin/python"  # as if it were installed already
        python.parent.mkdir(parents=True)
        python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
        python.chmod(0o755)

    def run(self, **variables: str) -> Ran:
        files = {name: self._folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.write_text("")
        sealed = {
            name: value for name, value in SEALED.items() if not name.startswith(("GIT_AUTHOR", "GIT_COMM"))
        }
        env = {"PATH": os.environ["PATH"], "HOME": str(self._folder), "CI": "true", **sealed}
        env |= {"RUNNER_TEMP": str(self._folder / "temp"), "GITHUB_ACTOR": "ada", "GITHUB_ACTOR_ID": "7"}
        env |= {name: str(file) for name, file in files.items()}
        words = ["bash", str(HOOKS / "run.sh")]
        done = subprocess.run(
            words, cwd=self.repo.root, env={**env, **variables}, capture_output=True, text=True, check=False
        )
        rows = files["GITHUB_OUTPUT"].read_text().splitlines()
        outputs = dict(row.split("=", 1) for row in rows)
        return Ran(
            done.returncode, done.stdout + done.stderr, outputs, files["GITHUB_STEP_SUMMARY"].read_text()
        )

    def shown(self, revision: str) -> str:
        return self.there.git("show", "-s", "--format=%an <%ae>%n%B", revision)


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


def test_a_changeset_is_pushed(runner: Runner) -> None:
    ran = runner.run(SCALPEL_CHANGES=CHANGE, SCALPEL_ONTO="main")
    assert ran.status == 0, ran.said
    assert (ran.outputs["state"], ran.outputs["branch"]) == ("pushed", f"scalpel/{ran.outputs['tx']}-two")
    assert runner.there.git("show", f"{ran.outputs['commit']}:a.py") == "def f():\n    return 2"
    assert runner.there.git("rev-parse", "main") == runner.repo.tip()
    assert runner.shown(ran.outputs["branch"]) == "ada <7+ada@users.noreply.github.com>\nTwo"
    assert "changes the body of `f` in `a.py`" in ran.summary
    assert json.loads(Path(ran.outputs["sarif"]).read_text())["runs"][0]["results"] == []


def test_a_patch_from_a_file_in_gitlabs_words(runner: Runner, tmp_path: Path) -> None:
    (runner.repo.root / "change.diff").write_text(
        "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 2\n"
    )
    runner.repo.git("checkout", "-q", "--detach")
    ran = runner.run(
        SCALPEL_FILE="change.diff",
        SCALPEL_ONTO="main",
        SCALPEL_REPORTS=str(tmp_path / "r"),
        GITLAB_USER_NAME="Bob",
    )
    assert ran.status == 0, ran.said
    rows = dict(row.split("=", 1) for row in (tmp_path / "r/scalpel.env").read_text().splitlines())
    assert (rows["SCALPEL_STATE"], rows["SCALPEL_BRANCH"]) == ("pushed", ran.outputs["branch"])
    assert (tmp_path / "r/scalpel.md").read_text() == ran.summary


@pytest.mark.parametrize("message", ["", "Return three"])
def test_who_suggested_it_is_credited(runner: Runner, tmp_path: Path, message: str) -> None:
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"action": "created", "comment": COMMENT}))
    ran = runner.run(GITHUB_EVENT_PATH=str(event), SCALPEL_MESSAGE=message)
    assert ran.status == 0, ran.said
    assert runner.there.git("show", f"{ran.outputs['branch']}:a.py") == "def f():\n    return 3"
    _, subject, _, credit = runner.shown(ran.outputs["branch"]).split("\n")[:4]
    assert subject == (message or "Apply a suggestion from review")
    assert credit == "Co-authored-by: octo-cat <583231+octo-cat@users.noreply.github.com>"


def test_a_job_that_failed_halfway_goes_on_with_the_same_branch(runner: Runner) -> None:
    log = runner.repo.root / ".git/refs/scalpel/ops"
    log.parent.mkdir(parents=True)
    log.with_suffix(".lock").mkdir()  # it can push, and not note that
    failed = runner.run(SCALPEL_CHANGES=CHANGE, SCALPEL_ONTO="main")
    assert failed.outputs["state"] == "refused", failed.said
    branches = runner.there.git("branch", "--list", "scalpel/*")
    assert branches
    log.with_suffix(".lock").rmdir()
    ran = runner.run(SCALPEL_CHANGES=CHANGE, SCALPEL_ONTO="main")
    assert (ran.status, runner.there.git("branch", "--list", "scalpel/*")) == (0, branches), ran.said


def test_what_cannot_be_written_is_told_and_no_trace_of_a_program(runner: Runner, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ran = runner.run(SCALPEL_CHANGES=CHANGE, SCALPEL_ONTO="main", SCALPEL_REPORTS=str(tmp_path / "file/in"))
    assert ran.status == 74
    assert "### Refused: `io_error`" in ran.said
    assert "the change is pushed, as scalpel/" in ran.said
    assert "Traceback" not in ran.said


def test_what_a_gate_refuses_is_pushed_nowhere(runner: Runner) -> None:
    broken: dict[str, Any] = {"ops": [{"op": "text", "path": "a.py", "old": "1", "new": "("}]}
    ran = runner.run(SCALPEL_CHANGES=json.dumps(broken))
    assert (ran.status, ran.outputs["state"], ran.outputs["code"]) == (1, "refused", "syntax_error")
    found, *_ = json.loads(Path(ran.outputs["sarif"]).read_text())["runs"][0]["results"]
    place = found["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("a.py", 2)
    assert "### Refused: `syntax_error`" in ran.summary
    assert runner.there.git("for-each-ref", "--format=%(refname:short)") == "main"
    assert runner.repo.git("for-each-ref", "refs/scalpel/tx") == ""


def test_two_jobs_at_once_push_two_branches(tmp_path: Path) -> None:
    runner = Runner(tmp_path)
    for number in (2, 3):
        change = CHANGE.replace('"2"', f'"{number}"')
        assert runner.run(SCALPEL_CHANGES=change).status == 0
    heads = runner.there.git("for-each-ref", "--format=%(refname:short)", "refs/heads").splitlines()
    assert len(heads) == 3


@pytest.mark.parametrize(
    ("variables", "code"),
    [
        ({}, "invalid_args"),
        ({"SCALPEL_FILE": "nowhere"}, "invalid_args"),
        ({"SCALPEL_CHANGES": "no patch at all"}, "invalid_args"),
        ({"SCALPEL_CHANGES": CHANGE, "SCALPEL_ONTO": "elsewhere"}, "invalid_args"),
        ({"SCALPEL_CHANGES": CHANGE, "SCALPEL_REMOTE": "elsewhere"}, "invalid_args"),
    ],
)
def test_what_makes_no_sense_is_said(runner: Runner, variables: dict[str, str], code: str) -> None:
    ran = runner.run(**variables)
    assert (ran.status, ran.outputs["code"]) == (2, code)
    assert ran.outputs["code"] in ran.summary
    assert runner.repo.git("for-each-ref", "refs/scalpel/tx") == ""


def test_the_action_hands_every_input_on_as_a_variable() -> None:
    """Within the script itself somebody's text would be a part of it."""
    import yaml

    action = yaml.safe_load((HOOKS / "github/action.yml").read_text())
    (step,) = action["runs"]["steps"]
    assert "${{" not in step["run"]
    used = "".join(step["env"].values())
    assert all(f"inputs.{name}" in used for name in action["inputs"])
    template = yaml.safe_load((HOOKS / "gitlab/scalpel.yml").read_text())
    assert template[".scalpel"]["script"][0].endswith("-m gitscalpel.ci")


def test_the_token_of_gitlabs_template_is_written_nowhere(runner: Runner) -> None:
    import yaml

    lines = yaml.safe_load((HOOKS / "gitlab/scalpel.yml").read_text())[".scalpel"]["before_script"]
    lines = [line for line in lines if not line.startswith(("git fetch", "git branch", "python3"))]
    root, secret = runner.repo.root, "glpat-the-very-secret"
    (root / ".scalpel-venv").mkdir()
    asked = "url=https://scalpel@git.example.org/g/p.git\n"
    variables = {"SCALPEL_TOKEN": secret, "CI_SERVER_HOST": "git.example.org", "CI_PROJECT_PATH": "g/p"}
    script = "\n".join([*lines, f"printf '{asked}' | git credential fill"])
    words = ["bash", "-euc", script]
    env = {**os.environ, **variables}
    done = subprocess.run(words, cwd=root, env=env, capture_output=True, text=True, check=True)
    assert f"username=scalpel\npassword={secret}\n" in done.stdout
    assert runner.repo.git("remote", "get-url", "--push", "origin") == asked.strip().removeprefix("url=")
    written = [path for path in root.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]
    assert written == []


def test_where_nobody_looks_for_reports_none_are_left(runner: Runner, tmp_path: Path) -> None:
    place = tmp_path / "nobody"
    place.mkdir()
    ran = runner.run(SCALPEL_CHANGES=CHANGE, TMPDIR=str(place), GITHUB_OUTPUT="")
    assert (ran.status, "pushed as" in ran.said) == (0, True)
    assert list(place.glob("scalpel-*")) == []


def test_modules_of_the_checkout_are_not_run(runner: Runner, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    for name in ("msgspec.py", "json.py", "venv.py", "gitscalpel/__init__.py", "gitscalpel/ci/__main__.py"):
        file = runner.repo.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"open({str(mark)!r}, 'w').close()\n")
    assert runner.run(SCALPEL_CHANGES=CHANGE).outputs["state"] == "pushed"
    assert not mark.exists()


def test_what_was_not_installed_to_its_end_is_installed_anew(runner: Runner, tmp_path: Path) -> None:
    place = tmp_path / f"temp/gitscalpel-{os.getuid()}"
    (place / "bin/python").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python3").write_text(
        f'#!/bin/sh\necho "$@" >&2; ln -sf {sys.executable} {place}/bin/python\n'
    )
    (tmp_path / "bin/python3").chmod(0o755)
    done = runner.run(
        PATH=f"{tmp_path}/bin:{os.environ['PATH']}", SCALPEL_CHANGES=CHANGE, GITSCALPEL_FROM="pip"
    )
    assert "venv --clear" in done.said


def test_a_folder_that_somebody_else_has_put_there_is_not_used(runner: Runner, tmp_path: Path) -> None:
    place = tmp_path / f"temp/gitscalpel-{os.getuid()}"
    place.rename(tmp_path / "theirs")
    place.symlink_to(tmp_path / "theirs")
    done = runner.run(SCALPEL_CHANGES=CHANGE)
    assert (done.status, done.outputs) == (1, {})
    assert "belongs to somebody else" in done.said


def test_findings_name_files_as_addresses(runner: Runner, tmp_path: Path) -> None:
    op = {"op": "write", "path": "so n\u00fc %.py", "content": "x = (\n"}
    done = runner.run(SCALPEL_CHANGES=json.dumps({"ops": [op]}), SCALPEL_REPORTS=str(tmp_path / "reports"))
    (result,) = json.loads((tmp_path / "reports/scalpel.sarif").read_text())["runs"][0]["results"]
    assert done.outputs["code"] == "syntax_error"
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "so%20n%C3%BC%20%25.py"


COMMANDS = (
    "::stop-commands::x",
    "  ::add-mask::a",
    "\t::set-output name=approved::true",
    "\u00a0::error::x",
    "a ##[add-matcher]x",
    "a\r::warning::x",
    "a\x0b::notice::x",
    "a\u2028::debug::x",
    "\x1b[0Ksection_start:1:x\r\x1b[0Kx",
)


@pytest.mark.parametrize("command", some(COMMANDS, 3))
def test_a_runner_reads_no_command_of_a_stranger(runner: Runner, command: str) -> None:
    changes = json.loads(CHANGE)
    for message, path in ((f"Two\n\n{command}", "a.py"), (command, "a.py"), ("Two", f"{command}/a.py")):
        changes["message"], changes["ops"][0]["path"] = message, path
        said = runner.run(SCALPEL_CHANGES=json.dumps(changes), SCALPEL_ONTO="main").said
        assert not [line for line in said.splitlines() if line.lstrip().startswith("::")]
        assert not any(sign in said for sign in ("##[", "\x1b", "\r"))


def test_the_author_is_who_has_started_the_job(runner: Runner) -> None:
    gitlab = {
        "GITLAB_CI": "true",
        "GITHUB_ACTOR": "",
        "GITLAB_USER_LOGIN": "bob",
        "CI_SERVER_HOST": "git.example",
    }
    ran = runner.run(SCALPEL_CHANGES=CHANGE, SCALPEL_ONTO="main", **gitlab, GITLAB_USER_NAME="Bob B")
    assert runner.shown(ran.outputs["branch"]) == "Bob B <bob@users.noreply.git.example>\nTwo"
    runner.repo.git("config", "user.email", "robot@example.org")
    runner.repo.git("config", "user.name", "Robot")
    other = CHANGE.replace("Two", "Other")
    ran = runner.run(SCALPEL_CHANGES=other, SCALPEL_ONTO="main")
    assert runner.shown(ran.outputs["branch"]) == "Robot <robot@example.org>\nOther"


def test_gitlabs_template_does_what_the_script_does(runner: Runner) -> None:
    """Its lines, without those that install: the job itself knows who has started it."""
    text = (HOOKS / "gitlab/scalpel.yml").read_text()
    lines = [line.strip().removeprefix("- ") for line in text.splitlines() if line.startswith("    - ")]
    wanted = [line for line in lines if "venv" not in line and "set-url" not in line]
    words = [*wanted, f"{sys.executable} -I -m gitscalpel.ci"]
    runner.repo.git("checkout", "-q", "--detach")
    env = {"PATH": os.environ["PATH"], "HOME": str(runner.repo.root.parent), "CI": "1", "GITLAB_CI": "true"}
    env |= {"GIT_CONFIG_NOSYSTEM": "1", "SCALPEL_CHANGES": CHANGE, "SCALPEL_ONTO": "main"}
    env |= {
        "GITLAB_USER_LOGIN": "carol",
        "GITLAB_USER_NAME": "Carol",
        "GITLAB_USER_EMAIL": "carol@example.org",
    }
    script = "\n".join(words)
    done = subprocess.run(
        ["bash", "-ec", script], cwd=runner.repo.root, env=env, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout
    log = runner.there.git("log", "--all", "--format=%an <%ae> %s")
    assert "Carol <carol@example.org> Two" in log
