"""What git alone can say against a merged file: it knows lines, and nothing of definitions."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from tests.merges.history import Case

_MARK = 37
_BLANKS = b" \t\r,"
_WORDS = re.compile(rb"\w+")


def refutation(case: Case, merged: bytes) -> str | None:
    """Why a merged file cannot be right, in words; None if nothing speaks against it.

    What git merges without a conflict has to be there, in each side's order; no line may be there more
    often than if all lines in conflict were kept, nor twice in a row if it is so in neither version.
    """
    clean, both = _merged_by_git(case)
    held = [_bare(line) for line in merged.split(b"\n")]
    whole = b"\n".join([case.base, case.ours, case.theirs])
    known = {*_WORDS.findall(whole)}
    for line in Counter(line for line in held if line) - Counter(clean + both):
        if line in both or line in clean:
            return f"too often: {line!r}"
        if not known.issuperset(_WORDS.findall(line)):
            return f"nobody wrote {line!r}"
    if rows := _twice(held) - _twice(map(_bare, whole.split(b"\n"))):
        return f"twice in a row: {min(rows)!r}"
    base, *sides = ({_bare(line) for line in text.split(b"\n")} for text in case[2:5])
    changed = base - (sides[0] & sides[1])  # git sees an addition where one moved what the other changed
    for side in sides:
        rest = iter(held)
        if lost := next((x for x in clean if x and x in side - changed and x not in rest), None):
            return f"not there, or not in order: {lost!r}"
    return None


def _twice(lines: Iterable[bytes]) -> set[bytes]:
    return {one for one, other in pairwise(lines) if one == other and one}


def _merged_by_git(case: Case) -> tuple[list[bytes], list[bytes]]:
    """The lines that git merges, and those of both sides that it leaves in conflict."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("ours", "base", "theirs")]
        for file, content in zip(files, (case.ours, case.base, case.theirs), strict=True):
            file.write_bytes(content)
        done = subprocess.run(
            ["git", "merge-file", "-p", "--diff3", f"--marker-size={_MARK}", *map(str, files)],
            capture_output=True,
            check=False,
        )
    clean: list[bytes] = []
    both: list[bytes] = []
    was: list[bytes] = []
    into = clean
    for line in done.stdout.split(b"\n"):
        marked = next((sign for sign in b"<|=>" if line.startswith(bytes([sign]) * _MARK)), None)
        if marked is None:
            into.append(_bare(line))
        else:
            into = {b"<": both, b"|": was, b"=": both, b">": clean}[bytes([marked])]
    return clean, both


def _bare(line: bytes) -> bytes:
    return line.strip(_BLANKS)
