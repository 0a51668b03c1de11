"""Check that a file that parsed still parses, and that a broken file does not get worse.

A text that the grammar accepts is passed to the validator of the language, if there is one. Some checks are
made on the text: characters that parsers read differently, recipes of Makefiles that begin with blanks, and
YAML aliases that an edit binds to another anchor, so that the file still loads, with other data.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from gitscalpel.changesets.answers import Finding, quote_path
from gitscalpel.changesets.file_tree import SUBMODULE, SYMLINK
from gitscalpel.changesets.rules import Rules, SyntaxGate
from gitscalpel.edit.new_syntax_errors import find_new_errors, has_syntax_errors
from gitscalpel.edit.outcome import Outcome
from gitscalpel.edit.source import Source
from gitscalpel.edit.unified_diff import Renames
from gitscalpel.errors import GateRefused
from gitscalpel.gates.verdict import StaticRequest, Verdict
from gitscalpel.syntax import parse
from gitscalpel.syntax.captures import read_captures
from gitscalpel.syntax.exemptions import Exemptions
from gitscalpel.syntax.languages import is_lfs_pointer
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.syntax_errors import ANCHOR_HINT, REBOUND, UNANCHORED, SyntaxFault, find_faults
from gitscalpel.syntax.validators import ParseRefusal, Unread, validate
from gitscalpel.text.line_diff import Range, diff_lines

if TYPE_CHECKING:
    from gitscalpel.edit.error_attribution import OverlayMacros
    from gitscalpel.syntax.exemptions import Exemptions


class SyntaxResult(msgspec.Struct, frozen=True):
    """Result of the syntax check of one file; ``judged`` if a parser that can reject it has read it."""

    judged: bool
    findings: tuple[Finding, ...] = ()
    unchecked: tuple[str, ...] = ()


def compare_syntax(
    old: Source | None, new: Source, macros: Callable[[], OverlayMacros] | None = None
) -> SyntaxResult:
    """Compare a file with its old content, or None for a new file.

    ``macros`` returns the macros of all files. None to look for them in the files around ``new``.
    """
    path = new.path
    language = new.language
    if language is None:
        return _compare_without_parser(old, new)
    if language.parses == "anything":  # its grammar accepts nearly any text
        return _compare_by_validator(old, new) if language.reader else SyntaxResult(False)
    uncounted = parse.undecidable_reason(language.grammar, new.text)
    if uncounted is not None:
        return SyntaxResult(False, unchecked=(_unchecked_note(path, uncounted),))
    if new.unparsed or (old is not None and old.unparsed):
        return _compare_unparsed(old, new)
    return _compare_by_grammar(old, new, macros)


def _compare_by_grammar(
    old: Source | None, new: Source, macros: Callable[[], OverlayMacros] | None
) -> SyntaxResult:
    errors = find_new_errors(old, new, macros)
    if errors.attribution is None:
        return SyntaxResult(True) if has_syntax_errors(new) else _compare_by_validator(old, new)
    if errors.faults:
        return SyntaxResult(True, tuple(_iter_findings(new, errors.faults)))
    cause = errors.attribution
    unchecked: tuple[str, ...] = (cause.unchecked,) if cause.unchecked else ()
    if cause.is_judged and not unchecked:
        unchecked = tuple(_iter_grammar_notes(old, new))
    return SyntaxResult(cause.is_judged, unchecked=unchecked)


def _compare_unparsed(old: Source | None, new: Source) -> SyntaxResult:
    """Return the verdict on a file that is, or was, too large or nested too deeply for its grammar.

    Raises:
        DoesNotFit: ``too_large``: the change makes it so, other than by its size.
    """
    old_reason, new_reason = old.unparsed if old is not None else "", new.unparsed
    if not old_reason:
        new.require_readable()
    is_good = not new_reason and not has_syntax_errors(new)
    if is_good and not isinstance(_validate(new), ParseRefusal):
        return SyntaxResult(True)
    reason = f"skipped: {new_reason}" if new_reason else f"skipped: before the change, {old_reason}"
    return SyntaxResult(False, unchecked=(_unchecked_note(new.path, reason),))


def _compare_without_parser(old: Source | None, new: Source) -> SyntaxResult:
    if blank := find_blank_recipes(old, new):
        return SyntaxResult(True, blank)
    is_pointer = is_lfs_pointer(new.text)
    reason = "it is a pointer of Git LFS" if is_pointer else "no parser for this type of file"
    return SyntaxResult(False, unchecked=(_unchecked_note(new.path, reason),))


def _compare_by_validator(old: Source | None, new: Source) -> SyntaxResult:
    refusal, path = _validate(new), new.path
    if refusal is None:
        return SyntaxResult(True, unchecked=tuple(_iter_grammar_notes(old, new)))
    if isinstance(refusal, Unread):
        return SyntaxResult(
            True, unchecked=(f"{quote_path(path)}: {refusal.why}, so only its grammar has judged it",)
        )
    if old is not None and old.document.raw.strip():
        old_refusal = _validate(old)
        is_old = not _is_new_refusal(old, old_refusal, new, refusal)
        if is_old and (old_refusal is not None or any(find_faults(syntax) for syntax in old.readings)):
            note = (
                f"{quote_path(path)} could not be read before either ({refusal.message}, line {refusal.line})"
            )
            return SyntaxResult(True, unchecked=(f"{note}: it is judged by its grammar alone",))
    return SyntaxResult(True, (Finding(path, refusal.line, refusal.column, refusal.message),))


def _iter_grammar_notes(old: Source | None, new: Source) -> Iterator[str]:
    path, language = new.path, new.language
    if language is None or language.reader:
        return
    if language.parses == "partly":
        yield f"{quote_path(path)}: of {language.name} only what it defines is judged"
    ambiguous = find_ambiguous(old, new)
    if ambiguous is not None:
        note = f"it {ambiguous.what} (line {ambiguous.line})"
        note += f", which parsers of {language.name} may read differently"
        yield f"{quote_path(path)}: {note}, so only its grammar has judged it"


def _validate(source: Source) -> ParseRefusal | Unread | None:
    return validate(source.syntax, source.document.raw) if source.syntax else None


def _is_new_refusal(
    old: Source, old_refusal: ParseRefusal | Unread | None, new: Source, refusal: ParseRefusal
) -> bool:
    """Return True if the error is in a new line that does not replace the line of the old error."""
    for a, b, c, d in diff_lines(old.text.split(b"\n"), new.text.split(b"\n")):
        if c < refusal.line <= d:
            return not (isinstance(old_refusal, ParseRefusal) and a < old_refusal.line <= b)
    return False


def _iter_findings(source: Source, faults: Iterable[SyntaxFault]) -> Iterator[Finding]:
    for fault in faults:
        # Lines are counted as git does.
        line = source.document.line_at(fault.start)
        column = fault.start - source.text.rfind(b"\n", 0, fault.start)
        yield Finding(source.path, line, column, fault.message)


def _unchecked_note(path: str, reason: str) -> str:
    return f"{quote_path(path)}: {reason}, so its syntax was not judged"


_PASSED = SyntaxResult(True)


def judge(outcome: Outcome, rules: Rules, request: StaticRequest) -> Verdict:
    """Compare every changed file with the file before the change.

    The rules may exempt files. With ``allow_broken`` in the request, a failure is recorded and passes.
    """
    findings: list[Finding] = []
    unchecked: list[str] = []
    judged = False
    renames = Renames(outcome)

    @cache
    def macros() -> OverlayMacros:
        from gitscalpel.edit.error_attribution import OverlayMacros

        return OverlayMacros(outcome.overlay)

    @cache
    def exemptions() -> Exemptions:
        return Exemptions(outcome.first, rules.gates)

    for change in outcome.changes:
        if change.new is None or change.new.mode in (
            SYMLINK,
            SUBMODULE,
        ):  # links and submodules contain no code
            continue
        old, new = renames.before(change.path), outcome.overlay.content(change.path) or b""
        before = None if old is None else outcome.read(change.path, old)
        after = outcome.read(change.path, new)
        if after.is_exempt:
            continue
        result = compare_syntax(before, after, macros)
        if after.language and (result != _PASSED or isinstance(rules.gates.syntax, SyntaxGate)):
            result = _compare_with_exemptions(exemptions(), before, after, macros) or result
        if after.language and after.language.has_anchors:
            result = _add_rebound(result, before, after)
        if result.findings:
            findings += _order_by_edits(list(result.findings), _changed_lines(before, after), after)
        unchecked += result.unchecked
        judged |= result.judged
    notes = () if judged else ("no changed file can be parsed",)
    verdict = Verdict("syntax", "passed" if judged else "skipped", notes=notes, unchecked=tuple(unchecked))
    if not findings:
        return verdict
    verdict = msgspec.structs.replace(verdict, status="failed", findings=tuple(findings))
    return (
        verdict
        if request.allow_broken
        else msgspec.structs.replace(verdict, error=_syntax_error(outcome, findings))
    )


def _add_rebound(result: SyntaxResult, old: Source | None, new: Source) -> SyntaxResult:
    lines = {finding.line for finding in result.findings}
    rebound = (finding for finding in find_rebound_aliases(old, new) if finding.line not in lines)
    return msgspec.structs.replace(result, findings=(*result.findings, *rebound))


def _syntax_error(outcome: Outcome, findings: list[Finding]) -> GateRefused:
    first = findings[0]
    message = "; ".join([first.message, *_alias_messages(findings[1:], first.message)])
    hint = "correct the new text; what only parses as a whole goes into one changeset"
    effect = "have other values" if REBOUND in first.message else "no longer parse"
    error = GateRefused(
        "syntax_error",
        f"{first.path} would {effect}: line {first.line}, column {first.column}: {message}",
        ANCHOR_HINT if UNANCHORED in message else hint,
        findings=[msgspec.structs.asdict(finding) for finding in findings],
    )
    return error.at(_responsible_operation(outcome, first.path))


def _alias_messages(findings: list[Finding], first: str) -> list[str]:
    """Return the messages about aliases, all of which have to be changed."""
    if UNANCHORED not in first:
        return []
    messages = [
        f"{each.message}, line {each.line}" for each in findings if each.message.startswith(UNANCHORED)
    ]
    return [words for words in messages if words.partition(",")[0] not in first]


def _compare_with_exemptions(
    exemptions: Exemptions, old: Source | None, new: Source, macros: Callable[[], OverlayMacros]
) -> SyntaxResult | None:
    """Return the verdict on a file that is exempt, or in another language. None if it is neither."""
    language = exemptions.language_of(new.path)
    if isinstance(language, str) or language == new.language:
        return None
    if language is None:
        return SyntaxResult(False)
    old_source = None if old is None else msgspec.structs.replace(old, language=language)
    return compare_syntax(old_source, msgspec.structs.replace(new, language=language), macros)


def _changed_lines(before: Source | None, after: Source) -> list[tuple[int, int]]:
    old, new = (b"" if source is None else source.text for source in (before, after))
    return [(start + 1, end) for _, _, start, end in diff_lines(old.split(b"\n"), new.split(b"\n"))]


def _order_by_edits(findings: list[Finding], edited: list[tuple[int, int]], source: Source) -> list[Finding]:
    """Return the findings with those at edited lines first.

    A parser often reports an error far above its cause. The validator's error comes first if it is at an
    edited line: a validator knows what is wrong, a parser only reports where it stopped.
    """
    if not edited:
        return findings
    nearby = [f for f in findings if _is_near(f.line, edited)]
    refusal = validate(source.syntax, source.document.raw) if source.syntax else None
    if isinstance(refusal, ParseRefusal) and _is_near(refusal.line, edited):
        finding = Finding(findings[0].path, refusal.line, refusal.column, refusal.message)
        return [finding, *(each for each in nearby or findings if each.line != finding.line)]
    if nearby:
        return [*nearby, *(f for f in findings if f not in nearby and f.message.startswith(UNANCHORED))]
    first = findings[0]
    effect = "has other values" if REBOUND in first.message else "does not parse"
    message = f"with this edit the file {effect}: {first.message} in line {first.line}"
    at_edit = Finding(first.path, edited[0][0], 1, message)
    return [at_edit, *findings]


def _is_near(line: int, edited: list[tuple[int, int]]) -> bool:
    return any(first <= line <= last + 1 for first, last in edited)


def _responsible_operation(outcome: Outcome, path: str) -> int | None:
    touching = {done.index for done in outcome.done if done.path == path}
    return touching.pop() if len(touching) == 1 else None


_AMBIGUOUS = re.compile(
    "[\0-\x08\x0b\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff]"
    "|(?<!\n)\x0c|\x0c(?!\r?\n)"  # every parser accepts a form feed on a line of its own
    "|\r(?!\n)|\\\\\r?[ \t\x0b\x0c]+\n"
)
_AMBIGUOUS_IN_CODE = re.compile(
    "[\xa0\xad\u061c\u1680\u180e\u2000-\u200f\u202f\u205f-\u2065\u3000\ufff9-\ufffb]"
)
_COMMON_ENCODINGS = frozenset({b"utf-8", b"us-ascii", b"ascii", b"iso-8859-1"})
"""Encodings that every language with an encoding declaration supports."""


class AmbiguousText(msgspec.Struct, frozen=True):
    """Text that parsers of a language may read differently: its line from 1, and a description."""

    line: int
    what: str


def find_ambiguous(before: Source | None, after: Source) -> AmbiguousText | None:
    """Return the first ambiguous text that the edit added. None if there is none."""
    found = [*_iter_ambiguous(after)]
    known = _iter_ambiguous(before) if found and before is not None else ()
    counts = Counter(each.what for each in known)
    for each in found:
        counts[each.what] -= 1
        if counts[each.what] < 0:
            return each
    return None


def _iter_ambiguous(source: Source) -> Iterator[AmbiguousText]:
    document, language = source.document, source.language
    if language is None:
        return
    said = re.match(language.cookie, document.raw[len(document.bom) :]) if language.cookie else None
    if said is not None and said[1].lower() not in _COMMON_ENCODINGS:
        yield AmbiguousText(1, f"says that its encoding is {said[1].decode('ascii', 'replace')}")
    elif said is None and document.encoding != "utf-8":
        yield AmbiguousText(1, f"is not UTF-8 but {document.encoding}")
    if document.bom and not language.marked:
        yield AmbiguousText(1, "begins with a byte order mark")
    if not language.returned and b"\r\n" in source.text:
        yield AmbiguousText(
            source.text[: source.text.index(b"\r\n")].count(b"\n") + 1, "ends a line with CR LF"
        )
    text = source.text.decode("utf-8", "replace")
    for sign in _AMBIGUOUS.finditer(text):
        yield AmbiguousText(text.count("\n", 0, sign.start()) + 1, f"contains {_character_name(sign[0])}")
    is_possible = not language.data and _AMBIGUOUS_IN_CODE.search(text) is not None
    plain = _code_text(source) if is_possible else ""
    for sign in _AMBIGUOUS_IN_CODE.finditer(plain):
        yield AmbiguousText(plain.count("\n", 0, sign.start()) + 1, f"contains {_character_name(sign[0])}")


def _character_name(signs: str) -> str:
    if len(signs) > 1:
        return "a backslash before blanks at the end of a line"
    return f"U+{ord(signs):04X} {unicodedata.name(signs, '')}".strip()


_BLANKS = bytes(10 if byte == 10 else 32 for byte in range(256))
"""Table that keeps line feeds and makes blanks of all other bytes."""


def _code_text(source: Source) -> str:
    """Return the text with comments and strings blanked, as these may contain any characters."""
    syntax, text = source.syntax, bytearray(source.text)
    nodes = syntax.compute_once(read_captures).nodes if syntax else {}
    for node in (*nodes.get("comment", ()), *nodes.get("string", ())):
        inside = text[node.start_byte : node.end_byte]
        text[node.start_byte : node.end_byte] = inside.translate(_BLANKS)
    return text.decode("utf-8", "replace")


_MAKEFILE_NAME = re.compile(
    r"(?:GNU|BSD)?makefile(?:\.(?:am|in|inc|include|common|local|unix|linux))?|.+\.mk", re.IGNORECASE
)
_DIRECTIVE = re.compile(
    rb"(?:-?include|sinclude|ifn?eq|ifn?def|else|endif|define|endef|undefine|export|unexport|override|private"
    rb"|vpath|load|-load)\b"
)
_MAKE_RULE = re.compile(rb"[^\t #=][^=#]*?::?(?![=:])")
_RECIPEPREFIX = re.compile(rb"^[ \t]*\.RECIPEPREFIX\b", re.MULTILINE)


def find_blank_recipes(before: Source | None, after: Source) -> tuple[Finding, ...]:
    """Return the recipe lines that begin with blanks now and did not before.

    Lines that make could read as something else (a rule, an assignment, a directive, a comment) are skipped,
    and so is a file with such recipes before the change: another make reads that.
    """
    if not _MAKEFILE_NAME.fullmatch(posixpath.basename(after.path)) or _RECIPEPREFIX.search(after.text):
        return ()
    old_recipes = (
        Counter(line for _, line in _iter_blank_recipes(before.text))
        if before is not None
        else Counter[bytes]()
    )
    if old_recipes:
        return ()
    message = "a recipe begins with a tab, and this line with blanks"
    return tuple(Finding(after.path, number, 1, message) for number, _ in _iter_blank_recipes(after.text))


def _iter_blank_recipes(text: bytes) -> Iterator[tuple[int, bytes]]:
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
            if in_rule and not _may_be_directive(bare):
                yield number, bare
        elif not _DIRECTIVE.match(bare):
            in_rule = bool(_MAKE_RULE.match(line))


def _may_be_directive(bare: bytes) -> bool:
    return bool(_DIRECTIVE.match(bare)) or b"=" in bare or b":" in bare or bare.startswith(b"$")


class _Alias(NamedTuple):
    """A YAML alias. Positions count from 0, columns in bytes. ``anchor_line`` is None without an anchor."""

    line: int
    column: int
    name: bytes
    anchor_line: int | None


def find_rebound_aliases(before: Source | None, after: Source) -> tuple[Finding, ...]:
    """Return the aliases in unchanged lines whose anchor is a different one now, or is missing.

    If no anchor is defined twice, the grammar's syntax errors already report this.
    """
    language = after.language
    if before is None or language is None or not language.has_anchors or before.syntax is None:
        return ()
    old = list(_iter_alias_anchors(before.syntax))
    if not old or after.syntax is None or not _is_ambiguous(before.syntax):
        return ()
    ranges = diff_lines(BytesIO(before.text).readlines(), BytesIO(after.text).readlines())
    new = {(each.line, each.column): each for each in _iter_alias_anchors(after.syntax)}
    rows = []
    for each in old:
        line, is_kept = _new_line_number(ranges, each.line)
        alias = new.get((line, each.column)) if is_kept else None
        if alias is None or each.anchor_line is None:
            continue
        name = each.name.decode("utf-8", "replace")
        message = ""
        if alias.anchor_line is None:
            message = f"{UNANCHORED} *{name} has no anchor &{name} above it"
        elif _new_line_number(ranges, each.anchor_line) != _old_line_number(ranges, alias.anchor_line):
            message = f"{UNANCHORED} *{name} {REBOUND} &{name}, line {alias.anchor_line + 1}"
        if message:
            rows.append(Finding(after.path, line + 1, each.column + 1, message))
    return tuple(rows)


def _is_ambiguous(syntax: Syntax) -> bool:
    names = [syntax.text[each.start_byte : each.end_byte] for each in syntax.query_nodes("(anchor) @found")]
    return len(set(names)) < len(names)


def _iter_alias_anchors(syntax: Syntax) -> Iterator[_Alias]:
    """Yield each alias with the last anchor of its name above it in its document."""
    starts = [document.start_byte for document in syntax.of_type("document")]
    anchors: dict[tuple[int, bytes], int] = {}
    for mark in syntax.query_nodes("[(anchor) (alias)] @found"):
        key = bisect_right(starts, mark.start_byte), syntax.text[mark.start_byte + 1 : mark.end_byte]
        line, column = mark.start_point
        if mark.type == "anchor":
            anchors[key] = line
        else:
            yield _Alias(line, column, key[1], anchors.get(key))


def _new_line_number(ranges: Sequence[Range], line: int) -> tuple[int, bool]:
    """Return the new number of an old line and True, or the index of the change around it and False."""
    for index, (start, end, _, new_end) in enumerate(reversed(ranges)):
        if line >= end:
            return line - end + new_end, True
        if line >= start:
            return len(ranges) - 1 - index, False
    return line, True


def _old_line_number(ranges: Sequence[Range], line: int) -> tuple[int, bool]:
    """Return the result of :func:`_new_line_number` for the old line that a new line was."""
    changed = (index for index, (_, _, start, end) in enumerate(ranges) if start <= line < end)
    index = next(changed, None)
    return (line, True) if index is None else (index, False)
