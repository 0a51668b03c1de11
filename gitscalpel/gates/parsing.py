"""One file before and after an edit: does it still parse, and who can tell?

The grammar is asked first. What it has nothing against is shown to the language's reader, if there is one.
"""

from __future__ import annotations

from typing import NamedTuple

from gitscalpel.edit.source import Source
from gitscalpel.report import Finding, quoted
from gitscalpel.syntax.parse import SyntaxFault
from gitscalpel.syntax.readers import read
from gitscalpel.syntax.readers.said import Refusal, Unread


class Parsed(NamedTuple):
    """What is to be said of a file.

    Attributes:
        judged: whether anything that can refuse it has judged it.
        findings: where it is worse than it was.
        unchecked: what could not be checked, and why, in words.
    """

    judged: bool
    findings: tuple[Finding, ...] = ()
    unchecked: tuple[str, ...] = ()


def parsed(path: str, before: bytes | None, after: bytes) -> Parsed:
    """Compare a file with what it was; None: it is new."""
    new = Source.read(path, after)
    language = new.language
    if language is None:
        return Parsed(False, unchecked=(_unchecked(path, "no parser for this type of file"),))
    if language.parses == "anything":  # there is nothing that its rules would refuse
        return Parsed(False)
    if language.parses == "loosely":
        why = f"the grammar of {language.name} accepts nearly anything"
        return Parsed(False, unchecked=(_unchecked(path, why),))
    faults = _faults(new)
    if not faults:
        return _by_reader(path, before, new)
    return Parsed(True, _worse(path, _faults(Source.read(path, before or b"")), faults))


def _by_reader(path: str, before: bytes | None, new: Source) -> Parsed:
    """What the language's reader says, where the grammar has nothing against the file."""
    now = _read(new)
    if now is None:
        return Parsed(True)
    if isinstance(now, Unread):
        return Parsed(True, unchecked=(f"{quoted(path)}: {now.why}, so only its grammar has judged it",))
    if before is not None and before.strip():
        old = Source.read(path, before)
        if old.syntax is None or old.syntax.faults or _read(old) is not None:
            note = f"{quoted(path)} could not be read before either ({now.message}, line {now.line})"
            return Parsed(True, unchecked=(f"{note}: it is judged by its grammar alone",))
    return Parsed(True, (Finding(path, now.line, now.column, now.message),))


def _read(source: Source) -> Refusal | Unread | None:
    return read(source.syntax, source.document.raw) if source.syntax else None


def _faults(source: Source) -> tuple[SyntaxFault, ...]:
    return source.syntax.faults if source.syntax else ()


def _worse(path: str, old: tuple[SyntaxFault, ...], new: tuple[SyntaxFault, ...]) -> tuple[Finding, ...]:
    if len(new) <= len(old):
        return ()
    known = {fault.message for fault in old}
    fresh = [fault for fault in new if fault.message not in known] or new
    return tuple(Finding(path, fault.line, fault.column, fault.message) for fault in fresh)


def _unchecked(path: str, why: str) -> str:
    return f"{quoted(path)}: {why}, so its syntax was not judged"
