"""Verdict of the diagnostics gate: the diagnostics that are new in the tree after the change.

Two diagnostics are the same if they have the same rule and message, for the same text in the same file,
wherever that text is now and whatever the file is called. If several are the same, those in excess of
the old number are new. A changed line keeps its old diagnostics: they count as the same if the diff has
the new line in place of the old one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from gitscalpel.changesets.answers import Remaining
from gitscalpel.changesets.rules import Diagnostics
from gitscalpel.errors import GateRefused, ScalpelError
from gitscalpel.gates.commands.command_verdict import more, said
from gitscalpel.gates.diagnostics.diagnostic import Diagnostic
from gitscalpel.gates.verdict import Verdict
from gitscalpel.text.line_diff import diff_lines

NAME = "diagnostics"
_NAMED = 5
"""Places that a refusal names."""


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """What one of those who are asked says of a change.

    Attributes:
        by: its name.
        new: what the tree before does not have; None: it could not tell.
        silent: why it could not.
        error: what that comes to, where it is no matter of whom the user has installed.
        about: the paths that it has looked at.
        where: where its programs ran.
        cached: that was known.
    """

    by: str
    new: tuple[Diagnostic, ...] | None = None
    silent: str = ""
    error: ScalpelError | None = None
    about: frozenset[str] = frozenset()
    where: str = ""
    cached: bool = False


def of(level: Diagnostics, heard: Sequence[Heard], unchecked: Sequence[str]) -> Verdict:
    """The verdict; one that somebody has kept silent about has not passed.

    Args:
        level: what new errors mean.
        heard: what everybody says who was asked.
        unchecked: what nobody was asked, and why, in words.
    """
    new = news(heard)
    errors = [each for each in new if each.severity == "error"]
    silent = tuple(f"{NAME}: {each.by}: {each.silent}" for each in heard if each.new is None)
    error = _error(level, errors, heard)
    told = any(each.new is not None for each in heard)
    status: Literal["failed", "passed", "skipped"] = "passed" if told and not silent else "skipped"
    asked = f"asked: {', '.join(each.by for each in heard)}" if heard else ""
    return Verdict(
        NAME,
        "failed" if error else status,
        tuple(each.finding for each in new),
        error,
        notes=(asked,) if asked else (),
        unchecked=(*silent, *(f"{NAME}: {words}" for words in unchecked)),
        where=next((each.where for each in heard if each.where), ""),
    )


def news(heard: Sequence[Heard]) -> list[Diagnostic]:
    """What is new, by file and line; what several say alike is said once."""
    found = {each.finding: each for one in heard for each in one.new or ()}
    return sorted(found.values(), key=lambda each: (each.severity, each.path, each.line, each.column))


def remaining(new: Sequence[Diagnostic]) -> tuple[Remaining, ...]:
    """The same as an answer lists what is left."""
    rows = (each.finding for each in new)
    return tuple(Remaining(row.path, row.line, row.message, row.severity) for row in rows)


def _error(level: Diagnostics, errors: Sequence[Diagnostic], heard: Sequence[Heard]) -> ScalpelError | None:
    if level != "new-errors":
        return None
    if not errors:
        return next((each.error for each in heard if each.error is not None), None)
    findings = [each.finding for each in errors]
    places = "; ".join(f"{each.path}:{each.line}: {each.message}" for each in findings[:_NAMED])
    more = f" and {len(findings) - _NAMED} more" if len(findings) > _NAMED else ""
    count = f"{len(findings)} new error{'s' * (len(findings) > 1)}"
    return GateRefused(
        "diagnostics_failed",
        f"{count}: {places}{more}",
        "mend them in the same changeset; what the tree before has as well does not count",
        gate=NAME,
        findings=msgspec.to_builtins(findings),
        remaining=msgspec.to_builtins(remaining(errors)),
    )


Text = Callable[[str], "bytes | None"]
"""The text of a path in one of the trees."""


class _Seen(NamedTuple):
    """A diagnostic in its tree.

    Attributes:
        one: what it is.
        path: where its file is in the tree after.
        text: of its line.
    """

    one: Diagnostic
    path: str
    text: bytes

    @property
    def what(self) -> tuple[str, str, str, str]:
        """What is said, and of which file."""
        words = said(self.one.message, placed=bool(self.path))
        return self.path, self.one.rule, words, self.one.severity


def new(
    after: Sequence[Diagnostic],
    before: Sequence[Diagnostic],
    texts: tuple[Text, Text],
    origins: Mapping[str, str],
) -> list[Diagnostic]:
    """The diagnostics of ``after`` that are more than in ``before``.

    Args:
        after: what is said of the tree after.
        before: what is said of the one before.
        texts: the files of the tree before, and of the one after.
        origins: where files of the tree after were before, if that was elsewhere.
    """
    ways = {old: path for path, old in origins.items()}
    olds = _seen(before, texts[0], ways)
    news = _seen(after, texts[1], {})
    identity = lambda each: (each.what, each.text)  # noqa: E731
    left, gone = more(news, olds, identity), more(olds, news, identity)
    found = []
    for each in left:
        old = next((one for one in gone if one.what == each.what and _became(one, each, texts)), None)
        if old is None:
            found.append(each.one)
        else:
            gone.remove(old)
    return found


def _seen(found: Sequence[Diagnostic], text: Text, ways: Mapping[str, str]) -> list[_Seen]:
    lines: dict[str, list[bytes]] = {}
    for each in found:
        if each.path not in lines:
            lines[each.path] = ((text(each.path) if each.path else None) or b"").split(b"\n")
    return [_Seen(each, ways.get(each.path, each.path), _line(lines[each.path], each.line)) for each in found]


def _line(lines: list[bytes], number: int) -> bytes:
    return lines[number - 1].strip() if 0 < number <= len(lines) else b""


def _became(old: _Seen, new: _Seen, texts: tuple[Text, Text]) -> bool:
    """Whether the diff of their file has the line of the one in place of that of the other."""
    before, after = texts[0](old.one.path), texts[1](new.one.path)
    if not old.path or before is None or after is None:
        return False
    first, second = before.split(b"\n"), after.split(b"\n")
    return any(a < old.one.line <= b and c < new.one.line <= d for a, b, c, d in diff_lines(first, second))
