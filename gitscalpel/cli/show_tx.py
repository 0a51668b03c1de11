"""Show a transaction, open or closed: its state, what was done, what changed."""

from __future__ import annotations

from gitscalpel import Result
from gitscalpel.cli import decision, edit, options, output
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.id(parser)
    options.json(parser)


def command(given: Given) -> None:
    data, decided = {}, []
    with output.opened() as repo:
        result = repo.lookup(output.chosen_id(repo, given))
        is_open = result.state in ("open", "checked")
        if is_open and result.files:
            standing = repo.transaction(str(result.tx)).standing
            if standing.needed.why or standing.decisions:
                data, decided = {"approval": decision.rows(standing)}, decision.words(standing)
    following = [f"git scalpel {verb} {result.tx}" for verb in ("land", "drop") if is_open]
    output.answer(
        "show-tx",
        {**result.data(), **data},
        _text(result, decided),
        given.json,
        diff=result.patch.diff,
        page=True,
        following=following,
    )


def _text(result: Result, decided: list[str]) -> str:
    lines = [
        f"{result.tx}  {result.state}  for {result.target}",
        *(f"    {line}" for line in result.message.splitlines()),
        *(f"  {row.kind} {row.symbol}" + (f" to {row.to}" if row.to else "") for row in result.facts.intents),
        *(f"  {gate.name}: {gate.status}" for gate in result.facts.gates),
        *decided,
        *edit.files(result),
    ]
    return "\n".join([*lines, "\n"] if result.files else [*lines, "  no changes"])
