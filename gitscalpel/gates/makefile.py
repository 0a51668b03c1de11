"""Recipes of Makefiles that begin with blanks: make refuses the file, and no parser here reads it."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator

from gitscalpel.changesets.answers import Finding
from gitscalpel.edit.source import Source

_NAME = re.compile(
    r"(?:GNU|BSD)?makefile(?:\.(?:am|in|inc|include|common|local|unix|linux))?|.+\.mk", re.IGNORECASE
)
_DIRECTIVE = re.compile(
    rb"(?:-?include|sinclude|ifn?eq|ifn?def|else|endif|define|endef|undefine|export|unexport|override|private"
    rb"|vpath|load|-load)\b"
)
_RULE = re.compile(rb"[^\t #=][^=#]*?::?(?![=:])")
_RECIPEPREFIX = re.compile(rb"^[ \t]*\.RECIPEPREFIX\b", re.MULTILINE)


def find_blank_recipes(before: Source | None, after: Source) -> tuple[Finding, ...]:
    """Return the lines of recipes that begin with blanks now and did not before.

    Lines that make could read as something else (a rule, an assignment, a directive, a comment) are passed
    over, and so is a file in which blanks began recipes before: another make reads that.
    """
    if not _NAME.fullmatch(posixpath.basename(after.path)) or _RECIPEPREFIX.search(after.text):
        return ()
    known = (
        Counter(line for _, line in _blank_recipes(before.text)) if before is not None else Counter[bytes]()
    )
    if known:
        return ()
    words = "a recipe begins with a tab, and this line with blanks"
    return tuple(Finding(after.path, number, 1, words) for number, _ in _blank_recipes(after.text))


def _blank_recipes(text: bytes) -> Iterator[tuple[int, bytes]]:
    in_rule, continues, in_define = False, False, False
    for number, raw in enumerate(text.split(b"\n"), 1):
        line = raw.removesuffix(b"\r")
        bare, was_continued, continues = line.strip(b" \t"), continues, line.endswith(b"\\")
        if was_continued or not bare or bare.startswith(b"#"):
            continue
        if re.match(rb"(?:override[ \t]+|export[ \t]+)?define\b", bare):
            in_define = True
        elif bare.startswith(b"endef"):
            in_define = False
        elif in_define or line.startswith(b"\t"):
            continue
        elif line.startswith(b" "):
            if in_rule and not _may_be_other(bare):
                yield number, bare
        elif not _DIRECTIVE.match(bare):
            in_rule = bool(_RULE.match(line))


def _may_be_other(bare: bytes) -> bool:
    """Return True if make may read a line as something else than a recipe."""
    return bool(_DIRECTIVE.match(bare)) or b"=" in bare or b":" in bare or bare.startswith(b"$")
