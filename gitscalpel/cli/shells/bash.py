"""Completion for bash: ``_git_scalpel`` is what git's own completion calls for ``git scalpel``."""

from __future__ import annotations

from collections.abc import Mapping

from gitscalpel.cli.shells.typed import Typed
from gitscalpel.verbs.table import Verb

_SCRIPT = """\
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


def script(typed: Mapping[Verb, list[Typed]]) -> str:
    """The script; where nothing is offered, bash offers files."""
    values = [line for verb, words in typed.items() for line in _values(verb.name, words)]
    options = [line for verb, words in typed.items() for line in _options(verb.name, words)]
    text = _SCRIPT.replace("@VERBS@", " ".join(verb.name for verb in typed))
    return text.replace("@VALUES@", "\n".join(values)).replace("@OPTIONS@", "\n".join(options))


def _values(verb: str, words: list[Typed]) -> list[str]:
    """What stands behind an option that takes a value."""
    found = []
    for word in words:
        if word.names and word.takes:
            pattern = " | ".join(f'"{verb} {name}"' for name in word.names)
            found.append(f"    {pattern}) {_offer(word)}return ;;")
    return found


def _options(verb: str, words: list[Typed]) -> list[str]:
    names = " ".join(name for word in words for name in word.names)
    given = next((_offer(word) for word in words if not word.names), "")
    return [
        f"    {verb})",
        f'        if [[ $cur == -* ]]; then _git_scalpel_offer "{names}"; return; fi',
        *([f"        {given.rstrip('; ')}"] if given else []),
        "        ;;",
    ]


def _offer(word: Typed) -> str:
    if word.takes in ("id", "branch"):
        return "_git_scalpel_ids; " if word.takes == "id" else "_git_scalpel_branches; "
    return f'_git_scalpel_offer "{" ".join(word.choices)}"; ' if word.choices else ""
