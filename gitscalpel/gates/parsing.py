"""One file before and after an edit: does it still parse, and who can tell?

The grammar is asked first, of the text as it sees its lines and as the language does. What it has nothing
against is shown to the language's reader, if there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec

from gitscalpel.changesets.answers import Finding, quoted
from gitscalpel.edit.new_syntax_errors import find_new_errors, has_syntax_errors
from gitscalpel.edit.source import Source
from gitscalpel.gates import makefile
from gitscalpel.gates.odd import found
from gitscalpel.syntax import parse_limits
from gitscalpel.syntax.languages import is_lfs_pointer
from gitscalpel.syntax.syntax_errors import SyntaxFault, faults
from gitscalpel.syntax.validators import Refusal, Unread, validate
from gitscalpel.text.line_diff import diff_lines

if TYPE_CHECKING:
    from gitscalpel.edit.error_attribution import Macros


class Parsed(msgspec.Struct, frozen=True):
    """What is to be said of a file.

    Attributes:
        judged: whether anything that can refuse it has judged it.
        findings: where it is worse than it was.
        unchecked: what could not be checked, and why, in words.
    """

    judged: bool
    findings: tuple[Finding, ...] = ()
    unchecked: tuple[str, ...] = ()


def parsed(old: Source | None, new: Source, macros: Callable[[], Macros] | None = None) -> Parsed:
    """Compare a file with what it was.

    Args:
        old: None if the file is new.
        new: the file as it is now.
        macros: returns the macros of all files; None looks for them in the files around ``new``.
    """
    path = new.path
    language = new.language
    if language is None:
        return _without_parser(old, new)
    if language.parses == "anything":  # there is next to nothing that its rules would refuse
        return _by_reader(old, new) if language.reader else Parsed(False)
    uncounted = parse_limits.uncounted(language.grammar, new.text)
    if uncounted is not None:
        return Parsed(False, unchecked=(_unchecked(path, uncounted),))
    if new.unparsed or (old is not None and old.unparsed):
        return _partly_unparsed(old, new)
    return _by_grammar(old, new, macros)


def _by_grammar(old: Source | None, new: Source, macros: Callable[[], Macros] | None) -> Parsed:
    """Return the verdict on a file that its grammar has parsed as a whole."""
    found = find_new_errors(old, new, macros)
    if found.attribution is None:
        return Parsed(True) if has_syntax_errors(new) else _by_reader(old, new)
    if found.faults:
        return Parsed(True, tuple(_located(new, found.faults)))
    cause = found.attribution
    unchecked: tuple[str, ...] = (cause.unchecked,) if cause.unchecked else ()
    if cause.is_judged and not unchecked:
        unchecked = tuple(_by_grammar_alone(old, new))
    return Parsed(cause.is_judged, unchecked=unchecked)


def _partly_unparsed(old: Source | None, new: Source) -> Parsed:
    """Return the verdict on a file that is, or was, too large or nested too deep for its grammar.

    Raises:
        DoesNotFit: ``too_large``: it is the change that makes it so, other than by its size.
    """
    was, now = old.unparsed if old is not None else "", new.unparsed
    if not was:
        new.require_readable()
    is_good = not now and not has_syntax_errors(new)
    if is_good and not isinstance(_read(new), Refusal):
        return Parsed(True)
    why = f"skipped: {now}" if now else f"skipped: before the change, {was}"
    return Parsed(False, unchecked=(_unchecked(new.path, why),))


def _without_parser(old: Source | None, new: Source) -> Parsed:
    if blank := makefile.find_blank_recipes(old, new):
        return Parsed(True, blank)
    is_pointer = is_lfs_pointer(new.text)
    why = "it is a pointer of Git LFS" if is_pointer else "no parser for this type of file"
    return Parsed(False, unchecked=(_unchecked(new.path, why),))


def _by_reader(old: Source | None, new: Source) -> Parsed:
    """What the language's reader says, where the grammar has nothing against the file."""
    now, path = _read(new), new.path
    if now is None:
        return Parsed(True, unchecked=tuple(_by_grammar_alone(old, new)))
    if isinstance(now, Unread):
        return Parsed(True, unchecked=(f"{quoted(path)}: {now.why}, so only its grammar has judged it",))
    if old is not None and old.document.raw.strip():
        was = _read(old)
        is_old = not _brought(old, was, new, now)
        if is_old and (was is not None or any(faults(syntax) for syntax in old.readings)):
            note = f"{quoted(path)} could not be read before either ({now.message}, line {now.line})"
            return Parsed(True, unchecked=(f"{note}: it is judged by its grammar alone",))
    return Parsed(True, (Finding(path, now.line, now.column, now.message),))


def _by_grammar_alone(old: Source | None, new: Source) -> Iterator[str]:
    """What is to be said where no reader has been asked."""
    path, language = new.path, new.language
    if language is None or language.reader:
        return
    if language.parses == "partly":
        yield f"{quoted(path)}: of {language.name} only what it defines is judged"
    odd = found(old, new)
    if odd is not None:
        words = (
            f"it {odd.what} (line {odd.line}), which readers of {language.name} may take for something else"
        )
        yield f"{quoted(path)}: {words}, so only its grammar has judged it"


def _read(source: Source) -> Refusal | Unread | None:
    return validate(source.syntax, source.document.raw) if source.syntax else None


def _brought(old: Source, was: Refusal | Unread | None, new: Source, now: Refusal) -> bool:
    """Whether what is refused stands in new lines that do not take the place of what was refused before."""
    for a, b, c, d in diff_lines(old.text.split(b"\n"), new.text.split(b"\n")):
        if c < now.line <= d:
            return not (isinstance(was, Refusal) and a < was.line <= b)
    return False


def _located(source: Source, found: Iterable[SyntaxFault]) -> Iterator[Finding]:
    for fault in found:
        # Lines are counted as git counts them, however the text was read.
        line = source.document.line_at(fault.start)
        column = fault.start - source.text.rfind(b"\n", 0, fault.start)
        yield Finding(source.path, line, column, fault.message)


def _unchecked(path: str, why: str) -> str:
    return f"{quoted(path)}: {why}, so its syntax was not judged"
