"""The refusal that names every file of the user's that stands against a landing, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gitscalpel.errors import WorldMoved
from gitscalpel.errors.messages import place
from gitscalpel.git.plan import Blocked
from gitscalpel.git.repository import Repository
from gitscalpel.git.run import listing, paths

_WORDS = {
    "staged": "has changes in the index",
    "unmerged": "is unmerged in the index",
    "in_the_way": "stands in the way and is not tracked",
    "ignored": "stands in the way and is ignored by git",
    "deleted": "has been deleted",
    "changed": "has uncommitted changes, and would be removed",
    "overlap": "has uncommitted changes that overlap",
    "filtered": "holds what its clean filter keeps from git, where it would change",
    "moved": "has been changed just now",
}
_HINTS = {
    "staged": "commit the changes, or put them aside (`git stash`)",
    "unmerged": "resolve the conflict and commit",
    "in_the_way": "move it away, or `git add {path}` and commit it",
    "ignored": "move it away",
    "deleted": "restore it (`git restore {path}`) or commit the deletion",
    "changed": "put the changes aside (`git stash`)",
    "overlap": "put the changes aside (`git stash`)",
    "filtered": "copy it away, remove it and run `git checkout -- {path}`",
    "moved": "let the other program end",
}
_MOST = 3
"""Files that a hint names."""
_SHOWN = {
    "S": "--no-skip-worktree",
    "s": "--no-skip-worktree",
    "h": "--no-assume-unchanged",
}
"""Options that show a file to git again, by its flag in ``ls-files -v``: `git stash` overlooks the others."""


def refusal(repo: Repository | None, blocked: Sequence[Blocked]) -> WorldMoved:
    """The error for ``blocked``; with ``repo``, what is ignored is told from what is untracked."""
    standing = [verdict.path for verdict in blocked if verdict.why == "in_the_way"]
    ignored = set()
    if repo is not None and standing:
        result = repo.git.run("check-ignore", "-z", "--stdin", stdin=listing(standing))
        ignored = set(paths(result.out))
    whys = ["ignored" if verdict.path in ignored else verdict.why for verdict in blocked]
    words = "; ".join(_sentence(verdict, why) for verdict, why in zip(blocked, whys, strict=True))
    return WorldMoved(
        "dirty_overlap",
        f"your checkout blocks this landing: {words}",
        "; ".join(_hints(repo, [(verdict.path, why) for verdict, why in zip(blocked, whys, strict=True)]))
        + ", then try again",
        files=[
            {
                "path": verdict.path,
                "why": why,
                "lines": [list(span) for span in verdict.lines],
                **({"kept": str(verdict.kept)} if verdict.kept else {}),
            }
            for verdict, why in zip(blocked, whys, strict=True)
        ],
    )


def _hints(repo: Repository | None, blocked: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield an imperative for each reason, and first one for each file that git was told to overlook."""
    if repo is not None:
        words = ("--literal-pathspecs", "ls-files", "-v", "-z", "--", *(path for path, _ in blocked))
        for row in paths(repo.git.run(*words).out):
            if row[0] in _SHOWN:
                yield f"show it to git again (`git update-index {_SHOWN[row[0]]} {place(row[2:])}`)"
    by_hint: dict[str, list[str]] = {}
    for path, why in blocked:
        by_hint.setdefault(_HINTS[why], []).append(place(path))
    for hint, each in by_hint.items():
        yield hint.format(path=" ".join(each) if len(each) <= _MOST else "PATH")


def _sentence(verdict: Blocked, why: str) -> str:
    spans = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in verdict.lines)
    lines = "line" if spans.isdecimal() else "lines"
    kept = f" twice; what was saved first is kept in {verdict.kept}" if verdict.kept else ""
    return f"{verdict.path} {_WORDS[why]}" + (f" ({lines} {spans})" if spans else "") + kept
