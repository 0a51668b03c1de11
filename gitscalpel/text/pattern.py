"""Regular expressions over a file: Python's ``re``, with literal replacements.

A pattern is code that the caller seldom tests, so what it matches by accident
is refused: empty places, and matches in which the pattern starts again.
"""

from __future__ import annotations

import re

from gitscalpel.errors import BadCall
from gitscalpel.phrases import arg
from gitscalpel.regex import lazy, sent
from gitscalpel.text.match import Folded, Hit

_CRLF = lazy(r"(?<!\\)((?:\\\\)*)\\r\\n")
_GROUP = lazy(r"\\(?:([1-9][0-9]?)|g<(\w+)>)")


class Pattern:
    """A compiled pattern and what it matches in one text."""

    def __init__(self, pattern: str, text: Folded) -> None:
        """Match ``pattern`` against ``text``.

        Raises:
            BadCall: ``invalid_args`` if it is no pattern, ``empty_target`` if it matches only
                empty places.
        """
        self._text = text.text.decode("utf-8", "surrogateescape")
        self._pattern = _compile(pattern)
        found = list(self._pattern.finditer(self._text))
        self.matches = tuple(match for match in found if match.group())
        if found and not self.matches:
            raise BadCall(
                "empty_target",
                f"the pattern {pattern!r} matches only empty places",
                "let it match the text that is to be replaced",
            )
        self.hits = tuple(self._hit(text))

    def _hit(self, text: Folded) -> list[Hit]:
        hits, seen, at = [], 0, 0
        for match in self.matches:
            start = at + _size(self._text[seen : match.start()])
            seen, at = match.end(), start + _size(match.group())
            hits.append(Hit(text.raw(start), text.raw(at)))
        return hits

    def restart(self, index: int) -> int | None:
        """Where in the match over several lines the pattern starts to match again.

        The places right behind the start at which a leading repetition matches
        as well do not count: they are the same beginning, interrupted.

        Returns:
            The offset in characters from the match's beginning, or None.
        """
        match = self.matches[index]
        if "\n" not in match.group().removesuffix("\n"):
            return None
        at = match.start() + 1
        while at < match.end() and self._pattern.match(self._text, at):
            at += 1
        again = next((m for m in self._pattern.finditer(self._text, at) if m.group()), None)
        return again.start() - match.start() if again and again.start() < match.end() else None

    def expand(self, index: int, new: str) -> str:
        r"""``new`` with ``\1`` and ``\g<name>`` replaced; everything else is literal.

        Raises:
            BadCall: ``invalid_args`` if the pattern has no such group.
        """
        match = self.matches[index]

        def group(reference: re.Match[str]) -> str:
            name = reference[1] or reference[2]
            try:
                return match.group(int(name) if name.isdecimal() and len(name) < 10 else name) or ""
            except IndexError:
                raise BadCall(
                    "invalid_args",
                    f"{arg('new')} refers to the group {name!r}, which the pattern does not have",
                    f"it has {self._pattern.groups} numbered groups"
                    + "".join(f", {known!r}" for known in self._pattern.groupindex),
                ) from None

        return _GROUP.sub(group, new)


def _compile(pattern: str) -> re.Pattern[str]:
    try:
        # The text has LF endings only, so a CRLF in the pattern is one as well, written out or escaped.
        folded = _CRLF.sub(r"\1\\n", pattern.replace("\r\n", "\n"))
        return sent(folded, re.DOTALL | re.MULTILINE)
    except re.error as error:
        position = getattr(error, "pos", None)
        where = "" if position is None else f" (character {position})"
        raise BadCall(
            "invalid_args",
            f"{arg('old')} is not a regular expression: {getattr(error, 'msg', error)}{where}",
            f"correct it, or leave {arg('regex')} out to match the text as it is",
            position=position,
        ) from None


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))
