"""Examines the rules of the branch that is checked out: whether they can be asked, and name anything.

What is wrong here refuses edits later; what names nothing lets them through, which nobody would notice.
"""

from __future__ import annotations

import difflib
import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from gitscalpel.changesets import config
from gitscalpel.changesets.globs import Globs
from gitscalpel.changesets.rules import Rules
from gitscalpel.edit.source import Source
from gitscalpel.errors import BadCall, Misconfigured, ScalpelError
from gitscalpel.housekeeping.check import UNTRUSTED, Check, failed
from gitscalpel.system import trust
from gitscalpel.workspace import Target, Workspace
from gitscalpel.workspace.caller import Session

_LOOKED_THROUGH, _COMPARED = 20, 5_000
"""Files, and names, among which one is looked for that was meant."""


def rules(directory: Path | None) -> Iterator[Check]:
    """What there is to say of them; nothing where no branch is checked out, or it has none."""
    with Workspace(Session(folder=directory)) as ws:
        try:
            target = ws.target()
            _ = target.rules
        except BadCall:
            return
        except Misconfigured as error:
            yield failed("rules", error)
            return
        if target.snapshot.entry(config.PATH) is None:
            return
        yield Check("rules", f"{config.PATH} of {target.name} can be read")
        untrusted = trust.untrusted(ws.repo.common_dir, target.rules.programs, ws.repo.environment)
        if untrusted:
            says = f"programs of it that are not trusted: {len(untrusted)}; nothing lands"
            yield Check("rules", says, hint=UNTRUSTED)
        for look in (_installed, _asked, _signers, _files, _definitions):
            yield from look(target)


def _installed(target: Target) -> Iterator[Check]:
    policy, gates = target.rules.policy, target.rules.gates
    needs = {
        "policy.rules": (("ast_grep_py", "yaml") if policy.rules else (), "policy"),
        "policy.secrets": (("detect_secrets",) if policy.secrets else (), "policy"),
        "gates.executor": (("distributed",) if gates.executor != "processes" else (), "dask"),
    }
    for key, (modules, extra) in needs.items():
        for module in modules:
            if importlib.util.find_spec(module) is None:
                says = f"{module} is not installed, so nothing passes"
                yield Check(key, says, "unavailable", f"pip install 'gitscalpel[{extra}]'")


def _asked(target: Target) -> Iterator[Check]:
    if not target.rules.policy.rules:
        return
    from gitscalpel.gates.policy import patterns

    try:
        count = len([*patterns.read(target.snapshot, target.rules.policy.rules)])
    except Misconfigured as error:
        yield failed("policy.rules", error)
    else:
        yield Check("policy.rules", f"{count} can be read")


def _signers(target: Target) -> Iterator[Check]:
    for stage in target.rules.stages:
        if stage.keys is not None and target.snapshot.entry(stage.keys) is None:
            says = f"{target.name} has no {stage.keys}, so no approval counts"
            hint = "commit it with git: one line for each person, NAME@MAIL KEY, as for ssh-keygen"
            yield Check(f"{stage.key}.signers", says, "config_error", hint)


def _files(target: Target) -> Iterator[Check]:
    files = [*target.snapshot.under("")]
    folders = {path[:at] for path in files for at, c in enumerate(path) if c == "/"}
    known = [*files, *(f"{folder}/**" for folder in sorted(folders))]
    for key, patterns in _named(target.rules):
        for pattern in patterns:
            if not pattern.startswith("!") and next(Globs([pattern]).among(files), None) is None:
                yield _idle(key, pattern, "file", known)


def _named(found: Rules) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Patterns that are meant for files which are there; what is denied need not be."""
    yield "policy.allow", found.policy.allow or ()
    yield from ((f"{each.key}.paths", each.paths) for each in found.stages)
    yield "gates.pinned", found.gates.pinned
    yield from ((f"gates.command {each.name}", each.paths) for each in found.gates.command)
    yield from ((f"suggest {each.name}", each.paths) for each in found.suggest)
    yield from (("policy.require", each.change) for each in found.policy.require)


def _definitions(target: Target) -> Iterator[Check]:
    from gitscalpel.gates.policy import protected_definitions

    lists = {
        "policy.protected": target.rules.policy.protected,
        **{f"{each.key}.symbols": each.symbols for each in target.rules.stages},
    }
    for key, patterns in lists.items():
        for pattern in patterns:
            if not protected_definitions.names(target.snapshot, pattern):
                yield _idle(key, pattern, "definition", list(_beside(target, pattern)))


def _beside(target: Target, pattern: str) -> Iterator[str]:
    """The definitions in the files of ``PATH-GLOB::SYMBOL``, as patterns that name them."""
    where = pattern.partition("::")[0]
    for path in islice(Globs([where]).among(target.snapshot.under("")), _LOOKED_THROUGH):
        entry = target.snapshot.entry(path)
        with suppress(ScalpelError):
            source = Source.read(path, target.snapshot.read(entry.oid) if entry else b"")
            yield from (f"{where}::{symbol.qualname}" for symbol in source.outline.walk())


def _idle(key: str, pattern: str, what: str, known: Sequence[str]) -> Check:
    near = difflib.get_close_matches(pattern, known[:_COMPARED], 1, 0.7)
    meant = f"did you mean {near[0]}? " if near else ""
    return Check(key, f"{pattern} names no {what}", hint=f"{meant}correct it, unless that is still to come")
