"""Language servers tell what is new: each is started on either tree, in a worktree that nobody is handed.

What one has said of a tree is remembered as the word of a command is. One that dies, is late or says nothing
of a file has said nothing at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

import msgspec

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.changesets.rules import seconds
from gitscalpel.gates.commands import key, memory
from gitscalpel.gates.commands.ran import Ran
from gitscalpel.gates.diagnostics import comparing
from gitscalpel.gates.diagnostics.diagnostic import Diagnostic
from gitscalpel.gates.diagnostics.verdict import Heard
from gitscalpel.servers import diagnostics
from gitscalpel.servers.diagnostics import Told
from gitscalpel.servers.registry import Server
from gitscalpel.system import serialization
from gitscalpel.transaction.commands.checks import checked_out
from gitscalpel.transaction.commands.grounds.apart import apart
from gitscalpel.transaction.diagnostics.trees import Trees
from gitscalpel.transaction.worktrees import worktree
from gitscalpel.transaction.worktrees.furnishing import furnish

PATIENCE = 60.0
"""Seconds that a server has for one tree."""
_FORM = 1
"""Of what is remembered."""
_VENV = ".venv"


class _Word(msgspec.Struct, frozen=True):
    """What a server has said of a tree, as it is remembered."""

    found: tuple[Diagnostic, ...]


def heard(trees: Trees, server: Server, paths: Mapping[str, str]) -> Heard:
    """What a server says of files, by path with their languages.

    Raises:
        ScalpelError: no worktree can be made ready for it.
    """
    about = frozenset(paths)
    after, cached = _told(trees, server, trees.after, paths)
    if after.found is None:
        return Heard(by=server.name, silent=after.silent, about=about)
    if not after.found or trees.before is None:
        return Heard(by=server.name, new=after.found, about=about, cached=cached)
    olds = {trees.origins.get(path, path): language for path, language in paths.items()}
    before, _ = _told(trees, server, trees.before, olds)
    if before.found is None:
        return Heard(by=server.name, silent=f"of the tree before: {before.silent}", about=about)
    new = comparing.new(after.found, before.found, trees.texts, trees.origins)
    return Heard(by=server.name, new=tuple(new), about=about, cached=cached)


def _told(trees: Trees, server: Server, tree: Oid, paths: Mapping[str, str]) -> tuple[Told, bool]:
    """What a server says of files of a tree, and whether that was known."""
    texts = dict(_texts(trees, tree, paths))
    if not texts:
        return Told(()), True
    ws = trees.ws
    digest = _key(trees, server, tree, texts)
    longest = seconds(trees.target.rules.gates.remember)
    known = None if trees.fresh else memory.recall(ws.repo.scalpel_dir, digest, longest)
    if known is not None:
        return Told(serialization.decode(known.output.encode(), _Word).found), True
    ws.notify(f"asking {server.name}")
    change, rules = trees.change, trees.target.rules
    ready = partial(furnish, ws, branch=change.meta.branch, rules=rules)
    base = worktree.base(ws, change)
    with apart(ws, change.id, base, tree, ready, caches=rules.gates.caches) as place:
        environment = {**place.repo.git.outer(), **_python(trees)}
        told = diagnostics.told(server, place.root, environment, texts, PATIENCE)
    if told.found is not None:
        output = msgspec.json.encode(_Word(told.found)).decode()
        memory.remember(ws.repo.scalpel_dir, digest, Ran(how="passed", status=0, output=output, seconds=0.0))
    return told, False


def _texts(trees: Trees, tree: Oid, paths: Mapping[str, str]) -> Iterator[tuple[str, tuple[str, bytes]]]:
    text = trees.texts[tree == trees.after]
    for path, language in paths.items():
        content = text(path)
        if content is not None:
            yield path, (language, trees.outcome.read(path, content).document.text)


def _key(trees: Trees, server: Server, tree: Oid, paths: Iterable[str]) -> str:
    ws, gates = trees.ws, trees.target.rules.gates
    checkout = ws.repo.work_tree
    names = {*gates.shared, *([_VENV] if _python(trees) else [])}
    shared = {name: checkout / name for name in names} if checkout else {}
    how = ["diagnostics", _FORM, server.settings, sorted(paths), gates.setup, _python(trees)]
    how += checked_out(ws.repo.config)
    return key.of(tree=tree, line=" ".join(server.words), how=how, shared=shared, outer=ws.repo.git.outer())


def _python(trees: Trees) -> dict[str, str]:
    """The Python whose packages are imported: a worktree has no environment of its own beside it."""
    checkout = trees.ws.repo.work_tree
    named = trees.ws.repo.git.outer().get("VIRTUAL_ENV")
    if named or checkout is None or not Path(checkout / _VENV / "pyvenv.cfg").is_file():
        return {}
    return {"VIRTUAL_ENV": str(checkout / _VENV)}
