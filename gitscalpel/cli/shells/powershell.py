"""Completion for PowerShell, of ``git-scalpel`` alone.

A native command has one completer there: one for ``git`` would replace that of git.
"""

from __future__ import annotations

from collections.abc import Mapping

from gitscalpel.cli.shells.typed import Typed
from gitscalpel.verbs.table import Verb

_SCRIPT = """\
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


def script(typed: Mapping[Verb, list[Typed]]) -> str:
    """Return the script; where nothing is offered, PowerShell offers files."""
    verbs = [f"        {_quote(f'{verb.name}|{verb.help}')}" for verb in typed]
    options = [f"        '{verb.name}' = @({', '.join(map(_row, words))})" for verb, words in typed.items()]
    return _SCRIPT.replace("@VERBS@", "\n".join(verbs)).replace("@OPTIONS@", "\n".join(options))


def _row(word: Typed) -> str:
    values = {"id": "@id", "branch": "@branch", "else": "@file"}.get(word.takes, " ".join(word.choices))
    return _quote(f"{' '.join(word.names)}|{values}|{word.words}")


def _quote(words: str) -> str:
    return "'" + words.replace("'", "''") + "'"
