"""Completion for fish, of ``git-scalpel`` and behind ``git``."""

from __future__ import annotations

from collections.abc import Mapping

from gitscalpel.cli.shells.typed import Typed
from gitscalpel.verbs.table import Verb

_SCRIPT = """\
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


def script(typed: Mapping[Verb, list[Typed]]) -> str:
    """The script."""
    lines = [f"""-n '__git_scalpel_at ""' -f -a {verb.name} -d {_quoted(verb.help)}""" for verb in typed]
    lines += [
        f"-n '__git_scalpel_at {verb.name}' {words}"
        for verb, given in typed.items()
        for words in _lines(given)
    ]
    return _SCRIPT.replace("@LINES@", "\n".join(f"    complete -c $command {line}" for line in lines))


def _lines(words: list[Typed]) -> list[str]:
    found = []
    for word in words:
        names = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in word.names]
        described = [f"-d {_quoted(word.words)}"] if names else []
        line = [*names, *_given(word), *described]
        found += [" ".join(line)] if line else []
    return found


def _given(word: Typed) -> list[str]:
    """What an option or a word takes."""
    offered = {"id": "(__git_scalpel_ids)", "branch": "(__git_scalpel_branches)"}.get(word.takes)
    offered = " ".join(word.choices) or offered
    if offered is not None:
        return ["-x" if word.names else "-f", "-a", _quoted(offered)]
    return ["-r"] if word.takes and word.names else []


def _quoted(words: str) -> str:
    return "'" + words.replace("\\", "\\\\").replace("'", "\\'") + "'"
