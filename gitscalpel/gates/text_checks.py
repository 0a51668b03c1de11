"""Text checks that grammars cannot make: odd characters, recipes of Makefiles, aliases in YAML.

Some parsers refuse a control character, a blank outside of ASCII or an invisible character, and some
end a line there. A grammar cannot tell which, so such characters are reported if no other check judges
the file.

Make refuses recipes that begin with blanks, and there is no parser for Makefiles here.

A YAML anchor may be defined again, and an alias means the last one above it in its document. So an edit
that removes or renames an anchor changes the value of aliases below: the file still loads, with other
data.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import NamedTuple

import msgspec

from gitscalpel.changesets.answers import Finding
from gitscalpel.edit.source import Source
from gitscalpel.syntax.captures import captures
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.syntax_errors import REBOUND, UNANCHORED
from gitscalpel.text.line_diff import Range, diff_lines

_ANYWHERE = re.compile(
    "[\0-\x08\x0b\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff]"
    "|(?<!\n)\x0c|\x0c(?!\r?\n)"  # a page that ends in a line of its own is fine with everybody
    "|\r(?!\n)|\\\\\r?[ \t\x0b\x0c]+\n"
)
_IN_CODE = re.compile("[\xa0\xad\u061c\u1680\u180e\u2000-\u200f\u202f\u205f-\u2065\u3000\ufff9-\ufffb]")
_PLAIN = frozenset({b"utf-8", b"us-ascii", b"ascii", b"iso-8859-1"})
"""Names of encodings that everybody knows who lets a file say its own."""


class Odd(msgspec.Struct, frozen=True):
    """One of them: the line, and what it is, in words."""

    line: int
    what: str


def found(before: Source | None, after: Source) -> Odd | None:
    """The first that a file has more of than before."""
    known = Counter(each.what for each in _all(before)) if before is not None else Counter[str]()
    for each in _all(after):
        known[each.what] -= 1
        if known[each.what] < 0:
            return each
    return None


def _all(source: Source) -> Iterator[Odd]:
    document, language = source.document, source.language
    if language is None:
        return
    said = re.match(language.cookie, document.raw[len(document.bom) :]) if language.cookie else None
    if said is not None and said[1].lower() not in _PLAIN:
        yield Odd(1, f"says that its encoding is {said[1].decode('ascii', 'replace')}")
    elif said is None and document.encoding != "utf-8":
        yield Odd(1, f"is not UTF-8 but {document.encoding}")
    if document.bom and not language.marked:
        yield Odd(1, "begins with a byte order mark")
    if not language.returned and b"\r\n" in source.text:
        yield Odd(source.text[: source.text.index(b"\r\n")].count(b"\n") + 1, "ends a line with CR LF")
    text = source.text.decode("utf-8", "replace")
    for sign in _ANYWHERE.finditer(text):
        yield Odd(text.count("\n", 0, sign.start()) + 1, f"holds {_name(sign[0])}")
    plain = "" if text.isascii() or language.data else _code(source)
    for sign in _IN_CODE.finditer(plain):
        yield Odd(plain.count("\n", 0, sign.start()) + 1, f"holds {_name(sign[0])}")


def _name(signs: str) -> str:
    if len(signs) > 1:
        return "a backslash before blanks at the end of a line"
    return f"U+{ord(signs):04X} {unicodedata.name(signs, '')}".strip()


def _code(source: Source) -> str:
    """The text without its comments and strings, in which people write what they like."""
    syntax, text = source.syntax, bytearray(source.text)
    nodes = syntax.once(captures).nodes if syntax else {}
    for node in (*nodes.get("comment", ()), *nodes.get("string", ())):
        inside = text[node.start_byte : node.end_byte]
        text[node.start_byte : node.end_byte] = bytes(byte if byte == 10 else 32 for byte in inside)
    return text.decode("utf-8", "replace")


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


class _Alias(NamedTuple):
    """An alias.

    Attributes:
        line: from 0.
        column: in bytes, from 0.
        name: without the asterisk.
        anchor_line: the line of the anchor that the alias means; None if there is no such anchor.
    """

    line: int
    column: int
    name: bytes
    anchor_line: int | None


def find_rebound(before: Source | None, after: Source) -> tuple[Finding, ...]:
    """Return the aliases in lines that stay whose anchor is another one now, or is gone.

    Without a second anchor of a name, the faults of the grammar say all of that.
    """
    language = after.language
    if before is None or language is None or not language.has_anchors or before.syntax is None:
        return ()
    old = list(_aliases(before.syntax))
    if not old or after.syntax is None or not _is_ambiguous(before.syntax):
        return ()
    found = diff_lines(BytesIO(before.text).readlines(), BytesIO(after.text).readlines())
    new = {(each.line, each.column): each for each in _aliases(after.syntax)}
    rows = []
    for each in old:
        line, is_kept = _follow(found, each.line)
        now = new.get((line, each.column)) if is_kept else None
        if now is None or each.anchor_line is None:
            continue
        name = each.name.decode("utf-8", "replace")
        words = ""
        if now.anchor_line is None:
            words = f"{UNANCHORED} *{name} has no anchor &{name} above it"
        elif _follow(found, each.anchor_line) != _place(found, now.anchor_line):
            words = f"{UNANCHORED} *{name} {REBOUND} &{name}, line {now.anchor_line + 1}"
        if words:
            rows.append(Finding(after.path, line + 1, each.column + 1, words))
    return tuple(rows)


def _is_ambiguous(syntax: Syntax) -> bool:
    """Return True if an anchor is defined more than once."""
    names = [syntax.text[each.start_byte : each.end_byte] for each in syntax.found("(anchor) @found")]
    return len(set(names)) < len(names)


def _aliases(syntax: Syntax) -> Iterator[_Alias]:
    """Yield each alias with the last anchor of its name above it in its document."""
    starts = [document.start_byte for document in syntax.of_type("document")]
    known: dict[tuple[int, bytes], int] = {}
    for mark in syntax.found("[(anchor) (alias)] @found"):
        key = bisect_right(starts, mark.start_byte), syntax.text[mark.start_byte + 1 : mark.end_byte]
        line, column = mark.start_point
        if mark.type == "anchor":
            known[key] = line
        else:
            yield _Alias(line, column, key[1], known.get(key))


def _follow(found: Sequence[Range], line: int) -> tuple[int, bool]:
    """Return the new number of an old line and True, or the index of the change that holds it and False."""
    for index, (start, end, _, new_end) in enumerate(reversed(found)):
        if line >= end:
            return line - end + new_end, True
        if line >= start:
            return len(found) - 1 - index, False
    return line, True


def _place(found: Sequence[Range], line: int) -> tuple[int, bool]:
    """Return a new line as :func:`_follow` names the old line that it was."""
    changed = (index for index, (_, _, start, end) in enumerate(found) if start <= line < end)
    index = next(changed, None)
    return (line, True) if index is None else (index, False)
