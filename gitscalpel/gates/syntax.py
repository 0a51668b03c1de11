"""A file that parsed must still parse; one that was broken must not become worse."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from gitscalpel.changesets.answers import Finding
from gitscalpel.changesets.file_tree import SUBMODULE, SYMLINK
from gitscalpel.changesets.rules import Gates, SyntaxGate
from gitscalpel.edit.outcome import Outcome
from gitscalpel.edit.source import Source
from gitscalpel.errors import GateRefused
from gitscalpel.gates.parsing import Parsed, parsed
from gitscalpel.gates.renames import Renames
from gitscalpel.gates.verdict import Verdict
from gitscalpel.syntax.syntax_errors import ANCHOR_HINT, REBOUND, UNANCHORED
from gitscalpel.syntax.validators import Refusal, validate
from gitscalpel.text.line_diff import diff_lines

if TYPE_CHECKING:
    from gitscalpel.edit.error_attribution import Macros
    from gitscalpel.syntax.exemptions import Exemptions

_GOOD = Parsed(True)


def judge(outcome: Outcome, allow_broken: bool = False, rules: Gates | None = None) -> Verdict:
    """Compare every changed file with what it was.

    Args:
        outcome: the change.
        allow_broken: records a failure and lets it pass.
        rules: the rules for gates, which may exempt files; None exempts none.
    """
    findings: list[Finding] = []
    unchecked: list[str] = []
    judged = False
    renames = Renames(outcome)

    @cache
    def macros() -> Macros:
        from gitscalpel.edit.error_attribution import Macros

        return Macros(outcome.overlay)

    @cache
    def exemptions() -> Exemptions:
        from gitscalpel.syntax.exemptions import Exemptions

        return Exemptions(outcome.first, rules or Gates())

    for change in outcome.changes:
        if change.new is None or change.new.mode in (SYMLINK, SUBMODULE):  # where these lead is no code
            continue
        old, new = renames.before(change.path), outcome.overlay.content(change.path) or b""
        before = None if old is None else outcome.read(change.path, old)
        after = outcome.read(change.path, new)
        if after.is_exempt:
            continue
        said = parsed(before, after, macros)
        if rules and after.language and (said != _GOOD or isinstance(rules.syntax, SyntaxGate)):
            said = _with_exemptions(exemptions(), before, after, macros) or said
        if after.language and after.language.has_anchors:
            said = _with_rebound(said, before, after)
        if said.findings:
            findings += _at_edits(list(said.findings), _edited(before, after), after)
        unchecked += said.unchecked
        judged |= said.judged
    verdict = Verdict("syntax", "passed" if judged else "skipped", unchecked=tuple(unchecked))
    if not findings:
        return verdict
    verdict = msgspec.structs.replace(verdict, status="failed", findings=tuple(findings))
    return verdict if allow_broken else msgspec.structs.replace(verdict, error=_error(outcome, findings))


def _with_rebound(said: Parsed, old: Source | None, new: Source) -> Parsed:
    """Add the aliases that mean another anchor than before, in lines without another finding."""
    from gitscalpel.gates.rebound_aliases import find_rebound  # YAML alone has anchors

    lines = {finding.line for finding in said.findings}
    rebound = (finding for finding in find_rebound(old, new) if finding.line not in lines)
    return msgspec.structs.replace(said, findings=(*said.findings, *rebound))


def _error(outcome: Outcome, findings: list[Finding]) -> GateRefused:
    """Return the refusal, in the words of the first finding."""
    first = findings[0]
    words = "; ".join([first.message, *_aliases(findings[1:], first.message)])
    hint = "correct the new text; what only parses as a whole goes into one changeset"
    becomes = "have other values" if REBOUND in first.message else "no longer parse"
    error = GateRefused(
        "syntax_error",
        f"{first.path} would {becomes}: line {first.line}, column {first.column}: {words}",
        ANCHOR_HINT if UNANCHORED in words else hint,
        findings=[msgspec.structs.asdict(finding) for finding in findings],
    )
    return error.at(_blamed(outcome, first.path))


def _aliases(findings: list[Finding], first: str) -> list[str]:
    """Return what is said of aliases; each of them has to be changed, not only the first."""
    if UNANCHORED not in first:
        return []
    said = [f"{each.message}, line {each.line}" for each in findings if each.message.startswith(UNANCHORED)]
    return [words for words in said if words.partition(",")[0] not in first]


def _with_exemptions(
    exemptions: Exemptions, old: Source | None, new: Source, macros: Callable[[], Macros]
) -> Parsed | None:
    """Return the verdict on a file that is exempt, or in another language; None if it is neither."""
    language = exemptions.language_of(new.path)
    if isinstance(language, str) or language == new.language:
        return None
    if language is None:
        return Parsed(False)
    was = None if old is None else msgspec.structs.replace(old, language=language)
    return parsed(was, msgspec.structs.replace(new, language=language), macros)


def _edited(before: Source | None, after: Source) -> list[tuple[int, int]]:
    """Return the first and the last line of each changed part, however the file was changed."""
    old, new = (b"" if source is None else source.text for source in (before, after))
    return [(start + 1, end) for _, _, start, end in diff_lines(old.split(b"\n"), new.split(b"\n"))]


def _at_edits(findings: list[Finding], edited: list[tuple[int, int]], source: Source) -> list[Finding]:
    """The findings at the edited lines first; a parser often reports a fault far above its cause.

    What the language's reader says of them comes first: it knows what is wrong, a parser where it gave up.
    """
    if not edited:
        return findings
    near = [f for f in findings if _is_near(f.line, edited)]
    told = validate(source.syntax, source.document.raw) if source.syntax else None
    if isinstance(told, Refusal) and _is_near(told.line, edited):
        said = Finding(findings[0].path, told.line, told.column, told.message)
        return [said, *(each for each in near or findings if each.line != said.line)]
    if near:
        return [*near, *(f for f in findings if f not in near and f.message.startswith(UNANCHORED))]
    first = findings[0]
    becomes = "has other values" if REBOUND in first.message else "does not parse"
    why = f"with this edit the file {becomes}: {first.message} in line {first.line}"
    here = Finding(first.path, edited[0][0], 1, why)
    return [here, *findings]


def _is_near(line: int, edited: list[tuple[int, int]]) -> bool:
    return any(first <= line <= last + 1 for first, last in edited)


def _blamed(outcome: Outcome, path: str) -> int | None:
    """The operation at fault, where only one touched the file."""
    touching = {done.index for done in outcome.done if done.path == path}
    return touching.pop() if len(touching) == 1 else None
