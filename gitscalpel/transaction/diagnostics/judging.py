"""The gate ``diagnostics``: what everybody says who is asked, and what could be mended of it.

Language servers that the user has are witnesses, commands with an ``output`` are the team's. What neither
looks at has not been checked, and is said.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache

import msgspec

from gitscalpel.changesets.answers import Fix, quoted
from gitscalpel.changesets.file_tree import Oid
from gitscalpel.changesets.rules import Rules
from gitscalpel.edit.outcome import Outcome
from gitscalpel.gates.commands import memory
from gitscalpel.gates.diagnostics import remedies, verdict
from gitscalpel.gates.diagnostics.verdict import NAME, Heard
from gitscalpel.gates.verdict import Verdict
from gitscalpel.git.tree_snapshot import TreeSnapshot
from gitscalpel.servers.registry import SERVERS, Server
from gitscalpel.syntax.language import Language
from gitscalpel.transaction.candidate import Candidate
from gitscalpel.transaction.check.said import Asked, Said
from gitscalpel.transaction.diagnostics import telling, witnessing
from gitscalpel.transaction.diagnostics.concerned import Concerned, concerned
from gitscalpel.transaction.diagnostics.trees import Trees
from gitscalpel.transaction.stage.witnessing import chosen
from gitscalpel.workspace import Workspace

_ROUNDS = 5
"""Times that something is mended and looked at again."""
_NAMED = 5


class _Judged(msgspec.Struct, frozen=True):
    """What everybody says of a tree."""

    heard: tuple[Heard, ...]
    verdict: Verdict


def pending(_: Workspace, rules: Rules, outcome: Outcome) -> Iterator[str]:
    """That the gate has still to judge a change, in words."""
    if rules.gates.diagnostics != "off" and outcome.changes:
        yield f"gates.{NAME} has not been asked yet; it judges on check or land"


def judge(ws: Workspace, change: Candidate, asked: Asked) -> Said | None:
    """What is new in a change and wrong, after what can be mended in one safe way has been.

    Raises:
        NotAllowed: ``untrusted``: of the commands.
        ScalpelError: no worktree can be made ready.
    """
    target = ws.at(change.meta.branch)
    level = target.rules.gates.diagnostics
    began = time.monotonic()
    fresh = asked.fresh or ws.session.environment.get(memory.VARIABLE) == "1"
    trees = Trees(ws, change, target, change.tree(ws), fresh)
    judged = _judged(trees)
    fixed: tuple[Fix, ...] = ()
    if judged.verdict.error is not None and level == "new-errors" and asked.fix:
        mended, after, fixed = _mended(trees, judged)
        if after.verdict.error is None:
            trees, judged = mended, after
        else:
            fixed = ()  # whoever asked for the change has to look at it anyway, as he made it
    if _is_known(change, judged) and not asked.again:
        return None
    left = verdict.remaining(verdict.news(judged.heard))
    said = msgspec.structs.replace(judged.verdict, seconds=round(time.monotonic() - began, 4))
    return Said((said,), tree=trees.after, fixed=fixed or None, remaining=left)


def _is_known(change: Candidate, judged: _Judged) -> bool:
    cached = all(each.cached for each in judged.heard) and judged.verdict.error is None
    return cached and change.knows(NAME)


def hear(trees: Trees) -> tuple[Heard, ...]:
    """Return what everybody says who is asked of a change, whatever the level of the gate.

    Raises:
        NotAllowed: ``untrusted``: of the commands.
        ScalpelError: no worktree can be made ready.
    """
    return _judged(trees).heard


def _judged(trees: Trees) -> _Judged:
    servers: dict[str, Server] = {}

    @cache
    def by(language: Language) -> str | None:
        server = chosen(trees.ws, language.name)
        return servers.setdefault(server.name, server).name if server else None

    about = concerned(trees.outcome, by)
    asked: dict[str, dict[str, str]] = {}
    for path, language in {**about.changed, **about.users}.items():
        name = by(language) if language is not None else None
        if name is not None and language is not None:
            asked.setdefault(name, {})[path] = language.name
    heard = [witnessing.heard(trees, servers[name], paths) for name, paths in asked.items()]
    heard += telling.heard(trees)
    unchecked = (*_unseen(about, heard), *about.left)
    return _Judged(tuple(heard), verdict.of(trees.target.rules.gates.diagnostics, heard, unchecked))


def _unseen(about: Concerned, heard: list[Heard]) -> Iterator[str]:
    """What nobody was asked about, and why."""
    seen = {path for each in heard for path in each.about}
    by_why: dict[str, list[str]] = {}
    for path, language in about.changed.items():
        if path not in seen:
            name = language.name if language is not None else ""
            known = any(name in each.languages for each in SERVERS)
            why = f"no language server for {name} is here" if known else "nobody can be asked"
            by_why.setdefault(why, []).append(quoted(path))
    for why, paths in by_why.items():
        more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
        yield f"{why}, and no command with an output is about {', '.join(paths[:_NAMED])}{more}"
    if not about.changed and not heard:
        yield "no file is left of what changes, and nobody is known to use it"


def _mended(trees: Trees, judged: _Judged) -> tuple[Trees, _Judged, tuple[Fix, ...]]:
    """The tree with what can be mended, what is said of that, and what was done."""
    done: list[Fix] = []
    for _ in range(_ROUNDS):
        new = [each for each in verdict.news(judged.heard) if each.severity == "error"]
        within = {each.path for each in trees.files}
        files = TreeSnapshot(trees.ws.store, trees.ws.repo.git, trees.after)
        overlay, fixes = remedies.mended(new, files, within)
        if not fixes:
            break
        for content in overlay.fresh:
            trees.ws.store.write_blob(content)
        rows = [(each.path, each.new) for each in overlay.changes]
        tree: Oid = trees.ws.store.write_tree(trees.after, rows)
        done += fixes
        trees = Trees(trees.ws, trees.change, trees.target, tree, trees.fresh)
        judged = _judged(trees)
        if judged.verdict.error is None:
            break
    return trees, judged, tuple(done)
