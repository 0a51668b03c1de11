"""Completion for zsh: ``_git-scalpel`` is what its ``_git`` calls for ``git scalpel``."""

from __future__ import annotations

from collections.abc import Mapping

from gitscalpel.cli.shells.typed import Typed
from gitscalpel.verbs.table import Verb

_SCRIPT = """\
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


def script(typed: Mapping[Verb, list[Typed]]) -> str:
    """The script."""
    verbs = [f"        {_quoted(f'{verb.name}:{verb.help}')}" for verb in typed]
    options = [line for verb, words in typed.items() for line in _options(verb.name, words)]
    return _SCRIPT.replace("@VERBS@", "\n".join(verbs)).replace("@OPTIONS@", "\n".join(options))


def _options(verb: str, words: list[Typed]) -> list[str]:
    specs = [f"{name}[{_plain(word.words)}]{_given(word)}" for word in words for name in word.names]
    rest = [f"*{_given(word)}" for word in words if not word.names][:1]
    return [f"    {verb})", f"        _arguments -S {' '.join(map(_quoted, [*specs, *rest]))} ;;"]


def _given(word: Typed) -> str:
    """What an option or a word takes."""
    if not word.takes:
        return ""
    actions = {"id": "_git-scalpel-ids", "branch": "_git-scalpel-branches"}
    action = f"({' '.join(word.choices)})" if word.choices else actions.get(word.takes, "_files")
    return f":value:{action}"


def _plain(words: str) -> str:
    """A description, in which brackets and colons would end it."""
    return words.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def _quoted(words: str) -> str:
    return "'" + words.replace("'", "'\\''") + "'"
