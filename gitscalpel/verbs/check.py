"""Gates judge an open transaction without landing it, what the checkout would make, or what is staged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from gitscalpel.api import BadCall, GateRefused
from gitscalpel.changesets.answers import CHECKOUT, Edited, Fixes, GateRow, Judged, shown
from gitscalpel.errors.messages import Spelling, action, arg
from gitscalpel.verbs import editing, risks
from gitscalpel.verbs.asked import Count, Named, said
from gitscalpel.verbs.reply import Caller, Reply, Words, plain

_FILES = ("+++", "---")
"""Beginnings of the lines of a diff that name files."""
Answer = Edited | Judged | Fixes


class Request(Named, frozen=True, kw_only=True):
    """Which one."""

    fresh: Annotated[bool, said("Run commands again whose verdict is known.")] = False
    staged: Annotated[
        bool, said("What is staged, by the gates that only read: for a hook, or before a commit.")
    ] = False
    only: Annotated[
        tuple[str, ...],
        said("Of these only some: syntax,structure,policy,docs.", "GATES", form="commas"),
    ] = ()
    fixes: Annotated[
        bool, said("List what servers and linters find new, with the fixes that they offer.")
    ] = False
    apply: Annotated[Count | None, said("Apply the fix with this number.", "N")] = None


def perform(caller: Caller, asked: Request) -> Reply:
    """Judge it."""
    if asked.staged:
        return _staged(caller, asked)
    if asked.only:
        raise BadCall("invalid_args", f"{arg('only')} is for what is staged", f"give {arg('staged')} as well")
    here = asked.tx == CHECKOUT
    if asked.apply is not None:
        return _applied(caller, asked, asked.apply)
    if asked.fixes:
        return _fixes(caller, asked)
    result = (
        caller.repo.check_checkout(fresh=asked.fresh)
        if here
        else caller.chosen(asked).check(fresh=asked.fresh)
    )
    lines = [gate_line(gate) for gate in result.facts.gates]
    text = "\n".join(lines + (risks.words(result.facts.risk) if result.facts.risk else []))
    then = () if here else (action("land", tx=result.tx),)
    return Reply(result.answer(), plain(text), result.said, then)


def _applied(caller: Caller, asked: Request, number: int) -> Reply:
    """Apply one of the fixes that are offered."""
    if asked.tx == CHECKOUT:
        return editing.told(caller.repo.take_fix_in_checkout(number, fresh=asked.fresh))
    return editing.told(caller.chosen(asked).take_fix(number, fresh=asked.fresh))


def _fixes(caller: Caller, asked: Request) -> Reply:
    """List what is offered."""
    if asked.tx == CHECKOUT:
        found = caller.repo.fixes_of_checkout(fresh=asked.fresh)
    else:
        found = caller.chosen(asked).fixes(fresh=asked.fresh)
    lines = []
    for row in found.diagnostics:
        lines.append(f"{shown(row.path)}:{row.line}:{row.column}: {row.severity}: {row.message} [{row.by}]")
        for fix in row.fixes:
            lines.append(f"  {fix.n}. {fix.title}" + ("" if fix.is_safe else " (unsafe)"))
            lines += [
                f"     {line}"
                for line in fix.diff.splitlines()
                if line[:1] in "+-" and line[:3] not in _FILES
            ]
        lines += [] if row.fixes else ["  no fix is offered"]
    lines += [f"unchecked: {words}" for words in found.unchecked]
    return Reply(found, plain("\n".join(lines) or "nothing new is wrong, as far as anybody was asked"))


def _staged(caller: Caller, asked: Request) -> Reply:
    if asked.tx or asked.fresh or asked.fixes or asked.apply:
        words = f"{arg('staged')} goes with nothing but {arg('only')}"
        raise BadCall("invalid_args", words, "no transaction is staged, and no command runs")
    try:
        return judged(caller.repo.check_staged(only=asked.only))
    except GateRefused as error:
        return refused(error)


def judged(done: Judged) -> Reply:
    """The reply for what somebody made with git, and gates let pass."""
    lines = [gate_line(gate) for gate in done.gates]
    found = [{"gate": gate.name, **_row(each)} for gate in done.gates for each in gate.findings]
    text = "\n".join([*lines, *places(found), *(f"unchecked: {words}" for words in done.unchecked)])
    return Reply(done, plain(text or "nothing is to be judged"))


def gate_line(gate: GateRow) -> str:
    """Return the verdict of a gate, with the rules that it asked."""
    return f"{gate.name}: {gate.status}" + (f" ({', '.join(gate.rules)})" if gate.rules else "")


def refused(error: GateRefused) -> Reply:
    """The reply for what they refuse: each place, as compilers name one."""
    found = places(error.data["findings"])

    def words(spelling: Spelling) -> Words:
        return Words("\n".join([*found, f"hint: {error.told(spelling)[1]}"]), complete=True)

    return Reply(None, words, wrong=error)


def places(found: Iterable[Mapping[str, Any]]) -> list[str]:
    """A line for each finding."""
    return [
        f"{row['path']}:{row['line']}:{row['column']}: "
        f"{'' if row['severity'] == 'error' else 'warning: '}{row['message']} [{row['gate']}]"
        f"{' in ' + row['commit'] if 'commit' in row else ''}"
        for row in found
    ]


def _row(found: Any) -> dict[str, Any]:
    return {name: getattr(found, name) for name in found.__struct_fields__}
