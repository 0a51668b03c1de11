"""Show the branch, the open transactions and whether something needs recovery."""

from __future__ import annotations

from gitscalpel import recovery, shadow
from gitscalpel.cli import edit, output
from gitscalpel.git import refs
from gitscalpel.report import quoted, subject
from gitscalpel.workspace import Workspace


def command(json: edit.Json = False) -> None:
    with Workspace() as ws:
        pending = recovery.pending(ws.repo)
        staged = [shadow.load(ws, tx) for tx in sorted(refs.transactions(ws.repo))]
        head = ws.repo.head
        tip = ws.commit(head) if head else None
    branch = head.removeprefix("refs/heads/") if head else None
    rows = [
        {
            "tx": one.id,
            "state": one.state,
            "target": one.meta.branch.removeprefix("refs/heads/"),
            "message": one.meta.message,
            "base": one.base,
            "head": one.head,
            "paths": [quoted(change.path) for change in one.files],
        }
        for one in staged
    ]
    data = {
        "branch": branch,
        "tip": tip.oid if tip else None,
        "transactions": rows,
        "recovery_pending": pending,
    }
    lines = [
        f"on {branch} at {tip.oid[:12] if tip else 'no commit yet'}" if branch else "no branch is checked out"
    ]
    lines += [
        f"  {one.id}  {row['target']}  {subject(one.meta.message)}"
        for one, row in zip(staged, rows, strict=True)
    ]
    lines += [] if rows else ["no open transactions"]
    warnings = (
        ["a landing was killed; git scalpel recover finishes it (so does the next edit)"] if pending else []
    )
    output.answer("status", data, "\n".join(lines), json, warnings=warnings)
