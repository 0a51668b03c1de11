"""Approvals that a change needs, and the digest of the content that reviewers approve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b

import msgspec

from gitscalpel.changesets import config
from gitscalpel.changesets.answers import Risk, quoted
from gitscalpel.changesets.file_tree import Change, Changes, Entry
from gitscalpel.changesets.globs import Globs, escape
from gitscalpel.changesets.rules import Approval, Policy, Rules
from gitscalpel.edit.outcome import Outcome
from gitscalpel.gates.policy import builtin_rules, protected_definitions
from gitscalpel.gates.policy.policy_change import PolicyChange
from gitscalpel.text.line_diff import diff_lines
from gitscalpel.text.merge3 import split_lines


class Needed(msgspec.Struct, frozen=True):
    """What has to be agreed to.

    Attributes:
        why: in words, one for each reason; none: nothing.
        paths: the files that are the reason; None: the change as a whole is.
    """

    why: tuple[str, ...] = ()
    paths: frozenset[str] | None = frozenset()


def needed(outcome: Outcome, rules: Rules, stage: Approval, risk: Risk | None = None) -> Needed:
    """What of a change needs approval in one stage of the rules of its target.

    Args:
        outcome: the change.
        rules: of its target.
        stage: which.
        risk: how risky it is; None: that is not asked.
    """
    found = [*_find_guarded_paths(outcome, rules, stage), *_find_guarded_symbols(outcome, stage)]
    limits = stage.max_files, stage.max_lines
    large = [
        words
        for _, words in builtin_rules.exceeded_limits(PolicyChange(outcome, Policy()), stage.key, *limits)
    ]
    if risk is not None and stage.risk is not None and risk.score >= stage.risk:
        large.append(
            f"the risk is {risk.score:.2f}, {_main_factors(risk)}; {stage.key}.risk is {stage.risk:g}"
        )
    paths = frozenset(path for path, _ in found)
    why = dict.fromkeys([*(words for _, words in found), *large])
    return Needed(tuple(why), None if large else paths)


def _main_factors(risk: Risk) -> str:
    """The two factors that add most to it."""
    most = sorted(risk.factors, key=lambda factor: -factor.contribution)[:2]
    return "mostly for " + " and ".join(factor.name for factor in most)


def guarded(rules: Rules, stage: Approval) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Globs of the files whose change needs approval in a stage, by what says so.

    What says who has to agree to what is among them: it could be changed first, and the rest after that. To
    that every stage has to agree, since each could be taken out of it.
    """
    yield f"{stage.key}.paths", stage.paths
    yield "gates.pinned", rules.gates.pinned
    if rules.ask_people:
        names = (config.PATH, *rules.signers)
        yield "it says what needs approval", tuple("/" + escape(name) for name in names)


def _find_guarded_paths(outcome: Outcome, rules: Rules, stage: Approval) -> Iterator[tuple[str, str]]:
    for key, patterns in guarded(rules, stage):
        if patterns:
            globs = Globs(patterns, folded=True)
            for path in (each.path for each in outcome.changes if globs.concern(each)):
                yield path, f"{quoted(path)} ({key})"


def _find_guarded_symbols(outcome: Outcome, stage: Approval) -> Iterator[tuple[str, str]]:
    for path, symbol, pattern, _ in protected_definitions.touched(
        PolicyChange(outcome, Policy()), stage.symbols
    ):
        yield path, f"{symbol} in {quoted(path)} ({stage.key}.symbols: {pattern})"


def digest(files: Changes, paths: frozenset[str] | None = None) -> str:
    """What of a change a merge may not touch: it as a whole, or the files that need approval to the byte.

    Of the other files it is the lines that change, wherever they stand; that they stand where they did,
    but for merges, is told by the digests of the whole before and after these.

    Args:
        files: the change.
        paths: the files that need approval; None: all.
    """
    held = blake2b(digest_size=20)
    for file in sorted(files):
        exact = paths is None or file.path in paths
        parts = _encode_entries(file) if exact else _encode_changed_lines(file, files)
        for part in (file.path.encode("utf-8", "surrogateescape"), *parts):
            held.update(b"%d:" % len(part) + part)
    return held.hexdigest()


def _encode_entries(file: Change) -> Iterator[bytes]:
    for entry in (file.old, file.new):
        yield f"{entry.mode} {entry.oid}".encode() if entry else b""


def _encode_changed_lines(file: Change, files: Changes) -> Iterator[bytes]:
    yield from (_encode_mode(entry) for entry in (file.old, file.new))
    old, new = split_lines(files.before(file)), split_lines(files.after(file))
    for a, b, c, d in diff_lines(old, new):
        yield b"".join(old[a:b])
        yield b"".join(new[c:d])


def _encode_mode(entry: Entry | None) -> bytes:
    return entry.mode.encode() if entry else b""


def shown(missing: Sequence[str]) -> str:
    """Reasons as one text."""
    more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
    return ", ".join(missing[:5]) + more
