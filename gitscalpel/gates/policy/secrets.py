"""Keys and passwords in lines that an edit adds, as detect-secrets finds them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from gitscalpel.changesets.answers import Finding, quoted
from gitscalpel.changesets.globs import Globs
from gitscalpel.gates.policy.judged import Judged
from gitscalpel.gates.policy.missing import missing
from gitscalpel.gates.policy.spelt import Spelling, spellings

_SWITCHED_OFF = (
    "detect_secrets.filters.common.is_invalid_file",  # files that are not on the disk
    "detect_secrets.filters.allowlist.is_line_allowlisted",  # by a comment: the change would judge itself
    "detect_secrets.filters.heuristic.is_non_text_file",  # by a name, which the change may choose
    "detect_secrets.filters.heuristic.is_swagger_file",
    "detect_secrets.filters.heuristic.is_indirect_reference",  # by a call around it: `x = f("…")`
)


def findings(judged: Judged) -> Iterator[Finding]:
    """A finding for each new line that holds what looks like a secret; it does not say which.

    A comment in the line (``pragma: allowlist secret``) does not let it through: whoever adds the line
    could add that as well. ``policy.secrets_allowed`` does.
    """
    if not judged.policy.secrets:
        return
    try:
        from detect_secrets.core.scan import scan_diff
        from detect_secrets.settings import default_settings, get_settings
    except ImportError as error:
        raise missing("policy.secrets", error) from None
    with default_settings():
        get_settings().disable_filters(*_SWITCHED_OFF)
        allowed = Globs(judged.policy.secrets_allowed)
        for path in itertools.filterfalse(allowed.match, judged.paths):
            found: dict[int, str] = {}
            for read in spellings(path, judged.after(path)):
                for secret in scan_diff(_diff(path, judged, read)):
                    found.setdefault(secret.line_number, secret.type)
            for line, kind in sorted(found.items()):
                yield Finding(quoted(path), line, 1, f"this looks like a secret ({kind})")


def _diff(path: str, judged: Judged, read: Spelling) -> str:
    """The new lines as a unified diff without context, which is what it reads."""
    name = "".join(letter if letter.isprintable() else "_" for letter in path)
    out = [f"diff --git a/{name} b/{name}", f"--- a/{name}", f"+++ b/{name}"]
    for number, line in judged.added(path, read):
        out += [f"@@ -{number},0 +{number},1 @@", "+" + line.decode("utf-8", "replace").rstrip("\r\n")]
    return "\n".join(out) + "\n"
