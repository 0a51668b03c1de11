"""Policy rules on the paths, companion files, size and secrets of a change.

A companion is a path that has to change together with another one, in the transaction as a whole.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from gitscalpel.changesets.answers import Finding, quote_path
from gitscalpel.changesets.paths import Globs
from gitscalpel.changesets.rules import Policy
from gitscalpel.gates.policy.policy_change import (
    PolicyChange,
    Says,
    TextDecoder,
    iter_decoders,
    not_installed_error,
)


def find_denied_paths(judged: PolicyChange) -> Iterator[Finding]:
    """Yield a finding for each path that is denied, or not allowed."""
    policy = judged.policy
    if policy.deny:
        # Names that are equal on some file systems are equal here.
        denied = Globs(policy.deny, folded=True)
        denied_paths = (each.path for each in judged.changes if denied.concern(each))
        yield from (_path_finding(path, "policy.deny names it") for path in denied_paths)
    if policy.allow is not None:
        allowed = Globs(policy.allow)
        outside = (path for path in judged.paths if not allowed.match(path))
        yield from (
            _path_finding(path, f"policy.allow has {', '.join(policy.allow) or 'nothing'}")
            for path in outside
        )


def explain_denied_paths(path: str, policy: Policy) -> Iterator[Says]:
    if policy.deny:
        denied = Globs(policy.deny, folded=True).match(path)
        yield Says("policy.deny", "names it" if denied else "does not name it", not denied)
    if policy.allow is not None:
        allowed = Globs(policy.allow).match(path)
        effect = "has it" if allowed else f"has only {', '.join(policy.allow) or 'nothing'}"
        yield Says("policy.allow", effect, allowed)


def _path_finding(path: str, message: str) -> Finding:
    return Finding(quote_path(path), 1, 1, message)


def find_missing_companions(judged: PolicyChange) -> Iterator[Finding]:
    """Yield a finding for each rule whose companions are missing, at the first path that it concerns.

    A removed file may need companions, and is never a companion.
    """
    present = [change.path for change in judged.changes if change.new is not None]
    for rule in judged.policy.require:
        globs = Globs(rule.change)
        first = next((each.path for each in judged.changes if globs.concern(each)), None)
        if first is not None and next(Globs(rule.needs).among(present), None) is None:
            message = f"a change here needs one of {', '.join(rule.needs)}"
            yield Finding(quote_path(first), 1, 1, f"{message}: {rule.why}" if rule.why else message)


def explain_missing_companions(path: str, policy: Policy) -> Iterator[Says]:
    for rule in policy.require:
        if Globs(rule.change).match(path):
            yield Says("policy.require", f"a change needs one of {', '.join(rule.needs)}")


def find_oversized(judged: PolicyChange) -> Iterator[Finding]:
    """Yield a finding for each limit that is exceeded, at the largest change."""
    policy = judged.policy
    for path, message in exceeded_limits(judged, "policy", policy.max_files, policy.max_lines):
        yield Finding(quote_path(path), 1, 1, message)


def exceeded_limits(
    judged: PolicyChange, table: str, max_files: int | None, max_lines: int | None
) -> Iterator[tuple[str, str]]:
    """Yield the exceeded limits of a configuration table: the path of the largest change, and the message."""
    files = len(judged.paths)
    if max_files is not None and files > max_files:
        yield (
            judged.paths[-1],
            f"{files} file{'s change' if files > 1 else ' changes'}; {table}.max_files is {max_files}",
        )
    if max_lines is not None:
        sizes = {path: judged.size(path) for path in judged.paths}
        total = sum(sizes.values())
        if total > max_lines:
            largest = max(sizes, key=lambda path: sizes[path])
            summary = f"{total} lines change, {sizes[largest]} of them here"
            yield largest, f"{summary}; {table}.max_lines is {max_lines}"


_DISABLED_FILTERS = (
    "detect_secrets.filters.common.is_invalid_file",  # the files need not be on disk
    "detect_secrets.filters.allowlist.is_line_allowlisted",  # a comment could exempt itself
    "detect_secrets.filters.heuristic.is_non_text_file",  # a file name, which the change may choose
    "detect_secrets.filters.heuristic.is_swagger_file",
    "detect_secrets.filters.heuristic.is_indirect_reference",  # a call around the secret: `x = f("…")`
)


def find_secrets(judged: PolicyChange) -> Iterator[Finding]:
    """Yield a finding for each new line that looks like a secret, without the secret itself.

    A comment in the line (``pragma: allowlist secret``) has no effect, since the author of the change could
    add it. Files in ``policy.secrets_allowed`` are exempt.
    """
    try:
        from detect_secrets.core.scan import scan_diff
        from detect_secrets.settings import default_settings, get_settings
    except ImportError as error:
        raise not_installed_error("policy.secrets", error) from None
    with default_settings():
        get_settings().disable_filters(*_DISABLED_FILTERS)
        allowed = Globs(judged.policy.secrets_allowed)
        for path in itertools.filterfalse(allowed.match, judged.paths):
            found: dict[int, str] = {}
            for read in iter_decoders(path, judged.after(path)):
                for secret in scan_diff(_added_lines_diff(path, judged, read)):
                    found.setdefault(secret.line_number, secret.type)
            for line, kind in sorted(found.items()):
                yield Finding(quote_path(path), line, 1, f"this looks like a secret ({kind})")


def explain_secrets(path: str, policy: Policy) -> Iterator[Says]:
    if not Globs(policy.secrets_allowed).match(path):
        yield Says("policy.secrets", "no new line may look like a secret")


def _added_lines_diff(path: str, judged: PolicyChange, read: TextDecoder) -> str:
    name = "".join(letter if letter.isprintable() else "_" for letter in path)
    out = [f"diff --git a/{name} b/{name}", f"--- a/{name}", f"+++ b/{name}"]
    for number, line in judged.added_lines(path, read):
        out += [f"@@ -{number},0 +{number},1 @@", "+" + line.decode("utf-8", "replace").rstrip("\r\n")]
    return "\n".join(out) + "\n"
