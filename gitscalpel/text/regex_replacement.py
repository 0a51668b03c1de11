"""Regular expressions over a file, with literal replacements.

A pattern is code that the caller seldom tests, so accidental matches are refused: empty ones, and those
in which the pattern starts again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from gitscalpel.errors import BadCall
from gitscalpel.errors.messages import arg
from gitscalpel.system.regex_worker import Sent
from gitscalpel.text.fuzzy_match import Folded, Hit

_CRLF = re.compile(r"(?<!\\)((?:\\\\)*)\\r\\n")
_GROUP = re.compile(r"\\(?:([1-9][0-9]?)|g<(\w+)>)")


class Pattern:
    """A compiled pattern and what it matches in one text."""

    def __init__(self, pattern: str, text: Folded) -> None:
        """Match ``pattern`` against ``text``.

        Raises:
            BadCall: ``invalid_args`` if it is no pattern, ``empty_target`` if it matches only
                empty places.
            DoesNotFit: ``too_slow``: see ``regex_worker``, also of what is asked afterwards.
        """
        self._text = text.text.decode("utf-8", "surrogateescape")
        self._pattern = _compile(pattern)
        found = self._pattern.matches(self._text)
        self.matches = tuple(match for match in found if match[0][0] < match[0][1])
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
            first, last = match[0]
            start = at + _size(self._text[seen:first])
            seen, at = last, start + _size(self._text[first:last])
            hits.append(Hit(text.raw(start), text.raw(at)))
        return hits

    def restart(self, indices: Iterable[int]) -> tuple[int, int] | None:
        """The first of some matches, of those over several lines, in which the pattern starts to match again.

        Returns:
            Its index, and the offset in characters from its beginning; or None.
        """
        spans = [(index, self.matches[index][0]) for index in indices]
        several = [each for each in spans if "\n" in self._text[slice(*each[1])].removesuffix("\n")]
        again = self._pattern.restart(self._text, [span for _, span in several]) if several else None
        if again is None:
            return None
        index, (start, _) = several[again[0]]
        return index, again[1] - start

    def expand(self, index: int, new: str) -> str:
        r"""``new`` with ``\1`` and ``\g<name>`` replaced; everything else is literal.

        Raises:
            BadCall: ``invalid_args`` if the pattern has no such group.
        """
        match = self.matches[index]

        def group(reference: re.Match[str]) -> str:
            name = reference[1] or reference[2]
            try:
                start, end = match[self._number(name)]
            except (IndexError, KeyError):
                raise BadCall(
                    "invalid_args",
                    f"{arg('new')} refers to the group {name!r}, which the pattern does not have",
                    f"it has {self._pattern.groups} numbered groups"
                    + "".join(f", {known!r}" for known in self._pattern.names),
                ) from None
            return self._text[start:end] if start >= 0 else ""

        return _GROUP.sub(group, new)

    def _number(self, group: str) -> int:
        return int(group) if group.isdecimal() and len(group) < 10 else self._pattern.names[group]


def _compile(pattern: str) -> Sent[str]:
    try:
        # The text has LF endings only, so a CRLF in the pattern is one as well, written out or escaped.
        folded = _CRLF.sub(r"\1\\n", pattern.replace("\r\n", "\n"))
        return Sent(folded, re.DOTALL | re.MULTILINE)
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
