"""Approvals that a change needs, and the digest of the content that reviewers approve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b

import msgspec

from gitscalpel.changesets import config
from gitscalpel.changesets.answers import Risk, quote_path
from gitscalpel.changesets.file_tree import Change, Changes, Entry
from gitscalpel.changesets.paths import Globs, escape
from gitscalpel.changesets.rules import Approval, Policy, Rules
from gitscalpel.edit.outcome import Outcome
from gitscalpel.gates.policy import builtin_rules, protected_definitions
from gitscalpel.gates.policy.policy_change import PolicyChange
from gitscalpel.text.line_diff import diff_lines
from gitscalpel.text.merge3 import split_lines


class RequiredApproval(msgspec.Struct, frozen=True):
    """Reasons for a required approval, and the files that cause it. None if the whole change does."""

    why: tuple[str, ...] = ()
    paths: frozenset[str] | None = frozenset()


def required_approval(
    outcome: Outcome, rules: Rules, stage: Approval, risk: Risk | None = None
) -> RequiredApproval:
    """Return the approval that a change requires in one stage. The risk is ignored if it is None."""
    guarded = [*_find_guarded_paths(outcome, rules, stage), *_find_guarded_symbols(outcome, stage)]
    limits = stage.max_files, stage.max_lines
    whole_reasons = [
        words
        for _, words in builtin_rules.exceeded_limits(PolicyChange(outcome, Policy()), stage.key, *limits)
    ]
    if risk is not None and stage.risk is not None and risk.score >= stage.risk:
        whole_reasons.append(
            f"the risk is {risk.score:.2f}, {_main_factors(risk)}; {stage.key}.risk is {stage.risk:g}"
        )
    paths = frozenset(path for path, _ in guarded)
    reasons = dict.fromkeys([*(words for _, words in guarded), *whole_reasons])
    return RequiredApproval(tuple(reasons), None if whole_reasons else paths)


def _main_factors(risk: Risk) -> str:
    most = sorted(risk.factors, key=lambda factor: -factor.contribution)[:2]
    return "mostly for " + " and ".join(factor.name for factor in most)


def iter_guarded_globs(rules: Rules, stage: Approval) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield globs of the files whose change needs approval in a stage, each with the key that says so.

    Files that define who has to approve are guarded in every stage, since an author could otherwise remove
    any stage.
    """
    yield f"{stage.key}.paths", stage.paths
    yield "gates.pinned", rules.gates.pinned
    if rules.requires_approvals:
        names = (config.PATH, *rules.signers)
        yield "it says what needs approval", tuple("/" + escape(name) for name in names)


def _find_guarded_paths(outcome: Outcome, rules: Rules, stage: Approval) -> Iterator[tuple[str, str]]:
    for key, patterns in iter_guarded_globs(rules, stage):
        if patterns:
            globs = Globs(patterns, folded=True)
            for path in (each.path for each in outcome.changes if globs.concern(each)):
                yield path, f"{quote_path(path)} ({key})"


def _find_guarded_symbols(outcome: Outcome, stage: Approval) -> Iterator[tuple[str, str]]:
    for path, symbol, pattern, _ in protected_definitions.find_touched(
        PolicyChange(outcome, Policy()), stage.symbols
    ):
        yield path, f"{symbol} in {quote_path(path)} ({stage.key}.symbols: {pattern})"


def approval_digest(files: Changes, paths: frozenset[str] | None = None) -> str:
    """Return the digest of a change that must stay the same in a merge.

    Files in ``paths``, or all if None, count byte for byte. Of other files, only the changed lines count,
    wherever they are: digests of the whole change before and after a merge ensure that they are in their
    place.
    """
    digest = blake2b(digest_size=20)
    for file in sorted(files):
        exact = paths is None or file.path in paths
        parts = _encode_entries(file) if exact else _encode_changed_lines(file, files)
        for part in (file.path.encode("utf-8", "surrogateescape"), *parts):
            digest.update(b"%d:" % len(part) + part)
    return digest.hexdigest()


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


def join_reasons(reasons: Sequence[str]) -> str:
    others = f" and {len(reasons) - 5} more" if len(reasons) > 5 else ""
    return ", ".join(reasons[:5]) + others
