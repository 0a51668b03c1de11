"""Shell completion scripts for bash, zsh, fish and PowerShell, and their installation.

In bash and zsh, git's own completion calls ``_git_scalpel`` or ``_git-scalpel`` for ``git scalpel``. fish
completes ``git-scalpel`` and ``git scalpel``. PowerShell completes only ``git-scalpel``: a native command
has one completer there, and one for ``git`` would replace git's own. The installation adds one line to
the shell's startup file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from gitscalpel.api import BadCall, InputOutput
from gitscalpel.cli.options import request_fields
from gitscalpel.cli.parser import CommandParser
from gitscalpel.commands.table import CommandEntry


class CompletedArgument(msgspec.Struct, frozen=True):
    """An option or positional argument of a command.

    Attributes:
        names: names of the option. Empty for a positional argument.
        words: description.
        takes: kind of value: ``""`` for none, ``id`` for a transaction, ``branch``, ``choice`` for one of
            ``choices``, ``else`` for anything else, such as a file.
        choices: possible values.
    """

    names: tuple[str, ...]
    words: str
    takes: str
    choices: tuple[str, ...] = ()


def list_arguments(verb: CommandEntry, parser: CommandParser) -> list[CompletedArgument]:
    """Return the options and positional arguments of a command."""
    offers = {
        field.name: field.how["offers"] for field in request_fields(verb.request) if "offers" in field.how
    }
    found = []
    for action in parser.list_actions():
        choices = tuple(map(str, action.choices or offers.get(action.dest, tuple)()))
        takes = "" if action.nargs == 0 else "choice" if choices else "else"
        if action.dest in ("tx", "ids"):
            takes = "id"
        if action.metavar == "BRANCH":
            takes = "branch"
        found.append(CompletedArgument(tuple(action.option_strings), action.help or "", takes, choices))
    return found


_SCRIPT_BASH = """\
# Completion of git scalpel for bash; beside git's own, which it needs behind `git`:
#   eval "$(git scalpel completion bash)"

_git_scalpel_offer() {
    local IFS=$' \\t\\n'
    COMPREPLY=($(compgen -W "$1" -- "$cur"))
    # git's completion adds no blanks itself.
    if [[ ${COMP_WORDS[0]##*/} == git ]]; then COMPREPLY=("${COMPREPLY[@]/%/ }"); fi
}

_git_scalpel_ids() {
    _git_scalpel_offer "$(git for-each-ref --format='%(refname:lstrip=3)' refs/scalpel/tx 2>/dev/null)"
}

_git_scalpel_branches() {
    _git_scalpel_offer "$(git for-each-ref --format='%(refname:short)' refs/heads 2>/dev/null)"
}

_git_scalpel() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} at=${__git_cmd_idx:-} i
    if [[ -z $at ]]; then
        at=0
        for ((i = 1; i < COMP_CWORD; i++)); do
            if [[ ${COMP_WORDS[0]##*/} == git && ${COMP_WORDS[i]} == scalpel ]]; then at=$i; break; fi
        done
    fi
    COMPREPLY=()
    local verb=${COMP_WORDS[at+1]}
    if ((COMP_CWORD == at + 1)); then
        _git_scalpel_offer "@VERBS@ --help --version --show-completion --install-completion"
        return
    fi
    case "$verb $prev" in
@VALUES@
    esac
    case "$verb" in
@OPTIONS@
    esac
}

complete -o bashdefault -o default -F _git_scalpel git-scalpel
"""


def bash_script(typed: Mapping[CommandEntry, list[CompletedArgument]]) -> str:
    """Return the script for bash. Where it offers nothing, bash offers files."""
    values = [line for verb, words in typed.items() for line in _bash_values(verb.name, words)]
    options = [line for verb, words in typed.items() for line in _bash_options(verb.name, words)]
    text = _SCRIPT_BASH.replace("@VERBS@", " ".join(verb.name for verb in typed))
    return text.replace("@VALUES@", "\n".join(values)).replace("@OPTIONS@", "\n".join(options))


def _bash_values(verb: str, words: list[CompletedArgument]) -> list[str]:
    """Return the cases for options that take a value."""
    found = []
    for word in words:
        if word.names and word.takes:
            pattern = " | ".join(f'"{verb} {name}"' for name in word.names)
            found.append(f"    {pattern}) {_bash_offer(word)}return ;;")
    return found


def _bash_options(verb: str, words: list[CompletedArgument]) -> list[str]:
    names = " ".join(name for word in words for name in word.names)
    given = next((_bash_offer(word) for word in words if not word.names), "")
    return [
        f"    {verb})",
        f'        if [[ $cur == -* ]]; then _git_scalpel_offer "{names}"; return; fi',
        *([f"        {given.rstrip('; ')}"] if given else []),
        "        ;;",
    ]


def _bash_offer(word: CompletedArgument) -> str:
    if word.takes in ("id", "branch"):
        return "_git_scalpel_ids; " if word.takes == "id" else "_git_scalpel_branches; "
    return f'_git_scalpel_offer "{" ".join(word.choices)}"; ' if word.choices else ""


_SCRIPT_ZSH = """\
#compdef git-scalpel
# Completion of git scalpel for zsh: as _git-scalpel in a folder of $fpath, or behind compinit:
#   eval "$(git scalpel completion zsh)"

zstyle ':completion:*:*:git:*' user-commands scalpel:'edit code in transactions'

_git-scalpel-ids() {
    local -a ids
    ids=(${(f)"$(git for-each-ref --format='%(refname:lstrip=3)' refs/scalpel/tx 2>/dev/null)"})
    compadd -a ids
}

_git-scalpel-branches() {
    local -a branches
    branches=(${(f)"$(git for-each-ref --format='%(refname:short)' refs/heads 2>/dev/null)"})
    compadd -a branches
}

_git-scalpel() {
    local -a verbs
    verbs=(
@VERBS@
    )
    if ((CURRENT == 2)); then
        _describe -t commands 'git scalpel command' verbs
        return
    fi
    shift words
    ((CURRENT--))
    case $words[1] in
@OPTIONS@
    esac
}

if [[ $funcstack[1] == _git-scalpel ]]; then
    _git-scalpel "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
    compdef _git-scalpel git-scalpel
fi
"""


def zsh_script(typed: Mapping[CommandEntry, list[CompletedArgument]]) -> str:
    """Return the script for zsh."""
    verbs = [f"        {_quote_zsh(f'{verb.name}:{verb.help}')}" for verb in typed]
    options = [line for verb, words in typed.items() for line in _zsh_options(verb.name, words)]
    return _SCRIPT_ZSH.replace("@VERBS@", "\n".join(verbs)).replace("@OPTIONS@", "\n".join(options))


def _zsh_options(verb: str, words: list[CompletedArgument]) -> list[str]:
    specs = [f"{name}[{_escape_zsh(word.words)}]{_zsh_value(word)}" for word in words for name in word.names]
    rest = [f"*{_zsh_value(word)}" for word in words if not word.names][:1]
    return [f"    {verb})", f"        _arguments -S {' '.join(map(_quote_zsh, [*specs, *rest]))} ;;"]


def _zsh_value(word: CompletedArgument) -> str:
    """Return zsh's specification of the value of an option."""
    if not word.takes:
        return ""
    actions = {"id": "_git-scalpel-ids", "branch": "_git-scalpel-branches"}
    action = f"({' '.join(word.choices)})" if word.choices else actions.get(word.takes, "_files")
    return f":value:{action}"


def _escape_zsh(words: str) -> str:
    """Escape brackets and colons, which would end a description."""
    return words.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def _quote_zsh(words: str) -> str:
    return "'" + words.replace("'", "'\\''") + "'"


_SCRIPT_FISH = """\
# Completion of git scalpel for fish, in ~/.config/fish/conf.d or:
#   git scalpel completion fish | source

function __git_scalpel_at
    set -l words (commandline -opc)
    if string match -qr '(^|/)git$' -- $words[1]
        test "$words[2]" = scalpel; or return 1
        set -e words[1]
    end
    test "$words[2]" = "$argv[1]"
end

function __git_scalpel_ids
    git for-each-ref --format='%(refname:lstrip=3)' refs/scalpel/tx 2>/dev/null
end

function __git_scalpel_branches
    git for-each-ref --format='%(refname:short)' refs/heads 2>/dev/null
end

complete -c git -n __fish_git_needs_command -a scalpel -d 'Edit code in transactions'
for command in git git-scalpel
@LINES@
end
"""


def fish_script(typed: Mapping[CommandEntry, list[CompletedArgument]]) -> str:
    """Return the script for fish."""
    lines = [f"""-n '__git_scalpel_at ""' -f -a {verb.name} -d {_quote_fish(verb.help)}""" for verb in typed]
    lines += [
        f"-n '__git_scalpel_at {verb.name}' {words}"
        for verb, given in typed.items()
        for words in _fish_lines(given)
    ]
    return _SCRIPT_FISH.replace("@LINES@", "\n".join(f"    complete -c $command {line}" for line in lines))


def _fish_lines(words: list[CompletedArgument]) -> list[str]:
    found = []
    for word in words:
        names = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in word.names]
        described = [f"-d {_quote_fish(word.words)}"] if names else []
        line = [*names, *_fish_value(word), *described]
        found += [" ".join(line)] if line else []
    return found


def _fish_value(word: CompletedArgument) -> list[str]:
    """Return fish's flags for the value of an option."""
    offered = {"id": "(__git_scalpel_ids)", "branch": "(__git_scalpel_branches)"}.get(word.takes)
    offered = " ".join(word.choices) or offered
    if offered is not None:
        return ["-x" if word.names else "-f", "-a", _quote_fish(offered)]
    return ["-r"] if word.takes and word.names else []


def _quote_fish(words: str) -> str:
    return "'" + words.replace("\\", "\\\\").replace("'", "\\'") + "'"


_SCRIPT_POWERSHELL = """\
# Completion of git-scalpel for PowerShell, in the file that $PROFILE names:
#   git-scalpel completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName git-scalpel -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $verbs = @(
@VERBS@
    )
    # Names, values and description of each option; a word that is given by its place has no name.
    $options = @{
@OPTIONS@
    }
    $typed = @($commandAst.CommandElements | ForEach-Object { $_.Extent.Text })
    if ($wordToComplete) { $typed = @($typed | Select-Object -SkipLast 1) }
    if ($typed.Count -lt 2) {
        $offered = $verbs
    } else {
        $rows = @($options[$typed[1]])
        $row = $rows | Where-Object {
            $names, $values, $words = $_ -split '\\|', 3
            $values -and (($names -split ' ') -ccontains $typed[-1])
        } | Select-Object -First 1
        if (-not $row -and -not $wordToComplete.StartsWith('-')) {
            $row = $rows | Where-Object { $_.StartsWith('|') } | Select-Object -First 1
        }
        if ($row) {
            $values = ($row -split '\\|', 3)[1]
            $offered = switch ($values) {
                '@id' { git for-each-ref '--format=%(refname:lstrip=3)' refs/scalpel/tx 2>$null }
                '@branch' { git for-each-ref '--format=%(refname:short)' refs/heads 2>$null }
                '@file' { }
                default { $values -split ' ' }
            }
        } else {
            $offered = $rows | ForEach-Object {
                $names, $values, $words = $_ -split '\\|', 3
                $names -split ' ' | Where-Object { $_ } | ForEach-Object { "$_|$words" }
            }
        }
    }
    $offered | Where-Object { $_ -and $_.StartsWith($wordToComplete) } | ForEach-Object {
        $name, $words = $_ -split '\\|', 2
        if (-not $words) { $words = $name }
        [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $words)
    }
}
"""


def powershell_script(typed: Mapping[CommandEntry, list[CompletedArgument]]) -> str:
    """Return the script for PowerShell. Where it offers nothing, PowerShell offers files."""
    verbs = [f"        {_quote_powershell(f'{verb.name}|{verb.help}')}" for verb in typed]
    options = [
        f"        '{verb.name}' = @({', '.join(map(_powershell_row, words))})"
        for verb, words in typed.items()
    ]
    return _SCRIPT_POWERSHELL.replace("@VERBS@", "\n".join(verbs)).replace("@OPTIONS@", "\n".join(options))


def _powershell_row(word: CompletedArgument) -> str:
    values = {"id": "@id", "branch": "@branch", "else": "@file"}.get(word.takes, " ".join(word.choices))
    return _quote_powershell(f"{' '.join(word.names)}|{values}|{word.words}")


def _quote_powershell(words: str) -> str:
    return "'" + words.replace("'", "''") + "'"


_STARTUP_FILES = {
    "bash": ("HOME", ".bashrc", 'eval "$(git-scalpel completion bash)"'),
    "zsh": ("ZDOTDIR", ".zshrc", 'eval "$(git-scalpel completion zsh)"'),
    "fish": ("XDG_CONFIG_HOME", "fish/config.fish", "git-scalpel completion fish | source"),
    "powershell": (
        "XDG_CONFIG_HOME",
        "powershell/Microsoft.PowerShell_profile.ps1",
        "git-scalpel completion powershell | Out-String | Invoke-Expression",
    ),
}
"""Directory variable and startup file of each shell, and the line that loads the completion."""


def find_shell(name: str, environment: Mapping[str, str]) -> str:
    """Return a supported shell by name, by default the user's shell.

    Raises:
        BadCall: ``invalid_args``: there is no completion for the shell.
    """
    shell = (name or Path(environment.get("SHELL", "")).name).replace("pwsh", "powershell")
    if shell not in _STARTUP_FILES:
        hint = f"name one: {', '.join(_STARTUP_FILES)}"
        raise BadCall("invalid_args", f"no completion for the shell {shell or 'of this user'}", hint)
    return shell


def install(shell: str, environment: Mapping[str, str]) -> str:
    """Add the line to the shell's startup file, and return a message with its name.

    Raises:
        InputOutput: ``io_error``: the file cannot be read or written.
    """
    folder, name, line = _STARTUP_FILES[shell]
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
