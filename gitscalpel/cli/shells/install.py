"""Completion from the next start of a shell on: a line in the file that the shell reads then."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gitscalpel.api import BadCall, InputOutput

_STARTS = {
    "bash": ("HOME", ".bashrc", 'eval "$(git-scalpel completion bash)"'),
    "zsh": ("ZDOTDIR", ".zshrc", 'eval "$(git-scalpel completion zsh)"'),
    "fish": ("XDG_CONFIG_HOME", "fish/config.fish", "git-scalpel completion fish | source"),
    "powershell": (
        "XDG_CONFIG_HOME",
        "powershell/Microsoft.PowerShell_profile.ps1",
        "git-scalpel completion powershell | Out-String | Invoke-Expression",
    ),
}
"""The folder and file that a shell reads at its start, and the line that completes the command line."""


def shell_of(name: str, environment: Mapping[str, str]) -> str:
    """Return a shell by its name, by default that of the user.

    Raises:
        BadCall: ``invalid_args``: there is no completion for the shell.
    """
    shell = (name or Path(environment.get("SHELL", "")).name).replace("pwsh", "powershell")
    if shell not in _STARTS:
        hint = f"name one: {', '.join(_STARTS)}"
        raise BadCall("invalid_args", f"no completion for the shell {shell or 'of this user'}", hint)
    return shell


def install(shell: str, environment: Mapping[str, str]) -> str:
    """Add the line to the file, and return which file that is.

    Raises:
        InputOutput: ``io_error``: the file cannot be read or written.
    """
    folder, name, line = _STARTS[shell]
    home = Path(environment.get("HOME") or Path.home())
    default = home / ".config" if folder == "XDG_CONFIG_HOME" else home
    file = Path(environment.get(folder) or default) / name
    try:
        before = file.read_bytes() if file.exists() else b""
        if line.encode() in before.splitlines():
            return f"{file} has the line already: {line}"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("ab") as opened:
            opened.write(b"\n" * (not before.endswith(b"\n") and before != b"") + line.encode() + b"\n")
    except OSError as error:
        hint = f"add this line to a file that the shell reads at its start: {line}"
        raise InputOutput("io_error", f"{file}: {error.strerror}", hint) from None
    return f"added to {file}: {line}\nit takes effect when {shell} starts next"
