"""Keys and passwords in lines that an edit adds, as detect-secrets finds them."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.gates.policy.judged import Judged
from gitscalpel.gates.policy.missing import missing
from gitscalpel.report import Finding, quoted

_ON_THE_DISK = "detect_secrets.filters.common.is_invalid_file"
"""Passes over files that are not there, and those of a transaction are not."""


def findings(judged: Judged) -> Iterator[Finding]:
    """A finding for each new line that holds what looks like a secret; it does not say which.

    ``pragma: allowlist secret`` in a comment lets a line through, as detect-secrets has it.
    """
    if not judged.policy.secrets:
        return
    try:
        from detect_secrets.core.scan import scan_diff
        from detect_secrets.settings import default_settings, get_settings
    except ImportError as error:
        raise missing("policy.secrets", error) from None
    with default_settings():
        get_settings().disable_filters(_ON_THE_DISK)
        for path in judged.paths:
            found: dict[int, str] = {}
            for secret in scan_diff(_diff(path, judged)):
                found.setdefault(secret.line_number, secret.type)
            for line, kind in sorted(found.items()):
                yield Finding(quoted(path), line, 1, f"this looks like a secret ({kind})")


def _diff(path: str, judged: Judged) -> str:
    """The new lines as a unified diff without context, which is what it reads."""
    name = quoted(path)
    out = [f"diff --git a/{name} b/{name}", f"--- a/{name}", f"+++ b/{name}"]
    for number, line in judged.added(path):
        out += [f"@@ -{number},0 +{number},1 @@", "+" + line.decode("utf-8", "replace").rstrip("\r\n")]
    return "\n".join(out) + "\n"
