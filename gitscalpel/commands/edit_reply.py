"""Run the operations of an editing command with one API call and build its reply."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from gitscalpel.api import BadCall, ScalpelError, changeset
from gitscalpel.changesets.answers import Edited, message_subject, quote_for_line
from gitscalpel.changesets.rules import POLICY_KEYS
from gitscalpel.commands.reply import Caller, ChangeRequest, Reply, ReplyText
from gitscalpel.errors.messages import Spelling, action, arg

if TYPE_CHECKING:
    from gitscalpel.api import Changeset, Result

EditAnswer = Edited
_WITHOUT_SYNTAX = re.compile(
    r"(?:.*/)?(?:\.?[^./:]+|[^/:]*\.(?:txt|text|log|csv|tsv)): no parser for this type of file"
)
"""Message about a file type without syntax. The text does not mention that such files were not checked."""
_MAX_ROWS = 10
"""Maximum number of missing checks that the text lists."""


def build_operation(op: str, fields: tuple[str, ...], request: ChangeRequest, **more: Any) -> dict[str, Any]:
    """Return the operation ``op`` with the requested ``fields`` that are set, and ``more``."""
    named = {name: getattr(request, name) for name in fields if hasattr(request, name)}
    return {"op": op, **{name: value for name, value in (named | more).items() if value is not None}}


def apply_operation(caller: Caller, request: ChangeRequest, operation: dict[str, Any]) -> Reply:
    """Apply one operation."""
    return apply_changeset(caller, request, changeset(operation, message=request.message))


def apply_changeset(caller: Caller, request: ChangeRequest, sent: Changeset, note: str = "") -> Reply:
    """Apply a changeset as the request says: try, stage, or land it. The reply includes ``note``."""
    if request.require_approval and not sent.require_approval:
        sent = msgspec.structs.replace(sent, require_approval=True)
    tx = caller.transaction(request)
    try:
        if tx is not None and request.no_record:
            words = f"{arg('no_record')} is for edits of the checkout, not of transaction {tx.id}"
            raise BadCall("invalid_args", words, f"leave out {arg('no_record')}")
        if tx is not None:
            return result_reply(tx.apply(sent, dry_run=request.dry_run), note)
        onto = (
            sent.onto
            if sent.onto and not (request.onto or request.checkout)
            else _find_target(caller, request, sent)
        )
        done = caller.edits.apply(
            sent,
            onto=onto,
            dry_run=request.dry_run,
            land=not request.no_land,
            wait=request.wait,
            record=not request.no_record,
        )
        return result_reply(done, note)
    except ScalpelError as error:
        if error.op is not None and not error.about:  # a gate reports only the index
            operation = sent.operations[error.op]
            raise error.at(error.op, operation.word, operation.path) from error
        raise


def _find_target(caller: Caller, request: ChangeRequest, sent: Changeset) -> str | None:
    """Return the target of a change. One that needs approval goes to a branch in any case."""
    if sent.require_approval and not request.checkout:
        return request.onto
    return caller.onto(request)


def result_reply(result: Result, note: str = "") -> Reply:
    """Return the reply for a transaction that was staged, landed or tried."""

    def words(spelling: Spelling) -> ReplyText:
        text, then = _edit_text(result, note, spelling)
        if result.tx is None:
            then = "\n".join([*([then] if then else []), *_missing_checks(result)])
        return ReplyText(text, result.patch.diff, then, brief=result.tx is not None, page=result.tx is None)

    return Reply(result.answer(note), words, result.said, result.next)


def _edit_text(result: Result, note: str, spelling: Spelling) -> tuple[str, str]:
    """Return the texts above and below the diff."""
    if result.tx is None and result.state == "edited":
        return "\n".join(
            [f"edited, not recorded: {message_subject(result.message)}", *file_lines(result)]
        ), ""
    if result.tx is None:
        return note, ""
    done = {"landed": "landed on", "edited": "edited, in"}.get(result.state, "staged for")
    what = f"{done if result.landed is None else 'landed on'} {result.target}"
    if result.state == "undone":
        what += " before, and undone since"
    if result.state == "dropped":
        what += " before, and dropped since"
    lines = [f"{what}: {message_subject(result.message)}  [{result.tx}]", *file_lines(result)]
    lines += [f"  {note}"] if note else []
    for row in result.facts.ops:
        lines += [f"  note: {note}" for note in row.corrections]
        lines += [f"  lead: {row.lead}"] if row.lead else []
        lines += [f"  matched: {row.matched}"] if row.matched and row.matched != "exact" else []
    lines += [f"  stale: {row.path}:{row.line}: {row.why}" for row in result.facts.stale_docs or ()]
    if result.state in ("undone", "dropped"):
        return "\n".join(lines), ""
    if result.state == "edited":
        lines += [f"  {words}" for words in _missing_checks(result)]
        return "\n".join(lines), f"undo with: {spelling.call(result.back)}"
    if result.landed:
        merged = [file.path for file in result.landed.files if file.what == "merged"]
        lines += [f"  {quote_for_line(path)}: your uncommitted changes stay on top" for path in merged]
        lines += [f"  {words}" for words in (*_checked_rules(result), *_missing_checks(result))]
        return "\n".join(lines), f"undo with: {spelling.call(result.back)}"
    lines += [f"  {words}" for words in result.facts.unchecked if words not in result.said]
    return "\n".join(lines), f"land with: {spelling.call(action('land', tx=result.tx))}"


def _checked_rules(result: Result) -> list[str]:
    """Return a line with the policy packs and team rules that checked the change."""
    names = [name for gate in result.facts.gates for name in gate.rules or () if name not in POLICY_KEYS]
    more = f" and {len(names) - _MAX_ROWS} more" if len(names) > _MAX_ROWS else ""
    return [f"policy: held against {', '.join(names[:_MAX_ROWS])}{more}"] if names else []


def _missing_checks(result: Result) -> list[str]:
    """Return a line for each missing check without a warning, up to a maximum."""
    rows = [
        words
        for words in result.facts.unchecked
        if words not in result.said and not _WITHOUT_SYNTAX.match(words)
    ]
    more = [f"{len(rows) - _MAX_ROWS} more were not checked"] if len(rows) > _MAX_ROWS else []
    return [f"unchecked: {words}" for words in rows[:_MAX_ROWS]] + more


def file_lines(result: Result) -> list[str]:
    """Return a line for each changed file."""
    return [f"  {quote_for_line(row.path)}  +{row.added} -{row.removed}" for row in result.patch.rows]
