"""What shells offer: the verbs, their options, and transactions; also behind git."""

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


def _script(repo: Sandbox, shell: str) -> Path:
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


def _bash(repo: Sandbox, *typed: str) -> list[str]:
    behind_git = typed[0] == "git"
    call = "__git_wrap__git_main" if behind_git else "_git_scalpel"
    quoted = " ".join(f"'{word}'" for word in typed)
    script = f"""
        {f"source {GIT}" if behind_git else ""}
        source {_script(repo, "bash")}
        COMP_WORDS=({quoted}) COMP_CWORD={len(typed) - 1} COMP_LINE="{" ".join(typed)}"
        COMP_POINT=${{#COMP_LINE}}
        {call}
        printf "%s\\n" "${{COMPREPLY[@]}}"
    """
    return _run(repo, "bash", "--norc", "-c", script)


_HAS_GIT = pytest.mark.skipif(not GIT.exists(), reason="there is no completion of git")
CALLS = [("git-scalpel",), pytest.param(("git", "scalpel"), marks=_HAS_GIT)]


@pytest.mark.parametrize("call", CALLS)
def test_bash_offers_verbs_options_values_and_transactions(repo: Sandbox, call: tuple[str, ...]) -> None:
    tx = scalpel(repo.root, "begin", "--json").data["tx"]
    assert _bash(repo, *call, "rec") == ["recover"]
    assert _bash(repo, *call, "re")[:3] == ["refs", "replace", "rename"]
    assert _bash(repo, *call, "replace", "--no") == ["--node", "--no-land", "--no-record"]
    assert _bash(repo, *call, "replace", "a.py::f", "--lead", "") == ["auto", "keep", "drop"]
    assert _bash(repo, *call, "replace", "a.py::f", "--tx", "") == [tx]
    assert _bash(repo, *call, "land", "") == [tx]
    assert _bash(repo, *call, "undo", "--onto", "") == ["main"]
    assert _bash(repo, *call, "audit", "v") == ["verify"]
    assert _bash(repo, *call, "schema", "red") == ["redo"]
    assert _bash(repo, *call, "help", "answ") == ["answers"]
    assert _bash(repo, *call, "mcp", "--dialect", "s") == ["serena"]
    assert _bash(repo, *call, "mcp", "--confirm", "la") == ["land"]
    assert _bash(repo, *call, "show", "") == [""]  # files, which bash itself offers


@pytest.mark.skipif(not shutil.which("fish"), reason="there is no fish")
def test_fish_offers_the_same(repo: Sandbox) -> None:
    tx = scalpel(repo.root, "begin", "--json").data["tx"]
    script = _script(repo, "fish")

    def offered(line: str) -> list[str]:
        said = _run(repo, "fish", "--no-config", "-c", f"source {script}; complete -C '{line}'")
        return [each.partition("\t")[0] for each in said]

    for call in ("git-scalpel", "git scalpel"):
        assert set(offered(f"{call} re")) == {
            "refs",
            "replace",
            "rename",
            "reject",
            "redo",
            "restore",
            "recover",
            "review",
        }
        assert set(offered(f"{call} replace --no")) == {"--node", "--no-land", "--no-record"}
        assert offered(f"{call} replace --lead k") == ["keep"]
        assert offered(f"{call} land {tx[:2]}") == [tx]
        assert offered(f"{call} undo --onto m") == ["main"]


@pytest.mark.skipif(not shutil.which("zsh"), reason="there is no zsh")
def test_zsh_reads_it(repo: Sandbox) -> None:
    script = _script(repo, "zsh")
    said = f"autoload -U compinit; compinit -u -D; source {script}; print $_comps[git-scalpel]"
    assert _run(repo, "zsh", "-f", "-c", said) == ["_git-scalpel"]


@pytest.mark.skipif(not shutil.which("pwsh"), reason="there is no PowerShell")
def test_powershell_offers_the_same(repo: Sandbox) -> None:
    tx = scalpel(repo.root, "begin", "--json").data["tx"]
    script = _script(repo, "powershell").rename(repo.root.parent / "completion.ps1")

    def offered(line: str) -> list[str]:
        asked = (
            f"[System.Management.Automation.CommandCompletion]::CompleteInput('{line}', {len(line)}, $null)"
        )
        words = f". {script}; ({asked}).CompletionMatches | ForEach-Object CompletionText"
        return _run(repo, "pwsh", "-NoProfile", "-Command", words)

    assert offered("git-scalpel rec") == ["recover"]
    assert set(offered("git-scalpel replace --no")) == {"--node", "--no-land", "--no-record"}
    assert offered("git-scalpel replace --lead k") == ["keep"]
    assert offered(f"git-scalpel land {tx[:2]}") == [tx]
    assert offered("git-scalpel undo --onto m") == ["main"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_every_verb_and_option_stands_in_it(repo: Sandbox, shell: str) -> None:
    text = _script(repo, shell).read_text()
    assert [verb for verb in COMMANDS if verb not in text] == []
    assert all(word in text for word in ("no-land", "occurrence", "take-over", "ok-status"))
    assert scalpel(repo.root, "completion", shell, "--json").data == {"shell": shell, "script": text}
    assert scalpel(repo.root, f"--show-completion={shell}").out.rstrip("\n") == text.rstrip("\n")


def test_another_shell_is_refused(repo: Sandbox) -> None:
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
def test_it_is_installed_once_and_says_which_file_changes(
    tmp_path: Path, shell: str, file: str, line: str
) -> None:
    there = tmp_path / file
    environment = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": "", "ZDOTDIR": "", "SHELL": f"/usr/bin/{shell}"}
    there.parent.mkdir(parents=True, exist_ok=True)
    there.write_bytes(b"# \xff: my own, without a line break")
    for call in (
        ["--install-completion"],
        ["--install-completion", shell],
        [f"--install-completion={shell}"],
    ):
        said = scalpel(tmp_path, *call, env=environment)
        assert (said.status, str(there) in said.out, line in said.out) == (0, True, True), said
    assert there.read_bytes() == b"# \xff: my own, without a line break\n" + line.encode() + b"\n"


def test_a_start_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / ".bashrc").mkdir()
    refused = scalpel(tmp_path, "--install-completion", "bash", env={"HOME": str(tmp_path)})
    assert refused.status == 74
    assert ".bashrc" in refused.err
    assert 'add this line to a file that the shell reads at its start: eval "$(' in refused.err


@pytest.mark.skipif(not shutil.which("zsh"), reason="there is no zsh")
def test_zsh_loads_its_completion_system_where_nothing_has(repo: Sandbox) -> None:
    said = f"source {_script(repo, 'zsh')}; print $_comps[git-scalpel]"
    assert _run(repo, "zsh", "-f", "-c", said) == ["_git-scalpel"]
