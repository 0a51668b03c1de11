"""The hook ``reference-transaction``: detect branches that move without an entry in the operation log.

gitscalpel moves a branch and its log in one ref transaction. Every other move bypasses it: a commit by
hand, a pull, a received push, ``git update-ref``. ``scalpel.moves`` says whether such a move is refused
or recorded. A new branch at a commit that another branch already contains is not refused.
"""

from __future__ import annotations

from gitscalpel.changesets.answers import Judged, short
from gitscalpel.errors import GateRefused
from gitscalpel.git import refs
from gitscalpel.workspace import Workspace, refusal_log

KEY = "scalpel.moves"
_HEADS = "refs/heads/"


def check(ws: Workspace, words: tuple[str, ...], told: str) -> Judged:
    """Refuse, or put on record, what moves branches without the log.

    Args:
        ws: where.
        words: ``prepared``, ``committed`` or ``aborted``.
        told: what git tells the hook: a line for each ref.

    Raises:
        GateRefused: ``gate_failed``: before they move, where ``scalpel.moves`` is ``refuse``.
    """
    rows = [line.split(" ", 2) for line in told.splitlines()]
    branches = [row for row in rows if row[2].startswith(_HEADS)]
    # Of one that is removed wherever it was, both are none.
    moves = [(old, new, ref) for old, new, ref in branches if old != new or not new.strip("0")]
    state = words[0] if words else ""
    if any(ref == refs.OPS for _, _, ref in rows):
        return Judged(target="@moved")
    if state == "prepared":
        moves = [(old, new, ref) for old, new, ref in moves if not _is_new_name(ws, new, ref)]
    if not moves:
        return Judged(target="@moved")
    told_of = ", ".join(f"{short(ref)} {old[:10]}..{new[:10]}" for old, new, ref in moves)
    error = GateRefused(
        "gate_failed",
        f"{told_of} would move without a transaction",
        f"land it as a transaction; `git config {KEY} record` lets it pass and puts it on record",
    )
    setting = ws.repo.config.get(KEY)
    if setting == "refuse" and state == "prepared":
        raise error
    if setting == "record" and state == "committed":
        who = ws.session.environment.get("GIT_COMMITTER_NAME", "")
        attempt = refusal_log.Attempt("moved around", (), who, ws.session.agent, ws.session.now())
        moved = GateRefused("gate_failed", f"{told_of} moved without a transaction", "it has happened")
        refusal_log.keep(ws.repo.scalpel_dir, attempt, moved)
    return Judged(target="@moved")


def _is_new_name(ws: Workspace, new: str, ref: str) -> bool:
    """Whether there is no such branch yet, and one that there is holds the commit.

    What git tells as the old commit does not say so: it is none as well where a branch moves wherever it was.
    """
    git = ws.repo.git
    if not git.run("show-ref", "--verify", "--quiet", ref).status:
        return False
    found = git.run("rev-list", "--max-count=1", new, "--not", "--branches")
    return not found.status and not found.out
