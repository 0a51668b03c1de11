"""Shells complete commands, options and transactions, also after ``git``."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from gitscalpel.commands.table import COMMANDS
from tests.command import SEARCH, scalpel
from tests.sandbox import Sandbox

GIT = Path("/usr/share/bash-completion/completions/git")


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.py": b"def f(): pass\n"})


def _write_script(repo: Sandbox, shell: str) -> Path:
    file = repo.root.parent / f"_git-scalpel.{shell}"
    file.write_text(scalpel(repo.root, "completion", shell).out)
    return file


def _run(repo: Sandbox, *words: str) -> list[str]:
    environment = {"PATH": f"{SEARCH}:/usr/bin:/bin", "HOME": str(repo.root.parent), "TERM": "dumb"}
    done = subprocess.run(
        words, cwd=repo.root, capture_output=True, text=True, check=False, timeout=60, env=environment
    )
    assert done.returncode == 0, done.stderr
    return [line.strip() for line in done.stdout.splitlines()]


def _complete_in_bash(repo: Sandbox, *typed: str) -> list[str]:
    behind_git = typed[0] == "git"
    call = "__git_wrap__git_main" if behind_git else "_git_scalpel"
    quoted = " ".join(f"'{word}'" for word in typed)
    script = f"""
        {f"source {GIT}" if behind_git else ""}
        source {_write_script(repo, "bash")}
        COMP_WORDS=({quoted}) COMP_CWORD={len(typed) - 1} COMP_LINE="{" ".join(typed)}"
        COMP_POINT=${{#COMP_LINE}}
        {call}
        printf "%s\\n" "${{COMPREPLY[@]}}"
    """
    return _run(repo, "bash", "--norc", "-c", script)


_HAS_GIT = pytest.mark.skipif(not GIT.exists(), reason="completion of git is not installed")
CALLS = [("git-scalpel",), pytest.param(("git", "scalpel"), marks=_HAS_GIT)]


@pytest.mark.parametrize("call", CALLS)
def test_bash_completes_commands_options_values_and_transactions(
    repo: Sandbox, call: tuple[str, ...]
) -> None:
    tx = scalpel(repo.root, "begin", "--json").data["tx"]
    assert _complete_in_bash(repo, *call, "rec") == ["recover"]
    assert _complete_in_bash(repo, *call, "re")[:3] == ["refs", "replace", "rename"]
    assert _complete_in_bash(repo, *call, "replace", "--no") == ["--node", "--no-land", "--no-record"]
    assert _complete_in_bash(repo, *call, "replace", "a.py::f", "--lead", "") == ["auto", "keep", "drop"]
    assert _complete_in_bash(repo, *call, "replace", "a.py::f", "--tx", "") == [tx]
    assert _complete_in_bash(repo, *call, "land", "") == [tx]
    assert _complete_in_bash(repo, *call, "undo", "--onto", "") == ["main"]
    assert _complete_in_bash(repo, *call, "audit", "v") == ["verify"]
    assert _complete_in_bash(repo, *call, "schema", "red") == ["redo"]
    assert _complete_in_bash(repo, *call, "help", "answ") == ["answers"]
    assert _complete_in_bash(repo, *call, "mcp", "--dialect", "s") == ["serena"]
    assert _complete_in_bash(repo, *call, "mcp", "--confirm", "la") == ["land"]
    assert _complete_in_bash(repo, *call, "show", "") == [""]  # files, which bash itself offers


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish_completes_commands_options_values_and_transactions(repo: Sandbox) -> None:
    tx = scalpel(repo.root, "begin", "--json").data["tx"]
    script = _write_script(repo, "fish")

    def complete(line: str) -> list[str]:
        output = _run(repo, "fish", "--no-config", "-c", f"source {script}; complete -C '{line}'")
        return [each.partition("\t")[0] for each in output]

    for call in ("git-scalpel", "git scalpel"):
        assert set(complete(f"{call} re")) == {
            "refs",
            "replace",
            "rename",
            "reject",
            "redo",
            "restore",
            "recover",
            "review",
        }
        assert set(complete(f"{call} replace --no")) == {"--node", "--no-land", "--no-record"}
        assert complete(f"{call} replace --lead k") == ["keep"]
        assert complete(f"{call} land {tx[:2]}") == [tx]
        assert complete(f"{call} undo --onto m") == ["main"]


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_registers_the_script(repo: Sandbox) -> None:
    script = _write_script(repo, "zsh")
    command = f"autoload -U compinit; compinit -u -D; source {script}; print $_comps[git-scalpel]"
    assert _run(repo, "zsh", "-f", "-c", command) == ["_git-scalpel"]


@pytest.mark.skipif(not shutil.which("pwsh"), reason="PowerShell is not installed")
def test_powershell_completes_commands_options_values_and_transactions(repo: Sandbox) -> None:
    tx = scalpel(repo.root, "begin", "--json").data["tx"]
    script = _write_script(repo, "powershell").rename(repo.root.parent / "completion.ps1")

    def complete(line: str) -> list[str]:
        completion = (
            f"[System.Management.Automation.CommandCompletion]::CompleteInput('{line}', {len(line)}, $null)"
        )
        words = f". {script}; ({completion}).CompletionMatches | ForEach-Object CompletionText"
        return _run(repo, "pwsh", "-NoProfile", "-Command", words)

    assert complete("git-scalpel rec") == ["recover"]
    assert set(complete("git-scalpel replace --no")) == {"--node", "--no-land", "--no-record"}
    assert complete("git-scalpel replace --lead k") == ["keep"]
    assert complete(f"git-scalpel land {tx[:2]}") == [tx]
    assert complete("git-scalpel undo --onto m") == ["main"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_script_contains_every_command(repo: Sandbox, shell: str) -> None:
    text = _write_script(repo, shell).read_text()
    assert [verb for verb in COMMANDS if verb not in text] == []
    assert all(word in text for word in ("no-land", "occurrence", "take-over", "ok-status"))
    assert scalpel(repo.root, "completion", shell, "--json").data == {"shell": shell, "script": text}
    assert scalpel(repo.root, f"--show-completion={shell}").out.rstrip("\n") == text.rstrip("\n")


def test_unknown_shell_is_refused(repo: Sandbox) -> None:
    error = scalpel(repo.root, "completion", "tcsh", "--json").error
    assert (error["code"], "bash|zsh|fish|powershell" in error["hint"]) == ("invalid_args", True)
    error = scalpel(repo.root, "--show-completion", "tcsh", "--json").error
    assert (error["code"], "bash, zsh, fish, powershell" in error["hint"]) == ("invalid_args", True)


@pytest.mark.parametrize(
    ("shell", "file", "line"),
    [
        ("bash", ".bashrc", 'eval "$(git-scalpel completion bash)"'),
        ("zsh", ".zshrc", 'eval "$(git-scalpel completion zsh)"'),
        ("fish", ".config/fish/config.fish", "git-scalpel completion fish | source"),
        (
            "pwsh",
            ".config/powershell/Microsoft.PowerShell_profile.ps1",
            "git-scalpel completion powershell | Out-String | Invoke-Expression",
        ),
    ],
)
def test_installation_adds_one_line_and_names_the_file(
    tmp_path: Path, shell: str, file: str, line: str
) -> None:
    startup_file = tmp_path / file
    environment = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": "", "ZDOTDIR": "", "SHELL": f"/usr/bin/{shell}"}
    startup_file.parent.mkdir(parents=True, exist_ok=True)
    startup_file.write_bytes(b"# \xff: my own, without a line break")
    for call in (
        ["--install-completion"],
        ["--install-completion", shell],
        [f"--install-completion={shell}"],
    ):
        answer = scalpel(tmp_path, *call, env=environment)
        assert (answer.status, str(startup_file) in answer.out, line in answer.out) == (0, True, True), answer
    assert startup_file.read_bytes() == b"# \xff: my own, without a line break\n" + line.encode() + b"\n"


def test_unwritable_startup_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / ".bashrc").mkdir()
    refused = scalpel(tmp_path, "--install-completion", "bash", env={"HOME": str(tmp_path)})
    assert refused.status == 74
    assert ".bashrc" in refused.err
    assert 'add this line to a file that the shell reads at its start: eval "$(' in refused.err


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_script_loads_the_completion_system(repo: Sandbox) -> None:
    command = f"source {_write_script(repo, 'zsh')}; print $_comps[git-scalpel]"
    assert _run(repo, "zsh", "-f", "-c", command) == ["_git-scalpel"]
